// SPDX-License-Identifier: MIT
/* Which counter of SMIs a machine has: see smi_counter.h. */
#include "smi_counter.h"

#define LEAF_FEATURES	  0x80000001u
#define PERFCTR_EXT_CORE  (1u << 23) /* ECX */
#define FAMILY_WITH_EVENT 0x17

enum smi_counter smi_counter_choose(const struct machine *m, cpuid_reader *read, void *ctx)
{
	if (m->process)
		return SMI_COUNTER_NONE;
	if (m->intel)
		return SMI_COUNTER_INTEL_MSR;
	if (!m->amd || m->hypervisor || m->family < FAMILY_WITH_EVENT || m->max_ext < LEAF_FEATURES)
		return SMI_COUNTER_NONE;
	if (!(read(ctx, LEAF_FEATURES, 0).ecx & PERFCTR_EXT_CORE))
		return SMI_COUNTER_NONE;
	return SMI_COUNTER_AMD_PMC;
}
