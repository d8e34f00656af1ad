// SPDX-License-Identifier: MIT
/* One run from its first record to its last: begin, identity, suites, verdict, summary, end. */
#include "bench.h"

#include "build.h"
#include "crc.h"
#include "identity.h"
#include "insn.h"
#include "list.h"
#include "mem.h"
#include "ruler.h"
#include "summary.h"

bool run_emulated(const struct run *run)
{
	return run->machine->emulated || run->icount;
}

static enum profile profile_choose(const struct run *run)
{
	if (run->options->profile != PROFILE_AUTO)
		return run->options->profile;
	return run_emulated(run) ? PROFILE_QUICK : PROFILE_STANDARD;
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	struct text t;
	va_list args;

	if (run->n_headlines == RUN_HEADLINES)
		return;
	t = (struct text)TEXT_ON(run->headline[run->n_headlines]);
	t.cap--;
	fmt(&t, "%-9s", topic);
	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	t.at[t.len] = 0;
	run->n_headlines++;
}

void bench_help(struct text *t)
{
	fmt(t, "suites:\n");
	for (size_t i = 0; i < bench_list_n; i++)
		fmt(t, "  %-10s %s%s\n", bench_list[i]->name, bench_list[i]->doc,
		    bench_list[i]->run ? "" : " (not built)");
}

static bool suite_exists(const char *name, size_t n)
{
	if (bytes_are(name, n, "all"))
		return true;
	for (size_t i = 0; i < bench_list_n; i++)
		if (bytes_are(name, n, bench_list[i]->name))
			return true;
	return false;
}

static bool method_exists(const char *name, size_t n)
{
	return bytes_are(name, n, "all") || bytes_are(name, n, "matrix") ||
	       seq_method_find(name, n) >= 0;
}

static const char *method_ids(void)
{
	static char bytes[120];
	struct text t = TEXT_ON(bytes);

	fmt(&t, "method: all, matrix");
	for (u32 i = 0; i < SEQ_METHODS; i++)
		fmt(&t, ", %s", seq_method[i].id);
	text_byte(&t, 0);
	return bytes;
}

static void name_problem(struct options *o, const char *option, const char *item, size_t n,
			 const char *expected)
{
	char bytes[OPTION_TEXT];
	struct text t = TEXT_ON(bytes);

	fmt(&t, "%s=%.*s", option, (int)n, item);
	options_problem(o, bytes, t.len, expected);
}

/* lib knows no suite or method: what a list names is checked here. */
static void options_check_names(struct options *o)
{
	const char *item;
	size_t n;

	for (size_t pos = 0; list_next(o->suite, &pos, &item, &n);)
		if (!suite_exists(item, n))
			name_problem(o, "suite", item, n, "suite: a name that the help lists");
	for (size_t pos = 0; list_next(o->method, &pos, &item, &n);)
		if (!method_exists(item, n))
			name_problem(o, "method", item, n, method_ids());
}

/*
 * What is asked of one suite is not dropped without a word when that suite does not run: a limit
 * would pass unseen. How long and how much to measure may be said for all.
 */
static void options_check_suites(struct options *o)
{
	const struct {
		bool given;
		const char *word, *suite, *expected;
	} need[] = {
		{o->limit_gap.n != OPTION_UNSET, "limit.gap", "gaps",
		 "suite=gaps, which checks it"},
		{o->limit_smi.n != OPTION_UNSET, "limit.smi", "gaps",
		 "suite=gaps, which checks it"},
		{o->smi_inject != OPTION_UNSET || o->smi_handler != OPTION_UNSET, "smi", "gaps",
		 "suite=gaps, which makes them"},
		{o->xsave_trace != 0, "xsave.trace", "xsave", "suite=xsave, which prints it"},
		{o->xsave_rfbm != OPTION_UNSET, "xsave.rfbm", "xsave",
		 "suite=xsave, which obeys it"},
		{o->xsave_xinuse != OPTION_UNSET, "xsave.xinuse", "xsave",
		 "suite=xsave, which obeys it"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(need); i++)
		if (need[i].given && !list_has(o->suite, need[i].suite))
			options_problem(o, need[i].word, strlen(need[i].word), need[i].expected);
}

static u64 run_id(const struct machine *m, const struct options *o)
{
	char bytes[1024];
	struct text t = TEXT_ON(bytes);
	u64 id = crc64(0, &m->entry_tsc, sizeof(m->entry_tsc));

	id = crc64(id, m->rtc, strlen(m->rtc));
	id = crc64(id, BUILD_ID, sizeof(BUILD_ID) - 1);
	options_in_force(o, &t);
	return crc64(id, bytes, t.len);
}

static void run_begin(struct run *run)
{
	struct record *r = report_record(run->report, "begin");
	u64 id = run_id(run->machine, run->options);

	record_u64(r, "schema", 1);
	record_key(r, "run");
	fmt(&r->t, "%016llx", (unsigned long long)id);
	record_word(r, "build", BUILD_ID);
	report_send_forced(run->report);
	report_text(run->report, "baretick %s, run %016llx\n", BUILD_ID, (unsigned long long)id);
}

static void run_options_check(struct run *run)
{
	const struct options *o = run->options;

	if (o->n_problems == 0) {
		verdict_add(run->verdict, "options", STATUS_OK, "%s", "");
		return;
	}
	for (u32 i = 0; i < o->n_problems && i < OPTION_PROBLEMS; i++)
		report_text(run->report, "option %s: expected %s\n", o->problem[i].word,
			    o->problem[i].expected);
	verdict_add(run->verdict, "options", STATUS_FAILED, "%s: expected %s%s", o->problem[0].word,
		    o->problem[0].expected, o->n_problems > 1 ? " (and more, see the log)" : "");
}

/* What CPUID advertises is tried under fault recovery: were that broken, a fault would mean yes. */
static void run_recovery_check(struct run *run)
{
	u32 fault = ud2_safe();

	if (fault != INSN_FAULT_UD)
		verdict_add(run->verdict, "harness.recovery", STATUS_ERROR,
			    "a guarded UD2 was told as %u, expected %u", fault, INSN_FAULT_UD);
}

/* 2^ICOUNT_SHIFT ticks an instruction is the coarsest such clock that QEMU has. */
#define ICOUNT_SHIFT 10

/* Does counting instructions explain the clock? Then it is an emulator, whatever CPUID says. */
static void run_detect_icount(struct run *run)
{
	struct ruler r;

	ruler_take(&r);
	/* The NOPs, or adds, and the few instructions of the window, each 2^k ticks, every time. */
	for (u32 k = 0; k <= ICOUNT_SHIFT; k++)
		run->icount |= r.nops_equal && r.nops_ticks >> k >= 8192 &&
			       r.nops_ticks >> k < 8192 + 64 && r.adds_ticks >> k >= RULER_ADDS &&
			       r.adds_ticks >> k < RULER_ADDS + RULER_ADDS / 16;
}

static void run_suites(struct run *run)
{
	for (size_t i = 0; i < bench_list_n; i++) {
		const struct bench *b = bench_list[i];

		if (!list_has(run->options->suite, b->name))
			continue;
		if (!b->run) {
			verdict_add(run->verdict, b->name, STATUS_SKIP, "not built");
			continue;
		}
		report_text(run->report, "\n== %s: %s ==\n", b->name, b->doc);
		b->run(run);
	}
	if (!run->measured)
		verdict_add(run->verdict, "suites", STATUS_UNSTABLE, "nothing was measured");
}

/*
 * An NMI or a machine check is never silent, also if it came while the machine was brought up, nor
 * is an error that raised none: firmware may have handled it in SMM.
 */
static void run_traps_check(struct run *run)
{
	struct evidence e;
	u32 errors;

	if (run->machine->process)
		return;
	env_evidence(&e);
	errors = env_silent_errors();
	if (e.nmi || e.mce || errors)
		verdict_add(run->verdict, "machine.traps", STATUS_UNSTABLE,
			    "%llu NMI, %llu machine checks since the start, %u banks with an "
			    "error that raised none",
			    (unsigned long long)e.nmi, (unsigned long long)e.mce, errors);
	else
		verdict_add(run->verdict, "machine.traps", STATUS_OK,
			    "no NMI, no machine check, no error in the banks");
}

static bool run_verdict(struct run *run)
{
	const bool strict = run->options->strict;
	char bytes[512];

	if (run->report->lost)
		verdict_add(run->verdict, "report.records", STATUS_ERROR,
			    "%llu records did not fit 1024 bytes",
			    (unsigned long long)run->report->lost);
	report_text(run->report, "\nKTAP version 1\n1..%zu\n", verdict_lines(run->verdict));
	for (size_t i = 0; i < verdict_lines(run->verdict); i++) {
		struct text t = TEXT_ON(bytes);

		verdict_ktap(run->verdict, i, strict, &t);
		text_byte(&t, '\n');
		report_lines(run->report, &t);
	}
	return verdict_pass(run->verdict, strict);
}

/* What the run itself took: memory, bytes of report up to here (a line end counts as one), time. */
static void run_cost(struct run *run)
{
	struct record *r = report_record(run->report, "cost");

	record_u64(r, "arena", env_arena_used());
	record_u64(r, "bytes", run->report->bytes);
	record_u64(r, "ticks", run->machine->has_tsc ? rdtsc() - run->machine->entry_tsc : 0);
	report_send(run->report);
}

static void run_end(struct run *run, bool pass)
{
	struct record *r = report_record(run->report, "end");

	record_u64(r, "records", run->report->seq + 1);
	record_word(r, "result", pass ? "pass" : "fail");
	report_send_forced(run->report);
	env_flush();
}

bool bench_run(const struct machine *machine, struct options *options)
{
	static struct verdict verdict;
	static struct report report;
	static struct seq_scratch scratch;
	struct run run = {
		.machine = machine,
		.options = options,
		.verdict = &verdict,
		.report = &report,
		.scratch = &scratch,
		.recommended = {.id = "5", .is_default = true, .reason = "nothing was measured"},
	};
	bool pass;

	report = (struct report){.options = options};
	options_check_names(options);
	options_check_suites(options);
	run_begin(&run);
	if (machine->has_tsc) {
		env_quiet();
		run_detect_icount(&run);
	}
	run.profile = profile_choose(&run);
	identity_report(&run);
	run_options_check(&run);
	identity_checks(&run);
	run_recovery_check(&run);
	if (machine->has_tsc) {
		ruler_pilot(&run);
		run_suites(&run);
	} else {
		verdict_add(&verdict, "tsc", STATUS_FAILED, "no TSC (CPUID.1:EDX[4] is 0)");
	}
	run_traps_check(&run);
	pass = run_verdict(&run);
	summary_report(&run, pass);
	run_cost(&run);
	/* One lost since the verdict is told by the end alone. */
	pass &= !report.lost;
	run_end(&run, pass);
	return pass;
}
