/* SPDX-License-Identifier: MIT */
/* How a check is put together: what check_group.c, which finds what belongs together, and check.c,
 * which judges it, share. */
#ifndef CHECK_BUILD_H
#define CHECK_BUILD_H

#include "check.h"
#include "verdict.h"

/* One figure of the runs of a side that have it. */
struct held_list {
	size_t n;
	const struct figure_held **at;
};

/* One of the two may be empty. */
void row_judge(const struct comparison *c, const struct check_group *g,
	       const struct held_list *base, const struct held_list *now, struct check_row *row);

/* A result line: the worst enum status of each side, -1 if it has none. */
struct result_sides {
	int base, now;
	bool base_skips;    /* at least one of the baseline's runs did */
	const char *reason; /* of the worst now */
};

void result_judge(const struct check_group *g, const struct result_sides *r, struct check_row *row);

/* Room for n items, zeroed. */
void *vector_of(size_t n, size_t size);

#endif
