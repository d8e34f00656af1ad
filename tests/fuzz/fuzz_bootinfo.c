// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any memory at entry, read as boot information by either protocol. Aborts where what
 * was read breaks bootinfo.h's word.
 */
#include "memory.h"

static void regions_sound(const struct bootinfo *b)
{
	u64 sum = 0;

	must(b->n_regions <= BOOT_REGIONS);
	for (u32 i = 0; i < b->n_regions; i++) {
		const struct boot_region *r = &b->region[i];

		must(r->len > 0 && r->base + (r->len - 1) >= r->base);
		if (r->type == BOOT_USABLE)
			sum += r->len;
	}
	if (!b->n_regions)
		must(bootinfo_usable_bytes(b) == 0 && sum == 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct bootinfo b;
	static struct memory m;
	bool good;

	if (!memory_start(&m, data, size))
		return 0;
	good = memory_boot(&m, &b);
	must(good == (b.error[0] == '\0'));
	must(b.cmdline_len < sizeof(b.cmdline) && strlen(b.cmdline) == b.cmdline_len);
	must(strnlen(b.loader, sizeof(b.loader)) < sizeof(b.loader));
	must(strnlen(b.error, sizeof(b.error)) < sizeof(b.error));
	must(b.rsdp_new_len <= sizeof(b.rsdp_new) && b.rsdp_old_len <= sizeof(b.rsdp_old));
	must(b.smbios_len <= sizeof(b.smbios));
	regions_sound(&b);
	findings_sound(&b.findings);
	memory_end(&m);
	return 0;
}
