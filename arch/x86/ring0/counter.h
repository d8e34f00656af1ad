/* SPDX-License-Identifier: MIT */
/*
 * Free-running reference counters: the ACPI PM timer (ACPI 4.8.3.3) and the HPET (IA-PC HPET 1.0a).
 */
#ifndef COUNTER_H
#define COUNTER_H

#include "pit.h"
#include "types.h"

struct counter {
	u16 port;	    /* of the PM timer, or 0: then mmio */
	volatile u32 *mmio; /* of the counter's lower half */
	u32 mask;	    /* bits that count: the PM timer may have 24 only */
	u64 num, den;	    /* kHz of the TSC = ticks * num / (counts * den) */
	u64 wait;	    /* counts to measure over, less than a sixteenth of mask */
};

/* PM timer at an I/O port. */
struct counter counter_pmtimer(u16 port, u32 milliseconds);

/* The HPET's registers at `base`; false when what is there is none. Started if it stood still. */
bool counter_hpet(struct counter *c, volatile u32 *base, u32 milliseconds);

/* One measurement: TSC kHz, over so many ticks, of which the reads at both ends leave some open. */
struct counter_rate {
	u64 khz, ticks, open;
};

/*
 * Again over a longer time where the reads leave too much open, and where it took so long that the
 * counter may have come around. Bounded in turns and ticks; *rate is set for CLOCK_OK and
 * CLOCK_UNSURE.
 */
enum clock_state counter_measure(const struct counter *c, struct counter_rate *rate);

#endif
