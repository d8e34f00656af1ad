// SPDX-License-Identifier: MIT
/* The start information of a PVH boot (Xen public/arch-x86/hvm/start_info.h). */
#include "bootinfo.h"

/* Offsets in hvm_start_info; version 1 added the memory map. */
enum start_info {
	INFO_MAGIC = 0,
	INFO_VERSION = 4,
	INFO_CMDLINE = 24,
	INFO_RSDP = 32,
	INFO_BYTES_V0 = 40,
	INFO_MMAP = 40,
	INFO_MMAP_ENTRIES = 48,
	INFO_BYTES_V1 = 56,
};

#define MMAP_ENTRY 24 /* base, length, type, reserved */

/* Byte by byte: the string may end at the end of what can be read. */
static bool read_cmdline(struct bootinfo *b, const struct phys *mem, u64 address)
{
	size_t n = 0;

	for (; n < sizeof(b->cmdline); n++) {
		struct span s = phys_span(mem, address + n, 1);

		if (!s.len)
			return bootinfo_fail(
				b, "PVH command line at 0x%llx: not readable after %zu bytes",
				(unsigned long long)address, n);
		if (!s.at[0])
			return true;
		if (n == sizeof(b->cmdline) - 1)
			break;
		b->cmdline[n] = (char)s.at[0];
		b->cmdline_len = n + 1;
	}
	b->cmdline_cut = true;
	finding_add(&b->findings, "command line cut to %zu characters", b->cmdline_len);
	return true;
}

static bool read_mmap(struct bootinfo *b, const struct phys *mem, u64 address, u32 entries)
{
	for (u32 i = 0; i < entries; i++) {
		if (b->n_regions == BOOT_REGIONS) {
			b->regions_lost = entries - i;
			break;
		}
		struct span s = phys_span(mem, address + (u64)i * MMAP_ENTRY, MMAP_ENTRY);

		if (!s.len)
			return bootinfo_fail(
				b, "PVH memory map at 0x%llx: entry %u of %u not readable",
				(unsigned long long)address, i, entries);
		bootinfo_add_region(b, span_u64(s, 0), span_u64(s, 8), span_u32(s, 16));
	}
	return true;
}

static void read_v1(struct bootinfo *b, const struct phys *mem, u64 start_info)
{
	struct span s = phys_span(mem, start_info, INFO_BYTES_V1);

	if (!s.len) {
		bootinfo_fail(b, "PVH start information at 0x%llx: 56 bytes are not readable",
			      (unsigned long long)start_info);
		return;
	}
	u64 map = span_u64(s, INFO_MMAP);
	u32 entries = span_u32(s, INFO_MMAP_ENTRIES);

	if (!map || !entries)
		finding_add(&b->findings, "PVH start information has no memory map");
	else
		read_mmap(b, mem, map, entries);
}

bool bootinfo_pvh(struct bootinfo *out, const struct phys *mem, u64 start_info)
{
	struct span s = phys_span(mem, start_info, INFO_BYTES_V0);

	memset(out, 0, sizeof(*out));
	out->path = BOOT_PVH;
	if (!s.len)
		return bootinfo_fail(out, "PVH start information at 0x%llx: not readable",
				     (unsigned long long)start_info);
	u32 magic = span_u32(s, INFO_MAGIC);

	if (magic != PVH_MAGIC)
		return bootinfo_fail(
			out, "PVH start information at 0x%llx: magic 0x%08x, expected 0x%08x",
			(unsigned long long)start_info, magic, PVH_MAGIC);
	out->rsdp = span_u64(s, INFO_RSDP);
	if (span_u64(s, INFO_CMDLINE))
		read_cmdline(out, mem, span_u64(s, INFO_CMDLINE));
	if (span_u32(s, INFO_VERSION) >= 1)
		read_v1(out, mem, start_info);
	else
		finding_add(&out->findings, "PVH start information version 0 has no memory map");
	bootinfo_check_regions(out);
	return !out->error[0];
}
