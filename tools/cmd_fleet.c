// SPDX-License-Identifier: MIT
/* `ticklog fleet`: many machines side by side; those that stand out first, with what differs. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "figures.h"
#include "recompute.h"
#include "run_build.h"
#include "ticklog.h"

#define MADS	     5	/* median absolute deviations that a figure may be off */
#define LEAST	     3	/* machines, for a median to say something */
#define PART_STEADY  10 /* and at least a tenth of the median, where figures are steady */
#define TIMES_LOOSE  4	/* or four times the median, where one disturbance moves them */
#define TICKS_STEADY 4	/* and so many ticks: below is the TSC's step */
#define NAMED_MOST   3	/* figures named of a machine */

struct machine {
	const char *path;
	struct run *run;
	bool usable;
	u64 runs; /* usable ones of it in all logs */
	struct figure_set figures;
	size_t fleet;
	/* What stands out, the farthest first. */
	size_t n_out;
	struct out *out;
};

/* One figure that stands out. */
struct out {
	const struct figure *figure;
	u64 median, mad;
	u64 tenths; /* how many times the MAD it is off, times 10 */
};

struct fleets {
	const struct command *command;
	const char *path;
	size_t n;
	struct machine *machine;
	size_t n_fleets;
	int status;
};

/* ---- which machine a run is of */

static bool is_filler(const char *text)
{
	static const char *const fillers[] = {"",
					      "Not Specified",
					      "To Be Filled By O.E.M.",
					      "Default string",
					      "System Serial Number",
					      "None"};

	for (size_t i = 0; i < ARRAY_SIZE(fillers); i++)
		if (!strcmp(text, fillers[i]))
			return true;
	return strspn(text, "0-") == strlen(text) || strspn(text, "fF-") == strlen(text);
}

static bool same_word(const char *a, const char *b)
{
	return !is_filler(a) && !strcmp(a, b);
}

/* By UUID, else by serial number and board, else by label; without any, each log is a machine. */
static bool same_machine(const struct run_identity *a, const struct run_identity *b)
{
	if (!is_filler(a->uuid) || !is_filler(b->uuid))
		return same_word(a->uuid, b->uuid) && !strcmp(a->label, b->label);
	if (!is_filler(a->serial) || !is_filler(b->serial))
		return same_word(a->serial, b->serial) && !strcmp(a->board, b->board);
	return same_word(a->label, b->label);
}

/* Figures of these are of one kind. */
static bool same_fleet(const struct run_identity *a, const struct run_identity *b)
{
	return !strcmp(a->vendor, b->vendor) && !strcmp(a->signature, b->signature) &&
	       !strcmp(a->core_type, b->core_type) && !strcmp(a->hypervisor, b->hypervisor) &&
	       !strcmp(a->emulated, b->emulated) && !strcmp(a->code, b->code) &&
	       !strcmp(a->profile, b->profile) && !strcmp(a->boot, b->boot);
}

static const struct figure *figure_of(const struct machine *m, const char *name)
{
	const struct figure_held *held = figure_set_find(&m->figures, name);

	return held ? &held->f : NULL;
}

static void machine_clear(struct machine *m)
{
	figure_set_free(&m->figures);
	free(m->out);
	run_free(m->run);
}

/* The machine's figures are those of its last usable run of that kind. */
static void machine_add(struct fleets *f, struct run *r, bool usable)
{
	struct machine *m = NULL;
	u64 runs = usable;

	for (size_t i = 0; usable && i < f->n; i++)
		if (f->machine[i].usable && same_fleet(&f->machine[i].run->id, &r->id) &&
		    same_machine(&f->machine[i].run->id, &r->id))
			m = &f->machine[i];
	if (m) {
		runs += m->runs;
		machine_clear(m);
	} else {
		m = VECTOR_ADD(f->machine, f->n);
	}
	*m = (struct machine){.path = f->path, .run = r, .usable = usable, .runs = runs};
	if (usable)
		figure_set_make(r, &m->figures);
}

static void fleet_run(void *ctx, struct run *r)
{
	struct fleets *f = ctx;
	int status = run_stands(f->command, f->path, r);

	f->status = exit_worse(f->status, status);
	machine_add(f, r, status == EXIT_FINE);
}

/* ---- what stands out */

static bool is_steady(enum figure_class class)
{
	return class == FIGURE_FLOOR || class == FIGURE_TYPICAL;
}

/* Far enough to be told to a person, whatever the MAD: it is 0 where most machines are equal. */
static bool is_far(const struct figure *f, u64 median)
{
	u64 off = f->value > median ? f->value - median : median - f->value;
	u64 low = f->value < median ? f->value : median;
	u64 high = f->value < median ? median : f->value;

	if (is_steady(f->class))
		return off > (u64)TICKS_STEADY * f->scale && off > median / PART_STEADY;
	/* Lower is better in tails, and no reason to look at a machine. */
	return f->value > median && off > 100ull * f->scale && high / TIMES_LOOSE > low;
}

/* Where most machines are equal the MAD is 0, and says nothing of how far is far. */
static u64 mad_least(const struct figure *f, u64 median, u64 mad)
{
	u64 least = median / 50 > f->scale ? median / 50 : f->scale;

	return mad > least ? mad : least;
}

static void out_add(struct machine *m, const struct figure *v, u64 median, u64 mad)
{
	u64 off = v->value > median ? v->value - median : median - v->value;
	u64 least = mad_least(v, median, mad);
	struct out *o = VECTOR_ADD(m->out, m->n_out);

	*o = (struct out){.figure = v, .median = median, .mad = mad};
	o->tenths = off > ~0ull / 10 ? ~0ull / least : off * 10 / least;
}

/* One figure over all machines of a fleet. x has room for all. */
static void figure_compare(struct fleets *f, size_t fleet, const struct figure *v, u64 *x)
{
	size_t n = 0;
	u64 median, mad;

	for (size_t i = 0; i < f->n; i++) {
		const struct figure *other;

		if (f->machine[i].fleet != fleet || !f->machine[i].usable)
			continue;
		other = figure_of(&f->machine[i], v->name);
		if (other && !other->overflow)
			x[n++] = other->value;
	}
	if (n < LEAST)
		return;
	mad = stats_mad(x, n, &median);
	for (size_t i = 0; i < f->n; i++) {
		struct machine *m = &f->machine[i];
		const struct figure *mine =
			m->fleet == fleet && m->usable ? figure_of(m, v->name) : NULL;
		u64 off;

		if (!mine || mine->overflow)
			continue;
		off = mine->value > median ? mine->value - median : median - mine->value;
		if (off / MADS > mad && is_far(mine, median))
			out_add(m, mine, median, mad);
	}
}

/* Has a machine before this one in the fleet the figure? Then it was compared with that. */
static bool seen_before(const struct fleets *f, size_t at, const char *name)
{
	for (size_t i = 0; i < at; i++)
		if (f->machine[i].fleet == f->machine[at].fleet && f->machine[i].usable &&
		    figure_of(&f->machine[i], name))
			return true;
	return false;
}

/* What one disturbance moves comes behind what is steady; else the farthest first. */
static int out_order(const void *a, const void *b)
{
	const struct out *x = a, *y = b;
	bool p = is_steady(x->figure->class), q = is_steady(y->figure->class);

	if (p != q)
		return p ? -1 : 1;
	if (x->tenths != y->tenths)
		return x->tenths > y->tenths ? -1 : 1;
	return strcmp(x->figure->name, y->figure->name);
}

static void outliers_find(struct fleets *f)
{
	u64 *x = must(malloc((f->n + 1) * sizeof(*x)));

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; f->machine[i].usable && k < f->machine[i].figures.n; k++)
			if (!seen_before(f, i, f->machine[i].figures.held[k].f.name))
				figure_compare(f, f->machine[i].fleet,
					       &f->machine[i].figures.held[k].f, x);
	free(x);
	for (size_t i = 0; i < f->n; i++)
		if (f->machine[i].n_out)
			qsort(f->machine[i].out, f->machine[i].n_out, sizeof(struct out),
			      out_order);
}

static void fleets_sort(struct fleets *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t k = 0;

		while (k < i && !same_fleet(&f->machine[k].run->id, &f->machine[i].run->id))
			k++;
		f->machine[i].fleet = k < i ? f->machine[k].fleet : f->n_fleets++;
	}
}

/* ---- what differs about a machine */

static const struct run_trait traits[] = {
	RUN_TRAIT(microcode), RUN_TRAIT(firmware), RUN_TRAIT(board),  RUN_TRAIT(brand),
	RUN_TRAIT(build),     RUN_TRAIT(options),  RUN_TRAIT(loader),
};

static const char *trait_of(const struct machine *m, size_t trait)
{
	return run_trait(&m->run->id, &traits[trait]);
}

static size_t trait_count(const struct fleets *f, size_t fleet, size_t trait, const char *value)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->machine[i].usable && f->machine[i].fleet == fleet &&
		     !strcmp(trait_of(&f->machine[i], trait), value);
	return n;
}

/* What more than half of the fleet has, or NULL. */
static const char *trait_usual(const struct fleets *f, size_t fleet, size_t trait, size_t machines)
{
	for (size_t i = 0; i < f->n; i++) {
		const char *value = trait_of(&f->machine[i], trait);

		if (f->machine[i].fleet == fleet && f->machine[i].usable &&
		    trait_count(f, fleet, trait, value) * 2 > machines)
			return value;
	}
	return NULL;
}

static const char *or_none(const char *text)
{
	return *text ? text : "none";
}

static void traits_print(const struct fleets *f, const struct machine *m, size_t machines)
{
	bool any = false;

	for (size_t t = 0; t < ARRAY_SIZE(traits); t++) {
		const char *usual = trait_usual(f, m->fleet, t, machines), *mine = trait_of(m, t);

		if (!usual || !strcmp(usual, mine))
			continue;
		printf("%s%s ", any ? ", " : "    differs: ", traits[t].name);
		escape_puts(stdout, or_none(mine));
		fputs(" (most have ", stdout);
		escape_puts(stdout, or_none(usual));
		putchar(')');
		any = true;
	}
	puts(any ? "" : "    nothing else differs from most");
}

/* ---- output */

static const char *name_of(const struct machine *m)
{
	const struct run_identity *id = &m->run->id;

	if (*id->label)
		return id->label;
	return is_filler(id->serial) ? m->path : id->serial;
}

static void value_text(char *to, size_t cap, const struct figure *f, u64 value)
{
	struct figure x = *f;
	struct text t = {.at = to, .cap = cap - 1};

	if (value != f->value)
		x.slack = 0;
	x.value = value;
	figure_fmt(&t, &x);
	to[t.len] = '\0';
}

static void out_print(const struct out *o)
{
	char mine[64], median[64], mad[64];

	value_text(mine, sizeof(mine), o->figure, o->figure->value);
	value_text(median, sizeof(median), o->figure, o->median);
	value_text(mad, sizeof(mad), o->figure, o->mad);
	printf("    %s: %s ", o->figure->name, mine);
	escape_puts(stdout, o->figure->unit);
	printf(", median %s, MAD %s", median, mad);
	if (o->mad && mad_least(o->figure, o->median, o->mad) == o->mad)
		printf(", off by %llu.%llu MAD", (unsigned long long)(o->tenths / 10),
		       (unsigned long long)(o->tenths % 10));
	putchar('\n');
}

static void outlier_print(const struct fleets *f, const struct machine *m, size_t machines)
{
	fputs("  ", stdout);
	escape_puts(stdout, name_of(m));
	printf(": %zu of %zu figures stand%s out\n", m->n_out, m->figures.n,
	       m->n_out == 1 ? "s" : "");
	for (size_t i = 0; i < m->n_out && i < NAMED_MOST; i++)
		out_print(&m->out[i]);
	traits_print(f, m, machines);
}

/* ---- the table */

enum column {
	COL_LABEL,
	COL_SERIAL,
	COL_BOARD,
	COL_FIRMWARE,
	COL_MICROCODE,
	COL_RESULT,
	COL_TRUST,
	COL_METHOD,
	COL_MIN, /* from here on nothing of an unusable run */
	COL_SPREAD,
	COL_GAPS,
	COL_XSAVE,
	COL_OUTLIERS,
	COL_RUNS,
	COLUMNS,
};

static const char *const heads[COLUMNS] = {
	"label",  "serial", "board",  "firmware", "microcode", "result",   "trust",
	"method", "min",    "spread", "gaps",	  "xsave",     "outliers", "runs",
};

struct cells {
	char text[COLUMNS][64];
};

static void cell_word(char *to, const char *text)
{
	size_t n = 0;

	for (; *text && n < 40; text++)
		to[n++] = *text < ' ' || *text > '~' ? '?' : *text;
	to[n] = '\0';
	if (n == 0)
		strcpy(to, "-");
}

static void cell_figure(char *to, const struct machine *m, const char *name)
{
	const struct figure *f = figure_of(m, name);

	if (f)
		value_text(to, 64, f, f->value);
	else
		strcpy(to, "-");
}

/* The dearest plain save: everything asked for, everything in use. */
static void cell_xsave(char *to, const struct machine *m)
{
	const struct xcell *most = NULL;

	for (size_t i = 0; i < m->run->n_xcells; i++) {
		const struct xcell *x = &m->run->xcell[i].cell;

		if (!strcmp(x->event, "xsave") &&
		    (!most || x->rfbm > most->rfbm ||
		     (x->rfbm == most->rfbm && x->xinuse > most->xinuse)))
			most = x;
	}
	if (most)
		snprintf(to, 64, "%llu", (unsigned long long)most->lat.min);
	else
		strcpy(to, "-");
}

static void cells_fill(struct cells *c, const struct machine *m)
{
	const struct run *r = m->run;
	char name[FIGURE_NAME];

	cell_word(c->text[COL_LABEL], *r->id.label ? r->id.label : m->path);
	cell_word(c->text[COL_SERIAL], r->id.serial);
	cell_word(c->text[COL_BOARD], r->id.board);
	cell_word(c->text[COL_FIRMWARE], r->id.firmware);
	cell_word(c->text[COL_MICROCODE], r->id.microcode);
	cell_word(c->text[COL_RESULT], !m->usable ? "UNUSABLE" : r->pass ? "pass" : "FAIL");
	cell_word(c->text[COL_TRUST], r->trust);
	cell_word(c->text[COL_METHOD], r->recommended);
	for (int i = COL_MIN; i < COLUMNS; i++)
		strcpy(c->text[i], "-");
	if (!m->usable)
		return;
	figure_name(name, "tsc", r->recommended, "mem", "empty", "none", "min");
	cell_figure(c->text[COL_MIN], m, name);
	figure_name(name, "stability", r->recommended, "spread");
	cell_figure(c->text[COL_SPREAD], m, name);
	cell_figure(c->text[COL_GAPS], m, "gaps.stolen");
	cell_xsave(c->text[COL_XSAVE], m);
	snprintf(c->text[COL_OUTLIERS], sizeof(c->text[COL_OUTLIERS]), "%zu", m->n_out);
	snprintf(c->text[COL_RUNS], sizeof(c->text[COL_RUNS]), "%llu", (unsigned long long)m->runs);
}

static void row_print(const struct cells *c, const size_t *width)
{
	for (size_t i = 0; i + 1 < COLUMNS; i++)
		printf("%-*s  ", (int)width[i], c->text[i]);
	puts(c->text[COLUMNS - 1]);
}

/* Whatever column has nothing for any machine is still there: its dash says so. */
static void table_print(const struct fleets *f, size_t fleet)
{
	struct cells head;
	size_t width[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		strcpy(head.text[i], heads[i]);
		width[i] = strlen(heads[i]);
	}
	for (size_t m = 0; m < f->n; m++) {
		struct cells c;

		if (f->machine[m].fleet != fleet)
			continue;
		cells_fill(&c, &f->machine[m]);
		for (size_t i = 0; i < COLUMNS; i++)
			width[i] = strlen(c.text[i]) > width[i] ? strlen(c.text[i]) : width[i];
	}
	row_print(&head, width);
	for (size_t m = 0; m < f->n; m++) {
		struct cells c;

		if (f->machine[m].fleet != fleet)
			continue;
		cells_fill(&c, &f->machine[m]);
		row_print(&c, width);
	}
}

static void fleet_head(const struct machine *m, size_t machines, size_t usable)
{
	const struct run_identity *id = &m->run->id;

	printf("== %zu machine%s", machines, plural(machines));
	if (usable != machines)
		printf(", %zu of them usable", usable);
	fputs(": ", stdout);
	escape_puts(stdout, *id->vendor ? id->vendor : "unknown CPU");
	putchar(' ');
	escape_puts(stdout, id->signature);
	fputs(", hypervisor ", stdout);
	escape_puts(stdout, or_none(id->hypervisor));
	if (*id->emulated && strcmp(id->emulated, "no")) {
		fputs(", emulated: ", stdout);
		escape_puts(stdout, id->emulated);
	}
	fputs(", profile ", stdout);
	escape_puts(stdout, id->profile);
	fputs(" ==\n", stdout);
}

static void outliers_print(const struct fleets *f, size_t fleet, size_t usable)
{
	bool any = false;

	if (usable < LEAST) {
		printf("outliers: not looked for, %zu of at least %d machines\n\n", usable, LEAST);
		return;
	}
	for (size_t i = 0; i < f->n; i++) {
		if (f->machine[i].fleet != fleet || !f->machine[i].n_out)
			continue;
		if (!any)
			puts("outliers:");
		any = true;
		outlier_print(f, &f->machine[i], usable);
	}
	puts(any ? "" : "outliers: none\n");
}

static void fleet_print(const struct fleets *f, size_t fleet)
{
	const struct machine *first = NULL;
	size_t machines = 0, usable = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct machine *m = &f->machine[i];

		if (m->fleet != fleet)
			continue;
		if (!first)
			first = m;
		machines++;
		usable += m->usable;
	}
	if (!first)
		return;
	fleet_head(first, machines, usable);
	outliers_print(f, fleet, usable);
	table_print(f, fleet);
	putchar('\n');
}

/* Machines that stand out come first, the farthest before the others. */
static int machine_order(const void *a, const void *b)
{
	const struct machine *x = a, *y = b;
	u64 p = x->n_out ? x->out[0].tenths : 0, q = y->n_out ? y->out[0].tenths : 0;

	bool steady_x = x->n_out && is_steady(x->out[0].figure->class);
	bool steady_y = y->n_out && is_steady(y->out[0].figure->class);

	if (steady_x != steady_y)
		return steady_x ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(name_of(x), name_of(y));
}

static int run_fleet(const struct command *self, int argc, char **argv)
{
	static const struct option none[] = {{0}};
	struct fleets f = {.command = self};
	int option = getopt_long(argc, argv, ":", none, NULL);

	if (option != -1)
		return usage_option(self, option, argv);
	if (optind == argc)
		return usage_error(self, "which logs? Files, or - for standard input");
	for (int i = optind; i < argc; i++) {
		struct run_totals totals;

		f.path = argv[i];
		if (!run_read_each(self, argv[i], fleet_run, &f, &totals))
			f.status = exit_worse(f.status, EXIT_UNUSABLE);
		else
			f.status = exit_worse(f.status, totals_usable(self, argv[i], &totals));
	}
	fleets_sort(&f);
	outliers_find(&f);
	if (f.n)
		qsort(f.machine, f.n, sizeof(*f.machine), machine_order);
	for (size_t i = 0; i < f.n_fleets; i++)
		fleet_print(&f, i);
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
