/* SPDX-License-Identifier: MIT */
/* Measures series line by line, several interleaved: between two samples nothing but the loop. */
#ifndef TRIAL_H
#define TRIAL_H

#include "bench.h"
#include "ruler.h"
#include "series.h"

/* Series taken interleaved at most, and lines between two looks at the conditions. */
#define TRIALS	     4
#define WINDOW_LINES 64

/* Samples discarded at each line: its code last ran a line of every other trial ago. */
#define TRIAL_PRELUDE 8

/* Room for the entries of one `type=lines` record beside its other fields. */
#define LINES_TEXT 800

/* One series being measured. */
struct trial {
	seq_fn *code;
	seq_fn *twin;	 /* the same with `empty`: its min is the overhead; NULL: none taken */
	struct series s; /* names, lines, samples and grows are the caller's; the rest is filled */
	struct series_acc acc;
	struct line_stats window[WINDOW_LINES]; /* lines not yet known to stand */
	struct line_entry lines;		/* equal lines, not yet sent; void unless `open` */
	bool open;
	char entry[LINES_TEXT]; /* `lines=` entries of the record being built */
	struct text entries;
	u64 twin_before;
};

/* What happened around the windows of all trials so far. */
struct disturbance {
	u64 windows, with_interrupts; /* lines; those with IF set at either end */
	u64 nmi, mce, smi;
	u64 redone, unsettled; /* spans of lines: measured again; never settled */
	u64 backwards;	       /* samples, in ticks, of lines that were measured again */
};

/*
 * Buffers for trials with lines of at most `samples`: false when the arena is too small, which
 * *wanted then tells in bytes.
 */
struct bench_buffers {
	u64 *x;
	u64 samples;
	struct hist *saved[TRIALS]; /* as the histograms were before the current window */
};
bool buffers_open(struct bench_buffers *b, u64 samples, u64 *wanted);

/*
 * Takes all trials' lines in turn: line 0 of each, line 1 of each, ... so that what drifts over
 * time meets all alike. All have equal geometry, n <= TRIALS. Every 20 ms or 64 lines the
 * conditions are looked at; lines between which they moved are taken again, at most CONDITIONS_REDO
 * times and while run->redo_left lasts. With detail=lines or full the lines are reported.
 */
void trial_measure(struct run *run, const struct bench_buffers *b, struct trial *t, size_t n,
		   struct disturbance *d);

/*
 * Three times `cpuid; rdtsc`, before each line: what is in flight from printing and statistics is
 * over.
 */
void trial_settle(void);

/*
 * Ticks that one sample costs, statistics included, and the least sample: the cheapest of a few
 * passes of 100 samples. hist is scratch.
 */
u64 trial_pilot(struct run *run, const struct bench_buffers *b, seq_fn *code, struct hist *hist,
		u64 *min);

#endif
