// SPDX-License-Identifier: MIT
/*
 * The stability suite: stability.c itself, over rounds and core clocks that read what the test
 * says. Which rounds count as outliers, what a moving core clock explains, and how the rest is
 * judged.
 */
#include "bench.h"
#include "insn.h"

static seq_fn *fake_find(u32 method, enum seq_workload w, enum seq_preamble p, enum seq_form f);
static u64 fake_tsc(void);
#define seq_find      fake_find
#define rdtsc_ordered fake_tsc
#include "report.c"
#include "stability.c"

#include "arena.h"

#define BLOCKS 10 /* a quick run's */
#define ROUND  450
#define SLOWER 600	   /* a round in the other state of the core clock */
#define TURN   (ROUND + 7) /* from one round to the next */

/* ---- the world that stability.c asks for */

static bool emulated;
static struct evidence evidence_first, evidence_last;
static u32 evidence_calls, done; /* done: calls of the rounds so far, warming up not counted */
static struct {
	u32 block, round; /* counted from 1 */
	u64 ticks;
} odd[16]; /* rounds that are not ROUND */
static size_t odds;
static u32 slow_from, fast_from; /* from this block on rounds take SLOWER, or ROUND again */
static u32 restless;		 /* this many looks from the first on differ from the one before */
static u32 looks;
static u32 long_every; /* each so many rounds one takes 100 ticks more; 0: none */
static u64 tsc;

u64 env_arena_left(void)
{
	return 0;
}

void env_quiet(void)
{
}

void env_write(const char *bytes, size_t n)
{
	(void)bytes, (void)n;
}

u64 env_ticks_per_second(void)
{
	return 1000000000;
}

void env_evidence(struct evidence *e)
{
	*e = evidence_calls++ ? evidence_last : evidence_first;
}

bool run_emulated(const struct run *r)
{
	(void)r;
	return emulated;
}

static u64 fake_tsc(void)
{
	return tsc;
}

static bool is_slow(void)
{
	return slow_from && done >= slow_from && done < fast_from;
}

/* Of the block that was just taken, and of the first look, before any. */
void ruler_take(struct ruler *r)
{
	bool slow = is_slow();

	looks++;
	*r = (struct ruler){.adds_ticks = slow ? 111111 : 83334};
	if (looks > 1 && looks <= 1 + restless)
		r->adds_ticks += looks;
}

bool ruler_moved(const struct run *r, const struct ruler *a, const struct ruler *b)
{
	(void)r;
	return !emulated && a->adds_ticks != b->adds_ticks;
}

void ruler_report(struct run *run, const char *where, const struct ruler *r)
{
	(void)run, (void)where, (void)r;
}

static void rounds(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	(void)scratch;
	assert_int_equal(n, BLOCK);
	assert_int_equal(j, 500);
	for (u64 i = 0; i < n; i++)
		out[i] = (is_slow() ? SLOWER : ROUND) +
			 (long_every && i % long_every == 0 ? 100 : 0);
	for (size_t k = 0; k < odds; k++)
		if (done > 0 && odd[k].block == done)
			out[odd[k].round - 1] = odd[k].ticks;
	for (u64 i = 0; i < n; i++)
		tsc += (out[i] >> 63 ? 0 : out[i]) + TURN - ROUND;
	done++;
}

static seq_fn *fake_find(u32 method, enum seq_workload w, enum seq_preamble p, enum seq_form f)
{
	assert_int_equal(method, seq_method_find("5", 1));
	assert_int_equal(w, WORK_LOOP);
	assert_int_equal(p, PRE_NONE);
	assert_int_equal(f, FORM_MEM);
	return rounds;
}

/* ---- a quick run on hardware */

static struct options options;
static struct machine machine;
static struct verdict verdict;
static struct report report;
static struct run quick_run;

static int setup(void **state)
{
	(void)state;
	options_default(&options);
	machine = (struct machine){.metal = true};
	verdict = (struct verdict){0};
	report = (struct report){.options = &options};
	quick_run = (struct run){
		.machine = &machine,
		.options = &options,
		.profile = PROFILE_QUICK,
		.verdict = &verdict,
		.report = &report,
		.recommended = {.id = "5"},
	};
	emulated = false;
	evidence_first = evidence_last = (struct evidence){.smi_state = VALUE_READ};
	evidence_calls = done = looks = restless = slow_from = long_every = 0;
	fast_from = ~0u;
	odds = 0;
	tsc = 5000000;
	return 0;
}

static void round_is(u32 block, u32 round, u64 ticks)
{
	odd[odds].block = block;
	odd[odds].round = round;
	odd[odds++].ticks = ticks;
}

static struct stability_suite suite;

static struct stability measure(void)
{
	suite = (struct stability_suite){.run = &quick_run};
	assert_true(stability_open(&suite));
	stability_measure(&suite);
	stability_figures(&suite);
	stability_checks(&suite);
	return suite.r;
}

static void check_is(const char *name, enum status status, const char *reason)
{
	const struct check *c = verdict_find(&verdict, name);

	assert_non_null(c);
	assert_string_equal(c->reason, reason);
	assert_int_equal(c->status, status);
}

static void quiet(void **state)
{
	struct stability r = measure();

	(void)state;
	assert_int_equal(r.n, BLOCKS * BLOCK);
	assert_int_equal(r.min, ROUND);
	assert_int_equal(r.max, ROUND);
	assert_int_equal(r.spread, 0);
	assert_int_equal(r.outliers, 0);
	assert_int_equal(done, 1 + BLOCKS);
	assert_int_equal(r.duration, BLOCKS * BLOCK * TURN);
	assert_int_equal(suite.stolen, 0);
	check_is("stability.tsc", STATUS_OK, "no backwards step in 100000 rounds");
	check_is("stability.spread", STATUS_OK, "0 ticks");
	check_is("stability.clock", STATUS_OK, "");
}

/* 50 ticks above the min is still within the threshold. */
static void at_the_threshold(void **state)
{
	struct stability r;

	(void)state;
	round_is(3, 77, ROUND + 50);
	r = measure();
	assert_int_equal(r.outliers, 0);
	check_is("stability.spread", STATUS_OK, "50 ticks");
}

static void above_the_threshold(void **state)
{
	struct stability r;

	(void)state;
	round_is(3, 77, ROUND + 51);
	r = measure();
	assert_int_equal(r.outliers, 1);
	assert_int_equal(r.kept, 1);
	assert_int_equal(r.first[0].length, ROUND + 51);
	/* Where the round began, two blocks and 76 rounds after the first. */
	assert_int_equal(r.first[0].at, (2 * BLOCK + 76) * TURN);
	assert_int_equal(suite.stolen, 51);
	check_is("stability.spread", STATUS_UNSTABLE, "spread 51 ticks: unexplained");
}

/* The lowest of all blocks and the highest, in whichever order they came. */
static void the_spread_is_over_all_blocks(void **state)
{
	struct stability r;

	(void)state;
	round_is(1, 5, ROUND + 40);
	round_is(2, 5, ROUND - 30);
	r = measure();
	assert_int_equal(r.spread, 70);
	assert_int_equal(r.min, ROUND - 30);
	assert_int_equal(r.max, ROUND + 40);
	assert_int_equal(r.outliers, 0);
	check_is("stability.spread", STATUS_UNSTABLE, "spread 70 ticks: unexplained");
}

static void the_first_sixteen_are_kept(void **state)
{
	struct stability r;

	(void)state;
	long_every = BLOCK / 2;
	r = measure();
	assert_int_equal(r.outliers, 20);
	assert_int_equal(r.classed, 20);
	assert_int_equal(r.kept, 16);
	assert_int_equal(r.first[0].at, 0);
	/* Two a block: the sixteenth half way through the eighth, behind fifteen of 100 more. */
	assert_int_equal(r.first[15].at, 15 * BLOCK / 2 * TURN + 15 * 100);
	assert_int_equal(suite.stolen, 20 * 100);
}

/* Within ten rounds' time of another is a burst. */
static void near_ones_are_a_burst(void **state)
{
	struct stability r;

	(void)state;
	round_is(3, 100, ROUND + 51);
	round_is(3, 109, ROUND + 51);
	round_is(5, 100, ROUND + 51);
	round_is(5, 110, ROUND + 51);
	r = measure();
	assert_int_equal(r.by_class[OUTLIER_BURST], 2);
	assert_int_equal(r.by_class[OUTLIER_SINGLE], 2);
}

static void rounds_by_profile(void **state)
{
	(void)state;
	assert_int_equal(rounds_wanted(&quick_run), 100000);
	quick_run.profile = PROFILE_STANDARD;
	assert_int_equal(rounds_wanted(&quick_run), 3000000);
	quick_run.profile = PROFILE_SOAK;
	assert_int_equal(rounds_wanted(&quick_run), 3000000);
}

static void the_option_may_set_a_low_one(void **state)
{
	(void)state;
	options.threshold = 10;
	round_is(3, 77, ROUND + 10);
	round_is(3, 78, ROUND + 11);
	assert_int_equal(measure().outliers, 1);
	check_is("stability.spread", STATUS_UNSTABLE, "spread 11 ticks: unexplained");
}

static void the_option_sets_the_threshold(void **state)
{
	(void)state;
	options.threshold = 100;
	round_is(3, 77, ROUND + 100);
	assert_int_equal(measure().outliers, 0);
	check_is("stability.spread", STATUS_OK, "100 ticks");
}

/* Reads on a clock that moves 40 ticks at a time: a window of one length may read 450 or 490. */
static void a_coarse_clock_sets_it_too(void **state)
{
	static const u64 seen[] = {40, 80, 440};

	(void)state;
	step_add(&quick_run.step, seen, ARRAY_SIZE(seen));
	round_is(3, 77, ROUND + 80);
	assert_int_equal(measure().outliers, 0);
	check_is("stability.spread", STATUS_OK, "80 ticks");
}

static void an_smi_explains_it(void **state)
{
	(void)state;
	round_is(5, 1, 200000);
	evidence_last.smi = 2;
	measure();
	check_is("stability.spread", STATUS_UNSTABLE, "spread 199550 ticks: smi, 2 counted");
}

static void an_nmi_explains_it(void **state)
{
	(void)state;
	round_is(5, 1, 20000);
	evidence_last.nmi = 1;
	measure();
	check_is("stability.spread", STATUS_UNSTABLE, "spread 19550 ticks: nmi, 1 counted");
}

static void a_machine_check_explains_it(void **state)
{
	(void)state;
	round_is(5, 1, 20000);
	evidence_last.mce = 3;
	measure();
	check_is("stability.spread", STATUS_UNSTABLE, "spread 19550 ticks: mce, 3 counted");
}

/* Of several the one that takes longest is named. */
static void an_smi_explains_it_before_an_nmi(void **state)
{
	(void)state;
	round_is(5, 1, 20000);
	evidence_last.smi = 2;
	evidence_last.nmi = 1;
	evidence_last.mce = 1;
	measure();
	check_is("stability.spread", STATUS_UNSTABLE, "spread 19550 ticks: smi, 2 counted");
}

static void a_backwards_step_fails(void **state)
{
	struct stability r;

	(void)state;
	round_is(2, 5, -30ull);
	r = measure();
	assert_int_equal(r.backwards, 1);
	assert_int_equal(r.n, BLOCKS * BLOCK - 1);
	assert_int_equal(r.min, ROUND);
	assert_int_equal(r.max, ROUND);
	check_is("stability.tsc", STATUS_FAILED, "1 backwards steps");
}

/* In no figure, for the block was taken again; but the TSC did it. */
static void a_backwards_step_of_a_moved_block_fails(void **state)
{
	struct stability r;

	(void)state;
	restless = 1;
	round_is(1, 9, -30ull);
	r = measure();
	assert_int_equal(r.backwards, 0);
	assert_int_equal(r.n, BLOCKS * BLOCK);
	check_is("stability.tsc", STATUS_FAILED, "1 backwards steps");
}

/* 450 and 600 ticks are one loop at two core clocks, and no spread. */
static void another_core_clock_is_no_spread(void **state)
{
	struct stability r;

	(void)state;
	slow_from = 6;
	r = measure();
	assert_int_equal(r.spread, 0);
	assert_int_equal(r.outliers, 0);
	assert_int_equal(r.max, SLOWER);
	assert_int_equal(r.n, BLOCKS * BLOCK);
	check_is("stability.spread", STATUS_OK, "0 ticks");
	check_is("stability.clock", STATUS_UNSTABLE,
		 "core clock moved: 2 states, 1 blocks measured again, 0 never settled");
}

/* What was seen in one state is not forgotten in the next. */
static void the_spread_of_the_first_state_stays(void **state)
{
	struct stability r;

	(void)state;
	round_is(2, 5, ROUND + 51);
	slow_from = 6;
	r = measure();
	assert_int_equal(r.spread, 51);
	assert_int_equal(r.outliers, 1);
	check_is("stability.spread", STATUS_UNSTABLE, "spread 51 ticks: unexplained");
}

static void nor_is_it_on_the_way_back(void **state)
{
	struct stability r;

	(void)state;
	slow_from = 3;
	fast_from = 7;
	r = measure();
	assert_int_equal(r.spread, 0);
	assert_int_equal(r.outliers, 0);
	check_is("stability.spread", STATUS_OK, "0 ticks");
}

/* The block in which it moved is measured again, and leaves nothing. */
static void a_moved_block_is_taken_again(void **state)
{
	struct stability r;

	(void)state;
	restless = 1;
	round_is(1, 9, 9000);
	r = measure();
	assert_int_equal(r.n, BLOCKS * BLOCK);
	assert_int_equal(r.outliers, 0);
	assert_int_equal(r.max, ROUND);
	assert_int_equal(r.redone, 2); /* there, and back again */
	assert_int_equal(done, 1 + BLOCKS + 2);
}

static void nothing_ever_settles(void **state)
{
	struct stability r;

	(void)state;
	restless = 1000;
	r = measure();
	assert_int_equal(r.n, 0);
	assert_int_equal(r.redone, BLOCKS * 4);
	check_is("stability.spread", STATUS_UNSTABLE, "core clock moved in every block");
	check_is("stability.clock", STATUS_UNSTABLE,
		 "core clock moved: 1 states, 40 blocks measured again, 10 never settled");
}

/* A host that takes one long turn is no reason; one that takes a hundredth of the time is. */
static void under_a_host_the_share_counts(void **state)
{
	const struct check *c;

	(void)state;
	machine.metal = false;
	machine.hypervisor = true;
	round_is(4, 4, ROUND + 100);
	measure();
	c = verdict_find(&verdict, "stability.spread");
	assert_int_equal(c->status, STATUS_OK);
	assert_memory_equal(c->reason, "below 1% stalled (host or SMI): 10 outliers", 43);

	arena_release(NULL);
	setup(NULL);
	machine.metal = false;
	machine.hypervisor = true;
	round_is(4, 4, 1ull << 60);
	measure();
	c = verdict_find(&verdict, "stability.spread");
	assert_int_equal(c->status, STATUS_UNSTABLE);
	assert_memory_equal(c->reason, "stall (host or SMI): 10 outliers", 32);
}

/* More than a hundredth of the time, the stall's own included. */
static void a_hundredth_is_still_quiet(void **state)
{
	const u64 all = BLOCKS * BLOCK * TURN, most = all / 99;

	(void)state;
	for (u64 more = 0; more <= 1; more++) {
		arena_release(NULL);
		setup(NULL);
		machine.metal = false;
		machine.hypervisor = true;
		round_is(4, 4, ROUND + most + more);
		measure();
		assert_int_equal(suite.stolen, most + more);
		assert_int_equal(suite.r.duration, all + most + more);
		assert_int_equal(suite.r.duration / 100, most);
		assert_int_equal(verdict_find(&verdict, "stability.spread")->status,
				 more ? STATUS_UNSTABLE : STATUS_OK);
	}
}

/* On metal, too, a process is not alone. */
static void so_it_does_for_a_process(void **state)
{
	(void)state;
	machine.process = true;
	round_is(4, 4, ROUND + 100);
	measure();
	assert_int_equal(verdict_find(&verdict, "stability.spread")->status, STATUS_OK);
}

/* The rate is that of the rounds that count: two of the ten blocks do not. */
static void the_rate_is_over_what_counts(void **state)
{
	const struct check *c;

	(void)state;
	machine.metal = false;
	machine.hypervisor = true;
	restless = 8;
	round_is(15, 4, ROUND + 100);
	assert_int_equal(measure().n, 8 * BLOCK);
	c = verdict_find(&verdict, "stability.spread");
	assert_memory_equal(c->reason, "below 1% stalled (host or SMI): 12 outliers", 43);
	check_is("stability.clock", STATUS_UNSTABLE,
		 "core clock moved: 1 states, 9 blocks measured again, 2 never settled");
}

/* A sibling thread slows every fifth round down: no host's doing, no SMI's. */
static void a_share_of_all_rounds_is_no_stall(void **state)
{
	const struct check *c;

	(void)state;
	machine.metal = false;
	machine.hypervisor = true;
	long_every = 5;
	assert_int_equal(measure().outliers, BLOCKS * BLOCK / 5);
	c = verdict_find(&verdict, "stability.spread");
	assert_int_equal(c->status, STATUS_UNSTABLE);
	assert_memory_equal(c->reason, "unexplained, too many for stalls: 200000 outliers", 49);
}

static void an_emulator_is_not_judged(void **state)
{
	(void)state;
	emulated = true;
	round_is(5, 1, 20000);
	round_is(5, 2, -1ull);
	measure();
	check_is("stability.tsc", STATUS_SKIP, "1 backwards steps");
	check_is("stability.spread", STATUS_SKIP, "emulated: not judged");
	check_is("stability.clock", STATUS_SKIP, "emulated: not judged");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(quiet),
		TEST(at_the_threshold),
		TEST(above_the_threshold),
		TEST(the_spread_is_over_all_blocks),
		TEST(the_first_sixteen_are_kept),
		TEST(near_ones_are_a_burst),
		TEST(rounds_by_profile),
		TEST(the_option_may_set_a_low_one),
		TEST(the_option_sets_the_threshold),
		TEST(a_coarse_clock_sets_it_too),
		TEST(an_smi_explains_it),
		TEST(an_nmi_explains_it),
		TEST(a_machine_check_explains_it),
		TEST(an_smi_explains_it_before_an_nmi),
		TEST(a_backwards_step_fails),
		TEST(a_backwards_step_of_a_moved_block_fails),
		TEST(another_core_clock_is_no_spread),
		TEST(the_spread_of_the_first_state_stays),
		TEST(nor_is_it_on_the_way_back),
		TEST(a_moved_block_is_taken_again),
		TEST(nothing_ever_settles),
		TEST(under_a_host_the_share_counts),
		TEST(a_hundredth_is_still_quiet),
		TEST(so_it_does_for_a_process),
		TEST(the_rate_is_over_what_counts),
		TEST(a_share_of_all_rounds_is_no_stall),
		TEST(an_emulator_is_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
