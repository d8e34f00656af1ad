// SPDX-License-Identifier: MIT
/*
 * What the log says of its figures to people: the tables' rows and some sentences, each of which is
 * made again from the records and looked for. Text has no CRC. A line that is damaged says nothing;
 * one that is well formed and has another number contradicts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "recompute_build.h"
#include "run_build.h"
#include "run_tables.h"

#define TABLE_LINES 80 /* rows of a table are no farther behind its head */
#define RULERS_MAX  64 /* whose sentences are looked for: a run has four */

bool words_split(const char *text, size_t n, struct words *w)
{
	size_t i = 0;

	w->n = 0;
	for (;;) {
		size_t start;

		while (i < n && text[i] == ' ')
			i++;
		if (i == n || text[i] == '\n')
			return true;
		if (w->n == WORDS_MAX)
			return false;
		for (start = i; i < n && text[i] != ' ' && text[i] != '\n';)
			i++;
		w->word[w->n++] = (struct word){text + start, i - start};
	}
}

bool word_equal(const struct word *a, const struct word *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

static bool words_equal(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (!word_equal(&a->word[i], &b->word[i]))
			return false;
	return a->n == b->n;
}

bool word_is_figure(const struct word *w)
{
	static const char *const names[] = {"-", "*", "~", "!", "unknown", "overflow"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (bytes_are(w->at, w->n, names[i]))
			return true;
	for (size_t i = 0; i < w->n; i++)
		if (w->at[i] != '.' && (w->at[i] < '0' || w->at[i] > '9'))
			return false;
	return true;
}

void text_contradicts(struct checking *c, const struct subject *s, const struct run_text *text,
		      const char *key, const struct word *printed, const struct word *said)
{
	struct recomputed *out = c->out;
	size_t before = out->n;

	contradict(c, s, "%s=%.*s is printed, but the text in line %llu says %.*s", key,
		   (int)printed->n, printed->at, (unsigned long long)text->line, (int)said->n,
		   said->at);
	if (out->n > before) {
		out->at[before].text = true;
		out->at[before].line = text->line;
	}
}

/* A column of a table: which figure it is of which record. Without a key it is not looked at. */
struct column {
	const char *key;
	const struct subject *subject;
};

/* Row `expected` as made from the records, against the one in the log; col[i] is word i. */
static void row_compare(struct checking *c, const struct words *expected,
			const struct run_text *text, const struct column *col)
{
	struct words said;

	if (!words_split(text->at, text->n, &said) || said.n != expected->n)
		return;
	for (size_t i = 1; i < said.n; i++)
		if (!word_is_figure(&said.word[i]))
			return;
	for (size_t i = 1; i < said.n; i++) {
		if (!col[i].key || !col[i].subject)
			continue;
		if (word_equal(&expected->word[i], &said.word[i]))
			cover(c, col[i].subject, col[i].key, COVER_CONFIRMED);
		else
			text_contradicts(c, col[i].subject, text, col[i].key, &expected->word[i],
					 &said.word[i]);
	}
}

/* ---- the three tables of methods */

static const struct run_text *head_find(const struct run *r, void (*head)(struct text *))
{
	char bytes[160];
	struct text t = TEXT_ON(bytes);
	struct words want, said;

	head(&t);
	words_split(bytes, t.len, &want);
	for (size_t i = 0; i < r->n_texts; i++)
		if (words_split(r->text[i].at, r->text[i].n, &said) && words_equal(&want, &said))
			return &r->text[i];
	return NULL;
}

/* The row of this method behind the head, before the next head. */
static const struct run_text *row_find(const struct run *r, const struct run_text *head,
				       const char *method)
{
	const struct run_text *end = r->text + r->n_texts;

	if ((size_t)(end - head) > TABLE_LINES)
		end = head + TABLE_LINES;
	for (const struct run_text *t = head + 1; t < end; t++) {
		struct words w;

		if (!words_split(t->at, t->n, &w) || w.n == 0)
			continue;
		if (bytes_are(w.word[0].at, w.word[0].n, "method"))
			return NULL;
		if (bytes_are(w.word[0].at, w.word[0].n, method))
			return t;
	}
	return NULL;
}

static void method_row_compare(struct checking *c, const struct run_text *head, const char *method,
			       const struct text *row, const struct column *col)
{
	const struct run_text *found = row_find(c->r, head, method);
	struct words expected;

	if (found && words_split(row->at, row->len, &expected))
		row_compare(c, &expected, found, col);
}

static void base_rows(struct checking *c, const struct run_method *m, const struct run_text *method,
		      const struct run_text *lines)
{
	char bytes[256];
	struct text t = TEXT_ON(bytes);
	struct subject s;
	const struct column first[WORDS_MAX] = {{NULL, NULL},	{"min", &s},  {"var", &s},
						{"maxdev", &s}, {"p50", &s},  {"p97", &s},
						{"p99", &s},	{"p999", &s}, {"lines", &s}};
	const struct column second[WORDS_MAX] = {
		{NULL, NULL},	   {"varvar", &s}, {"varmin", &s}, {"spurious", &s},
		{"backwards", &s}, {"first", &s},  {"warm", &s},   {"samples", &s}};

	subject_series(&s, m->base);
	table_method_row(&t, &m->base->s);
	if (method)
		method_row_compare(c, method, m->id, &t, first);
	t = (struct text)TEXT_ON(bytes);
	table_lines_row(&t, &m->base->s);
	if (lines)
		method_row_compare(c, lines, m->id, &t, second);
}

static void minima_row_check(struct checking *c, const struct run_method *m,
			     const struct run_text *head)
{
	char bytes[256];
	struct text t = TEXT_ON(bytes);
	struct subject s[TABLE_MINIMA + 1];
	struct column col[WORDS_MAX] = {{NULL, NULL}};

	for (size_t i = 0; i < TABLE_MINIMA; i++) {
		if (!m->of[i])
			continue;
		subject_series(&s[i], m->of[i]);
		col[i + 1] = (struct column){i == TABLE_MINIMA - 1 ? "overhead" : "min", &s[i]};
	}
	if (m->loop) {
		subject_series(&s[TABLE_MINIMA], m->loop);
		col[TABLE_MINIMA + 1] = (struct column){"resolution", &s[TABLE_MINIMA]};
	}
	table_minima_row(&t, &m->minima);
	method_row_compare(c, head, m->id, &t, col);
}

/* Its ids have a digit each; letters behind that are no numbers. */
static void cycles_line(struct checking *c, const struct run_method *m, size_t n)
{
	struct subject s = {.stem = "tsc"};
	char want[1024];
	struct text t = TEXT_ON(want);
	struct numbers x;

	for (size_t i = 0; i < n; i++) {
		if (!m[i].base)
			continue;
		table_cycles_add(&t, &m[i].base->s);
		s.seq = m[i].base->seq;
	}
	for (size_t i = 0; t.len && !t.cut && i < c->r->n_texts; i++) {
		const struct run_text *said = &c->r->text[i];

		if (!shape_equal(want, t.len, said->at, said->n, &x))
			continue;
		for (size_t k = 0; k < x.n; k++)
			if (!word_equal(&x.pair[k][0], &x.pair[k][1]))
				text_contradicts(c, &s, said, "min in core cycles", &x.pair[k][0],
						 &x.pair[k][1]);
		return;
	}
}

static void method_tables(struct checking *c)
{
	const struct run_text *method = head_find(c->r, table_method_head);
	const struct run_text *lines = head_find(c->r, table_lines_head);
	const struct run_text *minima = head_find(c->r, table_minima_head);
	struct run_method m[RUN_METHODS];
	size_t n = run_methods(c->r, m);

	for (size_t i = 0; i < n; i++) {
		if (m[i].base)
			base_rows(c, &m[i], method, lines);
		/* With records missing, a dash here is not one there. */
		if (minima && !c->r->n_missing)
			minima_row_check(c, &m[i], minima);
	}
	if (!c->r->n_missing)
		cycles_line(c, m, n);
}

/* ---- the XSAVE table */

struct xrow {
	const struct run_text *text;
	struct word event, rfbm, xinuse;
};

static int word_order(const struct word *a, const struct word *b)
{
	int d = memcmp(a->at, b->at, a->n < b->n ? a->n : b->n);

	return d ? d : a->n == b->n ? 0 : a->n < b->n ? -1 : 1;
}

static int xrow_order(const void *a, const void *b)
{
	const struct xrow *x = a, *y = b;
	int d = word_order(&x->event, &y->event);

	d = d ? d : word_order(&x->rfbm, &y->rfbm);
	return d ? d : word_order(&x->xinuse, &y->xinuse);
}

static struct xrow *xrows_take(const struct run *r, size_t *n)
{
	const size_t prefix = sizeof(RUN_EVENT_PREFIX) - 1;
	struct xrow *row = NULL;
	struct words w;

	*n = 0;
	for (size_t i = 0; i < r->n_texts; i++) {
		const struct run_text *t = &r->text[i];

		if (t->n < prefix || memcmp(t->at, RUN_EVENT_PREFIX, prefix) ||
		    !words_split(t->at, t->n, &w) || w.n != 7)
			continue;
		*VECTOR_ADD(row, *n) = (struct xrow){
			t, {w.word[0].at + prefix, w.word[0].n - prefix}, w.word[1], w.word[2]};
	}
	if (*n)
		qsort(row, *n, sizeof(*row), xrow_order);
	return row;
}

/* The masks are words of the key here, not figures: only what follows them is compared. */
static void xrow_compare(struct checking *c, const struct subject *s, const struct xrow *row,
			 const struct latency *l)
{
	static const char *const key[] = {"min", "max", "avg", "avg97"};
	const u64 value[] = {l->min, l->max, l->avg, l->avg97};
	struct words w;

	if (!words_split(row->text->at, row->text->n, &w) || w.n != 7)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(key); i++)
		if (!word_is_figure(&w.word[3 + i]))
			return;
	for (size_t i = 0; i < ARRAY_SIZE(key); i++) {
		char bytes[24];
		struct text t = TEXT_ON(bytes);
		struct word printed;

		fmt(&t, "%llu", (unsigned long long)value[i]);
		printed = (struct word){bytes, t.len};
		if (word_equal(&printed, &w.word[3 + i]))
			cover(c, s, key[i], COVER_CONFIRMED);
		else
			text_contradicts(c, s, row->text, key[i], &printed, &w.word[3 + i]);
	}
}

static void xsave_table(struct checking *c)
{
	size_t n;
	struct xrow *row = xrows_take(c->r, &n);

	for (size_t i = 0; n && i < c->r->n_xcells; i++) {
		const struct xcell *x = &c->r->xcell[i].cell;
		char mask[2][24];
		struct text t[2] = {TEXT_ON(mask[0]), TEXT_ON(mask[1])};
		struct xrow key = {.event = {x->event, strlen(x->event)}};
		const struct xrow *found;
		struct subject s;

		fmt(&t[0], "0x%llx", (unsigned long long)x->rfbm);
		fmt(&t[1], "0x%llx", (unsigned long long)x->xinuse);
		key.rfbm = (struct word){mask[0], t[0].len};
		key.xinuse = (struct word){mask[1], t[1].len};
		found = bsearch(&key, row, n, sizeof(*row), xrow_order);
		subject_xcell(&s, &c->r->xcell[i]);
		if (found)
			xrow_compare(c, &s, found, &x->lat);
		else if (n == c->r->n_xcells && !c->r->n_missing)
			contradict(c, &s, "the tables have as many rows, but not this one");
	}
	free(row);
}

/* ---- sentences */

static size_t digits(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return (size_t)(p - at);
}

bool shape_equal(const char *a, size_t na, const char *b, size_t nb, struct numbers *x)
{
	const char *enda = a + na, *endb = b + nb;

	x->n = 0;
	while (a < enda && b < endb) {
		size_t da = digits(a, enda), db = digits(b, endb);

		if (!da != !db)
			return false;
		if (da) {
			if (x->n == NUMBERS_MAX)
				return false;
			x->pair[x->n][0] = (struct word){a, da};
			x->pair[x->n++][1] = (struct word){b, db};
			a += da;
			b += db;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return a == enda && b == endb;
}

/* The sentence that the log should have: key[i] names its i-th number, NULL: not a figure. */
static void sentence_check(struct checking *c, const struct subject *s, const char *const *key,
			   size_t keys, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static void sentence_check(struct checking *c, const struct subject *s, const char *const *key,
			   size_t keys, const char *format, ...)
{
	struct numbers x;
	char want[300];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(want, sizeof(want), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(want))
		return;
	for (size_t i = 0; i < c->r->n_texts; i++) {
		const struct run_text *t = &c->r->text[i];

		if (!shape_equal(want, (size_t)len, t->at, t->n, &x) || x.n != keys)
			continue;
		for (size_t k = 0; k < x.n; k++) {
			if (!key[k])
				continue;
			if (word_equal(&x.pair[k][0], &x.pair[k][1]))
				cover(c, s, key[k], COVER_CONFIRMED);
			else
				text_contradicts(c, s, t, key[k], &x.pair[k][0], &x.pair[k][1]);
		}
		return;
	}
}

/* Method ids have a digit, at times with a letter behind it: it counts as one number. */
static void stability_sentences(struct checking *c)
{
	static const char *const rounds[] = {"n", NULL, NULL, "min", "max", "spread", "threshold"};
	static const char *const sums[] = {"outliers", "stolen", "redone"};
	static const char *const period[] = {"period"};
	const struct run_stability *rs = &c->r->stability;
	struct subject s = {.seq = rs->seq, .line = rs->line};

	if (!rs->seq)
		return;
	figure_name(s.stem, "stability", rs->s.method);
	sentence_check(c, &s, rounds, ARRAY_SIZE(rounds),
		       "%llu rounds of 500 stores, method %s: min %llu, max %llu, spread %llu "
		       "ticks (threshold %llu)",
		       (unsigned long long)rs->s.n, rs->s.method, (unsigned long long)rs->s.min,
		       (unsigned long long)rs->s.max, (unsigned long long)rs->s.spread,
		       (unsigned long long)rs->s.threshold);
	sentence_check(c, &s, sums, ARRAY_SIZE(sums),
		       "%llu outliers, %llu ticks in all, %llu blocks measured again",
		       (unsigned long long)rs->s.outliers, (unsigned long long)rs->stolen,
		       (unsigned long long)rs->s.redone);
	if (rs->s.period)
		sentence_check(c, &s, period, 1, "outliers come every %llu ticks",
			       (unsigned long long)rs->s.period);
}

/* A line each, in order; when some are damaged, the others are not looked at. */
static void outlier_lines(struct checking *c)
{
	const struct stability *x = &c->r->stability.s;
	struct subject s = {.stem = "outliers"};
	const struct run_record *rec = run_find(c->r, "outliers", NULL);
	const struct run_text *line[STABILITY_OUTLIERS];
	struct numbers pairs;
	size_t n = 0;

	for (size_t i = 0; i < c->r->n_texts; i++) {
		const struct run_text *t = &c->r->text[i];

		if (!shape_equal("  at 0 ticks: 0 ticks", 21, t->at, t->n, &pairs))
			continue;
		if (n == STABILITY_OUTLIERS)
			return;
		line[n++] = t;
	}
	if (!rec || n != x->kept)
		return;
	s.seq = rec->seq;
	for (u32 i = 0; i < x->kept; i++) {
		char want[64];
		struct text t = TEXT_ON(want);

		fmt(&t, "  at %llu ticks: %llu ticks", (unsigned long long)x->first[i].at,
		    (unsigned long long)x->first[i].length);
		shape_equal(want, t.len, line[i]->at, line[i]->n, &pairs);
		for (size_t k = 0; k < pairs.n; k++)
			if (!word_equal(&pairs.pair[k][0], &pairs.pair[k][1]))
				text_contradicts(c, &s, line[i], "first", &pairs.pair[k][0],
						 &pairs.pair[k][1]);
	}
}

/* "58..66 ticks; ...": the range of all blocks, in the reason of a check. */
static void overhead_range(struct checking *c)
{
	const struct run *r = c->r;
	struct bound all = {~0ull, 0}, said;
	const char *reason = NULL, *end = NULL;
	u64 line = 0;

	for (size_t i = 0; i < r->n_checks; i++) {
		if (strcmp(r->checks[i].check.name, "xsave.overhead"))
			continue;
		reason = r->checks[i].check.reason;
		line = r->checks[i].line;
		end = strchr(reason, ' ');
	}
	if (!end || r->n_missing || !bound_parse(reason, (size_t)(end - reason), &said))
		return;
	for (size_t i = 0; i < r->n_xcells; i++) {
		u64 overhead = r->xcell[i].cell.overhead;

		all.lo = overhead < all.lo ? overhead : all.lo;
		all.hi = overhead > all.hi ? overhead : all.hi;
	}
	for (size_t i = 0; i < r->n_xcells; i++) {
		const struct run_xcell *x = &r->xcell[i];
		u64 overhead = x->cell.overhead;
		struct subject s = {.seq = x->seq, .line = x->line};

		figure_stem_block(s.stem, &x->cell);
		if ((overhead == all.lo && all.lo != said.lo) ||
		    (overhead == all.hi && all.hi != said.hi))
			contradict(
				c, &s,
				"overhead=%llu is an end of the range, which is %llu..%llu by line %llu",
				(unsigned long long)overhead, (unsigned long long)said.lo,
				(unsigned long long)said.hi, (unsigned long long)line);
		else
			cover(c, &s, "overhead", COVER_BOUNDED);
	}
}

static void ruler_sentence(struct checking *c, const struct run_record *rec)
{
	static const char *const keys[] = {NULL, "adds", "ratio", "ratio", NULL, "nops"};
	const struct run_field *where = run_field(rec, "where");
	struct subject s = {.seq = rec->seq, .line = rec->line};
	u64 ticks, nops, ratio;

	if (!where || !run_number(rec, "adds_ticks", &ticks) ||
	    !run_number(rec, "nops_ticks", &nops) || !run_number(rec, "ratio_e4", &ratio))
		return;
	figure_name(s.stem, "ruler", where->value);
	sentence_check(c, &s, keys, ARRAY_SIZE(keys),
		       "ruler (%s): 100000 dependent adds %llu ticks, %llu.%04llu core "
		       "cycles/tick; canary: 8192 NOPs %llu ticks",
		       where->value, (unsigned long long)ticks, (unsigned long long)(ratio / 10000),
		       (unsigned long long)(ratio % 10000), (unsigned long long)nops);
}

void recompute_text(struct checking *c)
{
	const struct run_record *rec = NULL;
	size_t rulers = 0;

	method_tables(c);
	xsave_table(c);
	stability_sentences(c);
	outlier_lines(c);
	overhead_range(c);
	while (rulers++ < RULERS_MAX && (rec = run_find(c->r, "ruler", rec)) != NULL)
		ruler_sentence(c, rec);
}
