// SPDX-License-Identifier: MIT
/* Several runs on one page: a row for each, and what differs between them. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "report.h"

#define RANGES_MOST 20 /* in one list of runs */
#define VALUES_MOST 12 /* of one thing that differs */
#define TRUSTS_MOST 8
#define ROWS_OPEN   30

/* ---- lists */

static void number_write(FILE *to, const struct report_run *rr)
{
	if (rr->run)
		fprintf(to, "<a href=\"#run-%u\">%u</a>", rr->number, rr->number);
	else
		fprintf(to, "%u", rr->number);
}

/* What was held back: no run that followed goes on with it. */
static void range_end(struct report_numbers *list)
{
	FILE *to = list->rep->to;

	if (!list->from)
		return;
	list->ranges++;
	if (report_room(list->rep, list->ranges, RANGES_MOST) < list->ranges) {
		list->left_out += list->to->number - list->from->number + 1;
		return;
	}
	fputs(list->ranges > 1 ? ", " : "", to);
	number_write(to, list->from);
	if (list->from == list->to)
		return;
	fputs("\342\200\223", to);
	number_write(to, list->to);
}

void report_number(struct report_numbers *list, const struct report_run *rr)
{
	if (!list->from || rr != list->to + 1) {
		range_end(list);
		list->from = rr;
	}
	list->to = rr;
}

void report_numbers_end(struct report_numbers *list)
{
	range_end(list);
	if (list->left_out)
		fprintf(list->rep->to, " and %zu more", list->left_out);
}

/* ---- the table */

static void group_write(FILE *to, unsigned int group)
{
	fprintf(to, "<td>%c", (char)('A' + group % 26));
	if (group >= 26)
		fprintf(to, "%u", group / 26);
	fputs("</td>", to);
}

static void log_cell(FILE *to, const struct report_run *rr)
{
	html_element(to, "td class=w", "%s", log_name(rr->path));
	if (rr->same_as)
		html_element(to, "td class=w", "the same run as %u", rr->same_as);
	else
		fputs("<td></td>", to);
}

static void runs_row(const struct report *rep, const struct report_run *rr)
{
	const struct run_identity *id = &rr->run->id;
	FILE *to = rep->to;

	fprintf(to, "<tr><th><a href=\"#run-%u\">%u</a></th>", rr->number, rr->number);
	group_write(to, rr->group);
	html_element(to, "td class=w", "%s", id->label);
	html_element(to, "td class=w", "%s", *rr->run->trust ? rr->run->trust : "no verdict");
	html_element(to, "td class=w", "%s%s%s", run_state_name(rr->run->state),
		     rr->run->measured ? "" : ", nothing measured",
		     rr->contradictions ? ", contradicted" : "");
	html_element(to, "td", "%s", rr->run->recommended);
	html_element(to, "td class=w", "%s%s%s", id->brand, rr->emulated && *id->brand ? ", " : "",
		     rr->emulated ? "emulated" : "");
	html_element(to, "td class=w", "%s", id->rtc);
	log_cell(to, rr);
	fputs("<td class=\"r wide\">", to);
	report_reasons_short(to, rr->run);
	fputs("</td></tr>\n", to);
}

/* A long one is folded: what it says of all runs stands below it. */
static void runs_table(const struct report *rep, size_t from)
{
	const bool folded = rep->n - from > ROWS_OPEN;

	if (folded)
		fprintf(rep->to, "<details><summary>%zu runs</summary>", rep->n - from);
	fputs("<div class=\"card scroll\"><table><thead><tr><th>run</th>"
	      "<th>group</th><th class=w>label</th><th class=w>TRUST</th><th class=w>the log is"
	      "</th><th>method</th><th class=w>CPU</th><th class=w>date</th>"
	      "<th class=w>log</th><th></th><th class=w>reasons</th></tr></thead><tbody>\n",
	      rep->to);
	for (size_t i = from; i < rep->n; i++)
		runs_row(rep, &rep->run[i]);
	fputs("</tbody></table></div>", rep->to);
	if (folded)
		fputs("</details>", rep->to);
	fputs("\n<p class=note>Runs of one group measured the same thing: "
	      "vendor, CPU signature, core type, hypervisor, measured code, profile and the options "
	      "that bear on figures agree. No line of a plot connects two groups. Whether anything "
	      "changed is judged by <code>ticklog check</code>.</p>\n",
	      rep->to);
}

/* ---- those that are not listed */

/* How many of those before `end` have the verdict. */
static u64 trust_count(const struct report *rep, size_t end, u32 word)
{
	u64 n = 0;

	for (size_t i = 0; i < end; i++)
		n += rep->run[i].trust == word;
	return n;
}

/* "98 GOOD, 2 without a verdict". */
static void trusts_write(const struct report *rep, size_t end)
{
	u32 told[TRUSTS_MOST];
	size_t n = 0, k;
	u64 left = end;

	for (size_t i = 0; i < end && left && n < TRUSTS_MOST; i++) {
		const char *word = rep->words.at[rep->run[i].trust];
		u64 runs;

		for (k = 0; k < n && told[k] != rep->run[i].trust; k++)
			;
		if (k < n)
			continue;
		runs = trust_count(rep, end, rep->run[i].trust);
		html_say(rep->to, "%s%llu %s", n ? ", " : "", (ull)runs,
			 *word ? word : "without a verdict");
		told[n++] = rep->run[i].trust;
		left -= runs;
	}
	if (left)
		fprintf(rep->to, ", %llu of another verdict", (ull)left);
}

static void unlisted_write(struct report *rep, size_t end)
{
	u64 broken = 0, contradicted = 0, again = 0;

	for (size_t i = 0; i < end; i++) {
		broken += rep->run[i].broken;
		contradicted += rep->run[i].contradictions != 0;
		again += rep->run[i].same_as != 0;
	}
	report_cut(rep, "the last %zu of %zu runs", rep->n - end, rep->n);
	fprintf(rep->to,
		"<p class=note>The %zu before them are in the plots and figures below: ", end);
	trusts_write(rep, end);
	fprintf(rep->to,
		"; %llu not complete or without a figure, %llu contradicted, %llu there before.</p>\n",
		(ull)broken, (ull)contradicted, (ull)again);
}

/* ---- what differs */

/* Runs by the value that they have of one thing: each value's first run, and from each the next. */
struct values {
	size_t n;
	u32 *first, *next; /* WORDS_NONE: no other */
	u32 *last;	   /* so far, by the value's word */
};

static void values_find(const struct report *rep, size_t at, struct values *v)
{
	v->n = 0;
	memset(v->last, 0xff, rep->words.n * sizeof(*v->last));
	for (u32 i = 0; i < rep->n; i++) {
		u32 *last = &v->last[rep->run[i].identity[at]];

		if (*last == WORDS_NONE)
			v->first[v->n++] = i;
		else
			v->next[*last] = i;
		v->next[i] = WORDS_NONE;
		*last = i;
	}
}

static void values_write(struct report *rep, size_t at, const struct values *v)
{
	size_t shown = report_room(rep, v->n, VALUES_MOST);
	FILE *to = rep->to;

	html_element(to, "dt", "%s", report_identity_term(at));
	fputs("<dd>", to);
	for (size_t k = 0; k < shown; k++) {
		const char *value = rep->words.at[rep->run[v->first[k]].identity[at]];
		struct report_numbers list = {.rep = rep};

		html_say(to, "%s%s: ", k ? "; " : "", *value ? value : "none");
		for (u32 i = v->first[k]; i != WORDS_NONE; i = v->next[i])
			report_number(&list, &rep->run[i]);
		report_numbers_end(&list);
	}
	if (shown < v->n)
		fprintf(to, "; and %zu other values", v->n - shown);
	fputs("</dd>\n", to);
}

static void differences_write(struct report *rep)
{
	struct values v = {
		.first = must(calloc(rep->n, sizeof(*v.first))),
		.next = must(calloc(rep->n, sizeof(*v.next))),
		.last = must(calloc(rep->words.n, sizeof(*v.last))),
	};
	bool any = false;

	for (size_t at = 0; at < REPORT_IDENTITY; at++) {
		values_find(rep, at, &v);
		if (v.n < 2)
			continue;
		if (!any)
			fputs("<h4 class=up>What differs between the runs</h4>\n<dl class=card>\n",
			      rep->to);
		any = true;
		values_write(rep, at, &v);
	}
	if (any)
		fputs("</dl>\n", rep->to);
	free(v.first);
	free(v.next);
	free(v.last);
}

void report_runs(struct report *rep)
{
	size_t from = 0;

	while (from < rep->n && !rep->run[from].run)
		from++;
	fputs("<h2>Runs</h2>\n", rep->to);
	if (from)
		unlisted_write(rep, from);
	runs_table(rep, from);
	differences_write(rep);
}
