// SPDX-License-Identifier: MIT
/* The tsc suite on the page: methods side by side, their histograms, what they can tell apart. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report.h"
#include "run_tables.h"

#define ROW_POINTS 21 /* of a method in the comparison */

/* ---- the comparison */

static bool unit_is_ticks(const struct run_method *m)
{
	return m->base && !strcmp(m->base->s.unit, "ticks");
}

/* Methods whose times may stand on one axis: all but those that count something else. */
static size_t methods_drawn(const struct run *r, struct run_method *m)
{
	size_t n = run_methods(r, m), kept = 0;

	for (size_t i = 0; i < n; i++)
		if (unit_is_ticks(&m[i]) && kept < PLOT_WORDS)
			m[kept++] = m[i];
	return kept;
}

static void method_axis(struct plot *p, const struct run_method *m, size_t n)
{
	plot_line(p, "set yrange [%zu.6:-0.6]", n - 1);
	plot_line(p, "set grid noytics");
	plot_line(p, "set ytics scale 0 ()");
	for (size_t i = 0; i < n; i++)
		plot_line(p, "set ytics add ('%s' %zu)", plot_word(p, m[i].id), i);
}

static unsigned int method_height(size_t n)
{
	return 70 + ROW_POINTS * (unsigned int)n;
}

/* Nothing stands at 0 on a logarithmic axis. */
static void point_put(struct plot *p, u64 x, size_t y)
{
	if (x)
		plot_line(p, "%llu %zu", (ull)x, y);
	else
		plot_line(p, "0.5 %zu", y);
}

enum times { TIME_MIN, TIME_P50, TIME_P999 };

static u64 time_of(const struct series *s, enum times which)
{
	if (which == TIME_MIN)
		return s->min;
	return which == TIME_P50 ? s->p50.hi : s->p999.hi;
}

static void times_data(struct plot *p, const char *name, const struct run_method *m, size_t n,
		       enum times which)
{
	plot_data(p, name);
	for (size_t i = 0; i < n; i++)
		point_put(p, time_of(&m[i].base->s, which), i);
	plot_data_end(p);
}

/* From min to p99.9; a line ends where an empty one stands. */
static void spans_data(struct plot *p, const struct run_method *m, size_t n)
{
	plot_data(p, "span");
	for (size_t i = 0; i < n; i++) {
		point_put(p, m[i].base->s.min, i);
		point_put(p, m[i].base->s.p999.hi, i);
		plot_line(p, "%s", "");
	}
	plot_data_end(p);
}

/* gnuplot chooses the axis, but for values that are all one to it. */
static void times_axis(struct plot *p, const struct run_method *m, size_t n)
{
	u64 lo = ~0ull, hi = 0;

	for (size_t i = 0; i < n; i++) {
		for (enum times which = TIME_MIN; which <= TIME_P999; which++) {
			u64 x = time_of(&m[i].base->s, which);

			lo = x < lo ? x : lo;
			hi = x > hi ? x : hi;
		}
	}
	plot_line(p, "set logscale x");
	plot_line(p, "set format x '%%.0s%%c'");
	plot_line(p, "set xlabel 'ticks' textcolor rgb '#000002'");
	if (hi - lo <= plot_grain(hi))
		plot_line(p, "set xrange [%llu.0/2:%llu.0*2]", (ull)(lo ? lo : 1),
			  (ull)(hi ? hi : 1));
}

static void times_plot(struct report *rep, const struct run_method *m, size_t n)
{
	static const struct legend legend[] = {{INK_FIRST, "min"},
					       {INK_FIRST + 1, "p50"},
					       {INK_FIRST + 2, "p99.9, by a line from min"}};
	struct plot p;

	plot_start(&p, REPORT_WIDTH, method_height(n));
	times_axis(&p, m, n);
	method_axis(&p, m, n);
	spans_data(&p, m, n);
	times_data(&p, "min", m, n, TIME_MIN);
	times_data(&p, "p50", m, n, TIME_P50);
	times_data(&p, "p999", m, n, TIME_P999);
	plot_line(&p,
		  "plot $span with lines " INK_FAINT " lw 3, $p999 with points pt 7 ps 0.7 " INK_3
		  ", $p50 with points pt 7 ps 0.7 " INK_2 ", $min with points pt 7 ps 0.7 " INK_1);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = "Time of an empty pair of reads",
			    .note = "Series empty, preamble none, form mem. Logarithmic axis.",
			    .legend = legend,
			    .n_legend = ARRAY_SIZE(legend),
		    });
}

static void variance_number(char bytes[64], const struct variance *v)
{
	struct text t = {.at = bytes, .cap = 63};

	variance_fmt(&t, v);
	bytes[t.len] = '\0';
}

/* More than the axis begins with. */
static bool has_bar(const struct variance *v)
{
	return !v->overflow && (v->whole || v->milli > 1);
}

static void variance_plot(struct report *rep, const struct run_method *m, size_t n)
{
	bool any = false;
	char var[64];
	struct plot p;

	plot_start(&p, REPORT_WIDTH, method_height(n));
	plot_line(&p, "set logscale x");
	plot_line(&p, "set format x '%%.0s%%c'");
	plot_line(&p, "set xlabel 'ticks squared' textcolor rgb '#000002'");
	method_axis(&p, m, n);
	plot_data(&p, "d");
	for (size_t i = 0; i < n; i++) {
		if (!has_bar(&m[i].base->s.mean_var))
			continue;
		any = true;
		variance_number(var, &m[i].base->s.mean_var);
		plot_line(&p, "%s %zu", var, i);
	}
	/* Of no height: gnuplot draws nothing at all of an empty block. */
	plot_line(&p, "0.001 %zu", n - 1);
	plot_data_end(&p);
	plot_line(&p, any ? "set xrange [0.001:]" : "set xrange [0.001:1]");
	plot_line(&p, "plot $d using 1:2:(0.001):1:($2-0.32):($2+0.32) with boxxyerror "
		      "fs solid 0.85 noborder " INK_1);
	report_plot(
		rep, &p,
		&(struct report_figure){
			.title = "Mean variance of its lines",
			.note = "The same series. Logarithmic axis from 0.001: no bar is no more "
				"than that.",
		});
}

/* ---- its tables */

static void bound_cell(FILE *to, const struct bound *b)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	bound_fmt(&t, b);
	fprintf(to, "<td>%.*s</td>", (int)t.len, bytes);
}

static void variance_cell(FILE *to, const struct variance *v)
{
	char bytes[64];

	variance_number(bytes, v);
	fprintf(to, "<td>%s</td>", bytes);
}

static void number_cell(FILE *to, u64 value)
{
	if (value == ~0ull)
		fputs("<td class=note>\342\200\223</td>", to);
	else
		fprintf(to, "<td>%llu</td>", (ull)value);
}

static void row_start(FILE *to, const struct run *r, const char *id)
{
	fputs(strcmp(id, r->recommended) ? "<tr>" : "<tr class=use>", to);
	html_element(to, "th class=w", "%s", id);
}

static void method_row(FILE *to, const struct run *r, const struct series *s)
{
	row_start(to, r, s->method);
	number_cell(to, s->min);
	bound_cell(to, &s->p50);
	bound_cell(to, &s->p97);
	bound_cell(to, &s->p99);
	bound_cell(to, &s->p999);
	number_cell(to, s->max);
	variance_cell(to, &s->mean_var);
	number_cell(to, s->max_dev);
	variance_cell(to, &s->var_min);
	number_cell(to, s->spurious);
	number_cell(to, s->backwards);
	fprintf(to, "<td>%llu\303\227%llu</td>", (ull)s->lines, (ull)s->samples);
	variance_cell(to, &s->var_var);
	fputs("<td class=w>", to);
	if (strcmp(s->unit, "ticks") != 0)
		html_say(to, "in %s ", s->unit);
	fprintf(to, "%s%s</td></tr>\n", s->trimmed ? "* " : "", s->unsettled ? "!" : "");
}

static void method_table(FILE *to, const struct run *r, const struct run_method *m, size_t n)
{
	fputs("<div class=\"card scroll\"><table><thead><tr><th class=w>method</th><th>min</th>"
	      "<th>p50</th><th>p97</th><th>p99</th><th>p99.9</th><th>max</th><th>variance</th>"
	      "<th>max dev</th><th>var(min)</th><th>spurious</th>"
	      "<th>backwards</th><th>lines\303\227samples</th><th>var(variance)</th><th></th></tr></thead><tbody>\n",
	      to);
	for (size_t i = 0; i < n; i++)
		if (m[i].base)
			method_row(to, r, &m[i].base->s);
	fputs("</tbody></table></div>\n<p class=note>Ticks; variances in ticks squared. "
	      "*: fewer samples, by the time budget. !: the conditions did not settle. The "
	      "recommended method is marked.</p>\n",
	      to);
}

static void minima_row(FILE *to, const struct run *r, const struct run_method *m)
{
	row_start(to, r, m->id);
	for (size_t i = 0; i < TABLE_MINIMA; i++)
		number_cell(to, m->minima.min[i]);
	if (m->minima.resolution == 0)
		fputs("<td>unknown</td>", to);
	else
		number_cell(to, m->minima.resolution);
	fprintf(to, "<td class=w>%s</td></tr>\n", m->minima.overhead_stable ? "" : "~");
}

static void minima_table(FILE *to, const struct run *r, const struct run_method *m, size_t n)
{
	fputs("<h4 class=up>Minima over preambles, forms and workloads</h4>\n<div class=\"card scroll\">"
	      "<table><thead><tr><th class=w>method</th><th>none</th><th>tsc</th><th>+work</th>"
	      "<th>+fence</th><th>reg</th><th>store</th><th>add</th><th>loop</th>"
	      "<th>overhead</th><th>resolution</th><th></th></tr></thead><tbody>\n",
	      to);
	for (size_t i = 0; i < n; i++)
		minima_row(to, r, &m[i]);
	fputs("</tbody></table></div>\n<p class=note>Resolution: the smallest loop from which on "
	      "every line\342\200\231s min stays above that of an empty loop. ~: the overhead "
	      "moved.</p>\n",
	      to);
}

/* run_methods() takes no more than it has room for. */
static bool has_other(const struct run *r, const struct run_method *m, size_t n)
{
	for (size_t i = 0; i < r->n_series; i++) {
		size_t k = 0;

		while (k < n && strcmp(m[k].id, r->series[i].s.method) != 0)
			k++;
		if (k == n)
			return true;
	}
	return false;
}

void report_methods(struct report *rep, const struct run *r)
{
	struct run_method m[RUN_METHODS], drawn[RUN_METHODS];
	size_t n = run_methods(r, m), n_drawn = methods_drawn(r, drawn);

	if (!n) {
		if (!run_find(r, "matrix", NULL))
			report_missing(rep, "The log has no series of the tsc suite (suite=tsc).");
		return;
	}
	fputs("<h3>Methods</h3>\n", rep->to);
	report_partial(rep, r, SUITE_TSC);
	if (n == RUN_METHODS && has_other(r, m, n))
		report_cut(rep, "%zu methods, and there are more", n);
	if (n_drawn) {
		fputs("<div class=pair>\n", rep->to);
		times_plot(rep, drawn, n_drawn);
		variance_plot(rep, drawn, n_drawn);
		fputs("</div>\n", rep->to);
	}
	method_table(rep->to, r, m, n);
	minima_table(rep->to, r, m, n);
}
