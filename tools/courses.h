/* SPDX-License-Identifier: MIT */
/*
 * Figures over runs: of each name what every run says, in the order of the runs. Only that is kept,
 * so that there may be very many of them.
 */
#ifndef COURSES_H
#define COURSES_H

#include "run.h"
#include "words.h"

/* A figure in one run; see struct figure. */
struct course_value {
	u64 value, slack;
	u32 run; /* from 0 */
	u16 scale;
	bool overflow, unstable;
};

struct course {
	const char *name, *unit;
	size_t n; /* runs that have it, in their order */
	struct course_value *at;
};

struct courses {
	struct words names, units;
	size_t n;	   /* names */
	struct course *at; /* in the order in which they came; by their number in `names` */
};

/* All figures of a run, whose number is above those before; of a name that comes twice the first.
 */
void courses_take(struct courses *c, u32 run, const struct run *r);

/* NULL if no run has it. */
const struct course *courses_find(const struct courses *c, const char *name);

/* NULL if the run has it not. */
const struct course_value *course_in(const struct course *c, u32 run);

void course_value_fmt(struct text *t, const struct course_value *v);

void courses_free(struct courses *c);

#endif
