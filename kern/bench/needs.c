// SPDX-License-Identifier: MIT
/* Needs of sequences, in the words that a SKIP prints: see needs.h. */
#include "needs.h"

const char *needs_missing(const struct machine *m, u32 needs, const char *pmu_why)
{
	if ((needs & NEED_RDTSCP) && !m->rdtscp)
		return "no RDTSCP (CPUID.80000001H:EDX[27])";
	if ((needs & NEED_SERIALIZE) && !m->serialize)
		return "no SERIALIZE (CPUID.7.0:EDX[14])";
	if (needs & NEED_RDPMC)
		return pmu_why;
	return NULL;
}
