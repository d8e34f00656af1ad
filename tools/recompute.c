// SPDX-License-Identifier: MIT
/* Holds the figures of a run against the histograms and lines they came from: see recompute.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "recompute_build.h"
#include "run_build.h"
#include "series.h"
#include "u128.h"

/* Lines gone through in one run: a record may claim any number of them. */
#define LINES_MOST (1u << 26)

/* ---- figures and what is known of them */

static u64 name_hash(const char *stem, const char *key)
{
	char name[FIGURE_NAME];

	snprintf(name, sizeof(name), "%s", stem);
	if (key)
		figure_name_add(name, key);
	return crc64(0, name, strlen(name));
}

static void figure_count(void *ctx, const struct figure *f)
{
	struct recomputed *out = ctx;

	*VECTOR_ADD(out->figure, out->n_figures) =
		(struct covered){crc64(0, f->name, strlen(f->name)), COVER_NONE};
}

static int covered_order(const void *a, const void *b)
{
	u64 x = ((const struct covered *)a)->name, y = ((const struct covered *)b)->name;

	return x == y ? 0 : x < y ? -1 : 1;
}

static struct covered *covered_find(const struct recomputed *out, u64 name)
{
	const struct covered wanted = {.name = name};

	if (out->n_figures == 0)
		return NULL;
	return bsearch(&wanted, out->figure, out->n_figures, sizeof(wanted), covered_order);
}

enum cover recompute_cover(const struct recomputed *out, const char *figure)
{
	const struct covered *f = covered_find(out, crc64(0, figure, strlen(figure)));

	return f ? f->cover : COVER_NONE;
}

void cover(struct checking *c, const struct subject *s, const char *key, enum cover how)
{
	struct covered *f = covered_find(c->out, name_hash(s->stem, key));

	if (f && f->cover < how)
		f->cover = how;
}

void contradict(struct checking *c, const struct subject *s, const char *format, ...)
{
	struct contradiction *x;
	va_list args;
	int n;

	if (c->out->contradictions++ >= CONTRADICTIONS)
		return;
	x = VECTOR_ADD(c->out->at, c->out->n);
	*x = (struct contradiction){.seq = s->seq, .line = s->line};
	n = snprintf(x->words, sizeof(x->words), "record %llu, %s: ", (unsigned long long)s->seq,
		     s->stem);
	va_start(args, format);
	if (n > 0 && (size_t)n < sizeof(x->words))
		vsnprintf(x->words + n, sizeof(x->words) - (size_t)n, format, args);
	va_end(args);
}

void equal_u64(struct checking *c, const struct subject *s, const char *key, u64 printed,
	       u64 computed, const char *from, enum cover how)
{
	if (printed == computed)
		cover(c, s, key, how);
	else
		contradict(c, s, "%s=%llu is printed, but %s %llu", key,
			   (unsigned long long)printed, from, (unsigned long long)computed);
}

static void variance_words(char *to, size_t cap, const struct variance *v)
{
	struct text t = {.at = to, .cap = cap - 1};

	variance_fmt(&t, v);
	to[t.len] = '\0';
}

static bool variance_equal(const struct variance *a, const struct variance *b)
{
	return a->overflow == b->overflow &&
	       (a->overflow || (a->whole == b->whole && a->milli == b->milli));
}

void equal_variance(struct checking *c, const struct subject *s, const char *key,
		    const struct variance *printed, const struct variance *computed,
		    const char *from, enum cover how)
{
	char said[64], want[64];

	if (variance_equal(printed, computed)) {
		cover(c, s, key, how);
		return;
	}
	variance_words(said, sizeof(said), printed);
	variance_words(want, sizeof(want), computed);
	contradict(c, s, "%s=%s is printed, but %s %s", key, said, from, want);
}

static void bound_words(char *to, size_t cap, const struct bound *b)
{
	struct text t = {.at = to, .cap = cap - 1};

	bound_fmt(&t, b);
	to[t.len] = '\0';
}

void equal_bound(struct checking *c, const struct subject *s, const char *key,
		 const struct bound *printed, const struct bound *computed, const char *from,
		 enum cover how)
{
	char said[64], want[64];

	if (printed->lo == computed->lo && printed->hi == computed->hi) {
		cover(c, s, key, how);
		return;
	}
	bound_words(said, sizeof(said), printed);
	bound_words(want, sizeof(want), computed);
	contradict(c, s, "%s=%s is printed, but %s %s", key, said, from, want);
}

void within_u64(struct checking *c, const struct subject *s, const char *key, u64 printed, u64 low,
		u64 high, const char *from)
{
	if (printed >= low && printed <= high)
		cover(c, s, key, COVER_BOUNDED);
	else
		contradict(c, s, "%s=%llu is printed, but by %s it is in %llu..%llu", key,
			   (unsigned long long)printed, from, (unsigned long long)low,
			   (unsigned long long)high);
}

/* ---- a histogram by itself */

static void subject_hist(struct subject *to, const struct run_hist *h)
{
	*to = (struct subject){.seq = h->seq, .line = h->line};
	figure_name(to->stem, "hist", h->suite, h->method, h->form, h->work, h->pre);
}

/* Samples in the bins given and below them; false if they add up to more than there can be. */
static bool hist_given(const struct run_hist *h, u64 *given)
{
	*given = h->below;
	for (size_t i = 0; i < h->n; i++)
		if (__builtin_add_overflow(*given, h->bin[i].count, given))
			return false;
	return *given <= MOMENTS_MAX;
}

/* Every sample's value follows from its bin. */
static bool hist_is_exact(const struct run_hist *h)
{
	return !h->torn && h->below == 0 && h->more == 0 &&
	       (h->n == 0 || h->bin[h->n - 1].bin < HIST_EXACT);
}

/* The values that what `more` counts can have. */
static struct bound hist_rest_range(const struct checking *c, const struct run_hist *h)
{
	size_t next = h->n ? h->bin[h->n - 1].bin + 1 : 0;
	struct bound none = {~0ull, 0};

	if (next >= HIST_BINS)
		return none;
	return (struct bound){hist_bin_range(&c->hist, next).lo, ~0ull};
}

static void hist_min_check(struct checking *c, const struct subject *s, const struct run_hist *h)
{
	struct bound b;

	if (h->below) {
		within_u64(c, s, "min", h->m.min, 0, h->m.base - 1, "what is below the base");
		return;
	}
	b = h->n ? hist_bin_range(&c->hist, h->bin[0].bin) : hist_rest_range(c, h);
	within_u64(c, s, "min", h->m.min, b.lo, b.hi, "the lowest bin");
}

static void hist_max_check(struct checking *c, const struct subject *s, const struct run_hist *h)
{
	struct bound b = {0, h->m.base - 1};

	if (h->more)
		b = hist_rest_range(c, h);
	else if (h->n)
		b = hist_bin_range(&c->hist, h->bin[h->n - 1].bin);
	within_u64(c, s, "max", h->m.max, b.lo, b.hi, "the highest bin");
}

static void sums_differ(struct checking *c, const struct subject *s, const char *key)
{
	contradict(c, s, "%s= is printed wrong: the bins give another sum", key);
}

/* With exact bins there is one sum and one sum of squares. */
static void hist_sums_check(struct checking *c, const struct subject *s, const struct run_hist *h)
{
	struct moments m;

	moments_init(&m, h->m.base);
	for (size_t i = 0; i < h->n; i++)
		moments_add_n(&m, h->m.base + h->bin[i].bin, h->bin[i].count);
	if (m.sum != h->m.sum)
		sums_differ(c, s, "sum");
	if (m.overflow != h->m.overflow || (!m.overflow && m.sumsq != h->m.sumsq))
		sums_differ(c, s, "sumsq");
}

/* Lower and upper limit of the sum of (value - base), from the bins and min and max. */
static void hist_sum_limits(const struct checking *c, const struct run_hist *h, i128 *low,
			    i128 *high)
{
	const i128 base = h->m.base;
	struct bound rest = hist_rest_range(c, h);

	*low = ((i128)h->m.min - base) * h->below;
	*high = -(i128)h->below;
	for (size_t i = 0; i < h->n; i++) {
		struct bound b = hist_bin_range(&c->hist, h->bin[i].bin);
		u64 lo = b.lo > h->m.min ? b.lo : h->m.min;
		u64 hi = b.hi < h->m.max ? b.hi : h->m.max;

		*low += ((i128)lo - base) * h->bin[i].count;
		*high += ((i128)hi - base) * h->bin[i].count;
	}
	*low += ((i128)rest.lo - base) * h->more;
	*high += ((i128)h->m.max - base) * h->more;
}

static void hist_sums_bound(struct checking *c, const struct subject *s, const struct run_hist *h)
{
	i128 low, high;
	u128 size = h->m.sum < 0 ? -(u128)h->m.sum : (u128)h->m.sum;
	u128 squares;

	hist_sum_limits(c, h, &low, &high);
	if (h->m.sum < low || h->m.sum > high)
		contradict(c, s, "sum= is printed, but it does not fit the bins");
	/* Cauchy and Schwarz: no numbers have a square of their sum above n times that of theirs.
	 */
	if (!h->m.overflow && u128_mul(h->m.sumsq, h->m.n, &squares) &&
	    (size >> 64 || (u128)(u64)size * (u64)size > squares))
		contradict(c, s, "sumsq= is printed, but it is too small for sum= and n=");
}

/* Expands it into c->hist; false if nothing more can be said of it. */
static bool hist_check(struct checking *c, const struct run_hist *h)
{
	struct subject s;
	u64 given;

	subject_hist(&s, h);
	if (h->torn)
		return false;
	if (!hist_given(h, &given) || h->more > MOMENTS_MAX || given + h->more != h->m.n) {
		contradict(c, &s, "n=%llu is printed, but bins, below= and more= add up to another",
			   (unsigned long long)h->m.n);
		return false;
	}
	run_hist_expand(h, &c->hist);
	if (h->m.n == 0)
		return true;
	hist_min_check(c, &s, h);
	hist_max_check(c, &s, h);
	if (h->m.min > h->m.max)
		contradict(c, &s, "min= is above max=");
	else if (hist_is_exact(h))
		hist_sums_check(c, &s, h);
	else
		hist_sums_bound(c, &s, h);
	return h->m.min <= h->m.max;
}

/* ---- what a histogram says of the figures made from it */

static const struct percentile {
	const char *key;
	u32 num, den;
} percentiles[] = {{"p50", 1, 2}, {"p97", 97, 100}, {"p99", 99, 100}, {"p999", 999, 1000}};

static void percentile_check(struct checking *c, const struct subject *s, const struct run_hist *h,
			     const struct percentile *p, const struct bound *printed)
{
	u64 rank = stats_rank(h->m.n, p->num, p->den);
	struct bound b;

	/* The last rank is max, whatever the log leaves out. */
	if (rank <= h->m.n - h->more || rank == h->m.n) {
		b = hist_percentile(&c->hist, p->num, p->den);
		equal_bound(c, s, p->key, printed, &b, "the histogram gives", COVER_EXACT);
		return;
	}
	b = hist_rest_range(c, h);
	within_u64(c, s, p->key, printed->lo, b.lo, h->m.max, "the histogram");
	within_u64(c, s, p->key, printed->hi, b.lo, h->m.max, "the histogram");
}

/* min and max are in the histogram's record too; its bins say the same where they are exact. */
static void ends_check(struct checking *c, const struct subject *s, const struct run_hist *h,
		       u64 min, u64 max)
{
	bool low = h->below == 0 && h->n && h->bin[0].bin < HIST_EXACT;
	bool high = h->more == 0 && h->n && h->bin[h->n - 1].bin < HIST_EXACT;

	equal_u64(c, s, "min", min, h->m.min, "the histogram has",
		  low ? COVER_EXACT : COVER_CONFIRMED);
	equal_u64(c, s, "max", max, h->m.max, "the histogram has",
		  high ? COVER_EXACT : COVER_CONFIRMED);
}

/* ---- limits that any samples keep */

static void order_check(struct checking *c, const struct subject *s, const char *low_key, u64 low,
			const char *high_key, u64 high)
{
	if (low > high)
		contradict(c, s, "%s=%llu is above %s=%llu", low_key, (unsigned long long)low,
			   high_key, (unsigned long long)high);
}

static void percentiles_order(struct checking *c, const struct subject *s, u64 min, u64 max,
			      const struct bound *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *key = percentiles[i].key;
		const char *before = i ? percentiles[i - 1].key : "min";

		order_check(c, s, before, i ? b[i - 1]->lo : min, key, b[i]->lo);
		order_check(c, s, before, i ? b[i - 1]->hi : min, key, b[i]->hi);
		order_check(c, s, key, b[i]->hi, "max", max);
		cover(c, s, key, COVER_BOUNDED);
	}
	order_check(c, s, "min", min, "max", max);
	cover(c, s, "min", COVER_BOUNDED);
	cover(c, s, "max", COVER_BOUNDED);
}

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

static const struct run_lines *lines_find(const struct run *r, const struct series *s)
{
	for (size_t i = 0; i < r->n_lines; i++) {
		const struct run_lines *l = &r->lines[i];

		if (!strcmp(l->method, s->method) && !strcmp(l->form, s->form) &&
		    !strcmp(l->work, s->workload) && !strcmp(l->pre, s->preamble))
			return l;
	}
	return NULL;
}

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
	const struct run_lines *l = lines_find(c->r, &rs->s);
	const struct series *x = &rs->s;
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
	ends_check(c, s, h, x->min, x->max);
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		percentile_check(c, s, h, &percentiles[i], b[i]);
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

/* ---- stability */

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

static void stability_check(struct checking *c)
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
	percentiles_order(c, &s, x->min, x->max, b, 4);
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
	ends_check(c, &s, h, x->min, x->max);
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		percentile_check(c, &s, h, &percentiles[i], b[i]);
	outliers_check(c, &s, h, rs);
}

/* ---- ruler, clock, recommendation */

static void ruler_check(struct checking *c, const struct run_record *rec)
{
	const struct run_field *where = run_field(rec, "where");
	struct subject s = {.seq = rec->seq, .line = rec->line};
	struct ruler ruler = {0};
	u64 adds, ratio;

	if (!where || !run_number(rec, "adds", &adds) || adds != RULER_ADDS ||
	    !run_number(rec, "adds_ticks", &ruler.adds_ticks) ||
	    !run_number(rec, "ratio_e4", &ratio))
		return;
	figure_name(s.stem, "ruler", where->value);
	/* The ratio rounds: it leaves a range for what it was made from. */
	if (ruler_ratio(&ruler) == ratio)
		cover(c, &s, "adds", COVER_BOUNDED);
	equal_u64(c, &s, "ratio_e4", ratio, ruler_ratio(&ruler), "adds_ticks= gives", COVER_EXACT);
	cover(c, &s, "ratio", COVER_EXACT);
}

/* The frequency in force is that of the source it names. */
static void clock_check(struct checking *c)
{
	const struct run_record *tsc = run_find(c->r, "tsc", NULL), *clock = NULL;
	const struct run_field *source = run_field(tsc, "source");
	struct subject s;
	u64 khz;

	if (!source)
		return;
	s = (struct subject){.stem = "clock.tsc", .seq = tsc->seq, .line = tsc->line};
	while ((clock = run_find(c->r, "clock", clock)) != NULL) {
		const struct run_field *name = run_field(clock, "source");

		if (name && !strcmp(name->value, source->value) && run_number(clock, "khz", &khz))
			equal_u64(c, &s, "khz", c->r->tsc_khz, khz, "its clock record has",
				  COVER_CONFIRMED);
	}
}

#define METHODS_MAX 32

static bool candidate_of(const struct run *r, const char *method, struct candidate *out)
{
	static const char *const preamble[] = {"none", "tsc", "tsc+work", "tsc+work+lfence"};
	const struct run_series *base = run_series_find(r, method, "mem", "empty", "none");
	const struct run_series *loop = run_series_find(r, method, "mem", "loop", "none");

	if (!base || !base->full)
		return false;
	*out = (struct candidate){
		.id = method,
		.measured = base->s.n > 0,
		.ticks = !strcmp(base->s.unit, "ticks"),
		.var_min = base->s.var_min,
		.resolution = loop ? loop->s.resolution : 0,
		.min = base->s.min,
	};
	for (u32 i = 0; i < ARRAY_SIZE(preamble); i++) {
		const struct run_series *s =
			run_series_find(r, method, "mem", "empty", preamble[i]);

		if (!s)
			return false;
		out->min_pre[out->n_pre++] = s->s.min;
	}
	for (size_t i = 0; i < r->n_series; i++)
		if (!strcmp(r->series[i].s.method, method))
			out->backwards += r->series[i].s.backwards;
	return true;
}

/* The candidates in report order; 0 if there are too many or one is not whole. */
static size_t candidates_take(const struct run *r, struct candidate *c)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_series; i++) {
		const struct series *s = &r->series[i].s;

		if (!r->series[i].full || strcmp(s->form, "mem") || strcmp(s->workload, "empty") ||
		    strcmp(s->preamble, "none"))
			continue;
		if (n == METHODS_MAX || !candidate_of(r, s->method, &c[n++]))
			return 0;
	}
	return n;
}

/*
 * Which methods are symmetric the log tells only of the chosen one, in its reason. That decides
 * nothing but a tie, so the choice must hold with the others called asymmetric.
 */
static void recommend_check(struct checking *c)
{
	const struct run_record *rec = run_find(c->r, "recommend", NULL);
	const struct run_field *reason = run_field(rec, "reason");
	struct candidate cand[METHODS_MAX];
	struct recommendation want;
	struct subject s;
	u64 by_default = 0;
	bool symmetric;
	size_t n;

	if (!rec || !reason || c->r->n_missing)
		return;
	n = candidates_take(c->r, cand);
	if (n == 0)
		return;
	symmetric = strstr(reason->value, "; symmetric") != NULL;
	for (size_t i = 0; i < n; i++)
		cand[i].symmetric = symmetric && !strcmp(cand[i].id, c->r->recommended);
	recommend(cand, n, c->r->step, &want);
	s = (struct subject){.stem = "recommend", .seq = rec->seq, .line = rec->line};
	run_number(rec, "default", &by_default);
	if (by_default != want.is_default)
		contradict(c, &s, "default=%llu is printed, but the figures say otherwise",
			   (unsigned long long)by_default);
	if (strcmp(want.id, c->r->recommended))
		contradict(c, &s, "method=%s is recommended, but the figures recommend %s: %s",
			   c->r->recommended, want.id, want.reason);
	else if (!want.is_default && strcmp(want.reason, reason->value))
		contradict(c, &s, "the reason is \"%s\", but the figures give \"%s\"",
			   reason->value, want.reason);
}

/* ---- what must come together */

static bool has_series(const struct run *r, const char *method, const struct series *like)
{
	return run_series_find(r, method, like->form, like->workload, like->preamble);
}

/* Every method is measured in the same ways. */
static void methods_check(struct checking *c)
{
	const struct run *r = c->r;
	struct subject s;

	if (r->n_missing || !r->n_series)
		return;
	for (size_t i = 0; i < r->n_series && i < METHODS_MAX * METHODS_MAX; i++) {
		const char *first = r->series[0].s.method;
		const struct run_series *x = &r->series[i];

		if (!strcmp(x->s.method, first))
			continue;
		subject_series(&s, x);
		if (!has_series(r, first, &x->s))
			contradict(c, &s, "method %s has no such series", first);
	}
	for (size_t i = 0; i < r->n_series && !strcmp(r->series[i].s.method, r->series[0].s.method);
	     i++) {
		for (size_t k = 0; k < r->n_series && k < METHODS_MAX * METHODS_MAX; k++) {
			if (has_series(r, r->series[k].s.method, &r->series[i].s))
				continue;
			subject_series(&s, &r->series[k]);
			contradict(c, &s, "its method lacks %s/%s/%s, which others have",
				   r->series[i].s.form, r->series[i].s.workload,
				   r->series[i].s.preamble);
			return;
		}
	}
}

/* A histogram without the series it is of. */
static void orphans_check(struct checking *c)
{
	for (size_t i = 0; !c->r->n_missing && i < c->r->n_hists; i++) {
		const struct run_hist *h = &c->r->hist[i];
		struct subject s;

		subject_hist(&s, h);
		if (!strcmp(h->suite, "tsc") &&
		    !run_series_find(c->r, h->method, h->form, h->work, h->pre))
			contradict(c, &s, "there is no series of that name");
		if (!strcmp(h->suite, "stability") &&
		    (!c->r->stability.seq || strcmp(c->r->stability.s.method, h->method)))
			contradict(c, &s, "stability was measured by another method");
	}
}

/* ---- all of it */

void recompute(const struct run *r, struct recomputed *out)
{
	struct checking *c = must(calloc(1, sizeof(*c)));
	const struct run_record *rec = NULL;

	*out = (struct recomputed){0};
	*c = (struct checking){.r = r, .out = out, .lines_left = LINES_MOST};
	run_figures(r, figure_count, out);
	if (out->n_figures)
		qsort(out->figure, out->n_figures, sizeof(*out->figure), covered_order);
	clock_check(c);
	while ((rec = run_find(r, "ruler", rec)) != NULL)
		ruler_check(c, rec);
	for (size_t i = 0; i < r->n_series; i++)
		series_check(c, &r->series[i]);
	methods_check(c);
	orphans_check(c);
	recommend_check(c);
	stability_check(c);
	recompute_gaps(c);
	recompute_xsave(c);
	recompute_lines(c);
	recompute_matrix(c);
	recompute_text(c);
	for (size_t i = 0; i < out->n_figures; i++)
		out->count[out->figure[i].cover]++;
	free(c);
}

void recompute_free(struct recomputed *out)
{
	free(out->figure);
	free(out->at);
	*out = (struct recomputed){0};
}

int recompute_usable(const struct command *c, const char *path, const struct recomputed *out)
{
	const char *name = log_name(path);

	for (size_t i = 0; i < out->n; i++)
		complain(c, "%s:%llu: %s", name, (unsigned long long)out->at[i].line,
			 out->at[i].words);
	if (out->contradictions > out->n)
		complain(c, "%s: and %llu more figure%s that the log contradicts", name,
			 (unsigned long long)(out->contradictions - out->n),
			 plural(out->contradictions - out->n));
	return out->contradictions ? EXIT_UNUSABLE : EXIT_FINE;
}

int run_stands(const struct command *c, const char *path, const struct run *r)
{
	int status = run_usable(c, path, r);
	struct recomputed re;

	recompute(r, &re);
	status = exit_worse(status, recompute_usable(c, path, &re));
	recompute_free(&re);
	return status;
}
