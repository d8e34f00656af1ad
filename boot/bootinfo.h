/* SPDX-License-Identifier: MIT */
/*
 * What the boot loader told us, in one shape for both boot protocols. The parsers only read: they
 * copy out all they keep, so the boot information may lie in memory that is reused afterwards.
 */
#ifndef BOOTINFO_H
#define BOOTINFO_H

#include "findings.h"
#include "phys.h"
#include "types.h"

#define MULTIBOOT2_MAGIC 0x36d76289u /* in EAX at entry (Multiboot2 3.3) */
#define PVH_MAGIC	 0x336ec578u /* first word of hvm_start_info (Xen start_info.h) */

#define BOOT_REGIONS 128
#define BOOT_SMBIOS  8192
#define BOOT_USABLE  1 /* the only type that is ours to write to; the rest is as in E820 */

#define BOOT_FB_INDEXED 0
#define BOOT_FB_RGB	1
#define BOOT_FB_TEXT	2 /* EGA text: w and h in characters, pitch in bytes */

enum boot_path { BOOT_NONE, BOOT_MULTIBOOT2, BOOT_PVH };

/* Never empty, never wraps: base + (len - 1) >= base. */
struct boot_region {
	u64 base, len; /* bytes */
	u32 type;
};

struct boot_field {
	u8 at, bits; /* position of the lowest bit, number of bits */
};

/* All zero where the loader gave none; only type BOOT_FB_RGB has colour fields. */
struct boot_framebuffer {
	u64 address;
	u32 pitch; /* bytes a line */
	u32 width, height;
	u8 bpp, type;
	struct boot_field red, green, blue;
};

struct bootinfo {
	enum boot_path path;
	bool efi; /* the loader ran on UEFI: there is no BIOS area to scan */

	char cmdline[4096]; /* terminated */
	size_t cmdline_len;
	bool cmdline_cut;
	char loader[64]; /* terminated, "" if not told */

	struct boot_region region[BOOT_REGIONS];
	u32 n_regions;
	u32 regions_lost; /* regions that did not fit */

	u64 rsdp;			/* physical address, 0 if not told (PVH only) */
	u8 rsdp_new[36], rsdp_old[36];	/* copies of the RSDP, ACPI 2.0+ and 1.0 */
	u32 rsdp_new_len, rsdp_old_len; /* 0: not given */

	u8 smbios[BOOT_SMBIOS]; /* a copy: an entry point or the structures themselves */
	u32 smbios_len;		/* 0: not given */
	bool smbios_cut;
	u8 smbios_major, smbios_minor;

	u64 efi_system_table; /* of 64-bit firmware: physical address, 0 if not told */
	struct boot_framebuffer framebuffer;

	char error[128]; /* terminated; "" if there was none. The first one stays. */
	struct findings findings;
};

/*
 * `info` is what EBX points to, `limit` the bytes readable there. False with out->error if the
 * information is damaged; what was read before, and what could be read after a damaged tag whose
 * size was sound, is kept. (Multiboot2 specification 2.0, 3.4-3.6.)
 */
bool bootinfo_multiboot2(struct bootinfo *out, const void *info, size_t limit);

/*
 * `start_info` is the physical address in EBX. Otherwise as above. (Xen arch-x86/hvm/start_info.h)
 */
bool bootinfo_pvh(struct bootinfo *out, const struct phys *mem, u64 start_info);

/* Bytes in usable regions, saturating; overlaps are counted twice and are a finding. */
u64 bootinfo_usable_bytes(const struct bootinfo *b);

/* For the two protocol parsers only. */
bool bootinfo_fail(struct bootinfo *b, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void bootinfo_add_region(struct bootinfo *b, u64 base, u64 len, u32 type);
void bootinfo_check_regions(struct bootinfo *b);

#endif
