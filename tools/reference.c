// SPDX-License-Identifier: MIT
/* The reference consumer's view of a trace line: see reference.h. */
#include "reference.h"

#include <fnmatch.h>
#include <string.h>

#include "u128.h"

#define FLAGS_WIDTH 5

/* A word of the reference's: anything but a space and, by a slip of its quoting, a backslash. */
static bool in_word(char c)
{
	return c != ' ' && c != '\\';
}

/* `TIME: word:` at p. */
static bool time_and_name(const char *p, const char *end, struct trace_front *f)
{
	f->time = p = trace_skip_blank(p, end);
	while (p < end && (trace_is_digit(*p) || *p == '.'))
		p++;
	f->time_end = p;
	if (p == end || *p != ':')
		return false;
	f->name = p = trace_skip_blank(p + 1, end);
	for (p = trace_skip_prefix(p, end); p < end && in_word(*p) && *p != ':';)
		p++;
	f->name_end = p;
	return p < end && *p == ':';
}

/* What follows `[CPU]`. Flags are tried first, and as far to the right as they go. */
static bool after_cpu(const char *p, const char *end, struct trace_front *f)
{
	const char *word = trace_skip_blank(p, end);
	const char *first = word - p > FLAGS_WIDTH ? word - FLAGS_WIDTH : p;

	for (const char *flags = word; flags >= first; flags--)
		if (end - flags > FLAGS_WIDTH && flags[FLAGS_WIDTH] == ' ' &&
		    time_and_name(flags + FLAGS_WIDTH + 1, end, f))
			return true;
	return time_and_name(p, end, f);
}

/* A front whose `[CPU]` starts at `bracket`. */
static bool front_at(const char *bracket, const char *end, struct trace_front *f)
{
	const char *p = bracket + 1;

	while (p < end && trace_is_digit(*p))
		p++;
	return p > bracket + 1 && p < end && *p == ']' && after_cpu(p + 1, end, f);
}

/*
 * Among fronts that start at the same byte the one with the longest task counts, so a `[CPU]` that
 * can be read as part of the task is one. Nothing of it can be where a word ends before it.
 */
static void prefer_longer_task(const char *bracket, const char *end, struct trace_front *f)
{
	const char *checked = f->task_end, *p = bracket;
	struct trace_front g = {.line = f->line};

	while (in_word(*checked) && (p = memchr(p + 1, '[', (size_t)(end - p - 1)))) {
		g.task_end = trace_back_blank(f->line, p);
		for (; checked < g.task_end; checked++)
			if (!in_word(*checked))
				return;
		if (front_at(p, end, &g))
			*f = g;
	}
}

bool reference_front(const char *line, const char *fields, struct trace_front *f)
{
	const char *p = line;

	while ((p = memchr(p, '[', (size_t)(fields - p)))) {
		if (front_at(p, fields, f)) {
			f->line = line;
			f->task_end = trace_back_blank(line, p);
			prefer_longer_task(p, fields, f);
			return true;
		}
		p++;
	}
	return false;
}

/* One word for the shell: neither none nor several. */
static bool one_word(const char *p, const char *end)
{
	while (p < end && *p == '\t')
		p++;
	while (p < end && end[-1] == '\t')
		end--;
	return p < end && !memchr(p, '\t', (size_t)(end - p));
}

/* Inside "" of SQL only pairs of quotes do no harm. */
static bool quotes_paired(const char *p, const char *end)
{
	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		if (end - p < 2 || p[1] != '"')
			return false;
		p += 2;
	}
	return true;
}

static bool meets_several_files(const char *p, const char *end, const char *log_name)
{
	char pattern[TRACE_NAME_MAX + 1];
	size_t n = (size_t)(end - p), glob = 0;

	for (size_t i = 0; i < n; i++)
		glob += p[i] == '*' || p[i] == '?' || p[i] == '[';
	/* No file's name is that long. */
	if (!glob || n > TRACE_NAME_MAX)
		return false;
	memcpy(pattern, p, n);
	pattern[n] = '\0';
	return !fnmatch(pattern, "db_trace.db", FNM_PERIOD) &&
	       !fnmatch(pattern, log_name, FNM_PERIOD);
}

/* SQLite's numbers: one dot at most, and a digit. */
static bool time_is_number(const char *p, const char *end)
{
	const char *dot = memchr(p, '.', (size_t)(end - p));

	if (!dot)
		return p < end;
	return end - p > 1 && !memchr(dot + 1, '.', (size_t)(end - dot - 1));
}

/* The high bit of each byte of x that is c; bits above the lowest that is set may be wrong. */
static u64 bytes_that_are(u64 x, u8 c)
{
	const u64 ones = 0x0101010101010101ull;

	x ^= ones * c;
	return (x - ones) & ~x & ones << 7;
}

/* Whether the shell, SQL or the reference's pattern may see anything in the bytes but themselves.
 */
static bool plain(const char *p, const char *end)
{
	u64 special = 0;

	while (p < end) {
		size_t n = end - p < 8 ? (size_t)(end - p) : 8;
		u64 x = 0;

		memcpy(&x, p, n);
		special |= bytes_that_are(x, '\t') | bytes_that_are(x, '"') |
			   bytes_that_are(x, '*') | bytes_that_are(x, '?') |
			   bytes_that_are(x, '[') | bytes_that_are(x, '\\');
		p += n;
	}
	return !special;
}

static const char *back_task(const char *line, const char *p)
{
	while (p > line && in_word(p[-1]))
		p--;
	return p;
}

static bool word_survives(const char *p, const char *end, const char *log_name)
{
	return one_word(p, end) && quotes_paired(p, end) && !meets_several_files(p, end, log_name);
}

bool reference_keeps(const struct trace_front *f, const char *log_name)
{
	const char *task = f->task_end;

	if (!time_is_number(f->time, f->time_end))
		return false;
	/* Nearly all lines: nothing special up to the task's end, and a task. */
	if (!plain(f->line, task) || task == f->line || !in_word(task[-1])) {
		task = back_task(f->line, task);
		if (!word_survives(task, f->task_end, log_name))
			return false;
	}
	if (f->name < f->name_end && plain(trace_skip_prefix(f->name, f->name_end), f->name_end))
		return true;
	return word_survives(f->name, f->name_end, log_name) &&
	       !memchr(f->name, '"', (size_t)(f->name_end - f->name));
}

u64 reference_average(u128 sum, u64 n)
{
	u128 digits;
	u64 scale = 100000000000000, whole = (u64)u128_div(sum, n, NULL), rest;

	/* One digit is left of the dot at least, and with 15 of them none right of it. */
	for (u64 w = whole / 10; w && scale; w /= 10)
		scale /= 10;
	if (!scale)
		return (u64)u128_div_round(sum, n);
	digits = u128_div(sum * scale, n, &rest);
	digits += rest > n / 2;
	return (u64)u128_div(digits + scale / 2, scale, NULL);
}
