// SPDX-License-Identifier: MIT
/* A check for people: see check_out.h. */
#include <stdlib.h>
#include <string.h>

#include "check_out.h"
#include "escape.h"
#include "ranks.h"

#define OF_NOTE	   10 /* rows of a verdict that does not fail, unless all are wanted */
#define RUNS_NAMED 4

/* ---- a row */

static void amount_print(const struct check_row *row, u64 value, FILE *to)
{
	const struct middle m = {.lo = value, .hi = value};
	char bytes[80];
	struct text t = TEXT_ON(bytes);

	middle_fmt(&t, &m, row);
	fwrite(bytes, 1, t.len, to);
}

static void middle_print(const struct check_row *row, const struct middle *m, FILE *to)
{
	char bytes[160];
	struct text t = TEXT_ON(bytes);

	middle_fmt(&t, m, row);
	fwrite(bytes, 1, t.len, to);
}

static void percent_print(const struct check_row *row, FILE *to)
{
	const u64 from = row->up ? row->base.hi : row->base.lo;
	u64 tenths;

	if (!from || (u128)row->change * 1000 / from > 99999999)
		return;
	tenths = (u64)(((u128)row->change * 2000 + from) / ((u128)from * 2));
	fprintf(to, " (%c%llu.%llu%%)", row->up ? '+' : '-', (unsigned long long)(tenths / 10),
		(unsigned long long)(tenths % 10));
}

static void figure_change_print(const struct check_row *row, FILE *to)
{
	if (row->base.n)
		middle_print(row, &row->base, to);
	else
		fputs("none", to);
	fputs(" -> ", to);
	if (row->now.n)
		middle_print(row, &row->now, to);
	else
		fputs("none", to);
	putc(' ', to);
	escape_puts(to, row->unit);
	if (!row->change)
		return;
	fprintf(to, ", %c", row->up ? '+' : '-');
	amount_print(row, row->change, to);
	percent_print(row, to);
}

void row_change_print(const struct check_row *row, FILE *to)
{
	if (!row->is_result)
		figure_change_print(row, to);
	else
		fprintf(to, "%s -> %s", *row->base_word ? row->base_word : "none",
			*row->now_word ? row->now_word : "none");
}

static void limit_print(const struct check_row *row, FILE *to)
{
	char bytes[80];
	struct text t = TEXT_ON(bytes);

	milli_fmt(&t, row->limit.abs);
	text_str(&t, " and ");
	milli_fmt(&t, row->limit.rel);
	fprintf(to, "; limits %.*s%%", (int)t.len, bytes);
	if (row->noise_kind == NOISE_MAD) {
		fputs(", noise ", to);
		amount_print(row, row->noise, to);
	} else if (row->noise_kind == NOISE_RANKS) {
		fprintf(to, ", ranks apart by chance once in %d", RANKS_ODDS);
	} else {
		fputs(", noise not known", to);
	}
}

static void row_print(const struct check_row *row, FILE *to)
{
	fprintf(to, "%-10s ", check_verdict_name(row->verdict));
	escape_puts(to, row->name);
	fputs(": ", to);
	row_change_print(row, to);
	if (!row->is_result && row->change)
		limit_print(row, to);
	if (*row->reason) {
		fputs("; ", to);
		escape_puts(to, row->reason);
	}
	putc('\n', to);
}

static void rows_print(const struct check_show *s, const struct check_group *g,
		       enum check_verdict v, FILE *to)
{
	const bool all = s->all || check_fails(s->check, v);
	u64 shown = 0;

	if (v == CHECK_SAME && !s->all)
		return;
	for (size_t i = 0; i < g->n_rows; i++)
		if (g->row[i].verdict == v && (all || shown < OF_NOTE)) {
			row_print(&g->row[i], to);
			shown++;
		}
	if (g->count[v] > shown)
		fprintf(to, "%-10s and %llu more: --all shows them\n", check_verdict_name(v),
			(unsigned long long)(g->count[v] - shown));
}

/* ---- a group */

static void key_print(const struct party *p, size_t i, FILE *to)
{
	const char *value = party_key(p, i);

	escape_puts(to, *value ? value : "none");
}

void group_difference_print(const struct check_group *g, FILE *to)
{
	const char *between = "";

	for (size_t i = 0; i < PARTY_KEYS; i++) {
		if (!(g->differs >> i & 1))
			continue;
		fprintf(to, "%s%s ", between, party_key_name[i]);
		key_print(g->now.at[0], i, to);
		fputs(", baseline ", to);
		key_print(g->nearest, i, to);
		between = "; ";
	}
}

static void machine_print(const struct check_group *g, FILE *to)
{
	fputs("machine    ", to);
	for (size_t i = 0; i < PARTY_KEYS; i++) {
		fprintf(to, "%s%s ", i ? ", " : "", party_key_name[i]);
		key_print(g->now.at[0], i, to);
	}
	putc('\n', to);
}

static void side_print(const char *title, const struct side *s, FILE *to)
{
	fprintf(to, "%-10s %zu run%s: ", title, s->n, plural(s->n));
	for (size_t i = 0; i < s->n && i < RUNS_NAMED; i++) {
		fputs(i ? ", " : "", to);
		escape_puts(to, s->at[i]->from);
		if (*s->at[i]->run->id.label) {
			fputs(" \"", to);
			escape_puts(to, s->at[i]->run->id.label);
			putc('"', to);
		}
	}
	fputs(s->n > RUNS_NAMED ? ", ...\n" : "\n", to);
}

static void trusts_print(const struct side *s, FILE *to)
{
	const char *seen[8];
	size_t n = 0, k;

	for (size_t i = 0; i < s->n; i++) {
		const char *trust = s->at[i]->run->trust;

		for (k = 0; k < n && strcmp(seen[k], trust) != 0; k++)
			;
		if (k < n || n == ARRAY_SIZE(seen))
			continue;
		fputs(n ? ", " : "", to);
		escape_puts(to, *trust ? trust : "not said");
		seen[n++] = trust;
	}
}

static void baseline_print(const struct check_show *s, const struct check_group *g, FILE *to)
{
	const struct baseline *b = s->baseline;

	side_print("baseline", &g->base, to);
	if (g->own)
		fprintf(to, "           left out: %llu checked here\n", (unsigned long long)g->own);
	if (b->unusable || b->repeated)
		fprintf(to, "           left out: %llu unusable, %llu there twice\n",
			(unsigned long long)b->unusable, (unsigned long long)b->repeated);
	if (b->runs.n > g->base.n + g->own)
		fprintf(to, "           %llu more of other machines or options\n",
			(unsigned long long)(b->runs.n - g->base.n - g->own));
}

static void causes_print(const struct check_group *g, FILE *to)
{
	for (size_t i = 0; i < g->n_causes; i++) {
		fprintf(to, "%-10s %s ", i ? "" : "may be why", g->cause[i].what);
		escape_puts(to, g->cause[i].base);
		fputs(" -> ", to);
		escape_puts(to, g->cause[i].now);
		putc('\n', to);
	}
}

static void explained_print(const struct explained *e, const char *whither, FILE *to)
{
	u64 clock = (e->clock - EXPLAINS_NOTHING) / 10, all = (e->all - EXPLAINS_NOTHING) / 10;

	fprintf(to, "%s %llu.%llu%%, with a sibling thread %llu.%llu%%", whither,
		(unsigned long long)(clock / 10), (unsigned long long)(clock % 10),
		(unsigned long long)(all / 10), (unsigned long long)(all % 10));
}

static void moved_print(const struct check_group *g, FILE *to)
{
	if (!g->moved)
		return;
	fputs("note       within the runs the core clock moved, which may explain", to);
	explained_print(&g->up, "", to);
	explained_print(&g->down, " up,", to);
	fprintf(to, " down: such changes are UNSTABLE, and relative limits are %d times as wide\n",
		WIDER);
}

static void notes_print(const struct check_group *g, FILE *to)
{
	fputs("trust      ", to);
	trusts_print(&g->now, to);
	fputs("; baseline ", to);
	trusts_print(&g->base, to);
	putc('\n', to);
	if (party_is_emulated(g->now.at[0]))
		fputs("note       emulated: these are figures of an emulator, not of hardware\n",
		      to);
	moved_print(g, to);
	if (g->base.n < NOISE_MIN)
		fprintf(to,
			"note       %zu baseline run%s: from %d on the noise between runs is known\n",
			g->base.n, plural(g->base.n), NOISE_MIN);
	if (g->base.n < RANKS_MIN || g->now.n < RANKS_MIN)
		fprintf(to,
			"note       tails, spreads and counts are judged fully only from %d runs on "
			"both sides on\n",
			RANKS_MIN);
}

static void counts_print(const struct check_group *g, FILE *to)
{
	fprintf(to,
		"of %zu figures and results %llu worse, %llu missing, %llu unstable, %llu better, "
		"%llu new, %llu the same\n",
		g->n_rows, (unsigned long long)g->count[CHECK_REGRESSION],
		(unsigned long long)g->count[CHECK_MISSING],
		(unsigned long long)g->count[CHECK_UNSTABLE],
		(unsigned long long)g->count[CHECK_IMPROVED],
		(unsigned long long)g->count[CHECK_NEW], (unsigned long long)g->count[CHECK_SAME]);
}

static void group_print(const struct check_show *s, const struct check_group *g, FILE *to)
{
	static const enum check_verdict order[] = {CHECK_REGRESSION, CHECK_MISSING, CHECK_UNSTABLE,
						   CHECK_IMPROVED,   CHECK_NEW,	    CHECK_SAME};

	fprintf(to, "%s: ", group_verdict(s->check, g));
	if (g->state == GROUP_COMPARED) {
		counts_print(g, to);
	} else if (g->state == GROUP_INCOMPARABLE) {
		group_difference_print(g, to);
		putc('\n', to);
	} else {
		fputs("there is no run to compare with in ", to);
		escape_puts(to, s->baseline->path);
		putc('\n', to);
	}
	machine_print(g, to);
	side_print("now", &g->now, to);
	if (g->state == GROUP_INCOMPARABLE) {
		fputs("nearest    ", to);
		escape_puts(to, g->nearest->from);
		putc('\n', to);
	}
	if (g->state != GROUP_COMPARED)
		return;
	baseline_print(s, g, to);
	causes_print(g, to);
	notes_print(g, to);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		rows_print(s, g, order[i], to);
}

/* ---- all */

static void limits_note(const struct check_show *s, FILE *to)
{
	fputs("limits     a change counts beyond abs (in the unit), rel (of the baseline) and noise",
	      to);
	if (s->check->limits->file) {
		fputs("; with ", to);
		escape_puts(to, s->check->limits->file);
	}
	fputs(":\n", to);
	limits_print(s->check->limits, to, "           ");
}

static void print_plain(const struct check_show *s, FILE *to)
{
	for (size_t i = 0; i < s->check->n_groups; i++) {
		if (i)
			putc('\n', to);
		group_print(s, &s->check->group[i], to);
	}
	if (s->check->unusable)
		fprintf(to, "UNUSABLE: %llu log%s or run%s could not be checked\n",
			(unsigned long long)s->check->unusable, plural(s->check->unusable),
			plural(s->check->unusable));
	limits_note(s, to);
}

void check_print(const struct check_show *s, FILE *to, const char *prefix)
{
	char *text = NULL, *line, *end;
	size_t n;
	FILE *memory = must(open_memstream(&text, &n));

	print_plain(s, memory);
	memory_close(memory);
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		fprintf(to, "%s%.*s\n", prefix, (int)(end - line), line);
		end += *end == '\n';
	}
	free(text);
}
