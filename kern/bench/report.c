// SPDX-License-Identifier: MIT
/* The log's two voices, text and records, in one stream: see report.h. */
#include "report.h"

#include "env.h"

/* Bins of a histogram that is shown for its shape only. */
#define REPORT_HIST_FEW 6

static void report_bytes(struct report *r, const char *bytes, size_t n)
{
	r->bytes += n;
	env_write(bytes, n);
}

void report_text(struct report *r, const char *format, ...)
{
	char bytes[2048];
	struct text t = TEXT_ON(bytes);
	va_list args;

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	record_defuse(bytes, t.len);
	report_bytes(r, bytes, t.len);
}

void report_lines(struct report *r, const struct text *t)
{
	record_defuse(t->at, t->len);
	report_bytes(r, t->at, t->len);
}

struct record *report_record(struct report *r, const char *type)
{
	record_start(&r->record, r->seq + 1, type);
	return &r->record;
}

void report_str_cut(struct report *r, const char *key, const char *text, size_t n)
{
	static const char dots[] = "...";
	const struct record before = r->record;
	const size_t whole = n;

	for (;; n = n * 3 / 4) {
		char bytes[RECORD_MAX];
		struct text t = TEXT_ON(bytes);

		r->record = before;
		r->record.t.at = r->record.bytes;
		text_bytes(&t, text, n);
		if (n < whole)
			text_str(&t, dots);
		record_str(&r->record, key, bytes, t.len);
		if (n == 0 || (t.cut == 0 && r->record.t.cut == 0))
			return;
	}
}

void report_send_forced(struct report *r)
{
	size_t n = record_finish(&r->record);

	if (n == 0) {
		r->lost++;
		return;
	}
	r->seq++;
	report_bytes(r, r->record.bytes, n);
	report_bytes(r, "\n", 1);
}

void report_send(struct report *r)
{
	if (r->options->records)
		report_send_forced(r);
}

void report_hist(struct report *r, const struct report_hist_name *name, const struct hist *h,
		 u32 limit)
{
	size_t from = 0;
	bool more = true;

	for (u32 part = 0; more && part < limit; part++) {
		struct record *rec = report_record(r, "hist");

		record_word(rec, "suite", name->suite);
		record_word(rec, "method", name->method);
		record_word(rec, "form", name->form);
		record_word(rec, "work", name->work);
		record_word(rec, "pre", name->pre);
		record_u64(rec, "part", part);
		record_u64(rec, "base", h->m.base);
		record_u64(rec, "below", h->below);
		hist_sums_record(rec, h);
		more = hist_record(rec, h, &from, limit == 1 ? REPORT_HIST_FEW : HIST_BINS);
		record_u64(rec, "more", hist_rest(h, from));
		report_send(r);
	}
}
