// SPDX-License-Identifier: MIT
/* Classes of outliers: see outliers.h. */
#include "outliers.h"

/* Whole periods, to a twentieth of one; far multiples would fit anything. */
#define PERIODS_MOST 16

static bool periods_apart(u64 distance, u64 period)
{
	u64 whole, rest;

	if (period == 0)
		return false;
	whole = distance / period;
	rest = distance % period;
	if (rest > period - rest) {
		rest = period - rest;
		whole++;
	}
	return whole >= 1 && whole <= PERIODS_MOST && rest <= period / 20;
}

static enum outlier_class class_of(u64 before, u64 after, u64 period, u64 near)
{
	if (before <= near || after <= near)
		return OUTLIER_BURST;
	if (periods_apart(before, period) || periods_apart(after, period))
		return OUTLIER_PERIODIC;
	return OUTLIER_SINGLE;
}

void outliers_class(const u64 *at, size_t n, u64 period, u64 near, u64 count[OUTLIER_CLASSES])
{
	for (int c = 0; c < OUTLIER_CLASSES; c++)
		count[c] = 0;
	for (size_t i = 0; i < n; i++) {
		u64 before = i ? at[i] - at[i - 1] : ~0ull;
		u64 after = i + 1 < n ? at[i + 1] - at[i] : ~0ull;

		count[class_of(before, after, period, near)]++;
	}
}
