/* SPDX-License-Identifier: MIT */
/* Sorted runs of (group, value, count) in a temporary file without a name, and their merging. */
#ifndef SPILL_H
#define SPILL_H

#include "types.h"

struct pair {
	u64 value;
	u32 group;
	u32 count;
};

/* By group, then value: for qsort(). */
int pair_compare(const void *a, const void *b);

struct spill_run;

struct spill {
	int fd; /* -1: no file yet */
	struct spill_run *run;
	size_t n;
	u64 bytes;     /* in the file */
	size_t buffer; /* bytes to read a run by, while merging */
	size_t *heap;  /* runs by their first pair, while merging */
	size_t n_heap;
	int error; /* an errno */
};

void spill_init(struct spill *r);
void spill_free(struct spill *r);

/* Appends a run; false if the file, in $TMPDIR or /tmp, cannot be made or written: see errno. */
bool spill_write(struct spill *r, const struct pair *p, size_t n);

/* Bytes written so far. */
u64 spill_bytes(const struct spill *r);

/* Starts merging, with one more run that is in memory. False without memory. */
bool spill_merge(struct spill *r, struct pair *p, size_t n);

/* The next pair in order. A pair may come several times. False at the end or on an error. */
bool spill_next(struct spill *r, struct pair *p);

/* True, and errno set, if reading the file failed. */
bool spill_failed(const struct spill *r);

#endif
