// SPDX-License-Identifier: MIT
/* 128-bit division and multiplication against the compiler's own (libgcc's, in a process). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "draw.h"
#include "u128.h"

#define ALL (~(u128)0)

static u128 draw_u128(void)
{
	u64 high = draw_below(3) ? draw_wide() : 0;

	return (u128)high << 64 | draw_wide();
}

static void check_div(u128 n, u64 d)
{
	u64 rem;
	u128 q = u128_div(n, d, &rem);

	assert_true(q == n / d);
	assert_true(rem == (u64)(n % d));
	assert_true(u128_div(n, d, NULL) == n / d);
	/* Half up, said another way: the remainder is at least as large as what is missing. */
	assert_true(u128_div_round(n, d) == n / d + (n % d >= d - n % d ? 1 : 0));
}

static void div_edges(void **state)
{
	const u64 edge[] = {1, 2, 3, 1ull << 32, (1ull << 63) - 1, 1ull << 63, ~0ull - 1, ~0ull};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(edge); i++) {
		check_div(0, edge[i]);
		check_div(ALL, edge[i]);
		check_div(ALL - 1, edge[i]);
		for (size_t k = 0; k < ARRAY_SIZE(edge); k++) {
			check_div(edge[k], edge[i]);
			check_div((u128)edge[k] * edge[i], edge[i]);
			check_div((u128)edge[k] << 64, edge[i]);
			check_div((u128)edge[k] * edge[i] - 1, edge[i]);
		}
	}
}

static void div_round_is_half_up(void **state)
{
	(void)state;
	assert_true(u128_div_round(0, 2) == 0);
	assert_true(u128_div_round(1, 2) == 1);
	assert_true(u128_div_round(3, 2) == 2);
	assert_true(u128_div_round(4, 3) == 1);
	assert_true(u128_div_round(5, 3) == 2);
	assert_true(u128_div_round(ALL, 1) == ALL);
	assert_true(u128_div_round(ALL, 2) == (u128)1 << 127);
}

static void div_random(void **state)
{
	(void)state;
	for (int i = 0; i < 200000; i++) {
		u64 d = draw_wide();

		check_div(draw_u128(), d ? d : 1);
	}
}

static void check_mul(u128 a, u64 b)
{
	u128 product = 7;
	bool fits = b == 0 || a <= ALL / b;

	assert_int_equal(u128_mul(a, b, &product), fits);
	if (fits)
		assert_true(product == a * b);
}

static void mul_edges_and_random(void **state)
{
	(void)state;
	for (u64 b = 1; b < 100; b++) {
		check_mul(ALL / b, b);
		if (b > 1)
			check_mul(ALL / b + 1, b);
		check_mul(ALL / (~0ull - b), ~0ull - b);
		check_mul(ALL / (~0ull - b) + 1, ~0ull - b);
	}
	check_mul(ALL, 0);
	check_mul(0, ~0ull);
	for (int i = 0; i < 200000; i++)
		check_mul(draw_u128(), draw_wide());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(div_edges),
		cmocka_unit_test(div_round_is_half_up),
		cmocka_unit_test(div_random),
		cmocka_unit_test(mul_edges_and_random),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
