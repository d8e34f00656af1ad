// SPDX-License-Identifier: MIT
/*
 * Series line by line: trial.c itself, over sequences that write what the test says and conditions
 * that move when it says. A window that is taken again must leave nothing of its first try.
 */
#include "report.c"
#include "trial.c"

#include "arena.h"

#define LINES	100 /* a window of 64 and one of 36 */
#define SAMPLES 150
#define WINDOWS 2

/* ---- the world that trial.c asks for */

static bool emulated, interrupts, ruler_held;
static struct evidence evidence_step, evidence_now;
static u32 looks;      /* at the conditions, so far */
static u64 moved_at;   /* bit i: they have moved between look i and the one after */
static u64 disturbed;  /* added to each sample while they move */
static u64 twin_value; /* of the overhead twin; grows by twin_drift a call */
static u64 twin_drift;
static bool last_backwards; /* the last sample of each line is */

u64 env_arena_left(void)
{
	return 0;
}

void env_quiet(void)
{
}

bool env_interrupts_off(void)
{
	return !interrupts;
}

void env_write(const char *bytes, size_t n)
{
	(void)bytes, (void)n;
}

/* So many that a window is never over by time. */
u64 env_ticks_per_second(void)
{
	return ~0ull;
}

void env_evidence(struct evidence *e)
{
	*e = evidence_now;
	evidence_now.nmi += evidence_step.nmi;
	evidence_now.mce += evidence_step.mce;
	evidence_now.smi += evidence_step.smi;
	evidence_now.smi_state = evidence_step.smi_state;
}

bool run_emulated(const struct run *run)
{
	(void)run;
	return emulated;
}

bool ruler_moved(const struct run *run, const struct ruler *a, const struct ruler *b)
{
	(void)run;
	return !ruler_held && a->nops_ticks != b->nops_ticks;
}

void conditions_take(const struct run *run, struct conditions *c)
{
	(void)run;
	*c = (struct conditions){.ruler = {.adds_ticks = RULER_ADDS, .nops_ticks = looks}};
	looks++;
}

bool conditions_moved(const struct run *run, const struct conditions *a, const struct conditions *b)
{
	(void)run;
	assert_int_equal(a->ruler.nops_ticks + 1, b->ruler.nops_ticks);
	return moved_at >> a->ruler.nops_ticks & 1;
}

/* ---- sequences */

/* 40 and 42 by turns, j more; 1000 more while the conditions move. */
static void code(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	u64 extra = looks && moved_at >> (looks - 1) & 1 ? disturbed : 0;

	(void)scratch;
	for (u64 i = 0; i < n; i++)
		out[i] = 40 + i % 2 * 2 + j + extra;
	if (last_backwards)
		out[n - 1] = -5ull;
}

static void twin(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	(void)j, (void)scratch;
	for (u64 i = 0; i < n; i++)
		out[i] = twin_value + i % 3;
	twin_value += twin_drift;
}

/* ---- a run of two series */

static struct options options;
static struct report report;
static struct run run;
static struct trial trials[2];
static struct hist hists[2];
static struct bench_buffers buffers;
static struct disturbance sum;

static int setup(void **state)
{
	u64 wanted;

	(void)state;
	options_default(&options);
	options.detail = 0;
	report = (struct report){.options = &options};
	run = (struct run){.options = &options, .report = &report, .redo_left = ~0ull};
	emulated = interrupts = last_backwards = false;
	ruler_held = true;
	evidence_step = evidence_now = (struct evidence){0};
	looks = 0;
	moved_at = 0;
	disturbed = 1000;
	twin_value = 10;
	twin_drift = 0;
	sum = (struct disturbance){0};
	assert_true(buffers_open(&buffers, SAMPLES, &wanted));
	for (size_t i = 0; i < 2; i++) {
		trials[i] = (struct trial){
			.code = code,
			.s = {.method = "5",
			      .form = "mem",
			      .workload = "empty",
			      .preamble = "none",
			      .unit = "ticks",
			      .lines = LINES,
			      .samples = SAMPLES},
		};
		trials[i].acc.hist = &hists[i];
	}
	return 0;
}

static void measure(void)
{
	trial_measure(&run, &buffers, trials, 2, &sum);
}

static u64 bins_sum(const struct hist *h)
{
	u64 n = h->below;

	for (size_t i = 0; i < HIST_BINS; i++)
		n += h->bin[i];
	return n;
}

/* Lines 0 to 99 of 40 and 42, j more, each counted once: whatever was thrown away is not in it. */
static void figures_are_whole(void)
{
	for (size_t i = 0; i < 2; i++) {
		const struct series *s = &trials[i].s;

		assert_int_equal(s->n, LINES * SAMPLES);
		assert_int_equal(s->min, 40);
		assert_int_equal(s->max, 42 + LINES - 1);
		assert_int_equal(s->max_dev, 2);
		assert_int_equal(s->mean_var.whole, 1);
		assert_int_equal(s->mean_var.milli, 0);
		assert_int_equal(s->var_var.whole, 0);
		assert_int_equal(s->var_min.whole, (LINES * LINES - 1) / 12);
		assert_int_equal(s->spurious, 0);
		assert_int_equal(trials[i].acc.lines, LINES);
		assert_int_equal(hists[i].m.n, LINES * SAMPLES);
		assert_int_equal(bins_sum(&hists[i]), LINES * SAMPLES);
	}
}

static void undisturbed(void **state)
{
	(void)state;
	measure();
	figures_are_whole();
	assert_int_equal(looks, 1 + WINDOWS);
	assert_int_equal(trials[1].s.redone, 0);
	assert_int_equal(trials[1].s.unsettled, 0);
	assert_int_equal(trials[1].s.ratio, 10000);
	assert_int_equal(sum.windows, 2 * LINES);
	assert_int_equal(sum.with_interrupts, 0);
	assert_int_equal(step_value(&run.step), 1);
}

static void first_and_warm_are_apart(void **state)
{
	(void)state;
	measure();
	assert_int_equal(trials[0].s.first, 40);
	assert_int_equal(trials[0].s.warm, 40);
}

/* Between looks 0 and 1 lies the first window, then its second try, then the second window. */
static void one_window_again(void **state)
{
	(void)state;
	moved_at = 1;
	measure();
	figures_are_whole();
	assert_int_equal(looks, 1 + WINDOWS + 1);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(trials[i].s.redone, 1);
		assert_int_equal(trials[i].s.unsettled, 0);
	}
	assert_int_equal(sum.redone, 1);
	assert_int_equal(sum.unsettled, 0);
	assert_int_equal(sum.windows, 2 * (LINES + WINDOW_LINES));
}

static void the_last_try_may_settle(void **state)
{
	(void)state;
	moved_at = 7 << 1; /* the second window, three times */
	measure();
	figures_are_whole();
	assert_int_equal(trials[0].s.redone, 3);
	assert_int_equal(trials[0].s.unsettled, 0);
}

/* After three more tries the window stands as it is, counted once, and is told. */
static void never_settles(void **state)
{
	(void)state;
	moved_at = ~0ull;
	disturbed = 0;
	measure();
	figures_are_whole();
	assert_int_equal(looks, 1 + 4 * WINDOWS);
	assert_int_equal(trials[1].s.redone, 3 * WINDOWS);
	assert_int_equal(trials[1].s.unsettled, WINDOWS);
	assert_int_equal(trials[1].s.ratio, 0);
	assert_int_equal(sum.unsettled, WINDOWS);
}

static void no_time_to_measure_again(void **state)
{
	(void)state;
	moved_at = ~0ull;
	disturbed = 0;
	run.redo_left = 0;
	measure();
	figures_are_whole();
	assert_int_equal(trials[0].s.redone, 0);
	assert_int_equal(trials[0].s.unsettled, WINDOWS);
}

static void the_time_is_spent(void **state)
{
	(void)state;
	moved_at = 1;
	run.redo_left = 1ull << 62;
	measure();
	assert_true(run.redo_left < 1ull << 62);
}

/* A core clock that moved between the first look and the last gives no ratio. */
static void no_ratio_of_a_moving_clock(void **state)
{
	(void)state;
	ruler_held = false;
	measure();
	assert_int_equal(trials[0].s.ratio, 0);
}

static void evidence_is_summed(void **state)
{
	(void)state;
	evidence_step = (struct evidence){.nmi = 3, .mce = 2, .smi = 7, .smi_state = VALUE_READ};
	evidence_now.smi_state = VALUE_READ;
	measure();
	assert_int_equal(sum.nmi, 3);
	assert_int_equal(sum.mce, 2);
	assert_int_equal(sum.smi, 7);
	measure();
	assert_int_equal(sum.nmi, 6);
}

/* A count that could not be read says nothing, whatever number stands there. */
static void smis_that_are_not_counted(void **state)
{
	(void)state;
	evidence_step = (struct evidence){.smi = 7, .smi_state = VALUE_FAULT};
	evidence_now.smi_state = VALUE_FAULT;
	measure();
	assert_int_equal(sum.smi, 0);
}

/* The step is the TSC's. */
static void cycles_give_no_step(void **state)
{
	(void)state;
	trials[0].s.unit = trials[1].s.unit = "cycles";
	measure();
	figures_are_whole();
	assert_false(run.step.seen);
}

static void interrupts_are_seen(void **state)
{
	(void)state;
	interrupts = true;
	measure();
	assert_int_equal(sum.with_interrupts, 2 * LINES);
}

/* Counted, and in no figure: not as a 0, and not as 2^64 - 5. */
static void backwards_samples(void **state)
{
	(void)state;
	last_backwards = true;
	measure();
	assert_int_equal(trials[0].s.backwards, LINES);
	assert_int_equal(trials[0].s.n, LINES * (SAMPLES - 1));
	assert_int_equal(trials[0].s.min, 40);
	assert_int_equal(trials[0].s.max, 42 + LINES - 1);
}

/* Two calls before and two after: the first of each warms up. */
static void overhead_of_the_twin(void **state)
{
	(void)state;
	trials[0].twin = twin;
	measure();
	assert_true(trials[0].s.overhead_known);
	assert_int_equal(trials[0].s.overhead, 10);
	assert_true(trials[0].s.overhead_stable);
	assert_false(trials[1].s.overhead_known);
}

static void overhead_that_drifts(void **state)
{
	(void)state;
	trials[0].twin = twin;
	twin_drift = 1;
	measure();
	assert_int_equal(trials[0].s.overhead, 11);
	assert_false(trials[0].s.overhead_stable);
}

static void emulated_is_never_judged(void **state)
{
	(void)state;
	emulated = true;
	measure();
	assert_int_equal(trials[0].s.ratio, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(undisturbed),	    TEST(first_and_warm_are_apart),
		TEST(one_window_again),	    TEST(the_last_try_may_settle),
		TEST(never_settles),	    TEST(no_time_to_measure_again),
		TEST(the_time_is_spent),    TEST(no_ratio_of_a_moving_clock),
		TEST(evidence_is_summed),   TEST(smis_that_are_not_counted),
		TEST(cycles_give_no_step),  TEST(interrupts_are_seen),
		TEST(backwards_samples),    TEST(overhead_of_the_twin),
		TEST(overhead_that_drifts), TEST(emulated_is_never_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
