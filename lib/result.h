/* SPDX-License-Identifier: MIT */
/* What the suites hand to the report: plain data, and what follows from it alone. */
#ifndef RESULT_H
#define RESULT_H

#include "hist.h"
#include "outliers.h"
#include "stats.h"
#include "types.h"

/* One series: a method x form x workload x preamble over all its lines. Ticks, or cycles for 9. */
struct series {
	const char *method, *form, *workload, *preamble, *unit;
	u64 lines, samples; /* as measured, after the budget */
	bool trimmed;	    /* the budget gave fewer samples than the profile asks */
	bool grows;	    /* loop: minima are meant to grow */
	u64 n, backwards;
	u64 min, max, max_dev; /* max_dev: the largest (max - min) of a line */
	u64 spurious;	       /* lines whose min is below the min of the line before */
	struct variance mean_var;
	struct variance var_var; /* of the lines' integer variances */
	struct variance var_min;
	struct bound p50, p97, p99, p999;
	u64 first, warm; /* the very first sample; the median of the discarded first line */
	u64 resolution;	 /* loop only: smallest j told apart from 0; 0 unknown */
	u64 redone;	 /* spans of lines measured again since the conditions moved */
	u64 unsettled;	 /* spans whose conditions never settled: the series is unstable */
	u64 ratio;	 /* core cycles per tick x 10,000 where it held, else 0 */
	u64 overhead;	 /* min of the `empty` twin, taken before and after; not subtracted */
	bool overhead_known, overhead_stable; /* stable: both agree within one step */
};

/* A method as the recommendation sees it: no pointers into a run, so tests can write it down. */
struct candidate {
	const char *id;
	bool measured; /* false: skipped, and the rest is void */
	bool ticks;    /* unit is ticks */
	bool symmetric;
	u64 backwards;
	u64 min_pre[4]; /* min of the empty series per preamble */
	u32 n_pre;
	struct variance var_min;
	u64 resolution; /* 0 unknown */
	u64 min;
};

struct recommendation {
	const char *id;
	bool is_default; /* nothing was eligible */
	char reason[160];
};

/*
 * Which rule it is: to be raised with any change of what recommend() chooses or says, for a log is
 * held against the rule of its kernel alone.
 */
#define RECOMMEND_RULE 1

/* The rule of README "Recommendation". step 0 (unknown) counts as 1. */
void recommend(const struct candidate *c, size_t n, u64 step, struct recommendation *out);

/* Why the candidate is not eligible, or NULL; step as above. */
const char *recommend_reject(const struct candidate *c, u64 step);

#define RULER_ADDS 100000

/* Ruler and canary of one window. */
struct ruler {
	u64 adds_ticks;	 /* min for 100,000 dependent one-cycle adds */
	u64 nops_ticks;	 /* canary: lowest mean of 4 passes of 8,192 NOPs */
	bool nops_equal; /* all repeats of the canary read the same */
};

/* Core cycles per TSC tick, times 10,000. */
u64 ruler_ratio(const struct ruler *r);

/* Ticks in core cycles at such a ratio, rounded half up. */
u64 ruler_cycles(u64 ticks, u64 ratio);

struct outlier {
	u64 at;	    /* ticks since the suite's start */
	u64 length; /* ticks */
};

#define STABILITY_OUTLIERS 16

struct stability {
	const char *method;
	u64 rounds, n, backwards;
	u64 min, max, spread, threshold;
	struct bound p50, p97, p99, p999;
	u64 outliers; /* rounds above min + threshold */
	u64 duration; /* ticks */
	u64 classed;  /* outliers that were looked at for period and class */
	u64 by_class[OUTLIER_CLASSES];
	u64 period; /* ticks between outliers where regular, else 0 */
	struct ruler before, after;
	u64 redone; /* blocks measured again since the ruler moved */
	u32 kept;
	struct outlier first[STABILITY_OUTLIERS];
};

/* One cell of the XSAVE table. */
struct xcell {
	const char *event; /* the instruction and its variant: xsave, xsaveopt, xrstor_dirty ... */
	u64 rfbm, xinuse;
	u64 xstate_bv; /* read back from the saved image; for restores the image's */
	struct latency lat;
	u64 overhead, clamped;
	u64 ratio; /* core cycles per tick x 10,000 where it held and is told, else 0 */
	bool overhead_stable;
	bool unstable; /* ruler or canary moved and did not settle */
};

#endif
