// SPDX-License-Identifier: MIT
/*
 * The gaps suite over a loop that takes turns one by one, as gaps.inc does: what each gap is taken
 * to be, what is made of all of them, and what the control with SMIs says. gaps.c and its parts
 * themselves.
 */
#include "bench.h"
#include "insn.h"

static u64 fake_tsc(void);
static void fake_gaps(struct seq_gaps *g);
#define rdtsc_ordered fake_tsc
#define seq_gaps(g)   fake_gaps(g)
#include "report.c"
#include "../../kern/bench/gaps.c" /* and not that of lib */
#include "gaps_report.c"
#include "gaps_smi.c"
#undef seq_gaps

#include <stdio.h>

#include "arena.h"
#include "wire.h"

#define TPS   1000000ull
#define OUTER 60
#define INNER 40
#define TURN  (OUTER + INNER)
#define FLOOR 800 /* the automatic threshold: eight turns */

/* ---- the clock, and what takes time */

/* Times are ticks that are watched, what was stolen before left out; 0..59 of a turn is outer. */
static struct event {
	u64 at, length;
	u32 smi, nmi, mce;
	u64 steal_ns;
	bool back; /* the clock is set back by that much */
} event[16];
static size_t events, events_done;
static u64 every, every_length; /* and again and again */
static u64 slow_from;		/* from here on a turn takes twice the time */
static bool cold;		/* the first turns of a calibration take 500 ticks more */
static bool frozen;
static u64 now, watched;
static u32 calibrations;
static struct evidence counted;
static u64 looking; /* ticks that a look at the evidence takes */

static struct {
	bool refused;
	u64 length, stay; /* of an SMI; what our handler would say */
	u64 delay;	  /* turns until it comes */
	u32 counts;
} control;
static struct smi_truth truth[64];
static u64 truths;
static u64 options_stay(void);

static u64 fake_tsc(void)
{
	return now;
}

static void happens(const struct event *e)
{
	now += e->back ? -e->length : e->length;
	counted.smi += e->smi;
	counted.nmi += e->nmi;
	counted.mce += e->mce;
	counted.steal_ns += e->steal_ns;
}

/* One difference of the loop. */
static void passes(u64 usual)
{
	u64 before = watched;

	if (slow_from && watched >= slow_from)
		usual *= 2;
	now += usual;
	watched += usual;
	while (events_done < events && event[events_done].at < watched)
		happens(&event[events_done++]);
	if (every && watched / every > before / every)
		now += every_length;
}

static void write_port(struct seq_gaps *g)
{
	g->port = 0;
	g->stop = g->resume;
	g->written = now;
	/* The second is late. */
	truth[truths].entry = now + (truths == 1 ? 15 : 5);
	truth[truths].exit = truth[truths].entry + control.stay;
	truths++;
	if (control.delay)
		event[events++] = (struct event){.at = watched + control.delay * TURN,
						 .length = control.length,
						 .smi = control.counts};
	else
		happens(&(struct event){.length = control.length, .smi = control.counts});
}

static void watch(struct seq_gaps *g, u64 from, u64 limit)
{
	u64 length = now - from;

	*g->next = (struct seq_gap){from, length};
	g->next += limit < length;
	if (!(length >> 63) && length > g->most)
		g->most = length;
}

/* None of the time that is watched. */
static void calibration(struct seq_gaps *g)
{
	const u64 more = cold && calibrations++ % 2 == 0 ? 500 : 0;
	const u64 slow = slow_from && watched >= slow_from ? 2 : 1;

	while ((u64)(g->next - g->at) < g->room) {
		u64 last = now;

		now += OUTER * slow + more;
		watch(g, last, g->outer);
		last = now;
		now += INNER * slow + more;
		watch(g, last, g->inner);
	}
}

static void turns(struct seq_gaps *g)
{
	u64 last = now;

	do {
		if (now >= g->stop && g->port && last != g->start)
			write_port(g);
		passes(OUTER);
		watch(g, last, g->outer);
		last = now;
		passes(INNER);
		watch(g, last, g->inner);
		last = now;
	} while (--g->turns && (u64)(g->next - g->at) < g->room && (now < g->stop || g->port));
}

static void fake_gaps(struct seq_gaps *g)
{
	g->start = now;
	g->next = g->at;
	g->most = 0;
	if (frozen)
		g->turns = 0;
	else if (g->stop == ~0ull)
		calibration(g);
	else
		turns(g);
	g->end = now;
}

/* ---- the rest of the world */

#include "gap_world.h"

static bool emulated, interrupts;
static u64 quiet;

void env_quiet(void)
{
	quiet++;
}

bool env_interrupts_off(void)
{
	return !interrupts;
}

void env_evidence(struct evidence *e)
{
	now += looking;
	*e = counted;
}

bool env_smi_command(struct smi_command *c, const char **why_not)
{
	*c = (struct smi_command){.port = 0xb2};
	*why_not = "told not to";
	return !control.refused;
}

bool env_smi_handler(u64 ticks, const char **why_not)
{
	(void)why_not;
	assert_int_equal(ticks, options_stay());
	return true;
}

const struct smi_truth *env_smi_truth(u64 *n)
{
	*n = options_stay() == OPTION_UNSET ? 0 : truths;
	return options_stay() == OPTION_UNSET ? NULL : truth;
}

bool run_emulated(const struct run *r)
{
	(void)r;
	return emulated;
}

/* ---- a run on hardware, its frequency known */

static struct options options;
static struct machine machine;
static struct verdict verdict;
static struct report report;
static struct run run;
static struct gaps_suite suite;

static u64 options_stay(void)
{
	return options.smi_handler;
}

static int setup(void **state)
{
	(void)state;
	options_default(&options);
	machine = (struct machine){.metal = true, .intel = true, .tsc_trusted = true};
	verdict = (struct verdict){0};
	report = (struct report){.options = &options};
	run = (struct run){.machine = &machine,
			   .options = &options,
			   .profile = PROFILE_STANDARD,
			   .verdict = &verdict,
			   .report = &report};
	events = events_done = 0;
	wire_start();
	every = every_length = slow_from = looking = truths = quiet = 0;
	cold = frozen = emulated = interrupts = false;
	calibrations = 0;
	now = 7 * TPS;
	watched = 0;
	counted = (struct evidence){.smi_state = VALUE_READ, .smi = 3, .nmi = 1, .mce = 1};
	memset(&control, 0, sizeof(control));
	control.counts = 1;
	return 0;
}

static int again(void)
{
	arena_release(NULL);
	return setup(NULL);
}

static void guest(void)
{
	machine.metal = false;
	machine.hypervisor = true;
}

static void comes(u64 at, u64 length)
{
	event[events++] = (struct event){.at = at, .length = length};
}

static void look(u64 seconds)
{
	suite = (struct gaps_suite){0};
	options.soak = seconds;
	assert_true(gaps_open(&suite, &run));
	gaps_watch(&suite);
	gaps_period(&suite);
	gaps_report(&suite);
	gaps_smi_report(&suite);
	gaps_checks(&suite);
	assert_true(quiet);
}

static void check_is(const char *name, enum status status, const char *reason)
{
	const struct check *c = verdict_find(&verdict, name);

	assert_non_null(c);
	assert_string_equal(c->reason, reason);
	assert_int_equal(c->status, status);
}

/* The causes of all gaps, as the record names them. */
static void causes_are(const char *want)
{
	char bytes[120];
	struct text t = TEXT_ON(bytes);

	causes_fmt(&t, &suite.all, ":");
	text_byte(&t, 0);
	assert_string_equal(bytes, want);
}

/* A text in the log. */
static bool is_said(const char *want)
{
	return strstr(wire, want);
}

/* ---- a run as a whole: once, for its state is its own */

static void what_the_run_keeps(void **state)
{
	(void)state;
	options.soak = 6;
	options.smi_inject = 4;
	control.length = 5000;
	comes(1000010, 7000);
	event[0].smi = 1;
	comes(2000010, 6000);
	looking = 1000;
	guest();
	gaps_bench.run(&run);
	assert_true(run.measured);
	/* What was watched; the run took a fifth more. */
	assert_int_equal(run.gap_seconds, 6);
	assert_in_range(run.gap_ticks, 6 * TPS, 6 * TPS + 100000);
	assert_int_equal(run.gap_smi, 1);
	assert_int_equal(run.gap_stalls, 1);
}

/* ---- what is a gap, and how long it is */

static void nothing(void **state)
{
	(void)state;
	look(3);
	assert_int_equal(suite.threshold.inner, INNER);
	assert_int_equal(suite.threshold.outer, OUTER);
	assert_int_equal(suite.threshold.ticks, FLOOR);
	assert_int_equal(suite.all.windows, 3);
	assert_int_equal(suite.all.watched, 3 * TPS);
	assert_int_equal(suite.all.turns, 3 * TPS / TURN);
	assert_int_equal(suite.all.most, OUTER);
	causes_are("none");
	check_is("gaps.seen", STATUS_OK, "0 gaps in 3 s: below 60 a minute (95%)");
	check_is("gaps.stolen", STATUS_OK, "0 ppm of the time, 100 ppm are quiet");
	assert_int_equal(verdict_find(&verdict, "gaps.smi")->status, STATUS_OK);
}

/* More than the threshold above what is usual of its kind. */
static void at_either_limit(void **state)
{
	(void)state;
	comes(100010, FLOOR);
	comes(200070, FLOOR);
	look(1);
	assert_int_equal(suite.all.n, 0);
	assert_int_equal(suite.all.most, OUTER + FLOOR);
	again();
	comes(100010, FLOOR + 1);
	comes(200070, FLOOR + 1);
	look(1);
	assert_int_equal(suite.all.n, 2);
	assert_int_equal(suite.kept[0].length, OUTER + FLOOR + 1);
	assert_int_equal(suite.kept[1].length, INNER + FLOOR + 1);
	/* What was stolen is what a turn's longer part is not. */
	assert_int_equal(suite.all.stolen, 2 * FLOOR + 2 - (OUTER - INNER));
}

static void the_longest_is_kept(void **state)
{
	(void)state;
	comes(100010, 2000);
	comes(1100010, 9000);
	comes(2100010, 3000);
	look(3);
	assert_int_equal(suite.all.n, 3);
	assert_int_equal(suite.all.longest, 9000 + OUTER);
	assert_int_equal(suite.all.most, 9000 + OUTER);
	assert_int_equal(suite.all.stolen, 14000);
	assert_true(is_said("decades=4:3:14180 "));
}

/* The first turns are slow: they load the caches. */
static void calibrated_warm(void **state)
{
	(void)state;
	cold = true;
	look(1);
	assert_int_equal(suite.threshold.inner, INNER);
	assert_int_equal(suite.threshold.outer, OUTER);
}

/* At another core clock a turn takes twice as long: what is more than usual stays the same. */
static void at_another_clock(void **state)
{
	(void)state;
	slow_from = TPS;
	comes(1400010, 790);
	comes(1500010, 1000);
	look(2);
	assert_int_equal(suite.all.n, 1);
	assert_int_equal(suite.kept[0].length, 2 * OUTER + 1000);
	assert_int_equal(suite.threshold.ticks, FLOOR);
	assert_int_equal(suite.threshold.outer, OUTER);
}

/* What passes while the evidence is read is not watched. */
static void looking_is_not_watching(void **state)
{
	(void)state;
	looking = 1000;
	for (size_t i = 0; i < 3; i++)
		comes(100010 + i * 100000, 5000);
	look(1);
	assert_int_equal(suite.all.n, 3);
	assert_int_equal(suite.all.watched, suite.all.turns * TURN + 3 * 5000);
	assert_in_range(suite.all.watched, TPS, TPS + TURN);
}

/* Where most of the time goes into looking a window of one second ends after two. */
static void a_storm(void **state)
{
	(void)state;
	looking = TPS / 20;
	every = 1000;
	every_length = 900;
	look(2);
	assert_int_equal(suite.all.windows, 3);
	assert_true(suite.all.watched < TPS);
	assert_in_range(suite.wall, 6 * TPS, 7 * TPS);
}

static void the_option_sets_the_threshold(void **state)
{
	(void)state;
	options.threshold = 99;
	comes(100010, 99);
	comes(200010, 100);
	look(1);
	assert_int_equal(suite.all.n, 1);
	assert_int_equal(suite.kept[0].length, OUTER + 100);
}

/* A clock set back is no gap. */
static void backwards(void **state)
{
	(void)state;
	comes(100010, 5000);
	event[0].back = true;
	look(1);
	assert_int_equal(suite.all.n, 0);
	check_is("gaps.tsc", STATUS_FAILED, "1 backwards steps");
	again();
	comes(100010, 5000);
	event[0].back = true;
	emulated = true;
	look(1);
	check_is("gaps.tsc", STATUS_SKIP, "1 backwards steps");
}

static void stands(void **state)
{
	(void)state;
	frozen = true;
	look(1);
	check_is("gaps.tsc", STATUS_FAILED, "the TSC stands still");
}

static void interrupts_on(void **state)
{
	(void)state;
	interrupts = true;
	look(2);
	check_is("gaps.quiet", STATUS_ERROR, "interrupts on at 4 ends of windows");
	again();
	interrupts = machine.process = true;
	look(2);
	assert_null(verdict_find(&verdict, "gaps.quiet"));
}

/* The last 256 of more, in the order of time. */
static void periods_of_many(void **state)
{
	(void)state;
	every = 2000;
	every_length = 1000;
	look(1);
	assert_in_range(suite.all.n, 332, 334);
	assert_int_equal(suite.n_kept, 64);
	assert_int_equal(suite.period.events, 256);
	assert_int_equal(suite.period.ticks, 3000);
	assert_int_equal(suite.period.on, 256);
	assert_int_equal(suite.period.slots, 256);
}

/* Six at least, each of whole windows; one is due at latest after eight seconds, 6.6 windows here.
 */
static void records_of_some_windows(void **state)
{
	static const struct {
		u64 soak;
		size_t records;
	} of[] = {{5, 5}, {11, 11}, {12, 6}, {20, 7}, {60, 9}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		size_t n = 0;

		again();
		look(of[i].soak);
		for (const char *at = wire; (at = strstr(at, " type=gap ")); at++)
			n++;
		assert_int_equal(n, of[i].records);
	}
}

/* ---- for how long, by machine and profile */

static void for_how_long(void **state)
{
	(void)state;
	assert_int_equal(soak_seconds(&run), 60);
	run.profile = PROFILE_SOAK;
	assert_int_equal(soak_seconds(&run), 60);
	run.profile = PROFILE_QUICK;
	assert_int_equal(soak_seconds(&run), 5);
	run.profile = PROFILE_STANDARD;
	machine.process = true;
	assert_int_equal(soak_seconds(&run), 5);
	machine.process = false;
	guest();
	assert_int_equal(soak_seconds(&run), 5);
	emulated = true;
	assert_int_equal(soak_seconds(&run), 1);
	options.soak = 7;
	assert_int_equal(soak_seconds(&run), 7);
}

/* ---- by whom */

static void each_by_its_own_evidence(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++)
		comes(100010 + i * 100000, 5000);
	event[0].smi = event[1].nmi = event[2].mce = 1;
	look(1);
	causes_are("smi:1,nmi:1,mce:1,unknown:1");
	assert_int_equal(suite.kept[0].cause, GAP_SMI);
	assert_int_equal(suite.kept[1].cause, GAP_NMI);
	assert_int_equal(suite.kept[2].cause, GAP_MCE);
	assert_int_equal(suite.kept[3].cause, GAP_UNKNOWN);
	assert_int_equal(suite.all.smi, 1);
	assert_int_equal(suite.contradictions, 0);
}

/* Under a host, or where nobody counts SMIs, the one that nothing explains is a stall. */
static void a_stall(void **state)
{
	(void)state;
	guest();
	comes(100010, 5000);
	look(1);
	causes_are("stall:1");
	again();
	counted.smi_state = VALUE_ABSENT;
	comes(100010, 5000);
	look(1);
	causes_are("stall:1");
	again();
	machine.process = true;
	comes(100010, 5000);
	look(1);
	causes_are("stall:1");
}

/* Both differences of one turn are long, and one SMI was counted: whose, nobody knows. */
static void two_in_a_turn(void **state)
{
	(void)state;
	guest();
	comes(100010, 5000);
	comes(100070, 4000);
	event[0].smi = 1;
	look(1);
	causes_are("unknown:2");
}

/* Where the gaps of a window share their evidence their causes are counted all the same. */
static void many_share(void **state)
{
	(void)state;
	guest();
	every = 10000;
	every_length = 2000;
	comes(700010, 5000);
	event[0].smi = 1;
	look(1);
	assert_in_range(suite.all.n, SINGLE + 10, SINGLE + 20);
	assert_int_equal(suite.all.cause[GAP_SMI], 1);
	assert_int_equal(suite.all.cause[GAP_STALL], suite.all.n - 1);
}

/* An NMI too short to be a gap, and then one that is none of its doing. */
static void a_contradiction_stays(void **state)
{
	(void)state;
	comes(100010, 100);
	event[0].nmi = 1;
	comes(200010, 5000);
	event[1].smi = 1;
	comes(300010, 5000);
	event[2].smi = 1;
	look(1);
	assert_int_equal(suite.contradictions, 1);
	assert_true(
		is_said("window 1: gaps 2, SMI +2, NMI +1: the counts do not explain each other"));
	assert_true(is_said("contradicts=1 "));
	causes_are("smi:1,unknown:1");
}

/* The host says how many nanoseconds it took: 10 ms of 10.1. */
static void the_host_says_so(void **state)
{
	(void)state;
	guest();
	counted.steal_state = VALUE_READ;
	comes(100010, 10100);
	event[0].steal_ns = 10000000;
	comes(200010, 10100);
	look(1);
	causes_are("stall:1,preempted:1");
	assert_int_equal(suite.kept[0].cause, GAP_PREEMPTED);
	/* What it took outside a gap explains none. */
	again();
	guest();
	counted.steal_state = VALUE_READ;
	comes(100010, 10100);
	event[0].steal_ns = 1000000;
	look(1);
	causes_are("stall:1");
}

static void counts_of_smis(void **state)
{
	const struct evidence none = {.smi_state = VALUE_ABSENT, .smi = 9};
	const struct evidence fault = {.smi_state = VALUE_FAULT, .smi = 9};
	const struct evidence zero = {.smi_state = VALUE_UNPROVEN};
	const struct evidence one = {.smi_state = VALUE_READ, .smi = 1};
	const struct evidence five = {.smi_state = VALUE_READ, .smi = 5};

	(void)state;
	assert_int_equal(gaps_smi_moved(&one, &five), 4);
	assert_int_equal(gaps_smi_moved(&zero, &five), 5);
	assert_int_equal(gaps_smi_moved(&none, &five), 0);
	assert_int_equal(gaps_smi_moved(&fault, &five), 0);
	assert_int_equal(gaps_smi_moved(&zero, &zero), 0);
}

/* ---- what is made of it */

static void one_is_enough_on_metal(void **state)
{
	(void)state;
	comes(100010, 5000);
	event[0].smi = 1;
	look(1);
	check_is("gaps.seen", STATUS_UNSTABLE,
		 "1 gaps in 1 s: 1.0 a second (95%: 0.0 to 5.6), longest 5.1 ms; smi 1");
	check_is("gaps.smi", STATUS_UNSTABLE,
		 "1 SMI in 1.204 s: 49.8 a minute (95%: 1.2 to 277.5)");
	again();
	guest();
	comes(100010, 5000);
	look(1);
	assert_int_equal(verdict_find(&verdict, "gaps.seen")->status, STATUS_OK);
	again();
	emulated = true;
	comes(100010, 5000);
	event[0].smi = 1;
	look(1);
	assert_int_equal(verdict_find(&verdict, "gaps.seen")->status, STATUS_SKIP);
	assert_int_equal(verdict_find(&verdict, "gaps.stolen")->status, STATUS_SKIP);
	assert_int_equal(verdict_find(&verdict, "gaps.smi")->status, STATUS_SKIP);
}

/* 100 parts in a million are quiet on metal, a hundredth elsewhere. */
static void shares(void **state)
{
	static const struct {
		u64 length, ppm;
		bool shared;
		enum status status;
	} share[] = {{101, 100, false, STATUS_OK},
		     {102, 101, false, STATUS_UNSTABLE},
		     {102, 101, true, STATUS_OK},
		     {10001, 10000, true, STATUS_OK},
		     {10002, 10001, true, STATUS_UNSTABLE}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(share); i++) {
		char reason[80];

		again();
		options.threshold = 10;
		if (share[i].shared)
			guest();
		/* Of what is watched, itself included: a million ticks and one or two. */
		comes(100010, share[i].length);
		look(1);
		assert_int_equal(suite.all.stolen, share[i].length);
		snprintf(reason, sizeof(reason), "%u ppm of the time, %u ppm are quiet",
			 (unsigned int)share[i].ppm, share[i].shared ? 10000 : 100);
		check_is("gaps.stolen", share[i].status, reason);
	}
}

/* A 0 that proves nothing is not told as none. */
static void smis_that_nobody_counts(void **state)
{
	(void)state;
	guest();
	counted.smi = 0;
	counted.smi_state = VALUE_UNPROVEN;
	look(1);
	check_is("gaps.smi", STATUS_SKIP,
		 "n/a: MSR_SMI_COUNT (34h) reads 0, which proves nothing here");
	again();
	counted.smi_state = VALUE_FAULT;
	look(1);
	check_is("gaps.smi", STATUS_SKIP, "n/a: MSR_SMI_COUNT (34h) faults");
	again();
	counted.smi_state = VALUE_ABSENT;
	look(1);
	check_is("gaps.smi", STATUS_SKIP, "n/a: no MSR_SMI_COUNT");
	again();
	guest();
	look(1);
	assert_int_equal(verdict_find(&verdict, "gaps.smi")->status, STATUS_SKIP);
	assert_true(is_said("SMI      0 SMI in"));
	assert_true(is_said(", virtual"));
}

/* limit.gap looks at every difference, found or not. */
static void limits_of_length(void **state)
{
	(void)state;
	comes(100010, 500);
	options.limit_gap = (struct amount){OUTER + 500, GAP_TICKS};
	look(1);
	assert_int_equal(suite.all.n, 0);
	check_is("gaps.limit.gap", STATUS_OK, "longest 560 ticks, limit 560");
	again();
	comes(100010, 500);
	options.limit_gap = (struct amount){559, GAP_US};
	look(1);
	check_is("gaps.limit.gap", STATUS_FAILED, "longest 560 ticks, limit 559");
	again();
	machine.tsc_trusted = false;
	options.limit_gap = (struct amount){559, GAP_US};
	look(1);
	assert_int_equal(verdict_find(&verdict, "gaps.limit.gap")->status, STATUS_FAILED);
}

/* limit.smi is held against all the time that was counted in, watched or not: 1.205 s. */
static void limits_of_rate(void **state)
{
	(void)state;
	for (u64 limit = 2; limit <= 3; limit++) {
		again();
		for (size_t i = 0; i < 3; i++) {
			comes(100010 + i * 100000, 100);
			event[i].smi = 1;
		}
		options.limit_smi = (struct amount){limit, RATE_SECOND};
		look(1);
		assert_in_range(suite.wall, TPS + TPS / 5, TPS + TPS / 4);
		assert_int_equal(verdict_find(&verdict, "gaps.limit.smi")->status,
				 limit == 2 ? STATUS_FAILED : STATUS_OK);
	}
	again();
	counted.smi_state = VALUE_ABSENT;
	options.limit_smi = (struct amount){2, RATE_SECOND};
	look(1);
	check_is("gaps.limit.smi", STATUS_FAILED, "cannot be checked: n/a: no MSR_SMI_COUNT");
}

/* ---- the control */

static void control_is(enum status status, const char *reason)
{
	look(2);
	check_is("gaps.control", status, reason);
	again();
	options.smi_inject = 4;
	control.length = 5000;
}

static void controls(void **state)
{
	(void)state;
	options.smi_inject = 4;
	control.length = 5000;
	control_is(STATUS_OK, "4 SMIs asked, 4 written, 4 found, 0 missed, 0 other gaps");
	/* It comes some turns after the write. */
	control.delay = 3;
	control_is(STATUS_OK, "4 SMIs asked, 4 written, 4 found, 0 missed, 0 other gaps");
	control.delay = 6;
	control_is(STATUS_FAILED, "4 SMIs asked, 4 written, 0 found, 4 missed, 4 other gaps; "
				  "threshold 800 ticks");
	/* Too short, and nobody told us so. */
	control.length = 700;
	control_is(STATUS_FAILED, "4 SMIs asked, 4 written, 0 found, 4 missed, 0 other gaps; "
				  "threshold 800 ticks");
	/* ... and our handler did. */
	control.length = control.stay = options.smi_handler = 700;
	control_is(STATUS_SKIP, "4 SMIs asked, 4 written, 0 found, 0 missed, 0 other gaps: "
				"none was long enough; threshold 800 ticks");
	/* Our handler says it was long. */
	control.length = 700;
	control.stay = options.smi_handler = 900;
	control_is(STATUS_FAILED, "4 SMIs asked, 4 written, 0 found, 4 missed, 0 other gaps; "
				  "threshold 800 ticks");
	control.stay = options.smi_handler = 4900;
	control_is(STATUS_OK, "4 SMIs asked, 4 written, 4 found, 0 missed, 0 other gaps");
	control.counts = 2;
	control_is(STATUS_FAILED, "4 SMIs asked, 4 written, 4 found, 0 missed, 0 other gaps");
	comes(333310, 3000);
	control_is(STATUS_FAILED, "4 SMIs asked, 4 written, 4 found, 0 missed, 1 other gaps");
	control.refused = true;
	control_is(STATUS_SKIP, "smi= refused: told not to");
}

/* The most that the handler began after its gap, and by how much the gap is longer than its stay.
 */
static void the_handlers_times(void **state)
{
	(void)state;
	options.smi_inject = 4;
	options.smi_handler = control.stay = 4900;
	control.length = 5000;
	look(2);
	assert_int_equal(suite.smi.noted, 4);
	assert_int_equal(suite.smi.above, 4);
	assert_int_equal(suite.smi.late, 15);
	assert_int_equal(suite.smi.over_min, 100);
	assert_int_equal(suite.smi.over_max, 100);
	assert_int_equal(suite.smi.other, 0);
}

/* One thing wrong each. */
static void all_must_be_right(void **state)
{
	const struct gaps_smi good = {.asked = 4,
				      .written = 4,
				      .counted = 4,
				      .found = 4,
				      .on = true,
				      .handler = true,
				      .noted = 4,
				      .above = 4};

	(void)state;
	look(1);
	suite.smi = good;
	assert_true(smi_all_found(&suite));
	suite.smi.missed = 1;
	assert_false(smi_all_found(&suite));
	suite.smi = good;
	suite.smi.other = 1;
	assert_false(smi_all_found(&suite));
	suite.smi = good;
	suite.smi.asked = 5;
	assert_false(smi_all_found(&suite));
	suite.smi = good;
	suite.smi.counted = 3;
	assert_false(smi_all_found(&suite));
	suite.smi = good;
	suite.smi.noted = 3;
	assert_false(smi_all_found(&suite));
	suite.smi = good;
	suite.smi.late = suite.smi.over_max = TURN + 1;
	assert_true(smi_all_found(&suite));
	run.icount = true;
	assert_false(smi_all_found(&suite));
	suite.smi.late = TURN;
	assert_false(smi_all_found(&suite));
	suite.smi.over_max = TURN;
	assert_true(smi_all_found(&suite));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_the_run_keeps),
		TEST(nothing),
		TEST(at_either_limit),
		TEST(the_longest_is_kept),
		TEST(calibrated_warm),
		TEST(at_another_clock),
		TEST(looking_is_not_watching),
		TEST(a_storm),
		TEST(the_option_sets_the_threshold),
		TEST(backwards),
		TEST(stands),
		TEST(interrupts_on),
		TEST(periods_of_many),
		TEST(records_of_some_windows),
		TEST(for_how_long),
		TEST(each_by_its_own_evidence),
		TEST(a_stall),
		TEST(two_in_a_turn),
		TEST(many_share),
		TEST(a_contradiction_stays),
		TEST(the_host_says_so),
		TEST(counts_of_smis),
		TEST(one_is_enough_on_metal),
		TEST(shares),
		TEST(smis_that_nobody_counts),
		TEST(limits_of_length),
		TEST(limits_of_rate),
		TEST(controls),
		TEST(the_handlers_times),
		TEST(all_must_be_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
