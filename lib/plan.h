/* SPDX-License-Identifier: MIT */
/* How many lines and samples each method gets: the profile's geometry, cut to the time budget. */
#ifndef PLAN_H
#define PLAN_H

#include "options.h"
#include "types.h"

#define PLAN_MAX 32

struct plan {
	u64 lines, loop_lines, samples;
	bool trimmed; /* fewer than the profile asks */
};

/* Lines and samples of the profile, or as lines= and samples= say. */
void plan_geometry(struct plan *p, enum profile profile, const struct options *o);

/* One method's need at full geometry. */
struct plan_cost {
	u64 per_sample; /* ticks; 0: not measured */
	u64 series;	/* of `lines` lines */
	u64 loops;	/* of `loop_lines` lines */
};

/*
 * Shares `budget` ticks among the methods: what a cheap one leaves goes to the dear ones. A method
 * over its share gets fewer samples, at least 16, then fewer lines, at least 4. With `obey` (given
 * on the command line) nothing is cut. n <= PLAN_MAX.
 */
void plan_budget(struct plan *plans, const struct plan_cost *costs, size_t n,
		 const struct plan *full, u64 budget, bool obey);

/* Ticks that method i will take by plan. */
u64 plan_ticks(const struct plan *p, const struct plan_cost *c);

#endif
