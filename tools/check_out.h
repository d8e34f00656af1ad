/* SPDX-License-Identifier: MIT */
/* What comes of a check, for people and for programs. */
#ifndef CHECK_OUT_H
#define CHECK_OUT_H

#include <stdio.h>

#include "check.h"

struct check_show {
	const struct comparison *check;
	const struct baseline *baseline;
	bool all; /* rows of every verdict, not only those of note */
};

/* For people: verdict, machine, what may be why, rows. `prefix` stands before each line. */
void check_print(const struct check_show *s, FILE *to, const char *prefix);

/* "52 -> 72 ticks, +20 (+38.4%)" */
void row_change_print(const struct check_row *row, FILE *to);

/* TAP version 13, with what check_print() says as comments in front. */
void check_tap(const struct check_show *s, FILE *to);

/* JUnit XML: a test suite a machine, a test case a row. False, errno set, if writing failed. */
bool check_junit(const struct check_show *s, const char *path);

/* One JSON object on one line. */
void check_json(const struct check_show *s, FILE *to);

/* The keys in which a group's nearest baseline differs: "signature 0xa0678, baseline 0x50654" */
void group_difference_print(const struct check_group *g, FILE *to);

#endif
