/* SPDX-License-Identifier: MIT */
/*
 * Exceptions and stray interrupts. A fault that the exception table knows is recovered, an NMI or
 * a survivable machine check is counted, everything else is a crash. SDM volume 3 chapter 6.
 */
#ifndef TRAPS_H
#define TRAPS_H

#include "types.h"

#define TRAP_DB		1
#define TRAP_NMI	2
#define TRAP_BP		3
#define TRAP_DF		8
#define TRAP_GP		13
#define TRAP_PF		14
#define TRAP_MC		18
#define TRAP_EXCEPTIONS 32 /* vectors from here on are interrupts */

/* As trap_entry.asm pushes it, lowest address first. */
struct trap_frame {
	u64 r15, r14, r13, r12, r11, r10, r9, r8;
	u64 rdi, rsi, rbp, rbx, rdx, rcx, rax;
	u64 vector;
	u64 error; /* 0 for vectors without one */
	u64 rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct trap_frame) == 22 * 8, "trap_entry.asm pushes these");
_Static_assert(offsetof(struct trap_frame, vector) == 15 * 8, "after the general registers");

extern volatile u64 trap_nmi_count;
extern volatile u64 trap_mce_count;	 /* the survived ones */
extern volatile u64 trap_spurious_count; /* interrupts that nothing here asked for */
extern volatile u64 trap_spurious_last;	 /* vector of the last one */

/* "#PF page fault"; "interrupt" above the exceptions. */
const char *trap_name(u64 vector);

/*
 * Given by the kernel above. panic_trap ends as failure; trap_write takes no lock and is bounded.
 */
_Noreturn void panic_trap(const struct trap_frame *f);
void trap_write(const char *bytes, size_t n);

#endif
