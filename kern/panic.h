/* SPDX-License-Identifier: MIT */
/*
 * The end of a run that cannot go on. Shares nothing with the normal path but the serial write;
 * the failure is marked before anything is printed.
 */
#ifndef PANIC_H
#define PANIC_H

#include "traps.h"

/* Prints why, all registers and the last bring-up step, and ends as failure. */
_Noreturn void panic(const char *why);

/* Breadcrumb: what is being done now; a crash names it. `what` is kept by pointer. */
void step_begin(const char *what);

#endif
