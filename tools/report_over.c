// SPDX-License-Identifier: MIT
/* Several runs on one page: plots of the main figures, and the methods side by side. */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "heat.h"
#include "html.h"
#include "number.h"
#include "run_build.h"
#include "run_tables.h"
#include "stretch.h"

#define LOG_FROM     20	 /* an axis is logarithmic where largest and least are so far apart */
#define POINTS_MOST  160 /* of a line */
#define DENSE_FROM   60	 /* points are small from so many runs on */
#define COLUMNS_MOST 60	 /* runs whose methods stand side by side */

/* ---- a plot */

struct line {
	char text[40]; /* in the legend */
	size_t n;
	struct stretch *at;
};

struct over {
	const char *title, *unit;
	const char *note; /* or NULL */
	size_t n;
	struct line line[INKS_MOST];
	size_t left_out; /* lines for which there was no ink */
};

/* Another line, if any run has the figure. */
static void line_take(const struct report *rep, struct over *o, const struct stretch_line *of,
		      const char *text)
{
	size_t places = stretch_places(rep, POINTS_MOST);
	struct line *l = &o->line[o->n];

	if (o->n == INKS_MOST) {
		o->left_out++;
		return;
	}
	*l = (struct line){.at = must(calloc(places, sizeof(*l->at)))};
	l->n = stretch_make(rep, of, places, l->at);
	snprintf(l->text, sizeof(l->text), "%.39s", text);
	if (l->n)
		o->n++;
	else
		free(l->at);
}

static void line_add(const struct report *rep, struct over *o, const char *name, const char *text)
{
	const struct stretch_line of = {.course = courses_find(&rep->courses, name)};

	if (of.course)
		line_take(rep, o, &of, text);
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

static void reach_take(const struct course_value *v, u64 *lo, u64 *hi)
{
	*lo = v->value < *lo ? v->value : *lo;
	*hi = v->value > *hi ? v->value : *hi;
}

static void over_axes(struct plot *p, const struct report *rep, const struct over *o)
{
	u64 lo = ~0ull, hi = 0;

	for (size_t k = 0; k < o->n; k++) {
		for (size_t i = 0; i < o->line[k].n; i++) {
			reach_take(o->line[k].at[i].one, &lo, &hi);
			reach_take(o->line[k].at[i].other, &lo, &hi);
		}
	}
	plot_line(p, "set xrange [0.7:%zu.3]", rep->n);
	if (rep->n <= 12)
		plot_line(p, "set xtics 1");
	plot_line(p, "set xlabel 'run' textcolor rgb '#000002'");
	plot_line(p, "set ylabel '%s' textcolor rgb '#000002'", o->unit);
	if (lo && hi / LOG_FROM >= lo) {
		plot_line(p, "set logscale y");
		plot_line(p, "set format y '%%.0s%%c'");
	} else {
		plot_axis(p, 'y', lo, hi, o->line[0].at[0].one->scale);
	}
}

static void point_put(struct plot *p, unsigned int number, const struct course_value *v)
{
	struct course_value exact = *v;
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	exact.slack = 0;
	course_value_fmt(&t, &exact);
	plot_line(p, "%u %.*s", number, (int)t.len, bytes);
}

/* A line ends where an empty one stands. */
static void line_data(struct plot *p, const struct report *rep, const struct line *l, size_t k)
{
	char name[24];

	snprintf(name, sizeof(name), "d%zu", k);
	plot_data(p, name);
	for (size_t i = 0; i < l->n; i++) {
		const struct stretch *s = &l->at[i];
		const unsigned int number = rep->run[s->run].number;

		if (!s->joined)
			plot_line(p, "%s", "");
		point_put(p, number, s->one);
		if (s->other == s->one)
			continue;
		if (!s->whole)
			plot_line(p, "%s", "");
		point_put(p, number, s->other);
	}
	plot_data_end(p);
}

/* What a plot over runs does not show. */
static void over_note(const struct report *rep, const struct over *o, struct text *t)
{
	size_t places = stretch_places(rep, POINTS_MOST);

	if (o->note)
		fmt(t, "%s ", o->note);
	if (places < rep->n)
		fmt(t, "Of %zu to %zu runs side by side the least and the largest. ",
		    rep->n / places, (rep->n + places - 1) / places);
	if (o->left_out)
		fmt(t, "%zu more lines are left out.", o->left_out);
}

static void over_plot(struct report *rep, struct over *o)
{
	const bool dense = rep->n > DENSE_FROM;
	struct legend legend[INKS_MOST];
	char note[300];
	struct text t = {.at = note, .cap = sizeof(note) - 1};
	struct plot p;

	if (!o->n)
		return;
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	over_axes(&p, rep, o);
	for (size_t k = 0; k < o->n; k++) {
		line_data(&p, rep, &o->line[k], k);
		legend[k] = (struct legend){INK_FIRST + (unsigned int)k, o->line[k].text};
		free(o->line[k].at);
	}
	for (size_t k = 0; k < o->n; k++)
		plot_line(&p, "%s $d%zu with linespoints pt 7 %s lc rgb '#%06x'%s", k ? "" : "plot",
			  k, dense ? "ps 0.25 lw 1" : "ps 0.6 lw 2", INK_FIRST + (unsigned int)k,
			  k + 1 < o->n ? ", \\" : "");
	over_note(rep, o, &t);
	note[t.len] = '\0';
	rep->cut |= o->left_out != 0;
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = o->title,
			    .note = t.len ? note : NULL,
			    .legend = legend,
			    .n_legend = o->n,
		    });
}

/* ---- which of them */

/* The recommendation of the last run that has one. */
static const char *method_chosen(const struct report *rep)
{
	for (size_t i = rep->n; i-- > 0;)
		if (*rep->words.at[rep->run[i].recommended])
			return rep->words.at[rep->run[i].recommended];
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

	for (size_t i = 0; i < rep->courses.n; i++) {
		const char *name = rep->courses.at[i].name;
		char text[40];

		if (strncmp(name, word, len) != 0 || strcmp(figure_key(name), "ratio") != 0)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(name + len, "."), name + len);
		line_add(rep, o, name, text);
	}
}

static void stability_plot(struct report *rep)
{
	static const struct key key[] = {
		{"min", "min"}, {"p50", "p50"}, {"p99", "p99"}, {"p999", "p99.9"}, {"max", "max"}};
	struct over o = {.title = "Stability: a read, 500 stores, a read", .unit = "ticks"};

	for (size_t i = 0; i < ARRAY_SIZE(key); i++)
		line_take(rep, &o, &(struct stretch_line){.key = key[i].key}, key[i].text);
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

/* A cell of the XSAVE suite, from the name of its average: xsave.EVENT.RFBM.XINUSE.avg97. */
struct cell {
	const struct course *course;
	u32 last; /* run */
	u64 rfbm, xinuse;
};

/* A mask up to the next dot, behind which `at` stands then. */
static bool mask_read(const char **at, u64 *mask)
{
	size_t n = strcspn(*at, ".");
	bool good = number_parse(*at, n, mask);

	*at += n + ((*at)[n] == '.');
	return good;
}

static bool cell_read(struct cell *out, const struct course *c, const char *stem)
{
	const size_t n = strlen(stem);
	const char *at;

	if (strncmp(c->name, stem, n) != 0 || c->name[n] != '.')
		return false;
	*out = (struct cell){.course = c, .last = c->at[c->n - 1].run};
	at = c->name + n + 1;
	return mask_read(&at, &out->rfbm) && mask_read(&at, &out->xinuse) && !strcmp(at, "avg97");
}

static bool is_fuller(const struct cell *x, const struct cell *than)
{
	if (x->last != than->last)
		return x->last > than->last;
	if (x->rfbm != than->rfbm)
		return x->rfbm > than->rfbm;
	return x->xinuse > than->xinuse;
}

/* The dearest of an instruction in the last run that has any: most requested, most in use. */
static struct cell fullest(const struct report *rep, const char *event)
{
	struct cell x, best = {.course = NULL};
	char stem[FIGURE_NAME];

	figure_name(stem, "xsave", event);
	for (size_t i = 0; i < rep->courses.n; i++)
		if (cell_read(&x, &rep->courses.at[i], stem) &&
		    (!best.course || is_fuller(&x, &best)))
			best = x;
	return best;
}

static void xsave_plot(struct report *rep)
{
	static const char *const event[] = {"xsave",  "xsaveopt", "xsavec",
					    "xsaves", "xrstor",	  "xrstors"};
	struct over o = {.title = "XSAVE and XRSTOR: 97% average of the fullest cell",
			 .unit = "ticks"};

	for (size_t e = 0; e < ARRAY_SIZE(event); e++) {
		const struct cell x = fullest(rep, event[e]);
		char text[60];

		if (!x.course)
			continue;
		snprintf(text, sizeof(text), "%s 0x%llx", event[e], (ull)x.xinuse);
		line_take(rep, &o, &(struct stretch_line){.course = x.course}, text);
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
	struct words ids;
};

static void map_name(FILE *to, const void *ctx, u64 key, bool row)
{
	const struct method_map *m = ctx;

	if (row)
		html_puts(to, m->ids.at[key]);
	else
		fprintf(to, "%u", m->rep->run[key].number);
}

static void map_cell(struct heat_cell *out, u64 row, u64 col, const struct series *s)
{
	struct text t = {.at = out->small, .cap = sizeof(out->small) - 1};

	*out = (struct heat_cell){.row = row, .col = col, .value = s->min};
	snprintf(out->text, sizeof(out->text), "%llu", (ull)s->min);
	variance_fmt(&t, &s->mean_var);
}

/* A column a run. */
static void map_column(struct method_map *m, size_t run, struct heat *h)
{
	struct run_method of[RUN_METHODS];
	size_t n = run_methods(m->rep->run[run].run, of);

	for (size_t k = 0; k < n; k++)
		if (of[k].base)
			map_cell(VECTOR_ADD(h->cell, h->n), words_take(&m->ids, of[k].id), run,
				 &of[k].base->s);
}

static void methods_by_runs(struct report *rep)
{
	struct method_map m = {.rep = rep};
	struct heat h = {.rows = "method", .cols = "run", .name = map_name, .ctx = &m};
	size_t shown = report_room(rep, rep->n, COLUMNS_MOST);

	for (size_t run = rep->n - shown; run < rep->n; run++)
		map_column(&m, run, &h);
	if (h.n) {
		fputs("<h4 class=up>Methods over runs</h4>\n<p class=note>Min of an empty pair, in ticks; "
		      "small below it the mean variance.</p>\n",
		      rep->to);
		if (shown < rep->n)
			report_cut(rep, "the last %zu of %zu runs", shown, rep->n);
		heat_write(rep->to, &h);
	}
	free(h.cell);
	words_free(&m.ids);
}

void report_over_runs(struct report *rep)
{
	fputs("<h2>Over runs</h2>\n", rep->to);
	if (!rep->courses.n) {
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
}
