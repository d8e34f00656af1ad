// SPDX-License-Identifier: MIT
/* The 64-bit EFI system table and its configuration tables (UEFI 2.10, 4.3 and 4.6). */
#include "efi.h"

#define SYSTEM_TABLE_BYTES 120
#define ENTRY_BYTES	   24  /* GUID and pointer */
#define MAX_ENTRIES	   128 /* firmware has 10 to 20 */

/* As in memory: the first three fields of a GUID are little-endian. */
static const u8 guid[][16] = {
	[EFI_ACPI_20] = {0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11, 0xbc, 0x22, 0x00, 0x80,
			 0xc7, 0x3c, 0x88, 0x81},
	[EFI_ACPI_10] = {0x30, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16, 0x00, 0x90,
			 0x27, 0x3f, 0xc1, 0x4d},
	[EFI_SMBIOS3] = {0x44, 0x15, 0xfd, 0xf2, 0x94, 0x97, 0x2c, 0x4a, 0x99, 0x2e, 0xe5, 0xbb,
			 0xcf, 0x20, 0xe3, 0x94},
	[EFI_SMBIOS] = {0x31, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11, 0x9a, 0x16, 0x00, 0x90,
			0x27, 0x3f, 0xc1, 0x4d},
};

u64 efi_find_table(const struct phys *mem, u64 system_table, enum efi_table which)
{
	struct span s = phys_span(mem, system_table, SYSTEM_TABLE_BYTES);

	if (!span_starts(s, "IBI SYST"))
		return 0;
	u64 entries = span_u64(s, 104);
	u64 list = span_u64(s, 112);

	if (entries > MAX_ENTRIES)
		entries = MAX_ENTRIES;
	for (u64 i = 0; i < entries; i++) {
		struct span e = phys_span(mem, list + i * ENTRY_BYTES, ENTRY_BYTES);

		if (!e.len)
			return 0;
		if (!memcmp(e.at, guid[which], 16))
			return span_u64(e, 16);
	}
	return 0;
}
