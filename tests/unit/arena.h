/* SPDX-License-Identifier: MIT */
/*
 * env.h's memory for a suite under test: each block an allocation of its own, so that the address
 * sanitizer sees what lies outside. arena_release() is a cmocka teardown.
 */
#ifndef ARENA_H
#define ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "types.h"

static void *arena[64];
static size_t arena_blocks;
static size_t arena_most =
	ARRAY_SIZE(arena); /* blocks that there is room for, if a test says less */

void *env_alloc(u64 bytes, u64 align)
{
	u64 size = (bytes + align - 1) & ~(align - 1);
	void *p;

	if (arena_blocks == arena_most)
		return NULL;
	assert_true(arena_blocks < ARRAY_SIZE(arena));
	p = aligned_alloc(align, size);
	assert_non_null(p);
	return arena[arena_blocks++] = memset(p, 0, size);
}

static inline int arena_release(void **state)
{
	(void)state;
	while (arena_blocks)
		free(arena[--arena_blocks]);
	return 0;
}

#endif
