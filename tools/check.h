/* SPDX-License-Identifier: MIT */
/*
 * Is a machine still what it was? Runs against runs of a baseline, figure by figure. The rules are
 * in check.c, in words in the README and in `ticklog check --help`.
 */
#ifndef CHECK_H
#define CHECK_H

#include "baseline.h"
#include "limits.h"
#include "party.h"

enum check_verdict {
	CHECK_SAME,
	CHECK_IMPROVED,
	CHECK_NEW,	/* no baseline run has it */
	CHECK_UNSTABLE, /* no telling: `reason` says why */
	CHECK_MISSING,	/* all baseline runs have it, none of the checked */
	CHECK_REGRESSION,
};

#define CHECK_VERDICTS 6

const char *check_verdict_name(enum check_verdict v); /* "SAME" ... */

enum check_noise {
	NOISE_UNKNOWN, /* the baseline has fewer than NOISE_MIN runs of it */
	NOISE_MAD,     /* row.noise is mad times the median deviation of the baseline's runs */
	NOISE_RANKS,   /* both sides have enough runs for a rank-sum test */
};

#define NOISE_MIN 3

/* The middle of a side's runs: the two middle values where their number is even. */
struct middle {
	size_t n;   /* runs that have the figure and settled; 0: the rest is void */
	u64 lo, hi; /* as figure.value: times row.scale */
};

/* A figure, or a result line (a check of the kernel's own). */
struct check_row {
	const char *name; /* of a result line: check.NAME */
	enum check_verdict verdict;
	char reason[240]; /* why it is that, or "" */
	size_t place;	  /* in report order */

	bool is_result;			  /* then what follows is void, but for: */
	const char *base_word, *now_word; /* "ok" ...; "" where there is none */

	const char *unit;
	u32 scale;
	enum figure_class class;
	enum figure_better better;
	struct middle base, now;
	bool up;    /* now is above base */
	u64 change; /* distance between the two, times scale; 0: they overlap, or one is missing */
	struct limit limit; /* as it was applied */
	enum check_noise noise_kind;
	u64 noise; /* times scale */
};

/* What else differs between the two sides, and so may be why. */
struct check_cause {
	const char *what;
	char *base, *now;
};

#define WIDER 10 /* by what relative limits are multiplied where clocks moved */

/* By how much clocks that moved may change a figure, x 10,000; EXPLAINS_NOTHING at the least. */
struct explained {
	u64 clock; /* the core clock alone */
	u64 all;   /* or a sibling thread */
};

#define EXPLAINS_NOTHING 10000

enum group_state { GROUP_COMPARED, GROUP_INCOMPARABLE, GROUP_NO_BASELINE };

/* Runs that can be compared with each other, and the baseline's that can be with them. */
struct check_group {
	struct side now, base; /* of pointers: the parties are owned elsewhere */
	enum group_state state;
	const struct party *nearest; /* GROUP_INCOMPARABLE: the run that differs in fewest keys */
	u32 differs;		     /* in which: see party_key_name */
	u64 own;		     /* baseline runs left out since they are those checked */
	/* Core clock or sibling thread moved by more than 2% within a run. On an emulator: its host
	 * shows in the figures. */
	bool moved;
	struct explained up, down;
	u64 step; /* ticks by which the coarsest TSC of all runs moves; 0: not known */

	size_t n_rows;
	struct check_row *row; /* in report order, result lines last */
	u64 count[CHECK_VERDICTS];
	size_t n_causes;
	struct check_cause *cause;
};

struct comparison {
	const struct command *command;
	const struct limits *limits;
	bool strict;
	size_t n_groups;
	struct check_group *group;
	u64 unusable; /* logs or runs that could not be checked */
	int status;   /* what to exit with: the worst of all */
};

/* Fills groups and status. status holds what reading the logs came to. */
void check_make(struct comparison *c, const struct side *now, const struct baseline *base);
void check_free(struct comparison *c);

/* REGRESSION, SAME, INCOMPARABLE ... */
const char *group_verdict(const struct comparison *c, const struct check_group *g);

/* Does a row of that verdict count against the run? */
bool check_fails(const struct comparison *c, enum check_verdict v);

/* "48", "1.860", "48..50" */
void middle_fmt(struct text *t, const struct middle *m, const struct check_row *row);

#endif
