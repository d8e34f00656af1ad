// SPDX-License-Identifier: MIT
/* Checks and their merging, the KTAP lines, and every rule of TRUST. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "verdict.h"

static struct verdict v;
static struct trust_facts facts;

/* Everything a GOOD needs, and nothing else. */
static int good_run(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	verdict_add(&v, "tsc.invariant", STATUS_OK, "%s", "");
	verdict_add(&v, "tsc.backwards", STATUS_OK, "%s", "");
	verdict_add(&v, "tsc.frequency", STATUS_OK, "%s", "");
	verdict_add(&v, "stability.tsc", STATUS_OK, "%s", "");
	facts = (struct trust_facts){.cpus = 1, .cpus_measured = 1, .gap_seconds = 30};
	return 0;
}

static int empty_run(void **state)
{
	(void)state;
	memset(&v, 0, sizeof(v));
	return 0;
}

static void expect_trust(enum trust level, const char *reasons)
{
	char bytes[2048];
	struct text t = {.at = bytes, .cap = sizeof(bytes) - 1};
	enum trust got = verdict_trust(&v, &facts, &t);

	bytes[t.len] = '\0';
	assert_string_equal(bytes, reasons);
	assert_string_equal(trust_name(got), trust_name(level));
}

static void expect_line(size_t i, bool strict, const char *line)
{
	char bytes[1024];
	struct text t = {.at = bytes, .cap = sizeof(bytes) - 1};

	verdict_ktap(&v, i, strict, &t);
	bytes[t.len] = '\0';
	assert_string_equal(bytes, line);
}

static void worst_wins(void **unused)
{
	static const enum status order[] = {STATUS_OK, STATUS_SKIP, STATUS_UNSTABLE, STATUS_FAILED,
					    STATUS_ERROR};

	(void)unused;
	for (size_t a = 0; a < ARRAY_SIZE(order); a++) {
		for (size_t b = 0; b < ARRAY_SIZE(order); b++) {
			const struct check *c;

			memset(&v, 0, sizeof(v));
			verdict_add(&v, "x", order[a], "first %d", 1);
			verdict_add(&v, "y", STATUS_OK, "other");
			verdict_add(&v, "x", order[b], "second %d", 2);
			c = verdict_find(&v, "x");
			assert_int_equal(v.n, 2);
			assert_int_equal(c->status, order[a > b ? a : b]);
			assert_string_equal(c->reason, b > a ? "second 2" : "first 1");
		}
	}
	assert_null(verdict_find(&v, "z"));
	assert_null(verdict_find(&v, ""));
}

static void names_and_reasons_are_bounded(void **unused)
{
	char name[2 * CHECK_NAME], reason[2 * CHECK_REASON];
	const struct check *c;

	(void)unused;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(reason, 'r', sizeof(reason));
	reason[sizeof(reason) - 1] = '\0';
	verdict_add(&v, name, STATUS_OK, "%s", reason);
	verdict_add(&v, name, STATUS_FAILED, "%.*s", CHECK_REASON - 1, reason);
	assert_int_equal(v.n, 1);
	c = verdict_find(&v, name);
	assert_int_equal(strlen(c->name), CHECK_NAME - 1);
	assert_int_equal(strlen(c->reason), CHECK_REASON - 1);
	assert_null(strstr(c->reason, "..."));
	verdict_add(&v, name, STATUS_ERROR, "%s", reason);
	assert_int_equal(strlen(c->reason), CHECK_REASON - 1);
	assert_string_equal(c->reason + CHECK_REASON - 5, "r...");
}

static void what_passes(void **unused)
{
	static const struct {
		enum status status;
		bool pass, strict;
	} want[] = {
		{STATUS_OK, true, true},	{STATUS_SKIP, true, true},
		{STATUS_UNSTABLE, true, false}, {STATUS_FAILED, false, false},
		{STATUS_ERROR, false, false},
	};

	(void)unused;
	assert_true(verdict_pass(&v, true));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		memset(&v, 0, sizeof(v));
		verdict_add(&v, "a", STATUS_OK, "fine");
		verdict_add(&v, "b", want[i].status, "so");
		verdict_add(&v, "c", STATUS_OK, "fine");
		assert_int_equal(verdict_pass(&v, false), want[i].pass);
		assert_int_equal(verdict_pass(&v, true), want[i].strict);
	}
}

static void ktap_lines(void **unused)
{
	(void)unused;
	verdict_add(&v, "tsc.invariant", STATUS_OK, "%s", "");
	verdict_add(&v, "name", STATUS_SKIP, "reason");
	verdict_add(&v, "name3", STATUS_UNSTABLE, "reason");
	verdict_add(&v, "name4", STATUS_FAILED, "reason");
	verdict_add(&v, "name5", STATUS_ERROR, "reason");
	verdict_add(&v, "name6", STATUS_OK, "0 in 60 s");
	verdict_add(&v, "name7", STATUS_SKIP, "%s", "");
	verdict_add(&v, "name8", STATUS_FAILED, "%s", "");
	assert_int_equal(verdict_lines(&v), 8);
	expect_line(0, false, "ok 1 tsc.invariant");
	expect_line(1, false, "ok 2 name # SKIP reason");
	expect_line(2, false, "ok 3 name3 # unstable: reason");
	expect_line(2, true, "not ok 3 name3 # unstable: reason");
	expect_line(3, false, "not ok 4 name4 # failed: reason");
	expect_line(4, false, "not ok 5 name5 # error: reason");
	expect_line(5, true, "ok 6 name6 # 0 in 60 s");
	expect_line(6, true, "ok 7 name7 # SKIP");
	expect_line(7, false, "not ok 8 name8 # failed");
	expect_line(8, false, "");
}

static void ktap_stays_one_line(void **unused)
{
	(void)unused;
	verdict_add(&v, "a#b\n", STATUS_FAILED, "%s", "line\r\nnot ok 2 # \\ \x80\x01\x7f");
	expect_line(
		0, false,
		"not ok 1 a\\#b\\x0A # failed: line\\x0D\\x0Anot ok 2 \\# \\\\ \\x80\\x01\\x7F");
}

static void lost_checks_fail(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < VERDICT_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "c%zu", i);
		verdict_add(&v, name, STATUS_OK, "%s", "");
	}
	assert_int_equal(verdict_lines(&v), VERDICT_MAX);
	assert_true(verdict_pass(&v, false));
	expect_line(VERDICT_MAX, false, "");

	verdict_add(&v, "one more", STATUS_OK, "%s", "");
	verdict_add(&v, "c3", STATUS_OK, "not lost: it is there");
	verdict_add(&v, "and one", STATUS_SKIP, "%s", "");
	assert_int_equal(v.lost, 2);
	assert_int_equal(verdict_lines(&v), VERDICT_MAX + 1);
	assert_false(verdict_pass(&v, false));
	expect_line(VERDICT_MAX, false,
		    "not ok 129 verdict.room # error: 2 checks beyond the first 128");
}

static void trust_good(void **unused)
{
	(void)unused;
	expect_trust(TRUST_GOOD, "");
	verdict_add(&v, "xsave.amx", STATUS_SKIP, "no AMX here");
	facts.gap_seconds = 3600;
	facts.cpus = facts.cpus_measured = 8;
	expect_trust(TRUST_GOOD, "");
}

static void trust_bad_when_failed(void **unused)
{
	(void)unused;
	verdict_add(&v, "tsc.backwards", STATUS_FAILED, "3 steps back");
	expect_trust(TRUST_BAD, "tsc.backwards: 3 steps back");
}

static void trust_bad_when_error(void **unused)
{
	(void)unused;
	verdict_add(&v, "harness", STATUS_ERROR, "%s", "");
	expect_trust(TRUST_BAD, "harness: error");
}

static void trust_bad_when_lost(void **unused)
{
	(void)unused;
	v.lost = 3;
	expect_trust(TRUST_BAD, "3 checks not kept");
}

static void trust_degraded_when_unstable(void **unused)
{
	(void)unused;
	verdict_add(&v, "stability.clock", STATUS_UNSTABLE, "core clock moved");
	expect_trust(TRUST_DEGRADED, "stability.clock: core clock moved");
}

static void trust_unknown_when_emulated(void **unused)
{
	(void)unused;
	facts.emulated = true;
	expect_trust(TRUST_UNKNOWN, "emulated");
	verdict_add(&v, "stability.clock", STATUS_UNSTABLE, "core clock moved");
	expect_trust(TRUST_UNKNOWN, "emulated");
	verdict_add(&v, "xsave.area", STATUS_ERROR, "canary hit");
	expect_trust(TRUST_BAD, "xsave.area: canary hit; emulated");
}

static void trust_unknown_without_a_necessary_check(void **unused)
{
	static const char *const necessary[] = {"tsc.invariant", "tsc.backwards", "tsc.frequency",
						"stability.tsc"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(necessary); i++) {
		char reason[64];

		good_run(NULL);
		strcpy(v.check[i].name, "x");
		snprintf(reason, sizeof(reason), "%s not checked", necessary[i]);
		expect_trust(TRUST_UNKNOWN, reason);
	}
	empty_run(NULL);
	expect_trust(TRUST_UNKNOWN, "tsc.invariant not checked; tsc.backwards not checked; "
				    "tsc.frequency not checked; stability.tsc not checked");
}

static void trust_unknown_when_a_necessary_check_is_skipped(void **unused)
{
	static const char *const necessary[] = {"tsc.invariant", "tsc.backwards", "tsc.frequency",
						"stability.tsc"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(necessary); i++) {
		char reason[64];

		good_run(NULL);
		verdict_add(&v, necessary[i], STATUS_SKIP, "not asked for");
		snprintf(reason, sizeof(reason), "%s skipped: not asked for", necessary[i]);
		expect_trust(TRUST_UNKNOWN, reason);
	}
}

static void trust_unknown_with_interrupts(void **unused)
{
	(void)unused;
	facts.interrupts_on = true;
	expect_trust(TRUST_UNKNOWN, "interrupts were on");
}

static void trust_unknown_without_a_cpu_count(void **unused)
{
	(void)unused;
	facts.cpus = 0;
	expect_trust(TRUST_UNKNOWN, "number of CPUs not known");
}

static void trust_unknown_with_unmeasured_cpus(void **unused)
{
	(void)unused;
	facts.cpus = 16;
	expect_trust(TRUST_UNKNOWN, "1 of 16 CPUs measured");
	facts.cpus = 2;
	expect_trust(TRUST_UNKNOWN, "1 of 2 CPUs measured");
}

static void trust_unknown_after_short_gaps(void **unused)
{
	(void)unused;
	facts.gap_seconds = 29;
	expect_trust(TRUST_UNKNOWN, "gaps watched 29 s of 30 s");
	facts.gap_seconds = 0;
	expect_trust(TRUST_UNKNOWN, "gaps watched 0 s of 30 s");
}

/* Without a frequency the seconds mean nothing, however many they are. */
static void trust_unknown_after_untimed_gaps(void **unused)
{
	(void)unused;
	facts.untimed = true;
	facts.gap_seconds = 3600;
	expect_trust(TRUST_UNKNOWN, "gaps watched for a time not known");
	facts.gap_seconds = 0;
	expect_trust(TRUST_UNKNOWN, "gaps watched for a time not known");
}

static void trust_names_all_reasons_worst_first(void **unused)
{
	(void)unused;
	facts = (struct trust_facts){.cpus = 4, .cpus_measured = 1, .interrupts_on = true};
	verdict_add(&v, "a", STATUS_UNSTABLE, "host ticks");
	verdict_add(&v, "b", STATUS_FAILED, "limit\npassed");
	verdict_add(&v, "c", STATUS_UNSTABLE, "%s", "");
	verdict_add(&v, "tsc.invariant", STATUS_SKIP, "%s", "");
	expect_trust(TRUST_BAD, "b: limit\\x0Apassed; a: host ticks; c: unstable; "
				"tsc.invariant skipped: no reason given; interrupts were on; "
				"1 of 4 CPUs measured; gaps watched 0 s of 30 s");
}

static void trust_names(void **unused)
{
	(void)unused;
	assert_string_equal(trust_name(TRUST_GOOD), "GOOD");
	assert_string_equal(trust_name(TRUST_UNKNOWN), "UNKNOWN");
	assert_string_equal(trust_name(TRUST_DEGRADED), "DEGRADED");
	assert_string_equal(trust_name(TRUST_BAD), "BAD");
	assert_true(TRUST_BAD > TRUST_DEGRADED && TRUST_DEGRADED > TRUST_UNKNOWN &&
		    TRUST_UNKNOWN > TRUST_GOOD);
}

#define ON_EMPTY(f) cmocka_unit_test_setup(f, empty_run)
#define ON_GOOD(f)  cmocka_unit_test_setup(f, good_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_EMPTY(worst_wins),
		ON_EMPTY(names_and_reasons_are_bounded),
		ON_EMPTY(what_passes),
		ON_EMPTY(ktap_lines),
		ON_EMPTY(ktap_stays_one_line),
		ON_EMPTY(lost_checks_fail),
		ON_GOOD(trust_good),
		ON_GOOD(trust_bad_when_failed),
		ON_GOOD(trust_bad_when_error),
		ON_GOOD(trust_bad_when_lost),
		ON_GOOD(trust_degraded_when_unstable),
		ON_GOOD(trust_unknown_when_emulated),
		ON_GOOD(trust_unknown_without_a_necessary_check),
		ON_GOOD(trust_unknown_when_a_necessary_check_is_skipped),
		ON_GOOD(trust_unknown_with_interrupts),
		ON_GOOD(trust_unknown_without_a_cpu_count),
		ON_GOOD(trust_unknown_with_unmeasured_cpus),
		ON_GOOD(trust_unknown_after_short_gaps),
		ON_GOOD(trust_unknown_after_untimed_gaps),
		ON_GOOD(trust_names_all_reasons_worst_first),
		ON_GOOD(trust_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
