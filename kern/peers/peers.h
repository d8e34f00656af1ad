/* SPDX-License-Identifier: MIT */
/* Our methods beside what others use, on this machine, in one process: the parts of the program. */
#ifndef PEERS_H
#define PEERS_H

#include "bench.h"
#include "stats.h"
#include "trial.h"

/* One way of reading the time twice: n differences into out[], as a seq_fn. */
struct reader {
	const char *name;
	const char *method;   /* of ours: its id, in the form mem; else NULL */
	seq_fn *empty, *loop; /* of ours: set by readers_open() */
	u32 needs;	      /* NEED_* */
	bool matrix; /* its samples stay: a matrix of lines x samples, not touched before */
	bool ns;     /* nanoseconds, not ticks */
};

#define READERS 10
extern struct reader reader_table[READERS];
void readers_open(void);

/* The one that the others are compared with: method 5 in the form mem. */
#define READER_OURS 0

/* pairs.asm: method 5's loop without its end's read, and without both. */
extern seq_fn turn_read, turn_bare;

/* What the command line asks for; 0: the part's own choice. */
struct bench_ask {
	u64 seed, lines, samples, windows;
};

/* Writes to standard output; what is under way goes to standard error. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress(const char *what, u64 done, u64 of);

/* Each part measures and prints; false, with words on standard error, if it could not. */
bool compare_run(struct run *run, const struct bench_ask *ask);
bool turn_run(struct run *run, const struct bench_ask *ask);
bool alarm_run(struct run *run, const struct bench_ask *ask);

/* Ticks a sample, times 100, of one line of n samples at loop size j; samples go to out. */
u64 line_take(seq_fn *code, u64 *out, u64 n, u64 j, struct seq_scratch *scratch, u64 *prelude);

#endif
