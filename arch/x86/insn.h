/* SPDX-License-Identifier: MIT */
/*
 * One inline a instruction, named as the instruction. Those that may fault come as NAME_safe() and
 * say by bool whether they ran; the fault is recovered through the exception table (extable.h),
 * by the kernel's trap handler and by the process's signal handler alike. SDM volume 2.
 */
#ifndef INSN_H
#define INSN_H

#include "extable.h"
#include "types.h"

struct cpuid_regs {
	u32 eax, ebx, ecx, edx;
};

static inline struct cpuid_regs cpuid(u32 leaf, u32 subleaf)
{
	struct cpuid_regs r;

	asm volatile("cpuid"
		     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
		     : "a"(leaf), "c"(subleaf));
	return r;
}

static inline u64 rdtsc(void)
{
	u32 lo, hi;

	asm volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (u64)hi << 32 | lo;
}

/* lfence; rdtsc: not before what precedes it. For bookkeeping, never inside a measured window. */
static inline u64 rdtsc_ordered(void)
{
	asm volatile("lfence" ::: "memory");
	return rdtsc();
}

static inline void cpu_pause(void)
{
	asm volatile("pause" ::: "memory");
}

#endif
