/* SPDX-License-Identifier: MIT */
/*
 * All memory that is given out: one region of RAM, handed out from its start and never taken back.
 */
#ifndef ARENA_H
#define ARENA_H

#include "types.h"

struct bootinfo;

/*
 * Picks the largest usable region above the kernel image: below 4 GiB if there is one of at least
 * 1 MiB, else any that is mapped. False: none; then every allocation fails.
 */
bool arena_init(const struct bootinfo *boot);

/* Zeroed. align is a power of two, 0 counts as 1. NULL when it does not fit. */
void *arena_alloc(u64 bytes, u64 align);

u64 arena_used(void); /* bytes, alignment included */
u64 arena_left(void);

#endif
