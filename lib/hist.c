// SPDX-License-Identifier: MIT
/* The histogram of a series: where a value's bin is, and what a rank in the bins can tell. */
#include "hist.h"

#include "mem.h"
#include "number.h"

/*
 * Below the least of the samples that the base is chosen by: a core clock that was slow then, or a
 * guest's CPUID, moves all that follow by a hundred ticks and more, and what lies below the base
 * has no bins.
 */
#define HEADROOM   512
#define EXACT_BITS 12 /* HIST_EXACT = 1 << EXACT_BITS */
#define SUB_BITS   6  /* HIST_SUB = 1 << SUB_BITS */

_Static_assert(HIST_EXACT == 1 << EXACT_BITS && HIST_SUB == 1 << SUB_BITS,
	       "bin_of shifts by these");
_Static_assert(HIST_OCTAVES == 64 - EXACT_BITS,
	       "an octave for each bit width above the exact bins");

/* d = value - base, not negative. */
static size_t bin_of(u64 d)
{
	unsigned int top;

	if (d < HIST_EXACT)
		return (size_t)d;
	top = 63 - (unsigned int)__builtin_clzll(d); /* 12 .. 63 */
	return HIST_EXACT + (top - EXACT_BITS) * HIST_SUB + (d >> (top - SUB_BITS)) % HIST_SUB;
}

u64 hist_base(u64 least)
{
	return least < HEADROOM ? 0 : least - HEADROOM;
}

void hist_init(struct hist *h, u64 base)
{
	memset(h, 0, sizeof(*h)); /* an initialiser might be built on the stack: 60 KB */
	moments_init(&h->m, base);
}

void hist_add(struct hist *h, const u64 *x, size_t n)
{
	u64 base = h->m.base, before = h->m.n;

	moments_add_all(&h->m, x, n);
	if (h->m.n == before)
		return; /* refused: the bins must add up to n */
	for (size_t i = 0; i < n; i++) {
		if (x[i] < base)
			h->below++;
		else
			h->bin[bin_of(x[i] - base)]++;
	}
}

void hist_add_n(struct hist *h, u64 value, u64 times)
{
	u64 base = h->m.base, before = h->m.n;

	moments_add_n(&h->m, value, times);
	if (h->m.n == before)
		return;
	if (value < base)
		h->below += times;
	else
		h->bin[bin_of(value - base)] += times;
}

static u64 add_capped(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? ~0ull : sum;
}

struct bound hist_bin_range(const struct hist *h, size_t i)
{
	u64 base = h->m.base, lo, width;
	size_t octave;

	if (i < HIST_EXACT) {
		lo = add_capped(base, i);
		return (struct bound){lo, lo};
	}
	octave = (i - HIST_EXACT) / HIST_SUB;
	width = 1ull << (octave + EXACT_BITS - SUB_BITS);
	lo = (HIST_SUB + (i - HIST_EXACT) % HIST_SUB) * width;
	return (struct bound){add_capped(base, lo), add_capped(base, lo + (width - 1))};
}

/* The bin that holds the value of this rank, 1 .. n; its range, or all below the base. */
static struct bound rank_range(const struct hist *h, u64 rank)
{
	u64 seen = h->below;
	size_t i;

	if (rank <= seen)
		return (struct bound){0, h->m.base - 1};
	for (i = 0; i < HIST_BINS - 1; i++) {
		seen += h->bin[i];
		if (rank <= seen)
			break;
	}
	return hist_bin_range(h, i);
}

struct bound hist_percentile(const struct hist *h, u32 num, u32 den)
{
	const struct moments *m = &h->m;
	u64 rank = stats_rank(m->n, num, den);
	struct bound b;

	if (m->n == 0)
		return (struct bound){0, 0};
	/* Both ends are known exactly, whatever bin they are in. */
	if (rank == 1)
		return (struct bound){m->min, m->min};
	if (rank == m->n)
		return (struct bound){m->max, m->max};
	b = rank_range(h, rank);
	if (b.lo < m->min)
		b.lo = m->min;
	if (b.hi > m->max)
		b.hi = m->max;
	return b;
}

void bound_fmt(struct text *t, const struct bound *b)
{
	if (b->lo == b->hi)
		fmt(t, "%llu", (unsigned long long)b->lo);
	else
		fmt(t, "%llu..%llu", (unsigned long long)b->lo, (unsigned long long)b->hi);
}

bool bound_parse(const char *text, size_t n, struct bound *b)
{
	struct bound x;
	size_t lo = 0;

	while (lo < n && text[lo] != '.')
		lo++;
	if (!number_decimal(text, lo, &x.lo))
		return false;
	x.hi = x.lo;
	if (lo < n && (lo + 1 == n || text[lo + 1] != '.' ||
		       !number_decimal(text + lo + 2, n - lo - 2, &x.hi) || x.lo >= x.hi))
		return false;
	*b = x;
	return true;
}
