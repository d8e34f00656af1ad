// SPDX-License-Identifier: MIT
/* The figures of series: from their lines and histograms, and by the limits that any samples keep.
 */
#include <string.h>

#include "recompute_build.h"
#include "series.h"
#include "u128.h"

/* ---- limits that any samples keep */

/* Is it more than that many thousandths? */
static bool variance_above(const struct variance *v, u128 milli)
{
	u128 scaled;

	if (v->overflow || !u128_mul(v->whole, 1000, &scaled))
		return true;
	return scaled + v->milli > milli;
}

/* Popoviciu: values within a range have at most a quarter of its square as their variance. */
static void variance_range(struct checking *c, const struct subject *s, const char *key,
			   const struct variance *v, u64 range)
{
	u128 most;

	if (v->overflow)
		return;
	if (range >> 58)
		return; /* no limit that 128 bits hold */
	most = ((u128)range * range * 250) + 1;
	if (variance_above(v, most))
		contradict(c, s, "%s= is printed, but values within %llu of each other have less",
			   key, (unsigned long long)range);
	else
		cover(c, s, key, COVER_BOUNDED);
}

/* One line has both ends of max_dev, which alone makes half its square spread over the samples. */
static void variance_least(struct checking *c, const struct subject *s, const struct series *x)
{
	const u128 samples = (u128)x->samples * x->lines;

	u128 least;

	if (x->mean_var.overflow || samples == 0 || samples >> 62 || x->max_dev >> 58)
		return;
	least = u128_div((u128)x->max_dev * x->max_dev * 500, (u64)samples, NULL);
	/* Each line's variance was rounded, and their mean again. */
	if (least > 2 && !variance_above(&x->mean_var, least - 2))
		contradict(c, s, "var= is printed, but a line with maxdev=%llu has more",
			   (unsigned long long)x->max_dev);
}

/* Whatever was timed is a multiple of the TSC's step. */
static void step_check(struct checking *c, const struct subject *s, const struct series *x)
{
	const u64 step = c->r->step;
	const struct {
		const char *key;
		struct bound b;
	} values[] = {{"min", {x->min, x->min}}, {"max", {x->max, x->max}}, {"p50", x->p50},
		      {"p97", x->p97},		 {"p99", x->p99},	    {"p999", x->p999}};

	if (step < 2 || strcmp(x->unit, "ticks"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i].b.lo == values[i].b.hi && values[i].b.lo % step)
			contradict(c, s, "%s=%llu is printed, but the TSC moves by %llu ticks",
				   values[i].key, (unsigned long long)values[i].b.lo,
				   (unsigned long long)step);
}

/*
 * From above: the mean of the lines' variances is not above the variance of all samples, nor that
 * above the mean square about min, in which a rank's samples count with at most its percentile.
 */
static void variance_most(struct checking *c, const struct subject *s, const struct series *x,
			  const struct bound *const *b, size_t n)
{
	u128 squares = 0, part;
	u64 before = 0;

	if (x->backwards || x->mean_var.overflow || x->n == 0 || (x->max - x->min) >> 40)
		return;
	for (size_t i = 0; i <= n; i++) {
		u64 rank = i < n ? stats_rank(x->n, percentiles[i].num, percentiles[i].den) : x->n;
		u64 far = (i < n ? b[i]->hi : x->max) - x->min;

		if (rank < before || !u128_mul((u128)far * far, rank - before, &part) ||
		    __builtin_add_overflow(squares, part, &squares))
			return;
		before = rank;
	}
	if (!u128_mul(squares, 1000, &squares))
		return;
	if (variance_above(&x->mean_var, u128_div(squares, x->n, NULL) + 2))
		contradict(c, s, "var= is printed, but samples with these percentiles have less");
}

/*
 * From below: varmin says how far apart the lines' minima can be, so the line that has max reaches
 * at least from there.
 */
static void variance_reach(struct checking *c, const struct subject *s, const struct series *x,
			   u64 lines, u64 samples)
{
	u64 apart = 0, reach;
	u128 wide;

	if (x->grows || x->var_min.overflow || x->mean_var.overflow || !lines || !samples ||
	    lines >> 24 || samples >> 30 || x->max >> 50 || x->var_min.whole >> 60)
		return;
	/* Two values of n with variance v are at most sqrt(2 n v) apart. */
	wide = 2 * (u128)lines * (x->var_min.whole + 1);
	while ((u128)apart * apart < wide)
		apart += apart / 1024 + 1;
	if (apart >= x->max - x->min)
		return;
	reach = x->max - x->min - apart;
	wide = u128_div((u128)reach * reach * 500, samples * lines, NULL);
	if (wide > 2 && !variance_above(&x->mean_var, wide - 2))
		contradict(c, s, "var= is printed, but the line with max=%llu alone has more",
			   (unsigned long long)x->max);
}

/* Series of a method have the same lines and samples, but for the loop's number of lines. */
static void rows_geometry(struct checking *c, const struct subject *s, const struct series *x)
{
	const struct run_series *base = run_series_find(c->r, x->method, "mem", "empty", "none");
	u64 all = x->n + x->backwards;

	if (!base || !base->full || !base->s.samples)
		return;
	if (x->grows ? all % base->s.samples : all != base->s.lines * base->s.samples) {
		contradict(c, s,
			   "n=%llu and backwards=%llu are printed, but its method has lines "
			   "of %llu samples",
			   (unsigned long long)x->n, (unsigned long long)x->backwards,
			   (unsigned long long)base->s.samples);
		return;
	}
	cover(c, s, "backwards", COVER_CONFIRMED);
	variance_reach(c, s, x, all / base->s.samples, base->s.samples);
}

static void full_series_check(struct checking *c, const struct subject *s, const struct series *x)
{
	u128 all = (u128)x->lines * x->samples;

	if (x->backwards > all || all - x->backwards != x->n)
		contradict(c, s,
			   "n=%llu is printed, but lines=, samples= and backwards= give "
			   "another",
			   (unsigned long long)x->n);
	else
		cover(c, s, "backwards", COVER_CONFIRMED);
	order_check(c, s, "maxdev", x->max_dev, "max - min", x->max - x->min);
	cover(c, s, "maxdev", COVER_BOUNDED);
	variance_range(c, s, "var", &x->mean_var, x->max_dev);
	if (x->max_dev < 1u << 27)
		variance_range(c, s, "varvar", &x->var_var, x->max_dev * x->max_dev / 4 + 1);
	variance_least(c, s, x);
	if (!x->grows) {
		order_check(c, s, "spurious", x->spurious, "lines - 1", x->lines - 1);
		cover(c, s, "spurious", COVER_BOUNDED);
	}
}

static void series_limits(struct checking *c, const struct subject *s, const struct run_series *rs)
{
	const struct series *x = &rs->s;
	const struct bound *const b[] = {&x->p50, &x->p97, &x->p99, &x->p999};

	percentiles_order(c, s, x->min, x->max, b, rs->full ? 4 : 2);
	if (x->min > x->max)
		return;
	variance_range(c, s, "var", &x->mean_var, x->max - x->min);
	if (!x->grows)
		variance_range(c, s, "varmin", &x->var_min, x->max - x->min);
	step_check(c, s, x);
	variance_most(c, s, x, b, rs->full ? 4 : 2);
	if (rs->full)
		full_series_check(c, s, x);
	else
		rows_geometry(c, s, x);
}

/* ---- a series from its lines */

/* A line without a sample left has no figures, but is printed as a line of zeros. */
static bool line_is_void(const struct line_entry *e)
{
	return e->min == 0 && e->max == 0 && e->var.whole == 0 && e->var.milli == 0;
}

static struct line_stats line_stats_of(const struct line_entry *e)
{
	struct line_stats x = {.n = 1, .min = e->min, .max = e->max, .var = e->var};

	x.var_int = e->var.overflow || e->var.whole > ~0ull ? ~0ull : (u64)e->var.whole;
	return x;
}

/* False: not all lines are known, or too many to go through. */
static bool lines_add(struct checking *c, const struct run_lines *l, const struct series *s,
		      struct series_acc *a, struct bound *range)
{
	u64 all = l->n ? l->at[l->n - 1].to + 1 : 0;

	if (l->torn || all == 0 || all > c->lines_left)
		return false;
	c->lines_left -= all;
	*range = (struct bound){~0ull, 0};
	for (size_t i = 0; i < l->n; i++) {
		const struct line_entry *e = &l->at[i];
		const struct line_stats x = line_stats_of(e);

		if (s->backwards && line_is_void(e))
			return false;
		for (u64 j = e->from; j <= e->to; j++)
			series_add_line(a, &x, j);
		range->lo = e->min < range->lo ? e->min : range->lo;
		range->hi = e->max > range->hi ? e->max : range->hi;
	}
	return true;
}

static void series_from_lines(struct checking *c, const struct subject *s,
			      const struct run_series *rs)
{
	static const char from[] = "the lines give";
	const struct series *x = &rs->s;
	const struct run_lines *l =
		run_lines_find(c->r, x->method, x->form, x->workload, x->preamble);
	struct series y = {.grows = x->grows};
	struct series_acc a;
	struct bound range;

	if (!l)
		return;
	series_start(&a, &c->hist, 0);
	if (!lines_add(c, l, x, &a, &range))
		return;
	series_finish(&a, &y);
	if (rs->full)
		equal_u64(c, s, "lines", x->lines, a.lines, from, COVER_EXACT);
	equal_u64(c, s, "min", x->min, range.lo, from, COVER_EXACT);
	equal_u64(c, s, "max", x->max, range.hi, from, COVER_EXACT);
	equal_variance(c, s, "var", &x->mean_var, &y.mean_var, from, COVER_EXACT);
	if (x->grows)
		equal_u64(c, s, "resolution", x->resolution, y.resolution, from, COVER_EXACT);
	else
		equal_variance(c, s, "varmin", &x->var_min, &y.var_min, from, COVER_EXACT);
	if (!rs->full)
		return;
	equal_u64(c, s, "maxdev", x->max_dev, y.max_dev, from, COVER_EXACT);
	equal_variance(c, s, "varvar", &x->var_var, &y.var_var, from, COVER_EXACT);
	if (!x->grows)
		equal_u64(c, s, "spurious", x->spurious, y.spurious, from, COVER_EXACT);
}

/* ---- a series from its histogram */

/* The variance of all samples is that within the lines plus that of the lines' means. */
static void variance_total(struct checking *c, const struct subject *s, const struct series *x,
			   const struct run_hist *h)
{
	struct variance total = moments_variance(&h->m);
	u128 milli;

	if (x->backwards || total.overflow || !u128_mul(total.whole, 1000, &milli))
		return;
	if (variance_above(&x->mean_var, milli + total.milli + 1))
		contradict(c, s, "var= is printed, but all samples together have less");
	else
		cover(c, s, "var", COVER_BOUNDED);
}

static void series_from_hist(struct checking *c, const struct subject *s, const struct series *x,
			     const struct run_hist *h)
{
	const struct bound *const b[] = {&x->p50, &x->p97, &x->p99, &x->p999};

	equal_u64(c, s, "n", x->n, h->m.n, "the histogram has", COVER_EXACT);
	if (!hist_check(c, h) || x->n != h->m.n || x->n == 0)
		return;
	ends_from_hist(c, s, h, x->min, x->max);
	percentiles_from_hist(c, s, h, b);
	variance_total(c, s, x, h);
}

void subject_series(struct subject *to, const struct run_series *s)
{
	*to = (struct subject){.seq = s->seq, .line = s->line};
	figure_stem_series(to->stem, &s->s);
}

static void series_check(struct checking *c, const struct run_series *rs)
{
	const struct series *x = &rs->s;
	const struct run_hist *h = NULL;
	struct subject s;

	if (x->n == 0)
		return;
	subject_series(&s, rs);
	series_limits(c, &s, rs);
	series_from_lines(c, &s, rs);
	if (rs->full)
		h = run_hist_find(c->r, "tsc", x->method, x->form, x->workload, x->preamble);
	if (h)
		series_from_hist(c, &s, x, h);
}

void recompute_series(struct checking *c)
{
	for (size_t i = 0; i < c->r->n_series; i++)
		series_check(c, &c->r->series[i]);
}
