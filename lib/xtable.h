/* SPDX-License-Identifier: MIT */
/*
 * The XSAVE latency table: columns as wide as their data, left-aligned, two blanks apart, each cell
 * padded to its column's width, the last one too. The same for a measured run and for a read trace.
 */
#ifndef XTABLE_H
#define XTABLE_H

#include "result.h"
#include "types.h"

/* Takes a piece of the table; a line may come in several pieces and ends in '\n'. */
typedef void xtable_emit(void *ctx, const char *bytes, size_t n);

/* Orders by event, RFBM, XINUSE: names by byte, masks by value. In place. */
void xtable_sort(struct xcell *cell, size_t n);

/*
 * Head, rule and n rows as they stand. `prefix` goes before every event name. Of a cell only the
 * event, the masks and min, max, avg and avg97 are read.
 */
void xtable_print(const char *prefix, const struct xcell *cell, size_t n, xtable_emit *emit,
		  void *ctx);

/*
 * The minima of sorted rows in core cycles, of those that have a ratio: a head, and for each event
 * and RFBM a line, or more where 80 columns are not enough. Nothing if there are none.
 */
void xtable_cycles(const struct xcell *cell, size_t n, xtable_emit *emit, void *ctx);

/* Columns that are there on demand only, after the others and in this order. */
enum xtable_extra {
	XTABLE_COUNT = 1, /* lat.n */
	XTABLE_KEPT = 2,  /* lat.kept, of which lat_avg(97%) is the average */
	XTABLE_P50 = 4,
	XTABLE_P99 = 8,
};

/* `extra`: any of enum xtable_extra. */
void xtable_print_extra(const char *prefix, const struct xcell *cell, size_t n, unsigned int extra,
			xtable_emit *emit, void *ctx);

#endif
