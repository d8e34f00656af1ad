/* SPDX-License-Identifier: MIT */
/* Many machines side by side: each with the figures of its last usable run, and which of them stand
 * out in its fleet. */
#ifndef FLEET_H
#define FLEET_H

#include "figures.h"

#define FLEET_LEAST 3 /* machines, for a median to say something */

/* One figure that stands out. In the figure's unit, times its scale. */
struct fleet_out {
	const struct figure *figure;
	u64 median, mad;
	u64 tenths;  /* how many times the MAD it is off, times 10; where `by_mad` is false, the
			least that counts as one */
	bool by_mad; /* the MAD is large enough to be counted in */
};

struct machine {
	const char *path; /* of its log */
	struct run *run;
	u64 key; /* of what it is known by; 0: nothing */
	bool usable;
	u64 runs; /* usable ones of it in all logs */
	struct figure_set figures;
	size_t fleet; /* machines of a fleet have the same number: the first one's in the logs */
	size_t n_out;
	struct fleet_out *out; /* what stands out, the farthest first */
};

/* Not empty, and not what firmware says where nobody filled it in. */
bool fleet_word_known(const char *text);

/* Label, serial number, or the log's path. */
const char *fleet_machine_name(const struct machine *m);

/* Fills n_out and out of all. */
void fleet_outliers_find(struct machine *m, size_t n);

/* Is the farthest that stands out of a kind that no single disturbance moves? */
bool fleet_out_steady(const struct machine *m);

/* One fleet: n > 0 machines, in the order of the rows. */
void fleet_print(const struct machine *m, size_t n);

#endif
