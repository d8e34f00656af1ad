/* SPDX-License-Identifier: MIT */
/*
 * The gaps suite's state, between its parts: gaps.c watches, gaps_smi.c makes SMIs where asked,
 * gaps_report.c says what was found. Its records: README "Records".
 */
#ifndef GAPS_SUITE_H
#define GAPS_SUITE_H

#include "bench.h"
#include "gaps.h"
#include "period.h"

#define GAPS_KEPT	    64
#define GAPS_CALIBRATION    512 /* differences of each kind */
#define GAPS_CONTRADICTIONS 8	/* printed */

struct gap_kept {
	u64 at, length;
	enum gap_cause cause;
};

/* Sums over some time. */
struct gap_sums {
	u64 at; /* its start */
	u64 windows, watched, turns;
	u64 n, stolen, longest, most;
	u64 smi, nmi, mce;
	u64 cause[GAP_CAUSES];
	bool contradicts;
};

/* Positive control: SMIs written to a port at instants of our choosing. */
struct gaps_smi {
	bool on, handler;
	const char *refused; /* why it is not on */
	struct smi_command command;
	u64 asked, written, counted, found, missed, other;
	u64 stay, noted, above, late, over_min, over_max;
	u64 spacing, next; /* ticks, and the next instant (TSC) */
	u64 random;
	u64 truth_before, at; /* of the one under way */
	bool under_way;
};

struct gaps_suite {
	struct run *run;
	u64 tps;    /* ticks a second; 0: not to be trusted */
	u64 second; /* the same, or 1 GHz: for how long to run */
	u64 soak;   /* seconds */
	u64 most_turns;
	bool has_evidence; /* reading it between two gaps is worth while */
	struct seq_gaps loop;
	struct seq_gap *found;
	u64 *sample; /* two calibrations of GAPS_CALIBRATION */
	struct gap_threshold threshold;
	u64 start, wall;
	u64 said;			   /* what wall was when the last record was sent */
	struct gap_sums all, window, part; /* part: since the last record */
	struct gap_decades decades;
	struct gap_kept kept[GAPS_KEPT];
	u32 n_kept, n_sent;
	struct seq_gap recent[PERIOD_EVENTS]; /* the last gaps, a ring; TSC reads */
	struct period period;
	u64 backwards, with_interrupts;
	bool stuck; /* the TSC did not move */
	struct evidence first, last;
	u64 contradictions;
	struct gaps_smi smi;
	struct smi_sources sources;
};

/* After each few windows, and at the end. */
void gaps_part_report(struct gaps_suite *s);
void gaps_contradiction_report(struct gaps_suite *s);
void gaps_report(struct gaps_suite *s);
void gaps_checks(struct gaps_suite *s);

/* smi=: opens the control or says why not; the rest does nothing when it is not on. */
void gaps_smi_open(struct gaps_suite *s);
/* The next instant, if it comes before the loop's stop: the loop will write then. */
void gaps_smi_arm(struct gaps_suite *s);
/* After the call: was it written, and was it found? smi: counted meanwhile. */
void gaps_smi_compare(struct gaps_suite *s, u64 smi);
void gaps_smi_report(struct gaps_suite *s);

/* SMIs counted between two readings. */
u64 gaps_smi_moved(const struct evidence *before, const struct evidence *after);

#endif
