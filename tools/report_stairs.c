// SPDX-License-Identifier: MIT
/* The resolution staircase: what a loop one turn longer adds to the least time of a line. */
#include <string.h>

#include "html.h"
#include "report.h"

#define TURNS_MOST 256 /* of the loop, on the axis */

typedef unsigned long long ull;

static bool is_stairs(const struct run_lines *l)
{
	return !strcmp(l->work, "loop") && !strcmp(l->pre, "none") && !strcmp(l->form, "mem") &&
	       !l->torn && l->n;
}

static const struct run_lines *stairs_find(const struct run *r, const char *method)
{
	for (size_t i = 0; i < r->n_lines; i++)
		if (is_stairs(&r->lines[i]) && !strcmp(r->lines[i].method, method))
			return &r->lines[i];
	return NULL;
}

/* A point a turn; a blank line ends the stairs of a method. */
static void stairs_put(struct plot *p, const struct run_lines *l)
{
	u64 zero = l->at[0].min;

	for (size_t i = 0; i < l->n; i++) {
		const struct line_entry *e = &l->at[i];
		bool below = e->min < zero;
		u64 height = below ? zero - e->min : e->min - zero;

		for (u64 j = e->from; j <= e->to && j < TURNS_MOST; j++)
			plot_line(p, "%llu %s%llu", (ull)j, below ? "-" : "", (ull)height);
	}
	plot_line(p, "\n");
}

static void stairs_data(struct plot *p, const struct run *r, const struct run_lines *chosen)
{
	plot_data(p, "rest");
	for (size_t i = 0; i < r->n_lines; i++)
		if (is_stairs(&r->lines[i]) && &r->lines[i] != chosen)
			stairs_put(p, &r->lines[i]);
	/* gnuplot refuses a block without a point. */
	plot_line(p, "0 0");
	plot_data_end(p);
	plot_data(p, "one");
	stairs_put(p, chosen);
	plot_data_end(p);
}

static void stairs_plot(struct report *rep, const struct run *r, const struct run_lines *l)
{
	const struct run_series *s = run_series_find(r, l->method, l->form, l->work, l->pre);
	char title[80], of[80];
	const struct legend legend[] = {{INK_FIRST, of},
					{INK_FIRST + 6, "the other methods"},
					{INK_FIRST + 1, "its resolution"}};
	struct plot p;

	snprintf(of, sizeof(of), "method %.40s", l->method);
	snprintf(title, sizeof(title), "Resolution of method %.40s", l->method);
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	plot_line(&p, "set xlabel 'turns of the loop' textcolor rgb '#000002'");
	plot_line(&p, "set ylabel 'ticks above an empty loop' textcolor rgb '#000002'");
	stairs_data(&p, r, l);
	if (s && s->s.resolution && s->s.resolution < TURNS_MOST)
		plot_line(&p,
			  "set arrow from first %llu, graph 0 to first %llu, graph 1 nohead front "
			  "dt 2 lw 1.5 " INK_2,
			  (ull)s->s.resolution, (ull)s->s.resolution);
	plot_line(&p, "plot $rest with steps " INK_FAINT ", $one with steps lw 2.5 " INK_1
		      ", $one with points pt 7 ps 0.35 " INK_1);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = title,
			    .note = "Least time of each line of the series loop (form mem, "
				    "preamble none), less that of line 0.",
			    .legend = legend,
			    .n_legend = ARRAY_SIZE(legend),
		    });
}

/* Without lines there is still what the kernel made of them. */
static void resolutions_write(FILE *to, const struct run *r)
{
	fputs("<div class=\"card scroll\"><h4>Smallest loop told apart from an empty one</h4>"
	      "<table><thead><tr><th class=w>method</th><th>turns</th><th>loop, min</th></tr>"
	      "</thead><tbody>\n",
	      to);
	for (size_t i = 0; i < r->n_series; i++) {
		const struct series *s = &r->series[i].s;

		if (!s->grows || strcmp(s->form, "mem") != 0 || strcmp(s->preamble, "none") != 0)
			continue;
		fputs(strcmp(s->method, r->recommended) ? "<tr>" : "<tr class=use>", to);
		html_element(to, "th class=w", "%s", s->method);
		if (s->resolution)
			html_element(to, "td", "%llu", (ull)s->resolution);
		else
			fputs("<td>unknown</td>", to);
		html_element(to, "td", "%llu", (ull)s->min);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

void report_staircase(struct report *rep, const struct run *r)
{
	const struct run_lines *l = stairs_find(r, r->recommended);

	if (!r->n_series)
		return;
	for (size_t i = 0; i < r->n_lines && !l; i++)
		if (is_stairs(&r->lines[i]))
			l = &r->lines[i];
	fputs("<h3>Resolution</h3>\n<div class=pair>\n", rep->to);
	if (l)
		stairs_plot(rep, r, l);
	else
		report_missing(rep,
			       "No staircase: it is drawn from the lines of the loop series "
			       "(records type=lines), which a run with detail=lines or "
			       "detail=full sends. %s",
			       r->n_lines ? "Those in this log are of other series, or torn."
					  : "This log has none.");
	resolutions_write(rep->to, r);
	fputs("</div>\n", rep->to);
}
