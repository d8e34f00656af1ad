/* SPDX-License-Identifier: MIT */
/* Fixed counter 1 (CPU_CLK_UNHALTED.THREAD) for method 9. SDM volume 3, chapter 20. */
#ifndef PMU_H
#define PMU_H

#include "bench.h"

/* Starts the counter and sees it count; else false, with the reason in words. */
bool pmu_open(const struct machine *m, const char **why);

/* Puts back what pmu_open() changed. */
void pmu_close(void);

#endif
