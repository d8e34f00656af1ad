/* SPDX-License-Identifier: MIT */
/* A run as one side of a check has it: what it may be compared with, and what it measured. */
#ifndef PARTY_H
#define PARTY_H

#include "figures.h"
#include "options.h"
#include "run.h"

/*
 * What ruler (core clock) and canary (core clock or sibling thread) read within a run. Series say
 * by which core clock they were taken, where it held.
 */
struct clocks {
	bool known;
	u64 ratio_min, ratio_max; /* core cycles per tick x 10,000 */
	u64 nops_min, nops_max;	  /* ticks */
};

struct party {
	struct run *run;
	char *from; /* FILE, or STORE: FILE */
	struct figure_set figures;
	u64 content; /* CRC-64 of its records */
	struct clocks clocks;
	char options[2048]; /* those that bear on what is measured */
};

struct side {
	size_t n;
	struct party **at;
};

/* The run is the side's from now on. */
void side_add(struct side *s, struct run *r, const char *from, const char *within);
void side_free(struct side *s);

/* ---- which runs can be compared at all */

#define PARTY_KEYS 8

extern const char *const party_key_name[PARTY_KEYS];
const char *party_key(const struct party *p, size_t i);

/* Bit i: key i differs. 0: the two can be compared. */
u32 party_difference(const struct party *a, const struct party *b);

bool party_is_emulated(const struct party *p);

/* Is it the same run, to the last record? */
bool party_same(const struct party *a, const struct party *b);

/* Is the one added last there twice? Then it goes again. */
bool side_drop_repeated(struct side *s);

#endif
