// SPDX-License-Identifier: MIT
/*
 * GDT (SDM volume 3 figure 3-8), 64-bit TSS (figure 8-11) and IDT (figure 6-8), built at run time.
 */
#include "descriptors.h"

#include "stacks.h"
#include "traps.h"

#define VECTORS 256
#define STUB	8 /* bytes a stub in trap_entry.asm */

#define DESCRIPTOR_CODE64 0x00af9b000000ffffull
#define DESCRIPTOR_DATA	  0x00cf93000000ffffull
#define DESCRIPTOR_TSS	  (0x89ull << 40) /* present, available 64-bit TSS */
#define GATE_INTERRUPT	  0x8e		  /* present, ring 0, leaves IF clear */

struct pointer {
	u16 limit;
	u64 base;
} __attribute__((packed));
_Static_assert(sizeof(struct pointer) == 10, "operand of LGDT and LIDT");

struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3;
	u16 iomap;
} __attribute__((packed));
_Static_assert(sizeof(struct tss) == 104, "64-bit TSS");
_Static_assert(offsetof(struct tss, ist) == 0x24, "64-bit TSS");

struct gate {
	u16 offset_low;
	u16 selector;
	u8 ist;
	u8 type;
	u16 offset_mid;
	u32 offset_high;
	u32 reserved;
};
_Static_assert(sizeof(struct gate) == 16, "64-bit IDT gate");

extern const u8 trap_stubs[VECTORS * STUB];

static u64 gdt[5];
static struct tss tss;
static struct gate idt[VECTORS];

static void gdt_fill(void)
{
	u64 base = (u64)(uintptr_t)&tss;

	gdt[SEL_CODE / 8] = DESCRIPTOR_CODE64;
	gdt[SEL_DATA / 8] = DESCRIPTOR_DATA;
	gdt[SEL_TSS / 8] = DESCRIPTOR_TSS | (sizeof(tss) - 1) | (base & 0xffffff) << 16 |
			   (base >> 24 & 0xff) << 56;
	gdt[SEL_TSS / 8 + 1] = base >> 32;
}

static void gdt_load(void)
{
	const struct pointer p = {sizeof(gdt) - 1, (u64)(uintptr_t)gdt};

	/* A far return is the only way to load CS here. */
	asm volatile("lgdt %[p]\n\t"
		     "pushq %[code]\n\t"
		     "leaq 1f(%%rip), %%rax\n\t"
		     "pushq %%rax\n\t"
		     "lretq\n"
		     "1:\tmovl %[data], %%ss\n\t"
		     "movl %[data], %%ds\n\t"
		     "movl %[data], %%es\n\t"
		     "ltr %w[task]"
		     :
		     : [p] "m"(p), [code] "i"(SEL_CODE), [data] "r"(SEL_DATA), [task] "r"(SEL_TSS)
		     : "rax", "memory");
}

static void gate_set(u32 vector, u8 ist)
{
	u64 stub = (u64)(uintptr_t)&trap_stubs[vector * STUB];

	idt[vector] = (struct gate){
		.offset_low = (u16)stub,
		.selector = SEL_CODE,
		.ist = ist,
		.type = GATE_INTERRUPT,
		.offset_mid = (u16)(stub >> 16),
		.offset_high = (u32)(stub >> 32),
	};
}

static void idt_load(const void *base, u16 limit)
{
	const struct pointer p = {limit, (u64)(uintptr_t)base};

	asm volatile("lidt %0" ::"m"(p) : "memory");
}

void descriptors_load(void)
{
	for (u32 i = 1; i <= IST_STACKS; i++)
		tss.ist[i - 1] = (u64)(uintptr_t)stack_list[i].top;
	tss.iomap = sizeof(tss); /* none */
	gdt_fill();
	gdt_load();
	for (u32 v = 0; v < VECTORS; v++)
		gate_set(v, IST_NONE);
	gate_set(TRAP_NMI, IST_NMI);
	gate_set(TRAP_DF, IST_DF);
	gate_set(TRAP_MC, IST_MC);
	idt_load(idt, sizeof(idt) - 1);
}

void descriptors_drop_idt(void)
{
	idt_load(NULL, 0);
}
