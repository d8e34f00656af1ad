/* SPDX-License-Identifier: MIT */
/*
 * What is made of gaps in time: from when on a difference of two TSC reads is one, how long they
 * are, what caused them, and how much a count says about the rate behind it. README "Gaps".
 */
#ifndef GAPS_H
#define GAPS_H

#include "fmt.h"
#include "options.h"
#include "types.h"

/*
 * A gap is a difference more than `ticks` above the usual one of its kind: within a turn of the
 * loop (inner) or from turn to turn (outer).
 */
struct gap_threshold {
	u64 ticks;
	u64 inner, outer; /* medians */
	u64 mad;	  /* the larger of the two median absolute deviations */
};

#define GAP_MADS  16  /* deviations above the median */
#define GAP_FLOOR 200 /* ticks; below 8 turns a slower core clock would be taken for gaps */
#define GAP_TURNS 8

/*
 * From a calibration's differences; sorts both. `given` instead of the rule, unless OPTION_UNSET.
 */
void gap_threshold(u64 *inner, size_t n_inner, u64 *outer, size_t n_outer, u64 given,
		   struct gap_threshold *out);

/* Gaps by the number of decimal digits of their length: [k] holds 10^k .. 10^(k+1) - 1. */
#define GAP_DECADES 20
struct gap_decades {
	u64 n[GAP_DECADES], ticks[GAP_DECADES];
};

void gap_decades_add(struct gap_decades *d, u64 length);
/* A line a decade that has any. tps: ticks a second, 0 for not known. */
void gap_decades_fmt(struct text *t, const struct gap_decades *d, u64 tps);

enum gap_cause {
	GAP_SMI,
	GAP_NMI,
	GAP_MCE,
	GAP_STALL,
	GAP_UNKNOWN,
	GAP_PREEMPTED, /* the host says that it took the time */
	GAP_CAUSES
};
extern const char *const gap_cause_name[GAP_CAUSES]; /* a word, for records */
const char *gap_cause_text(enum gap_cause c);	     /* for people */

/* What was counted around a stretch of time with that many gaps. */
struct gap_evidence {
	u64 gaps, smi, nmi, mce;
	bool smi_counted; /* by a counter that counts what the hardware does */
	bool alone;	  /* ring 0 of a machine: nobody else could have taken the time */
	bool steal_counted;
	u64 steal, lost; /* ticks: that the host says it took, that the gaps took above a turn */
};

struct gap_verdict {
	u64 n[GAP_CAUSES];   /* sums up to the gaps */
	enum gap_cause each; /* of any one of them; unknown where it cannot be told which */
	bool contradicts;    /* the counts do not explain each other */
};

void gap_judge(const struct gap_evidence *e, struct gap_verdict *v);

/* 95% bounds of the expected number, in thousandths, when n events were counted. */
struct count_bounds {
	u64 lo, hi;
};

/*
 * Counts up to COUNT_EXACT have the exact (central) Poisson interval, larger ones one that is never
 * narrower; none has the upper bound 3 alone (the rule of three).
 */
#define COUNT_EXACT 20
void count_bounds(u64 n, struct count_bounds *b);

/*
 * "0 SMI in 60 s: below 3 a minute (95%)", "3 SMI in 60 s: 3.0 a minute (95%: 0.6 to 8.8)"; without
 * a frequency (tps 0) "0 SMI in 60000000000 ticks: below 3 in as many (95%)". `in` is in ticks.
 */
void rate_fmt(struct text *t, u64 n, const char *what, u64 in, u64 tps);

/* "1.234 s", "61.7 us", "12 ns"; "N ticks" with tps 0. */
void duration_fmt(struct text *t, u64 ticks, u64 tps);

/* The limit in ticks, rounded down; false if it is a time and tps is 0. Saturates. */
bool gap_limit_ticks(const struct amount *limit, u64 tps, u64 *ticks);

/* Are n in `in` ticks more than the rate allows? tps not 0. */
bool rate_above(u64 n, u64 in, u64 tps, const struct amount *limit);

#endif
