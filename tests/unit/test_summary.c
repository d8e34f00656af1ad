// SPDX-License-Identifier: MIT
/*
 * The closing summary: summary.c itself, over runs of the test's making. It stays within its lines,
 * drops nothing without a word, and advises only on what was seen.
 */
#include "report.c"
#include "summary.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wire.h"

#define LINES_MOST 40

/* ---- the world that summary.c asks for */

static bool emulated;

u64 env_ticks_per_second(void)
{
	return 1000000000;
}

bool run_emulated(const struct run *r)
{
	(void)r;
	return emulated;
}

/* ---- a run on one CPU of an Intel machine, with nothing wrong */

static struct options options;
static struct machine machine;
static struct verdict verdict;
static struct report report;
static struct run run;

static int good_run(void **state)
{
	(void)state;
	options_default(&options);
	options.records = false;
	machine = (struct machine){.metal = true,
				   .intel = true,
				   .cpus = 1,
				   .tsc_khz = 1000000,
				   .tsc_trusted = true,
				   .tsc_source = "pit",
				   .invariant_tsc = true};
	verdict = (struct verdict){0};
	verdict_add(&verdict, "tsc.invariant", STATUS_OK, "%s", "");
	verdict_add(&verdict, "tsc.backwards", STATUS_OK, "%s", "");
	verdict_add(&verdict, "tsc.frequency", STATUS_OK, "%s", "");
	verdict_add(&verdict, "stability.tsc", STATUS_OK, "%s", "");
	report = (struct report){.options = &options};
	run = (struct run){.machine = &machine,
			   .options = &options,
			   .verdict = &verdict,
			   .report = &report,
			   .gap_seconds = 60,
			   .gap_ticks = 60000000000};
	emulated = false;
	return 0;
}

static void summarise(void)
{
	wire_start();
	summary_report(&run, true);
}

static size_t line_count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < wire_n; i++)
		n += wire[i] == '\n';
	return n;
}

static bool says(const char *text)
{
	return strstr(wire, text) != NULL;
}

static size_t times_said(const char *text)
{
	size_t n = 0;

	for (const char *at = wire; (at = strstr(at, text)) != NULL; at++)
		n++;
	return n;
}

static void nothing_wrong(void **state)
{
	(void)state;
	summarise();
	assert_true(says("\nWHY      every check that ran is ok\n"));
	assert_true(says("\nTRUST: GOOD \n"));
	assert_true(says("\nNOT SEEN gaps outside the 60 s watched,"));
	assert_false(says("\nDO "));
	assert_false(says("\nSKIPPED"));
}

/* ---- its size */

static void fill(enum status s)
{
	static const char long_name[] = ".a.name.as.long.as.they.may.be.ever";

	while (verdict.n < VERDICT_MAX) {
		char name[CHECK_NAME];

		snprintf(name, sizeof(name), "%03zu%s", verdict.n, long_name);
		verdict_add(&verdict, name, s, "%0150d", 0);
	}
}

static void within_its_lines(void **state)
{
	static const char *const advised[] = {"options",	  "tsc.frequency",
					      "stability.spread", "stability.clock",
					      "tsc.quiet",	  "machine.traps"};

	for (enum status s = STATUS_SKIP; s <= STATUS_ERROR; s++) {
		good_run(state);
		run.gap_smi = 1;
		run.n_headlines = RUN_HEADLINES;
		for (u32 i = 0; i < RUN_HEADLINES; i++)
			memset(run.headline[i], 'x', sizeof(run.headline[i]) - 1);
		for (size_t i = 0; i < ARRAY_SIZE(advised); i++)
			verdict_add(&verdict, advised[i], STATUS_UNSTABLE, "%s", "");
		fill(s);
		summarise();
		/* Not counted: the empty line before. */
		assert_true(line_count() - 1 <= LINES_MOST);
		emulated = true;
		summarise();
		assert_true(line_count() - 1 <= LINES_MOST);
	}
}

static void counts_the_skipped_it_does_not_name(void **state)
{
	size_t named;
	char more[40];

	(void)state;
	fill(STATUS_SKIP);
	summarise();
	named = times_said(".a.name.as.long");
	snprintf(more, sizeof(more), " and %zu more\n", VERDICT_MAX - 4 - named);
	assert_int_equal(times_said("SKIPPED"), 6);
	assert_true(says(more));
	for (const char *at = wire; (at = strstr(at, "\nSKIPPED")) != NULL; at++)
		assert_true(strcspn(at + 1, "\n") <= WIDTH);
}

/* Three lines of names, of which none is left out: nothing is counted. */
static void names_the_skipped(void **state)
{
	(void)state;
	for (u32 i = 0; i < 6; i++) {
		static const char *const name[] = {"a", "b", "c", "d", "e", "f"};

		verdict_add(&verdict, name[i], STATUS_SKIP, "%s", "");
	}
	summarise();
	assert_true(says("\nSKIPPED  a b c d e f\n"));
	assert_false(says("more"));
}

static void names_every_reason(void **state)
{
	(void)state;
	for (u32 i = 0; i < 30; i++) {
		char name[CHECK_NAME];

		snprintf(name, sizeof(name), "check.%u", i);
		verdict_add(&verdict, name, STATUS_UNSTABLE, "%0100d", 0);
	}
	summarise();
	/* In TRUST all; in WHY the first ten, and that there are more. */
	assert_int_equal(times_said("; check."), 29);
	assert_true(says("\nTRUST: DEGRADED check.0: "));
	assert_true(says("\nWHY      and 20 more, see the checks above\n"));
	/* More than any run has: cut, and it shows. */
	fill(STATUS_FAILED);
	summarise();
	assert_true(says("...\n"));
}

/* ---- advice */

#define DO_SMI	       "\nDO       look for SMIs"
#define DO_TRAPS       "\nDO       find what raises NMIs, machine checks or"
#define DO_PIN	       "\nDO       pin the vCPU"
#define UNSTABLE(name) verdict_add(&verdict, name, STATUS_UNSTABLE, "%s", "")

static void advises_on_smis_that_may_have_been(void **state)
{
	/* Gaps on Intel that SMIs do not explain. */
	UNSTABLE("gaps.seen");
	summarise();
	assert_false(says(DO_SMI));
	run.gap_smi = 1;
	summarise();
	assert_true(says(DO_SMI));

	/* Elsewhere: those that nothing explains, and nobody counts SMIs. */
	good_run(state);
	machine.intel = false;
	UNSTABLE("gaps.seen");
	summarise();
	assert_false(says(DO_SMI));
	run.gap_stalls = 1;
	summarise();
	assert_true(says(DO_SMI));

	/* Without gaps, a spread may be from them. */
	good_run(state);
	machine.intel = false;
	run.gap_ticks = run.gap_seconds = 0;
	UNSTABLE("stability.spread");
	summarise();
	assert_true(says(DO_SMI));
	machine.hypervisor = true;
	summarise();
	assert_false(says(DO_SMI));
	assert_true(says(DO_PIN));
}

/* Whatever suite they came in. */
static void advises_on_nmis(void **state)
{
	(void)state;
	UNSTABLE("machine.traps");
	summarise();
	assert_true(says(DO_TRAPS));
	assert_false(says(DO_SMI));
	emulated = true;
	summarise();
	assert_false(says(DO_TRAPS));
}

/* Each advice for its check, at the least status that calls for it, and for no other. */
static void advises_on_what_was_seen(void **state)
{
	static const struct {
		const char *check;
		enum status least;
		const char *advice;
		bool hardware; /* and on hardware alone */
	} seen[] = {
		{"options", STATUS_FAILED, "\nDO       correct the command line", false},
		{"tsc.frequency", STATUS_UNSTABLE, "\nDO       trust ticks only", true},
		{"stability.clock", STATUS_UNSTABLE, "\nDO       fix the core clock", false},
		{"tsc.quiet", STATUS_UNSTABLE, "\nDO       look in the firmware log", false},
		{"gaps.stolen", STATUS_UNSTABLE, "\nDO       give it a CPU of its own", false},
		{"gaps.seen", STATUS_UNSTABLE, "\nDO       give it a CPU of its own", false},
		{"stability.spread", STATUS_UNSTABLE, "\nDO       give it a CPU of its own", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		good_run(state);
		machine.process = true;
		verdict_add(&verdict, seen[i].check, (enum status)(seen[i].least - 1), "%s", "");
		summarise();
		assert_false(says(seen[i].advice));
		verdict_add(&verdict, seen[i].check, seen[i].least, "%s", "");
		summarise();
		assert_true(says(seen[i].advice));
		assert_int_equal(times_said("\nDO "), 1);
		emulated = true;
		summarise();
		assert_int_equal(says(seen[i].advice), !seen[i].hardware);
		assert_true(says("\nDO       boot it on hardware"));
	}
}

static void tells_the_clock(void **state)
{
	const u64 one[] = {1, 2}, two[] = {2, 4};

	(void)state;
	summarise();
	assert_true(says("\nCLOCK    TSC 1000000 kHz (pit), invariant yes\n"));
	step_add(&run.step, two, 2);
	summarise();
	assert_true(says("\nCLOCK    TSC 1000000 kHz (pit), step 2 ticks, invariant yes\n"));
	step_add(&run.step, one, 2);
	machine.tsc_trusted = machine.invariant_tsc = false;
	summarise();
	assert_true(
		says("\nCLOCK    TSC frequency UNTRUSTED, step 1 tick, invariant not promised\n"));
}

/* Each fact that TRUST is judged from is the run's. */
static void trust_is_told_the_facts(void **state)
{
	options.records = true;
	summarise();
	assert_true(says(" type=trust trust=GOOD reasons=\"\" "));
	machine.cpus = 4;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN 1 of 4 CPUs measured\n"));
	assert_true(says(" type=trust trust=UNKNOWN reasons=\"1\\x20of\\x204\\x20CPUs"));
	good_run(state);
	run.gap_seconds = 29;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN gaps watched 29 s of 30 s\n"));
	good_run(state);
	machine.process = true;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN interrupts were on\n"));
	good_run(state);
	emulated = true;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN emulated\n"));
}

static void tells_result_and_headlines(void **state)
{
	(void)state;
	strcpy(run.headline[0], "USE      method 5");
	strcpy(run.headline[1], "GAPS     none");
	run.n_headlines = 2;
	summarise();
	assert_true(says("\nRESULT   pass: no check is `not ok`\n"));
	assert_true(says("\nUSE      method 5\nGAPS     none\nCLOCK "));
	wire_start();
	summary_report(&run, false);
	assert_true(says("\nRESULT   FAIL\n"));
}

/* ---- for how long gaps were watched */

static void gaps_not_watched(void **state)
{
	(void)state;
	run.gap_ticks = run.gap_seconds = 0;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN gaps watched 0 s of 30 s\n"));
	assert_true(says("\nNOT SEEN gaps, SMIs"));
	machine.tsc_trusted = false;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN gaps watched 0 s of 30 s\n"));
	run.gap_ticks = 60000000000;
	run.gap_seconds = 60;
	summarise();
	assert_true(says("\nTRUST: UNKNOWN gaps watched for a time not known\n"));
	assert_true(says("\nNOT SEEN gaps outside the 60000000000 ticks watched"));
}

#define TEST(f) cmocka_unit_test_setup(f, good_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_wrong),
		TEST(within_its_lines),
		TEST(counts_the_skipped_it_does_not_name),
		TEST(names_the_skipped),
		TEST(names_every_reason),
		TEST(advises_on_smis_that_may_have_been),
		TEST(advises_on_nmis),
		TEST(advises_on_what_was_seen),
		TEST(tells_the_clock),
		TEST(trust_is_told_the_facts),
		TEST(tells_result_and_headlines),
		TEST(gaps_not_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
