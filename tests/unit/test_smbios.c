// SPDX-License-Identifier: MIT
/* SMBIOS of real firmware, and tables that lie about lengths, strings and their end. */
#include "snapshot.h"

#include "smbios.h"

static struct smbios_info m;
static struct bootinfo boot;

static void check_sound(bool ok)
{
	assert_int_equal(ok, m.found);
	assert_int_equal(ok, m.source[0] != '\0');
	assert_text(m.firmware, sizeof(m.firmware));
	assert_text(m.system, sizeof(m.system));
	assert_text(m.board, sizeof(m.board));
	assert_text(m.serial, sizeof(m.serial));
	assert_text(m.uuid, sizeof(m.uuid));
	assert_true(!m.uuid[0] || strlen(m.uuid) == 36);
	assert_findings_sound(&m.findings);
}

static bool parse(struct snapshot *s)
{
	bool ok = smbios_read(&m, &s->mem, &boot);

	snapshot_release(s);
	check_sound(ok);
	return ok;
}

static void captured_machines(void **state)
{
	static const struct {
		const char *name, *source, *firmware, *system, *board, *serial, *uuid;
		u8 major, minor;
	} machine[] = {
		{"pc-grub", "bios scan", "SeaBIOS 1.16.2-debian-1.16.2-1 04/01/2014",
		 "QEMU Standard PC (i440FX + PIIX, 1996)", "Acme Board9", "SN-0042",
		 "00112233-4455-6677-8899-aabbccddeeff", 2, 8},
		{"pc-ovmf", "efi", "EFI Development Kit II / OVMF 0.0.0 02/06/2015",
		 "QEMU Standard PC (i440FX + PIIX, 1996)", "Acme Board9", "SN-0042",
		 "00112233-4455-6677-8899-aabbccddeeff", 2, 8},
		{"q35-pvh", "bios scan", "SeaBIOS 1.16.2-debian-1.16.2-1 04/01/2014",
		 "QEMU Standard PC (Q35 + ICH9, 2009)", "QEMU Standard PC (Q35 + ICH9, 2009)", "",
		 "", 2, 8},
		{"bochs-grub", "bios scan", "The Bochs Project Bochs 2.7 29/12/2019", "", "", "",
		 "", 2, 4},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		struct snapshot s;

		snapshot_boot(&s, machine[i].name, &boot);
		assert_true(parse(&s));
		snapshot_free(&s);
		assert_no_findings(&m.findings);
		assert_string_equal(m.source, machine[i].source);
		assert_string_equal(m.firmware, machine[i].firmware);
		assert_string_equal(m.system, machine[i].system);
		assert_string_equal(m.board, machine[i].board);
		assert_string_equal(m.serial, machine[i].serial);
		assert_string_equal(m.uuid, machine[i].uuid);
		assert_int_equal(m.major, machine[i].major);
		assert_int_equal(m.minor, machine[i].minor);
	}
}

static void captured_without(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_boot(&s, "microvm-pvh", &boot);
	assert_false(parse(&s));
	assert_finding(&m.findings, "no SMBIOS table");
	snapshot_free(&s);
	snapshot_boot(&s, "pc-grub", &boot);
	boot.efi = true; /* under EFI the BIOS area means nothing */
	assert_false(parse(&s));
	snapshot_free(&s);
}

/* A structure table under construction. */
struct table {
	u8 bytes[12000];
	size_t len;
};

/* `strings` ends with an empty one. */
static void put_structure(struct table *t, u8 type, const void *area, u8 n, const char *strings)
{
	size_t k = 0;

	t->bytes[t->len++] = type;
	t->bytes[t->len++] = (u8)(n + 4);
	t->bytes[t->len++] = type;
	t->bytes[t->len++] = 0;
	memcpy(t->bytes + t->len, area, n);
	t->len += n;
	if (!strings[0])
		t->bytes[t->len++] = 0;
	for (; strings[k]; k++) {
		while (strings[k])
			t->bytes[t->len++] = (u8)strings[k++];
		t->bytes[t->len++] = 0;
	}
	t->bytes[t->len++] = 0;
	assert_true(t->len < sizeof(t->bytes));
}

static const u8 uuid[16] = {0x33, 0x22, 0x11, 0,    0x55, 0x44, 0x77, 0x66,
			    0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

static void put_system(struct table *t, const u8 id[16], const char *strings)
{
	u8 area[23] = {1, 2, 0, 3};

	memcpy(area + 4, id, 16);
	put_structure(t, 1, area, sizeof(area), strings);
}

static void make_table(struct table *t)
{
	memset(t, 0, sizeof(*t));
	put_structure(t, 0, (u8[20]){1, 2, 0, 0, 3}, 20, "Vendor\0V1\0Date\0");
	put_system(t, uuid, "Maker\0Model\0S1\0");
	put_structure(t, 2, (u8[4]){1, 2}, 4, "BoardMaker\0Board\0");
	put_structure(t, 127, "", 0, "");
}

/* Reads from an allocation of exactly n bytes. */
static bool read_table(const struct table *t, size_t n, u8 major, u8 minor)
{
	u8 *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, t->bytes, n);
	memset(&m, 0, sizeof(m));
	bool ok = smbios_read_table(&m, (struct span){copy, n}, major, minor);

	free(copy);
	m.found = ok;
	m.source = ok ? "test" : "";
	check_sound(ok);
	return ok;
}

static void made_table(void **state)
{
	struct table t;

	(void)state;
	make_table(&t);
	assert_true(read_table(&t, t.len, 2, 6));
	assert_no_findings(&m.findings);
	assert_string_equal(m.firmware, "Vendor V1 Date");
	assert_string_equal(m.system, "Maker Model");
	assert_string_equal(m.board, "BoardMaker Board");
	assert_string_equal(m.serial, "S1");
}

static void uuid_byte_order(void **state)
{
	static const struct {
		u8 major, minor;
		const char *text;
	} version[] = {
		{2, 5, "33221100-5544-7766-8899-aabbccddeeff"},
		{2, 6, "00112233-4455-6677-8899-aabbccddeeff"},
		{3, 0, "00112233-4455-6677-8899-aabbccddeeff"},
	};
	struct table t;
	u8 none[16];

	(void)state;
	make_table(&t);
	for (size_t i = 0; i < ARRAY_SIZE(version); i++) {
		assert_true(read_table(&t, t.len, version[i].major, version[i].minor));
		assert_string_equal(m.uuid, version[i].text);
	}
	for (int byte = 0; byte <= 0xff; byte += 0xff) { /* not set, not there */
		t.len = 0;
		put_system(&t, memset(none, byte, 16), "Maker\0");
		assert_true(read_table(&t, t.len, 2, 8));
		assert_string_equal(m.uuid, "");
	}
	t.len = 0;
	put_structure(&t, 1, (u8[4]){1}, 4, "Maker\0"); /* before 2.1 there was none */
	assert_true(read_table(&t, t.len, 2, 0));
	assert_string_equal(m.uuid, "");
	assert_string_equal(m.system, "Maker");
}

static void string_index_lies(void **state)
{
	struct table t = {.len = 0};

	(void)state;
	put_structure(&t, 0, (u8[20]){9, 255, 0, 0, 1}, 20, "Date\0");
	put_system(&t, uuid, "");
	put_structure(&t, 127, "", 0, "");
	assert_true(read_table(&t, t.len, 2, 8));
	assert_string_equal(m.firmware, "Date");
	assert_string_equal(m.system, "");
	assert_string_equal(m.serial, "");
	assert_int_equal(strlen(m.uuid), 36);
}

static void strings_made_printable(void **state)
{
	struct table t = {.len = 0};

	(void)state;
	put_structure(&t, 0, (u8[20]){1, 2, 0, 0, 3}, 20,
		      "  A\033[1m \0\t \0B\x80\x7f"
		      "C\"\\\0");
	assert_true(read_table(&t, t.len, 2, 8));
	assert_string_equal(m.firmware, "A?[1m B??C\"\\");
}

static void long_strings(void **state)
{
	static char text[300];
	struct table t = {.len = 0};

	(void)state;
	memset(text, 'x', 250);
	put_structure(&t, 0, (u8[20]){1, 1, 0, 0, 1}, 20, text);
	text[62] = ' '; /* the cut must not leave it at the end */
	put_system(&t, uuid, text);
	assert_true(read_table(&t, t.len, 2, 8));
	assert_int_equal(strlen(m.firmware), 63);
	assert_int_equal(strlen(m.system), 62);
}

/* A board of its own, or else the system's name; the first of several. */
static void board_falls_back(void **state)
{
	struct table t = {.len = 0};

	(void)state;
	put_system(&t, uuid, "Maker\0Model\0S1\0");
	assert_true(read_table(&t, t.len, 2, 8));
	assert_string_equal(m.board, "Maker Model");
	put_structure(&t, 2, (u8[4]){1, 2}, 4, "First\0Board\0");
	put_structure(&t, 2, (u8[4]){1, 2}, 4, "Second\0Board\0");
	assert_true(read_table(&t, t.len, 2, 8));
	assert_string_equal(m.board, "First Board");
}

static void structure_lengths(void **state)
{
	struct table t;

	(void)state;
	for (u32 n = 0; n < 256; n++) {
		make_table(&t);
		t.bytes[1] = (u8)n;
		bool ok = read_table(&t, t.len, 2, 8);

		assert_int_equal(has_finding(&m.findings, "type 0 at offset 0"),
				 n < 4 || n > t.len);
		assert_int_equal(ok, n >= 4 && n <= t.len);
	}
}

static void end_is_the_end(void **state)
{
	struct table t = {.len = 0};

	(void)state;
	put_structure(&t, 127, "", 0, "");
	put_structure(&t, 0, (u8[20]){1}, 20, "Vendor\0");
	assert_false(read_table(&t, t.len, 2, 8));
	assert_string_equal(m.firmware, "");
}

static void unterminated(void **state)
{
	struct table t;

	(void)state;
	make_table(&t);
	for (size_t n = 0; n <= t.len; n++)
		assert_int_equal(read_table(&t, n, 2, 8), n >= 24);
	memset(&t, 0, sizeof(t));
	put_structure(&t, 0, (u8[20]){1, 2}, 20, "Vendor\0V1\0");
	assert_true(read_table(&t, t.len - 2, 2, 8)); /* no NUL at all behind the last string */
	assert_string_equal(m.firmware, "Vendor V1");
}

static void fix_sum(u8 *bytes, size_t n, size_t at)
{
	u8 sum = 0;

	bytes[at] = 0;
	for (size_t i = 0; i < n; i++)
		sum = (u8)(sum + bytes[i]);
	bytes[at] = (u8)-sum;
}

static void make_entry(u8 e[31], u32 table, u16 len)
{
	memset(e, 0, 31);
	memcpy(e, "_SM_", 4);
	e[5] = 31;
	e[6] = 2;
	e[7] = 8;
	memcpy(e + 16, "_DMI_", 5);
	memcpy(e + 22, &len, 2);
	memcpy(e + 24, &table, 4);
	fix_sum(e + 16, 15, 5);
	fix_sum(e, 31, 4);
}

static void make_entry_64(u8 e[24], u64 table, u32 len)
{
	memset(e, 0, 24);
	memcpy(e, "_SM3_", 5);
	e[6] = 24;
	e[7] = 3;
	e[8] = 2;
	memcpy(e + 12, &len, 4);
	memcpy(e + 16, &table, 8);
	fix_sum(e, 24, 5);
}

static void entry_points(void **state)
{
	struct snapshot s;
	struct table t;

	(void)state;
	make_table(&t);
	memset(&boot, 0, sizeof(boot));
	snapshot_start(&s);
	u8 *e = snapshot_add(&s, 0xf1230, NULL, 31);
	u8 *e64 = snapshot_add(&s, 0xffff0, NULL, 24 - 8); /* too near the end: cannot be */

	snapshot_add(&s, 0x7f0000, t.bytes, t.len);
	make_entry(e, 0x7f0000, (u16)t.len);
	memset(e64, 0, 16);
	assert_true(parse(&s));
	assert_int_equal(m.major, 2);
	e[4] ^= 1;
	assert_false(parse(&s));
	e[4] ^= 1;
	e[20] ^= 1;
	assert_false(parse(&s));
	make_entry(e, 0x7f0000, (u16)t.len);
	e[21]++; /* the sums of both parts are wrong by one, that of the whole is right */
	e[4]--;
	assert_false(parse(&s));
	make_entry(e, 0x7f1000, (u16)t.len); /* no table there */
	assert_false(parse(&s));
	assert_finding(&m.findings, "0 readable");
	make_entry(e, 0x7f0000, 0);
	assert_false(parse(&s));
	make_entry(e, 0, (u16)t.len);
	assert_false(parse(&s));
	snapshot_free(&s);
}

static void entry_point_64(void **state)
{
	struct snapshot s;
	struct table t;

	(void)state;
	make_table(&t);
	memset(&boot, 0, sizeof(boot));
	snapshot_start(&s);
	make_entry(snapshot_add(&s, 0xf0000, NULL, 31), 0x7f1000, 100);
	u8 *e = snapshot_add(&s, 0xfffe0, NULL, 24);

	snapshot_add(&s, 0x100007f0000, t.bytes, t.len);
	make_entry_64(e, 0x100007f0000, (u32)t.len);
	assert_true(parse(&s));
	assert_int_equal(m.major, 3);
	assert_string_equal(m.uuid, "00112233-4455-6677-8899-aabbccddeeff");
	make_entry_64(e, 0x100007f0000, 0xffffffff); /* a limit, and not all of it is there */
	assert_true(parse(&s));
	assert_string_equal(m.firmware, "Vendor V1 Date");
	e[5] ^= 1;
	assert_false(parse(&s));
	make_entry_64(e, 0x100007f0000, (u32)t.len);
	e[6] = 23;
	fix_sum(e, 24, 5);
	assert_false(parse(&s));
	snapshot_free(&s);
}

static void tag_forms(void **state)
{
	struct snapshot s;
	struct table t;

	(void)state;
	make_table(&t);
	memset(&boot, 0, sizeof(boot));
	snapshot_start(&s);
	memcpy(boot.smbios, t.bytes, t.len); /* the structures themselves */
	boot.smbios_len = (u32)t.len;
	boot.smbios_major = 2;
	boot.smbios_minor = 5;
	assert_true(parse(&s));
	assert_string_equal(m.source, "tag 13");
	assert_string_equal(m.uuid, "33221100-5544-7766-8899-aabbccddeeff");
	make_entry(boot.smbios, 0x7f0000, (u16)t.len); /* an entry point, the table elsewhere */
	boot.smbios_len = 31;
	assert_false(parse(&s));
	assert_finding(&m.findings, "SMBIOS from tag 13: not understood");
	snapshot_add(&s, 0x7f0000, t.bytes, t.len);
	assert_true(parse(&s));
	assert_string_equal(m.source, "tag 13");
	assert_int_equal(m.minor, 8);
	make_entry_64(boot.smbios, 0x7f0000, (u32)t.len);
	boot.smbios_len = 24;
	assert_true(parse(&s));
	assert_int_equal(m.major, 3);
	boot.smbios_len = 23;
	assert_false(parse(&s));
	snapshot_free(&s);
}

static void every_truncation(void **state)
{
	static const char *const name[] = {"pc-ovmf", "bochs-grub"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(name); k++) {
		struct snapshot s;

		snapshot_boot(&s, name[k], &boot);
		for (size_t i = 0; i < s.n; i++) {
			struct piece *p = &s.piece[i];
			size_t whole = p->len;

			for (p->len = 0; whole < 1024 && p->len < whole; p->len++)
				parse(&s);
			p->len = whole;
		}
		assert_true(parse(&s));
		snapshot_free(&s);
	}
}

static void random_damage(void **state)
{
	struct table t;

	(void)state;
	for (size_t run = 0; run < 2000; run++) {
		make_table(&t);
		size_t len = t.len;

		for (size_t turn = 0; turn < 10; turn++) {
			t.bytes[draw_below(len)] = (u8)draw();
			read_table(&t, len, 2, (u8)draw_below(9));
		}
	}
	for (size_t run = 0; run < 40; run++) {
		struct snapshot s;

		snapshot_boot(&s, run % 2 ? "pc-ovmf" : "pc-grub", &boot);
		for (size_t turn = 0; turn < 20; turn++) {
			snapshot_damage(&s);
			parse(&s);
		}
		snapshot_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured_machines), cmocka_unit_test(captured_without),
		cmocka_unit_test(made_table),	     cmocka_unit_test(uuid_byte_order),
		cmocka_unit_test(string_index_lies), cmocka_unit_test(strings_made_printable),
		cmocka_unit_test(long_strings),	     cmocka_unit_test(board_falls_back),
		cmocka_unit_test(structure_lengths), cmocka_unit_test(end_is_the_end),
		cmocka_unit_test(unterminated),	     cmocka_unit_test(entry_points),
		cmocka_unit_test(entry_point_64),    cmocka_unit_test(tag_forms),
		cmocka_unit_test(every_truncation),  cmocka_unit_test(random_damage),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
