/* SPDX-License-Identifier: MIT */
/* The last words of a report: at most 40 lines that say why, what to do, which method to use. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "bench.h"

void summary_report(struct run *run, bool pass);

#endif
