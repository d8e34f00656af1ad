/* SPDX-License-Identifier: MIT */
/* The rows of the kernel's tables, from a run that was read: the tsc suite's methods side by side.
 */
#ifndef RUN_TABLES_H
#define RUN_TABLES_H

#include "run.h"
#include "tables.h"

#define RUN_METHODS 64

struct run_method {
	const char *id;
	const struct run_series *base; /* mem/empty/none, NULL: not measured */
	const struct run_series
		*of[TABLE_MINIMA]; /* whose minima the row has; [8]: whose overhead */
	const struct run_series *loop;
	struct minima_row minima;
};

/* In report order, at most RUN_METHODS; returns how many. */
size_t run_methods(const struct run *r, struct run_method *m);

#endif
