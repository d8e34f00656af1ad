/* SPDX-License-Identifier: MIT */
/*
 * The command line. One table (options.c) holds every option with its range, default and text; the
 * parser, the help and the list of options in force are all printed from it.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "fmt.h"
#include "types.h"

enum profile { PROFILE_AUTO, PROFILE_QUICK, PROFILE_STANDARD, PROFILE_SOAK };
enum exit_how { EXIT_AUTO, EXIT_DEBUG, EXIT_HALT, EXIT_REBOOT, EXIT_POWEROFF };
enum panic_how { PANIC_NONE, PANIC_TEST, PANIC_TRIPLE, PANIC_STACK, PANIC_TEXT, PANIC_DATA };

#define DETAIL_LINES 1u
#define DETAIL_FULL  2u

#define OPTION_TEXT	128
#define OPTION_PROBLEMS 16
#define OPTION_UNSET	(~0ull)

/*
 * A number with its unit: the index in the option's list of units. n is OPTION_UNSET if not given.
 */
struct amount {
	u64 n, unit;
};

enum gap_unit { GAP_NS, GAP_US, GAP_MS, GAP_S, GAP_TICKS }; /* of limit.gap */
enum rate_unit { RATE_SECOND, RATE_MINUTE, RATE_HOUR };	    /* of limit.smi */

struct option_problem {
	char word[OPTION_TEXT]; /* as given, cut to fit, unprintable bytes as '?' */
	char expected[160];	/* what was expected instead */
};

struct options {
	char suite[OPTION_TEXT];    /* comma list of suite names, "all" by default */
	char method[OPTION_TEXT];   /* comma list of method ids, "all" or "matrix" */
	char workload[OPTION_TEXT]; /* comma list, "all" by default */
	enum profile profile;
	u64 lines, samples;	      /* OPTION_UNSET: by profile and budget */
	u64 threshold;		      /* ticks, OPTION_UNSET: each suite's own */
	u64 soak;		      /* seconds for the gaps suite, OPTION_UNSET: by machine */
	struct amount limit_gap;      /* enum gap_unit */
	struct amount limit_smi;      /* enum rate_unit */
	u64 smi_inject, smi_handler;  /* SMIs asked for; ticks each stays; OPTION_UNSET: none */
	u64 budget;		      /* seconds for the tsc suite, OPTION_UNSET: by machine */
	u64 xsave_trace;	      /* trace lines a cell: 0 none, OPTION_UNSET - 1 all */
	u64 xsave_rfbm, xsave_xinuse; /* OPTION_UNSET: the sweep */
	char console[OPTION_TEXT];    /* auto, none, com1..com4, or a port 0xNNN */
	u64 baud;		      /* OPTION_UNSET: as firmware left it */
	u32 detail;		      /* DETAIL_* */
	bool records, ident, strict, help;
	char label[OPTION_TEXT];
	enum exit_how exit;
	enum panic_how panic;

	u32 n_problems; /* all of them; the first OPTION_PROBLEMS are kept */
	struct option_problem problem[OPTION_PROBLEMS];
};

#define XSAVE_TRACE_ALL (OPTION_UNSET - 1)

void options_default(struct options *o);

/*
 * Parses whole words separated by bytes up to 20h. Double quotes group, as GRUB passes them on:
 * both label="a b" and "label=a b"; \\ \" \' stand for their second byte everywhere. A later word
 * overrides an earlier one. What is not understood is a problem and changes nothing else.
 */
void options_parse(struct options *o, const char *line, size_t n);

/* For a check that only a caller can make (is there such a suite?). */
void options_problem(struct options *o, const char *word, size_t n, const char *expected);

/* The options that differ from their defaults, as one line that parses to the same. */
void options_in_force(const struct options *o, struct text *t);

/* The help, a line or two an option, at most 80 columns, lines ending in '\n'. */
void options_help(struct text *t);

#endif
