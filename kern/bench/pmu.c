// SPDX-License-Identifier: MIT
/* Fixed counter 1, switched on for the run: see pmu.h. */
#include "pmu.h"

#define IA32_FIXED_CTR_CTRL   0x38D
#define IA32_PERF_GLOBAL_CTRL 0x38F
#define FIXED_CTR1_RING_ALL   (3ull << 4)
#define GLOBAL_FIXED_CTR1     (1ull << 33)
#define RDPMC_FIXED_CTR1      0x40000001u

static u64 saved_fixed, saved_global;
static bool opened;

static bool pmu_counts(void)
{
	u64 a, b;

	if (!rdpmc_safe(RDPMC_FIXED_CTR1, &a))
		return false;
	seq_ruler(RULER_ADDS);
	return rdpmc_safe(RDPMC_FIXED_CTR1, &b) && b > a;
}

bool pmu_open(const struct machine *m, const char **why)
{
	if (m->process) {
		*why = "a process may not program the PMU";
		return false;
	}
	if (!m->pmu || !m->intel) {
		*why = "no architectural PMU (CPUID.0AH)";
		return false;
	}
	if (!env_rdmsr(IA32_FIXED_CTR_CTRL, &saved_fixed) ||
	    !env_rdmsr(IA32_PERF_GLOBAL_CTRL, &saved_global)) {
		*why = "PMU advertised, its MSRs fault";
		return false;
	}
	opened = true;
	if (env_wrmsr(IA32_FIXED_CTR_CTRL, saved_fixed | FIXED_CTR1_RING_ALL) &&
	    env_wrmsr(IA32_PERF_GLOBAL_CTRL, saved_global | GLOBAL_FIXED_CTR1) && pmu_counts())
		return true;
	pmu_close();
	*why = "PMU advertised, fixed counter 1 does not count";
	return false;
}

void pmu_close(void)
{
	if (!opened)
		return;
	env_wrmsr(IA32_PERF_GLOBAL_CTRL, saved_global);
	env_wrmsr(IA32_FIXED_CTR_CTRL, saved_fixed);
	opened = false;
}
