// SPDX-License-Identifier: MIT
/* The rank-sum test, by counting for small samples and by the normal distribution for large. */
#include "ranks.h"

#include "stats.h"

/* Of the normal distribution: z = 2.575829 is passed once in RANKS_ODDS times; squared, x 1000. */
#define Z2_MILLI 6635

/*
 * Ranks are doubled, so that the mean rank of ties is whole: of ranks s + 1 .. s + t, 2s + t + 1.
 */
struct ties {
	const u64 *a, *b;
	size_t m, n;
	size_t i, j; /* how many of each are behind us */
	/* the group of equal values last stepped over */
	size_t in_a, in_b;
	u64 rank2;
};

static bool ties_next(struct ties *t)
{
	const size_t before = t->i + t->j;
	u64 value;

	if (before == t->m + t->n)
		return false;
	if (t->j == t->n || (t->i < t->m && t->a[t->i] <= t->b[t->j]))
		value = t->a[t->i];
	else
		value = t->b[t->j];
	for (t->in_a = 0; t->i < t->m && t->a[t->i] == value; t->i++)
		t->in_a++;
	for (t->in_b = 0; t->j < t->n && t->b[t->j] == value; t->j++)
		t->in_b++;
	t->rank2 = 2 * before + t->in_a + t->in_b + 1;
	return true;
}

static u64 rank2_sum(struct ties t)
{
	u64 sum = 0;

	while (ties_next(&t))
		sum += t.rank2 * t.in_a;
	return sum;
}

#define HALF  (RANKS_EXACT / 2)
#define SUM2S (RANKS_EXACT * (RANKS_EXACT + 1) + 1)

/* One more element of that rank: each choice of k - 1 of the former makes one of k. */
static void choices_add(u32 ways[HALF + 1][SUM2S], size_t k, u64 rank2)
{
	for (; k > 0; k--)
		for (size_t s = SUM2S - 1; s >= rank2; s--)
			ways[k][s] += ways[k - 1][s - rank2];
}

/*
 * Of all ways to choose a's ranks, how many give a sum of at least sum2? The choices of the smaller
 * sample are counted: b's sum is what a's leaves of the whole. C(24, 12) = 2,704,156 fits.
 */
static bool exactly_rare(struct ties t, u64 sum2)
{
	const u64 all2 = (t.m + t.n) * (t.m + t.n + 1);
	const bool of_a = t.m <= t.n;
	const size_t k = of_a ? t.m : t.n;
	u32 ways[HALF + 1][SUM2S];
	u64 rare = 0, all = 0;

	for (size_t i = 0; i <= k; i++)
		for (size_t s = 0; s < SUM2S; s++)
			ways[i][s] = 0;
	ways[0][0] = 1;
	while (ties_next(&t))
		for (size_t i = 0; i < t.in_a + t.in_b; i++)
			choices_add(ways, k, t.rank2);
	for (size_t s = 0; s < SUM2S; s++) {
		all += ways[k][s];
		if (of_a ? s >= sum2 : s <= all2 - sum2)
			rare += ways[k][s];
	}
	return rare * RANKS_ODDS <= all;
}

/*
 * The doubled sum has mean m(N + 1) and variance mn/3 ((N + 1) - sum(t^3 - t) / (N(N - 1))) over
 * the groups of t ties, N = m + n; one is taken off for continuity. Multiplied out.
 */
static bool roughly_rare(struct ties t, u64 sum2)
{
	const u128 m = t.m, n = t.n, all = m + n;
	const u128 mean2 = m * (all + 1);
	u128 tied = 0, off;

	if (sum2 <= mean2)
		return false;
	off = sum2 - mean2 - 1;
	while (ties_next(&t)) {
		u128 k = t.in_a + t.in_b;

		tied += k * k * k - k;
	}
	return off * off * 3 * all * (all - 1) * 1000 >=
	       Z2_MILLI * m * n * (all * (all - 1) * (all + 1) - tied);
}

bool ranks_above(u64 *a, size_t m, u64 *b, size_t n)
{
	const struct ties t = {.a = a, .b = b, .m = m, .n = n};
	u64 sum2;

	if (m < RANKS_MIN || n < RANKS_MIN || m > RANKS_MAX || n > RANKS_MAX)
		return false;
	stats_sort(a, m);
	stats_sort(b, n);
	sum2 = rank2_sum(t);
	return m + n <= RANKS_EXACT ? exactly_rare(t, sum2) : roughly_rare(t, sum2);
}
