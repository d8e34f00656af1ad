/* SPDX-License-Identifier: MIT */
/*
 * What counts SMIs here: Intel's MSR_SMI_COUNT (SDM volume 4), or a core performance counter of AMD
 * with event 02Bh, "SMIs received" (processor programming references of family 17h and later).
 */
#ifndef SMI_COUNTER_H
#define SMI_COUNTER_H

#include "machine.h"

enum smi_counter { SMI_COUNTER_NONE, SMI_COUNTER_INTEL_MSR, SMI_COUNTER_AMD_PMC };

/*
 * AMD's only without a hypervisor, which would have to make it up. A choice is no proof that it
 * counts: that is for its user to see.
 */
enum smi_counter smi_counter_choose(const struct machine *m, cpuid_reader *read, void *ctx);

/* PERF_CTL0 and PERF_CTR0, 48 bits wide. APM volume 2, 13.2.1. */
#define MSR_AMD_PERF_CTL0  0xc0010200
#define MSR_AMD_PERF_CTR0  0xc0010201
#define AMD_PERF_CTR_MASK  ((1ull << 48) - 1)
#define AMD_PERF_CTL_EN	   (1ull << 22)
#define AMD_PERF_CTL_RINGS (3ull << 16) /* user and OS mode */
#define AMD_EVENT_SMI	   0x2bull
#define AMD_EVENT_RETIRED  0xc0ull /* retired instructions */

#endif
