// SPDX-License-Identifier: MIT
/* Every figure over several runs: plots of the main ones, a line with a sparkline for each. */
#include <stdlib.h>
#include <string.h>

#include "heat.h"
#include "html.h"
#include "report.h"
#include "run_build.h"
#include "run_tables.h"

#define VALUES_MOST 6  /* runs whose values stand one by one */
#define LOG_FROM    20 /* an axis is logarithmic where largest and least are so far apart */
#define SPARK_W	    104u
#define SPARK_H	    16u
#define SPARK_EDGE  3u

typedef unsigned long long ull;

/* ---- one figure in all runs */

/* NULL where the run has none, or none that is a number. */
static const struct figure *figure_in(const struct report *rep, size_t i, const char *name)
{
	const struct figure_held *h = figure_set_find(&rep->run[i].party->figures, name);

	return h && !h->f.overflow ? &h->f : NULL;
}

static void value_fmt(struct text *t, const struct figure *f)
{
	struct figure exact = *f;

	exact.slack = 0;
	figure_fmt(t, &exact);
}

/* Does a line go from the run before to this one? */
static bool joined(const struct report *rep, size_t i)
{
	return i && rep->run[i].group == rep->run[i - 1].group;
}

/* ---- plots of the main ones */

struct line {
	char name[FIGURE_NAME];
	char text[40];	 /* in the legend */
	const char *key; /* not NULL: that of stability, whatever method it went by; no name */
};

struct over {
	const char *title;
	const char *unit;
	const char *note; /* or NULL */
	size_t n;
	struct line line[INKS_MOST];
};

static void line_name(const struct report *rep, size_t i, const struct line *l,
		      char name[FIGURE_NAME])
{
	if (l->key)
		figure_name(name, "stability",
			    rep->run[i].run->stability.seq ? rep->run[i].run->stability.s.method
							   : "",
			    l->key);
	else
		memcpy(name, l->name, FIGURE_NAME);
}

static const struct figure *figure_of(const struct report *rep, size_t i, const struct line *l)
{
	char name[FIGURE_NAME];

	line_name(rep, i, l, name);
	return figure_in(rep, i, name);
}

/* As joined(), and both are of one name. */
static bool line_joined(const struct report *rep, size_t i, const struct line *l)
{
	char name[FIGURE_NAME], before[FIGURE_NAME];

	if (!joined(rep, i))
		return false;
	line_name(rep, i, l, name);
	line_name(rep, i - 1, l, before);
	return !strcmp(name, before);
}

/* Another line, if there is room and any run has the figure. */
static void line_take(const struct report *rep, struct over *o, const struct line *l)
{
	bool any = false;

	for (size_t i = 0; i < rep->n && !any; i++)
		any = figure_of(rep, i, l) != NULL;
	if (any && o->n < INKS_MOST)
		o->line[o->n++] = *l;
}

static void line_add(const struct report *rep, struct over *o, const char *name, const char *text)
{
	struct line l = {.key = NULL};

	snprintf(l.name, sizeof(l.name), "%s", name);
	snprintf(l.text, sizeof(l.text), "%.39s", text);
	line_take(rep, o, &l);
}

/* A key and what it is called in a legend. */
struct key {
	const char *key, *text;
};

static void keys_add(const struct report *rep, struct over *o, const char *stem,
		     const struct key *key, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[FIGURE_NAME];

		snprintf(name, sizeof(name), "%s", stem);
		figure_name_add(name, key[i].key);
		line_add(rep, o, name, key[i].text);
	}
}

/* The least and the largest of a plot; false if there is none. */
static bool reach(const struct report *rep, const struct over *o, u64 *lo, u64 *hi, u32 *scale)
{
	*lo = ~0ull;
	*hi = 0;
	*scale = 1;
	for (size_t k = 0; k < o->n; k++) {
		for (size_t i = 0; i < rep->n; i++) {
			const struct figure *f = figure_of(rep, i, &o->line[k]);

			if (!f)
				continue;
			*lo = f->value < *lo ? f->value : *lo;
			*hi = f->value > *hi ? f->value : *hi;
			*scale = f->scale;
		}
	}
	return *lo <= *hi;
}

static void line_data(struct plot *p, const struct report *rep, const struct over *o, size_t k)
{
	char name[24];

	snprintf(name, sizeof(name), "d%zu", k);
	plot_data(p, name);
	for (size_t i = 0; i < rep->n; i++) {
		const struct figure *f = figure_of(rep, i, &o->line[k]);
		char bytes[64];
		struct text t = TEXT_ON(bytes);

		if (!f || !line_joined(rep, i, &o->line[k]))
			plot_line(p, "%s", "");
		if (!f)
			continue;
		value_fmt(&t, f);
		plot_line(p, "%u %.*s", rep->run[i].number, (int)t.len, bytes);
	}
	plot_data_end(p);
}

static void over_axes(struct plot *p, const struct report *rep, const struct over *o)
{
	u64 lo, hi;
	u32 scale;

	plot_line(p, "set xrange [0.7:%zu.3]", rep->n);
	if (rep->n <= 12)
		plot_line(p, "set xtics 1");
	plot_line(p, "set xlabel 'run' textcolor rgb '#000002'");
	plot_line(p, "set ylabel '%s' textcolor rgb '#000002'", o->unit);
	if (!reach(rep, o, &lo, &hi, &scale))
		return;
	if (lo && hi / LOG_FROM >= lo) {
		plot_line(p, "set logscale y");
		plot_line(p, "set format y '%%.0s%%c'");
	} else {
		plot_axis(p, 'y', lo, hi, scale);
	}
}

static void over_plot(struct report *rep, const struct over *o)
{
	struct legend legend[INKS_MOST];
	struct plot p;

	if (!o->n)
		return;
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	over_axes(&p, rep, o);
	for (size_t k = 0; k < o->n; k++) {
		line_data(&p, rep, o, k);
		legend[k] = (struct legend){INK_FIRST + (unsigned int)k, o->line[k].text};
	}
	for (size_t k = 0; k < o->n; k++)
		plot_line(&p, "%s $d%zu with linespoints pt 7 ps 0.6 lw 2 lc rgb '#%06x'%s",
			  k ? "" : "plot", k, INK_FIRST + (unsigned int)k,
			  k + 1 < o->n ? ", \\" : "");
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = o->title,
			    .note = o->note,
			    .legend = legend,
			    .n_legend = o->n,
		    });
}

/* The recommendation of the last run that has one. */
static const char *method_chosen(const struct report *rep)
{
	for (size_t i = rep->n; i-- > 0;)
		if (*rep->run[i].run->recommended)
			return rep->run[i].run->recommended;
	return "5";
}

static void method_plots(struct report *rep)
{
	static const struct key times[] = {
		{"min", "min"}, {"p50", "p50"}, {"p97", "p97"}, {"p99", "p99"}, {"p999", "p99.9"}};
	static const struct key spreads[] = {{"var", "mean variance of the lines"},
					     {"varmin", "variance of their minima"}};
	const char *method = method_chosen(rep);
	char stem[FIGURE_NAME], title[100];
	struct over o = {.title = title, .unit = "ticks"}, v = {.unit = "ticks squared"};

	figure_name(stem, "tsc", method, "mem", "empty", "none");
	keys_add(rep, &o, stem, times, ARRAY_SIZE(times));
	snprintf(title, sizeof(title), "Method %.40s: an empty pair", method);
	over_plot(rep, &o);
	keys_add(rep, &v, stem, spreads, ARRAY_SIZE(spreads));
	snprintf(title, sizeof(title), "Method %.40s: variances", method);
	v.title = title;
	over_plot(rep, &v);
}

/* The ratios of all rulers, wherever they stand in a run. */
static void rulers_add(const struct report *rep, struct over *o)
{
	static const char word[] = "ruler.";
	const size_t len = sizeof(word) - 1;

	for (size_t i = 0; i < rep->n; i++) {
		const struct figure_set *s = &rep->run[i].party->figures;

		for (size_t k = 0; k < s->n; k++) {
			const char *name = s->held[k].f.name;
			char text[40];
			bool have = false;

			if (strncmp(name, word, len) != 0 || strcmp(figure_key(name), "ratio") != 0)
				continue;
			for (size_t x = 0; x < o->n; x++)
				have |= !strcmp(o->line[x].name, name);
			snprintf(text, sizeof(text), "%.*s", (int)strcspn(name + len, "."),
				 name + len);
			if (!have)
				line_add(rep, o, name, text);
		}
	}
}

static void stability_plot(struct report *rep)
{
	static const struct key key[] = {
		{"min", "min"}, {"p50", "p50"}, {"p99", "p99"}, {"p999", "p99.9"}, {"max", "max"}};
	struct over o = {.title = "Stability: a read, 500 stores, a read", .unit = "ticks"};

	for (size_t i = 0; i < ARRAY_SIZE(key); i++) {
		struct line l = {.key = key[i].key};

		snprintf(l.text, sizeof(l.text), "%s", key[i].text);
		line_take(rep, &o, &l);
	}
	o.note = "No line where another method was used.";
	over_plot(rep, &o);
}

static void gaps_plots(struct report *rep)
{
	struct over n = {.title = "Gaps", .unit = "in a thousand million ticks"};
	struct over stolen = {.title = "Time stolen", .unit = "parts per million"};
	struct over longest = {.title = "Longest gap", .unit = "ticks"};

	line_add(rep, &n, "gaps.n", "gaps");
	line_add(rep, &n, "gaps.smi", "SMI");
	line_add(rep, &stolen, "gaps.stolen", "stolen");
	line_add(rep, &longest, "gaps.longest", "longest");
	over_plot(rep, &n);
	over_plot(rep, &stolen);
	over_plot(rep, &longest);
}

/* The dearest cell an instruction: most requested, most in use. */
static const struct xcell *fullest(const struct run *r, const char *event)
{
	const struct xcell *best = NULL;

	for (size_t i = 0; i < r->n_xcells; i++) {
		const struct xcell *c = &r->xcell[i].cell;

		if (strcmp(c->event, event) != 0)
			continue;
		if (!best || c->rfbm > best->rfbm ||
		    (c->rfbm == best->rfbm && c->xinuse > best->xinuse))
			best = c;
	}
	return best;
}

static void xsave_plot(struct report *rep)
{
	static const char *const event[] = {"xsave",  "xsaveopt", "xsavec",
					    "xsaves", "xrstor",	  "xrstors"};
	struct over o = {.title = "XSAVE and XRSTOR: 97% average of the fullest cell",
			 .unit = "ticks"};

	for (size_t e = 0; e < ARRAY_SIZE(event); e++) {
		const struct xcell *c = NULL;
		char name[FIGURE_NAME], rfbm[24], xinuse[24], text[60];

		for (size_t i = rep->n; i-- > 0 && !c;)
			c = fullest(rep->run[i].run, event[e]);
		if (!c)
			continue;
		snprintf(rfbm, sizeof(rfbm), "0x%llx", (ull)c->rfbm);
		snprintf(xinuse, sizeof(xinuse), "0x%llx", (ull)c->xinuse);
		snprintf(text, sizeof(text), "%s %s", event[e], xinuse);
		figure_name(name, "xsave", event[e], rfbm, xinuse, "avg97");
		line_add(rep, &o, name, text);
	}
	over_plot(rep, &o);
}

static void clock_plots(struct report *rep)
{
	struct over khz = {.title = "TSC frequency", .unit = "kHz"};
	struct over ratio = {.title = "Core cycles a tick", .unit = "core cycles a tick"};

	line_add(rep, &khz, "clock.tsc.khz", "TSC");
	over_plot(rep, &khz);
	rulers_add(rep, &ratio);
	over_plot(rep, &ratio);
}

/* ---- methods by runs */

struct method_map {
	const struct report *rep;
	size_t n;
	const char *id[RUN_METHODS];
};

static void map_name(FILE *to, const void *ctx, u64 key, bool row)
{
	const struct method_map *m = ctx;

	if (row)
		html_puts(to, m->id[key]);
	else
		fprintf(to, "%u", m->rep->run[key].number);
}

static void methods_collect(struct method_map *m)
{
	for (size_t i = 0; i < m->rep->n; i++) {
		struct run_method of[RUN_METHODS];
		size_t n = run_methods(m->rep->run[i].run, of);

		for (size_t k = 0; k < n; k++) {
			size_t at = 0;

			while (at < m->n && strcmp(m->id[at], of[k].id) != 0)
				at++;
			if (at == m->n && m->n < RUN_METHODS)
				m->id[m->n++] = of[k].id;
		}
	}
}

static bool map_cell(const struct method_map *m, size_t row, size_t col, struct heat_cell *out)
{
	char name[FIGURE_NAME];
	struct text t = {.at = out->small, .cap = sizeof(out->small) - 1};
	const struct figure *f;

	figure_name(name, "tsc", m->id[row], "mem", "empty", "none", "min");
	f = figure_in(m->rep, col, name);
	if (!f)
		return false;
	out->row = row;
	out->col = col;
	out->value = f->value;
	snprintf(out->text, sizeof(out->text), "%llu", (ull)f->value);
	figure_name(name, "tsc", m->id[row], "mem", "empty", "none", "var");
	f = figure_in(m->rep, col, name);
	if (f)
		value_fmt(&t, f);
	return true;
}

static void methods_by_runs(struct report *rep)
{
	struct method_map m = {.rep = rep};
	struct heat h = {.rows = "method", .cols = "run", .name = map_name, .ctx = &m};

	methods_collect(&m);
	h.cell = calloc(m.n * rep->n + 1, sizeof(*h.cell));
	for (size_t row = 0; h.cell && row < m.n; row++)
		for (size_t col = 0; col < rep->n; col++)
			h.n += map_cell(&m, row, col, &h.cell[h.n]);
	if (h.n) {
		fputs("<h4 class=up>Methods over runs</h4>\n<p class=note>Min of an empty pair, in ticks; "
		      "small below it the mean variance.</p>\n",
		      rep->to);
		heat_write(rep->to, &h);
	}
	free(h.cell);
}

/* ---- all of them, a line each */

struct row {
	const struct figure *f; /* of the first run that has it */
	size_t run, at;
};

static int by_appearance(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static size_t rows_collect(const struct report *rep, struct row **rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rep->n; i++) {
		const struct figure_set *s = &rep->run[i].party->figures;

		for (size_t k = 0; k < s->n; k++) {
			size_t before = 0;

			while (before < i && !figure_set_find(&rep->run[before].party->figures,
							      s->held[k].f.name))
				before++;
			if (before == i)
				*VECTOR_ADD(*rows, n) =
					(struct row){&s->held[k].f, i, s->held[k].at};
		}
	}
	if (n)
		qsort(*rows, n, sizeof(**rows), by_appearance);
	return n;
}

/* The figure of each run, and the least and the largest. */
struct course {
	size_t n; /* runs that have it */
	const struct figure *least, *most, *last;
};

static struct course course_of(const struct report *rep, const char *name)
{
	struct course c = {0};

	for (size_t i = 0; i < rep->n; i++) {
		const struct figure *f = figure_in(rep, i, name);

		if (!f)
			continue;
		c.n++;
		c.last = f;
		if (!c.least || f->value < c.least->value)
			c.least = f;
		if (!c.most || f->value > c.most->value)
			c.most = f;
	}
	return c;
}

static unsigned int spark_y(const struct course *c, u64 value)
{
	u64 span = c->most->value - c->least->value;

	if (!span)
		return SPARK_EDGE + SPARK_H / 2;
	return SPARK_EDGE + SPARK_H -
	       (unsigned int)((u128)(value - c->least->value) * SPARK_H / span);
}

static unsigned int spark_x(const struct report *rep, size_t i)
{
	return SPARK_EDGE + (unsigned int)(i * SPARK_W / (rep->n - 1));
}

static void spark_write(const struct report *rep, const char *name, const struct course *c)
{
	bool on = false;
	size_t last = 0;

	fprintf(rep->to,
		"<td><svg class=spark viewBox=\"0 0 %u %u\" aria-hidden=true><path class=s4 d=\"",
		SPARK_W + 2 * SPARK_EDGE, SPARK_H + 2 * SPARK_EDGE);
	for (size_t i = 0; i < rep->n; i++) {
		const struct figure *f = figure_in(rep, i, name);

		on = on && f && joined(rep, i);
		if (!f)
			continue;
		fprintf(rep->to, "%c%u %u", on ? 'L' : 'M', spark_x(rep, i), spark_y(c, f->value));
		on = true;
		last = i;
	}
	fprintf(rep->to, "\"/><circle class=f4 cx=%u cy=%u r=2.5 /></svg></td>", spark_x(rep, last),
		spark_y(c, c->last->value));
}

static void figure_cell(FILE *to, const struct figure *f)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	if (!f) {
		fputs("<td class=note>\342\200\223</td>", to);
		return;
	}
	figure_fmt(&t, f);
	fprintf(to, "<td>%.*s%s</td>", (int)t.len, bytes, f->unstable ? "~" : "");
}

/* The value that half of the runs do not exceed: one of them, not a mean of two. */
static const struct figure *median_of(const struct report *rep, const char *name)
{
	u64 *value = malloc(rep->n * sizeof(*value)), median = 0;
	size_t n = 0;

	for (size_t i = 0; value && i < rep->n; i++)
		if (figure_in(rep, i, name))
			value[n++] = figure_in(rep, i, name)->value;
	if (n) {
		stats_sort(value, n);
		median = value[stats_rank(n, 1, 2) - 1];
	}
	free(value);
	for (size_t i = 0; n && i < rep->n; i++)
		if (figure_in(rep, i, name) && figure_in(rep, i, name)->value == median)
			return figure_in(rep, i, name);
	return NULL;
}

static void row_write(const struct report *rep, const struct row *row)
{
	const char *name = row->f->name;
	struct course c = course_of(rep, name);
	FILE *to = rep->to;

	fputs("<tr>", to);
	html_element(to, "th class=w", "%s", name);
	html_element(to, "td class=w", "%s", row->f->unit);
	if (rep->n <= VALUES_MOST) {
		for (size_t i = 0; i < rep->n; i++) {
			const struct figure_held *h =
				figure_set_find(&rep->run[i].party->figures, name);

			figure_cell(to, h ? &h->f : NULL);
		}
	} else {
		fprintf(to, "<td>%zu</td>", c.n);
		figure_cell(to, c.least);
		figure_cell(to, median_of(rep, name));
		figure_cell(to, c.most);
		figure_cell(to, c.last);
	}
	if (c.n)
		spark_write(rep, name, &c);
	else
		fputs("<td></td>", to);
	fputs("</tr>\n", to);
}

static size_t word_length(const char *name)
{
	return strcspn(name, ".");
}

static bool same_suite(const struct row *a, const struct row *b)
{
	size_t n = word_length(a->f->name);

	return word_length(b->f->name) == n && !memcmp(a->f->name, b->f->name, n);
}

static void suite_head(const struct report *rep, const struct row *row, size_t n)
{
	fprintf(rep->to,
		"<details><summary>%.*s: %zu figure%s</summary><div class=scroll><table>"
		"<thead><tr><th class=w>figure</th><th class=w>unit</th>",
		(int)word_length(row->f->name), row->f->name, n, n == 1 ? "" : "s");
	if (rep->n <= VALUES_MOST)
		for (size_t i = 0; i < rep->n; i++)
			fprintf(rep->to, "<th>run %u</th>", rep->run[i].number);
	else
		fputs("<th>runs</th><th>least</th><th>median</th><th>largest</th><th>last</th>",
		      rep->to);
	fputs("<th class=w>over runs</th></tr></thead><tbody>\n", rep->to);
}

/* Suites in the order of their first figure; rows of one need not stand together. */
static void suites_write(const struct report *rep, const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t first = 0, members = 0;

		while (!same_suite(&row[first], &row[i]))
			first++;
		if (first < i)
			continue;
		for (size_t k = i; k < n; k++)
			members += same_suite(&row[i], &row[k]);
		suite_head(rep, &row[i], members);
		for (size_t k = i; k < n; k++)
			if (same_suite(&row[i], &row[k]))
				row_write(rep, &row[k]);
		fputs("</tbody></table></div></details>\n", rep->to);
	}
}

void report_over_runs(struct report *rep)
{
	struct row *row = NULL;
	size_t n = rows_collect(rep, &row);

	fputs("<h2>Over runs</h2>\n", rep->to);
	if (!n) {
		report_missing(rep, "No run has a figure.");
		return;
	}
	fputs("<div class=pair>\n", rep->to);
	method_plots(rep);
	stability_plot(rep);
	gaps_plots(rep);
	xsave_plot(rep);
	clock_plots(rep);
	fputs("</div>\n", rep->to);
	methods_by_runs(rep);
	fputs("<h4 class=up>Every figure</h4>\n<p class=note>~: the run says that its conditions did not "
	      "hold.</p>\n",
	      rep->to);
	suites_write(rep, row, n);
	free(row);
}

/* ---- one run alone */

static int by_order(const void *a, const void *b)
{
	const struct figure_held *x = *(const struct figure_held *const *)a;
	const struct figure_held *y = *(const struct figure_held *const *)b;

	return (x->at > y->at) - (x->at < y->at);
}

/* With several runs these stand in the tables over runs. */
void report_all_figures(struct report *rep, const struct report_run *rr)
{
	const struct figure_set *s = &rr->party->figures;
	const struct figure_held **order = NULL;
	size_t n = 0;

	if (rep->n != 1 || !s->n)
		return;
	for (size_t i = 0; i < s->n; i++)
		*VECTOR_ADD(order, n) = &s->held[i];
	qsort(order, n, sizeof(*order), by_order);
	fprintf(rep->to,
		"<details><summary>%zu figures</summary><p class=note>~: the run says that its "
		"conditions did not hold.</p><div class=scroll><table><thead><tr><th class=w>figure"
		"</th><th>value</th><th class=w>unit</th></tr></thead><tbody>\n",
		n);
	for (size_t i = 0; i < n; i++) {
		fputs("<tr>", rep->to);
		html_element(rep->to, "th class=w", "%s", order[i]->f.name);
		figure_cell(rep->to, &order[i]->f);
		html_element(rep->to, "td class=w", "%s", order[i]->f.unit);
		fputs("</tr>\n", rep->to);
	}
	fputs("</tbody></table></div></details>\n", rep->to);
	free(order);
}
