/* SPDX-License-Identifier: MIT */
/* Sorted runs of (group, value, count) in a temporary file without a name, and their merging. */
#ifndef RUNS_H
#define RUNS_H

#include "types.h"

struct pair {
	u64 value;
	u32 group;
	u32 count;
};

/* By group, then value: for qsort(). */
int pair_compare(const void *a, const void *b);

struct run;

struct runs {
	int fd; /* -1: no file yet */
	struct run *run;
	size_t n;
	u64 bytes;     /* in the file */
	size_t buffer; /* bytes to read a run by, while merging */
	size_t *heap;  /* runs by their first pair, while merging */
	size_t n_heap;
	int error; /* an errno */
};

void runs_init(struct runs *r);
void runs_free(struct runs *r);

/* Appends a run; false if the file, in $TMPDIR or /tmp, cannot be made or written: see errno. */
bool runs_write(struct runs *r, const struct pair *p, size_t n);

/* Bytes written so far. */
u64 runs_bytes(const struct runs *r);

/* Starts merging, with one more run that is in memory. False without memory. */
bool runs_merge(struct runs *r, struct pair *p, size_t n);

/* The next pair in order. A pair may come several times. False at the end or on an error. */
bool runs_next(struct runs *r, struct pair *p);

/* True, and errno set, if reading the file failed. */
bool runs_failed(const struct runs *r);

#endif
