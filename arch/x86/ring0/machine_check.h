/* SPDX-License-Identifier: MIT */
/* The machine check banks. SDM volume 3 chapter 15. */
#ifndef MACHINE_CHECK_H
#define MACHINE_CHECK_H

#include "types.h"

/*
 * Called on #MC: writes the valid banks into the log (those of the first few checks, so that a
 * storm cannot fill it) and clears them. True if the CPU says that the program can go on.
 */
bool machine_check(void);

/*
 * Switches the banks' reporting on, writes what they hold from before into the log, and sets
 * CR4.MCE, so that a machine check comes as #MC; before, it shuts the machine down.
 */
void machine_check_enable(void);

/*
 * Errors that the banks hold and that no #MC told of, since the last look: most were corrected by
 * hardware, some (UC set) need no action yet. Writes them into the log and clears them. Returns how
 * many; a bank keeps one at a time.
 */
u32 machine_check_silent(void);

#endif
