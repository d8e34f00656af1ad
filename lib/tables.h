/* SPDX-License-Identifier: MIT */
/* The tables for people: heads and rows as text, 80 columns, lines ending in '\n'. */
#ifndef TABLES_H
#define TABLES_H

#include "fmt.h"
#include "result.h"

/* A row a method: the figures of its `empty` series. */
void table_method_head(struct text *t);
void table_method_row(struct text *t, const struct series *s);

/* The rest of the same series' figures. */
void table_lines_head(struct text *t);
void table_lines_row(struct text *t, const struct series *s);

/* Minima of one method over preambles, workloads and forms; ~0: not measured, printed as "-". */
enum minima_column {
	MINIMA_PREAMBLE, /* empty: none, tsc, tsc+work, tsc+work+lfence */
	MINIMA_REG = 4,
	MINIMA_STORE,
	MINIMA_ADD,
	MINIMA_LOOP,
	MINIMA_OVERHEAD,
	TABLE_MINIMA
};
struct minima_row {
	const char *method;
	u64 min[TABLE_MINIMA];
	u64 resolution; /* 0 unknown, ~0 not measured */
	bool overhead_stable;
};
void table_minima_head(struct text *t);
void table_minima_row(struct text *t, const struct minima_row *row);

/*
 * Minima in core cycles: begins the line, or goes on with it, by a series whose core clock held;
 * nothing for others and those that are in cycles.
 */
void table_cycles_add(struct text *t, const struct series *s);

/* What the marks in the rows mean. cycles: a method in core cycles is among them. */
void table_legend(struct text *t, bool cycles);

/* "J" or "J..K", then the line's figures. */
void table_line(struct text *t, const char *series, u64 from, u64 to, const struct variance *var,
		u64 max_dev, u64 min);

/* The histogram of the stability loop as one line per decade above the min. */
void table_decades(struct text *t, const struct hist *h);

#endif
