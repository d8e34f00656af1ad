// SPDX-License-Identifier: MIT
/* `ticklog check`: is a machine still what it was? */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_out.h"
#include "recompute.h"

struct request {
	const struct command *command;
	const char *baseline, *limits, *junit;
	bool tap, json, strict, all, print_limits;
	char *const *log;
	size_t n_logs;
};

struct taking {
	const struct command *command;
	const char *path;
	struct side *side;
	u64 unusable;
};

static void take(void *ctx, struct run *r)
{
	struct taking *t = ctx;

	if (run_stands(t->command, t->path, r) == EXIT_FINE) {
		side_add(t->side, r, log_name(t->path), NULL);
		if (side_drop_repeated(t->side))
			complain(t->command, "%s: a run that is there twice counts once",
				 log_name(t->path));
		return;
	}
	t->unusable++;
	run_free(r);
}

/* How many logs or runs are unusable. */
static u64 read_logs(const struct request *q, struct side *now)
{
	struct taking t = {.command = q->command, .side = now};
	struct run_totals totals;

	for (size_t i = 0; i < q->n_logs; i++) {
		t.path = q->log[i];
		if (!run_read_each(q->command, t.path, take, &t, &totals) ||
		    totals_usable(q->command, t.path, &totals) != EXIT_FINE)
			t.unusable++;
	}
	return t.unusable;
}

static int print_all(const struct request *q, const struct check_show *s)
{
	if (q->json)
		check_json(s, stdout);
	else if (q->tap)
		check_tap(s, stdout);
	else
		check_print(s, stdout, "");
	if (!q->junit || check_junit(s, q->junit))
		return EXIT_FINE;
	complain(q->command, "%s: %s", q->junit, strerror(errno));
	return EXIT_UNUSABLE;
}

static int check(const struct request *q, const struct limits *limits)
{
	struct comparison c = {.command = q->command, .limits = limits, .strict = q->strict};
	struct side now = {0};
	struct baseline base;
	const struct check_show show = {&c, &base, q->all};

	c.unusable = read_logs(q, &now);
	c.status = c.unusable ? EXIT_UNUSABLE : EXIT_FINE;
	baseline_read(&base, q->command, q->baseline);
	check_make(&c, &now, &base);
	limits_say_unused(limits, q->command);
	c.status = exit_worse(c.status, print_all(q, &show));
	check_free(&c);
	baseline_free(&base);
	side_free(&now);
	return c.status;
}

static int check_with_limits(const struct request *q)
{
	struct limits limits;
	int status = EXIT_USAGE;

	limits_init(&limits);
	if (!q->limits || limits_read(&limits, q->command, q->limits)) {
		status = EXIT_FINE;
		if (q->print_limits)
			limits_print(&limits, stdout, "");
		else
			status = check(q, &limits);
	}
	limits_free(&limits);
	return status;
}

enum { OPT_TAP = 256, OPT_JUNIT, OPT_JSON, OPT_LIMITS, OPT_STRICT, OPT_ALL, OPT_PRINT };

static const struct option options[] = {
	{"baseline", required_argument, NULL, 'b'},
	{"tap", no_argument, NULL, OPT_TAP},
	{"junit", required_argument, NULL, OPT_JUNIT},
	{"json", no_argument, NULL, OPT_JSON},
	{"limits", required_argument, NULL, OPT_LIMITS},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"all", no_argument, NULL, OPT_ALL},
	{"print-limits", no_argument, NULL, OPT_PRINT},
	{0},
};

static bool set_option(struct request *q, int option)
{
	switch (option) {
	case 'b':
		q->baseline = optarg;
		return true;
	case OPT_TAP:
		return q->tap = true;
	case OPT_JUNIT:
		q->junit = optarg;
		return true;
	case OPT_JSON:
		return q->json = true;
	case OPT_LIMITS:
		q->limits = optarg;
		return true;
	case OPT_STRICT:
		return q->strict = true;
	case OPT_ALL:
		return q->all = true;
	case OPT_PRINT:
		return q->print_limits = true;
	default:
		return false;
	}
}

static int settle(const struct request *q)
{
	size_t pipes = q->baseline && !strcmp(q->baseline, "-");

	if (q->print_limits)
		return EXIT_FINE;
	if (!q->n_logs)
		return usage_error(q->command, "which log? A file, or - for standard input");
	if (!q->baseline)
		return usage_error(q->command,
				   "compared with what? --baseline LOG|DIRECTORY|STORE");
	if (q->tap && q->json)
		return usage_error(q->command, "--tap and --json both print to standard output");
	for (size_t i = 0; i < q->n_logs; i++)
		pipes += !strcmp(q->log[i], "-");
	if (pipes > 1)
		return usage_error(q->command, "standard input can be only one of the logs");
	return EXIT_FINE;
}

static int run_check(const struct command *self, int argc, char **argv)
{
	struct request q = {.command = self};
	int option, status;

	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1)
		if (!set_option(&q, option))
			return usage_option(self, option, argv);
	q.log = argv + optind;
	q.n_logs = (size_t)(argc - optind);
	status = settle(&q);
	return status == EXIT_FINE ? check_with_limits(&q) : status;
}

const struct command cmd_check = {
	.name = "check",
	.doc = "is a machine still what it was? compare runs with a baseline's",
	.run = run_check,
	.help = "usage: ticklog check LOG... --baseline LOG|DIRECTORY|STORE [OPTION]...\n"
		"\n"
		"Compares the runs of the LOGs (- is standard input) with those of a baseline: a log, all\n"
		"logs in a directory, or a store made by ticklog import. Says what is worse, better, the\n"
		"same, and what else changed that may be why.\n"
		"\n"
		"Options:\n"
		"  --limits FILE    limits for single figures, see below\n"
		"  --print-limits   print the limits in force as such a file, and end\n"
		"  --strict         UNSTABLE counts as a failure too\n"
		"  --all            show every figure, also those that are the same\n"
		"  --tap            print TAP version 13, with the summary as comments in front\n"
		"  --json           print one JSON object instead of the summary\n"
		"  --junit FILE     write JUnit XML into FILE too\n"
		"\n"
		"Runs are compared only if these agree: vendor, signature, core_type, hypervisor, emulated,\n"
		"code (of what is measured), profile, and the options given, save those that do not bear on\n"
		"what is measured (baud, console, exit, ident, label, limit.*, strict, xsave.trace). Else the\n"
		"verdict is INCOMPARABLE and names what differs. So an emulator's log is never a baseline for\n"
		"hardware. Microcode, firmware, board, serial, brand, boot path, build and clock may differ\n"
		"and are shown as what may be why.\n"
		"\n"
		"Verdicts of a figure, or of a result line of the kernel (check.NAME):\n"
		"  REGRESSION  worse: higher, or not ok where it was ok. Fails\n"
		"  MISSING     each of the baseline's runs has it, none of the LOGs'. Fails\n"
		"  UNSTABLE    no telling: it did not settle; the core clock or a sibling thread moved within\n"
		"              the runs as far as it did; or the baseline has too few runs. Fails with --strict\n"
		"  IMPROVED, NEW, SAME\n"
		"\n"
		"A change counts if it is beyond all three of: an absolute limit; a limit relative to the\n"
		"baseline; the noise between the baseline's own runs. Sides of several runs are compared by\n"
		"their medians. Noise: with five runs or more on both sides a rank-sum test (one-sided, once\n"
		"in 200 by chance); else, with three of the baseline, mad times the median deviation from\n"
		"their median; with fewer it is not known: then abs and rel are multiplied by `alone`, or the\n"
		"figure is not judged (alone=no: UNSTABLE beyond the limits). Of tails, spreads and counts\n"
		"only a rank-sum test knows the noise; an average or variance is judged without, unless eight\n"
		"outliers like its largest sample would explain the change.\n"
		"Where core clock or sibling thread moved by more than 2% within a run (ruler, canary), what\n"
		"that explains is UNSTABLE, and relative limits are 10 times as wide; likewise on an emulator\n"
		"unless it counts instructions.\n"
		"Runs in which a series did not settle are no baseline for it. Equal values are always SAME.\n"
		"The absolute limit in ticks is at least two steps of the TSC. A run that is checked is left\n"
		"out of the baseline, unless there is no other.\n"
		"\n"
		"A limits file has a rule a line, # begins a comment: a pattern, then one or more of\n"
		"  abs=N        in the unit of the figure       rel=N%        of the baseline's value\n"
		"  mad=K        median deviations of noise      alone=F|no    see above\n"
		"  judge=yes|no\n"
		"Numbers may have three decimals. The pattern is a name with * and ? in it, such as\n"
		"tsc.5.mem.empty.*.min, or a class: @floor (minima), @typical (medians, trimmed averages),\n"
		"@tail (high percentiles, maxima, averages), @spread (variances), @count. Of several rules that\n"
		"fit the last counts, key by key. `ticklog show --figures LOG` lists the names of a log's\n"
		"figures, and --print-limits what is built in.\n"
		"\n"
		"Every run is held against its own raw data first, as by ticklog show: one with a figure that\n"
		"does not follow from its histograms or lines is unusable, and no baseline.\n"
		"\n"
		"Exit status: 0 same or better, 1 a regression or something missing, 2 a log is unusable\n"
		"(incomplete, corrupt, a figure contradicted, nothing measured), 3 incomparable, 4 no baseline,\n"
		"5 usage or limits file; of several the worst, in the order 5, 2, 4, 3, 1.\n",
};
