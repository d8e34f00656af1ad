// SPDX-License-Identifier: MIT
/* Boot information of real loaders, and every way to damage it that a walk could trip over. */
#include "snapshot.h"

#include "bootinfo.h"

static struct bootinfo b;

/* Multiboot2 information under construction. */
struct info {
	u8 bytes[16384];
	size_t len;
};

static void put(struct info *i, u64 value, size_t n)
{
	assert_true(i->len + n <= sizeof(i->bytes));
	for (; n; n--, value >>= 8)
		i->bytes[i->len++] = (u8)value;
}

static void set_u32(struct info *i, size_t at, u32 value)
{
	memcpy(i->bytes + at, &value, 4);
}

static void info_start(struct info *i)
{
	memset(i, 0, sizeof(*i));
	put(i, 0, 8);
}

static void put_padding(struct info *i)
{
	while (i->len % 8)
		put(i, 0xee, 1);
}

static void put_tag(struct info *i, u32 type, const void *data, size_t n)
{
	put(i, type, 4);
	put(i, n + 8, 4);
	for (size_t k = 0; k < n; k++)
		put(i, ((const u8 *)data)[k], 1);
	put_padding(i);
}

static void put_mmap(struct info *i, u32 entry_size, u32 entries)
{
	put(i, 6, 4);
	put(i, 16 + (u64)entry_size * entries, 4);
	put(i, entry_size, 4);
	put(i, 0, 4);
	for (u32 k = 0; k < entries; k++) {
		struct info e = {.len = 0};

		put(&e, 0x100000ull * (k + 1), 8);
		put(&e, 0x100000, 8);
		put(&e, k % 2 ? 2 : 1, 4);
		put(&e, 0, 4);
		for (u32 n = 0; n < entry_size; n++)
			put(i, n < 24 ? e.bytes[n] : 0xaa, 1);
	}
	put_padding(i);
}

static void put_region(struct info *i, u64 base, u64 len, u32 type)
{
	put(i, base, 8);
	put(i, len, 8);
	put(i, type, 8);
}

static void put_end(struct info *i)
{
	put(i, 0, 4);
	put(i, 8, 4);
	set_u32(i, 0, (u32)i->len);
}

static void check_sound(bool ok)
{
	assert_text(b.error, sizeof(b.error));
	assert_int_equal(ok, !b.error[0]);
	assert_true(b.cmdline_len < sizeof(b.cmdline));
	assert_int_equal(strlen(b.cmdline), b.cmdline_len);
	assert_true(memchr(b.loader, 0, sizeof(b.loader)) != NULL);
	assert_true(b.n_regions <= BOOT_REGIONS);
	for (u32 i = 0; i < b.n_regions; i++) {
		assert_int_not_equal(b.region[i].len, 0);
		assert_true(b.region[i].base + (b.region[i].len - 1) >= b.region[i].base);
	}
	assert_true(b.rsdp_new_len <= 36 && b.rsdp_old_len <= 36);
	assert_true(b.smbios_len <= BOOT_SMBIOS);
	assert_findings_sound(&b.findings);
}

/* From an allocation of exactly `readable` bytes, gone before the result is looked at. */
static bool parse(const void *info, size_t readable)
{
	u8 *copy = malloc(readable ? readable : 1);

	assert_non_null(copy);
	memcpy(copy, info, readable);
	bool ok = bootinfo_multiboot2(&b, copy, readable);

	free(copy);
	check_sound(ok);
	return ok;
}

static bool parse_info(const struct info *i)
{
	return parse(i->bytes, i->len);
}

static bool parse_pvh(struct snapshot *s, u64 start_info)
{
	bool ok = bootinfo_pvh(&b, &s->mem, start_info);

	snapshot_release(s);
	check_sound(ok);
	return ok;
}

static void assert_error(const char *part)
{
	if (!strstr(b.error, part))
		fail_msg("error is \"%s\", expected \"%s\"", b.error, part);
}

static void parse_captured(const char *name)
{
	struct snapshot s;
	u32 total;

	snapshot_load(&s, name);
	assert_int_equal(s.eax, MULTIBOOT2_MAGIC);
	memcpy(&total, snapshot_bytes(&s, s.ebx, 4), 4);
	assert_true(parse(snapshot_bytes(&s, s.ebx, total), total));
	snapshot_free(&s);
	assert_no_findings(&b.findings);
	assert_int_equal(b.path, BOOT_MULTIBOOT2);
	assert_string_equal(b.cmdline, "suite=tsc \"label=a b\" profile=quick");
	assert_string_equal(b.loader, "GRUB 2.06-13+deb12u2");
}

static u32 region_type(u64 at)
{
	for (u32 i = 0; i < b.n_regions; i++)
		if (b.region[i].base <= at && at - b.region[i].base < b.region[i].len)
			return b.region[i].type;
	fail_msg("no region has 0x%llx", (unsigned long long)at);
	return 0;
}

static void captured_grub_bios(void **state)
{
	(void)state;
	parse_captured("pc-grub");
	assert_false(b.efi);
	assert_int_equal(b.n_regions, 7);
	assert_int_equal(b.region[3].base, 0x100000);
	assert_int_equal(b.region[3].len, 0x3ee0000);
	assert_int_equal(b.region[3].type, BOOT_USABLE);
	assert_int_equal(bootinfo_usable_bytes(&b), 0x9fc00 + 0x3ee0000);
	assert_int_equal(b.rsdp_old_len, 20);
	assert_int_equal(b.rsdp_new_len, 0);
	assert_memory_equal(b.rsdp_old, "RSD PTR ", 8);
	assert_int_equal(b.framebuffer.address, 0xfd000000);
	assert_int_equal(b.framebuffer.width, 1024);
	assert_int_equal(b.framebuffer.height, 768);
	assert_int_equal(b.framebuffer.pitch, 4096);
	assert_int_equal(b.framebuffer.bpp, 32);
	assert_int_equal(b.framebuffer.type, BOOT_FB_RGB);
	assert_int_equal(b.framebuffer.red.at, 16);
	assert_int_equal(b.framebuffer.green.at, 8);
	assert_int_equal(b.framebuffer.blue.at, 0);
	assert_int_equal(b.framebuffer.blue.bits, 8);
}

static void captured_grub_uefi(void **state)
{
	(void)state;
	parse_captured("pc-ovmf");
	assert_true(b.efi);
	assert_int_equal(b.efi_system_table, 0xf5eb018);
	assert_int_equal(b.n_regions, 17);
	assert_int_equal(b.rsdp_old_len, 20);
	assert_int_equal(b.rsdp_new_len, 36);
	assert_int_equal(b.framebuffer.address, 0x80000000);
	/* Type 20 of the map is the loader's own word for runtime code: not ours. */
	assert_int_not_equal(region_type(0xf5ec000), BOOT_USABLE);
}

static void captured_grub_bochs(void **state)
{
	(void)state;
	parse_captured("bochs-grub");
	assert_int_equal(b.n_regions, 6);
	assert_int_equal(b.framebuffer.type, BOOT_FB_TEXT);
	assert_int_equal(b.framebuffer.address, 0xb8000);
	assert_int_equal(b.framebuffer.width, 80);
	assert_int_equal(b.framebuffer.red.bits, 0);
}

static void captured_pvh(void **state)
{
	static const struct {
		const char *name, *cmdline;
		u32 regions;
		u64 rsdp;
	} machine[] = {
		{"pc-pvh", "suite=tsc label=\"a b\" profile=quick", 7, 0xf59d0},
		{"q35-pvh", "suite=tsc", 9, 0xf5980},
		{"microvm-pvh", "suite=tsc", 5, 0xf34d0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		struct snapshot s;

		snapshot_load(&s, machine[i].name);
		assert_true(parse_pvh(&s, s.ebx));
		assert_no_findings(&b.findings);
		assert_int_equal(b.path, BOOT_PVH);
		assert_string_equal(b.cmdline, machine[i].cmdline);
		assert_int_equal(b.n_regions, machine[i].regions);
		assert_int_equal(b.rsdp, machine[i].rsdp);
		snapshot_free(&s);
	}
}

static void size_of_a_tag(void **state)
{
	static const struct {
		u32 size;
		const char *error;
	} damage[] = {
		{0, "tag 5 at offset 24: size 0, expected at least 8"},
		{7, "tag 5 at offset 24: size 7, expected at least 8"},
		{33, "tag 5 at offset 24: size 33, but 32 bytes are left"},
		{0xffffffff, "tag 5 at offset 24: size 4294967295, but 32 bytes are left"},
		{0xfffffff9, "but 32 bytes are left"}, /* rounds up to 2^32 */
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(damage); k++) {
		struct info i;

		info_start(&i);
		put_tag(&i, 1, "abc", 4);
		put_tag(&i, 5, "0123456789ab", 12);
		put_end(&i);
		assert_true(parse_info(&i));
		set_u32(&i, 28, damage[k].size);
		assert_false(parse_info(&i));
		assert_error(damage[k].error);
		assert_string_equal(b.cmdline, "abc"); /* what came before stays */
	}
}

static void every_tag_type_short(void **state)
{
	(void)state;
	for (u32 type = 0; type < 64; type++) {
		for (size_t n = 0; n < 48; n++) {
			struct info i;

			info_start(&i);
			put_tag(&i, type, memset((u8[48]){0}, 0x5a, 48), n);
			put_tag(&i, 2, "loader", 7);
			put_end(&i);
			parse_info(&i);
			if (type > 2) /* the walk goes on behind a tag of bad content */
				assert_string_equal(b.loader, "loader");
		}
	}
}

static void end_tag_missing(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 1, "abc", 4);
	set_u32(&i, 0, (u32)i.len);
	assert_false(parse_info(&i));
	assert_error("no end tag by offset 24");
	assert_string_equal(b.cmdline, "abc");
}

static void total_size(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 1, "abc", 4);
	put_end(&i);
	for (u32 total = 0; total < 16; total++) {
		set_u32(&i, 0, total);
		assert_false(parse_info(&i));
		assert_error("expected at least 16");
	}
	set_u32(&i, 0, 24); /* the end tag lies outside */
	assert_false(parse_info(&i));
	set_u32(&i, 0, 0xffffffff); /* says more than can be read, but is whole */
	assert_true(parse_info(&i));
	assert_finding(&b.findings, "total size 4294967295, readable 32");
	assert_false(bootinfo_multiboot2(&b, NULL, 100));
	assert_false(bootinfo_multiboot2(&b, i.bytes, 0));
	assert_error("0 bytes readable, expected 16");
}

static void memory_map_entry_size(void **state)
{
	static const u32 refused[] = {0, 8, 16, 20, 23, 25, 28};
	static const u32 taken[] = {24, 32, 48};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(refused) + ARRAY_SIZE(taken); k++) {
		bool bad = k < ARRAY_SIZE(refused);
		u32 size = bad ? refused[k] : taken[k - ARRAY_SIZE(refused)];
		struct info i;

		info_start(&i);
		put_mmap(&i, size, 3);
		put_tag(&i, 1, "abc", 4);
		put_end(&i);
		assert_int_equal(parse_info(&i), !bad);
		assert_int_equal(b.n_regions, bad ? 0 : 3);
		assert_string_equal(b.cmdline, "abc");
		if (bad)
			assert_error("tag 6 at offset 8: memory map entry size");
		else
			assert_int_equal(b.region[2].base, 0x300000);
	}
}

static void memory_map_cut(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_mmap(&i, 24, 3);
	set_u32(&i, 12, 16 + 2 * 24 + 8);
	i.len = 8 + 16 + 2 * 24 + 8;
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.n_regions, 2);
	assert_finding(&b.findings, "last entry is cut");
}

static void memory_map_full(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_mmap(&i, 24, 200);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.n_regions, 128);
	assert_int_equal(b.regions_lost, 72);
	assert_finding(&b.findings, "200 regions, 128 kept");
}

static void memory_map_missing(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 4, (u32[]){640, 31 * 1024}, 8);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.n_regions, 2);
	assert_int_equal(b.region[0].len, 640 * 1024);
	assert_int_equal(b.region[1].base, 0x100000);
	assert_int_equal(b.region[1].len, 31 << 20);
	assert_finding(&b.findings, "no memory map");
}

static void regions_wrapping_and_overlapping(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put(&i, 6, 4);
	put(&i, 16 + 6 * 24, 4);
	put(&i, 24, 8);
	put_region(&i, 0x100000, 0x400000, 1);
	put_region(&i, 0x200000, 0x1000, 2);
	put_region(&i, 0x300800, 0x10, 3);
	put_region(&i, 0x800000, 0, 1);
	put_region(&i, 0xfffffffffffff000, 0x2000, 1);
	put_region(&i, 0xffffffffff000000, 0x1000000, 1); /* ends at 2^64 exactly */
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.n_regions, 5);
	assert_int_equal(b.region[3].len, 0x1000);
	assert_int_equal(b.region[4].len, 0x1000000);
	assert_finding(&b.findings, "wraps");
	assert_finding(&b.findings, "0x100000 and 0x200000 overlap");
}

static void command_line_lengths(void **state)
{
	static char line[5000];

	(void)state;
	memset(line, 'x', sizeof(line));
	for (size_t n = 0; n < sizeof(line); n = n < 10 || (n > 4090 && n < 4100) ? n + 1 : n + 7) {
		struct info i;

		info_start(&i);
		line[n] = '\0';
		put_tag(&i, 1, line, n + 1);
		line[n] = 'x';
		put_end(&i);
		assert_true(parse_info(&i));
		assert_int_equal(b.cmdline_len, n < 4095 ? n : 4095);
		assert_int_equal(b.cmdline_cut, n > 4095);
		assert_int_equal(has_finding(&b.findings, "command line cut to 4095"), n > 4095);
	}
}

static void strings_without_end(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 1, "abc", 3);
	put_tag(&i, 2, "", 0);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_string_equal(b.cmdline, "abc");
	assert_string_equal(b.loader, "");
	assert_finding(&b.findings, "tag 1 at offset 8: string not terminated");
	assert_finding(&b.findings, "tag 2 at offset 24: string not terminated");
}

static void long_loader_name(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 2, memset((char[100]){0}, 'L', 99), 100);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(strlen(b.loader), 63);
}

static void repeated_tags(void **state)
{
	struct info i;

	(void)state;
	info_start(&i);
	put_tag(&i, 1, "first", 6);
	put_tag(&i, 1, "second", 7);
	put_mmap(&i, 24, 2);
	put_mmap(&i, 24, 3);
	put_tag(&i, 3, "0123456module", 14); /* modules may come often */
	put_tag(&i, 3, "0123456module", 14);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_string_equal(b.cmdline, "first");
	assert_int_equal(b.n_regions, 2);
	assert_int_equal(b.findings.n, 2);
	assert_finding(&b.findings, "tag 1 at offset 24: repeated");
}

static void smbios_tag(void **state)
{
	static u8 data[10000];
	struct info i;

	(void)state;
	memset(data, 0x11, sizeof(data));
	data[0] = 3;
	data[1] = 4;
	info_start(&i);
	put_tag(&i, 13, data, 8 + 100);
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.smbios_major, 3);
	assert_int_equal(b.smbios_minor, 4);
	assert_int_equal(b.smbios_len, 100);
	assert_false(b.smbios_cut);
	info_start(&i);
	put_tag(&i, 13, data, sizeof(data));
	put_end(&i);
	assert_true(parse_info(&i));
	assert_int_equal(b.smbios_len, BOOT_SMBIOS);
	assert_true(b.smbios_cut);
}

static void efi_tags(void **state)
{
	static const u32 said[] = {11, 12, 17, 18, 19, 20};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(said); k++) {
		struct info i;

		info_start(&i);
		put_tag(&i, said[k], (u64[]){0x123456789abc}, 8);
		put_end(&i);
		assert_true(parse_info(&i));
		assert_true(b.efi);
		assert_int_equal(b.efi_system_table, said[k] == 12 ? 0x123456789abc : 0);
	}
	assert_true(b.efi);
}

static void every_truncation(void **state)
{
	static const char *const name[] = {"pc-grub", "pc-ovmf", "bochs-grub"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(name); k++) {
		struct snapshot s;
		u32 total;

		snapshot_load(&s, name[k]);
		memcpy(&total, snapshot_bytes(&s, s.ebx, 4), 4);
		u8 *info = snapshot_bytes(&s, s.ebx, total);

		for (u32 n = 0; n < total; n++) {
			assert_false(parse(info, n)); /* readable ends early */
			memcpy(info, &n, 4);
			assert_false(parse(info, total)); /* the size itself is too small */
			memcpy(info, &total, 4);
		}
		snapshot_free(&s);
	}
}

/* Every piece of a PVH boot cut at every length. */
static void every_truncation_pvh(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_load(&s, "pc-pvh");
	for (size_t k = 0; k < s.n; k++) {
		struct piece *p = &s.piece[k];

		if (p->address > 0x3000)
			continue;
		size_t whole = p->len;

		for (p->len = 0; p->len < whole; p->len++)
			assert_false(parse_pvh(&s, s.ebx));
		assert_true(parse_pvh(&s, s.ebx));
	}
	snapshot_free(&s);
}

static u8 *make_start_info(struct snapshot *s, u32 version, u32 entries)
{
	snapshot_start(s);
	u8 *at = snapshot_add(s, 0x5000, NULL, version ? 56 : 40);
	u64 cmdline = 0x6000, rsdp = 0x7000, map = 0x8000;
	u32 magic = PVH_MAGIC;

	memcpy(at, &magic, 4);
	memcpy(at + 4, &version, 4);
	memcpy(at + 24, &cmdline, 8);
	memcpy(at + 32, &rsdp, 8);
	if (version) {
		memcpy(at + 40, &map, 8);
		memcpy(at + 48, &entries, 4);
	}
	snapshot_add(s, 0x6000, "quick", 6);
	u8 *to = snapshot_add(s, 0x8000, NULL, 200 * 24);

	for (u64 i = 0; i < 200; i++)
		memcpy(to + i * 24, (u64[]){i << 20, 1 << 20, 1}, 24);
	return at;
}

static void pvh_versions(void **state)
{
	struct snapshot s;

	(void)state;
	make_start_info(&s, 0, 2);
	assert_true(parse_pvh(&s, 0x5000));
	assert_string_equal(b.cmdline, "quick");
	assert_int_equal(b.rsdp, 0x7000);
	assert_int_equal(b.n_regions, 0);
	assert_finding(&b.findings, "version 0");
	snapshot_free(&s);
	make_start_info(&s, 2, 2);
	assert_true(parse_pvh(&s, 0x5000));
	assert_int_equal(b.n_regions, 2);
	snapshot_free(&s);
}

static void pvh_damage(void **state)
{
	struct snapshot s;

	(void)state;
	u8 *at = make_start_info(&s, 1, 0xffffffff);

	assert_true(parse_pvh(&s, 0x5000)); /* bounded by the table, not by the number */
	assert_int_equal(b.n_regions, 128);
	assert_int_equal(b.regions_lost, 0xffffffff - 128);
	memcpy(at + 40, &(u64){0x8000 + 190 * 24}, 8);
	assert_false(parse_pvh(&s, 0x5000));
	assert_error("entry 10 of 4294967295 not readable");
	assert_int_equal(b.n_regions, 10);
	assert_string_equal(b.cmdline, "quick");
	memcpy(at + 40, &(u64){UINT64_MAX - 10}, 8);
	assert_false(parse_pvh(&s, 0x5000));
	memcpy(at + 24, &(u64){0xa000}, 8);
	assert_false(parse_pvh(&s, 0x5000));
	assert_error("command line at 0xa000: not readable after 0 bytes");
	at[0] ^= 1;
	assert_false(parse_pvh(&s, 0x5000));
	assert_error("magic 0x336ec579, expected 0x336ec578");
	assert_false(parse_pvh(&s, 0x4000));
	assert_error("not readable");
	assert_false(parse_pvh(&s, 0));
	snapshot_free(&s);
}

static void pvh_command_line(void **state)
{
	struct snapshot s;

	(void)state;
	u8 *at = make_start_info(&s, 1, 2);
	u8 *line = snapshot_add(&s, 0x20000, NULL, 4200);

	memcpy(at + 24, &(u64){0x20000}, 8);
	memset(line, 'y', 4200);
	assert_true(parse_pvh(&s, 0x5000));
	assert_int_equal(b.cmdline_len, 4095);
	assert_true(b.cmdline_cut);
	line[4095] = '\0';
	assert_true(parse_pvh(&s, 0x5000));
	assert_int_equal(b.cmdline_len, 4095);
	assert_false(b.cmdline_cut);
	line[3000] = '\0';
	assert_true(parse_pvh(&s, 0x5000));
	assert_int_equal(b.cmdline_len, 3000);
	snapshot_free(&s);
}

/* The boot information alone where it is one piece, else all pieces. */
static void load_boot_part(struct snapshot *s, const char *name)
{
	snapshot_load(s, name);
	if (s->eax != MULTIBOOT2_MAGIC)
		return;
	struct piece info = *snapshot_find(s, s->ebx, 8);

	for (size_t i = 0; i < s->n; i++)
		if (s->piece[i].bytes != info.bytes)
			free(s->piece[i].bytes);
	s->piece[0] = info;
	s->n = 1;
}

static void random_damage(void **state)
{
	static const char *const name[] = {"pc-grub", "pc-ovmf", "bochs-grub", "q35-pvh",
					   "microvm-pvh"};

	(void)state;
	for (size_t run = 0; run < 200; run++) {
		struct snapshot s;

		load_boot_part(&s, name[run % ARRAY_SIZE(name)]);
		for (size_t turn = 0; turn < 20; turn++) { /* damage adds up */
			snapshot_damage(&s);
			if (s.eax == MULTIBOOT2_MAGIC)
				parse(s.piece[0].bytes, s.piece[0].len);
			else
				parse_pvh(&s, s.ebx);
		}
		snapshot_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured_grub_bios),
		cmocka_unit_test(captured_grub_uefi),
		cmocka_unit_test(captured_grub_bochs),
		cmocka_unit_test(captured_pvh),
		cmocka_unit_test(size_of_a_tag),
		cmocka_unit_test(every_tag_type_short),
		cmocka_unit_test(end_tag_missing),
		cmocka_unit_test(total_size),
		cmocka_unit_test(memory_map_entry_size),
		cmocka_unit_test(memory_map_cut),
		cmocka_unit_test(memory_map_full),
		cmocka_unit_test(memory_map_missing),
		cmocka_unit_test(regions_wrapping_and_overlapping),
		cmocka_unit_test(command_line_lengths),
		cmocka_unit_test(strings_without_end),
		cmocka_unit_test(long_loader_name),
		cmocka_unit_test(repeated_tags),
		cmocka_unit_test(smbios_tag),
		cmocka_unit_test(efi_tags),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(every_truncation_pvh),
		cmocka_unit_test(pvh_versions),
		cmocka_unit_test(pvh_damage),
		cmocka_unit_test(pvh_command_line),
		cmocka_unit_test(random_damage),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
