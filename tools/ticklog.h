/* SPDX-License-Identifier: MIT */
/* What all commands of the host log tool share: their table and their exit statuses. */
#ifndef TICKLOG_H
#define TICKLOG_H

#include <stdio.h>

#include "types.h"

/* Exit statuses. Of several the worst counts: 5, 2, 4, 3, 1, 0. */
enum ticklog_exit {
	EXIT_FINE = 0,	     /* same or better; or simply done */
	EXIT_REGRESSION = 1, /* or a figure is missing */
	EXIT_UNUSABLE =
		2, /* a log is incomplete, corrupt, contradicted, unreadable, or measured nothing */
	EXIT_INCOMPARABLE = 3, /* the logs do not speak of the same thing */
	EXIT_NO_BASELINE = 4,
	EXIT_USAGE = 5,
};

/* The worse of two exit statuses. */
int exit_worse(int a, int b);

struct command {
	const char *name;
	const char *doc; /* one line, for `ticklog --help` */
	int (*run)(const struct command *self, int argc, char **argv); /* argv[0] is the name */
	const char *help; /* whole text of `ticklog NAME --help` */
};

/* One in each cmd_NAME.c; main.c lists them. */
extern const struct command cmd_check;
extern const struct command cmd_import;
extern const struct command cmd_list;
extern const struct command cmd_show;
extern const struct command cmd_fleet;
extern const struct command cmd_export;
extern const struct command cmd_report;
extern const struct command cmd_xsave;

/* "ticklog NAME: text" on stderr, with the line's end; what is not printable as \xHH. */
void complain(const struct command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* As complain(), then where help is; returns EXIT_USAGE. */
int usage_error(const struct command *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Behind a noun that is counted. */
static inline const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

/* A log in messages: its path, or what `-` stands for. */
const char *log_name(const char *path);

/* Ends the program, saying so. */
void out_of_memory(void) __attribute__((noreturn));

/* What an allocation returned, which is not NULL. */
void *must(void *p);

/* Closes what open_memstream() opened, all that was written in its place; else ends the program. */
void memory_close(FILE *f);

/* As printf(), into memory to be freed. */
char *must_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Says what getopt_long() stumbled on, for a short option string that starts with "+:" or ":".
 * `result` is what it returned, ':' or '?'. Returns EXIT_USAGE.
 */
int usage_option(const struct command *c, int result, char **argv);

/* Flushes stdout; EXIT_UNUSABLE and a message if what was printed did not all arrive, else status.
 */
int exit_flushed(const struct command *c, int status);

#endif
