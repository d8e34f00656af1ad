// SPDX-License-Identifier: MIT
/* A check as TAP version 13 (testanything.org): a test a row, skipped where there is no telling. */
#include <string.h>

#include "check_out.h"
#include "escape.h"

static size_t tests_of(const struct check_group *g)
{
	return 1 + g->n_rows; /* that it can be compared at all is a test of its own */
}

/* A '#' in a description would begin a directive. */
static void word_print(const char *text, FILE *to)
{
	for (size_t n; *text; text += n) {
		n = strcspn(text, "#");
		escape_print(to, text, n);
		if (text[n] == '#') {
			fputs("\\#", to);
			n++;
		}
	}
}

static void point(const struct check_show *s, u64 n, const struct check_group *g,
		  const struct check_row *row, FILE *to)
{
	const bool fails = check_fails(s->check, row->verdict);

	fprintf(to, "%s %llu - ", fails ? "not ok" : "ok", (unsigned long long)n);
	if (s->check->n_groups > 1) {
		word_print(g->now.at[0]->from, to);
		fputs(": ", to);
	}
	word_print(row->name, to);
	if (row->verdict == CHECK_UNSTABLE && !fails) {
		fputs(" # SKIP UNSTABLE: ", to);
		word_print(row->reason, to);
		putc('\n', to);
		return;
	}
	putc('\n', to);
	if (row->verdict == CHECK_SAME)
		return;
	fprintf(to, "# %s: ", check_verdict_name(row->verdict));
	row_change_print(row, to);
	if (*row->reason) {
		fputs("; ", to);
		escape_puts(to, row->reason);
	}
	putc('\n', to);
}

static void head_point(u64 n, const struct check_group *g, FILE *to)
{
	const bool ok = g->state == GROUP_COMPARED;

	fprintf(to, "%s %llu - ", ok ? "ok" : "not ok", (unsigned long long)n);
	word_print(g->now.at[0]->from, to);
	fputs(": there is a baseline to compare with\n", to);
	if (g->state == GROUP_INCOMPARABLE) {
		fputs("# INCOMPARABLE: ", to);
		group_difference_print(g, to);
		putc('\n', to);
	}
}

void check_tap(const struct check_show *s, FILE *to)
{
	const struct comparison *c = s->check;
	size_t plan = 1;
	u64 n = 0;

	fputs("TAP version 13\n", to);
	check_print(s, to, "# ");
	for (size_t i = 0; i < c->n_groups; i++)
		plan += tests_of(&c->group[i]);
	fprintf(to, "1..%zu\n", plan);
	fprintf(to, "%s %llu - all logs are usable\n",
		c->unusable || !c->n_groups ? "not ok" : "ok", (unsigned long long)++n);
	for (size_t i = 0; i < c->n_groups; i++) {
		const struct check_group *g = &c->group[i];

		head_point(++n, g, to);
		for (size_t k = 0; k < g->n_rows; k++)
			point(s, ++n, g, &g->row[k], to);
	}
}
