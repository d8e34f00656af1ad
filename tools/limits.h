/* SPDX-License-Identifier: MIT */
/*
 * From when on a change of a figure counts: limits by class of figure and by name. One rule a line,
 *
 *   PATTERN KEY=VALUE ...    # comment
 *
 * PATTERN is @floor, @typical, @tail, @spread or @count for all figures of a class, or a name with
 * * and ? in it. Keys: abs=N in the figure's unit and rel=N% of the baseline, both of which a
 * change must pass; mad=K, how many median deviations of the baseline's runs; alone=F, by what abs
 * and rel are multiplied when the baseline has too few runs to tell their noise, or no; judge=yes
 * or no. Numbers may have three decimals. Of several rules that fit the last counts, key by key.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdio.h>

#include "run.h"

#define LIMIT_NEVER (~0ull) /* alone=no */

/* All in thousandths. */
struct limit {
	u64 abs, rel, mad, alone;
	bool judge;
};

struct limit_rule;

struct limits {
	size_t n;
	struct limit_rule *rule;
	const char *file; /* what rules come from besides the built-in ones; NULL: nothing */
};

void limits_init(struct limits *l); /* the built-in rules */
void limits_free(struct limits *l);

/* Adds a file's rules. False if it cannot be read or has errors, which was said. */
bool limits_read(struct limits *l, const struct command *c, const char *path);

/* The limits of a figure. */
void limits_for(const struct limits *l, const char *name, enum figure_class class,
		struct limit *out);

/* Says which rules of the file fitted no figure so far: a misspelt name would go unnoticed. */
void limits_say_unused(const struct limits *l, const struct command *c);

/* All rules in force as a file that could be read again, each line after `indent`. */
void limits_print(const struct limits *l, FILE *to, const char *indent);

/* "4", "0.5", of thousandths. */
void milli_fmt(struct text *t, u64 milli);

#endif
