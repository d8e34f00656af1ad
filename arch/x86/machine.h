/* SPDX-License-Identifier: MIT */
/* What is known of the machine: probed once, then const for everybody. */
#ifndef MACHINE_H
#define MACHINE_H

#include "types.h"
#include "xstate.h"

/* A value that a machine may refuse to give. */
enum value_state {
	VALUE_ABSENT,
	VALUE_READ,
	VALUE_FAULT,
	VALUE_UNPROVEN /* 0 under a hypervisor */
};

enum hypervisor { HV_NONE, HV_TCG, HV_KVM, HV_HYPERV, HV_VMWARE, HV_XEN, HV_OTHER };

#define HV_BASE_LEAF 0x40000000u /* CPUID: a hypervisor's highest leaf and name */

#define CLOCK_CANDIDATES 8
#define MACHINE_FINDINGS 8
#define MACHINE_FINDING	 96 /* bytes with the NUL; longer ones are cut */

/* One claim about the TSC's frequency. */
struct clock_candidate {
	const char *name;  /* "cpuid.15h", "hypervisor.40000010h", "pit", "pmtimer", "kernel" */
	u64 khz;	   /* 0 unless state is "ok" or "outvoted" */
	const char *state; /* ok, absent, stuck, implausible, outvoted */
	u64 spread;	   /* ppm that the reads around it leave open; 0 for a mere claim */
};

struct machine {
	char vendor[13], hv_vendor[13], brand[49];
	u32 family, model, stepping, signature;
	u32 max_leaf, max_ext;
	enum hypervisor hv;
	bool hypervisor; /* CPUID.1:ECX[31] */
	bool emulated;	 /* TCG or Bochs, as they say themselves; run_emulated() knows more */
	const char *emulated_why;
	bool bochs; /* SMBIOS names Bochs: it ends by ways of its own */
	bool metal; /* no hypervisor, not emulated */
	bool intel, amd;

	const char *xsave_off; /* why XSAVE is left alone though CPUID offers it, or NULL */
	bool rdtscp, serialize, xsave, pmu, invariant_tsc, has_tsc;
	bool lfence_ext;    /* 80000021h:EAX[2]: LFENCE always serialising */
	const char *lfence; /* "yes", "no", "unknown": is LFENCE dispatch-serialising */
	u32 core_type;	    /* CPUID.1Ah:EAX[31:24], 0 none */
	u32 apic_id;

	u64 tsc_khz;	  /* 0: no idea */
	bool tsc_trusted; /* two sources agree within 500 ppm */
	const char *tsc_source;
	struct clock_candidate clock[CLOCK_CANDIDATES];
	u32 n_clocks;
	u64 clocks_took; /* ticks, to measure them all */

	enum value_state microcode_state;
	u64 microcode;

	bool process;	       /* user mode: interrupts on, no MSRs */
	const char *boot_path; /* "multiboot2", "pvh", "process" */
	bool boot_damaged;     /* the boot information is not whole: a finding says how */
	const char *loader;    /* GRUB's name, the monitor's, "" */
	char firmware[64], board[64], serial[64], uuid[40]; /* SMBIOS; "" not known */
	char rtc[24]; /* "2026-12-01T05:42:14", "" not known */
	u32 cpus;     /* enabled; 0 not known */
	u64 memory;   /* usable bytes; 0 not known */
	u64 entry_tsc;

	/* What contradicts itself here, in words for the log; the first ones are kept. */
	char finding[MACHINE_FINDINGS][MACHINE_FINDING];
	u32 n_findings; /* kept */
};

/* The part that CPUID alone tells. Everything is zeroed first. */
void machine_probe_cpuid(struct machine *m, cpuid_reader *read, void *ctx);

/*
 * Appends one claim; without room it is dropped. An "ok" of 0 or out of 1 MHz..20 GHz is
 * implausible.
 */
void machine_clock_add(struct machine *m, const char *name, u64 khz, const char *state);

/* Of the candidate added last: `open` ticks of its `ticks` cannot be told apart. */
void machine_clock_spread(struct machine *m, u64 open, u64 ticks);

/* Appends what CPUID claims: "cpuid.15h", "cpuid.16h", "hypervisor.40000010h". After the probe. */
void machine_clock_cpuid(struct machine *m, cpuid_reader *read, void *ctx);

/*
 * Candidates that agree within 500 ppm and come from two sources are trusted, the others outvoted.
 * A source is a name up to its first dot: cpuid.15h and cpuid.16h are one. May be called again.
 */
void machine_choose_clock(struct machine *m);

/*
 * Tries what CPUID advertises and clears the flags that lie (rdtscp, serialize), each with a
 * finding. Executes the instructions: the fault handlers must be in place.
 */
void machine_try(struct machine *m);

void machine_finding(struct machine *m, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
