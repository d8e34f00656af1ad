// SPDX-License-Identifier: MIT
/* Local APIC: register offsets and bits as in SDM volume 3, tables 11-1 and 11-6. */
#include "lapic.h"

#include "insn.h"
#include "msr.h"
#include "paging.h"

#define CPUID1_EDX_APIC (1u << 9)

#define APIC_VERSION 0x030
#define APIC_EOI     0x0b0
#define APIC_ISR     0x100
#define APIC_IRR     0x200

#define LVT_MASKED   (1u << 16)
#define LVT_DELIVERY 0x700u
#define LVT_SMI	     0x200u
#define LVT_NMI	     0x400u

static enum { NONE, XAPIC, X2APIC } kind;
static volatile u32 *mmio;

static u32 apic_read(u32 reg)
{
	u64 v = 0;

	if (kind == XAPIC)
		return mmio[reg / 4];
	rdmsr_safe(MSR_X2APIC + (reg >> 4), &v);
	return (u32)v;
}

static void apic_write(u32 reg, u32 v)
{
	if (kind == XAPIC)
		mmio[reg / 4] = v;
	else
		wrmsr_safe(MSR_X2APIC + (reg >> 4), v);
}

bool lapic_start(void)
{
	u64 base;

	kind = NONE;
	if (!(cpuid(1, 0).edx & CPUID1_EDX_APIC) || !rdmsr_safe(MSR_IA32_APIC_BASE, &base))
		return false;
	if (!(base & APIC_BASE_ENABLE))
		return false;
	if (base & APIC_BASE_EXTD) {
		kind = X2APIC;
		return true;
	}
	mmio = paging_map_mmio(base & 0xffffffffff000ull, 4096);
	if (mmio)
		kind = XAPIC;
	return kind != NONE;
}

/*
 * CLI holds off interrupts proper only. An NMI is evidence, counted by its handler, and an SMI is
 * the firmware's own (heat): the entries that deliver those stay.
 */
static bool is_interrupt(u32 lvt)
{
	u32 delivery = lvt & LVT_DELIVERY;

	return delivery != LVT_SMI && delivery != LVT_NMI;
}

/*
 * Which local vectors exist depends on the version register's highest entry: 3 is timer, LINT0,
 * LINT1 and error, 4 adds performance counters, 5 thermal, 6 CMCI. x2APIC faults on the others.
 */
void lapic_mask(void)
{
	static const u16 lvt[] = {0x320, 0x350, 0x360, 0x370, 0x340, 0x330, 0x2f0};
	u32 n;

	if (kind == NONE)
		return;
	n = (apic_read(APIC_VERSION) >> 16 & 0xff) + 1;
	for (u32 i = 0; i < ARRAY_SIZE(lvt) && i < n; i++) {
		u32 v = apic_read(lvt[i]);

		if (is_interrupt(v) && !(v & LVT_MASKED))
			apic_write(lvt[i], v | LVT_MASKED);
	}
}

static bool any_of(u32 reg)
{
	for (u32 i = 0; i < 8; i++) {
		if (apic_read(reg + i * 0x10))
			return true;
	}
	return false;
}

bool lapic_busy(void)
{
	return kind != NONE && (any_of(APIC_IRR) || any_of(APIC_ISR));
}

bool lapic_drain(u32 windows)
{
	if (kind == NONE)
		return true;
	while (lapic_busy() && windows--) {
		/* STI holds interrupts off for one more instruction: the NOP is the window. */
		asm volatile("sti; nop; cli" ::: "memory");
		apic_write(APIC_EOI, 0);
	}
	return !lapic_busy();
}
