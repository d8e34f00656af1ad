/* SPDX-License-Identifier: MIT */
/*
 * Histogram of a series: exact bins for base .. base + 4095, above that 64 sub-buckets an octave of
 * (value - base), below the base one counter. Exact moments beside it.
 */
#ifndef HIST_H
#define HIST_H

#include "stats.h"
#include "types.h"

#define HIST_EXACT   4096
#define HIST_SUB     64
#define HIST_OCTAVES 52 /* values of bit width 13 .. 64 */
#define HIST_BINS    (HIST_EXACT + HIST_OCTAVES * HIST_SUB)

struct hist {
	struct moments m; /* m.base is the histogram's base */
	u64 below;	  /* values under the base */
	u64 bin[HIST_BINS];
};

/* A figure: exact when lo == hi, else only known to lie in [lo, hi]. */
struct bound {
	u64 lo, hi;
};

/* Where the exact bins begin, by the least of a few samples: later ones may be less. */
u64 hist_base(u64 least);

void hist_init(struct hist *h, u64 base);
void hist_add(struct hist *h, const u64 *x, size_t n);
void hist_add_n(struct hist *h, u64 value, u64 times);

/* The values that bin i stands for. */
struct bound hist_bin_range(const struct hist *h, size_t i);

/* Nearest-rank percentile num/den; {0, 0} when empty. The bounds never pass min and max. */
struct bound hist_percentile(const struct hist *h, u32 num, u32 den);

/* "38" or "4224..4287". */
void bound_fmt(struct text *t, const struct bound *b);

/* Its inverse; false, and *b untouched, if text[0..n) is neither form. */
bool bound_parse(const char *text, size_t n, struct bound *b);

#endif
