/* SPDX-License-Identifier: MIT */
/*
 * Samples of one XSAVE block, sorted out by the XINUSE that was read before each: what was in use
 * decides where a sample counts, not what was asked for.
 */
#ifndef XGROUP_H
#define XGROUP_H

#include "types.h"

struct xgroup {
	u64 xinuse;
	u64 n;	   /* samples */
	u64 first; /* index of the first of them */
};

/*
 * The distinct values in xinuse[0..n), ascending, with how often each occurs; at most cap, those
 * that occur first. *other grows by the samples of the values left out.
 */
size_t xgroup_find(const u64 *xinuse, size_t n, struct xgroup *group, size_t cap, u64 *other);

/* Copies the samples whose XINUSE is `which` to out (room for n), in order; returns how many. */
size_t xgroup_take(const u64 *x, const u64 *xinuse, size_t n, u64 which, u64 *out);

#endif
