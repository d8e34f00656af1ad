// SPDX-License-Identifier: MIT
/* Decides what a trap is: recovered, counted or the end. SDM volume 3 chapter 6. */
#include "traps.h"

#include "extable.h"
#include "machine_check.h"

volatile u64 trap_nmi_count;
volatile u64 trap_mce_count;
volatile u64 trap_spurious_count;
volatile u64 trap_spurious_last;

static const char *const names[TRAP_EXCEPTIONS] = {
	"#DE divide error",
	"#DB debug",
	"NMI",
	"#BP breakpoint",
	"#OF overflow",
	"#BR bound range",
	"#UD invalid opcode",
	"#NM no x87 or SSE",
	"#DF double fault",
	"9 coprocessor overrun",
	"#TS invalid TSS",
	"#NP segment not present",
	"#SS stack fault",
	"#GP general protection",
	"#PF page fault",
	"15 reserved",
	"#MF x87 error",
	"#AC alignment check",
	"#MC machine check",
	"#XM SIMD error",
	"#VE virtualization",
	"#CP control protection",
	[28] = "#HV hypervisor",
	[29] = "#VC VMM communication",
	[30] = "#SX security",
};

/* Called by trap_entry.asm with the frame on the stack in use. */
void trap_dispatch(struct trap_frame *f);

const char *trap_name(u64 vector)
{
	if (vector >= TRAP_EXCEPTIONS)
		return "interrupt";
	return names[vector] ? names[vector] : "reserved exception";
}

/* A guarded instruction: R8 tells it the vector, and it goes on at its fix-up. */
static bool trap_recover(struct trap_frame *f)
{
	u64 fixup = extable_find(f->rip);

	if (!fixup)
		return false;
	f->r8 = f->vector + 1;
	f->rip = fixup;
	return true;
}

static bool trap_survived(struct trap_frame *f)
{
	switch (f->vector) {
	case TRAP_DF:
	case TRAP_DB:
	case TRAP_BP:
		return false;
	case TRAP_MC:
		if (!machine_check())
			return false;
		trap_mce_count++;
		return true;
	default:
		return trap_recover(f);
	}
}

void trap_dispatch(struct trap_frame *f)
{
	if (f->vector >= TRAP_EXCEPTIONS) {
		trap_spurious_last = f->vector;
		trap_spurious_count++;
		return;
	}
	if (!trap_survived(f))
		panic_trap(f);
}
