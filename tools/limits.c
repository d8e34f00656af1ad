// SPDX-License-Identifier: MIT
/* Limits by class and by name, built in and from a file: see limits.h. */
#include "limits.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "number.h"
#include "run_build.h"

#define PATTERN 120
#define BLANKS	" \t\r\n"

/* Of the numbers in a rule, whole: so that a judgement's products fit in 128 bits. */
#define MOST_ABS    1000000000
#define MOST_REL    100000
#define MOST_FACTOR 1000

/* What is larger is another file, given by mistake. */
#define FILE_MOST   (1u << 20)
#define ERRORS_SAID 10
#define QUOTED	    60 /* bytes of a word */

enum key { KEY_ABS, KEY_REL, KEY_MAD, KEY_ALONE, KEY_JUDGE, KEYS };

static const char *const key_names[KEYS] = {"abs", "rel", "mad", "alone", "judge"};
static const char *const class_names[] = {"@floor", "@typical", "@tail", "@spread", "@count"};

struct limit_rule {
	char pattern[PATTERN];
	u32 given; /* bit of each key */
	u64 value[KEYS];
	u64 line; /* in the file; 0: built in */
	bool used;
};

/*
 * Without the noise between runs, a single outlier may be all that moved a tail or a count. An
 * average's and a variance's own share of that is known: check.c.
 */
static const char built_in[] = "@floor abs=4 rel=5% mad=6 alone=1 judge=yes\n"
			       "@typical abs=6 rel=10% mad=6 alone=1 judge=yes\n"
			       "@tail abs=50 rel=50% mad=6 alone=no judge=yes\n"
			       "@spread abs=16 rel=100% mad=6 alone=no judge=yes\n"
			       "@count abs=2 rel=50% mad=6 alone=no judge=yes\n"
			       "*.avg abs=6 rel=10% alone=1\n"
			       "*.var alone=2\n"
			       "*.resolution abs=3 rel=50% alone=6\n"
			       "*.backwards abs=0 rel=0% alone=1\n";

/* ---- numbers */

/* Digits, and at most three behind a dot. */
static bool milli_parse(const char *text, size_t n, u64 most, u64 *milli)
{
	const char *dot = memchr(text, '.', n);
	size_t whole = dot ? (size_t)(dot - text) : n, decimals = dot ? n - whole - 1 : 0;
	u64 units, parts = 0;

	if (!number_decimal(text, whole, &units) || units > most)
		return false;
	if (dot && (decimals > 3 || !number_decimal(dot + 1, decimals, &parts)))
		return false;
	for (; decimals < 3; decimals++)
		parts *= 10;
	*milli = units * 1000 + parts;
	return true;
}

void milli_fmt(struct text *t, u64 milli)
{
	u64 parts = milli % 1000;
	int digits = 3;

	fmt(t, "%llu", (unsigned long long)(milli / 1000));
	if (!parts)
		return;
	for (; parts % 10 == 0; parts /= 10)
		digits--;
	fmt(t, ".%0*llu", digits, (unsigned long long)parts);
}

/* ---- rules */

struct reader {
	struct limits *limits;
	const struct command *command; /* NULL: the built-in text, which has no errors */
	const char *file;
	u64 line;
	u64 errors;
};

static void wrong(struct reader *r, const char *word, const char *expected)
{
	if (r->errors++ < ERRORS_SAID)
		complain(r->command, "%s:%llu: '%.*s%s': expected %s", r->file,
			 (unsigned long long)r->line, QUOTED, word,
			 strlen(word) > QUOTED ? "..." : "", expected);
}

static bool word_parse(const char *text, const char *word, u64 value, u64 *out)
{
	if (strcmp(text, word) != 0)
		return false;
	*out = value;
	return true;
}

/* NULL, or what was expected. */
static const char *value_parse(enum key key, const char *text, u64 *value)
{
	size_t n = strlen(text);

	switch (key) {
	case KEY_REL:
		if (n && text[n - 1] == '%' && milli_parse(text, n - 1, MOST_REL, value))
			return NULL;
		return "a percentage up to 100000% with at most three decimals, such as rel=5%";
	case KEY_JUDGE:
		if (word_parse(text, "yes", 1, value) || word_parse(text, "no", 0, value))
			return NULL;
		return "judge=yes or judge=no";
	case KEY_ALONE:
		if (word_parse(text, "no", LIMIT_NEVER, value) ||
		    milli_parse(text, n, MOST_FACTOR, value))
			return NULL;
		return "alone=no, or a factor up to 1000 with at most three decimals";
	case KEY_MAD:
		if (milli_parse(text, n, MOST_FACTOR, value))
			return NULL;
		return "a factor up to 1000 with at most three decimals, such as mad=6";
	default:
		if (milli_parse(text, n, MOST_ABS, value))
			return NULL;
		return "a number up to 1000000000 with at most three decimals, such as abs=4";
	}
}

static void setting_take(struct reader *r, struct limit_rule *rule, const char *word)
{
	const char *equals = strchr(word, '='), *expected;
	size_t len = equals ? (size_t)(equals - word) : 0;

	for (int key = 0; key < KEYS; key++) {
		if (!equals || !bytes_are(word, len, key_names[key]))
			continue;
		expected = value_parse((enum key)key, equals + 1, &rule->value[key]);
		if (expected)
			wrong(r, word, expected);
		else if (rule->given & 1u << key)
			wrong(r, word, "each key once in a line");
		rule->given |= 1u << key;
		return;
	}
	wrong(r, word, "abs=N, rel=N%, mad=K, alone=F or judge=yes|no");
}

static bool pattern_take(struct reader *r, struct limit_rule *rule, const char *word)
{
	if (strlen(word) >= PATTERN) {
		wrong(r, word, "a pattern of at most 119 bytes");
		return false;
	}
	strcpy(rule->pattern, word);
	if (word[0] != '@')
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(class_names); i++)
		if (!strcmp(word, class_names[i]))
			return true;
	wrong(r, word, "@floor, @typical, @tail, @spread or @count");
	return false;
}

/* Cuts the line up in place. */
static void line_take(struct reader *r, char *line)
{
	struct limit_rule rule = {.line = r->command ? r->line : 0};
	u64 errors = r->errors;
	char *save = NULL, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, BLANKS, &save);
	if (!word || !pattern_take(r, &rule, word))
		return;
	while ((word = strtok_r(NULL, BLANKS, &save)) != NULL)
		setting_take(r, &rule, word);
	if (!rule.given && r->errors == errors)
		wrong(r, rule.pattern, "KEY=VALUE after the pattern");
	if (!r->errors)
		*VECTOR_ADD(r->limits->rule, r->limits->n) = rule;
}

void limits_init(struct limits *l)
{
	struct reader r = {.limits = l};
	char text[sizeof(built_in)], *save = NULL;

	*l = (struct limits){0};
	memcpy(text, built_in, sizeof(text));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		line_take(&r, line);
}

void limits_free(struct limits *l)
{
	free(l->rule);
	*l = (struct limits){0};
}

/* Gives the first bytes of a file, at most cap. False, which was said, if it cannot be read. */
static bool file_read(const struct command *c, const char *path, char *to, size_t cap, size_t *n)
{
	FILE *from = fopen(path, "r");
	int error = errno;

	if (from) {
		*n = fread(to, 1, cap, from);
		error = ferror(from) ? errno : 0;
		fclose(from);
	}
	if (from && !error)
		return true;
	complain(c, "%s: %s", path, strerror(error));
	return false;
}

static void lines_take(struct reader *r, char *text, size_t n)
{
	char *end = text + n;

	for (char *line = text, *next; line < end; line = next) {
		char *nl = memchr(line, '\n', (size_t)(end - line));

		next = (nl ? nl : end) + 1;
		next[-1] = '\0';
		r->line++;
		if (line + strlen(line) + 1 == next)
			line_take(r, line);
		else
			wrong(r, line, "text without NUL bytes");
	}
}

bool limits_read(struct limits *l, const struct command *c, const char *path)
{
	static char text[FILE_MOST + 2];
	struct reader r = {.limits = l, .command = c, .file = path};
	size_t n;

	l->file = path;
	if (!file_read(c, path, text, FILE_MOST + 1, &n))
		return false;
	if (n > FILE_MOST) {
		complain(c, "%s: more than a mebibyte: expected a limits file", path);
		return false;
	}
	lines_take(&r, text, n);
	if (r.errors > ERRORS_SAID)
		complain(c, "%s: and %llu more error%s", path,
			 (unsigned long long)(r.errors - ERRORS_SAID),
			 plural(r.errors - ERRORS_SAID));
	return !r.errors;
}

/* ---- use */

static bool rule_fits(const struct limit_rule *rule, const char *name, enum figure_class class)
{
	if (rule->pattern[0] == '@')
		return !strcmp(rule->pattern, class_names[class]);
	return fnmatch(rule->pattern, name, 0) == 0;
}

void limits_for(const struct limits *l, const char *name, enum figure_class class,
		struct limit *out)
{
	u64 value[KEYS] = {0};

	for (size_t i = 0; i < l->n; i++) {
		struct limit_rule *rule = &l->rule[i];

		if (!rule_fits(rule, name, class))
			continue;
		rule->used = true;
		for (int key = 0; key < KEYS; key++)
			if (rule->given & 1u << key)
				value[key] = rule->value[key];
	}
	*out = (struct limit){value[KEY_ABS], value[KEY_REL], value[KEY_MAD], value[KEY_ALONE],
			      value[KEY_JUDGE] != 0};
}

void limits_say_unused(const struct limits *l, const struct command *c)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rule[i].line && !l->rule[i].used)
			complain(c, "%s:%llu: '%s' fits no figure of these logs", l->file,
				 (unsigned long long)l->rule[i].line, l->rule[i].pattern);
}

static void setting_fmt(struct text *t, enum key key, u64 value)
{
	fmt(t, " %s=", key_names[key]);
	if (key == KEY_JUDGE)
		text_str(t, value ? "yes" : "no");
	else if (key == KEY_ALONE && value == LIMIT_NEVER)
		text_str(t, "no");
	else
		milli_fmt(t, value);
	if (key == KEY_REL)
		text_byte(t, '%');
}

void limits_print(const struct limits *l, FILE *to, const char *indent)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct limit_rule *rule = &l->rule[i];
		char bytes[200];
		struct text t = TEXT_ON(bytes);

		for (int key = 0; key < KEYS; key++)
			if (rule->given & 1u << key)
				setting_fmt(&t, (enum key)key, rule->value[key]);
		fprintf(to, "%s%-12s%.*s\n", indent, rule->pattern, (int)t.len, bytes);
	}
}
