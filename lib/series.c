// SPDX-License-Identifier: MIT
/* From lines to the figures of a series: see series.h. */
#include "series.h"

#include "u128.h"

void series_start(struct series_acc *a, struct hist *hist, u64 base)
{
	*a = (struct series_acc){.hist = hist};
	hist_init(hist, base);
	moments_init(&a->variance, 0);
	moments_init(&a->minima, base);
}

static void add_variance(struct series_acc *a, const struct line_stats *line)
{
	if (line->var.overflow || line->var_int == ~0ull) {
		a->overflow = true;
		return;
	}
	a->milli_sum += (u128)line->var_int * 1000 + line->var.milli;
	moments_add(&a->variance, line->var_int);
}

/* The smallest j >= 1 from which on every min stays above that of line 0. */
static void add_resolution(struct series_acc *a, u64 min, u64 j)
{
	if (min <= a->first_min)
		a->resolution = 0;
	else if (a->resolution == 0)
		a->resolution = j;
}

void series_add_line(struct series_acc *a, const struct line_stats *line, u64 j)
{
	a->lines++;
	if (line->n == 0)
		return;
	add_variance(a, line);
	if (a->minima.n == 0)
		a->first_min = line->min;
	else if (line->min < a->last_min)
		a->spurious++;
	add_resolution(a, line->min, j);
	a->last_min = line->min;
	moments_add(&a->minima, line->min);
	if (line->max - line->min > a->max_dev)
		a->max_dev = line->max - line->min;
}

size_t series_line(struct series_acc *a, u64 *x, size_t n, u64 j, struct line_stats *line)
{
	n = stats_drop_backwards(x, n, &a->backwards);
	stats_line(x, n, line);
	hist_add(a->hist, x, n);
	series_add_line(a, line, j);
	return n;
}

static struct variance mean_variance(const struct series_acc *a)
{
	struct variance v = {.overflow = a->overflow};
	u64 milli = 0;

	if (a->overflow || a->variance.n == 0)
		return v;
	v.whole = u128_div(u128_div_round(a->milli_sum, a->variance.n), 1000, &milli);
	v.milli = (u32)milli;
	return v;
}

void series_finish(const struct series_acc *a, struct series *s)
{
	const struct hist *h = a->hist;

	s->n = h->m.n;
	s->backwards = a->backwards;
	s->min = h->m.n ? h->m.min : 0;
	s->max = h->m.max;
	s->max_dev = a->max_dev;
	s->spurious = a->spurious;
	s->mean_var = mean_variance(a);
	s->var_var = moments_variance(&a->variance);
	s->var_var.overflow |= a->overflow;
	s->var_min = moments_variance(&a->minima);
	s->p50 = hist_percentile(h, 1, 2);
	s->p97 = hist_percentile(h, 97, 100);
	s->p99 = hist_percentile(h, 99, 100);
	s->p999 = hist_percentile(h, 999, 1000);
	s->resolution = s->grows ? a->resolution : 0;
}
