/* SPDX-License-Identifier: MIT */
/* What the parts of the process share: bring-up, the log's output, and the crash. */
#ifndef HOSTED_H
#define HOSTED_H

#include "machine.h"
#include "options.h"

/* Exit statuses: 0 only for a run without `not ok`. */
#define EXIT_PASSED 0
#define EXIT_FAILED 1
#define EXIT_NO_RUN 2 /* nothing could be run */

/* Fault handlers on a stack of their own; before anything that may fault. */
bool crash_init(void);

/*
 * Fills the machine; bounded, about 150 ms. The claim "kernel" is the rate against
 * CLOCK_MONOTONIC_RAW.
 */
void machine_identify(struct machine *m, const struct options *o);

/* The arena, sized for the options, and the rate for env_ticks_per_second(). False: no memory. */
bool env_start(const struct machine *m, const struct options *o);

/* True once all of the log has left; says on stderr what went wrong otherwise. */
bool env_finish(void);

#endif
