/* SPDX-License-Identifier: MIT */
/* The checks of a run, in order, and what they add up to. */
#ifndef VERDICT_H
#define VERDICT_H

#include "fmt.h"
#include "types.h"

/* Worst wins. failed: the machine is not fit; error: our own measurement broke. */
enum status { STATUS_OK, STATUS_SKIP, STATUS_UNSTABLE, STATUS_FAILED, STATUS_ERROR };

#define CHECK_NAME   40
#define CHECK_REASON 200
#define VERDICT_MAX  128

struct check {
	char name[CHECK_NAME];
	enum status status;
	char reason[CHECK_REASON];
};

struct verdict {
	size_t n;
	size_t lost; /* checks beyond VERDICT_MAX: an error of its own */
	struct check check[VERDICT_MAX];
};

/*
 * A second entry of the same name merges: the worse status and its reason stay, the first of
 * equals. A name is cut to CHECK_NAME - 1 bytes; a reason that is too long ends in "...".
 */
void verdict_add(struct verdict *v, const char *name, enum status s, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

const struct check *verdict_find(const struct verdict *v, const char *name);

/* Does the run pass, i.e. has it no `not ok`? With `strict`, unstable is `not ok` too. */
bool verdict_pass(const struct verdict *v, bool strict);

/* How many KTAP result lines there are: one a check, and one more if any were lost. */
size_t verdict_lines(const struct verdict *v);

/* KTAP result line i (from 0, below verdict_lines), no line end. */
void verdict_ktap(const struct verdict *v, size_t i, bool strict, struct text *t);

/*
 * The inverse of verdict_ktap(): a result line without its end. *ok and *number are what it begins
 * with. False if it is none. A reason that is too long is cut.
 */
bool verdict_ktap_parse(const char *line, size_t n, bool *ok, u64 *number, struct check *c);

enum trust { TRUST_GOOD, TRUST_UNKNOWN, TRUST_DEGRADED, TRUST_BAD };

/* What TRUST is judged from, besides the checks. */
struct trust_facts {
	bool emulated;
	u32 cpus, cpus_measured; /* cpus 0: not known */
	u64 gap_seconds;	 /* how long gaps were watched */
	bool untimed;		 /* they were, by no frequency to be trusted: for how long? */
	bool interrupts_on;	 /* a process */
};

/* Appends the reasons in words, "; " between them. The rule table is in verdict.c. */
enum trust verdict_trust(const struct verdict *v, const struct trust_facts *f,
			 struct text *reasons);
const char *trust_name(enum trust t);

#endif
