// SPDX-License-Identifier: MIT
/* The recommendation on recorded and made series, each rule of it by a pair that only it decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "crc.h"
#include "draw.h"
#include "result.h"

/* id, min by preamble, variance of minima (whole, milli), resolution, symmetric. */
#define CANDIDATE(name, none, tsc, w, m, res, sym)                                                 \
	{                                                                                          \
		.id = name, .measured = true, .ticks = true, .symmetric = sym,                     \
		.min_pre = {none, tsc, tsc, tsc}, .n_pre = 4, .var_min = {.whole = w, .milli = m}, \
		.resolution = res, .min = none,                                                    \
	}

static const struct candidate skipped = {.id = "8"};

static void check(const struct candidate *c, size_t n, u64 step, const char *id, const char *reason)
{
	struct recommendation r;

	memset(&r, 0x55, sizeof(r));
	recommend(c, n, step, &r);
	assert_string_equal(r.id, id);
	assert_false(r.is_default);
	assert_string_equal(r.reason, reason);
}

static void check_default(const struct candidate *c, size_t n, u64 step, const char *reason)
{
	struct recommendation r;

	memset(&r, 0x55, sizeof(r));
	recommend(c, n, step, &r);
	assert_string_equal(r.id, "5");
	assert_true(r.is_default);
	assert_string_equal(r.reason, reason);
}

/* a against b, in both table orders: a wins. */
static void check_beats(struct candidate a, struct candidate b, u64 step)
{
	const struct candidate ab[] = {a, b}, ba[] = {b, a};
	struct recommendation r = {0};

	recommend(ab, 2, step, &r);
	assert_string_equal(r.id, a.id);
	recommend(ba, 2, step, &r);
	assert_string_equal(r.id, a.id);
}

/* Nehalem, interrupts off, steps of 4: 3 and 4 read 28 instead of 32 after a TSC read. */
static void nehalem(void **state)
{
	const struct candidate c[] = {
		CANDIDATE("1c", 44, 44, 2, 0, 7, false), CANDIDATE("1l", 44, 44, 3, 0, 7, false),
		CANDIDATE("2c", 44, 44, 2, 0, 7, false), CANDIDATE("2l", 44, 44, 3, 0, 7, false),
		CANDIDATE("3c", 32, 28, 0, 0, 1, false), CANDIDATE("3l", 32, 28, 0, 0, 1, false),
		CANDIDATE("4", 32, 28, 0, 0, 1, true),	 CANDIDATE("5", 28, 28, 3, 0, 1, true),
		CANDIDATE("6", 44, 44, 3, 0, 1, true),
	};

	(void)state;
	check(c, ARRAY_SIZE(c), 4, "5",
	      "variance of minima (3.000 ticks^2) within one step squared of the lowest (2.000), "
	      "resolution 1, min 28 ticks; symmetric");
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		const char *why = recommend_reject(&c[i], 4);

		if (c[i].id[0] == '3' || c[i].id[0] == '4')
			assert_string_equal(why, "min moves with the preamble");
		else
			assert_null(why);
	}
}

/* A Skylake guest, steps of 2: 3 to 5 read the same, so symmetry and the table decide. */
static void skylake_guest(void **state)
{
	const struct candidate c[] = {
		CANDIDATE("0", 3264, 3264, 150, 250, 9, true),
		CANDIDATE("3l", 38, 38, 0, 10, 1, false),
		CANDIDATE("4", 38, 38, 0, 900, 1, true),
		CANDIDATE("5", 38, 38, 0, 0, 1, true),
		CANDIDATE("6", 48, 48, 0, 0, 1, true),
		skipped,
	};

	(void)state;
	check(c, ARRAY_SIZE(c), 2, "4",
	      "variance of minima (0.900 ticks^2) within one step squared of the lowest (0.000), "
	      "resolution 1, min 38 ticks; symmetric");
	check(c + 3, 3, 2, "5",
	      "lowest variance of minima (0.000 ticks^2), resolution 1, min 38 ticks; symmetric");
}

static void lower_variance_wins(void **state)
{
	const struct candidate low = CANDIDATE("6", 60, 60, 1, 0, 0, false);
	const struct candidate apart = CANDIDATE("5", 20, 20, 5, 0, 1, true);
	const struct candidate near = CANDIDATE("5", 20, 20, 4, 999, 1, true);

	(void)state;
	check_beats(low, apart, 2); /* 4 apart is one step squared: no tie */
	check_beats(near, low, 2);  /* 3.999 apart is: the resolution decides */
	check_beats(low, near, 1);
	check_beats(low, near, 0); /* an unknown step counts as 1 */
}

static void variance_fractions_borrow(void **state)
{
	const struct candidate low = CANDIDATE("6", 60, 60, 0, 501, 2, true);
	const struct candidate under = CANDIDATE("5", 60, 60, 1, 500, 1, true);
	const struct candidate step = CANDIDATE("5", 60, 60, 1, 501, 1, true);

	(void)state;
	check_beats(under, low, 1);
	check_beats(low, step, 1);
}

static void variance_overflow_is_last(void **state)
{
	const struct candidate big = CANDIDATE("6", 60, 60, ~0ull, 0, 0, false);
	struct candidate over = CANDIDATE("5", 20, 20, 0, 0, 1, true);
	struct candidate over4 = CANDIDATE("4", 18, 18, 0, 0, 1, true);

	(void)state;
	over.var_min.overflow = over4.var_min.overflow = true;
	check_beats(big, over, 1000);
	check_beats(over4, over, 2);
	check(&over, 1, 2, "5",
	      "lowest variance of minima (overflow), resolution 1, min 20 ticks; symmetric");
}

static void huge_steps_do_not_wrap(void **state)
{
	struct candidate a = CANDIDATE("6", 60, 60, 0, 0, 2, true);
	struct candidate b = CANDIDATE("5", 60, 60, 0, 0, 1, true);

	(void)state;
	b.var_min.whole = (u128)1 << 100;
	check_beats(b, a, 1ull << 51);
	check_beats(a, b, 1ull << 50);
	check_beats(b, a, ~0ull);
}

/* 0, 3 and 6 at a step of 2: 3 ties with both, 6 does not tie with 0. No order changes that. */
static void ties_are_against_the_lowest(void **state)
{
	const struct candidate set[] = {
		CANDIDATE("1c", 50, 50, 0, 0, 3, true),
		CANDIDATE("2c", 40, 40, 3, 0, 2, true),
		CANDIDATE("5", 30, 30, 6, 0, 1, true),
	};
	static const u8 order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
				       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		const struct candidate c[] = {set[order[i][0]], set[order[i][1]], set[order[i][2]]};

		check(c, 3, 2, "2c",
		      "variance of minima (3.000 ticks^2) within one step squared of the lowest "
		      "(0.000), resolution 2, min 40 ticks; symmetric");
	}
}

static void each_tie_has_a_next_rule(void **state)
{
	const struct candidate res1 = CANDIDATE("a", 40, 40, 0, 0, 1, false);
	const struct candidate res2 = CANDIDATE("b", 30, 30, 0, 0, 2, true);
	const struct candidate res0 = CANDIDATE("c", 20, 20, 0, 0, 0, true);
	const struct candidate min41 = CANDIDATE("d", 41, 41, 0, 0, 1, true);
	const struct candidate even = CANDIDATE("e", 40, 40, 0, 0, 1, true);
	struct candidate twin = even;
	struct candidate pair[2];

	(void)state;
	check_beats(res1, res2, 1);
	check_beats(res2, res0, 1);
	check_beats(res1, min41, 1);
	check_beats(even, res1, 1);
	twin.id = "f";
	pair[0] = even;
	pair[1] = twin;
	check(pair, 2, 1, "e",
	      "lowest variance of minima (0.000 ticks^2), resolution 1, min 40 ticks; symmetric");
	pair[0] = twin;
	pair[1] = even;
	check(pair, 2, 1, "f",
	      "lowest variance of minima (0.000 ticks^2), resolution 1, min 40 ticks; symmetric");
	check(&res0, 1, 1, "c",
	      "lowest variance of minima (0.000 ticks^2), resolution unknown, min 20 ticks; "
	      "symmetric");
}

static void rejects(void **state)
{
	struct candidate c = CANDIDATE("5", 38, 38, 0, 0, 1, true);

	(void)state;
	assert_null(recommend_reject(&c, 2));
	c.min_pre[3] = 40;
	assert_string_equal(recommend_reject(&c, 2), "min moves with the preamble");
	assert_string_equal(recommend_reject(&c, 1), "min moves with the preamble");
	assert_string_equal(recommend_reject(&c, 0), "min moves with the preamble");
	assert_null(recommend_reject(&c, 3)); /* under a step */
	c.n_pre = 3;			      /* the fourth was not measured */
	assert_null(recommend_reject(&c, 2));
	c.n_pre = 0;
	assert_null(recommend_reject(&c, 2));
	c.n_pre = 4;
	c.min_pre[0] = c.min_pre[1] = c.min_pre[2] = c.min_pre[3] = 0;
	assert_null(recommend_reject(&c, 0));
	c.backwards = 1;
	assert_string_equal(recommend_reject(&c, 2), "has samples that run backwards");
	c.ticks = false;
	assert_string_equal(recommend_reject(&c, 2), "unit is not ticks");
	c.measured = false;
	assert_string_equal(recommend_reject(&c, 2), "not measured");
}

static void default_when_none_is_eligible(void **state)
{
	struct candidate c[] = {
		CANDIDATE("3c", 32, 28, 0, 0, 1, false),
		CANDIDATE("4", 32, 28, 0, 0, 1, true),
		CANDIDATE("6", 44, 44, 0, 0, 1, true),
		CANDIDATE("9", 44, 44, 0, 0, 1, true),
		skipped,
	};
	const struct candidate none[] = {skipped, skipped, skipped};

	(void)state;
	c[2].backwards = 3;
	c[3].ticks = false;
	check_default(
		c, ARRAY_SIZE(c), 4,
		"no method is eligible: 1 not measured, 1 unit is not ticks, 1 has samples that "
		"run backwards, 2 min moves with the preamble");
	check_default(none, 3, 0, "no method is eligible: 3 not measured");
	check_default(NULL, 0, 0, "no method was measured");
	/* One that is eligible is no default, whatever it is. */
	c[2].backwards = 0;
	check(c, ARRAY_SIZE(c), 4, "6",
	      "lowest variance of minima (0.000 ticks^2), resolution 1, min 44 ticks; symmetric");
}

static void a_long_reason_is_ended(void **state)
{
	struct candidate c[] = {
		CANDIDATE("5", 60, 60, 0, 0, ~0ull, true),
		CANDIDATE("6", 60, 60, 0, 0, ~0ull - 1, true),
	};
	struct recommendation r = {0};

	(void)state;
	c[0].var_min.whole = (~(u128)0) - 10;
	c[1].var_min.whole = ~(u128)0;
	c[0].min = c[1].min = ~0ull;
	recommend(c, 2, 4, &r);
	assert_string_equal(r.id, "6");
	assert_int_equal(strlen(r.reason), sizeof(r.reason) - 1);
}

/* The winner does not depend on the table's order unless two are equal in all the rule looks at. */
static void random_orders_agree(void **state)
{
	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct candidate c[6], moved[6];
		struct recommendation a = {0}, b = {0};
		size_t n = 1 + draw_below(6);

		for (size_t i = 0; i < n; i++) {
			static const char *const id[] = {"a", "b", "c", "d", "e", "f"};
			u64 min = 20 + 7 * draw_below(3) + 21 * i; /* no two alike */

			c[i] = (struct candidate)CANDIDATE("", min, min + draw_below(3),
							   draw_below(9), (u32)draw_below(1000),
							   draw_below(3), draw_below(2));
			c[i].id = id[i];
			c[i].measured = draw_below(8);
		}
		for (size_t i = 0, shift = draw_below(n); i < n; i++)
			moved[i] = c[(i + shift) % n];
		recommend(c, n, 2, &a);
		recommend(moved, n, 2, &b);
		assert_string_equal(a.id, b.id);
		assert_string_equal(a.reason, b.reason);
		assert_int_equal(a.is_default, b.is_default);
	}
}

/* What the rule chooses and says of made candidates. Another sum is another rule: a new number. */
static void rule_has_its_number(void **state)
{
	u64 x = 1;
	u32 crc = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		static const char *const id[] = {"a", "b", "c"};
		struct candidate c[ARRAY_SIZE(id)];
		struct recommendation r;

		for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			c[i] = (struct candidate)CANDIDATE("", 20 + (x >> 62), 20 + (x >> 60 & 3),
							   x >> 57 & 7, (u32)(x >> 40 & 511),
							   x >> 37 & 3, x >> 36 & 1);
			c[i].id = id[i];
			c[i].measured = (x >> 33 & 7) != 0;
			c[i].ticks = (x >> 30 & 7) != 0;
			c[i].backwards = (x >> 27 & 7) == 0;
		}
		recommend(c, ARRAY_SIZE(id), 1 + (x >> 24 & 1), &r);
		crc = crc32(crc, r.id, strlen(r.id) + 1);
		crc = crc32(crc, r.reason, strlen(r.reason) + 1);
	}
	assert_int_equal(RECOMMEND_RULE, 1);
	assert_int_equal(crc, 0xa8546173);
}

static u64 ratio(u64 ticks)
{
	struct ruler r = {.adds_ticks = ticks};

	return ruler_ratio(&r);
}

static void ruler(void **state)
{
	(void)state;
	assert_int_equal(ratio(83334), 12000);
	assert_int_equal(ratio(100000), 10000);
	assert_int_equal(ratio(111111), 9000);
	assert_int_equal(ratio(0), 0);
	assert_int_equal(ratio(1), 1000000000);
	assert_int_equal(ratio(80000000), 13); /* 12.5 */
	assert_int_equal(ratio(80000001), 12);
	assert_int_equal(ratio(2000000000), 1); /* 0.5 */
	assert_int_equal(ratio(2000000001), 0);
	assert_int_equal(ratio(~0ull), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nehalem),
		cmocka_unit_test(skylake_guest),
		cmocka_unit_test(lower_variance_wins),
		cmocka_unit_test(variance_fractions_borrow),
		cmocka_unit_test(variance_overflow_is_last),
		cmocka_unit_test(huge_steps_do_not_wrap),
		cmocka_unit_test(ties_are_against_the_lowest),
		cmocka_unit_test(each_tie_has_a_next_rule),
		cmocka_unit_test(rejects),
		cmocka_unit_test(default_when_none_is_eligible),
		cmocka_unit_test(a_long_reason_is_ended),
		cmocka_unit_test(random_orders_agree),
		cmocka_unit_test(rule_has_its_number),
		cmocka_unit_test(ruler),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
