/* SPDX-License-Identifier: MIT */
/*
 * The segments, the task state with its interrupt stacks, and the IDT. SDM volume 3 chapters 3, 6,
 * 7.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include "types.h"

#define SEL_CODE 0x08
#define SEL_DATA 0x10
#define SEL_TSS	 0x18

/* Entries of the interrupt stack table; 0 in a gate means: stay on the stack in use. */
enum ist { IST_NONE, IST_NMI, IST_DF, IST_MC, IST_STACKS = 3 };

/*
 * Loads GDT, segment registers and TSS; then all 256 gates lead to the trap stubs, and a crash is
 * printed: first of all in C.
 */
void descriptors_load(void);

/* An IDT without a gate: the next exception is a triple fault, and the machine resets. */
void descriptors_drop_idt(void);

#endif
