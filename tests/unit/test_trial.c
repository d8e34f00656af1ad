// SPDX-License-Identifier: MIT
/*
 * Series line by line: trial.c itself, over sequences that write what the test says and conditions
 * that move when it says. A window that is taken again must leave nothing of its first try.
 */
#include "insn.h"

static struct cpuid_regs fake_cpuid(u32 leaf, u32 subleaf);
static u64 fake_tsc(void);
#define cpuid	      fake_cpuid
#define rdtsc_ordered fake_tsc
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
static u64 twin_late;			/* added to it once lines were taken */
static bool last_backwards;		/* the last sample of each line is */
static bool first_backwards;		/* the very first is */
static u64 tsc, cost, ticks_per_second; /* cost: ticks a sample */
static u32 cpuids, quiet, calls;	/* so far; calls: of a sequence */
static u64 off_at; /* asks for the interrupt flag that are answered with on: 1 even, 2 odd */
static u32 asks;
static u32 first_look_calls, last_look_calls; /* calls when the evidence was read */
static bool quiet_first;		      /* env_quiet() came before all that */

u64 env_arena_left(void)
{
	return 0;
}

void env_quiet(void)
{
	quiet++;
}

static struct cpuid_regs fake_cpuid(u32 leaf, u32 subleaf)
{
	assert_int_equal(leaf | subleaf, 0);
	cpuids++;
	return (struct cpuid_regs){0};
}

static u64 fake_tsc(void)
{
	return tsc;
}

bool env_interrupts_off(void)
{
	return !interrupts && !(off_at >> asks++ % 2 & 1);
}

void env_write(const char *bytes, size_t n)
{
	(void)bytes, (void)n;
}

u64 env_ticks_per_second(void)
{
	return ticks_per_second;
}

void env_evidence(struct evidence *e)
{
	if (first_look_calls == ~0u) {
		first_look_calls = calls;
		quiet_first = quiet == 1;
	}
	last_look_calls = calls;
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
	*c = (struct conditions){
		.ruler = {.adds_ticks = RULER_ADDS + 100 * looks, .nops_ticks = looks}};
	looks++;
}

bool conditions_moved(const struct run *run, const struct conditions *a, const struct conditions *b)
{
	(void)run;
	assert_int_equal(a->ruler.nops_ticks + 1, b->ruler.nops_ticks);
	return moved_at >> a->ruler.nops_ticks & 1;
}

/* ---- sequences */

/*
 * Each line comes right behind a few samples of the same loop size that are thrown away, and these
 * behind three CPUIDs. Before the first look at the conditions there are no lines.
 */
static void line_is_led_in(u64 n, u64 j)
{
	static u64 last_j;
	static u32 last_cpuids;
	static bool led;

	if (looks && n == TRIAL_PRELUDE) {
		assert_int_equal(cpuids, last_cpuids + 3);
	} else if (looks) {
		assert_int_equal(n, SAMPLES);
		assert_true(led && last_j == j);
	}
	led = looks && n == TRIAL_PRELUDE;
	last_j = j;
	last_cpuids = cpuids;
}

/* 40 and 42 by turns, j more; 1000 more while the conditions move. */
static void code(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	u64 extra = looks && moved_at >> (looks - 1) & 1 ? disturbed : 0;

	(void)scratch;
	line_is_led_in(n, j);
	calls++;
	tsc += n * cost;
	for (u64 i = 0; i < n; i++)
		out[i] = 40 + i % 2 * 2 + j + extra;
	if (last_backwards)
		out[n - 1] = -5ull;
	if (first_backwards && !looks)
		out[0] = -7ull;
}

static void twin(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	(void)j, (void)scratch;
	for (u64 i = 0; i < n; i++)
		out[i] = twin_value + (looks ? twin_late : 0) + i % 3;
	calls++;
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
	emulated = interrupts = last_backwards = first_backwards = false;
	tsc = 1000;
	cost = 1;
	ticks_per_second = ~0ull; /* so many that a window is never over by time */
	cpuids = quiet = calls = asks = 0;
	off_at = 0;
	first_look_calls = ~0u;
	ruler_held = true;
	evidence_step = evidence_now = (struct evidence){0};
	looks = 0;
	moved_at = 0;
	disturbed = 1000;
	twin_value = 10;
	twin_drift = twin_late = 0;
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

/* Two series more, as the first were. */
static void measure_again(void)
{
	looks = 0;
	for (size_t i = 0; i < 2; i++)
		trials[i].s.redone = trials[i].s.unsettled = 0;
	measure();
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
	/* by the last look: 100,000 adds in 100,200 ticks */
	assert_int_equal(trials[1].s.ratio, 9980);
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

/* The very first sample is told as it came. */
static void a_first_sample_that_is_backwards(void **state)
{
	(void)state;
	first_backwards = true;
	measure();
	figures_are_whole();
	assert_true(trials[0].s.first == -7ull);
	assert_int_equal(trials[0].s.backwards, 0);
}

static void settling_takes_three(void **state)
{
	(void)state;
	trial_settle();
	assert_int_equal(cpuids, 3);
}

static const struct {
	u64 cost, min;
} tries[] = {{500, 50}, {120, 44}, {100, 47}, {300, 60}};
static size_t tried;

static void pilot_code(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	(void)j, (void)scratch;
	assert_int_equal(n, 100);
	for (u64 i = 0; i < n; i++)
		out[i] = tries[tried].min + i;
	tsc += n * tries[tried++].cost;
}

/* The cheapest pass and the least sample of all, which need not be of one pass. */
static void the_pilot_takes_the_best(void **state)
{
	u64 min;

	(void)state;
	tried = 0;
	assert_int_equal(trial_pilot(&run, &buffers, pilot_code, &hists[0], &min), 100 + 1);
	assert_int_equal(min, 44);
	assert_int_equal(tried, ARRAY_SIZE(tries));
	assert_true(quiet && cpuids == 3);
}

/* A look every fiftieth of a second: after three pairs of lines of 158 samples each. */
static void a_window_ends_by_time(void **state)
{
	(void)state;
	ticks_per_second = 50 * (4 * (SAMPLES + TRIAL_PRELUDE) + 1);
	measure();
	figures_are_whole();
	assert_int_equal(looks, 1 + (LINES + 2) / 3);
}

/* The evidence of before is from before the first sample, that of after from behind the last. */
static void evidence_encloses_it_all(void **state)
{
	(void)state;
	trials[0].twin = twin;
	measure();
	assert_true(quiet_first);
	assert_int_equal(first_look_calls, 0);
	assert_int_equal(last_look_calls, calls);
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
	/* The next series' is added. */
	measure_again();
	assert_int_equal(sum.redone, 2);
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
	assert_int_equal(run.redo_left,
			 (1ull << 62) - 2 * WINDOW_LINES * (SAMPLES + TRIAL_PRELUDE));
	run.redo_left = 10;
	assert_false(redo_afford(&run, 11));
	assert_true(redo_afford(&run, 10));
	assert_int_equal(run.redo_left, 0);
	assert_false(redo_afford(&run, 1));
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
	measure_again();
	assert_int_equal(sum.nmi, 6);
	assert_int_equal(sum.mce, 4);
	assert_int_equal(sum.smi, 14);
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

/* On at the start of each line, or at its end alone. */
static void interrupts_are_seen_at_either_end(void **state)
{
	(void)state;
	off_at = 1;
	measure();
	assert_int_equal(sum.with_interrupts, 2 * LINES);
	off_at = 2;
	measure_again();
	assert_int_equal(sum.with_interrupts, 4 * LINES);
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

/* A clock that ran backwards did so whatever the core clock was doing: no second try undoes that.
 */
static void backwards_samples_of_a_window_taken_again(void **state)
{
	(void)state;
	last_backwards = true;
	moved_at = 1;
	measure();
	assert_int_equal(trials[0].s.backwards, LINES);
	assert_int_equal(sum.backwards, 2 * WINDOW_LINES);
	for (size_t i = 0; i < 2; i++)
		trials[i].s.unit = "cycles";
	measure_again();
	assert_int_equal(sum.backwards, 2 * WINDOW_LINES);
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

/* The step here is 1: as far apart they are the same, further they are not. */
static void overhead_a_step_apart(void **state)
{
	(void)state;
	trials[0].twin = twin;
	twin_late = 1;
	measure();
	assert_int_equal(trials[0].s.overhead, 10);
	assert_true(trials[0].s.overhead_stable);
	twin_late = 2;
	measure_again();
	assert_int_equal(trials[0].s.overhead, 10);
	assert_false(trials[0].s.overhead_stable);
	twin_late = -3ull;
	measure_again();
	assert_int_equal(trials[0].s.overhead, 7);
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
		TEST(undisturbed),
		TEST(first_and_warm_are_apart),
		TEST(a_first_sample_that_is_backwards),
		TEST(settling_takes_three),
		TEST(the_pilot_takes_the_best),
		TEST(a_window_ends_by_time),
		TEST(evidence_encloses_it_all),
		TEST(interrupts_are_seen_at_either_end),
		TEST(overhead_a_step_apart),
		TEST(one_window_again),
		TEST(the_last_try_may_settle),
		TEST(never_settles),
		TEST(no_time_to_measure_again),
		TEST(the_time_is_spent),
		TEST(no_ratio_of_a_moving_clock),
		TEST(evidence_is_summed),
		TEST(smis_that_are_not_counted),
		TEST(cycles_give_no_step),
		TEST(interrupts_are_seen),
		TEST(backwards_samples),
		TEST(backwards_samples_of_a_window_taken_again),
		TEST(overhead_of_the_twin),
		TEST(overhead_that_drifts),
		TEST(emulated_is_never_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
