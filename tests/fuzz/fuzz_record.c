// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as one line with a record, and what is made of it. With the first byte odd
 * the CRC is put right. Aborts where a record that was accepted does not come back the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "record.h"
#include "runlog.h"
#include "series.h"
#include "verdict.h"
#include "xrecord.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define ROWS 64

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void in_line(const char *at, size_t n, const char *line, size_t size)
{
	must(at >= line && at + n <= line + size);
}

/* Written again from its values, a record reads the same. */
static void write_again(const struct record_view *v)
{
	static char value[RECORD_MAX];
	static struct record_view again;
	struct record r;
	char name[RECORD_MAX];

	memcpy(name, v->type, v->type_len);
	name[v->type_len] = '\0';
	record_start(&r, v->seq, name);
	for (size_t i = 0; i < v->n_fields; i++) {
		int n = record_value(&v->field[i], value, sizeof(value));

		must(n >= 0);
		memcpy(name, v->field[i].key, v->field[i].key_len);
		name[v->field[i].key_len] = '\0';
		record_str(&r, name, value, (size_t)n);
	}
	/* Quoting what need not be quoted may have made the original shorter, never longer. */
	if (record_finish(&r) == 0)
		return;
	must(record_parse(r.bytes, r.t.len, &again) == RECORD_OK);
	must(again.seq == v->seq && again.n_fields == v->n_fields);
	must(again.type_len == v->type_len && !memcmp(again.type, v->type, v->type_len));
}

static void results_read(const struct record_view *v)
{
	static struct series s[ROWS];
	static struct series_name name[ROWS];
	static struct xcell cell[ROWS];
	struct moments m = {0};
	size_t n = 0;

	memset(s, 0, sizeof(s));
	memset(cell, 0, sizeof(cell));
	series_parse(v, &s[0]);
	if (!series_rows_parse(v, s, name, ROWS, &n))
		must(n > 0 && n <= ROWS);
	if (!xcells_parse(v, cell, ROWS, &n))
		must(n > 0 && n <= ROWS);
	hist_sums_parse(v, &m);
}

static void items_read(const struct record_field *f)
{
	struct line_entry e;
	const char *item;
	size_t pos = 0, n, bin;
	u64 count;

	while (record_item(f, &pos, &item, &n)) {
		in_line(item, n, f->raw, f->raw_len);
		if (line_entry_parse(item, n, &e))
			must(e.from <= e.to && e.min <= e.max);
		if (hist_bin_parse(item, n, &bin, &count))
			must(bin < HIST_BINS && count > 0);
	}
}

static void crc_fix(char *line, size_t size)
{
	const char *marker = memmem(line, size, "@bt ", 4);
	char crc[16];

	for (size_t i = size; marker && i-- > (size_t)(marker - line);) {
		if (size - i < 13 || memcmp(line + i, " crc=", 5))
			continue;
		snprintf(crc, sizeof(crc), "%08X",
			 (unsigned int)crc32(0, marker, i - (size_t)(marker - line)));
		memcpy(line + i + 5, crc, 8);
		return;
	}
}

static void check_line(const char *line, size_t size)
{
	static struct record_view v;
	struct runlog log;

	runlog_init(&log);
	if (runlog_line(&log, line, size, &v) != RECORD_OK)
		return;
	in_line(line + v.start, v.len, line, size);
	must(v.n_fields <= RECORD_FIELDS && v.seq > 0);
	for (size_t i = 0; i < v.n_fields; i++) {
		in_line(v.field[i].key, v.field[i].key_len, line, size);
		in_line(v.field[i].raw, v.field[i].raw_len, line, size);
		items_read(&v.field[i]);
	}
	write_again(&v);
	results_read(&v);
}

static void check_ktap(const char *line, size_t size)
{
	struct check c;
	u64 number;
	bool ok;

	if (verdict_ktap_parse(line, size, &ok, &number, &c))
		must(strlen(c.name) < CHECK_NAME && strlen(c.reason) < CHECK_REASON &&
		     c.status <= STATUS_ERROR);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t n = size ? size - 1 : 0;
	char *line = malloc(n ? n : 1);

	must(line != NULL);
	if (n)
		memcpy(line, data + 1, n);
	if (size && data[0] & 1)
		crc_fix(line, n);
	check_line(line, n);
	check_ktap(line, n);
	free(line);
	return 0;
}
