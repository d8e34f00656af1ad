// SPDX-License-Identifier: MIT
/* The suites' world in ring 0. */
#include "env.h"

#include "arena.h"
#include "console.h"
#include "host_steal.h"
#include "insn.h"
#include "lapic.h"
#include "machine_check.h"
#include "machine_probe.h"
#include "msr.h"
#include "pic.h"
#include "smi_count.h"
#include "traps.h"

#define XSS_ALLOWED (1ull << XSTATE_CET_U | 1ull << XSTATE_CET_S)

/* Pending interrupts of a local APIC: at most one a vector, and each EOI shows the next. */
#define DRAIN_WINDOWS 512

#define EFLAGS_IF 0x200u

static const struct machine *machine;

void env_start(const struct machine *m)
{
	machine = m;
	lapic_start();
}

void env_write(const char *bytes, size_t n)
{
	console_write(bytes, n);
}

void env_flush(void)
{
	console_flush();
}

void *env_alloc(u64 bytes, u64 align)
{
	return arena_alloc(bytes, align);
}

u64 env_arena_used(void)
{
	return arena_used();
}

u64 env_arena_left(void)
{
	return arena_left();
}

bool env_interrupts_off(void)
{
	u64 flags;

	asm volatile("pushfq; popq %0" : "=r"(flags)::"memory");
	return !(flags & EFLAGS_IF);
}

/*
 * An interrupt that only waits because of CLI slows retirement on some CPUs. The PIC is silenced
 * before the local APIC is drained, or it would refill it through LINT0.
 */
void env_quiet(void)
{
	console_flush();
	asm volatile("cli" ::: "memory");
	pic_mask();
	lapic_mask();
	lapic_drain(DRAIN_WINDOWS);
}

void env_evidence(struct evidence *e)
{
	e->nmi = trap_nmi_count;
	e->mce = trap_mce_count;
	e->smi_state = smi_count_now(&e->smi);
	e->steal_state = steal_now(&e->steal_ns);
}

u32 env_silent_errors(void)
{
	return machine_check_silent();
}

bool env_rdmsr(u32 msr, u64 *value)
{
	return rdmsr_safe(msr, value);
}

bool env_wrmsr(u32 msr, u64 value)
{
	return wrmsr_safe(msr, value);
}

u64 env_xcr0(void)
{
	u64 v = 0;

	xgetbv_safe(0, &v);
	return v;
}

u64 env_xcr0_set(u64 wanted)
{
	xsetbv_safe(0, wanted);
	return env_xcr0();
}

static u64 xss(void)
{
	u64 v = 0;

	rdmsr_safe(MSR_IA32_XSS, &v);
	return v;
}

/* Without XSAVES the register does not exist, whatever an emulator answers. */
static bool has_xss(void)
{
	return machine && machine->xsave && cpuid(0, 0).eax >= 0xd && cpuid(0xd, 1).eax & 1u << 3;
}

u64 env_xss_set(u64 wanted)
{
	if (!has_xss())
		return 0;
	wrmsr_safe(MSR_IA32_XSS, wanted & XSS_ALLOWED);
	return xss();
}

/* CPUID.(EAX=0DH,ECX=1):EAX[4] enumerates XFD; sub-leaf n says which components it governs. */
bool env_xstate_permit(u32 component)
{
	u64 xfd, bit = 1ull << component;

	if (component >= XSTATE_MAX || !machine || !machine->xsave)
		return false;
	if (!(cpuid(0xd, 1).eax & 1u << 4))
		return true;
	if (!rdmsr_safe(MSR_IA32_XFD, &xfd))
		return false;
	if (xfd & bit)
		wrmsr_safe(MSR_IA32_XFD, xfd & ~bit);
	return rdmsr_safe(MSR_IA32_XFD, &xfd) && !(xfd & bit);
}

u64 env_ticks_per_second(void)
{
	if (machine && machine->tsc_trusted && machine->tsc_khz)
		return machine->tsc_khz * 1000;
	return 1000000000;
}
