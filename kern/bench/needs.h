/* SPDX-License-Identifier: MIT */
/* What a sequence needs of the CPU, and whether it is there. */
#ifndef NEEDS_H
#define NEEDS_H

#include "machine.h"
#include "seq.h"

/*
 * The reason why NEED_* bits of `needs` cannot be met here, or NULL. pmu_why: NULL if there is one.
 */
const char *needs_missing(const struct machine *m, u32 needs, const char *pmu_why);

#endif
