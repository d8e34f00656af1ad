/* SPDX-License-Identifier: MIT */
/* The figures of a run by name, each with how far it can be trusted to speak for the machine. */
#ifndef FIGURES_H
#define FIGURES_H

#include "run.h"

struct figure_held {
	struct figure f;
	size_t at;	/* place in report order */
	bool unsettled; /* the log says that its series or row did not settle */
	bool has_reach;
	u64 reach; /* how far a single outlier, the largest of its sample, moved it; as f.value */
};

/* Sorted by name; of a name that comes twice the first is held. */
struct figure_set {
	size_t n;
	struct figure_held *held;
};

void figure_set_make(const struct run *r, struct figure_set *out);
void figure_set_free(struct figure_set *s);
const struct figure_held *figure_set_find(const struct figure_set *s, const char *name);

/* The last word of a figure's name: its key. */
const char *figure_key(const char *name);

#endif
