// SPDX-License-Identifier: MIT
/* Stability: its figures from its histogram, the list of outliers, and each other. */
#include <string.h>

#include "recompute_build.h"

/* An outlier is above the lowest round by more than the threshold; that lowest only ever falls. */
static void outliers_check(struct checking *c, const struct subject *s, const struct run_hist *h,
			   const struct run_stability *rs)
{
	const struct stability *x = &rs->s;
	u64 limit, most = h->more;

	if (__builtin_add_overflow(x->min, x->threshold, &limit))
		return;
	if (h->below && h->m.base - 1 > limit)
		most += h->below;
	for (size_t i = 0; i < h->n; i++)
		if (hist_bin_range(&c->hist, h->bin[i].bin).hi > limit)
			most += h->bin[i].count;
	within_u64(c, s, "outliers", x->outliers, 0, most, "the histogram");
}

static void kept_check(struct checking *c, const struct subject *s, const struct stability *x)
{
	u64 expected = x->outliers < STABILITY_OUTLIERS ? x->outliers : STABILITY_OUTLIERS;

	if (!run_find(c->r, "outliers", NULL))
		return;
	if (x->kept != expected)
		contradict(c, s, "outliers=%llu is printed, but %u are listed",
			   (unsigned long long)x->outliers, x->kept);
	for (u32 i = 0; i < x->kept; i++)
		if (x->first[i].length < x->min || x->first[i].length > x->max ||
		    x->first[i].length - x->min <= x->threshold)
			contradict(c, s,
				   "an outlier of %llu ticks is listed: not above %llu + %llu "
				   "or above max",
				   (unsigned long long)x->first[i].length,
				   (unsigned long long)x->min, (unsigned long long)x->threshold);
}

static void stolen_check(struct checking *c, const struct subject *s,
			 const struct run_stability *rs)
{
	const struct stability *x = &rs->s;
	u128 least = (u128)x->outliers * ((u128)x->threshold + 1);
	u128 most = (u128)x->outliers * (x->max - x->min);

	if (rs->stolen < least || rs->stolen > most)
		contradict(c, s, "stolen=%llu is printed, but that many outliers take another time",
			   (unsigned long long)rs->stolen);
	else
		cover(c, s, "stolen", x->outliers ? COVER_BOUNDED : COVER_EXACT);
}

void recompute_stability(struct checking *c)
{
	const struct run_stability *rs = &c->r->stability;
	const struct stability *x = &rs->s;
	const struct bound *const b[] = {&x->p50, &x->p97, &x->p99, &x->p999};
	struct subject s = {.seq = rs->seq, .line = rs->line};
	const struct run_hist *h;

	if (!rs->seq || x->n == 0)
		return;
	figure_name(s.stem, "stability", x->method);
	if (*c->r->recommended && strcmp(c->r->recommended, x->method))
		contradict(c, &s, "method=%s is printed, but %s was recommended", x->method,
			   c->r->recommended);
	percentiles_order(c, &s, x->min, x->max, b, PERCENTILES);
	if (x->min > x->max)
		return;
	if (rs->states == 1)
		equal_u64(c, &s, "spread", x->spread, x->max - x->min, "max - min is", COVER_EXACT);
	else
		within_u64(c, &s, "spread", x->spread, 0, x->max - x->min, "min and max");
	stolen_check(c, &s, rs);
	kept_check(c, &s, x);
	order_check(c, &s, "outliers", x->outliers, "n", x->n);
	order_check(c, &s, "n", x->n, "rounds", x->rounds);
	h = run_hist_find(c->r, "stability", x->method, "mem", "loop", "none");
	if (!h)
		return;
	equal_u64(c, &s, "n", x->n, h->m.n, "the histogram has", COVER_EXACT);
	if (!hist_check(c, h) || x->n != h->m.n)
		return;
	ends_from_hist(c, &s, h, x->min, x->max);
	percentiles_from_hist(c, &s, h, b);
	outliers_check(c, &s, h, rs);
}
