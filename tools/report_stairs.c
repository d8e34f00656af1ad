// SPDX-License-Identifier: MIT
/* The resolution staircase: what a loop one turn longer adds to the least time of a line. */
#include <string.h>

#include "html.h"
#include "report.h"

#define TURNS_MOST   256 /* of the loop, on the axis */
#define METHODS_MOST 30

static bool is_stairs(const struct run_lines *l)
{
	return !strcmp(l->work, "loop") && !strcmp(l->pre, "none") && !strcmp(l->form, "mem") &&
	       !l->torn && l->n && l->at[0].from == 0;
}

static const struct run_lines *stairs_find(const struct run *r, const char *method)
{
	for (size_t i = 0; i < r->n_lines; i++)
		if (is_stairs(&r->lines[i]) && !strcmp(r->lines[i].method, method))
			return &r->lines[i];
	return NULL;
}

/* What is drawn of how much. */
struct extent {
	size_t turns, all_turns;
	size_t others, all_others; /* methods beside the chosen one */
};

static struct extent extent_of(struct report *rep, const struct run *r,
			       const struct run_lines *chosen)
{
	struct extent e = {.all_turns = chosen->at[chosen->n - 1].to + 1};

	for (size_t i = 0; i < r->n_lines; i++)
		e.all_others += is_stairs(&r->lines[i]) && &r->lines[i] != chosen;
	e.turns = report_room(rep, e.all_turns, TURNS_MOST);
	e.others = report_room(rep, e.all_others, METHODS_MOST);
	return e;
}

/* A point a turn; a blank line ends the stairs of a method. False if all points are of no height.
 */
static bool stairs_put(struct plot *p, const struct run_lines *l, u64 turns)
{
	u64 zero = l->at[0].min;
	bool any = false;

	for (size_t i = 0; i < l->n; i++) {
		const struct line_entry *e = &l->at[i];
		bool below = e->min < zero;
		u64 height = below ? zero - e->min : e->min - zero;

		any |= height && e->from < turns;
		for (u64 j = e->from; j <= e->to && j < turns; j++)
			plot_line(p, "%llu %s%llu", (ull)j, below ? "-" : "", (ull)height);
	}
	plot_line(p, "\n");
	return any;
}

static void stairs_data(struct plot *p, const struct run *r, const struct run_lines *chosen,
			const struct extent *e)
{
	size_t left = e->others;
	bool any = false;

	plot_data(p, "rest");
	for (size_t i = 0; i < r->n_lines && left; i++) {
		if (!is_stairs(&r->lines[i]) || &r->lines[i] == chosen)
			continue;
		any |= stairs_put(p, &r->lines[i], e->turns);
		left--;
	}
	/* gnuplot refuses a block without a point. */
	plot_line(p, "0 0");
	plot_data_end(p);
	plot_data(p, "one");
	any |= stairs_put(p, chosen, e->turns);
	plot_data_end(p);
	plot_axis(p, 'x', 0, e->turns - 1, 1);
	/* gnuplot chooses the other one, but not for values that are all one. */
	if (!any)
		plot_axis(p, 'y', 0, 1, 1);
}

static void stairs_note(struct text *t, const struct extent *e)
{
	fmt(t, "Least time of each line of the series loop (form mem, preamble none), less that of "
	       "line 0.");
	if (e->turns < e->all_turns)
		fmt(t, " The first %zu of %zu lines.", e->turns, e->all_turns);
	if (e->others < e->all_others)
		fmt(t, " %zu of %zu other methods.", e->others, e->all_others);
}

static void stairs_plot(struct report *rep, const struct run *r, const struct run_lines *l)
{
	const struct run_series *s = run_series_find(r, l->method, l->form, l->work, l->pre);
	const struct extent e = extent_of(rep, r, l);
	char title[80], of[80], note[300];
	struct text t = {.at = note, .cap = sizeof(note) - 1};
	const struct legend legend[] = {{INK_FIRST, of},
					{INK_FIRST + 6, "the other methods"},
					{INK_FIRST + 1, "its resolution"}};
	struct plot p;

	snprintf(of, sizeof(of), "method %.40s", l->method);
	snprintf(title, sizeof(title), "Resolution of method %.40s", l->method);
	stairs_note(&t, &e);
	note[t.len] = '\0';
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	plot_line(&p, "set xlabel 'turns of the loop' textcolor rgb '#000002'");
	plot_line(&p, "set ylabel 'ticks above an empty loop' textcolor rgb '#000002'");
	stairs_data(&p, r, l, &e);
	if (s && s->s.resolution && s->s.resolution < e.turns)
		plot_mark(&p, s->s.resolution, INK_2);
	plot_line(&p, "plot $rest with steps " INK_FAINT ", $one with steps lw 2.5 " INK_1
		      ", $one with points pt 7 ps 0.35 " INK_1);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = title,
			    .note = note,
			    .legend = legend,
			    .n_legend = ARRAY_SIZE(legend),
		    });
}

/* Without lines there is still what the kernel made of them. */
static bool has_resolution(const struct series *s)
{
	return s->grows && !strcmp(s->form, "mem") && !strcmp(s->preamble, "none");
}

static void resolution_row(FILE *to, const struct run *r, const struct series *s)
{
	fputs(strcmp(s->method, r->recommended) ? "<tr>" : "<tr class=use>", to);
	html_element(to, "th class=w", "%s", s->method);
	if (s->resolution)
		html_element(to, "td", "%llu", (ull)s->resolution);
	else
		fputs("<td>unknown</td>", to);
	html_element(to, "td", "%llu", (ull)s->min);
	fputs("</tr>\n", to);
}

static void resolutions_write(struct report *rep, const struct run *r)
{
	size_t n = 0, left, shown;

	for (size_t i = 0; i < r->n_series; i++)
		n += has_resolution(&r->series[i].s);
	left = shown = report_room(rep, n, METHODS_MOST);
	fputs("<div class=\"card scroll\"><h4>Smallest loop told apart from an empty one</h4>\n",
	      rep->to);
	if (shown < n)
		report_cut(rep, "%zu of %zu methods", shown, n);
	fputs("<table><thead><tr><th class=w>method</th><th>turns</th><th>loop, min</th></tr>"
	      "</thead><tbody>\n",
	      rep->to);
	for (size_t i = 0; i < r->n_series && left; i++) {
		if (!has_resolution(&r->series[i].s))
			continue;
		resolution_row(rep->to, r, &r->series[i].s);
		left--;
	}
	fputs("</tbody></table></div>\n", rep->to);
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
	resolutions_write(rep, r);
	fputs("</div>\n", rep->to);
}
