/* SPDX-License-Identifier: MIT */
/* The log as it is written: text for people, records for machines, in one stream. */
#ifndef REPORT_H
#define REPORT_H

#include "options.h"
#include "record.h"
#include "result.h"
#include "series.h"
#include "verdict.h"

struct report {
	const struct options *options;
	u64 seq;   /* of the last record sent */
	u64 bytes; /* written so far, line ends as '\n' */
	u64 lost;  /* records that did not fit their 1024 bytes: a fault of ours */
	struct record record;
};

/* Text of any length up to 2 KiB a call; the caller gives the '\n'. */
void report_text(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A text built elsewhere. */
void report_lines(struct report *r, const struct text *t);

/* Opens the report's record; fields are then added with record_*() to the returned one. */
struct record *report_record(struct report *r, const char *type);
/*
 * Adds a text of any length as `key`: what does not fit, escaped, is left out, and the field ends
 * in "...".
 */
void report_str_cut(struct report *r, const char *key, const char *text, size_t n);

/* Closes and sends it (not with records=off, save begin and end, which are forced). */
void report_send(struct report *r);
void report_send_forced(struct report *r);

/* Which series a histogram is of. */
struct report_hist_name {
	const char *suite, *method, *form, *work, *pre;
};

/*
 * A histogram as `type=hist` records, at most `limit` of them, each with the exact sums. `more`
 * counts the samples in bins after this record's.
 */
void report_hist(struct report *r, const struct report_hist_name *name, const struct hist *h,
		 u32 limit);

#endif
