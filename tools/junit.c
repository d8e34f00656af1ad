// SPDX-License-Identifier: MIT
/* A check as JUnit XML, as CI servers read it: failures are failures, no telling is "skipped". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check_out.h"
#include "escape.h"

/* XML knows no way to write most control characters: they are escaped as in all we print. */
static void xml(const char *text, FILE *to)
{
	for (size_t n = strlen(text); n;) {
		size_t len = utf8_length(text, n);

		if (*text == '<')
			fputs("&lt;", to);
		else if (*text == '>')
			fputs("&gt;", to);
		else if (*text == '&')
			fputs("&amp;", to);
		else if (*text == '"')
			fputs("&quot;", to);
		else
			escape_print(to, text, len ? len : 1);
		text += len ? len : 1;
		n -= len ? len : 1;
	}
}

/* What a printing function says, as an attribute's value. */
struct said {
	char *text;
	size_t n;
	FILE *to;
};

static FILE *said_start(struct said *s)
{
	s->to = must(open_memstream(&s->text, &s->n));
	return s->to;
}

static void said_end(struct said *s, FILE *to)
{
	memory_close(s->to);
	xml(s->text, to);
	free(s->text);
}

/* The class name is the first word of the figure's, so that servers group by suite. */
static void case_start(const char *name, FILE *to)
{
	size_t len = strcspn(name, ".");
	char first[FIGURE_NAME];

	if (len >= sizeof(first))
		len = sizeof(first) - 1;
	memcpy(first, name, len);
	first[len] = '\0';
	fputs("    <testcase classname=\"baretick.", to);
	xml(first, to);
	fputs("\" name=\"", to);
	xml(name, to);
	putc('"', to);
}

static void message(const struct check_row *row, FILE *to)
{
	struct said said;
	FILE *words = said_start(&said);

	row_change_print(row, words);
	if (*row->reason)
		fprintf(words, "; %s", row->reason);
	said_end(&said, to);
}

static void row_case(const struct check_show *s, const struct check_row *row, FILE *to)
{
	const char *verdict = check_verdict_name(row->verdict);

	case_start(row->name, to);
	if (check_fails(s->check, row->verdict))
		fprintf(to, ">\n      <failure type=\"%s\" message=\"", verdict);
	else if (row->verdict == CHECK_UNSTABLE)
		fputs(">\n      <skipped message=\"UNSTABLE: ", to);
	else if (row->verdict == CHECK_SAME)
		return (void)fputs("/>\n", to);
	else
		fprintf(to, ">\n      <system-out>%s: ", verdict);
	message(row, to);
	fputs(row->verdict == CHECK_IMPROVED || row->verdict == CHECK_NEW ? "</system-out>\n"
									  : "\"/>\n",
	      to);
	fputs("    </testcase>\n", to);
}

static void head_case(const struct check_group *g, FILE *to)
{
	struct said said;
	FILE *words;

	case_start("baseline", to);
	if (g->state == GROUP_COMPARED)
		return (void)fputs("/>\n", to);
	fprintf(to, ">\n      <error type=\"%s\" message=\"",
		g->state == GROUP_INCOMPARABLE ? "INCOMPARABLE" : "NO BASELINE");
	words = said_start(&said);
	if (g->state == GROUP_INCOMPARABLE)
		group_difference_print(g, words);
	else
		fputs("there is no run to compare with", words);
	said_end(&said, to);
	fputs("\"/>\n    </testcase>\n", to);
}

static void suite(const struct check_show *s, const struct check_group *g, FILE *to)
{
	u64 failures = 0, skipped = 0;

	for (int v = 0; v < CHECK_VERDICTS; v++) {
		if (check_fails(s->check, (enum check_verdict)v))
			failures += g->count[v];
		else if (v == CHECK_UNSTABLE)
			skipped += g->count[v];
	}
	fputs("  <testsuite name=\"", to);
	xml(g->now.at[0]->from, to);
	fprintf(to, "\" tests=\"%zu\" failures=\"%llu\" errors=\"%d\" skipped=\"%llu\">\n",
		g->n_rows + 1, (unsigned long long)failures, g->state != GROUP_COMPARED,
		(unsigned long long)skipped);
	head_case(g, to);
	for (size_t i = 0; i < g->n_rows; i++)
		row_case(s, &g->row[i], to);
	fputs("  </testsuite>\n", to);
}

static void unusable_suite(u64 n, FILE *to)
{
	fputs("  <testsuite name=\"logs\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n",
	      to);
	case_start("logs", to);
	fprintf(to,
		">\n      <error type=\"UNUSABLE\" message=\"%llu log%s or run%s could not be "
		"checked\"/>\n    </testcase>\n  </testsuite>\n",
		(unsigned long long)n, plural(n), plural(n));
}

bool check_junit(const struct check_show *s, const char *path)
{
	FILE *to = fopen(path, "w");
	bool ok;

	if (!to)
		return false;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ticklog check\">\n",
	      to);
	for (size_t i = 0; i < s->check->n_groups; i++)
		suite(s, &s->check->group[i], to);
	if (s->check->unusable)
		unusable_suite(s->check->unusable, to);
	fputs("</testsuites>\n", to);
	ok = !ferror(to) && fflush(to) == 0;
	if (fclose(to) != 0)
		ok = false;
	return ok;
}
