/* SPDX-License-Identifier: MIT */
/* method=matrix: every start with every end, as one table of min and one of variance. */
#ifndef MATRIX_H
#define MATRIX_H

#include "trial.h"

/*
 * hist is scratch. redo: ticks that may go into measuring again, as much for each start. Returns
 * how many samples ended before they started.
 */
u64 matrix_run(struct run *run, const struct bench_buffers *b, struct hist *hist, u64 redo,
	       struct disturbance *d);

#endif
