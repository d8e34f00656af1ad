// SPDX-License-Identifier: MIT
/* `ticklog fleet`: many machines side by side. Reads the logs and finds out which machine a run is
 * of. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "fleet.h"
#include "recompute.h"
#include "run_build.h"
#include "ticklog.h"

struct reading {
	const struct command *command;
	const char *path; /* of the log that is read */
	size_t n;
	struct machine *machine;
	int status;
};

/* ---- which machine a run is of */

bool fleet_word_known(const char *text)
{
	static const char *const fillers[] = {"",
					      "Not Specified",
					      "To Be Filled By O.E.M.",
					      "Default string",
					      "System Serial Number",
					      "None"};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++)
		if (!strcmp(text, fillers[i]))
			return false;
	return strspn(text, "0-") != strlen(text) && strspn(text, "fF-") != strlen(text);
}

static bool same_word(const char *a, const char *b)
{
	return fleet_word_known(a) && !strcmp(a, b);
}

/* By UUID, else by serial number and board, else by label; without any, each log is a machine. */
static bool same_machine(const struct run_identity *a, const struct run_identity *b)
{
	if (fleet_word_known(a->uuid) || fleet_word_known(b->uuid))
		return same_word(a->uuid, b->uuid) && !strcmp(a->label, b->label);
	if (fleet_word_known(a->serial) || fleet_word_known(b->serial))
		return same_word(a->serial, b->serial) && !strcmp(a->board, b->board);
	return same_word(a->label, b->label);
}

/* Figures of those that are equal here are of one kind. */
static int kind_order(const struct run_identity *a, const struct run_identity *b)
{
	static const struct run_trait kind[] = {
		RUN_TRAIT(vendor),     RUN_TRAIT(signature), RUN_TRAIT(core_type),
		RUN_TRAIT(hypervisor), RUN_TRAIT(emulated),  RUN_TRAIT(code),
		RUN_TRAIT(profile),    RUN_TRAIT(boot),
	};
	int order = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kind) && order == 0; i++)
		order = strcmp(run_trait(a, &kind[i]), run_trait(b, &kind[i]));
	return order;
}

static bool same_fleet(const struct run_identity *a, const struct run_identity *b)
{
	return kind_order(a, b) == 0;
}

/* What a machine is known by: as same_machine() has it. */
static u64 identity_key(const struct run_identity *id)
{
	const char *const words[] = {id->uuid, id->serial, id->label};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (fleet_word_known(words[i]))
			return crc64(0, words[i], strlen(words[i]));
	return 0;
}

const char *fleet_machine_name(const struct machine *m)
{
	const struct run_identity *id = &m->run->id;

	if (*id->label)
		return id->label;
	return fleet_word_known(id->serial) ? id->serial : m->path;
}

static void machine_clear(struct machine *m)
{
	figure_set_free(&m->figures);
	free(m->out);
	run_free(m->run);
}

/* The one of an earlier run, or NULL. The keys are there for thousands of machines. */
static struct machine *machine_find(const struct reading *f, const struct run_identity *id, u64 key)
{
	for (size_t i = 0; key && i < f->n; i++) {
		struct machine *m = &f->machine[i];

		if (m->key == key && m->usable && same_fleet(&m->run->id, id) &&
		    same_machine(&m->run->id, id))
			return m;
	}
	return NULL;
}

/* The machine's figures are those of its last usable run of that kind. */
static void machine_add(struct reading *f, struct run *r, bool usable)
{
	const u64 key = identity_key(&r->id);
	struct machine *m = usable ? machine_find(f, &r->id, key) : NULL;
	u64 runs = usable;

	if (m) {
		runs += m->runs;
		machine_clear(m);
	} else {
		m = VECTOR_ADD(f->machine, f->n);
	}
	*m = (struct machine){
		.path = f->path, .run = r, .key = key, .usable = usable, .runs = runs};
	if (usable)
		figure_set_make(r, &m->figures);
}

static void fleet_run(void *ctx, struct run *r)
{
	struct reading *f = ctx;
	int status = run_stands(f->command, f->path, r);

	f->status = exit_worse(f->status, status);
	machine_add(f, r, status == EXIT_FINE);
}

/* ---- fleets, in the order in which the logs have their first machines */

static int by_kind(const void *a, const void *b)
{
	const struct machine *x = *(const struct machine *const *)a;
	const struct machine *y = *(const struct machine *const *)b;
	int order = kind_order(&x->run->id, &y->run->id);

	return order ? order : (x > y) - (x < y);
}

static void fleets_number(struct machine *m, size_t n)
{
	struct machine **sorted = must(malloc((n + 1) * sizeof(*sorted)));

	for (size_t i = 0; i < n; i++)
		sorted[i] = &m[i];
	qsort(sorted, n, sizeof(*sorted), by_kind);
	for (size_t i = 0; i < n; i++)
		sorted[i]->fleet = i && same_fleet(&sorted[i - 1]->run->id, &sorted[i]->run->id)
					   ? sorted[i - 1]->fleet
					   : (size_t)(sorted[i] - m);
	free(sorted);
}

/* By fleet; machines that stand out come first there, the farthest before the others. */
static int machine_order(const void *a, const void *b)
{
	const struct machine *x = a, *y = b;
	u64 p = x->n_out ? x->out[0].tenths : 0, q = y->n_out ? y->out[0].tenths : 0;

	if (x->fleet != y->fleet)
		return x->fleet < y->fleet ? -1 : 1;
	if (fleet_out_steady(x) != fleet_out_steady(y))
		return fleet_out_steady(x) ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(fleet_machine_name(x), fleet_machine_name(y));
}

static void fleets_print(struct machine *m, size_t n)
{
	fleets_number(m, n);
	fleet_outliers_find(m, n);
	qsort(m, n, sizeof(*m), machine_order);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && m[end].fleet == m[i].fleet;)
			end++;
		fleet_print(&m[i], end - i);
	}
}

static void read_log(struct reading *f, const char *path)
{
	struct run_totals totals;
	int status = EXIT_UNUSABLE;

	f->path = path;
	if (run_read_each(f->command, path, fleet_run, f, &totals))
		status = totals_usable(f->command, path, &totals);
	f->status = exit_worse(f->status, status);
}

static int run_fleet(const struct command *self, int argc, char **argv)
{
	static const struct option none[] = {{0}};
	struct reading f = {.command = self};
	int option = getopt_long(argc, argv, ":", none, NULL);

	if (option != -1)
		return usage_option(self, option, argv);
	if (optind == argc)
		return usage_error(self, "which logs? Files, or - for standard input");
	for (int i = optind; i < argc; i++)
		read_log(&f, argv[i]);
	if (f.n)
		fleets_print(f.machine, f.n);
	for (size_t i = 0; i < f.n; i++)
		machine_clear(&f.machine[i]);
	free(f.machine);
	return f.status;
}

const struct command cmd_fleet = {
	.name = "fleet",
	.doc = "compare many machines: a row each, outliers first",
	.run = run_fleet,
	.help = "usage: ticklog fleet LOG...\n"
		"\n"
		"Prints a row for each machine in the LOGs (- is standard input). Machines are known by UUID,\n"
		"else by serial number and board, else by label (boot option label=); without any, each run is\n"
		"a machine. Of several runs the last complete one counts. Runs whose figures are of different\n"
		"kinds (vendor, CPU signature, core type, hypervisor, emulator, measured code, profile, way of\n"
		"booting) are fleets of their own, those of one machine too.\n"
		"\n"
		"Columns: result and trust of the run; the recommended method, its min in ticks; the spread of\n"
		"the stability loop in ticks; stolen time in parts in a million (gaps); the min of XSAVE with\n"
		"everything in use, in ticks; how many figures stand out; how many complete runs there are.\n"
		"\n"
		"A figure stands out when it is more than 5 median absolute deviations (MAD) from the fleet's\n"
		"median, and far enough to matter: a tenth of the median and 4 ticks for minima, medians and\n"
		"trimmed averages; four times the median, upwards, for maxima, variances and counts. Fewer than\n"
		"3 machines have no outliers. The farthest 3 are named, with what else differs about the\n"
		"machine: microcode, firmware, board, brand, build, options, loader.\n"
		"\n"
		"Exit status: 0 every run is usable, 2 not so (its row says UNUSABLE), 5 usage. Outliers are no\n"
		"failure: `ticklog check` judges a machine by its own past.\n",
};
