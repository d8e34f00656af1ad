// SPDX-License-Identifier: MIT
/* Percentiles by their order; histograms by themselves, and what they say of figures. */
#include "recompute_build.h"
#include "u128.h"

/* ---- percentiles */

const struct percentile percentiles[PERCENTILES] = {
	{"p50", 1, 2}, {"p97", 97, 100}, {"p99", 99, 100}, {"p999", 999, 1000}};

void order_check(struct checking *c, const struct subject *s, const char *low_key, u64 low,
		 const char *high_key, u64 high)
{
	if (low > high)
		contradict(c, s, "%s=%llu is above %s=%llu", low_key, (unsigned long long)low,
			   high_key, (unsigned long long)high);
}

void percentiles_order(struct checking *c, const struct subject *s, u64 min, u64 max,
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

/* ---- a histogram by itself */

void subject_hist(struct subject *to, const struct run_hist *h)
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

bool hist_check(struct checking *c, const struct run_hist *h)
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

void percentiles_from_hist(struct checking *c, const struct subject *s, const struct run_hist *h,
			   const struct bound *const *b)
{
	for (size_t i = 0; i < PERCENTILES; i++)
		percentile_check(c, s, h, &percentiles[i], b[i]);
}

/* min and max are in the histogram's record too; its bins say the same where they are exact. */
void ends_from_hist(struct checking *c, const struct subject *s, const struct run_hist *h, u64 min,
		    u64 max)
{
	bool low = h->below == 0 && h->n && h->bin[0].bin < HIST_EXACT;
	bool high = h->more == 0 && h->n && h->bin[h->n - 1].bin < HIST_EXACT;

	equal_u64(c, s, "min", min, h->m.min, "the histogram has",
		  low ? COVER_EXACT : COVER_CONFIRMED);
	equal_u64(c, s, "max", max, h->m.max, "the histogram has",
		  high ? COVER_EXACT : COVER_CONFIRMED);
}
