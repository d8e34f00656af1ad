/* SPDX-License-Identifier: MIT */
/* What kind of outliers these are, by when they came: nothing is only dropped. */
#ifndef OUTLIERS_H
#define OUTLIERS_H

#include "types.h"

enum outlier_class {
	OUTLIER_BURST,	  /* another came within `near` ticks */
	OUTLIER_PERIODIC, /* else: whole periods away from the one before or after it */
	OUTLIER_SINGLE,	  /* else */
	OUTLIER_CLASSES
};

/* at[0..n): times in ticks, ascending. period in ticks, 0: none is known. Sums up to n. */
void outliers_class(const u64 *at, size_t n, u64 period, u64 near, u64 count[OUTLIER_CLASSES]);

#endif
