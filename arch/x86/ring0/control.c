// SPDX-License-Identifier: MIT
/* Sets what the loader may have left either way. */
#include "control.h"

#include "insn.h"
#include "msr.h"

#define CPUID1_ECX_XSAVE (1u << 26)
#define CPUID81_EDX_NX	 (1u << 20)

/*
 * EM or TS left set would turn the first FXSAVE into #UD or #NM; AM with EFLAGS.AC would make
 * packed structures fault; CD would make every figure that of an uncached machine.
 */
void control_init(void)
{
	u64 cr0 = read_cr0() & ~(CR0_EM | CR0_TS | CR0_AM | CR0_CD | CR0_NW);

	write_cr0(cr0 | CR0_MP | CR0_NE | CR0_WP);
	write_cr4(read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
}

bool control_enable_nx(void)
{
	u64 efer;

	if (cpuid(0x80000000, 0).eax < 0x80000001 || !(cpuid(0x80000001, 0).edx & CPUID81_EDX_NX))
		return false;
	return rdmsr_safe(MSR_EFER, &efer) && wrmsr_safe(MSR_EFER, efer | EFER_NXE);
}

bool control_enable_xsave(void)
{
	if (!(cpuid(1, 0).ecx & CPUID1_ECX_XSAVE))
		return false;
	write_cr4(read_cr4() | CR4_OSXSAVE);
	return true;
}
