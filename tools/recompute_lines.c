// SPDX-License-Identifier: MIT
/*
 * The lines of a series: with detail=lines each is a sentence for people too. One in sixteen
 * thousandths of a variance may not show in any figure, but it shows here.
 */
#include <stdlib.h>
#include <string.h>

#include "recompute_build.h"
#include "run_build.h"
#include "tables.h"

#define BEHIND_NAME " >>>> "

/* A sentence of the log, and how much of it names the line. */
struct sentence {
	const struct run_text *text;
	size_t name;
};

static int name_order(const char *a, size_t na, const char *b, size_t nb)
{
	int d = memcmp(a, b, na < nb ? na : nb);

	return d ? d : na == nb ? 0 : na < nb ? -1 : 1;
}

static int sentence_order(const void *a, const void *b)
{
	const struct sentence *x = a, *y = b;

	return name_order(x->text->at, x->name, y->text->at, y->name);
}

/* Bytes before " >>>> "; 0 if the text is no such sentence. */
static size_t name_length(const char *at, size_t n)
{
	const char *mark = memmem(at, n, BEHIND_NAME, sizeof(BEHIND_NAME) - 1);

	return mark ? (size_t)(mark - at) : 0;
}

static struct sentence *sentences_take(const struct run *r, size_t *n)
{
	struct sentence *s = NULL;

	*n = 0;
	for (size_t i = 0; i < r->n_texts; i++) {
		size_t name = name_length(r->text[i].at, r->text[i].n);

		if (name)
			*VECTOR_ADD(s, *n) = (struct sentence){&r->text[i], name};
	}
	if (*n)
		qsort(s, *n, sizeof(*s), sentence_order);
	return s;
}

static const struct run_text *sentence_find(const struct sentence *s, size_t n, const char *name,
					    size_t len)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int d = name_order(s[middle].text->at, s[middle].name, name, len);

		if (d == 0)
			return s[middle].text;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void entry_check(struct checking *c, const struct sentence *s, size_t n,
			const struct run_lines *l, const struct line_entry *e)
{
	static const char *const key[] = {"variance", "max_deviation", "min"};
	char name[200], bytes[400];
	struct text t = TEXT_ON(name), line = TEXT_ON(bytes);
	struct subject subject = {.seq = l->seq, .line = l->line};
	struct numbers x;
	const struct run_text *said;

	fmt(&t, "method %s %s %s %s", l->method, l->form, l->work, l->pre);
	text_byte(&t, '\0');
	if (t.cut)
		return;
	table_line(&line, name, e->from, e->to, &e->var, e->max - e->min, e->min);
	line.len -= line.len > 0; /* the line's end */
	said = sentence_find(s, n, bytes, name_length(bytes, line.len));
	if (!said || line.cut || !shape_equal(bytes, line.len, said->at, said->n, &x))
		return;
	figure_name(subject.stem, "lines", l->method, l->form, l->work, l->pre);
	for (size_t i = 0; i < x.n; i++) {
		size_t behind = x.n - 1 - i;

		if (!word_equal(&x.pair[i][0], &x.pair[i][1]))
			text_contradicts(c, &subject, said, key[behind < 2 ? 2 - behind : 0],
					 &x.pair[i][0], &x.pair[i][1]);
	}
}

void recompute_lines(struct checking *c)
{
	size_t n;
	struct sentence *s;

	if (c->r->n_lines == 0)
		return;
	s = sentences_take(c->r, &n);
	for (size_t i = 0; i < c->r->n_lines; i++)
		for (size_t k = 0; k < c->r->lines[i].n; k++)
			entry_check(c, s, n, &c->r->lines[i], &c->r->lines[i].at[k]);
	free(s);
}
