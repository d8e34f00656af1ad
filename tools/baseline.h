/* SPDX-License-Identifier: MIT */
/* The runs that a check compares with: of a log, of all logs in a directory, of a store. */
#ifndef BASELINE_H
#define BASELINE_H

#include "party.h"

struct baseline {
	const char *path;
	struct side runs;
	u64 unusable; /* runs left out: incomplete, corrupt, contradicted, or nothing measured */
	u64 repeated; /* runs left out that were there before, to the last record */
	u64 others;   /* files of a directory without a run */
	bool failed;  /* something could not be read, which was said */
};

/* What is wrong is said. Without a run, there is no baseline. */
void baseline_read(struct baseline *b, const struct command *c, const char *path);
void baseline_free(struct baseline *b);

#endif
