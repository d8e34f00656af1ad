/* SPDX-License-Identifier: MIT */
/* A suite, and what a run hands from one to the next. Adding one: HACKING.md. */
#ifndef BENCH_H
#define BENCH_H

#include "env.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "result.h"
#include "verdict.h"

struct run {
	const struct machine *machine;
	const struct options *options;
	enum profile profile; /* never PROFILE_AUTO */
	struct verdict *verdict;
	struct report *report;
	struct step step;                  /* over all series so far */
	struct recommendation recommended; /* method 5, default, until tsc has run */
	u64 gap_seconds;
};

struct bench {
	const char *name;
	const char *doc; /* one line: the help prints it */
	const char *unit;
	void (*run)(struct run *run);
};

extern const struct bench *const bench_list[];
extern const size_t bench_list_n;

/* The whole report: begin, the suites chosen, verdict, summary, end. True iff there is no `not ok`. */
bool bench_run(const struct machine *machine, struct options *options);

#endif
