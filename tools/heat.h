/* SPDX-License-Identifier: MIT */
/* A heat map that is a table: coloured cells that print their numbers. */
#ifndef HEAT_H
#define HEAT_H

#include <stdio.h>

#include "types.h"

/* More rows times columns than this are written as a list of cells. */
#define HEAT_MOST 6000

struct heat_cell {
	u64 row, col;	/* keys: rows and columns stand in their order */
	u64 value;	/* what the colour says, on a logarithmic scale */
	char text[40];	/* what the cell says */
	char small[40]; /* below it, or "" */
	char note[160];
};

/* Writes what a row or column is called. */
typedef void heat_name(FILE *to, const void *ctx, u64 key, bool row);

struct heat {
	const char *rows, *cols; /* what they are */
	heat_name *name;
	const void *ctx;
	size_t n;
	struct heat_cell *cell; /* sorted by heat_write(); the last of one place counts */
};

void heat_write(FILE *to, struct heat *h);

#endif
