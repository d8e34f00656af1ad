// SPDX-License-Identifier: MIT
/*
 * The program behind `make bench`: its figures, ratios and classes of alarms, over lines and rulers
 * of the test's making.
 */
#include "insn.h"
#include "peers.h"

static u64 fake_tsc(void);
#define rdtsc fake_tsc
#include "alarm.c"
#include "compare.c"
#undef LINES
#undef SAMPLES
#include "turn.c"

#include <stdio.h>

#include "arena.h"

#define SECOND 1000000ull

/* ---- the world */

static char wire[1 << 14];
static u64 ticks_now;
static struct options given;
static struct machine machine;
static struct run done;
static struct seq_scratch scratch;

void say(const char *format, ...)
{
	const size_t at = strlen(wire);
	va_list args;

	va_start(args, format);
	vsnprintf(wire + at, sizeof(wire) - at, format, args);
	va_end(args);
	assert_true(strlen(wire) + 1 < sizeof(wire));
}

void progress(const char *what, u64 part, u64 of)
{
	(void)what;
	assert_true(part < of);
}

static u64 fake_tsc(void)
{
	return ticks_now += 10;
}

u64 env_ticks_per_second(void)
{
	return SECOND;
}

const char *needs_missing(const struct machine *m, u32 needs, const char *pmu_why)
{
	(void)m, (void)pmu_why;
	return needs ? "no such thing" : NULL;
}

/* ---- readers and their lines */

struct reader reader_table[READERS];
static char codes[READERS][2]; /* their addresses stand for the code */

static seq_fn *code_of(size_t i, size_t loop)
{
	return (seq_fn *)(uintptr_t)&codes[i][loop];
}

void readers_open(void)
{
	for (size_t i = 0; i < READERS; i++) {
		reader_table[i].empty = code_of(i, 0);
		reader_table[i].loop = code_of(i, 1);
	}
}

static u64 (*sample)(size_t reader, bool loop, u64 j, u64 i); /* a line's i-th */
static u64 price[READERS];				      /* of a sample, x 100 */
static u64 dearer_from[READERS]; /* lines, after which it is twice that; 0: never */
static u64 taken[READERS][2], last_n[READERS][2]; /* lines; samples in one */
static u64 turn_cost[2], whole_cost;

void turn_read(u64 *out, u64 n, u64 j, struct seq_scratch *s)
{
	(void)out, (void)n, (void)j, (void)s;
}

void turn_bare(u64 *out, u64 n, u64 j, struct seq_scratch *s)
{
	(void)out, (void)n, (void)j, (void)s;
}

u64 line_take(seq_fn *code, u64 *out, u64 n, u64 j, struct seq_scratch *s, u64 *prelude)
{
	assert_ptr_equal(s, &scratch);
	assert_non_null(prelude);
	for (size_t r = 0; r < READERS; r++) {
		for (size_t loop = 0; loop < 2; loop++) {
			if (code != code_of(r, loop))
				continue;
			for (u64 i = 0; i < n; i++)
				out[i] = sample(r, loop, j, i);
			taken[r][loop]++;
			last_n[r][loop] = n;
			return dearer_from[r] && taken[r][0] > dearer_from[r] ? 2 * price[r]
									      : price[r];
		}
	}
	if (code == turn_read || code == turn_bare)
		return turn_cost[code == turn_bare];
	assert_ptr_equal(code,
			 seq_find((u32)seq_method_find("5", 1), WORK_EMPTY, PRE_NONE, FORM_MEM));
	for (u64 i = 0; i < n; i++)
		out[i] = i < 3 ? 54 : 60 + i % 2 * 4;
	return whole_cost;
}

/* ---- rulers: those that are looked at, in order */

static u64 look[64]; /* adds x 1000 + NOPs */
static size_t looks;
static u32 piloted;

void ruler_take(struct ruler *r)
{
	const u64 v = looks < ARRAY_SIZE(look) ? look[looks] : 100100;

	looks++;

	*r = (struct ruler){.adds_ticks = v / 1000, .nops_ticks = v % 1000};
}

bool ruler_moved(const struct run *run, const struct ruler *a, const struct ruler *b)
{
	(void)run;
	return a->adds_ticks != b->adds_ticks || a->nops_ticks != b->nops_ticks;
}

void conditions_take(const struct run *run, struct conditions *c)
{
	(void)run;
	ruler_take(&c->ruler);
}

bool conditions_moved(const struct run *run, const struct conditions *a, const struct conditions *b)
{
	return ruler_moved(run, &a->ruler, &b->ruler);
}

void ruler_pilot(struct run *run)
{
	run->noise.adds = ++piloted;
}

static int setup(void **state)
{
	(void)state;
	memset(reader_table, 0, sizeof(reader_table));
	memset(taken, 0, sizeof(taken));
	memset(dearer_from, 0, sizeof(dearer_from));
	for (size_t i = 0; i < READERS; i++) {
		reader_table[i].name = "another";
		price[i] = 4500;
	}
	reader_table[0].name = "method 5";
	for (size_t i = 0; i < ARRAY_SIZE(look); i++)
		look[i] = 100100;
	looks = piloted = 0;
	ticks_now = 0;
	wire[0] = '\0';
	options_default(&given);
	machine = (struct machine){.tsc_khz = 2000000, .tsc_source = "pit"};
	done = (struct run){.machine = &machine, .options = &given, .scratch = &scratch};
	return 0;
}

static void check_says(const char *text)
{
	if (!strstr(wire, text))
		fail_msg("not said: %s", text);
}

/* ---- side by side */

/*
 * Method 5: 40 and 42 in turn, 3 of a hundred beyond the 97%; a loop of 5 and more takes longer.
 * The second varies by one tick more than is clean and tells no loop; the third by just what is
 * clean and takes twice as long; the fourth runs backwards once; nanoseconds of the fifth are half
 * a tick.
 */
static u64 five_readers(size_t reader, bool loop, u64 j, u64 i)
{
	const u64 slow = loop && j >= 5 ? 10 : 0;

	switch (reader) {
	case 0:
		return (i % 100 >= 97 ? 1000 : 40 + i % 2 * 2) + slow;
	case 1:
		return i == 7 ? 91 : 40;
	case 2:
		return (i == 7 ? 130 : 80) + slow;
	case 3:
		return i == 7 && !loop ? ~0ull : 40;
	case 4:
		return i == 7 ? 40 : 20;
	default:
		return 50 + slow + (loop && j == 63 ? 0 : i % 2);
	}
}

static void rows_by_hand(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 10, .samples = 100};

	(void)state;
	sample = five_readers;
	reader_table[1].name = "second";
	reader_table[2].name = "third";
	reader_table[3].name = "fourth";
	reader_table[4].name = "fifth";
	reader_table[4].ns = true;
	reader_table[5].name = "sixth";
	reader_table[5].needs = NEED_RDTSCP;
	reader_table[6].name = "seventh";
	reader_table[6].matrix = true;
	price[2] = 9000;
	dearer_from[3] = 6;
	assert_true(compare_run(&done, &ask));
	check_says(
		"\nmethod 5                 100    40    42     1.00      1.00    0.0    5     45.0"
		"    1.00    1.00\n");
	check_says(
		"\nsecond                   100    40    40     0.00      0.00    0.0 > 63     45.0"
		"    1.00    1.00\n");
	check_says(
		"\nthird                    100    80    80     0.00      0.00  100.0    5     90.0"
		"    2.00    2.00\n");
	check_says(
		"\nfourth                   100    40    40     0.00      0.00  100.0 > 63     45.0"
		"    1.00    1.00\n");
	check_says(
		"\nfifth                    100    20    20     0.00      0.00  100.0 > 63     45.0"
		"       -    1.00\n");
	check_says(
		"\nclock_gettime, ticks~    100    40    40     0.00      0.00  100.0 > 63     45.0"
		"    1.00    1.00\n");
	check_says("\nsixth: left out: no such thing\n");
	check_says("\nfourth: 10 samples ended before they started\n");
	check_says("10 lines of each reader in random order (seed 1, CRC-32 of the order "
		   "B01EF825); step 1 ticks\n");
	check_says(" x 2.000 ticks (pit)");
	/* Four lines of the pilot; each pass of the loop 64. */
	assert_int_equal(taken[0][0], 14);
	assert_int_equal(taken[0][1], 33 * 64);
	assert_int_equal(taken[5][0] + taken[5][1], 0);
	assert_int_equal(taken[6][0], 14);
}

/* A clock that is read at 2 GHz: 25 ns are 50 ticks. */
static u64 nanoseconds(size_t reader, bool loop, u64 j, u64 i)
{
	(void)loop, (void)j;
	return i ? 20 : reader == 1 ? 46 : 45;
}

static void clean_in_nanoseconds(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 3, .samples = 100};

	(void)state;
	sample = nanoseconds;
	reader_table[1].ns = reader_table[2].ns = true;
	reader_table[1].name = "first";
	reader_table[2].name = "second";
	assert_true(compare_run(&done, &ask));
	check_says("\nfirst                    100    20    20     0.00      0.00    0.0 ");
	check_says("\nsecond                   100    20    20     0.00      0.00  100.0 ");
	check_says("; step 5 ticks\n"); /* which 46 ns say nothing of */
}

/* Seven of the lowest 97 beyond the exact bins; and one line with less than the base. */
static u64 far_and_below(size_t reader, bool loop, u64 j, u64 i)
{
	(void)loop, (void)j;
	if (reader == 1 && i == 5 && taken[1][0] == 4)
		return 10;
	return reader == 0 && i >= 90 ? 10000 : 40;
}

static void figures_of_wide_bins(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 1, .samples = 100};

	(void)state;
	sample = far_and_below;
	reader_table[1].name = "second";
	assert_true(compare_run(&done, &ask));
	/* 10,000 is told as 20 + 77 x 128: 7 x 90 / 97^2 x 9,836^2. */
	check_says("\nmethod 5                 100    40    40 6477898.23 6477898.23 0.0 ");
	check_says("\nsecond                   100    10    40        -         -  100.0 ");
}

/* The variance of a row of nanoseconds grows with the square of the ticks in one. */
static u64 one_and_three(size_t reader, bool loop, u64 j, u64 i)
{
	(void)reader, (void)loop, (void)j;
	return 11 + i % 2 * 2;
}

static void variance_in_ticks_squared(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 3, .samples = 100};

	(void)state;
	sample = one_and_three;
	machine.tsc_khz = 3000000;
	reader_table[1].ns = true;
	assert_true(compare_run(&done, &ask));
	/* 50 of 11 and 47 of 13. */
	check_says("\nclock_gettime, ticks~    100    33    33     8.99      8.99");
	check_says("\nanother                  100    11    11     1.00      1.00");
}

/* Each line is 40 ticks higher than the one before: within lines nothing varies. */
static u64 drifting(size_t reader, bool loop, u64 j, u64 i)
{
	(void)j, (void)i;
	return 1000 + (loop ? 0 : taken[reader][0] * 40);
}

static void drift_is_in_the_pool_alone(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 5, .samples = 100};

	(void)state;
	sample = drifting;
	assert_true(compare_run(&done, &ask));
	/* 100 each of 0, 40, 80 and 120, 85 of 160: 485 of 500. */
	check_says("\nmethod 5                 100  1160  1240     0.00   3094.91  100.0 ");
}

static void dear_readers_get_fewer_samples(void **state)
{
	const struct bench_ask ask = {.seed = 1, .lines = 2, .samples = 10000};

	(void)state;
	sample = five_readers;
	price[1] = 99900;	 /* 1,000 ticks with its rounding up: 4,000 samples a line */
	dearer_from[1] = 1;	 /* the cheapest counts */
	price[2] = 100 * 100000; /* no fewer than 100 */
	assert_true(compare_run(&done, &ask));
	assert_int_equal(last_n[0][0], 10000);
	assert_int_equal(last_n[0][1], 1000);
	assert_int_equal(last_n[1][0], 4000);
	assert_int_equal(last_n[1][1], 1000);
	assert_int_equal(last_n[2][0], 100);
	assert_int_equal(last_n[2][1], 100);
}

static void each_seed_its_order(void **state)
{
	struct bench_ask ask = {.seed = 1, .lines = 2, .samples = 100};
	char first[256], *at;

	(void)state;
	sample = five_readers;
	assert_true(compare_run(&done, &ask));
	at = strstr(wire, "CRC-32");
	assert_non_null(at);
	snprintf(first, sizeof(first), "%.30s", at);
	wire[0] = '\0';
	arena_release(NULL);
	assert_true(compare_run(&done, &ask));
	check_says(first);
	ask.seed = 2;
	wire[0] = '\0';
	arena_release(NULL);
	assert_true(compare_run(&done, &ask));
	assert_null(strstr(wire, first));
}

/* ---- false alarms */

static struct alarms sorted(u64 before, u64 after, u64 again)
{
	struct ruler a = {.adds_ticks = before / 1000, .nops_ticks = before % 1000};
	struct ruler b = {.adds_ticks = after / 1000, .nops_ticks = after % 1000};
	struct alarms n = {0};

	looks = 0;
	look[0] = again;
	alarm_sort(&done, &a, &b, &n);
	return n;
}

static void alarms_are_sorted(void **state)
{
	struct alarms n;

	(void)state;
	n = sorted(100100, 120100, 120100);
	assert_int_equal(n.adds, 1);
	assert_int_equal(n.nops, 0);
	assert_int_equal(n.stayed, 1);
	assert_int_equal(n.back, 0);
	n = sorted(100100, 100120, 100100);
	assert_int_equal(n.adds, 0);
	assert_int_equal(n.nops, 1);
	assert_int_equal(n.stayed, 0);
	assert_int_equal(n.back, 1);
	n = sorted(100100, 120120, 130130);
	assert_int_equal(n.adds, 1);
	assert_int_equal(n.nops, 1);
	assert_int_equal(n.stayed + n.back, 0);
}

static void alarms_are_counted(void **state)
{
	const struct bench_ask ask = {.windows = 5};

	(void)state;
	sample = five_readers;
	/* Of the first pilot's windows the second fires, and the look after agrees with the first.
	 */
	look[2] = 120100;
	assert_true(alarm_run(&done, &ask));
	assert_int_equal(piloted, 10);
	check_says("# pilot 10: MAD of adds 10, ");
	check_says(", step 2 ticks\n");
	check_says("rulers back to back:      50 windows, alarms 2 (4.000%): stayed 1 (2.000%), "
		   "false 1 (2.000%)\n");
	check_says("rulers 20 ms apart:       50 windows, alarms 0 (0.000%): ");
	/* 20 ms at a million ticks a second, 50 times. */
	assert_true(ticks_now >= 50 * 20000);
	assert_true(ticks_now < 50 * 20000 + 50 * 100);
}

static void shares_in_thousandths(void **state)
{
	const struct alarms n = {
		.windows = 2000, .fired = 3, .adds = 2, .nops = 1, .stayed = 1, .back = 2};

	(void)state;
	alarms_print("x", &n);
	check_says("  2000 windows, alarms 3 (0.150%): stayed 1 (0.050%), false 2 (0.100%)\n");
	check_says(" by adds 2, by NOPs 1\n");
}

/* ---- what a sample costs */

static void a_turn_is_its_window_and_a_pass(void **state)
{
	const struct bench_ask ask = {.lines = 3, .samples = 100};

	(void)state;
	turn_cost[0] = 4000;
	turn_cost[1] = 300;
	whole_cost = 10000;
	assert_true(turn_run(&done, &ask));
	check_says("two reads, difference, store    100.00    100.00\n");
	check_says("its window, from start's read to end's: min of a line             54.00     "
		   "54.00\n");
	check_says("its window: median of a line                                      60.00     "
		   "60.00\n");
	check_says("end's read taken out                40.00     40.00\n");
	check_says("both reads taken out                     3.00      3.00\n");
	check_says(": 1.000, the median over the lines; within 15%\n");
}

static void check_turn(u64 whole, const char *words)
{
	const struct bench_ask ask = {.lines = 1, .samples = 100};

	turn_cost[0] = 4000;
	whole_cost = whole;
	wire[0] = '\0';
	assert_true(turn_run(&done, &ask));
	check_says(words);
}

static void within_15_percent(void **state)
{
	(void)state;
	check_turn(11500, ": 1.150, the median over the lines; within 15%\n");
	check_turn(11510, ": 1.151, the median over the lines; NOT within 15%\n");
	arena_release(NULL);
	check_turn(8500, ": 0.850, the median over the lines; within 15%\n");
	check_turn(8490, ": 0.849, the median over the lines; NOT within 15%\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_by_hand),
		TEST(clean_in_nanoseconds),
		TEST(figures_of_wide_bins),
		TEST(variance_in_ticks_squared),
		TEST(drift_is_in_the_pool_alone),
		TEST(dear_readers_get_fewer_samples),
		TEST(each_seed_its_order),
		TEST(alarms_are_sorted),
		TEST(alarms_are_counted),
		TEST(shares_in_thousandths),
		TEST(a_turn_is_its_window_and_a_pass),
		TEST(within_15_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
