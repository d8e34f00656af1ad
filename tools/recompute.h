/* SPDX-License-Identifier: MIT */
/*
 * Every figure of a run whose raw data the log holds, computed again: from histograms, from lines,
 * from trace lines, and where there are none held against what else the log says of it.
 */
#ifndef RECOMPUTE_H
#define RECOMPUTE_H

#include "run.h"

/* A figure that the log contradicts. */
struct contradiction {
	u64 seq, line;	/* of the record with the figure */
	char text[240]; /* which key, what is printed, what follows from what */
};

struct recomputed {
	u64 exact;     /* figures recomputed digit for digit */
	u64 bounded;   /* only known to lie within limits that follow from others */
	u64 confirmed; /* of the rest: the same in the text for people */
	u64 uncovered; /* nothing else in the log tells */
	u64 contradictions;
	size_t n; /* kept: the first CONTRADICTIONS */
	struct contradiction *at;
};

#define CONTRADICTIONS 256

void recompute(const struct run *r, struct recomputed *out);
void recompute_free(struct recomputed *out);

/* Says each on stderr as FILE:LINE. EXIT_FINE, or EXIT_UNUSABLE if there are any. */
int recompute_usable(const struct command *c, const char *path, const struct recomputed *out);

#endif
