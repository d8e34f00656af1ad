// SPDX-License-Identifier: MIT
/* What is made of gaps: thresholds, decades, causes, and what a count says of the rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "gaps.h"

static char printed[2048];

static struct text print_start(void)
{
	return (struct text){.at = printed, .cap = sizeof(printed) - 1};
}

static void print_is(const struct text *t, const char *wanted)
{
	assert_int_equal(t->cut, 0);
	printed[t->len] = '\0';
	assert_string_equal(printed, wanted);
}

static struct gap_threshold threshold(u64 inner, u64 outer, u64 given)
{
	u64 x[101], y[101];
	struct gap_threshold t;

	for (u64 i = 0; i < 101; i++) {
		x[i] = inner;
		y[i] = outer;
	}
	gap_threshold(x, 101, y, 101, given, &t);
	return t;
}

static void thresholds(void **unused)
{
	struct gap_threshold t = threshold(5, 31, OPTION_UNSET);

	(void)unused;
	assert_int_equal(t.inner, 5);
	assert_int_equal(t.outer, 31);
	assert_int_equal(t.mad, 0);
	assert_int_equal(t.ticks, 288); /* eight turns */
	assert_int_equal(threshold(2, 10, OPTION_UNSET).ticks, GAP_FLOOR);
	assert_int_equal(threshold(2, 10, 4).ticks, 4);
	assert_int_equal(threshold(5000, 31, 1000000000).ticks, 1000000000);
}

static void deviation_raises_the_threshold(void **unused)
{
	u64 x[5] = {100, 300, 200, 400, 0}, y[3] = {50, 50, 50};
	struct gap_threshold t;

	(void)unused;
	gap_threshold(x, 5, y, 3, OPTION_UNSET, &t);
	assert_int_equal(t.inner, 200);
	assert_int_equal(t.mad, 100);
	assert_int_equal(t.ticks, 2000); /* eight turns of 250 still are more than 16 * 100 */
	y[0] = 1;
	y[1] = 501;
	y[2] = 1001;
	x[0] = x[1] = x[2] = x[3] = x[4] = 7;
	gap_threshold(x, 5, y, 3, OPTION_UNSET, &t);
	assert_int_equal(t.mad, 500);
	assert_int_equal(t.ticks, 8000);
	gap_threshold(x, 0, y, 0, OPTION_UNSET, &t);
	assert_int_equal(t.ticks, GAP_FLOOR);
}

static void decades(void **unused)
{
	static struct gap_decades d;
	static const u64 length[] = {1, 9, 10, 99, 100, 12345, 99999, ~0ull};
	struct text t = print_start();

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(length); i++)
		gap_decades_add(&d, length[i]);
	assert_int_equal(d.n[0], 2);
	assert_int_equal(d.n[1], 2);
	assert_int_equal(d.n[2], 1);
	assert_int_equal(d.n[3], 0);
	assert_int_equal(d.n[4], 2);
	assert_int_equal(d.n[19], 1);
	assert_int_equal(d.ticks[4], 112344);
	d.n[19] = 0;
	gap_decades_fmt(&t, &d, 2000000000);
	print_is(&t, "  from 1 ticks (1 ns): 2, together 10 ticks\n"
		     "  from 10 ticks (5 ns): 2, together 109 ticks\n"
		     "  from 100 ticks (50 ns): 1, together 100 ticks\n"
		     "  from 10000 ticks (5 us): 2, together 112344 ticks\n");
	t = print_start();
	memset(&d, 0, sizeof(d));
	gap_decades_add(&d, 1000);
	gap_decades_fmt(&t, &d, 0);
	print_is(&t, "  from 1000 ticks: 1, together 1000 ticks\n");
}

struct judged {
	struct gap_evidence e;
	enum gap_cause each;
	bool contradicts;
	u64 n[GAP_CAUSES]; /* smi nmi mce stall unknown preempted */
};

#define NO_STEAL false, 0, 0

static const struct judged judged[] = {
	/* gaps smi nmi mce counted alone */
	{{0, 0, 0, 0, true, true, NO_STEAL}, GAP_UNKNOWN, false, {0}},
	{{3, 3, 0, 0, true, true, NO_STEAL}, GAP_SMI, false, {3, 0, 0, 0, 0}},
	{{1, 0, 1, 0, true, true, NO_STEAL}, GAP_NMI, false, {0, 1, 0, 0, 0}},
	{{1, 0, 0, 1, false, true, NO_STEAL}, GAP_MCE, false, {0, 0, 1, 0, 0}},
	/* nothing was counted: who could have been uncounted? */
	{{2, 0, 0, 0, true, true, NO_STEAL}, GAP_UNKNOWN, false, {0, 0, 0, 0, 2}},
	{{2, 0, 0, 0, false, true, NO_STEAL}, GAP_STALL, false, {0, 0, 0, 2, 0}},
	{{2, 0, 0, 0, true, false, NO_STEAL}, GAP_STALL, false, {0, 0, 0, 2, 0}},
	/* counts that do not explain each other */
	{{3, 5, 0, 0, true, true, NO_STEAL}, GAP_UNKNOWN, true, {0, 0, 0, 0, 3}},
	{{5, 3, 0, 0, true, true, NO_STEAL}, GAP_UNKNOWN, true, {0, 0, 0, 0, 5}},
	{{0, 0, 1, 0, true, true, NO_STEAL}, GAP_UNKNOWN, true, {0}},
	{{1, 2, 0, 0, true, true, NO_STEAL}, GAP_SMI, true, {1, 0, 0, 0, 0}},
	{{1, 1, 1, 0, true, true, NO_STEAL}, GAP_UNKNOWN, true, {0, 0, 0, 0, 1}},
	/* several kinds, as many as there are gaps: counted, but not told apart */
	{{3, 2, 1, 0, true, true, NO_STEAL}, GAP_UNKNOWN, false, {2, 1, 0, 0, 0}},
	/* where a host takes time, more gaps than counted are no contradiction */
	{{5, 2, 1, 0, false, false, NO_STEAL}, GAP_UNKNOWN, false, {2, 1, 0, 2, 0}},
	{{2, 3, 0, 0, false, false, NO_STEAL}, GAP_UNKNOWN, true, {0, 0, 0, 0, 2}},
	/* the host's count: in step within a quarter, either way */
	{{2, 0, 0, 0, false, false, true, 750, 1000}, GAP_PREEMPTED, false, {[GAP_PREEMPTED] = 2}},
	{{1, 0, 0, 0, true, false, true, 1250, 1000}, GAP_PREEMPTED, false, {[GAP_PREEMPTED] = 1}},
	{{2, 0, 0, 0, false, false, true, 749, 1000}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{2, 0, 0, 0, false, false, true, 1251, 1000}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{2, 0, 0, 0, false, false, true, ~0ull, 1000}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{2, 0, 0, 0, false, false, true, 0, 1000}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{2, 0, 0, 0, false, false, true, 0, 0}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{0, 0, 0, 0, false, false, true, 900, 1000}, GAP_STALL, false, {0}},
	/* not counted, or what was counted of our own is in it */
	{{2, 0, 0, 0, false, false, false, 1000, 1000}, GAP_STALL, false, {[GAP_STALL] = 2}},
	{{1, 0, 1, 0, false, false, true, 1000, 1000}, GAP_NMI, false, {[GAP_NMI] = 1}},
};

static void causes(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++) {
		const struct judged *j = &judged[i];
		struct gap_verdict v;
		u64 sum = 0;

		gap_judge(&j->e, &v);
		if (v.each != j->each || v.contradicts != j->contradicts)
			fail_msg("case %zu: %s, contradicts %d", i, gap_cause_name[v.each],
				 v.contradicts);
		for (u32 c = 0; c < GAP_CAUSES; c++) {
			if (v.n[c] != j->n[c])
				fail_msg("case %zu: %s %llu", i, gap_cause_name[c],
					 (unsigned long long)v.n[c]);
			sum += v.n[c];
		}
		assert_int_equal(sum, j->e.gaps);
	}
}

static void causes_always_add_up(void **unused)
{
	(void)unused;
	for (int round = 0; round < 100000; round++) {
		struct gap_evidence e = {draw_below(6),	     draw_below(4),	 draw_below(3),
					 draw_below(3),	     draw_below(2) == 1, draw_below(2) == 1,
					 draw_below(2) == 1, draw_below(8),	 draw_below(8)};
		struct gap_verdict v;
		u64 sum = 0;

		gap_judge(&e, &v);
		for (u32 c = 0; c < GAP_CAUSES; c++)
			sum += v.n[c];
		assert_int_equal(sum, e.gaps);
	}
}

/* P(at most n) when `mean` is expected; e^-x by the series of e^x, which has no cancellation. */
static long double poisson_at_most(u64 n, long double mean)
{
	long double power = 1, e = 1, term = 1, sum = 1;

	for (u64 i = 1; i <= 4 * (u64)mean + 200; i++) {
		power *= mean / (long double)i;
		e += power;
	}
	for (u64 i = 1; i <= n; i++) {
		term *= mean / (long double)i;
		sum += term;
	}
	return sum / e;
}

/* Each bound leaves at most 2.5% beyond it, and a thousandth inwards would leave more. */
static void few_have_exact_bounds(void **unused)
{
	(void)unused;
	for (u64 n = 1; n <= COUNT_EXACT; n++) {
		struct count_bounds b;

		count_bounds(n, &b);
		assert_true(poisson_at_most(n, b.hi / 1000.0L) <= 0.025L);
		assert_true(poisson_at_most(n, (b.hi - 1) / 1000.0L) > 0.025L);
		assert_true(1 - poisson_at_most(n - 1, b.lo / 1000.0L) <= 0.025L);
		assert_true(1 - poisson_at_most(n - 1, (b.lo + 1) / 1000.0L) > 0.025L);
	}
}

/* None: the rule of three. e^-3 is 4.98%. */
static void none_has_the_rule_of_three(void **unused)
{
	struct count_bounds b;

	(void)unused;
	count_bounds(0, &b);
	assert_int_equal(b.lo, 0);
	assert_int_equal(b.hi, 3000);
	assert_true(poisson_at_most(0, 3) < 0.05L && poisson_at_most(0, 2.99L) > 0.05L);
}

static void many_have_bounds_at_least_as_wide(void **unused)
{
	struct count_bounds b, before;

	(void)unused;
	count_bounds(COUNT_EXACT, &before);
	for (u64 n = COUNT_EXACT + 1; n < 2000; n += 1 + n / 16) {
		count_bounds(n, &b);
		assert_true(poisson_at_most(n, b.hi / 1000.0L) <= 0.025L);
		assert_true(1 - poisson_at_most(n - 1, b.lo / 1000.0L) <= 0.025L);
		assert_true(poisson_at_most(n, b.hi / 1000.0L) > 0.001L);
		assert_true(b.lo + 2000 > before.lo && b.hi > before.hi);
		before = b;
	}
	count_bounds(1000000, &b);
	assert_int_equal(b.lo, 998000000);
	assert_int_equal(b.hi, 1002003000);
	count_bounds(~0ull, &b);
	assert_true(b.hi == ~0ull);
}

static void rate_is(u64 n, u64 in, u64 tps, const char *wanted)
{
	struct text t = print_start();

	rate_fmt(&t, n, "SMI", in, tps);
	print_is(&t, wanted);
}

static void rates_in_words(void **unused)
{
	const u64 s = 2000000000;

	(void)unused;
	rate_is(0, 60 * s, s, "0 SMI in 60 s: below 3 a minute (95%)");
	rate_is(0, 5 * s, s, "0 SMI in 5 s: below 36 a minute (95%)");
	rate_is(0, 3600 * s, s, "0 SMI in 3600 s: below 3 an hour (95%)");
	rate_is(0, 86400 * s, s, "0 SMI in 86400 s: below 3 a day (95%)");
	rate_is(0, s / 10, s, "0 SMI in 100 ms: below 30 a second (95%)");
	/* 180 / 59.9 is 3.005: rounded up */
	rate_is(0, 59 * s + s / 10 * 9, s, "0 SMI in 59 s: below 4 a minute (95%)");
	/* as is 4.0005, of which a thousandth shows nothing */
	rate_is(0, s / 10000 * 7499, s, "0 SMI in 749.9 ms: below 5 a second (95%)");
	rate_is(3, 60 * s, s, "3 SMI in 60 s: 3.0 a minute (95%: 0.6 to 8.8)");
	rate_is(1, 86400 * s, s, "1 SMI in 86400 s: 1.0 a day (95%: 0.0 to 5.6)");
	/* The nearest tenth; a bound is rounded outwards. */
	rate_is(5, s + 72, s, "5 SMI in 1 s: 5.0 a second (95%: 1.6 to 11.7)");
	rate_is(5, s / 100 * 99, s, "5 SMI in 990 ms: 5.1 a second (95%: 1.6 to 11.8)");
	rate_is(5000, 5 * s, s, "5000 SMI in 5 s: 1000.0 a second (95%: 971.6 to 1029.0)");
	rate_is(0, 60000000000, 0, "0 SMI in 60000000000 ticks: below 3 in as many (95%)");
	rate_is(3, 60000000000, 0, "3 SMI in 60000000000 ticks (95%: 0.6 to 8.8 in as many)");
	rate_is(0, 0, s, "0 SMI in 0 ns");
	rate_is(0, 0, 0, "0 SMI in 0 ticks");
}

static void duration_is(u64 ticks, u64 tps, const char *wanted)
{
	struct text t = print_start();

	duration_fmt(&t, ticks, tps);
	print_is(&t, wanted);
}

static void durations(void **unused)
{
	(void)unused;
	duration_is(0, 1000000000, "0 ns");
	duration_is(999, 1000000000, "999 ns");
	duration_is(1000, 1000000000, "1 us");
	duration_is(61720, 1000000000, "61.7 us");
	duration_is(61750, 1000000000, "61.8 us");
	duration_is(999949, 1000000000, "999.9 us");
	duration_is(999950, 1000000000, "1 ms");
	duration_is(12000000, 1000000000, "12 ms");
	duration_is(999949999, 1000000000, "999.9 ms");
	duration_is(999950000, 1000000000, "0.999 s");
	duration_is(1234567890, 1000000000, "1.234 s");
	duration_is(1009999999, 1000000000, "1.009 s");
	duration_is(5000000001, 1000000000, "5 s");
	duration_is(59999999999, 1000000000, "59 s");
	duration_is(5, 0, "5 ticks");
	duration_is(~0ull, 5000000000, "3689348814 s");
}

static void limits_in_ticks(void **unused)
{
	const u64 tps = 2000000000;
	u64 ticks = 0;

	(void)unused;
	assert_true(gap_limit_ticks(&(struct amount){150, GAP_US}, tps, &ticks));
	assert_int_equal(ticks, 300000);
	assert_true(gap_limit_ticks(&(struct amount){2, GAP_MS}, tps, &ticks));
	assert_int_equal(ticks, 4000000);
	assert_true(gap_limit_ticks(&(struct amount){3, GAP_NS}, tps, &ticks));
	assert_int_equal(ticks, 6);
	assert_true(gap_limit_ticks(&(struct amount){1, GAP_S}, 1999999999, &ticks));
	assert_int_equal(ticks, 1999999999);
	assert_true(gap_limit_ticks(&(struct amount){1, GAP_NS}, 999999999, &ticks));
	assert_int_equal(ticks, 0);
	assert_true(gap_limit_ticks(&(struct amount){300, GAP_TICKS}, 0, &ticks));
	assert_int_equal(ticks, 300);
	assert_false(gap_limit_ticks(&(struct amount){1, GAP_S}, 0, &ticks));
	assert_true(gap_limit_ticks(&(struct amount){1000000000, GAP_S}, ~0ull, &ticks));
	assert_true(ticks == ~0ull);
}

static void rates_against_limits(void **unused)
{
	const u64 s = 1000000000;

	(void)unused;
	assert_false(rate_above(0, 60 * s, s, &(struct amount){0, RATE_HOUR}));
	assert_true(rate_above(1, 60 * s, s, &(struct amount){0, RATE_HOUR}));
	assert_false(rate_above(3, 60 * s, s, &(struct amount){3, RATE_MINUTE}));
	assert_true(rate_above(3, 60 * s - 1, s, &(struct amount){3, RATE_MINUTE}));
	assert_false(rate_above(3, 60 * s, s, &(struct amount){180, RATE_HOUR}));
	assert_true(rate_above(3, 60 * s, s, &(struct amount){179, RATE_HOUR}));
	assert_false(rate_above(60, 60 * s, s, &(struct amount){1, RATE_SECOND}));
	assert_true(rate_above(61, 60 * s, s, &(struct amount){1, RATE_SECOND}));
	assert_true(rate_above(~0ull, 1, ~0ull, &(struct amount){1000000000, RATE_HOUR}));
	assert_false(rate_above(0, 86400 * s, s, &(struct amount){1, RATE_HOUR}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thresholds),
		cmocka_unit_test(deviation_raises_the_threshold),
		cmocka_unit_test(decades),
		cmocka_unit_test(causes),
		cmocka_unit_test(causes_always_add_up),
		cmocka_unit_test(few_have_exact_bounds),
		cmocka_unit_test(none_has_the_rule_of_three),
		cmocka_unit_test(many_have_bounds_at_least_as_wide),
		cmocka_unit_test(rates_in_words),
		cmocka_unit_test(durations),
		cmocka_unit_test(limits_in_ticks),
		cmocka_unit_test(rates_against_limits),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
