// SPDX-License-Identifier: MIT
/* ticklog: from a serial log or a Linux trace to tables, plots and a verdict. The commands' table.
 */
#include "ticklog.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"

/* In the order of the help. */
static const struct command *const commands[] = {
	&cmd_show,   &cmd_fleet,  &cmd_xsave, &cmd_report,
	&cmd_export, &cmd_import, &cmd_list,  &cmd_check,
};

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
	     "  2  a log is unusable: incomplete, corrupt, contradicting itself, unreadable, or nothing\n"
	     "     was measured\n"
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

/*
 * No file that is opened later may take the number of a closed standard stream: what is said would
 * go into it. Using a closed one stays an error.
 */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			exit(EXIT_UNUSABLE);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
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
