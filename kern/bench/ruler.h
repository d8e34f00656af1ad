/* SPDX-License-Identifier: MIT */
/*
 * The ruler (latency bound: 100,000 dependent one-cycle adds) and the canary (issue bound: 8,192
 * NOPs): how the core clock stands to the TSC, and whether a sibling thread is busy.
 */
#ifndef RULER_H
#define RULER_H

#include "bench.h"

/*
 * Min of 5 passes of the ruler, the first of 6 loading the caches, and of the canary the lowest
 * mean of four passes in a row, of 32.
 */
void ruler_take(struct ruler *r);

/* Before the first suite: how much ruler and canary vary by themselves, into run->noise. */
void ruler_pilot(struct run *run);

/*
 * Has either moved: by more than 2%, more than two steps (an unknown step counts as 1), and more
 * than four times what it varies by itself? Never on an emulated machine, whose clock is its
 * host's.
 */
bool ruler_moved(const struct run *run, const struct ruler *a, const struct ruler *b);

/*
 * What holds around a window: the clocks, and what our handlers and the SMI counter have counted.
 */
struct conditions {
	struct ruler ruler;
	struct evidence evidence;
};

/* Nothing is taken on an emulated machine. */
void conditions_take(const struct run *run, struct conditions *c);
bool conditions_moved(const struct run *run, const struct conditions *a,
		      const struct conditions *b);

/* A window whose conditions moved is measured again this often. */
#define CONDITIONS_REDO 3

/* A `type=ruler` record and a line of text; `where` names the window. */
void ruler_report(struct run *run, const char *where, const struct ruler *r);

#endif
