/* SPDX-License-Identifier: MIT */
/*
 * The stacks, each with a page below it that paging_prepare() leaves unmapped, so that running over
 * the end is a fault and not a write into whatever lies there. Laid out in stacks.asm.
 */
#ifndef STACKS_H
#define STACKS_H

#include "types.h"

struct stack {
	const char *name;
	const u8 *guard; /* one page, 4 KiB aligned */
	const u8 *top;
};

#define STACKS 4

/* main, NMI, #DF, #MC: the last three in the order of enum ist. */
extern const struct stack stack_list[STACKS];

/* The stack whose guard page holds `address`, or NULL. */
const struct stack *stack_guarding(u64 address);

#endif
