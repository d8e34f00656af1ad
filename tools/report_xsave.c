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

#define CELLS_MOST  3000 /* of all heat maps of a run */
#define EVENTS_MOST 60
#define EDGES_MOST  3000 /* cells of the matrix */

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

/* The cells of a run by their event, so far as there is room for them. */
struct sweep {
	const struct run *run;
	struct words events;
	u32 *of; /* event of each cell */
	size_t left;
	struct heat_cell *cell; /* of one heat map */
};

static void event_write(FILE *to, struct sweep *s, u32 event)
{
	struct heat h = {.rows = "RFBM", .cols = "XINUSE", .name = mask_name, .cell = s->cell};

	for (size_t i = 0; i < s->run->n_xcells && s->left; i++) {
		if (s->of[i] != event)
			continue;
		cell_take(&s->cell[h.n++], &s->run->xcell[i]);
		s->left--;
	}
	if (!h.n)
		return;
	fputs("<div>", to);
	html_element(to, "h4", "%s", s->events.at[event]);
	heat_write(to, &h);
	fputs("</div>\n", to);
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

static void events_write(FILE *to, struct sweep *s, size_t shown, bool variants)
{
	bool any = false;

	for (u32 event = 0; event < shown; event++) {
		if (is_variant(s->events.at[event]) != variants)
			continue;
		if (variants && !any)
			fputs("<details><summary>Variants: same buffer, cold, dirty"
			      "</summary><div class=flow>\n",
			      to);
		any = true;
		event_write(to, s, event);
	}
	if (variants && any)
		fputs("</div></details>\n", to);
}

static void sweep_make(struct sweep *s, const struct run *r)
{
	*s = (struct sweep){
		.run = r,
		.of = must(calloc(r->n_xcells, sizeof(*s->of))),
		.cell = must(calloc(r->n_xcells, sizeof(*s->cell))),
	};
	for (size_t i = 0; i < r->n_xcells; i++)
		s->of[i] = words_take(&s->events, r->xcell[i].cell.event);
}

static void sweep_free(struct sweep *s)
{
	words_free(&s->events);
	free(s->of);
	free(s->cell);
}

static void maps_write(struct report *rep, const struct run *r)
{
	size_t cells = report_room(rep, r->n_xcells, CELLS_MOST), events;
	struct sweep s;

	sweep_make(&s, r);
	s.left = cells;
	events = report_room(rep, s.events.n, EVENTS_MOST);
	fputs("<div class=flow>\n", rep->to);
	events_write(rep->to, &s, events, false);
	fputs("</div>\n", rep->to);
	events_write(rep->to, &s, events, true);
	if (cells - s.left < r->n_xcells)
		report_cut(rep, "%zu of %zu cells", cells - s.left, r->n_xcells);
	sweep_free(&s);
}

static void xsave_write(struct report *rep, const struct run *r)
{
	const struct run_field *xcr0 = run_field(run_find(r, "xcr0", NULL), "usable");

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
	maps_write(rep, r);
}

void report_xsave(struct report *rep, const struct run *r)
{
	u64 skipped = 0;

	run_number(run_find(r, "xsweep", NULL), "skipped", &skipped);
	if (!r->n_xcells && !skipped)
		return;
	fputs("<h3>XSAVE and XRSTOR</h3>\n", rep->to);
	report_partial(rep, r, SUITE_XSAVE);
	if (r->n_xcells)
		xsave_write(rep, r);
	if (skipped)
		report_missing(rep, "%llu cells were left out; records type=xskip say why.",
			       (ull)skipped);
}

/* ---- method=matrix */

static void edge_name(FILE *to, const void *ctx, u64 key, bool row)
{
	const struct words *names = ctx;

	(void)row;
	html_puts(to, names->at[key]);
}

static bool matrix_cell(struct words *names, const struct run_record *rec, struct heat_cell *out)
{
	const struct run_field *start = run_field(rec, "start"), *end = run_field(rec, "end");
	const struct run_field *var = run_field(rec, "var");

	if (!start || !end || !run_number(rec, "min", &out->value))
		return false;
	out->row = words_take(names, start->value);
	out->col = words_take(names, end->value);
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
	size_t n = matrix_size(r), left = report_room(rep, n, EDGES_MOST), shown = left;
	struct heat_cell *cell = must(calloc(shown + 1, sizeof(*cell)));
	const struct run_record *rec = NULL;
	struct words names = {.n = 0};
	struct heat h = {
		.rows = "start", .cols = "end", .name = edge_name, .ctx = &names, .cell = cell};

	for (; left && (rec = run_find(r, "matrix", rec)) != NULL; left--)
		h.n += matrix_cell(&names, rec, &cell[h.n]);
	if (h.n) {
		fputs("<h3>Every start with every end</h3>\n<p class=note>Least time of an empty "
		      "pair, in ticks; small below it the variance.</p>\n",
		      rep->to);
		if (shown < n)
			report_cut(rep, "%zu of %zu pairs", shown, n);
		heat_write(rep->to, &h);
	}
	words_free(&names);
	free(cell);
}
