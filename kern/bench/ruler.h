/* SPDX-License-Identifier: MIT */
/*
 * The ruler (latency bound: 100,000 dependent one-cycle adds) and the canary (issue bound: 8,192
 * NOPs): how the core clock stands to the TSC, and whether a sibling thread is busy.
 */
#ifndef RULER_H
#define RULER_H

#include "bench.h"

/* Min of 5 passes of the ruler, the first of 6 loading the caches, and of 32 of the canary. */
void ruler_take(struct ruler *r);

/* Has either moved by more than 2% and by more than two steps (of step ticks; 0 counts as 1)? */
bool ruler_moved(const struct ruler *a, const struct ruler *b, u64 step);

/* A `type=ruler` record and a line of text; `where` names the window. */
void ruler_report(struct run *run, const char *where, const struct ruler *r);

#endif
