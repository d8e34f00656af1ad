// SPDX-License-Identifier: MIT
/*
 * Another machine's clock and CPUID for the hosted program: tests/check-clocks puts this file into
 * a scratch copy, in which every read of the TSC calls clock_read().
 */
#include <stdlib.h>

#include "insn.h"

/* By the environment: ticks of a step; or what each read adds, whatever time passes. */
u64 clock_step = 1, clock_each, clock_now = 1000000;
/* Not 0: what stands below the steps of this machine's own TSC, drawn anew for each read. */
u64 clock_draw;
static bool plain; /* no RDTSCP, no XSAVE */

static u64 asked(const char *name, u64 otherwise)
{
	const char *word = getenv(name);

	return word ? strtoull(word, NULL, 10) : otherwise;
}

static void __attribute__((constructor)) clock_init(void)
{
	clock_step = asked("CLOCK_STEP", 1);
	clock_each = asked("CLOCK_EACH", 0);
	clock_draw = asked("CLOCK_DRAW", 0);
	plain = asked("CLOCK_PLAIN", 0) != 0;
}

void clock_cpuid(u32 leaf, struct cpuid_regs *r)
{
	if (plain && leaf == 1)
		r->ecx &= ~(3u << 26); /* XSAVE, OSXSAVE */
	if (plain && leaf == 0x80000001)
		r->edx &= ~(1u << 27); /* RDTSCP */
}

/* EDX:EAX is the time, as of RDTSC; all else but the flags is kept. */
asm(".text\n"
    ".globl clock_read\n"
    "clock_read:\n"
    "	push %rbx\n"
    "	mov clock_each, %rax\n"
    "	test %rax, %rax\n"
    "	jnz 2f\n"
    "	rdtsc\n"
    "	shl $32, %rdx\n"
    "	or %rdx, %rax\n"
    "	mov clock_draw, %rbx\n"
    "	test %rbx, %rbx\n"
    "	jz 1f\n"
    "	imul $1103515245, %rbx, %rbx\n"
    "	add $12345, %rbx\n"
    "	mov %ebx, %ebx\n"
    "	mov %rbx, clock_draw\n"
    "	shr $16, %rbx\n"
    "	and $15, %rbx\n"
    "	add %rbx, %rax\n"
    "1:	xor %edx, %edx\n"
    "	mov clock_step, %rbx\n"
    "	div %rbx\n"
    "	mul %rbx\n"
    "	jmp 3f\n"
    "2:	add clock_now, %rax\n"
    "	mov %rax, clock_now\n"
    "3:	mov %rax, %rdx\n"
    "	shr $32, %rdx\n"
    "	mov %eax, %eax\n"
    "	pop %rbx\n"
    "	ret\n");
