// SPDX-License-Identifier: MIT
/* Every figure: a line each, with a small curve where there are several runs. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "run_build.h"
#include "stretch.h"

#define VALUES_MOST  6	  /* runs whose values stand one by one */
#define FIGURES_MOST 1500 /* on the page, of at most so many suites */
#define SUITES_MOST  40
#define SPARK_PLACES 60
#define SPARK_W	     104u
#define SPARK_H	     16u
#define SPARK_EDGE   3u

/* ---- a line */

/* What is said of a figure over all runs; NULL: no run has one that is a number. */
struct extremes {
	size_t n; /* runs that have it */
	const struct course_value *least, *median, *most, *last;
};

static int by_value(const void *a, const void *b)
{
	const struct course_value *x = *(const struct course_value *const *)a;
	const struct course_value *y = *(const struct course_value *const *)b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

/* The median is the value that half of the runs do not exceed: one of them, not a mean of two. */
static struct extremes extremes_of(const struct course *c)
{
	const struct course_value **order = must(calloc(c->n, sizeof(*order)));
	struct extremes e = {0};

	for (size_t i = 0; i < c->n; i++)
		if (!c->at[i].overflow)
			order[e.n++] = e.last = &c->at[i];
	if (e.n) {
		qsort(order, e.n, sizeof(*order), by_value);
		e.least = order[0];
		e.median = order[stats_rank(e.n, 1, 2) - 1];
		e.most = order[e.n - 1];
	}
	free(order);
	return e;
}

static unsigned int spark_y(const struct extremes *e, u64 value)
{
	u64 span = e->most->value - e->least->value;

	if (!span)
		return SPARK_EDGE + SPARK_H / 2;
	return SPARK_EDGE + SPARK_H -
	       (unsigned int)((u128)(value - e->least->value) * SPARK_H / span);
}

static unsigned int spark_x(const struct report *rep, size_t run)
{
	return SPARK_EDGE + (unsigned int)(run * SPARK_W / (rep->n - 1));
}

static void spark_write(const struct report *rep, const struct course *c, const struct extremes *e)
{
	size_t places = stretch_places(rep, SPARK_PLACES), n;
	struct stretch *s = must(calloc(places, sizeof(*s)));

	n = stretch_make(rep, &(struct stretch_line){.course = c}, places, s);
	fprintf(rep->to,
		"<svg class=spark viewBox=\"0 0 %u %u\" aria-hidden=true><path class=s4 d=\"",
		SPARK_W + 2 * SPARK_EDGE, SPARK_H + 2 * SPARK_EDGE);
	for (size_t i = 0; i < n; i++) {
		unsigned int x = spark_x(rep, s[i].run);

		fprintf(rep->to, "%c%u %u", s[i].joined ? 'L' : 'M', x,
			spark_y(e, s[i].one->value));
		if (s[i].other != s[i].one)
			fprintf(rep->to, "%c%u %u", s[i].whole ? 'L' : 'M', x,
				spark_y(e, s[i].other->value));
	}
	fprintf(rep->to, "\"/><circle class=f4 cx=%u cy=%u r=2.5 /></svg>",
		spark_x(rep, e->last->run), spark_y(e, e->last->value));
	free(s);
}

static void value_cell(FILE *to, const struct course_value *v)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	if (!v) {
		fputs("<td class=note>\342\200\223</td>", to);
		return;
	}
	course_value_fmt(&t, v);
	fprintf(to, "<td>%.*s%s</td>", (int)t.len, bytes, v->unstable ? "~" : "");
}

static void figure_row(const struct report *rep, const struct course *c)
{
	struct extremes e = extremes_of(c);
	FILE *to = rep->to;

	fputs("<tr>", to);
	html_element(to, "th class=w", "%s", c->name);
	html_element(to, "td class=w", "%s", c->unit);
	if (rep->n <= VALUES_MOST) {
		for (u32 run = 0; run < rep->n; run++)
			value_cell(to, course_in(c, run));
	} else {
		fprintf(to, "<td>%zu</td>", e.n);
		value_cell(to, e.least);
		value_cell(to, e.median);
		value_cell(to, e.most);
		value_cell(to, e.last);
	}
	if (rep->n > 1) {
		fputs("<td>", to);
		if (e.n)
			spark_write(rep, c, &e);
		fputs("</td>", to);
	}
	fputs("</tr>\n", to);
}

/* ---- by suite */

/* A figure's suite is the first word of its name. */
struct suite {
	size_t n;
	const struct course **figure;
};

struct suites {
	struct words names; /* in the order of their first figure */
	size_t n;
	struct suite *at;
};

static void suites_make(struct suites *s, const struct courses *c)
{
	char name[FIGURE_NAME];

	*s = (struct suites){.n = 0};
	for (size_t i = 0; i < c->n; i++) {
		const char *whole = c->at[i].name;
		u32 k;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(whole, "."), whole);
		k = words_take(&s->names, name);
		if (k == s->n)
			*VECTOR_ADD(s->at, s->n) = (struct suite){.n = 0};
		*VECTOR_ADD(s->at[k].figure, s->at[k].n) = &c->at[i];
	}
}

static void suites_free(struct suites *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].figure);
	free(s->at);
	words_free(&s->names);
}

/* So many of each suite that all of them are at most FIGURES_MOST: none goes without. */
static size_t suite_most(const struct suites *s, size_t shown)
{
	size_t least = FIGURES_MOST / SUITES_MOST, most = FIGURES_MOST;

	while (least < most) {
		size_t mid = least + (most - least + 1) / 2, sum = 0;

		for (size_t i = 0; i < shown; i++)
			sum += s->at[i].n < mid ? s->at[i].n : mid;
		if (sum <= FIGURES_MOST)
			least = mid;
		else
			most = mid - 1;
	}
	return least;
}

static void table_head(const struct report *rep)
{
	fputs("<div class=scroll><table><thead><tr><th class=w>figure</th><th class=w>unit</th>",
	      rep->to);
	if (rep->n == 1)
		fputs("<th>value</th>", rep->to);
	else if (rep->n <= VALUES_MOST)
		for (size_t i = 0; i < rep->n; i++)
			fprintf(rep->to, "<th>run %u</th>", rep->run[i].number);
	else
		fputs("<th>runs</th><th>least</th><th>median</th><th>largest</th><th>last</th>",
		      rep->to);
	fputs(rep->n > 1 ? "<th class=w>over runs</th></tr></thead><tbody>\n"
			 : "</tr></thead><tbody>\n",
	      rep->to);
}

static void suite_write(struct report *rep, const char *name, const struct suite *s, size_t most)
{
	size_t shown = report_room(rep, s->n, most);

	fputs("<details><summary>", rep->to);
	html_say(rep->to, "%s: %zu figure%s", name, s->n, plural(s->n));
	fputs("</summary>\n", rep->to);
	if (shown < s->n)
		report_cut(rep,
			   "%zu of %zu figures; ticklog show --figures prints those of each run",
			   shown, s->n);
	table_head(rep);
	for (size_t i = 0; i < shown; i++)
		figure_row(rep, s->figure[i]);
	fputs("</tbody></table></div></details>\n", rep->to);
}

void report_figures(struct report *rep)
{
	struct suites s;
	size_t shown, most;

	suites_make(&s, &rep->courses);
	shown = report_room(rep, s.n, SUITES_MOST);
	most = suite_most(&s, shown);
	if (s.n)
		fputs("<h4 class=up>Every figure</h4>\n<p class=note>~: the run says that its "
		      "conditions did not hold.</p>\n",
		      rep->to);
	if (shown < s.n)
		report_cut(rep, "the figures of %zu of %zu suites", shown, s.n);
	for (size_t i = 0; i < shown; i++)
		suite_write(rep, s.names.at[i], &s.at[i], most);
	suites_free(&s);
}
