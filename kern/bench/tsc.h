/* SPDX-License-Identifier: MIT */
/*
 * The tsc suite's state between its two halves: tsc.c measures, tsc_report.c says what was found.
 */
#ifndef TSC_H
#define TSC_H

#include "plan.h"
#include "tables.h"
#include "trial.h"

/* Without detail=full: empty under the other preambles, the reg form, the other workloads. */
#define METHOD_OTHERS (PREAMBLES - 1 + 1 + WORKLOADS - 1)

/* Everything the suite knows of one method. */
struct method_state {
	const struct seq_method *m;
	const char *skip; /* the reason, or NULL */
	struct plan_cost cost;
	struct plan plan;
	struct series base;		    /* empty, preamble none */
	struct series other[METHOD_OTHERS]; /* the rest, in the order measured */
	u32 n_others;
	u64 samples;	   /* that stay, over all its series */
	struct hist *hist; /* of base */
	struct minima_row minima;
	struct candidate candidate;
};

struct tsc_suite {
	struct run *run;
	struct method_state method[SEQ_METHODS];
	u32 chosen; /* methods to measure */
	struct bench_buffers buffers;
	struct hist *scratch_hist[PREAMBLES];
	struct plan full;
	struct disturbance disturbance;
	u64 backwards;
};

/* One series as it is done: a record of its own, or kept for the method's `rows` record. */
void tsc_series_report(struct tsc_suite *s, struct method_state *ms, const struct trial *t);
void tsc_rows_report(struct tsc_suite *s, const struct method_state *ms);

/* Before the first and before each method: what is coming and how long it takes. */
void tsc_estimate_report(const struct tsc_suite *s);
void tsc_left_report(const struct tsc_suite *s, u32 from);

/* A check for each method that was asked for; those left out are SKIPs with the reason. */
void tsc_methods_check(const struct tsc_suite *s);

/* Of the methods chosen tables, legend, recommendation (which it makes), histograms; checks. */
void tsc_report(struct tsc_suite *s);

#endif
