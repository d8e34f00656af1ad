// SPDX-License-Identifier: MIT
/* A heat map that is a table: see heat.h. */
#include "heat.h"

#include <stdlib.h>

#include "html.h"
#include "ticklog.h"

#define LEVELS 10 /* of the style sheet */

static int by_place(const void *a, const void *b)
{
	const struct heat_cell *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->col > y->col) - (x->col < y->col);
}

static int by_key(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* 16 times the logarithm to base 2, linear between its whole values. */
static unsigned int log16(u64 value)
{
	unsigned int top;

	if (value < 2)
		return 0;
	top = 63 - (unsigned int)__builtin_clzll(value);
	return 16 * top + (unsigned int)((top >= 4 ? value >> (top - 4) : value << (4 - top)) & 15);
}

struct scale {
	unsigned int lo, hi;
};

static struct scale scale_of(const struct heat *h)
{
	struct scale s = {~0u, 0};

	for (size_t i = 0; i < h->n; i++) {
		unsigned int at = log16(h->cell[i].value);

		s.lo = at < s.lo ? at : s.lo;
		s.hi = at > s.hi ? at : s.hi;
	}
	return s;
}

static unsigned int level(const struct scale *s, u64 value)
{
	unsigned int span = s->hi - s->lo;

	return span ? (log16(value) - s->lo) * (LEVELS - 1) / span : LEVELS / 2;
}

static void cell_write(FILE *to, const struct heat_cell *c, const struct scale *s)
{
	fprintf(to, "<td class=h%u", level(s, c->value));
	if (*c->note) {
		fputs(" title=\"", to);
		html_puts(to, c->note);
		fputc('"', to);
	}
	fputc('>', to);
	html_puts(to, c->text);
	if (*c->small)
		html_element(to, "small", "%s", c->small);
	fputs("</td>", to);
}

static void head_write(FILE *to, const struct heat *h, const u64 *col, size_t n)
{
	fputs("<div class=\"card scroll\"><table class=heat><thead><tr>", to);
	html_element(to, "th class=w", "%s \\ %s", h->rows, h->cols);
	for (size_t i = 0; i < n; i++) {
		fputs("<th>", to);
		h->name(to, h->ctx, col[i], false);
		fputs("</th>", to);
	}
	fputs("</tr></thead><tbody>\n", to);
}

static void row_write(FILE *to, const struct heat *h, size_t *at, const u64 *col, size_t n,
		      const struct scale *s)
{
	u64 row = h->cell[*at].row;

	fputs("<tr><th class=w>", to);
	h->name(to, h->ctx, row, true);
	fputs("</th>", to);
	for (size_t i = 0; i < n; i++) {
		const struct heat_cell *c = NULL;

		while (*at < h->n && h->cell[*at].row == row && h->cell[*at].col == col[i])
			c = &h->cell[(*at)++];
		if (c)
			cell_write(to, c, s);
		else
			fputs("<td></td>", to);
	}
	fputs("</tr>\n", to);
}

static void list_write(FILE *to, const struct heat *h, const struct scale *s)
{
	fputs("<div class=\"card scroll\"><table><tbody>\n", to);
	for (size_t i = 0; i < h->n; i++) {
		fputs("<tr><th class=w>", to);
		h->name(to, h->ctx, h->cell[i].row, true);
		fputs("</th><th class=w>", to);
		h->name(to, h->ctx, h->cell[i].col, false);
		fputs("</th>", to);
		cell_write(to, &h->cell[i], s);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

static size_t drop_repeated(u64 *key, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!kept || key[kept - 1] != key[i])
			key[kept++] = key[i];
	return kept;
}

static size_t rows_of(const struct heat *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += !i || h->cell[i - 1].row != h->cell[i].row;
	return n;
}

void heat_write(FILE *to, struct heat *h)
{
	struct scale s = scale_of(h);
	size_t n_cols;
	u64 *col;

	if (!h->n)
		return;
	col = must(calloc(h->n, sizeof(*col)));
	qsort(h->cell, h->n, sizeof(*h->cell), by_place);
	for (size_t i = 0; i < h->n; i++)
		col[i] = h->cell[i].col;
	qsort(col, h->n, sizeof(*col), by_key);
	n_cols = drop_repeated(col, h->n);
	if (rows_of(h) > HEAT_MOST / n_cols) {
		list_write(to, h, &s);
	} else {
		head_write(to, h, col, n_cols);
		for (size_t at = 0; at < h->n;)
			row_write(to, h, &at, col, n_cols, &s);
		fputs("</tbody></table></div>\n", to);
	}
	free(col);
}
