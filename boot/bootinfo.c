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

u64 bootinfo_usable_bytes(const struct bootinfo *b)
{
	u64 sum = 0;

	for (u32 i = 0; i < b->n_regions; i++)
		if (b->region[i].type == BOOT_USABLE)
			sum = sum + b->region[i].len < sum ? UINT64_MAX : sum + b->region[i].len;
	return sum;
}
