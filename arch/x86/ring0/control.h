/* SPDX-License-Identifier: MIT */
/* Control registers and EFER of this CPU. SDM volume 3 section 2.5, AMD APM volume 2 chapter 3. */
#ifndef CONTROL_H
#define CONTROL_H

#include "types.h"

#define CR0_MP (1ull << 1)
#define CR0_EM (1ull << 2)
#define CR0_TS (1ull << 3)
#define CR0_NE (1ull << 5)
#define CR0_WP (1ull << 16)
#define CR0_AM (1ull << 18)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)
#define CR0_PG (1ull << 31)

#define CR4_PAE	       (1ull << 5)
#define CR4_MCE	       (1ull << 6)
#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)
#define CR4_OSXSAVE    (1ull << 18)

static inline u64 read_cr0(void)
{
	u64 v;

	asm volatile("mov %%cr0, %0" : "=r"(v)::"memory");
	return v;
}

static inline u64 read_cr2(void)
{
	u64 v;

	asm volatile("mov %%cr2, %0" : "=r"(v)::"memory");
	return v;
}

static inline u64 read_cr3(void)
{
	u64 v;

	asm volatile("mov %%cr3, %0" : "=r"(v)::"memory");
	return v;
}

static inline u64 read_cr4(void)
{
	u64 v;

	asm volatile("mov %%cr4, %0" : "=r"(v)::"memory");
	return v;
}

static inline void write_cr0(u64 v)
{
	asm volatile("mov %0, %%cr0" ::"r"(v) : "memory");
}

static inline void write_cr3(u64 v)
{
	asm volatile("mov %0, %%cr3" ::"r"(v) : "memory");
}

static inline void write_cr4(u64 v)
{
	asm volatile("mov %0, %%cr4" ::"r"(v) : "memory");
}

/* Lets x87 and SSE instructions run without a trap, and makes read-only pages so for ring 0 too. */
void control_init(void);

/* Turns EFER.NXE on; false: this CPU has no NX. */
bool control_enable_nx(void);

/*
 * Sets CR4.OSXSAVE; false: this CPU has no XSAVE. Some emulators hang right here: say before what
 * is about to be done.
 */
bool control_enable_xsave(void);

#endif
