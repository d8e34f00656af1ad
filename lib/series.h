/* SPDX-License-Identifier: MIT */
/* From the lines of a series to its figures, a line at a time: memory does not grow with lines. */
#ifndef SERIES_H
#define SERIES_H

#include "hist.h"
#include "record.h"
#include "result.h"
#include "stats.h"

struct series_acc {
	struct hist *hist;	 /* of all samples */
	struct moments variance; /* of the lines' integer variances */
	struct moments minima;
	u128 milli_sum; /* of the lines' variances, in thousandths */
	bool overflow;	/* of a line's variance */
	u64 lines, backwards, spurious, max_dev;
	u64 first_min, last_min, resolution;
};

/* base: hist_base() of the pilot's min. */
void series_start(struct series_acc *a, struct hist *hist, u64 base);

/*
 * One line of n raw samples at loop size j. Backwards samples are taken out of x (and counted);
 * *line gets the line's figures. A line with no sample left counts for nothing but `lines`.
 * Returns how many samples of x stay.
 */
size_t series_line(struct series_acc *a, u64 *x, size_t n, u64 j, struct line_stats *line);

/*
 * A line whose figures are all there is, as read back from a log: what series_line() does, but for
 * the histogram. n = 0: the line counts for nothing but `lines`.
 */
void series_add_line(struct series_acc *a, const struct line_stats *line, u64 j);

/* Fills the figures; names, geometry, first and warm are the caller's. */
void series_finish(const struct series_acc *a, struct series *s);

/* The fields of a `type=series` record, all of struct series. */
void series_record(struct record *r, const struct series *s);

/*
 * The fields of a `type=rows` record: the main figures of n series of one method as columns,
 * parallel comma lists. Look at r->t.cut for whether n were too many.
 */
void series_rows_record(struct record *r, const struct series *s, size_t n);

/*
 * The inverse of series_record(), names apart. NULL, or the key that is missing or holds what it
 * cannot.
 */
const char *series_parse(const struct record_view *v, struct series *s);

/* A name in `of=`: form/workload/preamble, in the record's bytes. */
struct series_name {
	const char *form, *workload, *preamble;
	size_t form_len, workload_len, preamble_len;
};

/*
 * The inverse of series_rows_record(), method and unit apart: *n series, at most cap, and their
 * names. Of a series only what the columns hold is set. NULL, or the key that is wrong.
 */
const char *series_rows_parse(const struct record_view *v, struct series *s,
			      struct series_name *name, size_t cap, size_t *n);

/* One entry of a `type=lines` record: the equal lines from .. to. "3-7:50:61:2.125" */
struct line_entry {
	u64 from, to, min, max;
	struct variance var;
};

void line_entry_fmt(struct text *t, const struct line_entry *e);
bool line_entry_parse(const char *text, size_t n, struct line_entry *e);

/* A `type=hist` record's exact part: n, sum and sumsq of (value - base), min, max. */
void hist_sums_record(struct record *r, const struct hist *h);

/* Its inverse; m->base is the caller's. NULL, or the key that is wrong. */
const char *hist_sums_parse(const struct record_view *v, struct moments *m);

/*
 * A `type=hist` record's fields from bin *from on: as many nonempty bins as fit, at most `most`.
 * Returns false when the last bin is in; else *from is where the next record goes on.
 */
bool hist_record(struct record *r, const struct hist *h, size_t *from, size_t most);

/* One item of its list: "62:17". False if it is none, or not a bin. */
bool hist_bin_parse(const char *text, size_t n, size_t *bin, u64 *count);

/* Samples in bins from `from` on: what a bounded histogram leaves out. */
u64 hist_rest(const struct hist *h, size_t from);

#endif
