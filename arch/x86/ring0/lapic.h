/* SPDX-License-Identifier: MIT */
/*
 * The local APIC of this CPU, by MMIO or by MSRs as the firmware left it. SDM volume 3 chapter 11.
 */
#ifndef LAPIC_H
#define LAPIC_H

#include "types.h"

/* Finds and maps it. False: none, or switched off; then the other calls do nothing. */
bool lapic_start(void);

/* Masks every local vector that delivers an interrupt; those for NMI and SMI are left. */
void lapic_mask(void);

/* Is anything waiting in IRR or in service? */
bool lapic_busy(void);

/*
 * Lets go of what is in IRR: only accepting an interrupt clears it. Opens at most `windows` one
 * instruction windows with an end of interrupt after each; the trap handlers count what comes.
 * Interrupts are off before and after. True iff nothing waits any more.
 */
bool lapic_drain(u32 windows);

#endif
