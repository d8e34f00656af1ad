// SPDX-License-Identifier: MIT
/* The closing summary: see summary.h. Written for a person who reads only this. */
#include "summary.h"

#include "gaps.h"
#include "mem.h"

#define WHY_MOST 10

static void summary_why(struct run *run)
{
	static const char *const word[] = {[STATUS_UNSTABLE] = "unstable",
					   [STATUS_FAILED] = "FAILED",
					   [STATUS_ERROR] = "ERROR"};
	const struct verdict *v = run->verdict;
	u32 shown = 0, more = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct check *c = &v->check[i];

		if (c->status < STATUS_UNSTABLE)
			continue;
		if (shown == WHY_MOST) {
			more++;
			continue;
		}
		report_text(run->report, "WHY      %s %s: %s\n", c->name, word[c->status],
			    c->reason);
		shown++;
	}
	if (more)
		report_text(run->report, "WHY      and %u more, see the checks above\n", more);
	if (shown == 0)
		report_text(run->report, "WHY      every check that ran is ok\n");
}

static bool check_is(const struct run *run, const char *name, enum status least)
{
	const struct check *c = verdict_find(run->verdict, name);

	return c && c->status >= least;
}

/* Were there SMIs, or what may have been some where nobody counts them? */
static bool smis_suspected(const struct run *run)
{
	if (run->gap_ticks)
		return run->gap_smi || run->gap_stalls;
	return !run->machine->intel;
}

/* Time was taken: from whom to get it back. */
static void summary_do_stalls(struct run *run)
{
	const struct machine *m = run->machine;
	struct report *r = run->report;

	if (m->process)
		report_text(r, "DO       give it a CPU of its own: isolcpus= or nohz_full=, "
			       "taskset, no other guest\n");
	else if (m->hypervisor)
		report_text(r, "DO       pin the vCPU to a core that nothing else uses\n");
	else if (smis_suspected(run))
		report_text(
			r,
			"DO       look for SMIs: USB legacy emulation and thermal settings in the "
			"firmware\n         setup; hold a key of a USB keyboard down and see "
			"whether they grow\n");
}

/* Advice only for what was seen. */
static void summary_do(struct run *run)
{
	struct report *r = run->report;

	if (check_is(run, "options", STATUS_FAILED))
		report_text(r, "DO       correct the command line; `help` lists the options\n");
	if (run_emulated(run))
		report_text(
			r,
			"DO       boot it on hardware, or under KVM with -cpu host,migratable=off\n");
	if (!run_emulated(run) && check_is(run, "tsc.frequency", STATUS_UNSTABLE))
		report_text(r,
			    "DO       trust ticks only: the TSC's frequency is not known here\n");
	if (check_is(run, "stability.spread", STATUS_UNSTABLE) ||
	    check_is(run, "gaps.seen", STATUS_UNSTABLE) ||
	    check_is(run, "gaps.stolen", STATUS_UNSTABLE))
		summary_do_stalls(run);
	if (!run_emulated(run) && check_is(run, "machine.traps", STATUS_UNSTABLE))
		report_text(r, "DO       find what raises NMIs, machine checks or bank errors: "
			       "watchdog, memory, bus\n");
	if (check_is(run, "stability.clock", STATUS_UNSTABLE))
		report_text(
			r,
			"DO       fix the core clock (power governor, turbo) and keep the sibling "
			"thread idle\n");
	if (check_is(run, "tsc.quiet", STATUS_UNSTABLE))
		report_text(r,
			    "DO       look in the firmware log for what raised the interrupts\n");
}

static void summary_clock(struct run *run)
{
	const struct machine *m = run->machine;
	u64 step = step_value(&run->step);

	report_text(run->report, "CLOCK    ");
	if (m->tsc_trusted)
		report_text(run->report, "TSC %llu kHz (%s)", (unsigned long long)m->tsc_khz,
			    m->tsc_source);
	else
		report_text(run->report, "TSC frequency UNTRUSTED");
	if (step)
		report_text(run->report, ", step %llu tick%s", (unsigned long long)step,
			    step == 1 ? "" : "s");
	report_text(run->report, ", invariant %s\n", m->invariant_tsc ? "yes" : "not promised");
}

#define WIDTH 80
#define TOPIC 9

/* Names of the checks with this status, wrapped, at most `most` lines; the last counts the rest. */
static void summary_names(struct run *run, const char *topic, enum status status, u32 most)
{
	static const char rest[] = " and 999 more";
	char bytes[WIDTH + sizeof(rest)];
	struct text t = TEXT_ON(bytes);
	const struct verdict *v = run->verdict;
	u32 lines = 1, more = 0;

	fmt(&t, "%-*s", TOPIC, topic);
	for (size_t i = 0; i < v->n; i++) {
		const char *name = v->check[i].name;
		size_t room = lines < most ? WIDTH : WIDTH - strlen(rest);

		if (v->check[i].status != status)
			continue;
		if (more || (t.len > TOPIC && t.len + 1 + strlen(name) > room)) {
			if (lines == most) {
				more++;
				continue;
			}
			report_text(run->report, "%.*s\n", (int)t.len, bytes);
			lines++;
			t.len = TOPIC;
		}
		fmt(&t, t.len > TOPIC ? " %s" : "%s", name);
	}
	if (more)
		fmt(&t, " and %u more", more);
	if (t.len > TOPIC)
		report_text(run->report, "%.*s\n", (int)t.len, bytes);
}

#define TRUST_BYTES 8192 /* for reasons; a good fifty of them */

static void summary_trust(struct run *run)
{
	const struct machine *m = run->machine;
	struct trust_facts facts = {
		.emulated = run_emulated(run),
		.cpus = m->cpus,
		.cpus_measured = 1,
		.gap_seconds = run->gap_seconds,
		.untimed = run->gap_ticks && !m->tsc_trusted,
		.interrupts_on = m->process,
	};
	static char bytes[TRUST_BYTES];
	struct text t = TEXT_ON(bytes);
	enum trust trust = verdict_trust(run->verdict, &facts, &t);
	struct record *r = report_record(run->report, "trust");

	record_word(r, "trust", trust_name(trust));
	report_str_cut(run->report, "reasons", bytes, t.len);
	report_send(run->report);
	report_text(run->report, "TRUST: %s ", trust_name(trust));
	if (t.cut)
		memcpy(bytes + t.len - 3, "...", 3);
	report_lines(run->report, &t);
	report_text(run->report, "\n");
}

static void summary_not_seen(struct run *run)
{
	char bytes[120];
	struct text t = TEXT_ON(bytes);

	text_str(&t, "NOT SEEN ");
	if (run->gap_ticks) {
		text_str(&t, "gaps outside the ");
		duration_fmt(&t, run->gap_ticks,
			     run->machine->tsc_trusted ? env_ticks_per_second() : 0);
		text_str(&t, " watched");
	} else {
		text_str(&t, "gaps");
	}
	text_str(&t, ", SMIs in idle time, other CPUs\n");
	report_lines(run->report, &t);
}

void summary_report(struct run *run, bool pass)
{
	report_text(run->report, "\n== summary ==\n");
	report_text(run->report, "RESULT   %s\n", pass ? "pass: no check is `not ok`" : "FAIL");
	summary_why(run);
	summary_do(run);
	for (u32 i = 0; i < run->n_headlines; i++)
		report_text(run->report, "%s\n", run->headline[i]);
	summary_clock(run);
	summary_names(run, "SKIPPED", STATUS_SKIP, 6);
	summary_not_seen(run);
	summary_trust(run);
}
