// SPDX-License-Identifier: MIT
/* Reads, logs and clears the machine check banks. SDM volume 3 sections 15.3, 15.8 and 15.10. */
#include "machine_check.h"

#include "control.h"
#include "fmt.h"
#include "insn.h"
#include "traps.h"

#define MSR_MCG_CAP    0x179
#define MSR_MCG_STATUS 0x17a
#define MSR_MCG_CTL    0x17b
#define MSR_MC0_CTL    0x400 /* + 4 * bank; STATUS, ADDR and MISC follow */
#define MSR_MC0_STATUS 0x401

#define MCG_CAP_CTL_P (1ull << 8)

#define MCG_STATUS_RIPV (1ull << 0)
#define MCG_STATUS_MCIP (1ull << 2)
#define MC_STATUS_VAL	(1ull << 63)
#define MC_STATUS_MISCV (1ull << 59)
#define MC_STATUS_ADDRV (1ull << 58)
#define MC_STATUS_PCC	(1ull << 57) /* the context of the CPU is corrupt */

#define LOGGED 4

#define CPUID1_EDX_MCE (1u << 7)
#define CPUID1_EDX_MCA (1u << 14)

/* 0 where the CPU faults: a check without its registers is never restartable. */
static u64 msr_or_0(u32 msr)
{
	u64 value = 0;

	return rdmsr_safe(msr, &value) ? value : 0;
}

static void bank_write(u32 bank, u64 status, const char *when)
{
	char line[160];
	struct text t = TEXT_ON(line);
	u32 msr = MSR_MC0_STATUS + 4 * bank;

	fmt(&t, "machine check: %sbank %u status %016llx", when, bank, (unsigned long long)status);
	if (status & MC_STATUS_ADDRV)
		fmt(&t, " addr %016llx", (unsigned long long)msr_or_0(msr + 1));
	if (status & MC_STATUS_MISCV)
		fmt(&t, " misc %016llx", (unsigned long long)msr_or_0(msr + 2));
	text_byte(&t, '\n');
	trap_write(line, t.len);
}

static void global_write(u64 mcg)
{
	char line[80];
	struct text t = TEXT_ON(line);

	fmt(&t, "\nmachine check: MCG_STATUS %llx, %srestartable\n", (unsigned long long)mcg,
	    mcg & MCG_STATUS_RIPV ? "" : "not ");
	trap_write(line, t.len);
}

/* Returns how many were valid; *corrupt if some bank says that the CPU's own state is lost. */
static u32 banks_take(bool log, const char *when, bool *corrupt)
{
	const u32 banks = msr_or_0(MSR_MCG_CAP) & 0xff;
	u32 valid = 0;

	*corrupt = false;
	for (u32 i = 0; i < banks; i++) {
		u64 status = msr_or_0(MSR_MC0_STATUS + 4 * i);

		if (!(status & MC_STATUS_VAL))
			continue;
		valid++;
		if (log)
			bank_write(i, status, when);
		*corrupt |= (status & MC_STATUS_PCC) != 0;
		wrmsr_safe(MSR_MC0_STATUS + 4 * i, 0);
	}
	return valid;
}

static bool have_mca(void)
{
	return cpuid(1, 0).edx & CPUID1_EDX_MCA;
}

bool machine_check(void)
{
	bool log = trap_mce_count < LOGGED;
	u64 mcg;
	bool corrupt;

	if (!have_mca())
		return false;
	mcg = msr_or_0(MSR_MCG_STATUS);
	if (log)
		global_write(mcg);
	banks_take(log, "", &corrupt);
	if (corrupt || !(mcg & MCG_STATUS_RIPV))
		return false;
	/* Left set, the next check would shut the machine down. */
	wrmsr_safe(MSR_MCG_STATUS, mcg & ~MCG_STATUS_MCIP);
	return true;
}

/*
 * On family 6 before model 1AH bank 0's control belongs to the firmware (SDM volume 3, 15.3.2.1).
 */
static u32 first_control(void)
{
	u32 eax = cpuid(1, 0).eax, family = eax >> 8 & 15;

	return family == 6 && ((eax >> 4 & 15) | (eax >> 12 & 0xf0)) < 0x1a ? 1 : 0;
}

/*
 * A bank whose control is 0 reports nothing, and what is logged already would be taken for a part
 * of the next check.
 */
static void banks_start(void)
{
	u64 cap = msr_or_0(MSR_MCG_CAP);
	u32 banks = cap & 0xff;
	bool corrupt;

	if (cap & MCG_CAP_CTL_P)
		wrmsr_safe(MSR_MCG_CTL, ~0ull);
	for (u32 i = first_control(); i < banks; i++)
		wrmsr_safe(MSR_MC0_CTL + 4 * i, ~0ull);
	banks_take(true, "left by what ran before: ", &corrupt);
}

u32 machine_check_silent(void)
{
	bool corrupt;

	return have_mca() ? banks_take(true, "without #MC: ", &corrupt) : 0;
}

void machine_check_enable(void)
{
	if (have_mca())
		banks_start();
	if (cpuid(1, 0).edx & CPUID1_EDX_MCE)
		write_cr4(read_cr4() | CR4_MCE);
}
