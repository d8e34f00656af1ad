// SPDX-License-Identifier: MIT
/*
 * The heat maps: XSAVE and XRSTOR by RFBM and XINUSE, one an instruction, and the matrix of starts
 * and ends. Names of state components: SDM volume 1, 13.1.
 */
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "html.h"
#include "report.h"

typedef unsigned long long ull;

static const char *const component[] = {
	"x87",	    "SSE", "AVX",  "BNDREGS", "BNDCSR",	  "opmask", "ZMM_Hi256",
	"Hi16_ZMM", "PT",  "PKRU", "PASID",   "CET_U",	  "CET_S",  "HDC",
	"UINTR",    "LBR", "HWP",  "TILECFG", "TILEDATA",
};

/* ---- the XSAVE suite */

static void mask_name(FILE *to, const void *ctx, u64 key, bool row)
{
	(void)ctx;
	(void)row;
	fprintf(to, "0x%llx", (ull)key);
}

static void cell_take(struct heat_cell *out, const struct run_xcell *x)
{
	const struct xcell *c = &x->cell;
	const struct latency *l = &c->lat;
	bool shaky = c->unstable || !c->overhead_stable;

	out->row = c->rfbm;
	out->col = c->xinuse;
	out->value = l->avg97;
	snprintf(out->text, sizeof(out->text), "%llu%s", (ull)l->avg97, shaky ? "~" : "");
	snprintf(out->small, sizeof(out->small), "%llu", (ull)l->min);
	snprintf(out->note, sizeof(out->note),
		 "min %llu, p50 %llu, avg %llu, p99 %llu, max %llu of %llu; overhead %llu",
		 (ull)l->min, (ull)l->p50, (ull)l->avg, (ull)l->p99, (ull)l->max, (ull)l->n,
		 (ull)c->overhead);
}

/* All of an event's rows, from the i-th on. */
static void event_write(struct report *rep, const struct run *r, const char *event,
			struct heat_cell *cell)
{
	struct heat h = {.rows = "RFBM", .cols = "XINUSE", .name = mask_name, .cell = cell};

	for (size_t i = 0; i < r->n_xcells; i++)
		if (!strcmp(r->xcell[i].cell.event, event))
			cell_take(&cell[h.n++], &r->xcell[i]);
	fputs("<div>", rep->to);
	html_element(rep->to, "h4", "%s", event);
	heat_write(rep->to, &h);
	fputs("</div>\n", rep->to);
}

static bool is_first(const struct run *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(r->xcell[k].cell.event, r->xcell[i].cell.event))
			return false;
	return true;
}

/* Variants (xsave_cold ...) stand behind the standard sweep, folded. */
static bool is_variant(const char *event)
{
	return strchr(event, '_') != NULL;
}

static void components_write(FILE *to, const struct run *r)
{
	const char *between = "";
	u64 seen = 0;

	for (size_t i = 0; i < r->n_xcells; i++)
		seen |= r->xcell[i].cell.rfbm | r->xcell[i].cell.xinuse;
	fputs("<p class=note>Bits: ", to);
	for (unsigned int bit = 0; bit < 63; bit++) {
		if (!(seen >> bit & 1))
			continue;
		fprintf(to, "%s0x%llx %s", between, 1ull << bit,
			bit < ARRAY_SIZE(component) ? component[bit] : "not named");
		between = ", ";
	}
	fputs(".</p>\n", to);
}

static void events_write(struct report *rep, const struct run *r, struct heat_cell *cell,
			 bool variants)
{
	bool any = false;

	for (size_t i = 0; i < r->n_xcells; i++) {
		const char *event = r->xcell[i].cell.event;

		if (is_variant(event) != variants || !is_first(r, i))
			continue;
		if (variants && !any)
			fputs("<details><summary>Variants: same buffer, cold, dirty"
			      "</summary><div class=flow>\n",
			      rep->to);
		any = true;
		event_write(rep, r, event, cell);
	}
	if (variants && any)
		fputs("</div></details>\n", rep->to);
}

static void xsave_write(struct report *rep, const struct run *r)
{
	struct heat_cell *cell = calloc(r->n_xcells, sizeof(*cell));
	const struct run_field *xcr0 = run_field(run_find(r, "xcr0", NULL), "usable");

	if (!cell) {
		report_missing(rep, "No memory for the heat maps.");
		return;
	}
	fputs("<p class=note>The average of the lowest 97% of the samples, in ticks, overhead "
	      "subtracted; small below it the least. More colour is dearer, each instruction for "
	      "itself. ~: the conditions or the overhead did not settle. The other figures of a "
	      "cell show where a pointer rests on it.",
	      rep->to);
	if (xcr0) {
		fputs(" XCR0: ", rep->to);
		html_puts(rep->to, xcr0->value);
		fputc('.', rep->to);
	}
	fputs("</p>\n", rep->to);
	components_write(rep->to, r);
	fputs("<div class=flow>\n", rep->to);
	events_write(rep, r, cell, false);
	fputs("</div>\n", rep->to);
	events_write(rep, r, cell, true);
	free(cell);
}

void report_xsave(struct report *rep, const struct run *r)
{
	u64 skipped = 0;

	run_number(run_find(r, "xsweep", NULL), "skipped", &skipped);
	if (!r->n_xcells && !skipped)
		return;
	fputs("<h3>XSAVE and XRSTOR</h3>\n", rep->to);
	if (r->n_xcells)
		xsave_write(rep, r);
	if (skipped)
		report_missing(rep, "%llu cells were left out; records type=xskip say why.",
			       (ull)skipped);
}

/* ---- method=matrix */

struct matrix {
	const struct run *run;
	size_t n;
	const char **name; /* starts and ends, in the order of the log */
};

static u64 name_key(struct matrix *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->name[i], name))
			return i;
	m->name[m->n] = name;
	return m->n++;
}

static void edge_name(FILE *to, const void *ctx, u64 key, bool row)
{
	const struct matrix *m = ctx;

	(void)row;
	html_puts(to, m->name[key]);
}

static bool matrix_cell(struct matrix *m, const struct run_record *rec, struct heat_cell *out)
{
	const struct run_field *start = run_field(rec, "start"), *end = run_field(rec, "end");
	const struct run_field *var = run_field(rec, "var");

	if (!start || !end || !run_number(rec, "min", &out->value))
		return false;
	out->row = name_key(m, start->value);
	out->col = name_key(m, end->value);
	snprintf(out->text, sizeof(out->text), "%llu", (ull)out->value);
	snprintf(out->small, sizeof(out->small), "%.30s", var ? var->value : "");
	return true;
}

static size_t matrix_size(const struct run *r)
{
	const struct run_record *rec = NULL;
	size_t n = 0;

	while ((rec = run_find(r, "matrix", rec)) != NULL)
		n++;
	return n;
}

void report_matrix(struct report *rep, const struct run *r)
{
	size_t n = matrix_size(r);
	const char **name = calloc(2 * n + 1, sizeof(*name));
	struct heat_cell *cell = calloc(n + 1, sizeof(*cell));
	struct matrix m = {.run = r, .name = name};
	struct heat h = {
		.rows = "start", .cols = "end", .name = edge_name, .ctx = &m, .cell = cell};
	const struct run_record *rec = NULL;

	while (n && name && cell && (rec = run_find(r, "matrix", rec)) != NULL)
		h.n += matrix_cell(&m, rec, &cell[h.n]);
	if (h.n) {
		fputs("<h3>Every start with every end</h3>\n<p class=note>Least time of an empty "
		      "pair, in ticks; small below it the variance.</p>\n",
		      rep->to);
		heat_write(rep->to, &h);
	}
	free(name);
	free(cell);
}
