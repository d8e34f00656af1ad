/* SPDX-License-Identifier: MIT */
/* 8254 channel 2, gated and read back through port 61h: a reference that needs no interrupt. */
#ifndef PIT_H
#define PIT_H

#include "types.h"

#define PIT_HZ 1193182u

/* UNSURE: it runs, but whoever took the CPU meanwhile leaves open how fast. */
enum clock_state { CLOCK_OK, CLOCK_ABSENT, CLOCK_STUCK, CLOCK_UNSURE };

/*
 * Of what was measured, the reads at both ends may leave this share open: 4,000 ppm, the error half
 * of it. Above the second, 1,000 ppm, it is measured over a longer time.
 */
#define CLOCK_OPEN_SHARE 256
#define CLOCK_GOOD_SHARE 1024

/* One counting down, bracketed by TSC reads. */
struct pit_shot {
	u16 count;   /* clocks */
	u64 ticks;   /* TSC ticks from the write that starts it to the output seen high */
	u64 bracket; /* the uncertainty of that, ticks */
	u64 khz;     /* of the TSC */
};

/*
 * The best of some shots of 10 ms, or 50 where those are not good: what stole time from the others
 * shows in their brackets. *best is set for CLOCK_OK and CLOCK_UNSURE.
 */
enum clock_state pit_measure(struct pit_shot *best);

#endif
