/* SPDX-License-Identifier: MIT */
/*
 * Random values for the property tests, the same ones in each run: a check that fails for one clone
 * in a thousand helps nobody. BARETICK_SEED=N draws others, and the seed is printed.
 */
#ifndef DRAW_H
#define DRAW_H

#include <stdio.h>
#include <stdlib.h>

#include "types.h"

static u64 draw_state;

static inline u64 draw(void)
{
	u64 z = draw_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0 .. n - 1 */
static inline u64 draw_below(u64 n)
{
	return draw() % n;
}

/* Of any bit width 0 .. 64, each as likely, and now and then right beside a power of two. */
static inline u64 draw_wide(void)
{
	u64 width = draw_below(65);

	if (draw_below(8) == 0)
		return (width < 64 ? 1ull << width : 0) + draw_below(3) - 1;
	return width ? draw() >> (64 - width) : 0;
}

static inline int draw_start(void **state)
{
	const char *given = getenv("BARETICK_SEED");

	(void)state;
	draw_state = given ? strtoull(given, NULL, 0) : 1;
	printf("# BARETICK_SEED=%llu\n", (unsigned long long)draw_state);
	return 0;
}

#endif
