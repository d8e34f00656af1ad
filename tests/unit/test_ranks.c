// SPDX-License-Identifier: MIT
/* The rank-sum test against a count of all ways to draw the sample, and against printed tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "ranks.h"

#define SMALL 12

/* Doubled mean rank of value x among all n. */
static u64 rank2_of(const u64 *all, size_t n, u64 x)
{
	u64 rank2 = 1;

	for (size_t i = 0; i < n; i++)
		rank2 += all[i] < x ? 2 : all[i] == x;
	return rank2;
}

/* Every subset of m of the ranks, each as likely. */
static bool counted(const u64 *a, size_t m, const u64 *b, size_t n)
{
	u64 all[SMALL], rank2[SMALL], sum = 0, rare = 0, ways = 0;

	memcpy(all, a, m * sizeof(*a));
	memcpy(all + m, b, n * sizeof(*b));
	for (size_t i = 0; i < m + n; i++)
		rank2[i] = rank2_of(all, m + n, all[i]);
	for (size_t i = 0; i < m; i++)
		sum += rank2[i];
	for (u32 set = 0; set < 1u << (m + n); set++) {
		u64 s = 0;

		if ((size_t)__builtin_popcount(set) != m)
			continue;
		for (size_t i = 0; i < m + n; i++)
			s += set >> i & 1 ? rank2[i] : 0;
		ways++;
		rare += s >= sum;
	}
	return rare * RANKS_ODDS <= ways;
}

static void small_samples(void **state)
{
	size_t yes = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t m = 5 + draw_below(3), n = 5 + draw_below(SMALL - 4 - m);
		u64 spread = 1 + draw_below(12), shift = draw_below(8), a[SMALL], b[SMALL];
		bool want;

		for (size_t i = 0; i < m; i++)
			a[i] = shift + draw_below(spread);
		for (size_t i = 0; i < n; i++)
			b[i] = draw_below(spread);
		want = counted(a, m, b, n);
		yes += want;
		assert_int_equal(ranks_above(a, m, b, n), want);
	}
	assert_in_range(yes, 100, 1900);
}

/* Two samples without ties in which U is exactly that: pairs in which a's value is the lower. */
static void samples_of(u64 u, u64 *a, size_t m, u64 *b, size_t n)
{
	for (size_t j = 0; j < n; j++)
		b[j] = 10 * (j + 1);
	for (size_t i = 0; i < m; i++) {
		u64 below = u < n ? u : n;

		/* `below` of b's values are above it. */
		a[i] = 10 * (n - below) + 1 + i % 9;
		u -= below;
	}
}

static bool above_at(u64 u, size_t m, size_t n)
{
	u64 a[64], b[64];

	samples_of(u, a, m, b, n);
	return ranks_above(a, m, b, n);
}

/* Critical values of U, one-sided, 0.005, as in the printed tables. */
static void printed_tables(void **state)
{
	static const struct {
		size_t m, n;
		u64 u;
	} exact[] = {{5, 5, 0}, {5, 6, 1}, {6, 6, 2},	 {7, 7, 4},   {8, 8, 7},   {9, 9, 11},
		     {5, 8, 2}, {6, 9, 5}, {10, 10, 16}, {5, 19, 12}, {12, 12, 27}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++) {
		assert_true(above_at(exact[i].u, exact[i].m, exact[i].n));
		assert_false(above_at(exact[i].u + 1, exact[i].m, exact[i].n));
		assert_true(above_at(exact[i].u, exact[i].n, exact[i].m));
		assert_false(above_at(exact[i].u + 1, exact[i].n, exact[i].m));
	}
	/* 105 in the tables; the approximation is on the careful side. */
	assert_true(above_at(104, 20, 20));
	assert_false(above_at(106, 20, 20));
	/* 46 and 34 */
	assert_true(above_at(45, 15, 14));
	assert_false(above_at(47, 15, 14));
	assert_true(above_at(33, 13, 13));
	/* U has steps: half of one is taken off, or 34 would do. */
	assert_false(above_at(34, 13, 13));
	assert_false(above_at(35, 13, 13));
}

/* 16 of 20 against 7 of 20: without the ties, whose ranks vary less, it would not be rare enough.
 */
static void many_ties(void **state)
{
	u64 a[20], b[20];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(a); i++) {
		a[i] = i < 16;
		b[i] = i < 7;
	}
	assert_true(ranks_above(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b)));
}

static void too_few_or_too_many(void **state)
{
	static u64 a[RANKS_MAX + 1], b[RANKS_MAX + 1];
	const u64 high = ~0ull;

	(void)state;
	for (size_t i = 0; i <= RANKS_MAX; i++) {
		a[i] = high - i;
		b[i] = i;
	}
	assert_false(ranks_above(a, 4, b, 100));
	assert_false(ranks_above(a, 100, b, 4));
	assert_false(ranks_above(a, 0, b, 0));
	assert_true(ranks_above(a, 5, b, 5));
	assert_true(ranks_above(a, RANKS_MAX, b, RANKS_MAX));
	assert_false(ranks_above(a, RANKS_MAX + 1, b, 5));
	assert_false(ranks_above(b, 5, a, RANKS_MAX + 1));
}

static void equal_is_not_above(void **state)
{
	u64 a[40], b[40];

	(void)state;
	for (size_t n = 5; n <= 40; n++) {
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] = 48;
		assert_false(ranks_above(a, n, b, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_samples),      cmocka_unit_test(printed_tables),
		cmocka_unit_test(many_ties),	      cmocka_unit_test(too_few_or_too_many),
		cmocka_unit_test(equal_is_not_above),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
