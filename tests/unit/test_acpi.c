// SPDX-License-Identifier: MIT
/* ACPI tables of real machines, made ones for what those lack, and damage of every kind. */
#include "snapshot.h"

#include "acpi.h"
#include "efi.h"

static struct acpi_info a;
static struct bootinfo boot;

static void check_register(const struct acpi_address *r)
{
	if (r->address)
		assert_true(r->space == ACPI_MEMORY ||
			    (r->space == ACPI_IO && r->address <= 0xffff));
}

static void check_sound(bool ok)
{
	assert_int_equal(ok, a.found);
	assert_int_equal(ok, a.rsdp_source[0] != '\0');
	assert_true(a.n_cpus <= ACPI_CPUS);
	assert_true(a.cpus_lost == 0 || a.n_cpus == ACPI_CPUS);
	assert_int_equal(a.pm_timer_bits == 24 || a.pm_timer_bits == 32, a.pm_timer.address != 0);
	check_register(&a.pm_timer);
	check_register(&a.pm1a_cnt);
	check_register(&a.pm1b_cnt);
	assert_true(a.smi_cmd <= 0xffff);
	assert_true(a.s5_typ_a <= 7 && a.s5_typ_b <= 7);
	assert_true(ok || a.findings.n);
	assert_findings_sound(&a.findings);
}

static bool parse(struct snapshot *s)
{
	bool ok = acpi_read(&a, &s->mem, &boot);

	snapshot_release(s);
	check_sound(ok);
	return ok;
}

static void assert_register(const struct acpi_address *r, u8 space, u64 address)
{
	assert_int_equal(r->address, address);
	if (address)
		assert_int_equal(r->space, space);
}

static void captured_machines(void **state)
{
	static const struct {
		const char *name, *source;
		u32 cpus, smi_cmd;
		u64 pm1a, timer, reset, hpet;
		u8 typ_a, century;
		bool xsdt;
	} machine[] = {
		{"pc-pvh", "start_info", 1, 0xb2, 0x604, 0x608, 0, 0xfed00000, 0, 0x32, false},
		{"q35-pvh", "start_info", 6, 0xb2, 0x604, 0x608, 0xcf9, 0xfed00000, 0, 0x32, false},
		{"microvm-pvh", "start_info", 2, 0, 0, 0, 0xfea00202, 0, 5, 0, true},
		{"pc-grub", "tag 14", 2, 0xb2, 0x604, 0x608, 0, 0xfed00000, 0, 0x32, false},
		{"pc-ovmf", "tag 15", 2, 0xb2, 0xb004, 0xb008, 0, 0xfed00000, 0, 0x32, true},
		{"bochs-grub", "tag 14", 1, 0xb2, 0xb004, 0xb008, 0, 0xfed00000, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++) {
		struct snapshot s;

		snapshot_boot(&s, machine[i].name, &boot);
		assert_true(parse(&s));
		snapshot_free(&s);
		assert_no_findings(&a.findings);
		assert_string_equal(a.rsdp_source, machine[i].source);
		assert_int_equal(a.xsdt, machine[i].xsdt);
		assert_true(a.fadt && a.madt && a.s5 && !a.spcr);
		assert_int_equal(a.n_cpus, machine[i].cpus);
		assert_int_equal(a.lapic, 0xfee00000);
		assert_int_equal(a.smi_cmd, machine[i].smi_cmd);
		assert_register(&a.pm1a_evt, ACPI_IO, machine[i].pm1a ? machine[i].pm1a - 4 : 0);
		assert_register(&a.pm1a_cnt, ACPI_IO, machine[i].pm1a);
		assert_register(&a.pm_timer, ACPI_IO, machine[i].timer);
		assert_int_equal(a.pm_timer_bits, machine[i].timer ? 24 : 0);
		assert_int_equal(a.reset_supported, machine[i].reset != 0);
		assert_int_equal(a.reset_reg.address, machine[i].reset);
		assert_int_equal(a.hpet, machine[i].hpet);
		assert_int_equal(a.s5_typ_a, machine[i].typ_a);
		assert_int_equal(a.century, machine[i].century);
	}
}

static void captured_apic_ids(void **state)
{
	static const u32 id[] = {0, 1, 2, 4, 5, 6}; /* two sockets of three cores leave holes */
	struct snapshot s;

	(void)state;
	snapshot_boot(&s, "q35-pvh", &boot);
	assert_true(parse(&s));
	snapshot_free(&s);
	assert_memory_equal(a.apic_id, id, sizeof(id));
}

static void captured_hardware_reduced(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_boot(&s, "microvm-pvh", &boot);
	assert_true(parse(&s));
	snapshot_free(&s);
	assert_true(a.hw_reduced);
	assert_register(&a.sleep_control, ACPI_MEMORY, 0xfea00200);
	assert_int_equal(a.reset_value, 0x42);
}

/* Each way to the RSDP once those before it are shut. */
static void ways_to_the_rsdp(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_boot(&s, "pc-ovmf", &boot);
	boot.rsdp_new[9] ^= 1;
	assert_true(parse(&s));
	assert_string_equal(a.rsdp_source, "tag 14");
	assert_finding(&a.findings, "RSDP from tag 15: signature or checksum wrong");
	boot.rsdp_old[19] ^= 1;
	assert_true(parse(&s));
	assert_string_equal(a.rsdp_source, "efi");
	boot.efi_system_table = 0;
	assert_false(parse(&s)); /* no scan under EFI */
	assert_finding(&a.findings, "no usable RSDP");
	snapshot_free(&s);

	snapshot_boot(&s, "pc-pvh", &boot);
	boot.rsdp = 0;
	assert_true(parse(&s));
	assert_string_equal(a.rsdp_source, "bios scan");
	assert_int_equal(acpi_scan(&s.mem, 0xe0000, 0x20000), 0xf59d0);
	assert_int_equal(acpi_scan(&s.mem, 0xf59d0, 20), 0xf59d0);
	assert_int_equal(acpi_scan(&s.mem, 0xf59d0, 19), 0);
	assert_int_equal(acpi_scan(&s.mem, 0xf59c8, 0x1000), 0); /* not on its boundary */
	assert_int_equal(acpi_scan(&s.mem, UINT64_MAX - 64, UINT64_MAX),
			 0); /* an end beyond 2^64 */
	boot.efi = true;
	assert_false(parse(&s));
	snapshot_free(&s);
}

static void efi_configuration_table(void **state)
{
	struct snapshot s;

	(void)state;
	snapshot_boot(&s, "pc-ovmf", &boot);
	u64 table = boot.efi_system_table;
	u8 *at = snapshot_bytes(&s, table, 120);

	assert_int_equal(efi_find_table(&s.mem, table, EFI_ACPI_20), 0xf77d014);
	assert_int_not_equal(efi_find_table(&s.mem, table, EFI_SMBIOS), 0);
	memset(at + 104, 0xff, 8); /* entries without end: stops where reading does */
	assert_int_equal(efi_find_table(&s.mem, table, EFI_SMBIOS3), 0);
	memset(at + 112, 0xff, 8);
	assert_int_equal(efi_find_table(&s.mem, table, EFI_ACPI_20), 0);
	at[0] = 'X';
	assert_int_equal(efi_find_table(&s.mem, table, EFI_ACPI_20), 0);
	assert_int_equal(efi_find_table(&s.mem, 0, EFI_ACPI_20), 0);
	snapshot_release(&s);
	snapshot_free(&s);
}

/* Tables under construction, one every 64 KiB from 1 MiB on. */
#define RSDP_AT	 0xe0000u
#define RSDT_AT	 0x100000u
#define XSDT_AT	 0x110000u
#define FADT_AT	 0x120000u
#define DSDT_AT	 0x130000u
#define MADT_AT	 0x140000u
#define SPCR_AT	 0x150000u
#define HPET_AT	 0x160000u
#define SSDT_AT	 0x170000u
#define MADT2_AT 0x180000u

static void fix_sum(u8 *bytes, size_t n, size_t at)
{
	u8 sum = 0;

	bytes[at] = 0;
	for (size_t i = 0; i < n; i++)
		sum = (u8)(sum + bytes[i]);
	bytes[at] = (u8)-sum;
}

static void put(u8 *bytes, size_t at, u64 value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[at + i] = (u8)(value >> (8 * i));
}

static u8 *add_table(struct snapshot *s, u64 address, const char *signature, const void *body,
		     size_t n)
{
	u8 *t = snapshot_add(s, address, NULL, 36 + n);

	memcpy(t, signature, 4);
	put(t, 4, 36 + n, 4);
	t[8] = 1;
	if (body)
		memcpy(t + 36, body, n);
	fix_sum(t, 36 + n, 9);
	return t;
}

static void table_done(struct snapshot *s, u64 address)
{
	struct piece *p = snapshot_find(s, address, 36);

	assert_non_null(p);
	fix_sum(p->bytes, p->len, 9);
}

static const u8 s5_aml[] = {0x10, 0x05, '\\', 0x00, 0x08, '_',	'S',  '5',  '_',
			    0x12, 0x08, 0x04, 0x0a, 0x05, 0x0a, 0x06, 0x00, 0x00};

/* A machine with everything: XSDT and RSDT list the same tables. */
static void make_machine(struct snapshot *s)
{
	static const u32 list[] = {FADT_AT, MADT_AT, SPCR_AT, HPET_AT, SSDT_AT, MADT2_AT};
	u64 wide[ARRAY_SIZE(list)];

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		wide[i] = list[i];
	snapshot_start(s);
	u8 *rsdp = snapshot_add(s, RSDP_AT, NULL, 36);

	memcpy(rsdp, "RSD PTR ", 8);
	rsdp[15] = 2;
	put(rsdp, 16, RSDT_AT, 4);
	put(rsdp, 20, 36, 4);
	put(rsdp, 24, XSDT_AT, 8);
	fix_sum(rsdp, 20, 8);
	fix_sum(rsdp, 36, 32);
	add_table(s, RSDT_AT, "RSDT", list, sizeof(list));
	add_table(s, XSDT_AT, "XSDT", wide, sizeof(wide));
	add_table(s, DSDT_AT, "DSDT", s5_aml, sizeof(s5_aml));
	add_table(s, SSDT_AT, "SSDT", s5_aml, sizeof(s5_aml));
	add_table(s, MADT_AT, "APIC", (u8[8 + 8]){[8] = 0, 8, 1, 1, 1}, 16);
	add_table(s, HPET_AT, "HPET", (u8[20]){[5] = 64, [10] = 0xd0, 0xfe}, 20);
	u8 *spcr = add_table(s, SPCR_AT, "SPCR", NULL, 52);

	put(spcr, 40, 0x00200800u | ACPI_IO, 4);
	put(spcr, 44, 0x2f8, 8);
	put(spcr, 58, 7, 1);
	table_done(s, SPCR_AT);
	u8 *fadt = add_table(s, FADT_AT, "FACP", NULL, 268 - 36);

	put(fadt, 40, DSDT_AT, 4);
	put(fadt, 140, DSDT_AT, 8);
	put(fadt, 48, 0xb2, 4);
	put(fadt, 52, 0xa0, 1);
	put(fadt, 53, 0xa1, 1);
	put(fadt, 54, 0xa2, 1);
	put(fadt, 55, 0xa3, 1);
	put(fadt, 56, 0x400, 4);
	put(fadt, 64, 0x404, 4);
	put(fadt, 76, 0x408, 4);
	put(fadt, 89, 2, 1);
	put(fadt, 91, 4, 1);
	put(fadt, 95, 0xa4, 1);
	put(fadt, 112, 1u << 8 | 1u << 10, 4);
	put(fadt, 116, 0x00000801, 4);
	put(fadt, 120, 0xcf9, 8);
	put(fadt, 128, 6, 1);
	table_done(s, FADT_AT);
	memset(&boot, 0, sizeof(boot));
	boot.rsdp = RSDP_AT;
}

static void drop_table(struct snapshot *s, u64 address)
{
	memcpy(snapshot_bytes(s, address, 36), "XXXX", 4);
	table_done(s, address);
}

static void made_machine(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	assert_true(parse(&s));
	snapshot_free(&s);
	assert_int_equal(a.findings.n, 1); /* the last of the list is not there */
	assert_finding(&a.findings, "table at 0x180000: not readable");
	assert_true(a.xsdt && a.fadt && a.madt && a.spcr && a.s5 && a.serial_16550);
	assert_int_equal(a.pm_timer_bits, 32);
	assert_int_equal(a.acpi_enable, 0xa0);
	assert_int_equal(a.acpi_disable, 0xa1);
	assert_int_equal(a.s4bios_req, 0xa2);
	assert_int_equal(a.pstate_cnt, 0xa3);
	assert_int_equal(a.cst_cnt, 0xa4);
	assert_register(&a.pm1a_evt, ACPI_IO, 0x400);
	assert_true(a.reset_supported);
	assert_register(&a.reset_reg, ACPI_IO, 0xcf9);
	assert_int_equal(a.reset_value, 6);
	assert_int_equal(a.s5_typ_a, 5);
	assert_int_equal(a.s5_typ_b, 6);
	assert_register(&a.serial, ACPI_IO, 0x2f8);
	assert_int_equal(a.serial_baud, 115200);
	assert_int_equal(a.hpet, 0xfed00000);
	assert_int_equal(a.n_cpus, 1);
	assert_int_equal(a.apic_id[0], 1);
}

static void xsdt_wrong(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	snapshot_bytes(&s, XSDT_AT, 40)[39] ^= 0x10;
	assert_true(parse(&s));
	assert_false(a.xsdt);
	assert_int_equal(a.n_cpus, 1);
	assert_finding(&a.findings, "XSDT at 0x110000: checksum wrong");
	assert_finding(&a.findings, "RSDT used");
	snapshot_bytes(&s, RSDT_AT, 40)[39] ^= 0x10;
	assert_false(parse(&s));
	assert_finding(&a.findings, "RSDT at 0x100000: checksum wrong");
	assert_finding(&a.findings, "RSDP from start_info: no readable RSDT or XSDT");
	snapshot_free(&s);
}

static void rsdp_extended_part(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	u8 *rsdp = snapshot_bytes(&s, RSDP_AT, 36);

	rsdp[33] ^= 1;
	assert_true(parse(&s));
	assert_false(a.xsdt);
	assert_finding(&a.findings, "RSDP: extended checksum wrong");
	put(rsdp, 20, 35, 4);
	assert_true(parse(&s));
	assert_false(a.xsdt);
	assert_finding(&a.findings, "RSDP: revision 2 with 35 bytes");
	s.piece[0].len = 20;
	assert_true(parse(&s));
	assert_false(a.xsdt);
	assert_finding(&a.findings, "RSDP: revision 2 with 20 bytes");
	s.piece[0].len = 19;
	assert_false(parse(&s));
	snapshot_free(&s);
}

static void table_lengths(void **state)
{
	static const u32 length[] = {0, 35, 0x1000001, 0xffffffff};
	struct snapshot s;

	(void)state;
	make_machine(&s);
	for (size_t i = 0; i < ARRAY_SIZE(length); i++) {
		put(snapshot_bytes(&s, MADT_AT, 36), 4, length[i], 4);
		assert_true(parse(&s));
		assert_false(a.madt);
		assert_true(a.fadt);
		assert_finding(&a.findings, "APIC at 0x140000: length");
	}
	put(snapshot_bytes(&s, MADT_AT, 36), 4, 53, 4);
	assert_true(parse(&s));
	assert_finding(&a.findings, "APIC at 0x140000: 53 bytes are not readable");
	assert_finding(&a.findings, "no MADT");
	snapshot_free(&s);
}

static void second_madt(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	add_table(&s, MADT2_AT, "APIC", (u8[8 + 8]){[8] = 0, 8, 9, 9, 1}, 16);
	assert_true(parse(&s));
	assert_int_equal(a.apic_id[0], 1);
	assert_finding(&a.findings, "APIC at 0x180000: a second one, ignored");
	snapshot_bytes(&s, MADT_AT, 36)[10] ^= 1; /* the first is damaged: the second counts */
	assert_true(parse(&s));
	assert_int_equal(a.apic_id[0], 9);
	assert_finding(&a.findings, "APIC at 0x140000: checksum wrong, not used");
	snapshot_free(&s);
}

static void fadt_without(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	u8 *fadt = snapshot_bytes(&s, FADT_AT, 268);

	fadt[91] = 0; /* no PM timer */
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_int_equal(a.pm_timer_bits, 0);
	fadt[91] = 4;
	put(fadt, 112, 0, 4); /* no flags */
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_int_equal(a.pm_timer_bits, 24);
	assert_false(a.reset_supported);
	put(fadt, 48, 0, 4);
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_int_equal(a.smi_cmd, 0);
	drop_table(&s, FADT_AT);
	assert_true(parse(&s));
	assert_false(a.fadt || a.s5);
	assert_finding(&a.findings, "no FADT");
	snapshot_free(&s);
}

static void fadt_wide_addresses(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	u8 *fadt = snapshot_bytes(&s, FADT_AT, 268);

	put(fadt, 208, 0x2000 | ACPI_MEMORY, 4);
	put(fadt, 212, 0xfed80800, 8);
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_register(&a.pm_timer, ACPI_MEMORY, 0xfed80800);
	assert_finding(&a.findings, "PM_TMR_BLK is 0x408, X_PM_TMR_BLK is 0xfed80800 and used");
	put(fadt, 208, 0x2000 | ACPI_IO, 4); /* a port of 32 bits cannot be */
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_register(&a.pm_timer, ACPI_IO, 0x408);
	assert_finding(&a.findings, "X_PM_TMR_BLK 0xfed80800 in address space 1 is impossible");
	put(fadt, 76, 0x10408, 4);
	put(fadt, 48, 0x100b2, 4);
	table_done(&s, FADT_AT);
	assert_true(parse(&s));
	assert_int_equal(a.pm_timer.address, 0);
	assert_int_equal(a.smi_cmd, 0); /* not its lower half: that is another device */
	assert_finding(&a.findings, "PM_TMR_BLK 0x10408 is not a port");
	assert_finding(&a.findings, "SMI_CMD 0x100b2 is not a port");
	snapshot_free(&s);
}

/* Old tables are shorter; what lies beyond reads as absent. */
static void fadt_of_every_length(void **state)
{
	(void)state;
	for (size_t n = 36; n <= 268; n++) {
		struct snapshot s;

		make_machine(&s);
		drop_table(&s, SSDT_AT);
		put(snapshot_bytes(&s, FADT_AT, 36), 4, n, 4);
		snapshot_find(&s, FADT_AT, 36)->len = n;
		table_done(&s, FADT_AT);
		assert_true(parse(&s));
		snapshot_free(&s);
		assert_true(a.fadt);
		assert_int_equal(a.reset_supported, n >= 128);
		assert_int_equal(a.pm_timer_bits, n < 92 ? 0 : n < 116 ? 24 : 32);
		assert_int_equal(a.s5, n >= 44);
		assert_int_equal(a.smi_cmd, n < 52 ? 0 : 0xb2); /* never half an address */
		assert_int_equal(a.pm1a_cnt.address, n < 68 ? 0 : 0x404);
	}
}

static void dsdt_and_ssdt(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	u8 *fadt = snapshot_bytes(&s, FADT_AT, 268);

	put(fadt, 140, 0x999000, 8); /* X_DSDT cannot be read: DSDT */
	table_done(&s, FADT_AT);
	drop_table(&s, SSDT_AT);
	assert_true(parse(&s));
	assert_true(a.s5);
	assert_finding(&a.findings, "table at 0x999000: not readable");
	drop_table(&s, DSDT_AT);
	assert_true(parse(&s));
	assert_false(a.s5);
	assert_finding(&a.findings, "signature is not DSDT");
	assert_finding(&a.findings, "\\_S5 not found");
	memcpy(snapshot_bytes(&s, SSDT_AT, 36), "SSDT", 4);
	table_done(&s, SSDT_AT);
	assert_true(parse(&s));
	assert_true(a.s5);
	snapshot_free(&s);
}

static void s5_forms(void **state)
{
	static const struct {
		u8 aml[24], n;
		bool ok;
		u8 a, b;
	} form[] = {
		{{8, '_', 'S', '5', '_', 0x12, 6, 4, 0, 1, 0, 0}, 12, true, 0, 1},
		{{8, '\\', '_', 'S', '5', '_', 0x12, 6, 4, 1, 1, 0, 0}, 13, true, 1, 1},
		{{8, '_', 'S', '5', '_', 0x12, 5, 2, 0x0a, 7, 0}, 11, true, 7, 0},
		{{8, '_', 'S', '5', '_', 0x12, 6, 2, 0x0b, 7, 0, 0}, 12, true, 7, 0},
		{{8, '_', 'S', '5', '_', 0x12, 8, 2, 0x0c, 3, 0, 0, 0, 1}, 14, true, 3, 1},
		{{8, '_', 'S', '5', '_', 0x12, 0x46, 0, 2, 0x0a, 5, 1}, 12, true, 5, 1},
		{{8, '_', 'S', '5', '_', 0x12, 5, 1, 0x0b, 2, 4}, 11, true, 2, 4},
		{{8, '_', 'S', '5', '_', 0x12, 4, 2, 0x0a, 7, 0}, 11, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 5, 2, 0x0a, 8, 0}, 11, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 4, 2, 0xff, 0}, 10, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 2, 0}, 8, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 1}, 7, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 0}, 7, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 0x3f, 2, 0, 0}, 10, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x12, 0xcf, 0xff, 0xff, 0xff, 2, 0, 0}, 13, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0x13, 4, 2, 0, 0}, 10, false, 0, 0},
		{{7, '_', 'S', '5', '_', 0x12, 4, 2, 0, 0}, 10, false, 0, 0},
		{{'_', 'S', '5', '_', 0x12, 4, 2, 0, 0}, 9, false, 0, 0},
		{{8, '_', 'S', '5', '_', 0, 8, '_', 'S', '5', '_', 0x12, 4, 2, 1, 0},
		 16,
		 true,
		 1,
		 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
		u8 typ_a = 0, typ_b = 0;
		u8 *copy = malloc(form[i].n);

		assert_non_null(copy);
		memcpy(copy, form[i].aml, form[i].n);
		bool ok = acpi_find_s5((struct span){copy, form[i].n}, &typ_a, &typ_b);

		if (ok != form[i].ok)
			fail_msg("form %zu: %d", i, ok);
		assert_int_equal(typ_a, form[i].a);
		assert_int_equal(typ_b, form[i].b);
		free(copy);
		for (size_t n = 0; n < form[i].n; n++) { /* cut anywhere */
			copy = malloc(n + !n);
			assert_non_null(copy);
			memcpy(copy, form[i].aml, n);
			acpi_find_s5((struct span){copy, n}, &typ_a, &typ_b);
			free(copy);
		}
	}
}

/* Replaces the MADT by one with these entries. */
static void set_madt(struct snapshot *s, const u8 *entries, size_t n)
{
	struct piece *p = snapshot_find(s, MADT_AT, 36);

	assert_non_null(p);
	free(p->bytes);
	p->len = 44 + n;
	p->bytes = calloc(1, p->len);
	assert_non_null(p->bytes);
	memcpy(p->bytes, "APIC", 4);
	put(p->bytes, 4, p->len, 4);
	put(p->bytes, 36, 0xfee00000, 4);
	if (n)
		memcpy(p->bytes + 44, entries, n);
	table_done(s, MADT_AT);
}

static void madt_entries(void **state)
{
	static const u8 entries[] = {
		0,   8,	 0, 0,	  1,	0,    0,    0,		      /* id 0 */
		1,   12, 0, 0,	  0,	0,    0xc0, 0xfe, 0, 0, 0, 0, /* I/O APIC: not ours */
		0,   8,	 1, 2,	  1,	0,    0,    0,		      /* id 2 */
		0,   8,	 2, 2,	  1,	0,    0,    0,		      /* the same again */
		0,   8,	 3, 3,	  0,	0,    0,    0,		      /* disabled */
		0,   8,	 3, 4,	  2,	0,    0,    0,		      /* online capable only */
		0,   8,	 3, 0xff, 1,	0,    0,    0,		      /* no id */
		9,   16, 0, 0,	  0x34, 0x12, 0,    0,	  1, 0, 0, 0, 7, 0, 0, 0, /* id 1234h */
		9,   16, 0, 0,	  2,	0,    0,    0,	  1, 0, 0, 0, 8, 0, 0, 0, /* id 2 a third
										     time */
		9,   16, 0, 0,	  0xff, 0,    0,    0,	  1, 0, 0, 0, 9, 0, 0, 0, /* an id here */
		9,   16, 0, 0,	  0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 9, 0, 0, 0, /* no id */
		5,   12, 0, 0,	  0,	0,    0xe0, 0xfe, 1, 0, 0, 0, 0, 7, 3, 9, 1,
		0,   0, /* too short */
		200, 2, /* of a type to come */
	};
	struct snapshot s;

	(void)state;
	make_machine(&s);
	set_madt(&s, entries, sizeof(entries));
	assert_true(parse(&s));
	assert_int_equal(a.n_cpus, 4);
	assert_int_equal(a.apic_id[0], 0);
	assert_int_equal(a.apic_id[1], 2);
	assert_int_equal(a.apic_id[2], 0x1234);
	assert_int_equal(a.apic_id[3], 0xff);
	assert_int_equal(a.cpus_disabled, 2);
	assert_int_equal(a.lapic, 0x1fee00000);
	assert_finding(&a.findings, "MADT: 2 duplicate APIC ids dropped");
	assert_finding(&a.findings, "MADT: 1 entries too short");
	snapshot_free(&s);
}

static void madt_lengths(void **state)
{
	static const u8 length[] = {0, 1, 9, 255};
	u8 entries[] = {0, 8, 0, 5, 1, 0, 0, 0, 0, 8, 1, 6, 1, 0, 0, 0};
	struct snapshot s;

	(void)state;
	make_machine(&s);
	for (size_t i = 0; i < ARRAY_SIZE(length); i++) {
		entries[9] = length[i];
		set_madt(&s, entries, sizeof(entries));
		assert_true(parse(&s));
		assert_int_equal(a.n_cpus, 1);
		assert_finding(&a.findings, "at offset 52 of 60");
	}
	set_madt(&s, entries, 0);
	assert_true(parse(&s));
	assert_finding(&a.findings, "MADT: no enabled processor");
	snapshot_free(&s);
}

static void madt_of_many(void **state)
{
	static u8 entries[300 * 16];
	struct snapshot s;

	(void)state;
	for (u32 i = 0; i < 300; i++) {
		entries[16 * i] = 9;
		entries[16 * i + 1] = 16;
		put(entries, 16 * i + 4, i * 3, 4);
		entries[16 * i + 8] = 1;
	}
	make_machine(&s);
	set_madt(&s, entries, sizeof(entries));
	assert_true(parse(&s));
	snapshot_free(&s);
	assert_int_equal(a.n_cpus, 256);
	assert_int_equal(a.cpus_lost, 44);
	assert_int_equal(a.apic_id[255], 765);
	assert_finding(&a.findings, "44 processors beyond 256");
}

static void spcr_forms(void **state)
{
	struct snapshot s;

	(void)state;
	make_machine(&s);
	u8 *spcr = snapshot_bytes(&s, SPCR_AT, 88);

	spcr[8] = 4;
	spcr[36] = 0x12;
	put(spcr, 40, 0x03002000 | ACPI_MEMORY, 4);
	put(spcr, 44, 0xfedc9000, 8);
	put(spcr, 76, 48000000, 4);
	put(spcr, 80, 1500000, 4);
	table_done(&s, SPCR_AT);
	assert_true(parse(&s));
	assert_true(a.serial_16550);
	assert_register(&a.serial, ACPI_MEMORY, 0xfedc9000);
	assert_int_equal(a.serial.bits, 32);
	assert_int_equal(a.serial.access, 3);
	assert_int_equal(a.serial_baud, 1500000);
	assert_int_equal(a.serial_clock, 48000000);
	spcr[36] = 3; /* another kind of UART */
	spcr[58] = 0; /* as it is */
	put(spcr, 80, 0, 4);
	table_done(&s, SPCR_AT);
	assert_true(parse(&s));
	assert_false(a.serial_16550);
	assert_int_equal(a.serial_baud, 0);
	snapshot_free(&s);
}

/* Every piece but the boot information cut at every length: never a crash, never a made-up CPU. */
static void every_truncation(void **state)
{
	static const char *const name[] = {"microvm-pvh", "pc-ovmf", "bochs-grub"};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(name); k++) {
		struct snapshot s;

		snapshot_boot(&s, name[k], &boot);
		for (size_t i = 0; i < s.n; i++) {
			struct piece *p = &s.piece[i];
			size_t whole = p->len;
			/* The big tables are bytecode: a prime step keeps the time in hand. */
			size_t step = whole > 1024 ? 13 : 1;

			for (size_t n = 0; n < whole; n += step) {
				p->len = n;
				parse(&s);
				assert_true(a.n_cpus <= 2);
			}
			p->len = whole;
		}
		assert_true(parse(&s));
		snapshot_free(&s);
	}
}

static void random_damage(void **state)
{
	static const char *const name[] = {"microvm-pvh", "pc-ovmf", "bochs-grub", "q35-pvh", ""};

	(void)state;
	for (size_t run = 0; run < 100; run++) {
		const char *from = name[run % ARRAY_SIZE(name)];
		struct snapshot s;

		if (*from)
			snapshot_boot(&s, from, &boot);
		else
			make_machine(&s);
		for (size_t turn = 0; turn < 20; turn++) {
			snapshot_damage(&s);
			parse(&s);
		}
		snapshot_free(&s);
	}
}

/* With the checksums made right again, so that damage reaches the readers behind them. */
static void random_tables(void **state)
{
	static const u32 table[] = {RSDT_AT, XSDT_AT, FADT_AT, DSDT_AT, MADT_AT, SPCR_AT, HPET_AT};

	(void)state;
	for (size_t run = 0; run < 400; run++) {
		struct snapshot s;

		make_machine(&s);
		for (size_t turn = 0; turn < 10; turn++) {
			u32 at = table[draw_below(ARRAY_SIZE(table))];
			struct piece *p = snapshot_find(&s, at, 36);

			for (u64 n = draw_below(6); n; n--)
				p->bytes[36 + draw_below(p->len - 36)] = (u8)draw();
			table_done(&s, at);
			assert_true(parse(&s));
		}
		snapshot_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured_machines),
		cmocka_unit_test(captured_apic_ids),
		cmocka_unit_test(captured_hardware_reduced),
		cmocka_unit_test(ways_to_the_rsdp),
		cmocka_unit_test(efi_configuration_table),
		cmocka_unit_test(made_machine),
		cmocka_unit_test(xsdt_wrong),
		cmocka_unit_test(rsdp_extended_part),
		cmocka_unit_test(table_lengths),
		cmocka_unit_test(second_madt),
		cmocka_unit_test(fadt_without),
		cmocka_unit_test(fadt_wide_addresses),
		cmocka_unit_test(fadt_of_every_length),
		cmocka_unit_test(dsdt_and_ssdt),
		cmocka_unit_test(s5_forms),
		cmocka_unit_test(madt_entries),
		cmocka_unit_test(madt_lengths),
		cmocka_unit_test(madt_of_many),
		cmocka_unit_test(spcr_forms),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(random_damage),
		cmocka_unit_test(random_tables),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
