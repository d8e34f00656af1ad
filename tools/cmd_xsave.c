// SPDX-License-Identifier: MIT
/* `ticklog xsave`: the latency table of a Linux trace or of a serial log's trace lines. */
#include "ticklog.h"

static int run_xsave(const struct command *self, int argc, char **argv)
{
	(void)argv;
	if (argc < 2)
		return usage_error(self, "which log? A file, or - for standard input");
	complain(self, "this build does not read traces yet");
	return EXIT_UNUSABLE;
}

const struct command cmd_xsave = {
	.name = "xsave",
	.doc = "print the XSAVE/XRSTOR latency table of Linux traces or serial logs",
	.run = run_xsave,
	.help = "usage: ticklog xsave [OPTION]... LOG...\n",
};
