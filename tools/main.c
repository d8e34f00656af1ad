// SPDX-License-Identifier: MIT
/* ticklog: from a serial log or a Linux trace to tables, plots and a verdict. The commands' table.
 */
#include "ticklog.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "build.h"

/* In the order of the help. */
static const struct command *const commands[] = {
	&cmd_show,
	&cmd_fleet,
	&cmd_xsave,
	&cmd_export,
	&cmd_import,
	&cmd_list,
};

int exit_worse(int a, int b)
{
	static const int rank[] = {
		[EXIT_FINE] = 0,	[EXIT_REGRESSION] = 1, [EXIT_INCOMPARABLE] = 2,
		[EXIT_NO_BASELINE] = 3, [EXIT_UNUSABLE] = 4,   [EXIT_USAGE] = 5,
	};

	return rank[a] > rank[b] ? a : b;
}

static void say(const struct command *c, const char *format, va_list args)
{
	/* What stands on stdout so far was said before. */
	fflush(stdout);
	fprintf(stderr, "ticklog%s%s: ", c ? " " : "", c ? c->name : "");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
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

static void print_help(void)
{
	puts("ticklog: from baretick's serial logs and Linux traces to tables, plots and a verdict\n"
	     "\n"
	     "usage: ticklog COMMAND [OPTION]... LOG...\n"
	     "       ticklog COMMAND --help\n"
	     "\n"
	     "LOG is a file or - for what comes in by a pipe, also while the run is still going.\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i]->name, commands[i]->doc);
	puts("\n"
	     "Exit status:\n"
	     "  0  fine: same or better, or simply done\n"
	     "  1  a regression, or a figure is missing\n"
	     "  2  a log is unusable: incomplete, corrupt, unreadable, or nothing was measured\n"
	     "  3  the logs cannot be compared\n"
	     "  4  there is no baseline\n"
	     "  5  usage\n"
	     "Of several the worst counts, in the order 5, 2, 4, 3, 1.");
}

static bool asks_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run(const struct command *c, int argc, char **argv)
{
	if (asks_help(argc, argv)) {
		fputs(c->help, stdout);
		return exit_flushed(c, EXIT_FINE);
	}
	opterr = 0; /* messages are ours */
	return exit_flushed(c, c->run(c, argc, argv));
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage_error(NULL, "a command is missing");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		return exit_flushed(NULL, EXIT_FINE);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("ticklog " BUILD_ID);
		return exit_flushed(NULL, EXIT_FINE);
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i]->name))
			return run(commands[i], argc - 1, argv + 1);
	return usage_error(NULL, "there is no command '%s'", argv[1]);
}
