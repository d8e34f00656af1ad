// SPDX-License-Identifier: MIT
/* The bytes of a log, a line at a time: see input.h. */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

/* Stays in the second-level cache between read() and the parser. */
#define BUFFER_FIRST (256u << 10)

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* A pipe may have no end of its own: the first Ctrl-C ends the reading, the second the program. */
static void catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static bool fail(struct input *in, const char *what, int error)
{
	in->failed = true;
	in->ended = true;
	complain(in->command, "%s: %s: %s", in->name, what, strerror(error));
	return false;
}

bool input_open(struct input *in, const struct command *c, const char *path)
{
	struct stat st;

	*in = (struct input){.command = c, .name = log_name(path), .fd = -1};
	in->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		return fail(in, "cannot be opened", errno);
	if (fstat(in->fd, &st) < 0)
		return fail(in, "cannot be looked at", errno) || input_close(in);
	if (S_ISDIR(st.st_mode))
		return fail(in, "a log is a file", EISDIR) || input_close(in);
	if (S_ISREG(st.st_mode))
		in->size = (u64)st.st_size;
	else
		catch_interrupt();
	in->buf = malloc(BUFFER_FIRST);
	if (!in->buf)
		return fail(in, "reading", ENOMEM) || input_close(in);
	in->cap = BUFFER_FIRST;
	in->at = in->end = in->buf;
	if (isatty(STDERR_FILENO))
		in->next_show = now_ms() + 1000;
	return true;
}

bool input_close(struct input *in)
{
	if (in->shows)
		fputs("\r\033[K", stderr);
	if (in->fd > STDERR_FILENO)
		close(in->fd);
	free(in->buf);
	in->buf = NULL;
	in->fd = -1;
	return !in->failed;
}

static void show_progress(struct input *in)
{
	u64 now;

	if (!in->next_show || (now = now_ms()) < in->next_show)
		return;
	in->next_show = now + 200;
	in->shows = true;
	fputc('\r', stderr);
	escape_puts(stderr, in->name);
	fprintf(stderr, ": %llu MiB", (unsigned long long)(in->bytes >> 20));
	if (in->size && in->bytes <= in->size)
		fprintf(stderr, " of %llu, %llu %%", (unsigned long long)(in->size >> 20),
			(unsigned long long)((u128)in->bytes * 100 / in->size));
	fputs("\033[K", stderr);
}

/* Moves the unread bytes to the front; makes the buffer longer if they fill it. */
static bool make_room(struct input *in)
{
	size_t rest = (size_t)(in->end - in->at);

	if (rest == in->cap && in->cap < INPUT_LINE_MAX) {
		char *longer = realloc(in->buf, in->cap * 2);

		if (!longer)
			return fail(in, "reading", ENOMEM);
		in->buf = in->at = longer;
		in->cap *= 2;
	} else if (in->at != in->buf) {
		memmove(in->buf, in->at, rest);
	}
	in->at = in->buf;
	in->end = in->buf + rest;
	return true;
}

/* Reads more; false at the end and on errors. */
static bool fill(struct input *in)
{
	ssize_t got = 0;

	if (in->ended || !make_room(in))
		return false;
	while (!interrupted) {
		got = read(in->fd, in->end, in->cap - (size_t)(in->end - in->buf));
		if (got >= 0 || errno != EINTR)
			break;
		got = 0;
	}
	if (got < 0)
		return fail(in, "reading", errno);
	in->ended = got == 0;
	in->end += got;
	in->bytes += (u64)got;
	show_progress(in);
	return got > 0;
}

/* The buffer is full and holds no line end: gives its bytes, drops the rest of the line. */
static bool give_cut(struct input *in, const char **line, size_t *n)
{
	*line = in->at;
	*n = INPUT_LINE_MAX;
	in->at = in->end;
	in->line_no++;
	in->cut++;
	in->skipping = true;
	return true;
}

static void skip_rest(struct input *in)
{
	while (in->skipping) {
		char *nl = memchr(in->at, '\n', (size_t)(in->end - in->at));

		in->at = nl ? nl + 1 : in->end;
		in->skipping = !nl && fill(in);
	}
}

bool input_line(struct input *in, const char **line, size_t *n)
{
	size_t seen = 0;

	skip_rest(in);
	for (;;) {
		size_t rest = (size_t)(in->end - in->at);
		char *nl = memchr(in->at + seen, '\n', rest - seen);

		if (nl) {
			*line = in->at;
			*n = (size_t)(nl - in->at);
			in->at = nl + 1;
			in->line_no++;
			return true;
		}
		if (rest == INPUT_LINE_MAX)
			return give_cut(in, line, n);
		seen = rest;
		if (!fill(in))
			break;
	}
	*line = in->at;
	*n = (size_t)(in->end - in->at);
	in->at = in->end;
	if (*n)
		in->line_no++;
	return *n > 0;
}

size_t input_plain(char *to, const char *line, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		if (line[i])
			to[len++] = line[i];
	return len;
}
