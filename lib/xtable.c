// SPDX-License-Identifier: MIT
/* The XSAVE latency table: see xtable.h. */
#include "xtable.h"

#include "fmt.h"
#include "mem.h"

enum column {
	COL_EVENT,
	COL_RFBM,
	COL_XINUSE,
	COL_MIN,
	COL_MAX,
	COL_AVG,
	COL_AVG97,
	COL_EXTRA, /* from here on by enum xtable_extra, a bit each */
	COL_COUNT = COL_EXTRA,
	COL_KEPT,
	COL_P50,
	COL_P99,
	COLUMNS
};

static const char *const heading[COLUMNS] = {
	"EVENTs",	"RFBM",	 "XINUSE", "lat_min", "lat_max", "lat_avg",
	"lat_avg(97%)", "count", "kept",   "p50",     "p99",
};

struct layout {
	const char *prefix;
	enum column column[COLUMNS]; /* those that are printed */
	size_t columns;
	size_t width[COLUMNS];
	xtable_emit *emit;
	void *ctx;
};

static int compare(const struct xcell *a, const struct xcell *b)
{
	const u8 *p = (const u8 *)a->event, *q = (const u8 *)b->event;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	if (*p != *q)
		return *p < *q ? -1 : 1;
	if (a->rfbm != b->rfbm)
		return a->rfbm < b->rfbm ? -1 : 1;
	if (a->xinuse != b->xinuse)
		return a->xinuse < b->xinuse ? -1 : 1;
	return 0;
}

/* Shell's sort: rows come in ordered runs, and there is no stack to recurse on. */
void xtable_sort(struct xcell *cell, size_t n)
{
	for (size_t gap = n / 2; gap; gap /= 2) {
		for (size_t i = gap; i < n; i++) {
			struct xcell c = cell[i];
			size_t k = i;

			for (; k >= gap && compare(&c, &cell[k - gap]) < 0; k -= gap)
				cell[k] = cell[k - gap];
			cell[k] = c;
		}
	}
}

/* Every column but the event, which has no bound on its length. */
static void number_text(const struct xcell *c, enum column col, struct text *t)
{
	switch (col) {
	case COL_RFBM:
		fmt(t, "0x%llx", (unsigned long long)c->rfbm);
		break;
	case COL_XINUSE:
		fmt(t, "0x%llx", (unsigned long long)c->xinuse);
		break;
	case COL_MIN:
		fmt(t, "%llu", (unsigned long long)c->lat.min);
		break;
	case COL_MAX:
		fmt(t, "%llu", (unsigned long long)c->lat.max);
		break;
	case COL_AVG:
		fmt(t, "%llu", (unsigned long long)c->lat.avg);
		break;
	case COL_COUNT:
		fmt(t, "%llu", (unsigned long long)c->lat.n);
		break;
	case COL_KEPT:
		fmt(t, "%llu", (unsigned long long)c->lat.kept);
		break;
	case COL_P50:
		fmt(t, "%llu", (unsigned long long)c->lat.p50);
		break;
	case COL_P99:
		fmt(t, "%llu", (unsigned long long)c->lat.p99);
		break;
	default:
		fmt(t, "%llu", (unsigned long long)c->lat.avg97);
	}
}

static size_t cell_width(const struct layout *l, const struct xcell *c, enum column col)
{
	char bytes[24];
	struct text t = TEXT_ON(bytes);

	if (col == COL_EVENT)
		return strlen(l->prefix) + strlen(c->event);
	number_text(c, col, &t);
	return t.len;
}

static void emit_fill(const struct layout *l, char c, size_t n)
{
	char fill[32];

	memset(fill, c, sizeof(fill));
	while (n) {
		size_t part = n < sizeof(fill) ? n : sizeof(fill);

		l->emit(l->ctx, fill, part);
		n -= part;
	}
}

static void emit_str(const struct layout *l, const char *s)
{
	l->emit(l->ctx, s, strlen(s));
}

/* After the text of a cell `len` wide: its padding, then the gap or the line's end. */
static void emit_end(const struct layout *l, enum column col, size_t len)
{
	emit_fill(l, ' ', l->width[col] - len);
	emit_str(l, col == l->column[l->columns - 1] ? "\n" : "  ");
}

static void emit_head(const struct layout *l)
{
	for (size_t i = 0; i < l->columns; i++) {
		emit_str(l, heading[l->column[i]]);
		emit_end(l, l->column[i], strlen(heading[l->column[i]]));
	}
	for (size_t i = 0; i < l->columns; i++) {
		emit_fill(l, '-', l->width[l->column[i]]);
		emit_end(l, l->column[i], l->width[l->column[i]]);
	}
}

static void emit_row(const struct layout *l, const struct xcell *c)
{
	char bytes[24];

	emit_str(l, l->prefix);
	emit_str(l, c->event);
	emit_end(l, COL_EVENT, cell_width(l, c, COL_EVENT));
	for (size_t i = COL_RFBM; i < l->columns; i++) {
		struct text t = TEXT_ON(bytes);

		number_text(c, l->column[i], &t);
		l->emit(l->ctx, bytes, t.len);
		emit_end(l, l->column[i], t.len);
	}
}

static void choose_columns(struct layout *l, unsigned int extra)
{
	for (enum column col = 0; col < COLUMNS; col++)
		if (col < COL_EXTRA || extra >> (col - COL_EXTRA) & 1)
			l->column[l->columns++] = col;
}

static void measure(struct layout *l, const struct xcell *cell, size_t n, enum column col)
{
	l->width[col] = strlen(heading[col]);
	for (size_t i = 0; i < n; i++) {
		size_t width = cell_width(l, &cell[i], col);

		if (width > l->width[col])
			l->width[col] = width;
	}
}

void xtable_print_extra(const char *prefix, const struct xcell *cell, size_t n, unsigned int extra,
			xtable_emit *emit, void *ctx)
{
	struct layout l = {.prefix = prefix, .emit = emit, .ctx = ctx};

	choose_columns(&l, extra);
	for (size_t i = 0; i < l.columns; i++)
		measure(&l, cell, n, l.column[i]);
	emit_head(&l);
	for (size_t i = 0; i < n; i++)
		emit_row(&l, &cell[i]);
}

void xtable_print(const char *prefix, const struct xcell *cell, size_t n, xtable_emit *emit,
		  void *ctx)
{
	xtable_print_extra(prefix, cell, n, 0, emit, ctx);
}

#define CYCLES_HEAD "\nlat_min in core cycles where the ratio held; XINUSE as in the rows above\n"

/* Returns how wide the line is with it. */
static size_t emit_cycles(const struct layout *l, const struct xcell *c, size_t width)
{
	char bytes[32];
	struct text t = TEXT_ON(bytes);

	fmt(&t, " %llu", (unsigned long long)ruler_cycles(c->lat.min, c->ratio));
	if (width + t.len > 80) {
		emit_str(l, "\n");
		emit_fill(l, ' ', 3);
		width = 3;
	}
	l->emit(l->ctx, bytes, t.len);
	return width + t.len;
}

static bool same_block(const struct xcell *a, const struct xcell *b)
{
	return a->rfbm == b->rfbm && str_is(a->event, b->event);
}

void xtable_cycles(const struct xcell *cell, size_t n, xtable_emit *emit, void *ctx)
{
	const struct layout l = {.emit = emit, .ctx = ctx};
	const struct xcell *last = NULL;
	char bytes[32];
	size_t width = 0;

	for (size_t i = 0; i < n; i++) {
		const struct xcell *c = &cell[i];
		struct text mask = TEXT_ON(bytes);

		if (!c->ratio)
			continue;
		if (!last || !same_block(last, c)) {
			emit_str(&l, last ? "\n" : CYCLES_HEAD);
			emit_str(&l, "  ");
			emit_str(&l, c->event);
			fmt(&mask, " 0x%llx:", (unsigned long long)c->rfbm);
			emit(ctx, bytes, mask.len);
			width = 2 + strlen(c->event) + mask.len;
		}
		width = emit_cycles(&l, c, width);
		last = c;
	}
	if (last)
		emit_str(&l, "\n");
}
