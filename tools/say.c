// SPDX-License-Identifier: MIT
/* What commands say of themselves, and how they end: see ticklog.h. */
#include "ticklog.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

/* Of one message: two names of files and what is said of them. */
#define SAID_MOST 12000

int exit_worse(int a, int b)
{
	static const int rank[] = {
		[EXIT_FINE] = 0,	[EXIT_REGRESSION] = 1, [EXIT_INCOMPARABLE] = 2,
		[EXIT_NO_BASELINE] = 3, [EXIT_UNUSABLE] = 4,   [EXIT_USAGE] = 5,
	};

	return rank[a] > rank[b] ? a : b;
}

/* What is quoted may be any byte of a log or of a file's name. */
static void say(const struct command *c, const char *format, va_list args)
{
	char text[SAID_MOST];
	int n = vsnprintf(text, sizeof(text), format, args);

	/* What stands on stdout so far was said before. */
	fflush(stdout);
	fprintf(stderr, "ticklog%s%s: ", c ? " " : "", c ? c->name : "");
	escape_puts(stderr, text);
	fputs(n < (int)sizeof(text) ? "\n" : "...\n", stderr);
}

void complain(const struct command *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(c, format, args);
	va_end(args);
}

int usage_error(const struct command *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(c, format, args);
	va_end(args);
	fprintf(stderr, "Help: ticklog%s%s --help\n", c ? " " : "", c ? c->name : "");
	return EXIT_USAGE;
}

void out_of_memory(void)
{
	complain(NULL, "out of memory");
	exit(EXIT_UNUSABLE);
}

void *must(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

void memory_close(FILE *f)
{
	bool good = !ferror(f);

	if (fclose(f) || !good)
		out_of_memory();
}

char *must_print(const char *format, ...)
{
	char *text;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0)
		out_of_memory();
	return text;
}

const char *log_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

int usage_option(const struct command *c, int result, char **argv)
{
	const char *word = argv[optind - 1];

	if (result == ':')
		return usage_error(c, "option %s needs a value", word);
	/* A long option that takes no value but got one has optopt set too: it is not a letter. */
	if (optopt > ' ' && optopt < 127)
		return usage_error(c, "unknown option -%c", optopt);
	if (optopt)
		return usage_error(c, "option %s takes no value", word);
	return usage_error(c, "unknown or ambiguous option %s", word);
}

int exit_flushed(const struct command *c, int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain(c, "writing the output: %s", strerror(errno));
	return EXIT_UNUSABLE;
}
