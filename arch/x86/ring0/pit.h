/* SPDX-License-Identifier: MIT */
/* 8254 channel 2, gated and read back through port 61h: a reference that needs no interrupt. */
#ifndef PIT_H
#define PIT_H

#include "types.h"

#define PIT_HZ 1193182u

enum clock_state { CLOCK_OK, CLOCK_ABSENT, CLOCK_STUCK };

/* One counting down of `count` clocks (2..65535), bracketed by TSC reads. */
struct pit_shot {
	u64 ticks;   /* TSC ticks from the write that starts it to the output seen high */
	u64 bracket; /* the uncertainty of that, ticks */
};
enum clock_state pit_shot(u16 count, struct pit_shot *shot);

#endif
