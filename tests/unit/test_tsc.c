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
#include "wire.h"

#define SECOND 1000000ull

/* ---- the world that the suite asks for */

static u64 unsettled, backwards; /* of each series */
static u64 undone_backwards;	 /* of the first series */
static u32 trials;
static bool spends;		 /* each trial all that may go into measuring again */
static const char *moved;	 /* the method whose min moves with the preamble */
static u64 spare[16], redo_left; /* that each method or start came to, and the last look at it */
static u32 redo_n;
static char redo_of[32];
static struct options given;   /* what the next run is asked for */
static struct machine machine; /* and on what */
static enum profile profile;
static bool emulated, no_buffers;
static char use[80];			 /* the headline USE */
static void (*figures)(struct series *); /* what each series comes to, beside what is above */
static bool one_delta;			 /* all samples are alike: no step */
static bool wide;			 /* base histograms too long for a record */
static struct disturbance around;	 /* the windows of each call */
static struct {
	seq_fn *code;
} piloted[SEQ_METHODS + 1];
static u32 pilots, rulers, counters_open;

/* The series measured, in order. */
static struct {
	seq_fn *code, *twin;
	struct series s;
	const struct hist *hist;
} seen[512];
static u32 n_seen;

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
	return emulated;
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	va_list args;

	(void)run;
	assert_string_equal(topic, "USE");
	va_start(args, format);
	vsnprintf(use, sizeof(use), format, args);
	va_end(args);
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
	counters_open++;
	return false;
}

void pmu_close(void)
{
	counters_open = 0;
}

void ruler_take(struct ruler *r)
{
	rulers++;
	*r = (struct ruler){.adds_ticks = 100000, .nops_ticks = 2000};
}

void ruler_report(struct run *run, const char *where, const struct ruler *r)
{
	(void)r;
	report_text(run->report, "ruler %s\n", where);
}

bool buffers_open(struct bench_buffers *b, u64 samples, u64 *wanted)
{
	*wanted = samples * 8;
	b->samples = samples;
	return !no_buffers;
}

u64 trial_pilot(struct run *run, const struct bench_buffers *b, seq_fn *code, struct hist *hist,
		u64 *min)
{
	(void)run, (void)b, (void)hist;
	assert_true(pilots < ARRAY_SIZE(piloted));
	piloted[pilots++].code = code;
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
		assert_true(redo_n < ARRAY_SIZE(spare));
		spare[redo_n++] = run->redo_left;
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
		if (figures)
			figures(&t[i].s);
		hist_init(t[i].acc.hist, 0);
		for (u64 k = 0; k < (wide ? 2000 : t[i].s.n > 0); k++)
			hist_add_n(t[i].acc.hist, t[i].s.min + 2 * k, t[i].s.n);
		step_add(&run->step, x, one_delta ? 1 : ARRAY_SIZE(x));
		assert_true(n_seen < ARRAY_SIZE(seen));
		seen[n_seen].code = t[i].code;
		seen[n_seen].twin = t[i].twin;
		seen[n_seen].s = t[i].s;
		seen[n_seen++].hist = t[i].acc.hist;
	}
	d->windows++;
	d->unsettled += unsettled;
	d->backwards = undone_backwards;
	d->with_interrupts += around.with_interrupts;
	d->nmi += around.nmi;
	d->mce += around.mce;
	d->smi += around.smi;
	d->redone += around.redone;
}

/* ---- a run of the suite */

static struct verdict verdict;
static char recommended[8];

static struct run done;

/* What `given`, `machine` and the rest ask for. */
static void measure_given(const char *methods)
{
	static struct options options;
	static struct report report;

	options = given;
	strcpy(options.method, methods);
	report = (struct report){.options = &options};
	verdict = (struct verdict){0};
	done = (struct run){.machine = &machine,
			    .options = &options,
			    .profile = profile,
			    .verdict = &verdict,
			    .report = &report,
			    .recommended = {.id = "5"},
			    .redo_left = 77};
	arena_release(NULL);
	wire_start();
	trials = redo_n = n_seen = pilots = rulers = 0;
	wire[0] = use[0] = redo_of[0] = '\0';
	tsc_run(&done);
	strcpy(recommended, done.recommended.id);
}

static void measure(const char *methods)
{
	measure_given(methods);
	assert_true(done.measured);
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
	unsettled = backwards = undone_backwards = 0;
	spends = emulated = no_buffers = one_delta = wide = false;
	moved = NULL;
	figures = NULL;
	around = (struct disturbance){0};
	arena_most = ARRAY_SIZE(arena);
	profile = PROFILE_QUICK;
	options_default(&given);
	given.budget = 1;
	machine = (struct machine){.has_tsc = true, .rdtscp = true, .metal = true};
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

/* The budget is one second, half of which may go into measuring again. */
static void each_method_may_measure_again(void **state)
{
	(void)state;
	spends = true;
	measure("5,6,7,7m");
	assert_int_equal(redo_n, 4);
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(spare[i], SECOND / 2 / 4);
	spends = false;
	measure("5,6,7,7m");
	assert_int_equal(redo_n, 4);
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(spare[i], SECOND / 2 / 4 * (i + 1));
}

static void each_start_may_measure_again(void **state)
{
	(void)state;
	spends = true;
	measure("matrix");
	assert_int_equal(redo_n, SEQ_STARTS - 1); /* SERIALIZE is missing */
	for (u32 i = 0; i < redo_n; i++)
		assert_int_equal(spare[i], SECOND / 2 / SEQ_STARTS);
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

/* ---- each series is what its name says */

static u32 index_of(const char *const name[], u32 n, const char *word)
{
	u32 i = 0;

	while (i < n && strcmp(name[i], word) != 0)
		i++;
	assert_true(i < n);
	return i;
}

static bool is_of(const struct series *s, const char *work, const char *pre, const char *form)
{
	return strcmp(s->workload, work) == 0 && strcmp(s->preamble, pre) == 0 &&
	       strcmp(s->form, form) == 0;
}

static void check_codes(void)
{
	for (u32 i = 0; i < n_seen; i++) {
		const struct series *s = &seen[i].s;
		const u32 m = (u32)seq_method_find(s->method, strlen(s->method));
		const u32 w = index_of(seq_workload_name, WORKLOADS, s->workload);
		const u32 p = index_of(seq_preamble_name, PREAMBLES, s->preamble);
		const u32 f = index_of(seq_form_name, FORMS, s->form);

		assert_non_null(seen[i].code);
		assert_ptr_equal(seen[i].code, seq_find(m, w, p, f));
		assert_ptr_equal(seen[i].twin,
				 w == WORK_EMPTY ? NULL : seq_find(m, WORK_EMPTY, p, f));
		assert_int_equal(s->grows, w == WORK_LOOP);
		assert_string_equal(s->unit, seq_method[m].ticks ? "ticks" : "cycles");
	}
}

/* "method form/workload/preamble ..." of all that was measured. */
static void check_order(const char *want)
{
	char names[2048] = "";

	for (u32 i = 0; i < n_seen; i++) {
		const struct series *s = &seen[i].s;
		const size_t at = strlen(names);

		snprintf(names + at, sizeof(names) - at, "%s%s %s/%s/%s", i ? "; " : "", s->method,
			 s->form, s->workload, s->preamble);
	}
	assert_string_equal(names, want);
}

static void each_series_is_what_its_name_says(void **state)
{
	(void)state;
	measure("7m");
	check_order("7m mem/empty/none; 7m mem/empty/tsc; 7m mem/empty/tsc+work; "
		    "7m mem/empty/tsc+work+lfence; 7m reg/empty/none; 7m mem/store/none; "
		    "7m mem/add/none; 7m mem/loop/none");
	check_codes();
	strcpy(given.workload, "add,empty");
	measure("2c,6");
	check_order("2c mem/empty/none; 2c mem/empty/tsc; 2c mem/empty/tsc+work; "
		    "2c mem/empty/tsc+work+lfence; 2c reg/empty/none; 2c mem/add/none; "
		    "6 mem/empty/none; 6 mem/empty/tsc; 6 mem/empty/tsc+work; "
		    "6 mem/empty/tsc+work+lfence; 6 reg/empty/none; 6 mem/add/none");
	check_codes();
	assert_int_equal(pilots, 2);
	for (u32 i = 0; i < pilots; i++)
		assert_ptr_equal(piloted[i].code,
				 seq_find((u32)seq_method_find(i ? "6" : "2c", i ? 1 : 2),
					  WORK_EMPTY, PRE_NONE, FORM_MEM));
	strcpy(given.workload, "loop");
	given.detail = DETAIL_FULL;
	measure("9");
	check_order("9 mem/loop/none; 9 mem/loop/tsc; 9 mem/loop/tsc+work; "
		    "9 mem/loop/tsc+work+lfence");
	check_codes();
	assert_int_equal(counters_open, 0);
}

static void each_cell_is_what_its_name_says(void **state)
{
	(void)state;
	measure("matrix");
	assert_int_equal(n_seen, (SEQ_STARTS - 1) * (SEQ_ENDS - 1));
	for (u32 i = 0; i < n_seen; i++) {
		u32 start = 0, end = 0;

		while (strcmp(seq_start[start].text, seen[i].s.workload) != 0)
			start++;
		while (strcmp(seq_end_edge[end].text, seen[i].s.preamble) != 0)
			end++;
		assert_ptr_equal(seen[i].code, seq_matrix[start * SEQ_ENDS + end]);
		assert_null(seen[i].twin);
		assert_int_equal(seen[i].s.lines, 32);
		assert_int_equal(seen[i].s.samples, 200);
	}
	profile = PROFILE_STANDARD;
	measure("matrix");
	assert_int_equal(seen[0].s.samples, 500);
	given.lines = 7;
	given.samples = 9;
	measure("matrix");
	assert_int_equal(seen[0].s.lines, 7);
	assert_int_equal(seen[0].s.samples, 9);
}

/* ---- how much is measured, and how long that takes */

static void geometry_is_the_plans(void **state)
{
	(void)state;
	given.budget = 1000000;
	profile = PROFILE_STANDARD;
	measure("5");
	for (u32 i = 0; i < n_seen; i++) {
		assert_int_equal(seen[i].s.lines, seen[i].s.grows ? 64 : 1000);
		assert_int_equal(seen[i].s.samples, 10000);
		assert_false(seen[i].s.trimmed);
	}
	given.budget = 1;
	measure("5");
	assert_true(seen[0].s.trimmed);
	assert_true(seen[0].s.samples < 10000);
	given.lines = 20; /* what is given is obeyed, whatever it takes */
	measure("5");
	assert_int_equal(seen[0].s.lines, 20);
	assert_int_equal(seen[0].s.samples, 10000);
	assert_false(seen[0].s.trimmed);
	given.lines = OPTION_UNSET;
	given.samples = 300000;
	measure("5");
	assert_int_equal(seen[0].s.lines, 1000);
	assert_int_equal(seen[0].s.samples, 300000);
	assert_false(seen[0].s.trimmed);
}

static void the_budget_is_the_machines(void **state)
{
	(void)state;
	given.budget = OPTION_UNSET;
	measure("5");
	assert_int_equal(spare[0], 300 * SECOND / 2);
	machine.process = true;
	measure("5");
	assert_int_equal(spare[0], 60 * SECOND / 2);
	machine.process = false;
	machine.hypervisor = true;
	measure("5");
	assert_int_equal(spare[0], 60 * SECOND / 2);
	given.budget = 10;
	measure("5");
	assert_int_equal(spare[0], 10 * SECOND / 2);
	measure("5,5");
	assert_int_equal(spare[0], 10 * SECOND / 2);
}

/* At 100 ticks a sample and a million a second. */
static void what_is_left_is_told(void **state)
{
	(void)state;
	given.lines = 20;
	given.samples = 1000;
	machine.tsc_trusted = true;
	measure("5,6");
	check_says("# method 5: 20 lines x 1000 samples, about 32 s left\n");
	check_says("# method 6: 20 lines x 1000 samples, about 16 s left\n");
	check_silent("bytes of report");
	machine.tsc_trusted = false;
	measure("5,6");
	check_says("# method 5: 20 lines x 1000 samples, about 32000000 ticks left\n");
	strcpy(given.workload, "empty");
	measure("5");
	check_says(" about 10000000 ticks left\n");
	strcpy(given.workload, "add");
	measure("5");
	check_says(" about 2000000 ticks left\n");
	strcpy(given.workload, "loop,store");
	measure("5");
	check_says(" about 4000000 ticks left\n");
	given.detail = DETAIL_FULL;
	measure("5");
	check_says(" about 16000000 ticks left\n");
	check_says("# up to 37840 bytes of report, 3 s at 115200 baud");
}

/* ---- each figure in its place */

static u64 place(const struct series *s)
{
	return (u64)(strcmp(s->form, "reg") == 0) * 50 +
	       index_of(seq_workload_name, WORKLOADS, s->workload) * 10 +
	       index_of(seq_preamble_name, PREAMBLES, s->preamble);
}

static void figures_of_places(struct series *s)
{
	s->min = 500 + place(s);
	s->max = 900 + place(s);
	s->n = 2000 + place(s);
	s->var_min.whole = 10 + place(s);
	s->mean_var.whole = 300 + place(s);
	s->var_var.whole = 700;
	s->overhead_known = s->workload != seq_workload_name[WORK_EMPTY];
	s->overhead = 100 + place(s);
	s->overhead_stable = strcmp(s->workload, "add") != 0;
	s->resolution = s->grows ? 6 + place(s) % 10 : 0;
	s->ratio = s->workload == seq_workload_name[WORK_EMPTY] ? 20000 : 0;
}

static u32 times_said(const char *text)
{
	u32 n = 0;

	for (const char *at = wire; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void figures_stand_in_their_places(void **state)
{
	(void)state;
	figures = figures_of_places;
	measure("6");
	check_says(
		"\n6         500    501    502    503    550    510    520    530    130       6 ~\n");
	check_says("\n6          500       300.000 ");
	check_says("\n6               700.000     10.000 ");
	check_says("min in core cycles, where the ratio held: 6: 1000\n");
	check_says(
		"type=hist suite=tsc method=6 form=mem work=empty pre=none part=0 base=0 below=0 "
		"n=2000 ");
	check_says("method 6 is not eligible: min moves with the preamble\n");
	check_says("type=recommend method=5 default=1 step=2 rule=1 ");
	check_says("recommended: method 5 (default): no method is eligible");
	assert_string_equal(use, "method 5, by default: nothing was eligible");
	assert_int_equal(times_said("type=series "), 1);
	assert_int_equal(times_said("type=rows "), 1);
	check_says(" of=mem/empty/tsc,mem/empty/tsc+work,mem/empty/tsc+work+lfence,reg/empty/none,"
		   "mem/store/none,mem/add/none,mem/loop/none "
		   "n=2001,2002,2003,2050,2010,2020,2030 ");
	/* Every combination is told, and the tables are of the same. */
	given.detail = DETAIL_FULL;
	measure("6");
	check_says(
		"\n6         500    501    502    503    550    510    520    530    130       6 ~\n");
	assert_int_equal(times_said("type=series "), 17);
	assert_int_equal(times_said("type=rows "), 0);
}

static void what_was_not_measured_has_no_figure(void **state)
{
	(void)state;
	figures = figures_of_places;
	strcpy(given.workload, "store,loop");
	measure("6");
	check_says(
		"\n6           -      -      -      -      -    510      -    530    130       6\n");
	check_silent("\n6           0 ");
	check_silent("variance");
	check_says("no method is recommended: the `empty` workload was not measured\n");
	assert_null(verdict_find(&verdict, "tsc.recommended"));
	strcpy(given.workload, "add,store");
	measure("6");
	check_says(
		"\n6           -      -      -      -      -    510    520      -    120       - ~\n");
	strcpy(given.workload, "empty");
	measure("6");
	check_says(
		"\n6         500    501    502    503    550      -      -      -      -       -\n");
}

static void figures_wild(struct series *s)
{
	figures_of_places(s);
	s->mean_var.whole = s->var_min.whole = (u128)1 << 126;
	s->p50 = s->p97 = (struct bound){1ull << 62, 1ull << 63};
}

/* Wide columns: none of the series is lost, none told twice. */
static void wide_rows_take_more_records(void **state)
{
	(void)state;
	figures = figures_wild;
	measure("6");
	assert_true(times_said("type=rows ") > 1);
	assert_true(times_said("type=rows ") < 7);
	assert_int_equal(done.report->lost, 0);
	for (enum seq_preamble p = PRE_TSC; p < PREAMBLES; p++) {
		char of[40];

		snprintf(of, sizeof(of), "mem/empty/%s", seq_preamble_name[p]);
		assert_true(times_said(of) >= 1);
	}
	assert_int_equal(times_said("mem/store/none"), 1);
	assert_int_equal(times_said("mem/add/none"), 1);
	assert_int_equal(times_said("mem/loop/none"), 1);
	assert_int_equal(times_said("reg/empty/none"), 1);
}

/* The recommended one's is shown in more detail than the others', detail=full shows all of all. */
static void histograms_as_long_as_they_matter(void **state)
{
	(void)state;
	wide = true;
	measure("5,6");
	assert_string_equal(recommended, "5");
	assert_int_equal(times_said("type=hist suite=tsc method=5 "), 2);
	assert_int_equal(times_said("type=hist suite=tsc method=6 "), 1);
	given.detail = DETAIL_FULL;
	measure("5,6");
	assert_true(times_said("type=hist suite=tsc method=6 ") > 2);
	assert_int_equal(times_said(" more=0 "), 2);
}

/* ---- what the rule is told */

static const char *odd; /* the series that `oddness` is done to */
static const char *odd_work, *odd_pre, *odd_form;
static void (*oddness)(struct series *);

static void figures_odd(struct series *s)
{
	s->resolution = s->grows ? 3 : 0;
	s->max = 100;
	if (strcmp(s->method, odd) == 0 && is_of(s, odd_work, odd_pre, odd_form))
		oddness(s);
}

/* Of these methods this one is recommended when that happens to one series. */
static void check_rule(const char *methods, const char *want, const char *of, const char *work,
		       const char *pre, const char *form, void (*what)(struct series *))
{
	figures = figures_odd;
	odd = of;
	odd_work = work;
	odd_pre = pre;
	odd_form = form;
	oddness = what;
	measure(methods);
	assert_string_equal(recommended, want);
}

static void nothing(struct series *s)
{
	(void)s;
}

static void runs_backwards(struct series *s)
{
	s->backwards = 1;
}

static void moves_under_a_step(struct series *s)
{
	s->min++;
}

static void moves_by_a_step(struct series *s)
{
	s->min += 2;
}

static void is_finer(struct series *s)
{
	s->resolution = 2;
}

static void varies_within_a_step_squared(struct series *s)
{
	s->var_min.whole = 3;
}

static void varies_by_a_step_squared(struct series *s)
{
	s->var_min.whole = 4;
}

static void lines_vary(struct series *s)
{
	s->mean_var.whole = s->var_var.whole = 100;
	s->max = 1000;
}

static void keeps_no_sample(struct series *s)
{
	s->n = 0;
}

static void the_rule_is_told_all(void **state)
{
	static const char *const pre[] = {"none", "tsc", "tsc+work", "tsc+work+lfence"};

	(void)state;
	check_rule("5,6", "5", "5", "empty", "none", "mem", nothing);
	assert_string_equal(use, "method 5");
	check_rule("2c,5", "5", "5", "empty", "none", "mem", nothing);
	check_rule("5,6", "5", "5", "empty", "none", "mem", varies_within_a_step_squared);
	check_rule("5,6", "6", "5", "empty", "none", "mem", varies_by_a_step_squared);
	check_says("type=recommend method=6 default=0 step=2 rule=1 reason=");
	check_says("recommended: method 6: lowest variance");
	check_rule("5,6", "5", "5", "empty", "none", "mem", lines_vary);
	check_rule("5,6", "5", "5", "empty", "tsc", "mem", varies_by_a_step_squared);
	check_rule("5,6", "6", "6", "loop", "none", "mem", is_finer);
	check_rule("5,6", "5", "6", "add", "none", "mem", is_finer);
	check_rule("5,8,6", "5", "6", "empty", "none", "reg", moves_by_a_step);
	check_rule("9", "5", "9", "empty", "none", "mem", nothing);
	check_says("method 9 is not eligible: unit is not ticks\n");
	check_says("no method is eligible: 13 not measured, 1 unit is not ticks\n");
	check_rule("7m,6", "6", "7m", "empty", "none", "mem", nothing);
	for (u32 p = 0; p < ARRAY_SIZE(pre); p++) {
		check_rule("5,6", "6", "5", "empty", pre[p], "mem", runs_backwards);
		check_rule("5,6", "6", "5", "empty", pre[p], "mem", moves_by_a_step);
		check_says("method 5 is not eligible: min moves with the preamble\n");
		check_silent("method 6 is not");
		check_rule("5,6", p ? "5" : "6", "5", "empty", pre[p], "mem", moves_under_a_step);
		check_silent("not eligible");
	}
	check_rule("5,6", "6", "5", "empty", "none", "reg", runs_backwards);
	check_rule("5,6", "6", "5", "store", "none", "mem", runs_backwards);
	check_rule("5,6", "6", "5", "empty", "none", "mem", keeps_no_sample);
	check_silent("method=5 form=mem work=empty pre=none part=0");
	assert_int_equal(times_said("\n5    "), 1); /* of three tables: minima of what it has */
	assert_int_equal(times_said("\n6    "), 3);
	check_rule("8,6,7m", "6", "6", "empty", "none", "mem", nothing);
}

/* ---- checks */

static void check_reason(const char *name, enum status status, const char *reason)
{
	check_is(name, status);
	assert_string_equal(verdict_find(&verdict, name)->reason, reason);
}

static void all_is_empty(struct series *s)
{
	s->n = 0;
}

static void each_method_has_its_check(void **state)
{
	(void)state;
	measure("5,8");
	check_is("tsc.method.5", STATUS_OK);
	check_reason("tsc.method.8", STATUS_SKIP, "no SERIALIZE");
	assert_null(verdict_find(&verdict, "tsc.method.6"));
	check_says("  8   serialize; rdtsc         .. serialize; rdtsc   skipped: no SERIALIZE\n");
	check_says("  5   lfence; rdtsc            .. lfence; rdtsc\n");
	measure_given("8");
	assert_false(done.measured);
	assert_int_equal(n_seen, 0);
	check_is("tsc.method.8", STATUS_SKIP);
	assert_null(verdict_find(&verdict, "tsc.quiet"));
	measure_given("all");
	assert_int_equal(redo_n, SEQ_METHODS - 1);
	figures = all_is_empty;
	measure("5");
	check_reason("tsc.method.5", STATUS_ERROR, "no sample stayed");
	figures = figures_odd;
	odd = "5";
	odd_work = "loop";
	odd_pre = "none";
	odd_form = "mem";
	oddness = keeps_no_sample;
	measure("5");
	check_is("tsc.method.5", STATUS_OK);
}

static void backwards_samples_fail_in_ticks(void **state)
{
	(void)state;
	backwards = 2;
	measure("5");
	check_reason("tsc.backwards", STATUS_FAILED, "16 samples ended before they started");
	measure("9");
	check_is("tsc.backwards", STATUS_OK);
	undone_backwards = 3;
	backwards = 0;
	measure("5");
	check_reason("tsc.backwards", STATUS_FAILED,
		     "3 samples ended before they started, 3 of them in lines measured again");
	undone_backwards = 0;
	backwards = 2;
	emulated = true;
	measure("5");
	check_is("tsc.backwards", STATUS_SKIP);
	measure("matrix");
	check_reason("tsc.backwards", STATUS_SKIP, "108 samples ended before they started");
}

static void conditions_are_judged_on_hardware(void **state)
{
	(void)state;
	around.redone = 1;
	measure("5");
	check_is("tsc.conditions", STATUS_OK);
	unsettled = 1;
	measure("5");
	check_is("tsc.conditions", STATUS_UNSTABLE);
	emulated = true;
	measure("5");
	check_is("tsc.conditions", STATUS_SKIP);
	assert_string_equal(use, "method 5 here; an emulator's figures say nothing of hardware");
}

static void quiet_is_judged(void **state)
{
	static const struct disturbance one[] = {{.nmi = 1}, {.mce = 1}, {.smi = 1}};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(one); i++) {
		around = one[i];
		emulated = false;
		measure("5");
		check_is("tsc.quiet", STATUS_UNSTABLE);
		emulated = true;
		measure("5");
		check_is("tsc.quiet", STATUS_SKIP);
	}
	emulated = false;
	around.with_interrupts = 1;
	measure("5");
	check_reason("tsc.quiet", STATUS_ERROR, "interrupts were on in 5 of 5 windows");
	machine.process = true;
	measure("5");
	check_is("tsc.quiet", STATUS_SKIP);
}

static void the_step_and_the_default_are_judged(void **state)
{
	(void)state;
	measure("5");
	check_reason("tsc.step", STATUS_OK, "2 ticks");
	assert_int_equal(rulers, 2);
	one_delta = true;
	moved = "5";
	measure("5");
	check_is("tsc.step", STATUS_SKIP);
	check_is("tsc.recommended", STATUS_UNSTABLE);
	emulated = true;
	measure("5");
	check_is("tsc.recommended", STATUS_OK);
}

static void memory_that_is_missing_fails(void **state)
{
	(void)state;
	no_buffers = true;
	measure_given("5");
	assert_false(done.measured);
	check_reason("tsc.memory", STATUS_FAILED, "samples=200 needs 1600 bytes, 0 are left");
	no_buffers = false;
	arena_most = SEQ_METHODS + PREAMBLES - 1;
	measure_given("5");
	assert_false(done.measured);
	check_is("tsc.memory", STATUS_FAILED);
	arena_most++;
	measure("5");
	assert_null(verdict_find(&verdict, "tsc.memory"));
}

static void figures_of_cells(struct series *s)
{
	const bool one =
		strcmp(s->workload, "rdtscp") == 0 && strcmp(s->preamble, "lfence; rdtsc") == 0;

	s->min = 40;
	s->max = 90;
	s->mean_var = (struct variance){.whole = 7};
	s->var_var = (struct variance){.whole = 8};
	if (!one)
		return;
	s->min = 61;
	s->mean_var.whole = 12;
	s->unsettled = 1;
	s->backwards = 1;
}

static void cells_stand_in_their_places(void **state)
{
	(void)state;
	figures = figures_of_cells;
	measure("matrix");
	check_says(
		"\nrdtscp                    40    40    40    40    61    40    40    40     -    "
		"40 !\n");
	check_says("\nrdtscp                     7.000     7.000     7.000     7.000    12.000     "
		   "7.000     7.000     7.000         -     7.000 !\n");
	check_says(
		"\nmfence; rdtsc             40    40    40    40    40    40    40    40     -    "
		"40\n");
	check_says(
		"\nserialize; rdtsc           -     -     -     -     -     -     -     -     -    "
		" -\n");
	assert_int_equal(times_said(" !\n"), 2);
	assert_int_equal(times_said("type=matrix "), (SEQ_STARTS - 1) * (SEQ_ENDS - 1));
	check_says(
		"type=matrix start=rdtscp end=\"lfence;\\x20rdtsc\" min=61 var=12.000 unsettled=1 ");
	check_says("type=matrix start=rdtscp end=rdtscp min=40 var=7.000 unsettled=0 ");
	check_reason("tsc.backwards", STATUS_FAILED, "1 samples ended before they started");
	assert_null(verdict_find(&verdict, "tsc.method.5"));
	check_silent("recommended:");
}

static void figures_of_an_empty_cell(struct series *s)
{
	if (strcmp(s->workload, "rdtscp") == 0 && strcmp(s->preamble, "rdtscp") == 0)
		s->n = 0;
	else
		s->n = 1;
}

static void an_empty_cell_is_an_error(void **state)
{
	(void)state;
	figures = figures_of_an_empty_cell;
	measure("matrix");
	check_reason("tsc.matrix", STATUS_ERROR, "no sample stayed in 1 cells");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(methods_are_judged),
		TEST(the_matrix_is_judged_as_methods_are),
		TEST(a_matrix_that_never_settled_says_so),
		TEST(a_matrix_that_runs_backwards_fails),
		TEST(each_method_may_measure_again),
		TEST(each_start_may_measure_again),
		TEST(each_preamble_counts),
		TEST(each_series_is_what_its_name_says),
		TEST(each_cell_is_what_its_name_says),
		TEST(geometry_is_the_plans),
		TEST(the_budget_is_the_machines),
		TEST(what_is_left_is_told),
		TEST(figures_stand_in_their_places),
		TEST(what_was_not_measured_has_no_figure),
		TEST(wide_rows_take_more_records),
		TEST(histograms_as_long_as_they_matter),
		TEST(the_rule_is_told_all),
		TEST(each_method_has_its_check),
		TEST(backwards_samples_fail_in_ticks),
		TEST(conditions_are_judged_on_hardware),
		TEST(quiet_is_judged),
		TEST(the_step_and_the_default_are_judged),
		TEST(memory_that_is_missing_fails),
		TEST(cells_stand_in_their_places),
		TEST(an_empty_cell_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
