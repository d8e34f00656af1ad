/* SPDX-License-Identifier: MIT */
/* A suite, and what a run hands from one to the next. Adding one: HACKING.md. */
#ifndef BENCH_H
#define BENCH_H

#include "env.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "result.h"
#include "seq.h"
#include "verdict.h"

#define RUN_HEADLINES 10

struct run {
	const struct machine *machine;
	struct options *options;
	enum profile profile; /* never PROFILE_AUTO */
	struct verdict *verdict;
	struct report *report;
	struct seq_scratch *scratch;
	struct step step; /* over all series so far */
	struct {
		u64 adds, nops; /* MAD of ruler and canary in the run's own pilot, ticks */
	} noise;
	u64 redo_left;			   /* ticks that may still go into measuring again */
	struct recommendation recommended; /* method 5, default, until tsc has run */
	u64 gap_seconds;		   /* how long gaps were watched */
	u64 gap_ticks;			   /* the same, 0: not at all */
	u64 gap_smi;			   /* counted meanwhile, those asked for apart */
	u64 gap_stalls; /* of the gaps those that nothing explains that is counted */
	bool icount;	/* the canary shows one tick an instruction */
	bool measured;	/* some suite has measured something */
	char headline[RUN_HEADLINES][80]; /* for the closing summary, a line each */
	u32 n_headlines;
};

struct bench {
	const char *name;
	const char *doc;	      /* one line: the help prints it */
	void (*run)(struct run *run); /* NULL: not built, reported as a SKIP */
};

extern const struct bench *const bench_list[];
extern const size_t bench_list_n;

/* One line of the closing summary, e.g. "USE", "method 5 ...". */
void run_headline(struct run *run, const char *topic, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Numbers of an emulated machine are printed and marked, never judged. */
bool run_emulated(const struct run *run);

/* Every combination is wanted, at any length. */
static inline bool run_detail_full(const struct run *run)
{
	return run->options->detail & DETAIL_FULL;
}

/*
 * The whole report: begin, the suites chosen, verdict, summary, end. True iff there is no `not ok`.
 * Suite and method names that do not exist are added to the options' problems.
 */
bool bench_run(const struct machine *machine, struct options *options);

/* The suites, a line each, for the help. */
void bench_help(struct text *t);

#endif
