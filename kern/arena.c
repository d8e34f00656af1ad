// SPDX-License-Identifier: MIT
/* One bump allocator over the best region that the memory map offers. */
#include "arena.h"

#include "bootinfo.h"
#include "mem.h"
#include "paging.h"

#define FOUR_GIB   (4ull << 30)
#define WORTHWHILE (1ull << 20)
#define PAGE	   4096ull

extern const u8 image_end[];

struct range {
	u64 base, end; /* empty: base >= end */
};

static struct range arena; /* base moves up */
static u64 start;

static u64 range_len(struct range r)
{
	return r.base < r.end ? r.end - r.base : 0;
}

/* The larger part of r that lies outside [base, end). */
static struct range range_without(struct range r, u64 base, u64 end)
{
	struct range below = {r.base, base < r.end ? base : r.end};
	struct range above = {end > r.base ? end : r.base, r.end};

	if (base >= r.end || end <= r.base)
		return r;
	return range_len(below) >= range_len(above) ? below : above;
}

/* Region ends are kept below 2^64 here: the last page of the address space is never RAM. */
static u64 region_end(const struct boot_region *r)
{
	u64 end = r->base + r->len;

	return end ? end : ~0ull;
}

/* What of a usable region is ours: whole pages, above the kernel, that no other region claims. */
static struct range range_of(const struct bootinfo *boot, const struct boot_region *region,
			     u64 below)
{
	struct range r = {region->base, region_end(region)};

	if (r.base < (u64)(uintptr_t)image_end)
		r.base = (u64)(uintptr_t)image_end;
	if (r.end > below)
		r.end = below;
	for (u32 i = 0; i < boot->n_regions; i++)
		if (boot->region[i].type != BOOT_USABLE)
			r = range_without(r, boot->region[i].base, region_end(&boot->region[i]));
	r.base = (r.base + PAGE - 1) & ~(PAGE - 1);
	r.end &= ~(PAGE - 1);
	return r;
}

static struct range range_best(const struct bootinfo *boot, u64 below)
{
	struct range best = {0, 0};

	for (u32 i = 0; i < boot->n_regions; i++) {
		struct range r;

		if (boot->region[i].type != BOOT_USABLE)
			continue;
		r = range_of(boot, &boot->region[i], below);
		if (range_len(r) > range_len(best) && paging_mapped(r.base, range_len(r)))
			best = r;
	}
	return best;
}

bool arena_init(const struct bootinfo *boot)
{
	arena = range_best(boot, FOUR_GIB);
	if (range_len(arena) < WORTHWHILE)
		arena = range_best(boot, PAGING_RAM_LIMIT);
	start = arena.base;
	return range_len(arena) > 0;
}

void *arena_alloc(u64 bytes, u64 align)
{
	u64 at, mask = align ? align - 1 : 0;

	at = (arena.base + mask) & ~mask;
	if (at < arena.base || at > arena.end || bytes > arena.end - at)
		return NULL;
	arena.base = at + bytes;
	return memset((void *)(uintptr_t)at, 0, bytes);
}

u64 arena_used(void)
{
	return arena.base - start;
}

u64 arena_left(void)
{
	return range_len(arena);
}
