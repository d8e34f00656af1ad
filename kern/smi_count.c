// SPDX-License-Identifier: MIT
/*
 * SMIs counted by MSR_SMI_COUNT or by AMD's performance event 02Bh. The latter has not been seen at
 * work: written by AMD's manuals, and used only after the same counter was seen to count another
 * event.
 */
#include "smi_count.h"

#include "insn.h"
#include "msr.h"
#include "smi_counter.h"

#define PROOF_TURNS 1000 /* instructions at least, for the counter to count */

static enum smi_counter counter = SMI_COUNTER_NONE;
static bool hypervisor;
static u64 found_ctl, found_ctr;

/* A write that is ignored reads back as something else. */
static bool pmc_select(u64 event)
{
	const u64 ctl = event | AMD_PERF_CTL_RINGS | AMD_PERF_CTL_EN;
	u64 v;

	return wrmsr_safe(MSR_AMD_PERF_CTL0, 0) && wrmsr_safe(MSR_AMD_PERF_CTR0, 0) &&
	       wrmsr_safe(MSR_AMD_PERF_CTL0, ctl) && rdmsr_safe(MSR_AMD_PERF_CTL0, &v) && v == ctl;
}

static bool pmc_counts(void)
{
	u64 v;

	if (!pmc_select(AMD_EVENT_RETIRED))
		return false;
	for (u32 i = 0; i < PROOF_TURNS; i++)
		cpu_pause();
	return rdmsr_safe(MSR_AMD_PERF_CTR0, &v) && (v & AMD_PERF_CTR_MASK) >= PROOF_TURNS;
}

static void pmc_restore(void)
{
	wrmsr_safe(MSR_AMD_PERF_CTL0, 0);
	wrmsr_safe(MSR_AMD_PERF_CTR0, found_ctr);
	wrmsr_safe(MSR_AMD_PERF_CTL0, found_ctl);
}

/* One that firmware has switched on is left to it. */
static bool pmc_open(void)
{
	if (!rdmsr_safe(MSR_AMD_PERF_CTL0, &found_ctl) ||
	    !rdmsr_safe(MSR_AMD_PERF_CTR0, &found_ctr) || found_ctl & AMD_PERF_CTL_EN)
		return false;
	if (pmc_counts() && pmc_select(AMD_EVENT_SMI))
		return true;
	pmc_restore();
	return false;
}

void smi_count_start(const struct machine *m)
{
	hypervisor = m->hypervisor;
	counter = smi_counter_choose(m, cpuid_read, NULL);
	if (counter == SMI_COUNTER_AMD_PMC && !pmc_open())
		counter = SMI_COUNTER_NONE;
}

void smi_count_end(void)
{
	if (counter == SMI_COUNTER_AMD_PMC)
		pmc_restore();
	counter = SMI_COUNTER_NONE;
}

/*
 * Both are per core. A zero under a hypervisor proves nothing: most answer 0 for what they do not
 * count.
 */
enum value_state smi_count_now(u64 *count)
{
	bool read;

	*count = 0;
	if (counter == SMI_COUNTER_NONE)
		return VALUE_ABSENT;
	if (counter == SMI_COUNTER_INTEL_MSR)
		read = rdmsr_safe(MSR_SMI_COUNT, count);
	else
		read = rdmsr_safe(MSR_AMD_PERF_CTR0, count);
	if (!read)
		return VALUE_FAULT;
	return hypervisor && !*count ? VALUE_UNPROVEN : VALUE_READ;
}
