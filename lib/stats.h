/* SPDX-License-Identifier: MIT */
/*
 * Exact integer statistics over TSC ticks (or any unit: no function here knows).
 * No floating point; sums are 128 bit; an overflow is a state, never a wrapped number.
 */
#ifndef STATS_H
#define STATS_H

#include "fmt.h"
#include "types.h"

/* A variance in unit squared: whole.milli, rounded half up at the third decimal. */
struct variance {
	u128 whole;
	u32 milli;     /* 0..999 */
	bool overflow; /* 128 bits did not hold an intermediate value; whole and milli are 0 */
};

/* "12.345" or "overflow". */
void variance_fmt(struct text *t, const struct variance *v);

/* Its inverse; false, and *v untouched, if text[0..n) is neither form. */
bool variance_parse(const char *text, size_t n, struct variance *v);

/*
 * Running moments about `base`, which is chosen near the data so that the sums stay small; the
 * variance does not depend on it. Any order. Values beyond MOMENTS_MAX of them are not taken in at
 * all; that is an overflow too.
 */
#define MOMENTS_MAX (1ull << 56)

struct moments {
	u64 n;
	u64 base;
	u64 min, max; /* of the values themselves; min = ~0, max = 0 while n = 0 */
	i128 sum;     /* of (value - base) */
	u128 sumsq;   /* of (value - base)^2; stays at ~0 once it has overflowed */
	bool overflow;
};

void moments_init(struct moments *m, u64 base);
void moments_add(struct moments *m, u64 value);
void moments_add_n(struct moments *m, u64 value, u64 times);
void moments_add_all(struct moments *m, const u64 *x, size_t n);

/* Population variance (n*sumsq - sum^2) / n^2. n = 0 and n = 1 give 0.000. */
struct variance moments_variance(const struct moments *m);

/* One line of samples. */
struct line_stats {
	u64 n, min, max; /* n = 0: min = max = 0 */
	struct variance var;
	u64 var_int; /* variance truncated to an integer; ~0 if it does not fit */
};

void stats_line(const u64 *x, size_t n, struct line_stats *out);

/*
 * Samples whose end came before their start wrap to values with bit 63 set. Removes them in place,
 * keeping the order, and returns how many stay; *backwards grows by the number removed.
 */
size_t stats_drop_backwards(u64 *x, size_t n, u64 *backwards);

void stats_sort(u64 *x, size_t n); /* ascending, in place, O(n log n), no recursion */

/*
 * 1-based nearest rank ceil(n * num / den), within 1 .. n; 0 when n = 0. num/den is e.g. 999/1000,
 * den not 0.
 */
u64 stats_rank(u64 n, u32 num, u32 den);

/* How many of n samples a 97% average keeps: trunc(n * 0.97 + 0.5). */
u64 stats_kept97(u64 n);

struct latency {
	u64 n, kept;
	u64 min, max, avg, avg97, p50, p99; /* all 0 when n = 0; averages rounded half up */
};

/* Sorts x. */
void stats_latency(u64 *x, size_t n, struct latency *out);

/* Takes `overhead` off every sample; a negative result is kept as 0. Returns how many were. */
u64 stats_subtract(u64 *x, size_t n, u64 overhead);

/*
 * Median absolute deviation about the median (nearest rank both times; both 0 when n = 0). Sorts
 * and overwrites x.
 */
u64 stats_mad(u64 *x, size_t n, u64 *median);

/*
 * The TSC's step: gcd of all deltas seen; known from two distinct deltas on, of which one may be 0.
 * Starts as all zeros.
 */
struct step {
	u64 gcd;
	u64 first; /* the first nonzero delta, 0 before it */
	bool seen, known;
};

void step_add(struct step *s, const u64 *x, size_t n);
u64 step_value(const struct step *s); /* the step in ticks, 0 while unknown */

#endif
