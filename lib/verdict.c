// SPDX-License-Identifier: MIT
/*
 * Collects the checks of a run, prints them as KTAP, and judges by one table what they are worth.
 */
#include "verdict.h"

#include "mem.h"
#include "number.h"

#define GAP_SECONDS 30

static void keep(char *to, size_t cap, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/* NUL-terminated; a text that was cut ends in "...". */
static void keep(char *to, size_t cap, const char *format, va_list args)
{
	struct text t = {.at = to, .cap = cap - 1};

	fmt_v(&t, format, args);
	if (t.cut > 0)
		memcpy(to + t.len - 3, "...", 3);
	to[t.len] = '\0';
}

static bool name_is(const struct check *c, const char *name)
{
	size_t n = strlen(name);

	if (n > CHECK_NAME - 1)
		n = CHECK_NAME - 1;
	return strlen(c->name) == n && memcmp(c->name, name, n) == 0;
}

static struct check *check_get(struct verdict *v, const char *name)
{
	struct text t;

	for (size_t i = 0; i < v->n; i++)
		if (name_is(&v->check[i], name))
			return &v->check[i];
	if (v->n == VERDICT_MAX)
		return NULL;
	t = (struct text){.at = v->check[v->n].name, .cap = CHECK_NAME - 1};
	text_str(&t, name);
	t.at[t.len] = '\0';
	v->check[v->n].status = STATUS_OK;
	v->check[v->n].reason[0] = '\0';
	return &v->check[v->n++];
}

void verdict_add(struct verdict *v, const char *name, enum status s, const char *format, ...)
{
	size_t before = v->n;
	struct check *c = check_get(v, name);
	va_list args;

	if (!c) {
		v->lost++;
		return;
	}
	if (v->n == before && s <= c->status)
		return;
	c->status = s;
	va_start(args, format);
	keep(c->reason, sizeof(c->reason), format, args);
	va_end(args);
}

const struct check *verdict_find(const struct verdict *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++)
		if (name_is(&v->check[i], name))
			return &v->check[i];
	return NULL;
}

static bool check_passes(const struct check *c, bool strict)
{
	if (c->status == STATUS_UNSTABLE)
		return !strict;
	return c->status == STATUS_OK || c->status == STATUS_SKIP;
}

bool verdict_pass(const struct verdict *v, bool strict)
{
	for (size_t i = 0; i < v->n; i++)
		if (!check_passes(&v->check[i], strict))
			return false;
	return v->lost == 0;
}

size_t verdict_lines(const struct verdict *v)
{
	return v->n + (v->lost > 0);
}

/* One line whatever the text holds; with `hash`, no '#' or '\' that KTAP would read as its own. */
static void text_escaped(struct text *t, const char *s, bool hash)
{
	for (; *s; s++) {
		if (*s < ' ' || *s > '~') {
			fmt(t, "\\x%02X", (unsigned int)(u8)*s);
			continue;
		}
		if (hash && (*s == '#' || *s == '\\'))
			text_byte(t, '\\');
		text_byte(t, *s);
	}
}

static const char *const status_words[] = {
	[STATUS_OK] = "ok",	    [STATUS_SKIP] = "SKIP",   [STATUS_UNSTABLE] = "unstable",
	[STATUS_FAILED] = "failed", [STATUS_ERROR] = "error",
};

static void ktap_line(struct text *t, size_t number, const struct check *c, bool strict)
{
	fmt(t, "%s %zu ", check_passes(c, strict) ? "ok" : "not ok", number);
	text_escaped(t, c->name, true);
	if (c->status != STATUS_OK)
		fmt(t, " # %s", status_words[c->status]);
	if (!c->reason[0])
		return;
	if (c->status == STATUS_OK)
		text_str(t, " # ");
	else
		text_str(t, c->status == STATUS_SKIP ? " " : ": ");
	text_escaped(t, c->reason, true);
}

void verdict_ktap(const struct verdict *v, size_t i, bool strict, struct text *t)
{
	if (i < v->n)
		ktap_line(t, i + 1, &v->check[i], strict);
	else if (i == v->n && v->lost > 0)
		fmt(t, "not ok %zu verdict.room # error: %zu checks beyond the first %u", i + 1,
		    v->lost, VERDICT_MAX);
}

/* ---- a result line, read back */

/* Takes `word` off the front of the line. */
static bool take_word(const char **at, size_t *n, const char *word)
{
	size_t len = strlen(word);

	if (*n < len || memcmp(*at, word, len) != 0)
		return false;
	*at += len;
	*n -= len;
	return true;
}

static bool take_number(const char **at, size_t *n, u64 *number)
{
	size_t digits = 0;

	while (digits < *n && (*at)[digits] >= '0' && (*at)[digits] <= '9')
		digits++;
	if (!number_decimal(*at, digits, number))
		return false;
	*at += digits;
	*n -= digits;
	return true;
}

/* One byte as text_escaped() wrote it; returns how many it takes. */
static size_t byte_unescape(const char *at, size_t n, char *byte)
{
	*byte = *at;
	if (*at != '\\' || n < 2)
		return 1;
	if (at[1] == 'x' && n >= 4 && number_hex_digit(at[2]) >= 0 &&
	    number_hex_digit(at[3]) >= 0) {
		*byte = (char)(number_hex_digit(at[2]) << 4 | number_hex_digit(at[3]));
		return 4;
	}
	*byte = at[1];
	return 2;
}

/* Up to `stop` where no '\' stands before it, or to the end; NUL-terminated, cut to fit. */
static void take_text(const char **at, size_t *n, const char *stop, char *to, size_t cap)
{
	struct text t = {.at = to, .cap = cap - 1};

	while (*n && !(stop && take_word(at, n, stop))) {
		char byte;
		size_t taken = byte_unescape(*at, *n, &byte);

		text_byte(&t, byte);
		*at += taken;
		*n -= taken;
	}
	to[t.len] = '\0';
}

/* A word that only begins like a status is the reason's own. */
static enum status take_status(const char **at, size_t *n)
{
	for (enum status s = STATUS_SKIP; s <= STATUS_ERROR; s++) {
		const char *p = *at;
		size_t left = *n;

		if (!take_word(&p, &left, status_words[s]) ||
		    (left && !take_word(&p, &left, s == STATUS_SKIP ? " " : ": ")))
			continue;
		*at = p;
		*n = left;
		return s;
	}
	return STATUS_OK;
}

bool verdict_ktap_parse(const char *line, size_t n, bool *ok, u64 *number, struct check *c)
{
	*ok = !take_word(&line, &n, "not ");
	if (!take_word(&line, &n, "ok ") || !take_number(&line, &n, number) ||
	    !take_word(&line, &n, " ") || n == 0)
		return false;
	take_text(&line, &n, " # ", c->name, sizeof(c->name));
	c->status = take_status(&line, &n);
	if (!*ok && c->status == STATUS_OK)
		return false;
	take_text(&line, &n, NULL, c->reason, sizeof(c->reason));
	return true;
}

const char *trust_name(enum trust t)
{
	static const char *const names[] = {
		[TRUST_GOOD] = "GOOD",
		[TRUST_UNKNOWN] = "UNKNOWN",
		[TRUST_DEGRADED] = "DEGRADED",
		[TRUST_BAD] = "BAD",
	};

	return names[t];
}

/* What a rule is asked about: the run, and where its scope says so one check or one name. */
struct subject {
	const struct verdict *v;
	const struct trust_facts *f;
	const struct check *check; /* NULL: there is none of that name */
	const char *name;
};

enum scope { THE_RUN, EACH_CHECK, EACH_NECESSARY };

struct rule {
	enum trust level;
	enum scope scope;
	bool (*holds)(const struct subject *s);
	const char *words; /* {x} stands for what word_print says */
};

/* Without these nothing is known of the TSC. */
static const char *const necessary[] = {
	"tsc.invariant",
	"tsc.backwards",
	"tsc.frequency",
	"stability.tsc",
};

static bool is_bad(const struct subject *s)
{
	return s->check->status == STATUS_FAILED || s->check->status == STATUS_ERROR;
}

static bool is_lost(const struct subject *s)
{
	return s->v->lost > 0;
}

/* An emulator's figures are its host's: they say nothing about a machine. */
static bool is_unstable(const struct subject *s)
{
	return s->check->status == STATUS_UNSTABLE && !s->f->emulated;
}

static bool is_emulated(const struct subject *s)
{
	return s->f->emulated;
}

static bool is_absent(const struct subject *s)
{
	return !s->check;
}

static bool is_skipped(const struct subject *s)
{
	return s->check && s->check->status == STATUS_SKIP;
}

static bool has_interrupts(const struct subject *s)
{
	return s->f->interrupts_on;
}

static bool has_uncounted_cpus(const struct subject *s)
{
	return s->f->cpus == 0;
}

static bool has_unmeasured_cpus(const struct subject *s)
{
	return s->f->cpus > s->f->cpus_measured;
}

static bool has_untimed_gaps(const struct subject *s)
{
	return s->f->untimed;
}

static bool has_short_gaps(const struct subject *s)
{
	return !s->f->untimed && s->f->gap_seconds < GAP_SECONDS;
}

/* Worst first, and in this order the reasons are printed. The README holds the same table. */
static const struct rule rules[] = {
	{TRUST_BAD, EACH_CHECK, is_bad, "{check}: {reason}"},
	{TRUST_BAD, THE_RUN, is_lost, "{lost} checks not kept"},
	{TRUST_DEGRADED, EACH_CHECK, is_unstable, "{check}: {reason}"},
	{TRUST_UNKNOWN, THE_RUN, is_emulated, "emulated"},
	{TRUST_UNKNOWN, EACH_NECESSARY, is_absent, "{check} not checked"},
	{TRUST_UNKNOWN, EACH_NECESSARY, is_skipped, "{check} skipped: {reason}"},
	{TRUST_UNKNOWN, THE_RUN, has_interrupts, "interrupts were on"},
	{TRUST_UNKNOWN, THE_RUN, has_uncounted_cpus, "number of CPUs not known"},
	{TRUST_UNKNOWN, THE_RUN, has_unmeasured_cpus, "{measured} of {cpus} CPUs measured"},
	{TRUST_UNKNOWN, THE_RUN, has_untimed_gaps, "gaps watched for a time not known"},
	{TRUST_UNKNOWN, THE_RUN, has_short_gaps, "gaps watched {seconds} s of {wanted} s"},
};

static const char *reason_of(const struct check *c)
{
	if (c->reason[0])
		return c->reason;
	return c->status == STATUS_SKIP ? "no reason given" : status_words[c->status];
}

static void word_print(const char *word, size_t n, const struct subject *s, struct text *t)
{
	if (bytes_are(word, n, "check"))
		text_escaped(t, s->name, false);
	else if (bytes_are(word, n, "reason"))
		text_escaped(t, reason_of(s->check), false);
	else if (bytes_are(word, n, "lost"))
		fmt(t, "%zu", s->v->lost);
	else if (bytes_are(word, n, "measured"))
		fmt(t, "%u", s->f->cpus_measured);
	else if (bytes_are(word, n, "cpus"))
		fmt(t, "%u", s->f->cpus);
	else if (bytes_are(word, n, "seconds"))
		fmt(t, "%llu", (unsigned long long)s->f->gap_seconds);
	else if (bytes_are(word, n, "wanted"))
		fmt(t, "%u", GAP_SECONDS);
}

static void words_print(const char *words, const struct subject *s, struct text *t)
{
	for (; *words; words++) {
		size_t n = 0;

		if (*words != '{') {
			text_byte(t, *words);
			continue;
		}
		words++;
		while (words[n] && words[n] != '}')
			n++;
		word_print(words, n, s, t);
		words += n;
	}
}

static size_t scope_size(enum scope scope, const struct verdict *v)
{
	if (scope == EACH_CHECK)
		return v->n;
	return scope == EACH_NECESSARY ? ARRAY_SIZE(necessary) : 1;
}

static void subject_pick(struct subject *s, enum scope scope, size_t i)
{
	if (scope == EACH_CHECK) {
		s->check = &s->v->check[i];
		s->name = s->check->name;
	} else if (scope == EACH_NECESSARY) {
		s->name = necessary[i];
		s->check = verdict_find(s->v, s->name);
	}
}

enum trust verdict_trust(const struct verdict *v, const struct trust_facts *f, struct text *reasons)
{
	struct subject s = {.v = v, .f = f};
	enum trust worst = TRUST_GOOD;
	const char *between = "";

	for (const struct rule *r = rules; r < rules + ARRAY_SIZE(rules); r++) {
		for (size_t i = 0; i < scope_size(r->scope, v); i++) {
			subject_pick(&s, r->scope, i);
			if (!r->holds(&s))
				continue;
			if (r->level > worst)
				worst = r->level;
			text_str(reasons, between);
			between = "; ";
			words_print(r->words, &s, reasons);
		}
	}
	return worst;
}
