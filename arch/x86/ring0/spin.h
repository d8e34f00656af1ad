/* SPDX-License-Identifier: MIT */
/* A short stretch of work between two looks at a device. */
#ifndef SPIN_H
#define SPIN_H

#include "types.h"

/*
 * Under 0.1 us on hardware, nothing beside the port read it precedes. Where an instruction costs
 * less than a port access (an emulator counting instructions), it makes the looks rarer by far.
 */
static inline void spin(void)
{
	for (u32 i = 0; i < 256; i++)
		asm volatile("" ::"r"(i));
}

#endif
