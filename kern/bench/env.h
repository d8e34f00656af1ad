/* SPDX-License-Identifier: MIT */
/*
 * The world, as the suites see it. Two folders implement this: kern/ for ring 0 and kern/hosted/
 * for a Linux process. The linker chooses; no suite knows which.
 */
#ifndef ENV_H
#define ENV_H

#include "machine.h"
#include "smi_sources.h"
#include "smi_truth.h"
#include "types.h"

/* Log bytes ("\n" line ends; the serial sink adds '\r'). Never inside a measurement window. */
void env_write(const char *bytes, size_t n);
/* Waits, bounded, until what was written has left. */
void env_flush(void);

/* From the arena: zeroed, touched, never freed; align a power of two. NULL when it is used up. */
void *env_alloc(u64 bytes, u64 align);
u64 env_arena_used(void);
u64 env_arena_left(void);

/*
 * Quiet for a series: output flushed, interrupts off, legacy PIC and LAPIC local vectors masked
 * and what was pending drained. Once at start-up and again before each series (cheap then).
 */
void env_quiet(void);
/* Are interrupts off, by the flag itself? False in a process. */
bool env_interrupts_off(void);

/* Evidence of disturbance, to be read before and after a window. */
struct evidence {
	u64 nmi, mce;		    /* counted by our handlers; a process has none */
	enum value_state smi_state; /* MSR_SMI_COUNT 34h, or AMD's event 02Bh */
	u64 smi;
	enum value_state steal_state; /* the host's count of time it took: KVM's, where offered */
	u64 steal_ns;
};
void env_evidence(struct evidence *e);
/*
 * Errors of which no machine check told, corrected by hardware as a rule, since the last call (one
 * a bank at most). Each is written into the log. 0 in a process.
 */
u32 env_silent_errors(void);

/*
 * SMIs of our own making, to see whether the gaps suite finds them. Only on demand: each is false,
 * with the reason in words, where it would be unsafe or cannot be done.
 */
struct smi_command {
	u16 port; /* the FADT's SMI_CMD */
	u8 value; /* none that the FADT gives a meaning: firmware ignores it */
};
/* What one OUT must write for one SMI on this CPU; the gaps suite's loop does the writing. */
bool env_smi_command(struct smi_command *c, const char **why_not);

/*
 * Replaces firmware's SMI handler by ours, which stays in SMM for `ticks` (up to SMI_TICKS_MAX) and
 * notes when. Calling it again changes the ticks. Firmware's comes back at the end of the run.
 */
bool env_smi_handler(u64 ticks, const char **why_not);

/* Those noted so far: *n counts all, the first SMI_TRUTHS are kept. NULL without our handler. */
const struct smi_truth *env_smi_truth(u64 *n);

/* What can make SMIs here, as the chipset's registers tell; they are read, never written. */
void env_smi_sources(struct smi_sources *s);

/* MSRs: false when the access faults or the process has none. */
bool env_rdmsr(u32 msr, u64 *value);
bool env_wrmsr(u32 msr, u64 value);

/* XCR0. Setting is refused in a process; a #GP is recovered. Returns what it is now. */
u64 env_xcr0(void);
u64 env_xcr0_set(u64 wanted);
/* IA32_XSS, 0 in a process; returns what it is now. */
u64 env_xss_set(u64 wanted);
/* Makes a component usable that needs leave: arch_prctl in a process, XFD in the kernel. */
bool env_xstate_permit(u32 component);

/* Seconds are only for showing and for budgets: ticks at the trusted rate, else at 1 GHz. */
u64 env_ticks_per_second(void);

#endif
