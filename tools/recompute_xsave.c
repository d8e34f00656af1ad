// SPDX-License-Identifier: MIT
/* XSAVE rows from their trace lines, and what any row must keep: see recompute.h. */
#include <stdlib.h>
#include <string.h>

#include "recompute_build.h"

/* A table of this many rows may have lost some: the kernel keeps no more. */
#define XTABLE_ROWS 4096

void subject_xcell(struct subject *to, const struct run_xcell *x)
{
	*to = (struct subject){.seq = x->seq, .line = x->line};
	figure_stem_xcell(to->stem, &x->cell);
}

/* min <= p50 <= p99 <= max, and the mean of the lowest 97% is not above that of all. */
static void row_order(struct checking *c, const struct subject *s, const struct latency *l)
{
	const struct {
		const char *key;
		u64 value, low, high;
	} rules[] = {
		{"p50", l->p50, l->min, l->p99},
		{"p99", l->p99, l->p50, l->max},
		{"avg", l->avg, l->avg97, l->max},
		{"avg97", l->avg97, l->min, l->avg},
		{"min", l->min, 0, l->avg97 < l->p50 ? l->avg97 : l->p50},
		{"max", l->max, l->avg > l->p99 ? l->avg : l->p99, ~0ull},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		within_u64(c, s, rules[i].key, rules[i].value, rules[i].low, rules[i].high,
			   "the row's other figures");
}

static void row_check(struct checking *c, const struct run_xcell *x)
{
	const struct latency *l = &x->cell.lat;
	struct subject s;

	subject_xcell(&s, x);
	equal_u64(c, &s, "kept", l->kept, stats_kept97(l->n), "97% of n= are", COVER_EXACT);
	row_order(c, &s, l);
	if (x->cell.clamped > l->n)
		contradict(c, &s, "clamped=%llu of n=%llu", (unsigned long long)x->cell.clamped,
			   (unsigned long long)l->n);
	if (x->cell.clamped && l->min)
		contradict(c, &s, "min=%llu is printed, but samples were clamped to 0",
			   (unsigned long long)l->min);
}

/* ---- samples */

static int sample_order(const void *a, const void *b)
{
	const struct run_sample *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->rfbm != y->rfbm)
		return x->rfbm < y->rfbm ? -1 : 1;
	return x->xinuse == y->xinuse ? 0 : x->xinuse < y->xinuse ? -1 : 1;
}

/* The first sample not below the key. */
static size_t sample_lower(const struct run_sample *at, size_t n, const struct run_sample *key)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sample_order(&at[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The samples of this row, x[0..n). */
static size_t row_samples(const struct run *r, const struct run_sample *sorted,
			  const struct run_xcell *cell, u64 *x)
{
	struct run_sample key = {.rfbm = cell->cell.rfbm, .xinuse = cell->cell.xinuse};
	size_t n = 0;

	while (key.event < r->n_events && strcmp(r->events[key.event], cell->cell.event))
		key.event++;
	if (key.event == r->n_events)
		return 0;
	for (size_t i = sample_lower(sorted, r->n_samples, &key);
	     i < r->n_samples && sample_order(&sorted[i], &key) == 0; i++)
		x[n++] = sorted[i].latency;
	return n;
}

/* Fewer than n were traced as asked, or trace lines were lost: then each lies within the row. */
static void row_part(struct checking *c, const struct subject *s, const struct latency *l,
		     const u64 *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] < l->min || x[i] > l->max) {
			contradict(c, s, "a trace line has %llu ticks: not in min..max",
				   (unsigned long long)x[i]);
			return;
		}
}

static void row_from_samples(struct checking *c, const struct subject *s, const struct latency *l,
			     u64 *x, size_t n)
{
	static const char from[] = "the trace lines give";
	struct latency y;

	stats_latency(x, n, &y);
	equal_u64(c, s, "min", l->min, y.min, from, COVER_EXACT);
	equal_u64(c, s, "max", l->max, y.max, from, COVER_EXACT);
	equal_u64(c, s, "avg", l->avg, y.avg, from, COVER_EXACT);
	equal_u64(c, s, "avg97", l->avg97, y.avg97, from, COVER_EXACT);
	equal_u64(c, s, "p50", l->p50, y.p50, from, COVER_EXACT);
	equal_u64(c, s, "p99", l->p99, y.p99, from, COVER_EXACT);
}

static void rows_from_samples(struct checking *c)
{
	const struct run *r = c->r;
	struct run_sample *sorted = must(malloc(r->n_samples * sizeof(*sorted)));
	u64 *x = must(malloc(r->n_samples * sizeof(*x)));

	memcpy(sorted, r->sample, r->n_samples * sizeof(*sorted));
	qsort(sorted, r->n_samples, sizeof(*sorted), sample_order);
	for (size_t i = 0; i < r->n_xcells; i++) {
		const struct latency *l = &r->xcell[i].cell.lat;
		size_t n = row_samples(r, sorted, &r->xcell[i], x);
		struct subject s;

		subject_xcell(&s, &r->xcell[i]);
		if (n && n == l->n)
			row_from_samples(c, &s, l, x, n);
		else
			row_part(c, &s, l, x, n);
	}
	free(sorted);
	free(x);
}

/* As many rows as the sweep says, if all its records are here. */
static void sweep_check(struct checking *c)
{
	const struct run_record *rec = run_find(c->r, "xsweep", NULL);
	struct subject s;
	u64 rows;

	if (!run_number(rec, "rows", &rows) || c->r->state != RUN_COMPLETE)
		return;
	s = (struct subject){.stem = "xsweep", .seq = rec->seq, .line = rec->line};
	within_u64(c, &s, "rows", rows, 0, c->r->n_xcells, "the rows in the log");
	if (rows < c->r->n_xcells && rows < XTABLE_ROWS)
		contradict(c, &s, "rows=%llu is printed, but the log has %zu row%s",
			   (unsigned long long)rows, c->r->n_xcells, plural(c->r->n_xcells));
}

/* Samples of a block: those in rows, and those that are in none. Rows of a block come together. */
static u64 block_samples(const struct run *r, size_t *i)
{
	const struct run_xcell *first = &r->xcell[*i];
	u64 n = first->other + first->backwards;

	for (; *i < r->n_xcells; ++*i) {
		const struct run_xcell *x = &r->xcell[*i];

		if (strcmp(x->cell.event, first->cell.event) || x->cell.rfbm != first->cell.rfbm)
			break;
		n += x->cell.lat.n;
	}
	return n;
}

/* Each cell of a block gave as many samples as asked, and XINUSE was read before each save. */
static void samples_check(struct checking *c)
{
	const struct run *r = c->r;
	const struct run_record *rec = run_find(r, "xsweep", NULL);
	struct subject s;
	u64 samples, reads, saves = 0;

	if (!run_number(rec, "samples", &samples) || !run_number(rec, "reads", &reads) ||
	    !samples || r->n_missing)
		return;
	for (size_t i = 0; i < r->n_xcells;) {
		const struct run_xcell *first = &r->xcell[i];
		u64 n = block_samples(r, &i);

		subject_xcell(&s, first);
		if (n % samples)
			contradict(c, &s, "%llu samples in its block: not whole cells of %llu",
				   (unsigned long long)n, (unsigned long long)samples);
		saves += strcmp(first->source, "image") ? n : 0;
	}
	s = (struct subject){.stem = "xsweep", .seq = rec->seq, .line = rec->line};
	within_u64(c, &s, "reads", reads, saves, ~0ull, "the rows of saves");
}

void recompute_xsave(struct checking *c)
{
	for (size_t i = 0; i < c->r->n_xcells; i++)
		row_check(c, &c->r->xcell[i]);
	if (c->r->n_samples)
		rows_from_samples(c);
	sweep_check(c);
	samples_check(c);
}
