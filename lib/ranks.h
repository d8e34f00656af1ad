/* SPDX-License-Identifier: MIT */
/*
 * The rank-sum test of Mann and Whitney (Ann. Math. Statist. 18, 1947): do the values of one sample
 * tend to lie above those of another? In integers; ties get their mean rank.
 */
#ifndef RANKS_H
#define RANKS_H

#include "types.h"

#define RANKS_MIN 5    /* of each sample: with fewer, hardly any outcome is rare enough */
#define RANKS_MAX 4096 /* of each sample */
/* Of both together: up to here the distribution is counted, not approximated. */
#define RANKS_EXACT 24
#define RANKS_ODDS  200 /* one in so many is rare enough: one-sided p <= 0.005 */

/*
 * True if values as high as a's m among b's n come about by chance at most once in RANKS_ODDS
 * times. Sorts both. False whenever there are fewer than RANKS_MIN or more than RANKS_MAX of
 * either.
 */
bool ranks_above(u64 *a, size_t m, u64 *b, size_t n);

#endif
