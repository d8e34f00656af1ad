// SPDX-License-Identifier: MIT
/* The records of a run in canonical form: see content.h. */
#include "content.h"

#include "crc.h"

size_t content_record(struct record *out, const struct run_record *rec)
{
	record_start(out, rec->seq, rec->type);
	for (size_t i = 0; i < rec->n; i++)
		record_str(out, rec->field[i].key, rec->field[i].value, rec->field[i].len);
	return record_finish(out);
}

/* A complete run has its records in order: those that came late make it corrupt. */
u64 content_crc(const struct run *r)
{
	struct record rec;
	u64 crc = 0;

	for (size_t i = 0; i < r->n_records; i++)
		crc = crc64(crc, rec.bytes, content_record(&rec, &r->record[i]));
	return crc;
}
