// SPDX-License-Identifier: MIT
/* Samples sorted out by XINUSE. */
#include "draw.h"
#include "xgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_none(void **state)
{
	u64 other = 0;

	(void)state;
	assert_int_equal(xgroup_find(NULL, 0, NULL, 0, &other), 0);
	assert_int_equal(xgroup_take(NULL, NULL, 0, 0, NULL), 0);
	assert_int_equal(other, 0);
}

static void test_flips(void **state)
{
	static const u64 xinuse[] = {0x202, 0x202, 0x2, 0x202, 0x246, 0x2};
	static const u64 ticks[] = {10, 11, 12, 13, 14, 15};
	struct xgroup g[4];
	u64 other = 0, out[6];

	(void)state;
	assert_int_equal(xgroup_find(xinuse, 6, g, 4, &other), 3);
	assert_int_equal(other, 0);
	assert_int_equal(g[0].xinuse, 0x2);
	assert_int_equal(g[0].n, 2);
	assert_int_equal(g[0].first, 2);
	assert_int_equal(g[1].xinuse, 0x202);
	assert_int_equal(g[1].n, 3);
	assert_int_equal(g[1].first, 0);
	assert_int_equal(g[2].xinuse, 0x246);
	assert_int_equal(xgroup_take(ticks, xinuse, 6, 0x202, out), 3);
	assert_int_equal(out[0], 10);
	assert_int_equal(out[1], 11);
	assert_int_equal(out[2], 13);
	assert_int_equal(xgroup_take(ticks, xinuse, 6, 0x7, out), 0);
}

/* Beyond the cap the values that come first stay, and the rest is counted. */
static void test_cap(void **state)
{
	static const u64 xinuse[] = {9, 3, 7, 9, 5, 5, 3, 1};
	struct xgroup g[3];
	u64 other = 100;

	(void)state;
	g[2].xinuse = ~0ull;
	assert_int_equal(xgroup_find(xinuse, 8, g, 2, &other), 2);
	assert_int_equal(other, 104);
	assert_int_equal(g[0].xinuse, 3);
	assert_int_equal(g[0].n, 2);
	assert_int_equal(g[1].xinuse, 9);
	assert_int_equal(g[1].n, 2);
	assert_int_equal(g[2].xinuse, ~0ull);
}

/* No sample is lost or counted twice, and each is taken with its own group. */
static void test_partition(void **state)
{
	enum { N = 500 };
	u64 xinuse[N], ticks[N], out[N];
	struct xgroup g[8];

	(void)state;
	for (int round = 0; round < 200; round++) {
		const u64 kinds = 1 + draw_below(12);
		u64 other = 0, sum = 0, taken = 0;
		size_t n;

		for (u64 i = 0; i < N; i++) {
			xinuse[i] = draw_below(kinds) << draw_below(2) * 17;
			ticks[i] = i;
		}
		n = xgroup_find(xinuse, N, g, ARRAY_SIZE(g), &other);
		for (size_t k = 0; k < n; k++) {
			u64 got = xgroup_take(ticks, xinuse, N, g[k].xinuse, out);

			assert_true(k == 0 || g[k - 1].xinuse < g[k].xinuse);
			assert_int_equal(got, g[k].n);
			assert_int_equal(out[0], g[k].first);
			for (u64 i = 0; i < got; i++)
				assert_int_equal(xinuse[out[i]], g[k].xinuse);
			sum += g[k].n;
			taken += got;
		}
		assert_int_equal(sum + other, N);
		assert_int_equal(taken, sum);
		assert_true(other == 0 || n == ARRAY_SIZE(g));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_flips),
		cmocka_unit_test(test_cap),
		cmocka_unit_test(test_partition),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
