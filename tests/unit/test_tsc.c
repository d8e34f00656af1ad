// SPDX-License-Identifier: MIT
/*
 * What the tsc suite does around its trials: tsc.c and matrix.c themselves, over trials that give
 * what the test says. Methods and the matrix may measure again alike, and both are judged.
 */
#include "matrix.c"
#include "report.c"
#include "tsc.c"
#include "tsc_report.c"

#include <stdio.h>

#include "arena.h"

#define SECOND 1000000ull

/* ---- the world that the suite asks for */

static char wire[1 << 16];
static size_t wire_n;
static u64 unsettled, backwards; /* of each series */
static u32 trials;
static bool spends;		/* each trial all that may go into measuring again */
static const char *moved;	/* the method whose min moves with the preamble */
static u64 redo[16], redo_left; /* that each method or start came to, and the last look at it */
static u32 redo_n;
static char redo_of[32];

void env_write(const char *bytes, size_t n)
{
	assert_true(wire_n + n < sizeof(wire));
	memcpy(wire + wire_n, bytes, n);
	wire_n += n;
	wire[wire_n] = '\0';
}

u64 env_ticks_per_second(void)
{
	return SECOND;
}

u64 env_arena_left(void)
{
	return 0;
}

bool run_emulated(const struct run *run)
{
	(void)run;
	return false;
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	(void)run, (void)topic, (void)format;
}

const char *needs_missing(const struct machine *m, u32 needs, const char *pmu_why)
{
	(void)m, (void)pmu_why;
	return needs & NEED_SERIALIZE ? "no SERIALIZE" : NULL;
}

bool pmu_open(const struct machine *m, const char **why)
{
	(void)m;
	*why = "none";
	return false;
}

void pmu_close(void)
{
}

void ruler_take(struct ruler *r)
{
	*r = (struct ruler){.adds_ticks = 100000, .nops_ticks = 2000};
}

void ruler_report(struct run *run, const char *where, const struct ruler *r)
{
	(void)r;
	report_text(run->report, "ruler %s\n", where);
}

bool buffers_open(struct bench_buffers *b, u64 samples, u64 *wanted)
{
	(void)wanted;
	b->samples = samples;
	return true;
}

u64 trial_pilot(struct run *run, const struct bench_buffers *b, seq_fn *code, struct hist *hist,
		u64 *min)
{
	(void)run, (void)b, (void)code, (void)hist;
	*min = 40;
	return 100;
}

/* A matrix's series has its start for a workload. */
static void redo_seen(struct run *run, const struct series *s)
{
	char of[32];

	snprintf(of, sizeof(of), "%s %s", s->method, s->method[0] == 'm' ? s->workload : "");
	if (strcmp(of, redo_of) != 0) {
		strcpy(redo_of, of);
		assert_true(redo_n < ARRAY_SIZE(redo));
		redo[redo_n++] = run->redo_left;
	} else {
		assert_int_equal(run->redo_left, redo_left);
	}
	if (spends)
		run->redo_left = 0;
	redo_left = run->redo_left;
}

void trial_measure(struct run *run, const struct bench_buffers *b, struct trial *t, size_t n,
		   struct disturbance *d)
{
	const u64 x[] = {40, 42};

	(void)b;
	redo_seen(run, &t[0].s);
	trials++;
	for (size_t i = 0; i < n; i++) {
		t[i].s.n = t[i].s.lines * t[i].s.samples;
		t[i].s.min = 40;
		if (moved && strcmp(t[i].s.method, moved) == 0 && i == PRE_TSC)
			t[i].s.min = 42;
		t[i].s.unsettled = unsettled;
		t[i].s.backwards = backwards;
		hist_init(t[i].acc.hist, 0);
		step_add(&run->step, x, ARRAY_SIZE(x));
	}
	d->windows++;
	d->unsettled += unsettled;
}

/* ---- a run of the suite */

static struct verdict verdict;
static char recommended[8];

static void measure(char *methods)
{
	static struct options options;
	static struct report report;
	static struct machine machine;
	static struct run run;

	options_default(&options);
	strcpy(options.method, methods);
	options.budget = 1;
	report = (struct report){.options = &options};
	machine = (struct machine){.has_tsc = true, .rdtscp = true, .metal = true};
	verdict = (struct verdict){0};
	run = (struct run){.machine = &machine,
			   .options = &options,
			   .profile = PROFILE_QUICK,
			   .verdict = &verdict,
			   .report = &report,
			   .recommended = {.id = "5"}};
	arena_release(NULL);
	wire_n = trials = redo_n = 0;
	redo_of[0] = '\0';
	tsc_run(&run);
	assert_true(run.measured);
	strcpy(recommended, run.recommended.id);
}

static void check_is(const char *name, enum status status)
{
	const struct check *c = verdict_find(&verdict, name);

	if (!c)
		fail_msg("no check %s", name);
	assert_int_equal(c->status, status);
}

static int setup(void **state)
{
	(void)state;
	unsettled = backwards = 0;
	spends = false;
	moved = NULL;
	return 0;
}

static void methods_are_judged(void **state)
{
	(void)state;
	measure("5,6");
	assert_true(trials >= 2);
	check_is("tsc.method.5", STATUS_OK);
	check_is("tsc.quiet", STATUS_OK);
	check_is("tsc.conditions", STATUS_OK);
	check_is("tsc.recommended", STATUS_OK);
	assert_null(verdict_find(&verdict, "tsc.matrix"));
}

static void the_matrix_is_judged_as_methods_are(void **state)
{
	(void)state;
	measure("matrix");
	check_is("tsc.matrix", STATUS_OK);
	check_is("tsc.backwards", STATUS_OK);
	check_is("tsc.step", STATUS_OK);
	check_is("tsc.quiet", STATUS_OK);
	check_is("tsc.conditions", STATUS_OK);
	assert_null(verdict_find(&verdict, "tsc.recommended"));
	assert_null(strstr(wire, " !\n"));
	assert_non_null(strstr(wire, "ruler tsc.before\n"));
	assert_non_null(strstr(wire, "ruler tsc.after\n"));
}

static void a_matrix_that_never_settled_says_so(void **state)
{
	(void)state;
	unsettled = 1;
	measure("matrix");
	check_is("tsc.conditions", STATUS_UNSTABLE);
	assert_non_null(strstr(wire, " !\n"));
	assert_non_null(strstr(wire, " unsettled=1 "));
}

static void a_matrix_that_runs_backwards_fails(void **state)
{
	(void)state;
	backwards = 1;
	measure("matrix");
	check_is("tsc.backwards", STATUS_FAILED);
}

static void both_share_one_budget(void **state)
{
	(void)state;
	measure("matrix,5");
	check_is("tsc.matrix", STATUS_OK);
	check_is("tsc.method.5", STATUS_OK);
	check_is("tsc.recommended", STATUS_OK);
}

/* The budget is one second, half of which may go into measuring again. */
static void each_method_may_measure_again(void **state)
{
	(void)state;
	spends = true;
	measure("5,6,7,7m");
	assert_int_equal(redo_n, 4);
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(redo[i], SECOND / 2 / 4);
	spends = false;
	measure("5,6,7,7m");
	assert_int_equal(redo_n, 4);
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(redo[i], SECOND / 2 / 4 * (i + 1));
}

static void each_start_may_measure_again(void **state)
{
	(void)state;
	spends = true;
	measure("matrix");
	assert_int_equal(redo_n, SEQ_STARTS - 1); /* SERIALIZE is missing */
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(redo[i], SECOND / 2 / SEQ_STARTS);
	measure("matrix,5");
	assert_int_equal(redo_n, SEQ_STARTS);
	for (u32 i = 0; i < redo_n - 1; i++)
		assert_int_equal(redo[i], SECOND / 4 / SEQ_STARTS);
	/* The start that is missing took nothing. */
	assert_int_equal(redo[redo_n - 1], SECOND / 4 / SEQ_STARTS + SECOND / 4);
}

static void each_preamble_counts(void **state)
{
	(void)state;
	measure("5,6");
	assert_string_equal(recommended, "5");
	moved = "5";
	measure("5,6");
	assert_string_equal(recommended, "6");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(methods_are_judged),
		TEST(the_matrix_is_judged_as_methods_are),
		TEST(a_matrix_that_never_settled_says_so),
		TEST(a_matrix_that_runs_backwards_fails),
		TEST(both_share_one_budget),
		TEST(each_method_may_measure_again),
		TEST(each_start_may_measure_again),
		TEST(each_preamble_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
