/* SPDX-License-Identifier: MIT */
/* The suites' descriptions, one a file. */
#ifndef SUITES_H
#define SUITES_H

#include "bench.h"

extern const struct bench tsc_bench;	   /* tsc.c */
extern const struct bench stability_bench; /* stability.c */
extern const struct bench gaps_bench;	   /* gaps.c */
extern const struct bench xsave_bench;	   /* xsave.c */

#endif
