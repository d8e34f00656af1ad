// SPDX-License-Identifier: MIT
/* The reference consumer's view of a trace line: see reference.h. */
#include "reference.h"

#include <fnmatch.h>
#include <string.h>

#define FLAGS_WIDTH 5

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A word of the reference's: anything but a space and, by a slip of its quoting, a backslash. */
static bool in_word(char c)
{
	return c != ' ' && c != '\\';
}

static const char *skip_blank(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* `TIME: word:` at p. */
static bool time_and_name(const char *p, const char *end, struct trace_front *f)
{
	f->time = p = skip_blank(p, end);
	while (p < end && (is_digit(*p) || *p == '.'))
		p++;
	f->time_end = p;
	if (p == end || *p != ':')
		return false;
	f->name = p = skip_blank(p + 1, end);
	for (p = trace_skip_prefix(p, end); p < end && in_word(*p) && *p != ':';)
		p++;
	f->name_end = p;
	return p < end && *p == ':';
}

/* What follows `[CPU]`. Flags are tried first, and as far to the right as they go. */
static bool after_cpu(const char *p, const char *end, struct trace_front *f)
{
	const char *word = skip_blank(p, end);
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

	while (p < end && is_digit(*p))
		p++;
	return p > bracket + 1 && p < end && *p == ']' && after_cpu(p + 1, end, f);
}

static const char *back_blank(const char *line, const char *p)
{
	while (p > line && is_blank(p[-1]))
		p--;
	return p;
}

/*
 * Among fronts that start at the same byte the one with the longest task counts, so a `[CPU]` that
 * can be read as part of the task is one.
 */
static void prefer_longer_task(const char *line, const char *end, struct trace_front *f)
{
	const char *checked = f->task_end, *p = checked;
	struct trace_front g;

	while ((p = memchr(p + 1, '[', (size_t)(end - p - 1)))) {
		const char *task_end = back_blank(line, p);

		for (; checked < task_end; checked++)
			if (!in_word(*checked))
				return;
		if (front_at(p, end, &g)) {
			g.task = f->task;
			g.task_end = task_end;
			*f = g;
		}
	}
}

static const char *back_task(const char *line, const char *p)
{
	while (p > line && in_word(p[-1]))
		p--;
	return p;
}

bool reference_front(const char *line, const char *fields, struct trace_front *f)
{
	const char *p = line;

	while ((p = memchr(p, '[', (size_t)(fields - p)))) {
		if (front_at(p, fields, f)) {
			f->task_end = back_blank(line, p);
			f->task = back_task(line, f->task_end);
			prefer_longer_task(line, fields, f);
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

/* A word that neither the shell nor SQL sees anything in. */
static bool plain(const char *p, const char *end)
{
	const u64 special = 1ull << '\t' | 1ull << '"' | 1ull << '*' | 1ull << '?';
	bool found = p == end;

	for (p = trace_skip_prefix(p, end); p < end; p++)
		found |= *p == '[' || ((u8)*p < 64 && special >> *p & 1);
	return !found;
}

bool reference_keeps(const struct trace_front *f, const char *log_name)
{
	if (!time_is_number(f->time, f->time_end))
		return false;
	if (plain(f->task, f->task_end) && plain(f->name, f->name_end))
		return true;
	return one_word(f->task, f->task_end) && quotes_paired(f->task, f->task_end) &&
	       !meets_several_files(f->task, f->task_end, log_name) &&
	       one_word(f->name, f->name_end) &&
	       !memchr(f->name, '"', (size_t)(f->name_end - f->name)) &&
	       !meets_several_files(f->name, f->name_end, log_name);
}
