// SPDX-License-Identifier: MIT
/* `ticklog list`: the runs of a store. */
#include <getopt.h>
#include <stdio.h>

#include "escape.h"
#include "store.h"

static void cell(const char *text)
{
	escape_puts(stdout, *text ? text : "-");
	putchar('\t');
}

/* Between tabs, since the logs' words hold blanks: escapes leave no tab in them. */
static void print_row(void *ctx, const struct store_row *row)
{
	u64 *n = ctx;

	if ((*n)++ == 0)
		puts("id\trun\tdate\tlabel\tboard\tserial\tsignature\tmicrocode\tprofile\ttrust\t"
		     "result\trecords\tfigures\timported\tsource");
	printf("%llu\t", (unsigned long long)row->id);
	cell(row->run);
	cell(row->rtc);
	cell(row->label);
	cell(row->board);
	cell(row->serial);
	cell(row->signature);
	cell(row->microcode);
	cell(row->profile);
	cell(row->trust);
	cell(row->pass ? "pass" : "fail");
	printf("%llu\t%llu\t", (unsigned long long)row->records, (unsigned long long)row->figures);
	cell(row->imported);
	escape_puts(stdout, row->source);
	putchar('\n');
}

static const struct option options[] = {{"db", required_argument, NULL, 'd'}, {0}};

static int run_list_store(const struct command *self, int argc, char **argv)
{
	const char *db = NULL;
	struct store *s;
	u64 n = 0;
	int option;
	bool ok;

	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'd')
			return usage_option(self, option, argv);
		db = optarg;
	}
	if (!db || !*db)
		return usage_error(self, "which store? --db FILE");
	if (optind != argc)
		return usage_error(self, "takes no log: '%s'", argv[optind]);
	s = store_open_read(self, db);
	if (!s)
		return EXIT_UNUSABLE;
	ok = store_list(s, print_row, &n);
	store_close(s);
	if (ok && n == 0)
		complain(self, "%s: no runs yet", db);
	return ok ? EXIT_FINE : EXIT_UNUSABLE;
}

const struct command cmd_list = {
	.name = "list",
	.doc = "list the runs of a store",
	.run = run_list_store,
	.help = "usage: ticklog list --db FILE\n"
		"\n"
		"Prints a line a run of the store FILE in the order of import, columns between tabs under a\n"
		"line of their names; - stands for what the log does not say. To align them:\n"
		"ticklog list --db FILE | column -t -s \"$(printf '\\t')\"\n"
		"`ticklog import --help` has the tables, for other queries by sqlite3.\n"
		"\n"
		"Exit status: 0 done, 2 not a store, or damaged, 5 usage.\n",
};
