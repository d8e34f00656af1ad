// SPDX-License-Identifier: MIT
/* `ticklog import`: runs into a store, all or none. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "recompute.h"
#include "store.h"

struct import {
	const struct command *command;
	const char *db;
	char *const *log;
	size_t n_logs;
	struct run_list *runs; /* of each log */
	u64 added, there;
};

/* All logs are read before the store is opened: a pipe may take as long as a machine to boot. */
static int read_logs(struct import *im)
{
	int status = EXIT_FINE;

	for (size_t i = 0; i < im->n_logs; i++) {
		const char *log = im->log[i];
		struct run_list *list = &im->runs[i];

		if (!run_list_read(im->command, log, list)) {
			status = EXIT_UNUSABLE;
			continue;
		}
		status = exit_worse(status, totals_usable(im->command, log, &list->totals));
		for (size_t k = 0; k < list->n; k++)
			status = exit_worse(status, run_stands(im->command, log, list->at[k]));
	}
	return status;
}

static bool add(struct import *im, struct store *s, const char *source, const struct run *r)
{
	switch (store_add(s, r, source)) {
	case STORE_ADDED:
		im->added++;
		return true;
	case STORE_THERE:
		im->there++;
		return true;
	default:
		return false;
	}
}

static bool add_all(struct import *im, struct store *s)
{
	if (!store_begin(s))
		return false;
	for (size_t i = 0; i < im->n_logs; i++)
		for (size_t k = 0; k < im->runs[i].n; k++)
			if (!add(im, s, log_name(im->log[i]), im->runs[i].at[k]))
				return false;
	return store_commit(s);
}

static int import(struct import *im)
{
	int status = read_logs(im);
	struct store *s = status == EXIT_FINE ? store_open_import(im->command, im->db) : NULL;
	bool ok = s && add_all(im, s);

	if (s)
		store_close(s);
	if (!ok) {
		complain(im->command, "nothing was imported");
		return EXIT_UNUSABLE;
	}
	printf("%llu run%s imported into ", (unsigned long long)im->added, plural(im->added));
	escape_puts(stdout, im->db);
	if (im->there)
		printf(", %llu refused, there already", (unsigned long long)im->there);
	putchar('\n');
	return EXIT_FINE;
}

static const struct option options[] = {{"db", required_argument, NULL, 'd'}, {0}};

static int run_import(const struct command *self, int argc, char **argv)
{
	struct import im = {.command = self};
	int option, status;

	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'd')
			return usage_option(self, option, argv);
		im.db = optarg;
	}
	if (!im.db || !*im.db)
		return usage_error(self, "into which store? --db FILE");
	if (optind == argc)
		return usage_error(self, "which log? A file, or - for standard input");
	im.log = argv + optind;
	im.n_logs = (size_t)(argc - optind);
	im.runs = must(calloc(im.n_logs, sizeof(*im.runs)));
	status = import(&im);
	for (size_t i = 0; i < im.n_logs; i++)
		run_list_free(&im.runs[i]);
	free(im.runs);
	return status;
}

const struct command cmd_import = {
	.name = "import",
	.doc = "add the runs of serial logs to a store, which lists and checks read",
	.run = run_import,
	.help = "usage: ticklog import LOG... --db FILE\n"
		"\n"
		"Adds all runs of the LOGs (- is standard input) to the store FILE, which is made if there\n"
		"is none. Either all of them land or, if anything is wrong, none: a log that is incomplete,\n"
		"corrupt or without a figure, a figure that its own histograms or lines contradict (see ticklog\n"
		"show), a full disk, a killed import. Several imports at once wait for each other. A file that\n"
		"is not a store is not touched.\n"
		"\n"
		"A run that is there already, with the same id and content, is refused: it is not imported\n"
		"again, which is said and counted. That is no failure, so a folder of logs may be imported as\n"
		"often as it grows. The id of a stored run with other content is an error, and nothing lands.\n"
		"\n"
		"The store is an SQLite file (application_id 0x746b6c67, user_version 1). Tables, all STRICT:\n"
		"  run     a row a run: id, run (16 hex digits), source, imported (UTC), build, code,\n"
		"          profile, options, vendor, brand, signature, core_type, microcode, hypervisor,\n"
		"          emulated, boot, loader, rtc, firmware, board, serial, uuid, label, tsc_khz,\n"
		"          tsc_trusted, step, pass, trust, trust_reasons, recommended, planned (how many\n"
		"          result lines there should be)\n"
		"  record  every record as it was printed: run (run.id, as in all tables), seq, type, bytes\n"
		"  result  the result lines: run, number, name, ok, status (ok, skip, unstable, failed,\n"
		"          error), reason\n"
		"  figure  run, name, unit, scale, value, slack, overflow, class (floor, typical, tail,\n"
		"          spread, count), better (lower, higher, neither), seq. The figure is value / scale;\n"
		"          if it is only known within bounds they are value and value + slack\n"
		"  xsave   the latency table in ticks: run, event, rfbm, xinuse, n, kept, min, max, avg,\n"
		"          avg97, p50, p99, overhead\n"
		"SQLite's integers are signed: unsigned 64-bit values (masks, figures) are stored as the same\n"
		"64 bits, so that a negative one stands for itself + 2^64. Do not SUM or AVG them in SQL.\n"
		"Histograms and lines are in `record` only. Trace lines and text for people are not stored.\n"
		"\n"
		"Exit status: 0 each run is in the store now, 2 nothing was imported, 5 usage.\n",
};
