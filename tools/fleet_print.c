// SPDX-License-Identifier: MIT
/* A fleet as text: what stands out and what else differs about those machines, then a row each. */
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "fleet.h"
#include "ticklog.h"

#define NAMED_MOST 3 /* figures named of a machine */

/* ---- what differs about a machine */

static const struct run_trait traits[] = {
	RUN_TRAIT(microcode), RUN_TRAIT(firmware), RUN_TRAIT(board),  RUN_TRAIT(brand),
	RUN_TRAIT(build),     RUN_TRAIT(options),  RUN_TRAIT(loader),
};

static const char *trait_of(const struct machine *m, size_t trait)
{
	return run_trait(&m->run->id, &traits[trait]);
}

/* What more than half of the usable machines have, or NULL. */
static const char *trait_usual(const struct machine *m, size_t n, size_t trait)
{
	const char *usual = NULL;
	size_t left = 0, usable = 0, have = 0;

	/* Boyer and Moore: cross out two that differ until none do; a majority is what is left. */
	for (size_t i = 0; i < n; i++) {
		if (!m[i].usable)
			continue;
		usable++;
		if (!left)
			usual = trait_of(&m[i], trait);
		if (!strcmp(usual, trait_of(&m[i], trait)))
			left++;
		else
			left--;
	}
	for (size_t i = 0; left && i < n; i++)
		have += m[i].usable && !strcmp(usual, trait_of(&m[i], trait));
	return have * 2 > usable ? usual : NULL;
}

static const char *or_none(const char *text)
{
	return *text ? text : "none";
}

static void traits_print(const struct machine *m, const char *const *usual)
{
	bool any = false;

	for (size_t t = 0; t < ARRAY_SIZE(traits); t++) {
		const char *mine = trait_of(m, t);

		if (!usual[t] || !strcmp(usual[t], mine))
			continue;
		printf("%s%s ", any ? ", " : "    differs: ", traits[t].name);
		escape_puts(stdout, or_none(mine));
		fputs(" (most have ", stdout);
		escape_puts(stdout, or_none(usual[t]));
		putchar(')');
		any = true;
	}
	puts(any ? "" : "    nothing else differs from most");
}

/* ---- what stands out */

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

static void out_print(const struct fleet_out *o)
{
	char mine[64], median[64], mad[64];

	value_text(mine, sizeof(mine), o->figure, o->figure->value);
	value_text(median, sizeof(median), o->figure, o->median);
	value_text(mad, sizeof(mad), o->figure, o->mad);
	printf("    %s: %s ", o->figure->name, mine);
	escape_puts(stdout, o->figure->unit);
	printf(", median %s, MAD %s", median, mad);
	if (o->by_mad)
		printf(", off by %llu.%llu MAD", (unsigned long long)(o->tenths / 10),
		       (unsigned long long)(o->tenths % 10));
	putchar('\n');
}

static void outlier_print(const struct machine *m, const char *const *usual)
{
	fputs("  ", stdout);
	escape_puts(stdout, fleet_machine_name(m));
	printf(": %zu of %zu figures stand%s out\n", m->n_out, m->figures.n,
	       m->n_out == 1 ? "s" : "");
	for (size_t i = 0; i < m->n_out && i < NAMED_MOST; i++)
		out_print(&m->out[i]);
	traits_print(m, usual);
}

static void outliers_print(const struct machine *m, size_t n, size_t usable)
{
	const char *usual[ARRAY_SIZE(traits)];
	bool any = false;

	if (usable < FLEET_LEAST) {
		printf("outliers: not looked for, %zu of at least %d machines\n\n", usable,
		       FLEET_LEAST);
		return;
	}
	for (size_t t = 0; t < ARRAY_SIZE(traits); t++)
		usual[t] = trait_usual(m, n, t);
	for (size_t i = 0; i < n; i++) {
		if (!m[i].n_out)
			continue;
		if (!any)
			puts("outliers:");
		any = true;
		outlier_print(&m[i], usual);
	}
	puts(any ? "" : "outliers: none\n");
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
	const struct figure_held *held = figure_set_find(&m->figures, name);

	if (held)
		value_text(to, 64, &held->f, held->f.value);
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
static void table_print(const struct machine *m, size_t n)
{
	struct cells c;
	size_t width[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++)
		width[i] = strlen(heads[i]);
	for (size_t k = 0; k < n; k++) {
		cells_fill(&c, &m[k]);
		for (size_t i = 0; i < COLUMNS; i++)
			width[i] = strlen(c.text[i]) > width[i] ? strlen(c.text[i]) : width[i];
	}
	for (size_t i = 0; i < COLUMNS; i++)
		strcpy(c.text[i], heads[i]);
	row_print(&c, width);
	for (size_t k = 0; k < n; k++) {
		cells_fill(&c, &m[k]);
		row_print(&c, width);
	}
}

/* ---- all of it */

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

void fleet_print(const struct machine *m, size_t n)
{
	size_t usable = 0;

	for (size_t i = 0; i < n; i++)
		usable += m[i].usable;
	fleet_head(m, n, usable);
	outliers_print(m, n, usable);
	table_print(m, n);
	putchar('\n');
}
