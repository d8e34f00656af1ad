/* SPDX-License-Identifier: MIT */
/* Do events come at a regular interval? A host's tick, a watchdog's SMI. */
#ifndef PERIOD_H
#define PERIOD_H

#include "types.h"

#define PERIOD_EVENTS 256 /* at most */
#define PERIOD_LEAST  6	  /* events on the grid, for a period to be named */
#define PERIOD_BITS   20  /* and the odds against chance: 2^20 to 1 */

/*
 * A grid of equal intervals laid through the events; it follows them, so that slow drift does no
 * harm. A quarter of its places may be empty, and three quarters of all events may lie beside it.
 */
struct period {
	u64 ticks;  /* the interval; 0: no period is named */
	u32 events; /* looked at */
	u32 on;	    /* of these on the grid */
	u32 slots;  /* of the grid, first to last event on it */
	u32 bits;   /* chance would do as well with odds of 1 in 2^bits, all grids tried included */
};

/*
 * at[0..n): times, ascending, n at most PERIOD_EVENTS. length, or NULL: for how long after each
 * nothing can be seen; a place in that time is not an empty one.
 */
void period_find(const u64 *at, const u64 *length, size_t n, struct period *out);

#endif
