/* SPDX-License-Identifier: MIT */
/*
 * One inline for each instruction, named as the instruction. Those that may fault come as
 * NAME_safe(): the fault is recovered through the exception table (extable.h), by the kernel's trap
 * handler and by the process's signal handler alike. SDM volume 2.
 *
 * NAME_safe() says by bool whether the instruction ran; when it did not, results are left
 * untouched. Those with a state area return the fault instead, since callers name it: 0 for none,
 * else the vector + 1 (INSN_FAULT_*).
 */
#ifndef INSN_H
#define INSN_H

#include "extable.h"
#include "types.h"

#define INSN_FAULT_UD 7u  /* vector 6 */
#define INSN_FAULT_NM 8u  /* vector 7 */
#define INSN_FAULT_GP 14u /* vector 13 */
#define INSN_FAULT_PF 15u /* vector 14 */

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

/* Parsers of CPUID ask through one of these, so that tests can answer from recorded leaves. */
typedef struct cpuid_regs cpuid_reader(void *ctx, u32 leaf, u32 subleaf);

/* This CPU's answers; ctx is not used. */
static inline struct cpuid_regs cpuid_read(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx;
	return cpuid(leaf, subleaf);
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

static inline void lfence(void)
{
	asm volatile("lfence" ::: "memory");
}

static inline void mfence(void)
{
	asm volatile("mfence" ::: "memory");
}

static inline void clflush(const void *line)
{
	asm volatile("clflush (%0)" ::"r"(line) : "memory");
}

/* R8 is cleared before the instruction; after a fault it is the vector + 1. */
#define INSN_GUARDED(insn) "xorl %%r8d, %%r8d\n1:\t" insn "\n2:\n" EXTABLE(1b, 2b)

static inline bool rdtscp_safe(u64 *tsc, u32 *aux)
{
	register u64 fault asm("r8");
	u32 lo, hi, id;

	asm volatile(INSN_GUARDED("rdtscp")
		     : "=&r"(fault), "=a"(lo), "=d"(hi), "=c"(id)::"memory", "cc");
	if (fault)
		return false;
	*tsc = (u64)hi << 32 | lo;
	*aux = id;
	return true;
}

/* Instructions that read EDX:EAX by an index in ECX. */
#define INSN_READ_SAFE(name)                                    \
	static inline bool name##_safe(u32 index, u64 *value)   \
	{                                                       \
		register u64 fault asm("r8");                   \
		u32 lo, hi;                                     \
                                                                \
		asm volatile(INSN_GUARDED(#name)                \
			     : "=&r"(fault), "=a"(lo), "=d"(hi) \
			     : "c"(index)                       \
			     : "memory", "cc");                 \
		if (fault)                                      \
			return false;                           \
		*value = (u64)hi << 32 | lo;                    \
		return true;                                    \
	}

INSN_READ_SAFE(rdmsr)
INSN_READ_SAFE(xgetbv)
INSN_READ_SAFE(rdpmc)

/* Instructions that write EDX:EAX by an index in ECX. */
#define INSN_WRITE_SAFE(name)                                                       \
	static inline bool name##_safe(u32 index, u64 value)                        \
	{                                                                           \
		register u64 fault asm("r8");                                       \
                                                                                    \
		asm volatile(INSN_GUARDED(#name)                                    \
			     : "=&r"(fault)                                         \
			     : "c"(index), "a"((u32)value), "d"((u32)(value >> 32)) \
			     : "memory", "cc");                                     \
		return !fault;                                                      \
	}

INSN_WRITE_SAFE(wrmsr)
INSN_WRITE_SAFE(xsetbv)

static inline bool serialize_safe(void)
{
	register u64 fault asm("r8");

	asm volatile(INSN_GUARDED("serialize") : "=&r"(fault)::"memory", "cc");
	return !fault;
}

/* Always faults: what it tells is what the recovery is worth. INSN_FAULT_UD where all is well. */
static inline u32 ud2_safe(void)
{
	register u64 fault asm("r8");

	asm volatile(INSN_GUARDED("ud2") : "=&r"(fault)::"memory", "cc");
	return (u32)fault;
}

/* Puts TILECFG and TILEDATA into their initial state. */
static inline bool tilerelease_safe(void)
{
	register u64 fault asm("r8");

	asm volatile(INSN_GUARDED("tilerelease") : "=&r"(fault)::"memory", "cc");
	return !fault;
}

/*
 * State to or from an area, components by mask. No vector register can be named as clobbered under
 * -mgeneral-regs-only: a caller compiled without that flag must keep restores in a function of its
 * own that is not inlined, and put MXCSR and the x87 control word back.
 */
#define INSN_STATE_SAFE(name)                                                           \
	static inline u32 name##_safe(void *area, u64 mask)                             \
	{                                                                               \
		register u64 fault asm("r8");                                           \
                                                                                        \
		asm volatile(INSN_GUARDED(#name "64 (%[area])")                         \
			     : "=&r"(fault)                                             \
			     : [area] "r"(area), "a"((u32)mask), "d"((u32)(mask >> 32)) \
			     : "memory", "cc");                                         \
		return (u32)fault;                                                      \
	}

INSN_STATE_SAFE(xsave)
INSN_STATE_SAFE(xsaveopt)
INSN_STATE_SAFE(xsavec)
INSN_STATE_SAFE(xsaves)
INSN_STATE_SAFE(xrstor)
INSN_STATE_SAFE(xrstors)

/* The same for the 512 bytes of the legacy region, which no mask selects from. */
#define INSN_LEGACY_SAFE(name)                                  \
	static inline u32 name##_safe(void *area)               \
	{                                                       \
		register u64 fault asm("r8");                   \
                                                                \
		asm volatile(INSN_GUARDED(#name "64 (%[area])") \
			     : "=&r"(fault)                     \
			     : [area] "r"(area)                 \
			     : "memory", "cc");                 \
		return (u32)fault;                              \
	}

INSN_LEGACY_SAFE(fxsave)
INSN_LEGACY_SAFE(fxrstor)

#endif
