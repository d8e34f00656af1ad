// SPDX-License-Identifier: MIT
/* The matrix of starts and ends: its cells are records, its rows are in two tables for people. */
#include <string.h>

#include "mem.h"
#include "recompute_build.h"

#define CELLS_MAX 64 /* of a row */
#define ROWS_MAX  64 /* that are looked for in the text: there are fewer starts than that */

/* The records of one start, in the order of the table's columns. */
struct row {
	const char *start;
	size_t n;
	const struct run_record *cell[CELLS_MAX];
};

static void cell_subject(struct subject *to, const struct run_record *rec)
{
	*to = (struct subject){.seq = rec->seq, .line = rec->line};
	figure_name(to->stem, "matrix", run_field(rec, "start")->value,
		    run_field(rec, "end")->value);
}

/* Does the line begin with the start and go on with a column? Returns where, or NULL. */
static const char *row_columns(const struct run_text *t, const char *start)
{
	size_t n = strlen(start);

	if (t->n <= n || memcmp(t->at, start, n) || t->at[n] != ' ')
		return NULL;
	return t->at + n;
}

/* As many columns as cells, but for those that were not measured; false: not such a line. */
static bool columns_split(const char *at, const struct row *row, struct words *w)
{
	size_t n = 0;

	if (!words_split(at, strlen(at), w))
		return false;
	/* The mark of a row in which the core clock moved. */
	if (w->n && bytes_are(w->word[w->n - 1].at, w->word[w->n - 1].n, "!"))
		w->n--;
	for (size_t i = 0; i < w->n; i++) {
		if (!word_is_figure(&w->word[i]))
			return false;
		if (w->word[i].n != 1 || w->word[i].at[0] != '-')
			w->word[n++] = w->word[i];
	}
	w->n = n;
	return n == row->n;
}

static void row_compare(struct checking *c, const struct row *row, const struct run_text *t,
			const struct words *w)
{
	const char *key = memchr(w->word[0].at, '.', w->word[0].n) ? "var" : "min";

	for (size_t i = 0; i < row->n; i++) {
		const struct run_field *f = run_field(row->cell[i], key);
		struct word printed = {f->value, f->len};
		struct subject s;

		cell_subject(&s, row->cell[i]);
		if (word_equal(&printed, &w->word[i]))
			cover(c, &s, key, COVER_CONFIRMED);
		else
			text_contradicts(c, &s, t, key, &printed, &w->word[i]);
	}
}

static void row_check(struct checking *c, const struct row *row)
{
	for (size_t i = 0; row->n && i < c->r->n_texts; i++) {
		const char *at = row_columns(&c->r->text[i], row->start);
		struct words w;

		if (at && columns_split(at, row, &w))
			row_compare(c, row, &c->r->text[i], &w);
	}
}

static bool is_whole(const struct run_record *rec)
{
	return run_field(rec, "start") && run_field(rec, "end") && run_field(rec, "min") &&
	       run_field(rec, "var");
}

void recompute_matrix(struct checking *c)
{
	const struct run_record *rec = NULL;
	struct row row = {.n = 0};
	size_t rows = 0;

	if (c->r->n_missing)
		return;
	while ((rec = run_find(c->r, "matrix", rec)) != NULL) {
		if (!is_whole(rec))
			return;
		if (row.n &&
		    (strcmp(row.start, run_field(rec, "start")->value) || row.n == CELLS_MAX)) {
			if (rows++ < ROWS_MAX)
				row_check(c, &row);
			row.n = 0;
		}
		row.start = run_field(rec, "start")->value;
		row.cell[row.n++] = rec;
	}
	if (rows < ROWS_MAX)
		row_check(c, &row);
}
