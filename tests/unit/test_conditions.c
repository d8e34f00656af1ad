// SPDX-License-Identifier: MIT
/*
 * When a window counts as disturbed: the limits of ruler and canary, what the handlers counted, and
 * how the two are taken. ruler.c itself, over clocks that read what the test says.
 */
#include "bench.h"

static u64 fake_ruler(u64 adds);
static u64 fake_canary(void);
#define seq_ruler  fake_ruler
#define seq_canary fake_canary
#include "report.c"
#include "../../kern/bench/ruler.c" /* and not that of lib */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct evidence evidence_now;
static u64 adds_read[16 * 6], nops_read[16 * 34];
static size_t adds_at, nops_at;

static u64 fake_ruler(u64 adds)
{
	assert_int_equal(adds, RULER_ADDS);
	assert_true(adds_at < ARRAY_SIZE(adds_read));
	return adds_read[adds_at++];
}

static u64 fake_canary(void)
{
	assert_true(nops_at < ARRAY_SIZE(nops_read));
	return nops_read[nops_at++];
}

void env_evidence(struct evidence *e)
{
	*e = evidence_now;
}

void env_write(const char *bytes, size_t n)
{
	(void)bytes, (void)n;
}

bool run_emulated(const struct run *run)
{
	return run->icount;
}

static void clocks_read(u64 adds, u64 nops)
{
	for (size_t i = 0; i < ARRAY_SIZE(adds_read); i++)
		adds_read[i] = adds;
	for (size_t i = 0; i < ARRAY_SIZE(nops_read); i++)
		nops_read[i] = nops;
	adds_at = nops_at = 0;
}

static struct run run_with(u64 step, u64 adds_mad, u64 nops_mad)
{
	return (struct run){
		.step = {.gcd = step, .known = step != 0},
		.noise = {.adds = adds_mad, .nops = nops_mad},
	};
}

static bool moved(const struct run *run, u64 adds_a, u64 nops_a, u64 adds_b, u64 nops_b)
{
	struct ruler a = {.adds_ticks = adds_a, .nops_ticks = nops_a};
	struct ruler b = {.adds_ticks = adds_b, .nops_ticks = nops_b};

	return ruler_moved(run, &a, &b);
}

/* Either by itself, either way. */
static bool moved_by(u64 from, u64 to, u64 step, u64 mad)
{
	struct run adds = run_with(step, mad, 0), nops = run_with(step, 0, mad);
	bool is = moved(&adds, from, 2000, to, 2000);

	assert_int_equal(is, moved(&adds, to, 2000, from, 2000));
	assert_int_equal(is, moved(&nops, 2000, from, 2000, to));
	assert_int_equal(is, moved(&nops, 2000, to, 2000, from));
	return is;
}

static void by_more_than_two_percent(void **state)
{
	(void)state;
	assert_false(moved_by(100000, 100000, 1, 0));
	assert_false(moved_by(100000, 102000, 1, 0));
	assert_true(moved_by(100000, 102001, 1, 0));
	/* The core clock of a real machine in two states, and a busy sibling thread's NOPs. */
	assert_true(moved_by(83334, 111111, 2, 10));
	assert_true(moved_by(2048, 3900, 2, 10));
}

static void by_more_than_two_steps(void **state)
{
	(void)state;
	assert_false(moved_by(50, 52, 1, 0));
	assert_true(moved_by(50, 53, 1, 0));
	assert_false(moved_by(50, 54, 2, 0));
	assert_true(moved_by(50, 55, 2, 0));
	/* An unknown step counts as one tick. */
	assert_false(moved_by(50, 52, 0, 0));
	assert_true(moved_by(50, 53, 0, 0));
}

static void by_more_than_its_own_noise(void **state)
{
	struct run noisy_adds = run_with(1, 10000, 0), noisy_nops = run_with(1, 0, 10000);

	(void)state;
	assert_false(moved_by(100000, 103000, 1, 750));
	assert_true(moved_by(100000, 103000, 1, 749));
	/* The one's noise is no excuse for the other. */
	assert_true(moved(&noisy_adds, 100000, 2048, 100000, 3900));
	assert_true(moved(&noisy_nops, 100000, 2048, 120000, 2048));
}

static void never_where_the_clock_is_emulated(void **state)
{
	struct run run = run_with(1, 0, 0);
	struct conditions a = {0}, b = {0};

	(void)state;
	run.icount = true;
	b.evidence.nmi = 1;
	assert_false(moved(&run, 100000, 2048, 200000, 4096));
	assert_false(conditions_moved(&run, &a, &b));
	conditions_take(&run, &a);
	assert_int_equal(a.ruler.adds_ticks, 0);
}

static void by_what_the_handlers_counted(void **state)
{
	struct run run = run_with(1, 0, 0);
	struct conditions a, b;

	(void)state;
	clocks_read(100000, 8192);
	conditions_take(&run, &a);
	for (int i = 0; i < 3; i++) {
		evidence_now = (struct evidence){.nmi = i == 0, .mce = i == 1, .smi = i == 2};
		clocks_read(100000, 8192);
		conditions_take(&run, &b);
		assert_true(conditions_moved(&run, &a, &b));
		assert_false(conditions_moved(&run, &b, &b));
	}
	evidence_now = (struct evidence){0};
	clocks_read(120000, 8192);
	conditions_take(&run, &b);
	assert_true(conditions_moved(&run, &a, &b));
}

/* The lowest of what counts; the passes that load the caches do not. */
static void takes_the_lowest(void **state)
{
	struct ruler r;

	(void)state;
	clocks_read(100000, 8200);
	adds_read[0] = 1;
	adds_read[3] = 99990;
	nops_read[0] = nops_read[1] = 1;
	for (int i = 18; i < 22; i++)
		nops_read[i] = 8195;
	ruler_take(&r);
	assert_int_equal(r.adds_ticks, 99990);
	assert_int_equal(r.nops_ticks, 8195);
	assert_false(r.nops_equal);
	assert_int_equal(adds_at, 6);
	assert_int_equal(nops_at, 34);

	clocks_read(100001, 8193);
	ruler_take(&r);
	assert_true(r.nops_equal);
	/* 32 equal passes and one that is not, wherever it is. */
	clocks_read(100001, 8193);
	nops_read[33] = 8194;
	ruler_take(&r);
	assert_false(r.nops_equal);
}

/* The clock's steps put a pass too low now and then: that is no change. */
static void one_low_pass_of_the_canary_is_the_clocks(void **state)
{
	struct run run = run_with(20, 0, 0);
	struct ruler a, b;

	(void)state;
	for (size_t i = 0; i < 34; i++)
		nops_read[i] = i % 2 ? 1640 : 1660;
	adds_at = nops_at = 0;
	ruler_take(&a);
	assert_int_equal(a.nops_ticks, 1650);
	nops_at = 0;
	nops_read[11] = 1580;
	adds_at = 0;
	ruler_take(&b);
	assert_int_equal(b.nops_ticks, 1635);
	assert_false(ruler_moved(&run, &a, &b));
	for (size_t i = 0; i < 34; i++)
		nops_read[i] += 60;
	adds_at = nops_at = 0;
	ruler_take(&b);
	assert_true(ruler_moved(&run, &a, &b));
}

/* 16 looks; the median's distance from the median. */
static void pilot_tells_the_noise(void **state)
{
	struct run run = run_with(1, 0, 0);

	(void)state;
	for (size_t i = 0; i < 16; i++) {
		for (size_t k = 0; k < 6; k++)
			adds_read[i * 6 + k] = 100000 + 10 * i;
		for (size_t k = 0; k < 34; k++)
			nops_read[i * 34 + k] = 8192 + (i == 15) * 5000;
	}
	adds_at = nops_at = 0;
	ruler_pilot(&run);
	/* 0, 10, ... 150: the median is 70, and half lie within 40 of it. */
	assert_int_equal(run.noise.adds, 40);
	assert_int_equal(run.noise.nops, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_more_than_two_percent),
		cmocka_unit_test(by_more_than_two_steps),
		cmocka_unit_test(by_more_than_its_own_noise),
		cmocka_unit_test(never_where_the_clock_is_emulated),
		cmocka_unit_test(by_what_the_handlers_counted),
		cmocka_unit_test(takes_the_lowest),
		cmocka_unit_test(one_low_pass_of_the_canary_is_the_clocks),
		cmocka_unit_test(pilot_tells_the_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
