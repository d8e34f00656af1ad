// SPDX-License-Identifier: MIT
/* `ticklog xsave`: the latency table of a Linux trace or of a serial log's trace lines. */
#include "ticklog.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "input.h"
#include "number.h"
#include "trace.h"
#include "xtable.h"

/* SQLite prints averages from here on with an exponent. */
#define REFERENCE_EXPONENT 1000000000000000ull

/* How often something was met, and where first. */
struct met {
	u64 times;
	const char *log;
	u64 line_no;
};

struct xsave {
	const struct command *command;
	struct trace_rules rules;
	unsigned int columns; /* enum xtable_extra */
	u64 pairs;	      /* to keep in memory */
	struct groups *groups;
	bool said_spill;
	struct trace_unit *unit; /* those that samples have */
	u32 n_units;
	u64 lines, samples, others, lost, lost_unknown, cut;
	struct met met[TRACE_KINDS];
	struct met too_many_groups;
	u64 rows, rows_lost; /* of the tables; lost as by the reference */
};

static void meet(struct met *m, const struct input *in)
{
	if (!m->times++) {
		m->log = in->name;
		m->line_no = in->line_no;
	}
}

static bool groups_complain(const struct xsave *x, enum groups_status status)
{
	if (status == GROUPS_NO_MEMORY)
		complain(x->command, "out of memory");
	if (status == GROUPS_NO_FILE)
		complain(x->command, "the temporary file in %s: %s",
			 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", strerror(errno));
	return status == GROUPS_OK || status == GROUPS_FULL;
}

/* The number of the unit that the trace is in; UINT32_MAX without memory. */
static u32 number_unit(struct xsave *x, const struct trace_unit *unit)
{
	struct trace_unit *longer;

	for (u32 i = 0; i < x->n_units; i++)
		if (trace_unit_same(&x->unit[i], unit))
			return i;
	longer = realloc(x->unit, (x->n_units + 1) * sizeof(*longer));
	if (!longer)
		return UINT32_MAX;
	x->unit = longer;
	x->unit[x->n_units] = *unit;
	return x->n_units++;
}

static bool take_sample(struct xsave *x, const struct input *in, u32 unit,
			const struct trace_sample *s)
{
	enum groups_status status =
		unit == UINT32_MAX ? GROUPS_NO_MEMORY : groups_add(x->groups, unit, s);

	if (status == GROUPS_OK)
		x->samples++;
	if (status == GROUPS_FULL)
		meet(&x->too_many_groups, in);
	if (!x->said_spill && groups_spilled(x->groups)) {
		x->said_spill = true;
		complain(x->command,
			 "%s:%llu: more than %llu distinct values; counting on in a temporary file",
			 in->name, (unsigned long long)in->line_no, (unsigned long long)x->pairs);
	}
	return groups_complain(x, status);
}

static void take_note(struct xsave *x, const struct input *in, const struct trace *t,
		      enum trace_kind kind)
{
	if (kind == TRACE_OTHER)
		x->others++;
	if (kind == TRACE_LOST) {
		x->lost += t->lost;
		x->lost_unknown += !t->lost;
	}
	if (trace_reason[kind])
		meet(&x->met[kind], in);
}

/* Without its NULs a line may be something. */
static enum trace_kind read_plain(struct trace *t, const char *line, size_t n, enum trace_kind kind)
{
	static char plain[INPUT_LINE_MAX];

	if (t->rules.reference || !memchr(line, '\0', n))
		return kind;
	return trace_line(t, plain, input_plain(plain, line, n));
}

/* False if it makes no sense to go on. */
static bool read_lines(struct xsave *x, struct input *in)
{
	u32 unit = UINT32_MAX;
	struct trace t;
	const char *line;
	size_t n;

	trace_start(&t, &x->rules);
	while (input_line(in, &line, &n)) {
		struct trace_unit before = t.unit;
		enum trace_kind kind = trace_line(&t, line, n);

		if (kind != TRACE_SAMPLE)
			kind = read_plain(&t, line, n, kind);
		if (before.ticks != t.unit.ticks || before.tsc_khz != t.unit.tsc_khz)
			unit = UINT32_MAX;
		if (kind != TRACE_SAMPLE) {
			take_note(x, in, &t, kind);
			continue;
		}
		if (unit == UINT32_MAX)
			unit = number_unit(x, &t.unit);
		if (!take_sample(x, in, unit, &t.sample))
			return false;
	}
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the exit status that this log alone would have. */
static int read_log(struct xsave *x, const char *path, bool *go_on)
{
	struct input in;

	x->rules.log_name = base_name(path);
	if (!input_open(&in, x->command, path))
		return EXIT_UNUSABLE;
	*go_on = read_lines(x, &in);
	x->lines += in.line_no;
	x->cut += in.cut;
	return input_close(&in) && *go_on ? EXIT_FINE : EXIT_UNUSABLE;
}

static void emit(void *ctx, const char *bytes, size_t n)
{
	(void)ctx;
	fwrite(bytes, 1, n, stdout);
}

static void say_unit(FILE *out, const struct trace_unit *unit)
{
	if (!unit->ticks)
		fputs("unit=ns", out);
	else
		fprintf(out, "unit=ticks tsc_khz=%llu", (unsigned long long)unit->tsc_khz);
}

/*
 * The reference loses a row when SQLite prints an average with an exponent, since bc cannot read
 * that. Moves the others to the front and returns how many they are.
 */
static size_t reference_rows(struct xsave *x, struct xcell *cell, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (cell[i].lat.avg < REFERENCE_EXPONENT)
			cell[kept++] = cell[i];
	x->rows_lost += n - kept;
	return kept;
}

/* One table, or one for each unit, each under a line that names it. */
static void print_tables(struct xsave *x)
{
	for (u32 i = 0; i < x->n_units; i++) {
		struct xcell *cell;
		size_t n = groups_cells(x->groups, i, x->rules.reference, &cell);

		if (x->rules.reference)
			n = reference_rows(x, cell, n);
		x->rows += n;
		if (!n)
			continue;
		if (x->n_units > 1) {
			fputs(i ? "\n# " : "# ", stdout);
			say_unit(stdout, &x->unit[i]);
			putchar('\n');
		}
		xtable_print_extra("", cell, n, x->columns, emit, NULL);
	}
}

static void say_met(const struct xsave *x, const char *what, const struct met *m, const char *why)
{
	if (m->times)
		complain(x->command, "%s: %llu line%s %s, first %s:%llu", what,
			 (unsigned long long)m->times, plural(m->times), why, m->log,
			 (unsigned long long)m->line_no);
}

/* One decimal, rounded half up. */
static void say_lost(const struct xsave *x)
{
	u64 events = x->samples + x->others + x->too_many_groups.times;
	u128 all;
	u64 tenths;

	for (int i = TRACE_FIRST_REASON; i < TRACE_KINDS; i++)
		events += x->met[i].times;
	all = (u128)events + x->lost;
	if (x->lost) {
		tenths = (u64)(((u128)x->lost * 2000 + all) / (2 * all));
		complain(x->command, "lost by the tracer: %llu event%s, %llu.%llu %% of all",
			 (unsigned long long)x->lost, plural(x->lost),
			 (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10));
	}
	if (x->lost_unknown)
		complain(x->command,
			 "lost by the tracer: events, how many it does not say, %llu time%s",
			 (unsigned long long)x->lost_unknown, plural(x->lost_unknown));
}

static void say_nothing_found(const struct xsave *x)
{
	for (int i = TRACE_MALFORMED; i < TRACE_KINDS; i++)
		if (x->met[i].times) {
			complain(x->command, "no usable sample: see above");
			return;
		}
	complain(
		x->command,
		"this holds no x86_fpu_latency_xsave or x86_fpu_latency_xrstor events. They are not in"
		" mainline kernels: the kernel has to be patched for them. A baretick log has such lines"
		" with the boot option xsave.trace=N or xsave.trace=all.");
}

static void say_summary(const struct xsave *x)
{
	complain(x->command, "%llu line%s, %llu sample%s, %llu other event%s",
		 (unsigned long long)x->lines, plural(x->lines), (unsigned long long)x->samples,
		 plural(x->samples), (unsigned long long)x->others, plural(x->others));
	if (x->n_units == 1) {
		fprintf(stderr, "ticklog %s: ", x->command->name);
		say_unit(stderr, x->unit);
		fputc('\n', stderr);
	}
	for (int i = TRACE_FIRST_REASON; i < TRACE_KINDS; i++)
		say_met(x, i == TRACE_MIDWAY ? "set aside" : "not used", &x->met[i],
			trace_reason[i]);
	say_met(x, "not used", &x->too_many_groups, "of groups beyond the 65536th");
	if (x->rows_lost)
		complain(x->command, "%llu row%s left out: an average too large for the reference",
			 (unsigned long long)x->rows_lost, plural(x->rows_lost));
	if (x->cut)
		complain(x->command, "%llu line%s cut at 1 MiB", (unsigned long long)x->cut,
			 plural(x->cut));
	say_lost(x);
	if (!x->samples)
		say_nothing_found(x);
}

static int report(struct xsave *x, int status)
{
	if (!groups_complain(x, groups_finish(x->groups, x->rules.reference)))
		return EXIT_UNUSABLE;
	print_tables(x);
	say_summary(x);
	return x->rows ? status : EXIT_UNUSABLE;
}

static int read_and_report(struct xsave *x, char *const *logs, int n)
{
	int status = EXIT_FINE;
	bool go_on = true;

	for (int i = 0; i < n && go_on; i++)
		status = exit_worse(status, read_log(x, logs[i], &go_on));
	return go_on ? report(x, status) : EXIT_UNUSABLE;
}

enum { OPT_REFERENCE = 256, OPT_KEEP_NOISE, OPT_COUNT, OPT_KEPT, OPT_P50, OPT_P99, OPT_SPILL };

static const struct option options[] = {
	{"reference", no_argument, NULL, OPT_REFERENCE},
	{"keep-noise", no_argument, NULL, OPT_KEEP_NOISE},
	{"count", no_argument, NULL, OPT_COUNT},
	{"kept", no_argument, NULL, OPT_KEPT},
	{"p50", no_argument, NULL, OPT_P50},
	{"p99", no_argument, NULL, OPT_P99},
	{"spill-above", required_argument, NULL, OPT_SPILL},
	{0},
};

static int set_spill(struct xsave *x, const char *text)
{
	if (number_decimal(text, strlen(text), &x->pairs) && x->pairs >= GROUPS_PAIRS_MIN &&
	    x->pairs <= UINT32_MAX)
		return EXIT_FINE;
	return usage_error(x->command, "--spill-above takes a number from %u to %u, not '%s'",
			   GROUPS_PAIRS_MIN, UINT32_MAX, text);
}

static int set_option(struct xsave *x, int option, char **argv)
{
	switch (option) {
	case OPT_REFERENCE:
		x->rules.reference = true;
		return EXIT_FINE;
	case OPT_KEEP_NOISE:
		x->rules.keep_noise = true;
		return EXIT_FINE;
	case OPT_COUNT:
		x->columns |= XTABLE_COUNT;
		return EXIT_FINE;
	case OPT_KEPT:
		x->columns |= XTABLE_KEPT;
		return EXIT_FINE;
	case OPT_P50:
		x->columns |= XTABLE_P50;
		return EXIT_FINE;
	case OPT_P99:
		x->columns |= XTABLE_P99;
		return EXIT_FINE;
	case OPT_SPILL:
		return set_spill(x, optarg);
	default:
		return usage_option(x->command, option, argv);
	}
}

static int run_xsave(const struct command *self, int argc, char **argv)
{
	struct xsave x = {.command = self, .pairs = GROUPS_PAIRS};
	int option, status = EXIT_FINE;

	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1)
		if ((status = set_option(&x, option, argv)) != EXIT_FINE)
			return status;
	if (optind == argc)
		return usage_error(self, "which log? A file, or - for standard input");
	x.groups = groups_new(x.pairs);
	if (!x.groups) {
		complain(self, "out of memory");
		return EXIT_UNUSABLE;
	}
	status = read_and_report(&x, argv + optind, argc - optind);
	groups_free(x.groups);
	free(x.unit);
	return status;
}

const struct command cmd_xsave = {
	.name = "xsave",
	.doc = "print the XSAVE/XRSTOR latency table of Linux traces or serial logs",
	.run = run_xsave,
	.help = "usage: ticklog xsave [OPTION]... LOG...\n"
		"\n"
		"Prints one table of the x86_fpu_latency_* samples in all LOGs together. A LOG is what\n"
		"trace_pipe, trace (in the latency format too) or `trace-cmd report` gave, or a serial log of\n"
		"baretick with trace lines (boot option xsave.trace=N or all); - is standard input, read to its\n"
		"end (or to Ctrl-C).\n"
		"\n"
		"A sample is a line in which x86_fpu_latency_xsave or x86_fpu_latency_xrstor occurs and that\n"
		"ends in latency:N RFBM:0xN XINUSE:0xN. It belongs to the first `word:` after the time stamp.\n"
		"Samples in ns and in TSC ticks are never pooled: where there are both there is a table for\n"
		"each, under a line `# unit=...`.\n"
		"\n"
		"Columns: EVENTs RFBM XINUSE lat_min lat_max lat_avg lat_avg(97%), sorted by the first three.\n"
		"lat_avg(97%) is the average of the trunc(n * 0.97 + 0.5) lowest of n samples. Averages are\n"
		"rounded half up. Options add columns at the end:\n"
		"  --count          n\n"
		"  --kept           how many samples lat_avg(97%) is of\n"
		"  --p50, --p99     percentiles, nearest rank\n"
		"\n"
		"Other options:\n"
		"  --keep-noise     count as a sample what is taken while the tracepoint is switched on: its\n"
		"                   latency is within 1 ms of the time stamp (of one since the trace began: or above\n"
		"                   it); else it is set aside and counted\n"
		"  --reference      read as the script does that was posted with the tracepoints, so that the\n"
		"                   tables are equal byte for byte: keeps that noise; takes no upper-case hex,\n"
		"                   no carriage return, no flag column wider than five, no latency format; sorts\n"
		"                   masks as signed numbers; loses the rows it loses, with averages from 1e15\n"
		"  --spill-above N  keep N distinct values in memory (2000000), more in a temporary file in\n"
		"                   $TMPDIR or /tmp, which is said\n"
		"\n"
		"The table goes to standard output; how many lines were read, and how many were not used for\n"
		"which reason, with the number of the first such line, goes to standard error.\n"
		"\n"
		"Exit status: 0 done, 2 no sample or a log cannot be read, 5 usage.\n",
};
