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
	u64 seq, line; /* of the record with the figure, or of the text that says otherwise */
	bool text;     /* the text for people does, which has no CRC and may be damaged */
	char words[300];
};

/* What is known of a figure from elsewhere in the log. The better counts. */
enum cover {
	COVER_NONE,
	COVER_BOUNDED,	 /* it lies within limits that follow from others */
	COVER_CONFIRMED, /* another record or the text for people says the same */
	COVER_EXACT,	 /* recomputed from raw data, digit for digit */
	COVERS,
};

/* 64 bits of a figure's name, and what is known of it. */
struct covered {
	u64 name;
	enum cover cover;
};

struct recomputed {
	u64 count[COVERS]; /* figures, by what is known of them */
	size_t n_figures;
	struct covered *figure; /* by name, ascending */
	u64 contradictions;
	size_t n; /* kept: the first CONTRADICTIONS */
	struct contradiction *at;
};

#define CONTRADICTIONS 256

enum cover recompute_cover(const struct recomputed *out, const char *figure);

void recompute(const struct run *r, struct recomputed *out);
void recompute_free(struct recomputed *out);

/* Says each on stderr as FILE:LINE. EXIT_FINE, or EXIT_UNUSABLE if there are any. */
int recompute_usable(const struct command *c, const char *path, const struct recomputed *out);

/* run_usable(), and that no figure is contradicted. */
int run_stands(const struct command *c, const char *path, const struct run *r);

#endif
