/* SPDX-License-Identifier: MIT */
/*
 * Samples by unit, event, RFBM and XINUSE: every value with how often it occurs, so that all
 * figures are exact. Memory grows with the distinct (group, value) pairs only, and beyond a limit
 * they go to a temporary file.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "result.h"
#include "trace.h"

/* Pairs kept in memory, at 16 bytes each. */
#define GROUPS_PAIRS	 2000000u
#define GROUPS_PAIRS_MIN 1000u
#define GROUPS_MAX	 65536u

struct groups;

/* What adding and finishing can come to. */
enum groups_status {
	GROUPS_OK,
	GROUPS_FULL,	  /* the sample is of a group beyond GROUPS_MAX and is left out */
	GROUPS_NO_MEMORY, /* this and the following end it all */
	GROUPS_NO_FILE,	  /* the temporary file cannot be written or read: see errno */
};

/* `pairs` at least GROUPS_PAIRS_MIN. NULL without memory. */
struct groups *groups_new(size_t pairs);
void groups_free(struct groups *g);

/* Units are numbered by the caller. */
enum groups_status groups_add(struct groups *g, u32 unit, const struct trace_sample *s);

/* Bytes that went to the temporary file so far. */
u64 groups_spilled(const struct groups *g);

/* After the last sample: computes all figures. With `reference`, averages as the reference does. */
enum groups_status groups_finish(struct groups *g, bool reference);

/*
 * After that: the groups of a unit, sorted by event, RFBM and XINUSE, the masks as signed numbers
 * if so wished. Valid until the next call. Of a cell only event, masks and lat are set.
 */
size_t groups_cells(struct groups *g, u32 unit, bool signed_masks, struct xcell **cells);

#endif
