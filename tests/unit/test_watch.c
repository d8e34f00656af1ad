// SPDX-License-Identifier: MIT
/*
 * The gaps suite over a clock of the test's own, in which a day takes no time: what is watched,
 * when something is said, which gaps are found and how they are judged. gaps.c and its parts
 * themselves.
 */
#include "bench.h"
#include "insn.h"

static u64 fake_rdtsc(void);
static void fake_gaps(struct seq_gaps *g);
#define rdtsc_ordered fake_rdtsc
#define seq_gaps(g)   fake_gaps(g)
#include "report.c"
#include "../../kern/bench/gaps.c" /* and not that of lib */
#include "gaps_report.c"
#include "gaps_smi.c"
#undef seq_gaps

#include "arena.h"

#define TPS   1000000000ull
#define INNER 5
#define OUTER 31
#define TURN  (INNER + OUTER)
#define NEVER (~0ull)

/* ---- the clock, and what takes time */

static u64 fake_now;
static bool stands_still;
static u64 gap_every, gap_length; /* time missing, again and again */
static u64 gap_cost;		  /* ticks that looking at a find takes, unobserved */
static u64 smi_length;		  /* of one asked for */
static u64 smis;		  /* that the CPU counted */
static u64 back_at, back_by;	  /* the clock is set back, once */
static size_t found_last;

static u64 fake_rdtsc(void)
{
	return fake_now;
}

static u64 gap_next(void)
{
	return gap_every ? (fake_now / gap_every + 1) * gap_every : NEVER;
}

/* A difference between two turns, as the loop would write it down. */
static void outer_is(struct seq_gaps *g, u64 start, u64 length)
{
	g->next->start = start;
	g->next->length = length;
	g->next += length > g->outer;
	if (!(length >> 63) && length > g->most)
		g->most = length;
}

static void turns_pass(struct seq_gaps *g, u64 until)
{
	u64 turns = until > fake_now ? (until - fake_now + TURN - 1) / TURN : 1;

	if (turns > g->turns)
		turns = g->turns;
	g->turns -= turns;
	if (!stands_still)
		fake_now += turns * TURN;
}

/* A few differences, all alike, so that a day is soon over. */
static void calibration(struct seq_gaps *g)
{
	u64 length = g->inner ? OUTER : INNER;

	for (g->turns = 16; g->turns; g->turns--, fake_now += TURN)
		*g->next++ = (struct seq_gap){fake_now, stands_still ? 0 : length};
}

static void fake_gaps(struct seq_gaps *g)
{
	g->start = fake_now;
	g->next = g->at;
	g->most = stands_still ? 0 : OUTER;
	if (g->inner == ~0ull || g->outer == ~0ull)
		calibration(g);
	while (g->turns && (u64)(g->next - g->at) < g->room) {
		u64 start, event = gap_next() < back_at ? gap_next() : back_at;

		turns_pass(g, event < g->stop ? event : g->stop);
		start = fake_now;
		if (fake_now >= back_at) {
			fake_now -= back_by;
			back_at = NEVER;
			outer_is(g, start, fake_now - start);
		} else if (event != NEVER && fake_now >= event && event < g->stop) {
			fake_now += gap_length;
			outer_is(g, start, gap_length + OUTER);
		} else if (fake_now >= g->stop && g->port) {
			g->written = fake_now;
			g->port = 0;
			g->stop = g->resume;
			fake_now += smi_length;
			smis++;
			outer_is(g, start, smi_length + OUTER);
		} else if (fake_now >= g->stop) {
			break;
		}
	}
	g->end = fake_now;
	found_last = (size_t)(g->next - g->at);
}

/* ---- the rest of the world */

#include "gap_world.h"

static u64 said_last, said_apart; /* the longest time without a line of progress */

void env_quiet(void)
{
}

bool env_interrupts_off(void)
{
	return true;
}

void env_evidence(struct evidence *e)
{
	*e = (struct evidence){.smi_state = VALUE_READ, .smi = smis};
	fake_now += gap_cost * found_last;
	found_last = 0;
}

/* A serial line of 115200 baud. */
void env_write(const char *bytes, size_t n)
{
	fake_now += n * 10 * TPS / 115200;
	if (n < 2 || bytes[0] != '#')
		return;
	if (fake_now - said_last > said_apart)
		said_apart = fake_now - said_last;
	said_last = fake_now;
}

bool env_smi_command(struct smi_command *c, const char **why_not)
{
	(void)why_not;
	*c = (struct smi_command){.port = 0xb2};
	return true;
}

bool env_smi_handler(u64 ticks, const char **why_not)
{
	(void)ticks, (void)why_not;
	return false;
}

const struct smi_truth *env_smi_truth(u64 *n)
{
	*n = 0;
	return NULL;
}

bool run_emulated(const struct run *r)
{
	(void)r;
	return false;
}

/* ---- a run on hardware, its frequency known */

static struct options options;
static struct machine machine;
static struct verdict verdict;
static struct report report;
static struct run run;
static struct gaps_suite soak;

static int setup(void **state)
{
	(void)state;
	options_default(&options);
	options.records = false;
	machine = (struct machine){.metal = true, .intel = true, .tsc_trusted = true};
	verdict = (struct verdict){0};
	report = (struct report){.options = &options};
	run = (struct run){.machine = &machine,
			   .options = &options,
			   .profile = PROFILE_STANDARD,
			   .verdict = &verdict,
			   .report = &report};
	fake_now = 5 * TPS;
	stands_still = false;
	gap_every = gap_length = gap_cost = smi_length = back_by = smis = found_last = 0;
	back_at = NEVER;
	return 0;
}

static void watch(u64 seconds)
{
	soak = (struct gaps_suite){0};
	options.soak = seconds;
	said_last = fake_now;
	said_apart = 0;
	assert_true(gaps_open(&soak, &run));
	gaps_watch(&soak);
	gaps_period(&soak);
	gaps_report(&soak);
	gaps_smi_report(&soak);
	gaps_checks(&soak);
	assert_int_equal(arena_blocks, 2);
}

static enum status status_of(const char *name)
{
	const struct check *c = verdict_find(&verdict, name);

	assert_non_null(c);
	return c->status;
}

/* ---- how long, and what is said meanwhile */

static void a_day(void **state)
{
	(void)state;
	watch(86400);
	assert_int_equal(soak.all.windows, 86400);
	assert_in_range(soak.all.watched, 86400 * TPS, 86400 * (TPS + TURN));
	assert_int_equal(soak.all.turns, (soak.all.watched + TURN - 1) / TURN);
	assert_int_equal(soak.all.n, 0);
	assert_in_range(said_apart, 8 * TPS, 9 * TPS);
	assert_int_equal(status_of("gaps.seen"), STATUS_OK);
}

/* A gap every 20 ms, of 10 ms: 4 million, half the day. */
static void a_day_of_gaps(void **state)
{
	(void)state;
	gap_every = TPS / 50;
	gap_length = TPS / 100;
	watch(86400);
	assert_in_range(soak.all.watched, 86400 * TPS, 86401 * TPS);
	assert_in_range(soak.all.n, 4310000, 4320001);
	assert_in_range(soak.all.stolen / soak.all.n, gap_length, gap_length + TURN);
	assert_int_equal(soak.all.cause[GAP_UNKNOWN], soak.all.n);
	assert_int_equal(soak.n_kept, GAPS_KEPT);
	assert_int_equal(soak.n_sent, GAPS_KEPT);
	assert_in_range(soak.period.ticks, gap_every - TURN, gap_every + TURN);
	assert_in_range(said_apart, 8 * TPS, 9 * TPS);
	assert_int_equal(status_of("gaps.seen"), STATUS_UNSTABLE);
}

/* Finds that take longer to look at than to find: a window then takes twice its second. */
static void a_storm(void **state)
{
	(void)state;
	gap_every = 20000;
	gap_length = 10000;
	gap_cost = 100000;
	watch(60);
	assert_true(soak.all.watched < 60 * TPS);
	assert_in_range(soak.wall, 120 * TPS, 124 * TPS);
	assert_true(said_apart <= 10 * TPS);
}

static void a_few_seconds(void **state)
{
	(void)state;
	for (u64 seconds = 1; seconds < 60; seconds++) {
		setup(state);
		watch(seconds);
		assert_int_equal(soak.all.windows, seconds);
		assert_true(said_apart <= 10 * TPS);
		arena_release(state);
	}
}

/* ---- a clock that is none */

static void stands(void **state)
{
	(void)state;
	stands_still = true;
	watch(60);
	assert_int_equal(soak.all.watched, 0);
	assert_int_equal(status_of("gaps.tsc"), STATUS_FAILED);
}

/* A guest that moves to another host. What was watched does not come out as centuries. */
static void goes_back(void **state)
{
	static const u64 by[] = {1, 1000, TPS / 2, 3 * TPS, 3600 * TPS};

	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		setup(state);
		fake_now = 7200 * TPS;
		back_at = fake_now + 20 * TPS + TPS / 3;
		back_by = by[i];
		watch(60);
		assert_in_range(soak.all.watched, 60 * TPS, 61 * TPS);
		assert_in_range(soak.wall, 0, 61 * TPS);
		assert_int_equal(soak.backwards, 1);
		assert_int_equal(soak.all.n, 0);
		assert_int_equal(status_of("gaps.tsc"), STATUS_FAILED);
		arena_release(state);
	}
}

/* ---- how often is too often */

/* So many gaps a second, for so long. */
static enum status seen_with(u64 a_second, u64 seconds, bool shared)
{
	void *state = NULL;
	enum status s;

	setup(&state);
	machine.metal = !shared;
	machine.hypervisor = shared;
	gap_every = TPS / a_second;
	gap_length = 3000;
	watch(seconds);
	s = status_of("gaps.seen");
	arena_release(&state);
	return s;
}

static void quiet_rates(void **state)
{
	(void)state;
	for (u64 seconds = 1; seconds < 8; seconds++) {
		assert_int_equal(seen_with(1990, seconds, true), STATUS_OK);
		assert_int_equal(seen_with(2010, seconds, true), STATUS_UNSTABLE);
		assert_int_equal(seen_with(3990, seconds, true), STATUS_UNSTABLE);
		assert_int_equal(seen_with(2, seconds, false), STATUS_UNSTABLE);
	}
}

/* ---- SMIs asked for */

static void control_with(u64 n, u64 seconds)
{
	void *state = NULL;

	setup(&state);
	options.smi_inject = n;
	smi_length = 5000;
	watch(seconds);
	assert_int_equal(soak.smi.written, n);
	assert_int_equal(soak.smi.found, n);
	assert_int_equal(soak.smi.counted, n);
	assert_int_equal(soak.all.n, n);
	assert_int_equal(soak.all.cause[GAP_SMI], n);
	arena_release(&state);
}

/* However few there are, all come while there is somebody to look. */
static void all_are_written(void **state)
{
	(void)state;
	for (u64 n = 1; n <= 300; n++)
		control_with(n, 1 + n % 3);
	control_with(10000, 1);
	control_with(1, 60);
	control_with(7, 600);
}

/* What else is found fails the control, unless a host may have taken the time. */
static void others_are_found(void **state)
{
	for (u32 host = 0; host < 3; host++) {
		setup(state);
		machine.metal = host == 0;
		machine.hypervisor = host != 0;
		run.icount = host == 2;
		options.smi_inject = 20;
		smi_length = 5000;
		gap_every = TPS / 7;
		gap_length = 4000;
		watch(1);
		assert_int_equal(soak.smi.found, 20);
		assert_in_range(soak.smi.other, 6, 7);
		assert_int_equal(status_of("gaps.control"), host == 1 ? STATUS_OK : STATUS_FAILED);
		arena_release(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_day, setup, arena_release),
		cmocka_unit_test_setup_teardown(a_day_of_gaps, setup, arena_release),
		cmocka_unit_test_setup_teardown(a_storm, setup, arena_release),
		cmocka_unit_test(a_few_seconds),
		cmocka_unit_test_setup_teardown(stands, setup, arena_release),
		cmocka_unit_test(goes_back),
		cmocka_unit_test(quiet_rates),
		cmocka_unit_test(all_are_written),
		cmocka_unit_test(others_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
