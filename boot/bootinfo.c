// SPDX-License-Identifier: MIT
/* The memory map and the error text, as shared by both boot protocols. */
#include "bootinfo.h"

#include "fmt.h"

bool bootinfo_fail(struct bootinfo *b, const char *format, ...)
{
	struct text t = {.at = b->error, .cap = sizeof(b->error) - 1};
	va_list args;

	if (b->error[0])
		return false;
	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	b->error[t.len] = '\0';
	return false;
}

void bootinfo_add_region(struct bootinfo *b, u64 base, u64 len, u32 type)
{
	if (!len)
		return;
	if (base + (len - 1) < base) {
		finding_add(&b->findings, "memory region 0x%llx + 0x%llx wraps, cut at 2^64",
			    (unsigned long long)base, (unsigned long long)len);
		len = -base;
	}
	if (b->n_regions == BOOT_REGIONS) {
		b->regions_lost++;
		return;
	}
	b->region[b->n_regions++] = (struct boot_region){.base = base, .len = len, .type = type};
}

/* Compares last bytes, since one past the last may be 2^64. */
static bool regions_meet(const struct boot_region *r, u64 base, u64 len)
{
	return r->base <= base + (len - 1) && base <= r->base + (r->len - 1);
}

static bool region_covers(const struct boot_region *r, u64 base, u64 len)
{
	return r->base <= base && base + (len - 1) <= r->base + (r->len - 1);
}

static bool regions_clash(const struct boot_region *a, const struct boot_region *b)
{
	return (a->type == BOOT_USABLE || b->type == BOOT_USABLE) &&
	       regions_meet(a, b->base, b->len);
}

void bootinfo_check_regions(struct bootinfo *b)
{
	if (b->regions_lost)
		finding_add(&b->findings, "memory map has %u regions, %u kept",
			    b->n_regions + b->regions_lost, b->n_regions);
	for (u32 i = 0; i < b->n_regions; i++)
		for (u32 j = 0; j < i; j++)
			if (regions_clash(&b->region[i], &b->region[j]))
				finding_add(&b->findings,
					    "memory regions at 0x%llx and 0x%llx overlap",
					    (unsigned long long)b->region[j].base,
					    (unsigned long long)b->region[i].base);
}

/* The region of another type that meets the range, or NULL. */
static const struct boot_region *find_claim(const struct bootinfo *b, u64 base, u64 len)
{
	for (u32 i = 0; i < b->n_regions; i++)
		if (b->region[i].type != BOOT_USABLE && regions_meet(&b->region[i], base, len))
			return &b->region[i];
	return NULL;
}

bool bootinfo_usable(const struct bootinfo *b, u64 base, u64 len)
{
	if (!len || base + (len - 1) < base || find_claim(b, base, len))
		return false;
	for (u32 i = 0; i < b->n_regions; i++)
		if (b->region[i].type == BOOT_USABLE && region_covers(&b->region[i], base, len))
			return true;
	return false;
}

/* Rounds up; 0 if that passes 2^64. */
static u64 align_up(u64 value, u64 align)
{
	return (value + (align - 1)) & ~(align - 1);
}

/* The lowest place in one usable region; every turn leaves one claim behind for good. */
static u64 find_in_region(const struct bootinfo *b, const struct boot_region *r, u64 len, u64 align,
			  u64 from)
{
	u64 at = align_up(r->base > from ? r->base : from, align);

	for (u32 turn = 0; turn <= b->n_regions; turn++) {
		if (!at || at + (len - 1) < at || !region_covers(r, at, len))
			return 0;
		const struct boot_region *claim = find_claim(b, at, len);

		if (!claim)
			return at;
		at = align_up(claim->base + claim->len, align);
	}
	return 0;
}

u64 bootinfo_find(const struct bootinfo *b, u64 len, u64 align, u64 from, u64 below)
{
	u64 best = 0;

	/* Address 0 is the answer "none", so it is never offered. */
	if (!len || !below)
		return 0;
	from = from ? from : 1;
	for (u32 i = 0; i < b->n_regions; i++) {
		if (b->region[i].type != BOOT_USABLE)
			continue;
		u64 at = find_in_region(b, &b->region[i], len, align, from);

		if (at && at + (len - 1) < below && (!best || at < best))
			best = at;
	}
	return best;
}

u64 bootinfo_usable_bytes(const struct bootinfo *b)
{
	u64 sum = 0;

	for (u32 i = 0; i < b->n_regions; i++)
		if (b->region[i].type == BOOT_USABLE)
			sum = sum + b->region[i].len < sum ? UINT64_MAX : sum + b->region[i].len;
	return sum;
}
