// SPDX-License-Identifier: MIT
/* From gnuplot's SVG to the page's: see svg.h. */
#include "svg.h"

#include <string.h>

#include "html.h"
#include "mem.h"
#include "number.h"

#define ATTRIBUTES 16
#define INKS	   64

/* Characters of numbers and of paths made of them. */
#define NUMBERS "0123456789.,+- \n\t"
#define PATH	NUMBERS "MLHVZhlvz"
#define MOVES	NUMBERS "()translerotc"

struct span {
	const char *at;
	size_t n;
};

struct attribute {
	struct span name, value;
};

struct tag {
	struct span name; /* of </x> with the slash */
	size_t n;
	struct attribute attribute[ATTRIBUTES];
};

struct svg {
	FILE *to;
	const char *at, *end;
	const struct svg_word *words;
	size_t n_words;
	/* Of the innermost group that says so. */
	struct span width, move, anchor, fill;
	bool good;
};

static bool span_is(struct span s, const char *word)
{
	return bytes_are(s.at, s.n, word);
}

static bool span_made_of(struct span s, const char *characters)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.at[i] || !strchr(characters, s.at[i]))
			return false;
	return s.n > 0;
}

static struct span value_of(const struct tag *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (span_is(t->attribute[i].name, name))
			return t->attribute[i].value;
	return (struct span){0};
}

/* ---- tags */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_blanks(struct svg *s)
{
	while (s->at < s->end && is_blank(*s->at))
		s->at++;
}

/* Up to, not including, one of `stops`. */
static struct span until(struct svg *s, const char *stops)
{
	struct span out = {.at = s->at};

	while (s->at < s->end && *s->at && !strchr(stops, *s->at))
		s->at++;
	out.n = (size_t)(s->at - out.at);
	return out;
}

static bool attribute_read(struct svg *s, struct tag *t)
{
	struct attribute a = {.name = until(s, "= \n\t\r>")};
	char quote[2] = "";

	skip_blanks(s);
	if (s->at == s->end || *s->at++ != '=' || t->n == ATTRIBUTES || !a.name.n)
		return false;
	skip_blanks(s);
	if (s->at == s->end || (*s->at != '"' && *s->at != '\''))
		return false;
	quote[0] = *s->at++;
	a.value = until(s, quote);
	if (s->at == s->end || *s->at++ != quote[0])
		return false;
	t->attribute[t->n++] = a;
	return true;
}

/* The next tag, its end taken; s->at stands behind it. False at the end or if it makes no sense. */
static bool tag_read(struct svg *s, struct tag *t)
{
	until(s, "<");
	if (s->at == s->end || *s->at != '<')
		return false;
	s->at++;
	t->n = 0;
	t->name = until(s, " \n\t\r>");
	for (;;) {
		skip_blanks(s);
		if (s->at == s->end)
			return false;
		if (*s->at == '>') {
			s->at++;
			return true;
		}
		if ((*s->at == '/' || *s->at == '?') && s->at + 1 < s->end && s->at[1] == '>') {
			s->at += 2;
			return true;
		}
		if (!attribute_read(s, t))
			return false;
	}
}

static void skip_element(struct svg *s, struct span name)
{
	struct tag t;

	while (tag_read(s, &t))
		if (t.name.n == name.n + 1 && t.name.at[0] == '/' &&
		    !memcmp(t.name.at + 1, name.at, name.n))
			return;
	s->good = false;
}

/* ---- what is written */

/* rgb(0, 0, N) is N; all else is 0, the colour of the axes. */
static unsigned int ink_of(struct span colour)
{
	struct span rest = {.at = colour.at + 4};
	u64 part[3] = {0};

	if (colour.n < 5 || memcmp(colour.at, "rgb(", 4) != 0)
		return 0;
	rest.n = colour.n - 5;
	for (int i = 0; i < 3; i++) {
		size_t n = 0;

		while (rest.n && *rest.at == ' ')
			rest.at++, rest.n--;
		while (n < rest.n && rest.at[n] != ',')
			n++;
		if (!number_decimal(rest.at, n, &part[i]))
			return 0;
		rest.at += n < rest.n ? n + 1 : n;
		rest.n -= n < rest.n ? n + 1 : n;
	}
	return part[0] == 0 && part[1] == 0 && part[2] < INKS ? (unsigned int)part[2] : 0;
}

/* An attribute, if it is made of what it may be made of. Runs of blanks become one. */
static void put(struct svg *s, const char *name, struct span value, const char *characters)
{
	bool blank = true;

	if (!span_made_of(value, characters)) {
		s->good = false;
		return;
	}
	fprintf(s->to, " %s=\"", name);
	for (size_t i = 0; i < value.n; i++) {
		bool last = blank;

		blank = is_blank(value.at[i]);
		if (!blank)
			fputc(value.at[i], s->to);
		else if (!last && i + 1 < value.n)
			fputc(' ', s->to);
	}
	fputc('"', s->to);
}

static void path_put(struct svg *s, const struct tag *t)
{
	struct span dashes = value_of(t, "stroke-dasharray");

	fprintf(s->to, "<path class=s%u", ink_of(value_of(t, "stroke")));
	if (s->width.n && !span_is(s->width, "1.00"))
		put(s, "stroke-width", s->width, NUMBERS);
	if (dashes.n)
		put(s, "stroke-dasharray", dashes, NUMBERS);
	put(s, "d", value_of(t, "d"), PATH);
	fputs("/>\n", s->to);
}

static void polygon_put(struct svg *s, const struct tag *t)
{
	struct span opacity = value_of(t, "fill-opacity");

	fprintf(s->to, "<polygon class=f%u", ink_of(value_of(t, "fill")));
	if (opacity.n)
		put(s, "fill-opacity", opacity, NUMBERS);
	put(s, "points", value_of(t, "points"), NUMBERS);
	fputs("/>\n", s->to);
}

/* Takes the numbers between `before` and the next ')'. */
static struct span bracket(struct span s, const char *before)
{
	size_t len = strlen(before);

	for (size_t i = 0; i + len <= s.n; i++) {
		if (memcmp(s.at + i, before, len) != 0)
			continue;
		s.at += i + len;
		s.n -= i + len;
		for (i = 0; i < s.n && s.at[i] != ')'; i++)
			;
		s.n = i;
		return s;
	}
	return (struct span){0};
}

/* A point. Whatever symbol was asked for, it is a filled circle: those alone are used here. */
static void point_put(struct svg *s, const struct tag *t)
{
	struct span move = value_of(t, "transform"), x = bracket(move, "translate("), y = x;
	size_t comma = 0;

	while (comma < x.n && x.at[comma] != ',')
		comma++;
	y.at += comma < x.n ? comma + 1 : comma;
	y.n -= comma < x.n ? comma + 1 : comma;
	x.n = comma;
	fprintf(s->to, "<circle class=f%u", ink_of(value_of(t, "color")));
	put(s, "cx", x, NUMBERS);
	put(s, "cy", y, NUMBERS);
	put(s, "r", bracket(move, "scale("), NUMBERS);
	fputs("/>\n", s->to);
}

static void words_put(struct svg *s, struct span text)
{
	while (text.n && text.at[0] == ' ')
		text.at++, text.n--;
	for (size_t i = 0; i < s->n_words; i++) {
		if (span_is(text, s->words[i].word)) {
			html_puts(s->to, s->words[i].text);
			return;
		}
	}
	html_bytes(s->to, text.at, text.n);
}

static void text_put(struct svg *s)
{
	struct span text = until(s, "<");

	fprintf(s->to, "<text class=f%u", ink_of(s->fill));
	put(s, "transform", s->move, MOVES);
	if (span_is(s->anchor, "middle") || span_is(s->anchor, "end"))
		fprintf(s->to, " text-anchor=%.*s", (int)s->anchor.n, s->anchor.at);
	fputc('>', s->to);
	words_put(s, text);
	fputs("</text>\n", s->to);
}

static void group_take(struct svg *s, const struct tag *t)
{
	struct span width = value_of(t, "stroke-width");

	if (width.n)
		s->width = width;
	s->move = value_of(t, "transform");
	s->anchor = value_of(t, "text-anchor");
	s->fill = value_of(t, "fill");
}

/* False once the plot has ended. */
static bool element_take(struct svg *s, const struct tag *t)
{
	static const char *const skipped[] = {"title", "desc", "defs"};

	for (size_t i = 0; i < ARRAY_SIZE(skipped); i++)
		if (span_is(t->name, skipped[i]))
			skip_element(s, t->name);
	if (span_is(t->name, "g"))
		group_take(s, t);
	else if (span_is(t->name, "path"))
		path_put(s, t);
	else if (span_is(t->name, "polygon"))
		polygon_put(s, t);
	else if (span_is(t->name, "use"))
		point_put(s, t);
	else if (span_is(t->name, "text"))
		text_put(s);
	return s->good && !span_is(t->name, "/svg");
}

static bool head_take(struct svg *s, const char *title)
{
	struct tag t;

	do {
		if (!tag_read(s, &t))
			return false;
	} while (!span_is(t.name, "svg"));
	fputs("<svg class=plot role=img aria-label=\"", s->to);
	html_puts(s->to, title);
	fputs("\"", s->to);
	put(s, "viewBox", value_of(&t, "viewBox"), NUMBERS);
	fputs(">\n", s->to);
	return s->good;
}

bool svg_take(FILE *to, const char *svg, size_t n, const char *title, const struct svg_word *words,
	      size_t n_words)
{
	struct svg s = {
		.to = to,
		.at = svg,
		.end = svg + n,
		.words = words,
		.n_words = n_words,
		.good = true,
	};
	struct tag t;

	if (!head_take(&s, title))
		return false;
	do {
		if (!tag_read(&s, &t))
			return false;
	} while (element_take(&s, &t));
	fputs("</svg>\n", to);
	return s.good;
}
