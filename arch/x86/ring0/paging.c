// SPDX-License-Identifier: MIT
/*
 * Identity page tables from a fixed pool: 2 MiB pages where a whole one has one kind, 4 KiB pages
 * below 4 MiB, over the kernel image and at the edges of devices. SDM volume 3 section 4.5.
 */
#include "paging.h"

#include "control.h"
#include "insn.h"
#include "mem.h"
#include "stacks.h"

#define PAGE   (4ull << 10)
#define LARGE  (2ull << 20)
#define LOW    (1ull << 20)
#define FINE   (4ull << 20) /* below this, nothing is rounded to 2 MiB */
#define TABLES 96	    /* 64 for the page directories of 64 GiB, the rest for what is fine */

#define PTE_P	  (1ull << 0)
#define PTE_RW	  (1ull << 1)
#define PTE_PWT	  (1ull << 3)
#define PTE_PCD	  (1ull << 4)
#define PTE_A	  (1ull << 5)
#define PTE_D	  (1ull << 6)
#define PTE_PS	  (1ull << 7)
#define PTE_GUARD (1ull << 9) /* ignored by the CPU: not present, and to stay so */
#define PTE_NX	  (1ull << 63)
#define PTE_BASE  0x000ffffffffff000ull

/* Set already, so that no measured access is the one that makes the CPU set them. */
#define PTE_LEAF (PTE_P | PTE_A | PTE_D)

extern const u8 image_text[], image_text_end[], image_rodata[], image_rodata_end[];
extern const u8 image_data[], image_end[];

static u64 tables[TABLES][512] __attribute__((aligned(4096)));
static u8 low_page[4096]; /* physical page 0 as it was, since it is not mapped */
static u32 tables_used;
static u64 *root;
static bool live, nx;

static u64 address_of(const void *p)
{
	return (u64)(uintptr_t)p;
}

static u64 *table_of(u64 entry)
{
	return (u64 *)(uintptr_t)(entry & PTE_BASE);
}

static u64 *table_new(void)
{
	return tables_used < TABLES ? tables[tables_used++] : NULL;
}

/* The same mapping by 512 small pages. */
static void table_split(u64 *table, u64 large)
{
	for (u64 i = 0; i < 512; i++)
		table[i] = (large & ~PTE_PS) + i * PAGE;
}

/* The table below an entry, made if there is none; NULL when the pool is used up. */
static u64 *table_below(u64 *entry)
{
	u64 *table;

	if ((*entry & PTE_P) && !(*entry & PTE_PS))
		return table_of(*entry);
	table = table_new();
	if (!table)
		return NULL;
	if (*entry & PTE_PS)
		table_split(table, *entry);
	*entry = address_of(table) | PTE_P | PTE_RW;
	return table;
}

/* The entry for `at` in the table at `level`: 0 page table, 1 page directory. */
static u64 *entry_make(u64 at, u32 level)
{
	u64 *table = root;

	for (u32 l = 3; l > level; l--) {
		table = table_below(&table[at >> (12 + 9 * l) & 511]);
		if (!table)
			return NULL;
	}
	return &table[at >> (12 + 9 * level) & 511];
}

/* The entry that the CPU uses for `at` now, 0 if not present; its page's size in *size. */
static u64 entry_live(u64 at, u64 *size)
{
	u64 entry = read_cr3();

	for (u32 l = 4; l-- > 0;) {
		entry = table_of(entry)[at >> (12 + 9 * l) & 511];
		*size = 1ull << (12 + 9 * l);
		if (!(entry & PTE_P))
			return 0;
		if (entry & PTE_PS)
			break;
	}
	return entry;
}

/* Pages that are mapped, or guards, stay as they are unless `force`. */
static bool pages_map(u64 at, u64 end, u64 flags, bool force)
{
	while (at < end) {
		bool whole = !(at & (LARGE - 1)) && end - at >= LARGE;
		u64 *entry = entry_make(at, 1);

		if (!entry)
			return false;
		if (!force && (*entry & PTE_PS)) {
			at = (at | (LARGE - 1)) + 1;
			continue;
		}
		if (whole && (!*entry || (*entry & PTE_PS))) {
			*entry = at | flags | PTE_PS;
			at += LARGE;
			continue;
		}
		entry = entry_make(at, 0);
		if (!entry)
			return false;
		if (!*entry || force)
			*entry = at | flags;
		at += PAGE;
	}
	return true;
}

static bool guard(u64 at)
{
	u64 *entry = entry_make(at, 0);

	if (entry)
		*entry = PTE_GUARD;
	return entry != NULL;
}

static u64 kind_flags(enum paging_kind kind)
{
	static const u64 flags[] = {
		[PAGING_RAM] = PTE_LEAF | PTE_RW,
		[PAGING_READONLY] = PTE_LEAF,
		[PAGING_MMIO] = PTE_LEAF | PTE_RW | PTE_PCD | PTE_PWT,
	};

	return flags[kind] | (nx ? PTE_NX : 0);
}

static bool image_map(void)
{
	return pages_map(address_of(image_text), address_of(image_text_end), PTE_LEAF, false) &&
	       pages_map(address_of(image_rodata), address_of(image_rodata_end),
			 kind_flags(PAGING_READONLY), false) &&
	       pages_map(address_of(image_data), address_of(image_end), kind_flags(PAGING_RAM),
			 false);
}

static void low_page_copy(void)
{
	u64 at = 0;

	/* To a compiler, reading a null pointer is whatever it likes. */
	asm("" : "+r"(at));
	memcpy(low_page, (const void *)(uintptr_t)at, sizeof(low_page));
}

bool paging_prepare(void)
{
	bool ok;

	nx = control_enable_nx();
	low_page_copy();
	root = table_new();
	ok = guard(0);
	for (u32 i = 0; i < STACKS; i++)
		ok = ok && guard(address_of(stack_list[i].guard));
	return ok && image_map() && pages_map(PAGE, LOW, kind_flags(PAGING_RAM), false);
}

/* One past the last address that can be mapped to itself: half the canonical space at most. */
static u64 address_limit(void)
{
	u32 bits = 36;

	if (cpuid(0x80000000, 0).eax >= 0x80000008)
		bits = cpuid(0x80000008, 0).eax & 0xff;
	return 1ull << (bits < 47 ? bits : 47);
}

bool paging_map(u64 base, u64 bytes, enum paging_kind kind)
{
	u64 limit = address_limit();
	bool fine = kind == PAGING_MMIO;
	u64 end, grain;
	bool ok;

	if (!bytes)
		return true;
	if (base >= limit || bytes > limit - base)
		return false;
	grain = fine || base < FINE ? PAGE : LARGE;
	end = base + bytes;
	base &= ~(grain - 1);
	grain = fine || end <= FINE ? PAGE : LARGE;
	end = (end + grain - 1) & ~(grain - 1);
	ok = pages_map(base, end, kind_flags(kind), fine);
	if (live)
		write_cr3(read_cr3());
	return ok;
}

void paging_enable(void)
{
	write_cr3(address_of(root));
	live = true;
}

bool paging_mapped(u64 base, u64 bytes)
{
	u64 size;

	if (!bytes || base + (bytes - 1) < base)
		return !bytes;
	for (u64 at = base; at - base < bytes; at = (at | (size - 1)) + 1)
		if (at >= 1ull << 47 || !entry_live(at, &size))
			return false;
	return true;
}

/* An address out of a damaged table must not take rights from the kernel itself. */
static bool image_meets(u64 base, u64 bytes)
{
	return base < address_of(image_end) && bytes > 0 &&
	       (base >= address_of(image_text) || bytes > address_of(image_text) - base);
}

void *paging_map_mmio(u64 phys, u64 len)
{
	if (phys < PAGE || image_meets(phys, len) || !paging_map(phys, len, PAGING_MMIO))
		return NULL;
	return (void *)(uintptr_t)phys;
}

const void *paging_map_readonly(u64 phys, u64 len)
{
	if (phys < PAGE && len <= PAGE - phys && live)
		return low_page + phys;
	if (!paging_mapped(phys, len) && live)
		paging_map(phys, len, PAGING_READONLY);
	return paging_mapped(phys, len) ? (const void *)(uintptr_t)phys : NULL;
}

bool paging_nx(void)
{
	return nx;
}
