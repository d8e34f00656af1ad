/* SPDX-License-Identifier: MIT */
/*
 * A figure along the runs, as a line of points: a point a run, or where there are too many runs to
 * see, a point for the least and one for the largest of each few.
 */
#ifndef STRETCH_H
#define STRETCH_H

#include "report.h"

/* One figure; or that of stability with this key, whatever method each run used. */
struct stretch_line {
	const struct course *course; /* or NULL */
	const char *key;
};

/* Some runs side by side of which at least one has the figure. */
struct stretch {
	size_t run;				/* the first of them, from 0 */
	const struct course_value *one, *other; /* least and largest, the earlier first */
	bool joined; /* a line goes from the stretch before to this one: all are comparable */
	bool whole;  /* and one from one to the other */
};

/* How many stretches there are for n runs: as many, if that is at most `most`. */
size_t stretch_places(const struct report *rep, size_t most);

/* Returns how many have the figure, at most `places`. */
size_t stretch_make(const struct report *rep, const struct stretch_line *l, size_t places,
		    struct stretch *out);

#endif
