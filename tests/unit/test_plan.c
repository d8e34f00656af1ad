// SPDX-License-Identifier: MIT
/* The time budget: who gets fewer samples, and that the sum of all stays inside the budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan.h"

static struct options defaults(void)
{
	struct options o;

	options_default(&o);
	return o;
}

static void geometry_follows_profile(void **state)
{
	struct options o = defaults();
	struct plan p;

	(void)state;
	plan_geometry(&p, PROFILE_QUICK, &o);
	assert_int_equal(p.lines, 16);
	assert_int_equal(p.loop_lines, 16);
	assert_int_equal(p.samples, 200);
	plan_geometry(&p, PROFILE_STANDARD, &o);
	assert_int_equal(p.lines, 1000);
	assert_int_equal(p.loop_lines, 64);
	assert_int_equal(p.samples, 10000);
	plan_geometry(&p, PROFILE_SOAK, &o);
	assert_int_equal(p.lines, 1024);
	assert_int_equal(p.samples, 16384);
}

static void geometry_obeys_the_command_line(void **state)
{
	struct options o = defaults();
	struct plan p;

	(void)state;
	o.lines = 3;
	plan_geometry(&p, PROFILE_STANDARD, &o);
	assert_int_equal(p.lines, 3);
	assert_int_equal(p.loop_lines, 3);
	assert_int_equal(p.samples, 10000);
	o.samples = 7;
	plan_geometry(&p, PROFILE_STANDARD, &o);
	assert_int_equal(p.samples, 7);
}

static u64 total(const struct plan *p, const struct plan_cost *c, size_t n)
{
	u64 sum = 0;

	for (size_t i = 0; i < n; i++)
		if (c[i].per_sample)
			sum += plan_ticks(&p[i], &c[i]);
	return sum;
}

static const struct plan standard = {.lines = 1000, .loop_lines = 64, .samples = 10000};

static void ample_budget_cuts_nothing(void **state)
{
	const struct plan_cost c[] = {{100, 7, 1}, {3000, 7, 1}, {0, 7, 1}};
	struct plan p[3];

	(void)state;
	plan_budget(p, c, 3, &standard, ~0ull, false);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(p[i].samples, 10000);
		assert_false(p[i].trimmed);
	}
}

static void only_the_dear_method_is_cut(void **state)
{
	/* At 100 ticks a method takes 7.064e9 ticks, at 30,000 it would take 2.1e12. */
	const struct plan_cost c[] = {{100, 7, 1}, {30000, 7, 1}, {100, 7, 1}};
	const u64 budget = 100000000000ull;
	struct plan p[3];

	(void)state;
	plan_budget(p, c, 3, &standard, budget, false);
	assert_false(p[0].trimmed);
	assert_false(p[2].trimmed);
	assert_true(p[1].trimmed);
	assert_int_equal(p[1].lines, 1000);
	/* What the cheap ones leave is all its own: 1e11 - 2 * 7.064e9 of 2.1192e12. */
	assert_int_equal(p[1].samples, 405);
	assert_true(total(p, c, 3) <= budget);
}

/* A method that needs more than an equal share gets no more than that, even if the rest would do.
 */
static void nobody_gets_more_than_a_share(void **state)
{
	/* 6 and 20 of 10 parts; then 6, 20 and one that needs half a part of 10. */
	const struct plan_cost c[] = {{600, 1, 0}, {2000, 1, 0}, {50, 1, 0}};
	const u64 budget = 10000000000ull;
	struct plan p[3];

	(void)state;
	plan_budget(p, c, 2, &standard, budget, false);
	assert_int_equal(p[0].samples, 8333);
	assert_int_equal(p[1].samples, 2500);
	plan_budget(p, c, 3, &standard, budget, false);
	assert_int_equal(p[2].samples, 10000);
	assert_int_equal(p[0].samples, 7916);
	assert_int_equal(p[1].samples, 2375);
	assert_true(total(p, c, 3) <= budget);
}

/* What the cheap ones leave is shared anew, whoever stands first. */
static void what_is_left_goes_to_the_others(void **state)
{
	/* 4 of 10 parts is more than a third, and less than half of what half a part leaves. */
	const struct plan_cost c[] = {{400, 1, 0}, {0, 1, 0}, {2000, 1, 0}, {50, 1, 0}};
	struct plan p[4];

	(void)state;
	plan_budget(p, c, 4, &standard, 10000000000ull, false);
	assert_false(p[0].trimmed);
	assert_false(p[3].trimmed);
	assert_true(p[2].trimmed);
	assert_int_equal(p[2].samples, 2750); /* 5.5 of 20 parts */
}

static void just_a_share_is_not_cut(void **state)
{
	const struct plan_cost c[] = {{500, 1, 0}, {501, 1, 0}};
	struct plan p[2];

	(void)state;
	plan_budget(p, c, 1, &standard, 5000000000ull, false);
	assert_false(p[0].trimmed);
	assert_int_equal(p[0].samples, 10000);
	plan_budget(p, c, 1, &standard, 4999999999ull, false);
	assert_true(p[0].trimmed);
	assert_int_equal(p[0].samples, 9999);
	plan_budget(p, c, 2, &standard, 10000000000ull, false);
	assert_false(p[0].trimmed);
	assert_true(p[1].trimmed);
}

static void lines_go_when_samples_are_at_their_least(void **state)
{
	/* A trapped RDTSC: half a million ticks a sample. */
	const struct plan_cost c[] = {{500000, 7, 1}};
	struct plan p[1];

	(void)state;
	plan_budget(p, c, 1, &standard, 2000000000ull, false);
	assert_int_equal(p[0].samples, 16);
	assert_true(p[0].lines < 1000 && p[0].lines >= 4);
	assert_true(total(p, c, 1) <= 2000000000ull);
}

/* The least is no reason for more than the geometry has. */
static void the_least_is_no_more_than_there_was(void **state)
{
	const struct plan_cost c[] = {{500000, 7, 1}};
	const struct plan small = {.lines = 3, .loop_lines = 2, .samples = 10};
	struct plan p[1];

	(void)state;
	plan_budget(p, c, 1, &small, 1, false);
	assert_int_equal(p[0].samples, 10);
	assert_int_equal(p[0].lines, 3);
	assert_int_equal(p[0].loop_lines, 2);
}

static void what_was_asked_for_is_obeyed(void **state)
{
	const struct plan_cost c[] = {{500000, 7, 1}};
	struct plan p[1];

	(void)state;
	plan_budget(p, c, 1, &standard, 1, true);
	assert_int_equal(p[0].samples, 10000);
	assert_false(p[0].trimmed);
}

static void huge_costs_saturate(void **state)
{
	const struct plan_cost c[] = {{~0ull, 7, 1}, {~0ull, 7, 1}};
	struct plan p[2];

	(void)state;
	assert_true(plan_ticks(&standard, &c[0]) == ~0ull);
	plan_budget(p, c, 2, &standard, 1000, false);
	assert_int_equal(p[0].samples, 16);
	assert_int_equal(p[0].lines, 4);
	assert_int_equal(p[1].loop_lines, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometry_follows_profile),
		cmocka_unit_test(geometry_obeys_the_command_line),
		cmocka_unit_test(ample_budget_cuts_nothing),
		cmocka_unit_test(only_the_dear_method_is_cut),
		cmocka_unit_test(nobody_gets_more_than_a_share),
		cmocka_unit_test(what_is_left_goes_to_the_others),
		cmocka_unit_test(just_a_share_is_not_cut),
		cmocka_unit_test(lines_go_when_samples_are_at_their_least),
		cmocka_unit_test(the_least_is_no_more_than_there_was),
		cmocka_unit_test(what_was_asked_for_is_obeyed),
		cmocka_unit_test(huge_costs_saturate),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
