// SPDX-License-Identifier: MIT
/* The way from the RSDP to the tables, and the tables that are one record each (ACPI 6.5, 5.2). */
#include "acpi.h"

#include "acpi_tables.h"
#include "efi.h"

#define RSDP_BYTES_V1 20
#define RSDP_BYTES_V2 36
#define TABLE_HEADER  36
#define TABLE_MAX     (16u << 20) /* the largest DSDTs have some 500 KiB */
#define ROOT_ENTRIES  1024

/* The RSDT or XSDT. */
struct root {
	struct span table;
	size_t width; /* of an entry: 4 or 8 */
};

/* The tables that are read, each the first of its signature. */
struct tables {
	struct span fadt, madt, spcr, hpet;
};

/* Signatures go into the log. */
static void name_table(struct span s, char name[5])
{
	for (size_t i = 0; i < 4; i++) {
		u8 c = span_u8(s, i);

		name[i] = c > ' ' && c < 0x7f ? (char)c : '?';
	}
	name[4] = '\0';
}

/* The whole table at an address, its checksum right; empty otherwise, with a finding. */
static struct span load_table(struct acpi_info *a, const struct phys *mem, u64 address)
{
	struct span none = {.at = NULL, .len = 0};
	struct span s = phys_span(mem, address, TABLE_HEADER);
	u32 len = span_u32(s, 4);
	char name[5];

	if (!s.len) {
		finding_add(&a->findings, "table at 0x%llx: not readable",
			    (unsigned long long)address);
		return none;
	}
	name_table(s, name);
	if (len < TABLE_HEADER || len > TABLE_MAX) {
		finding_add(&a->findings, "%s at 0x%llx: length %u, expected 36 to %u", name,
			    (unsigned long long)address, len, TABLE_MAX);
		return none;
	}
	s = phys_span(mem, address, len);
	if (!s.len) {
		finding_add(&a->findings, "%s at 0x%llx: %u bytes are not readable", name,
			    (unsigned long long)address, len);
		return none;
	}
	if (!span_sums_to_zero(s)) {
		finding_add(&a->findings, "%s at 0x%llx: checksum wrong, not used", name,
			    (unsigned long long)address);
		return none;
	}
	return s;
}

static struct span load_named(struct acpi_info *a, const struct phys *mem, u64 address,
			      const char *signature)
{
	struct span none = {.at = NULL, .len = 0};
	struct span s = load_table(a, mem, address);

	if (!s.len || span_starts(s, signature))
		return s;
	finding_add(&a->findings, "table at 0x%llx: signature is not %s",
		    (unsigned long long)address, signature);
	return none;
}

static bool rsdp_sound(struct span s)
{
	return s.len >= RSDP_BYTES_V1 && span_starts(s, "RSD PTR ") &&
	       span_sums_to_zero(span_part(s, 0, RSDP_BYTES_V1));
}

/* Whether the fields of ACPI 2.0 can be believed. */
static bool rsdp_extended(struct acpi_info *a, struct span s)
{
	if (span_u8(s, 15) < 2)
		return false;
	u32 len = span_u32(s, 20);

	if (s.len < RSDP_BYTES_V2 || len < RSDP_BYTES_V2)
		finding_add(&a->findings, "RSDP: revision %u with %zu bytes", span_u8(s, 15),
			    s.len < RSDP_BYTES_V2 ? s.len : (size_t)len);
	else if (len <= s.len && !span_sums_to_zero(span_part(s, 0, len)))
		finding_add(&a->findings, "RSDP: extended checksum wrong, RSDT used");
	else
		return true;
	return false;
}

static bool open_root(struct acpi_info *a, const struct phys *mem, struct span rsdp,
		      struct root *root)
{
	u32 rsdt = span_u32(rsdp, 16);
	u64 xsdt = rsdp_extended(a, rsdp) ? span_u64(rsdp, 24) : 0;

	a->revision = span_u8(rsdp, 15);
	root->table = (struct span){.at = NULL, .len = 0};
	if (xsdt) {
		root->table = load_named(a, mem, xsdt, "XSDT");
		root->width = 8;
	}
	a->xsdt = root->table.len != 0;
	if (!a->xsdt && rsdt) {
		if (xsdt)
			finding_add(&a->findings, "XSDT not usable, RSDT used");
		root->table = load_named(a, mem, rsdt, "RSDT");
		root->width = 4;
	}
	return root->table.len != 0;
}

static bool try_rsdp(struct acpi_info *a, const struct phys *mem, struct span rsdp,
		     const char *source, struct root *root)
{
	if (!rsdp.len)
		return false;
	if (!rsdp_sound(rsdp)) {
		finding_add(&a->findings, "RSDP from %s: signature or checksum wrong", source);
		return false;
	}
	if (!open_root(a, mem, rsdp, root)) {
		finding_add(&a->findings, "RSDP from %s: no readable RSDT or XSDT", source);
		return false;
	}
	a->rsdp_source = source;
	return true;
}

/* An ACPI 1.0 RSDP may end at the end of what can be read. */
static struct span rsdp_at(const struct phys *mem, u64 address)
{
	struct span s = phys_span(mem, address, RSDP_BYTES_V2);

	return s.len ? s : phys_span(mem, address, RSDP_BYTES_V1);
}

u64 acpi_scan(const struct phys *mem, u64 from, u64 len)
{
	if (len > UINT64_MAX - from)
		len = UINT64_MAX - from;
	for (u64 at = 0; at < len && len - at >= RSDP_BYTES_V1; at += 16)
		if (rsdp_sound(phys_span(mem, from + at, RSDP_BYTES_V1)))
			return from + at;
	return 0;
}

/* The first KiB of the EBDA, then the ROM (5.2.5.1). The segment at 40Eh may be anything. */
static u64 scan_bios(const struct phys *mem)
{
	u64 ebda = (u64)span_u16(phys_span(mem, 0x40e, 2), 0) << 4;
	u64 found = ebda >= 0x400 && ebda < 0xa0000 ? acpi_scan(mem, ebda, 1024) : 0;

	return found ? found : acpi_scan(mem, 0xe0000, 0x20000);
}

static bool find_root(struct acpi_info *a, const struct phys *mem, const struct bootinfo *boot,
		      struct root *root)
{
	struct span tag15 = {.at = boot->rsdp_new, .len = boot->rsdp_new_len};
	struct span tag14 = {.at = boot->rsdp_old, .len = boot->rsdp_old_len};
	u64 efi = efi_find_table(mem, boot->efi_system_table, EFI_ACPI_20);

	if (!efi)
		efi = efi_find_table(mem, boot->efi_system_table, EFI_ACPI_10);
	return try_rsdp(a, mem, tag15, "tag 15", root) || try_rsdp(a, mem, tag14, "tag 14", root) ||
	       try_rsdp(a, mem, rsdp_at(mem, boot->rsdp), "start_info", root) ||
	       try_rsdp(a, mem, rsdp_at(mem, efi), "efi", root) ||
	       (!boot->efi && try_rsdp(a, mem, rsdp_at(mem, scan_bios(mem)), "bios scan", root));
}

static size_t root_entries(const struct root *r)
{
	size_t n = (r->table.len - TABLE_HEADER) / r->width;

	return n < ROOT_ENTRIES ? n : ROOT_ENTRIES;
}

static u64 root_entry(const struct root *r, size_t i)
{
	return span_number(r->table, TABLE_HEADER + i * r->width, r->width);
}

static struct span *slot_of(struct tables *t, struct span header)
{
	if (span_starts(header, "FACP"))
		return &t->fadt;
	if (span_starts(header, "APIC"))
		return &t->madt;
	if (span_starts(header, "SPCR"))
		return &t->spcr;
	if (span_starts(header, "HPET"))
		return &t->hpet;
	return NULL;
}

static void collect_tables(struct acpi_info *a, const struct phys *mem, const struct root *root,
			   struct tables *t)
{
	for (size_t i = 0; i < root_entries(root); i++) {
		u64 address = root_entry(root, i);
		struct span header = phys_span(mem, address, TABLE_HEADER);
		struct span *slot = slot_of(t, header);
		char name[5];

		if (!header.len && address)
			finding_add(&a->findings, "table at 0x%llx: not readable",
				    (unsigned long long)address);
		if (!slot)
			continue;
		if (!slot->len) {
			*slot = load_table(a, mem, address);
			continue;
		}
		name_table(header, name);
		finding_add(&a->findings, "%s at 0x%llx: a second one, ignored", name,
			    (unsigned long long)address);
	}
}

/* Some firmware keeps \_S5 in an SSDT. */
static void find_s5(struct acpi_info *a, const struct phys *mem, const struct root *root,
		    struct span dsdt)
{
	a->s5 = acpi_find_s5(dsdt, &a->s5_typ_a, &a->s5_typ_b);
	for (size_t i = 0; !a->s5 && i < root_entries(root); i++) {
		u64 address = root_entry(root, i);

		if (!span_starts(phys_span(mem, address, TABLE_HEADER), "SSDT"))
			continue;
		a->s5 = acpi_find_s5(load_table(a, mem, address), &a->s5_typ_a, &a->s5_typ_b);
	}
	if (!a->s5)
		finding_add(&a->findings, "\\_S5 not found: ACPI power-off is not possible");
}

static struct span load_dsdt(struct acpi_info *a, const struct phys *mem, struct span fadt)
{
	u64 wide = span_u64(fadt, 140);
	u32 narrow = span_u32(fadt, 40);
	struct span s = {.at = NULL, .len = 0};

	if (wide)
		s = load_named(a, mem, wide, "DSDT");
	if (!s.len && narrow && narrow != wide)
		s = load_named(a, mem, narrow, "DSDT");
	return s;
}

bool acpi_read(struct acpi_info *out, const struct phys *mem, const struct bootinfo *boot)
{
	struct tables t = {0};
	struct root root = {.width = 0};

	memset(out, 0, sizeof(*out));
	out->rsdp_source = "";
	if (!find_root(out, mem, boot, &root)) {
		finding_add(&out->findings, "no usable RSDP: nothing is known from ACPI");
		return false;
	}
	out->found = true;
	collect_tables(out, mem, &root, &t);
	if (t.fadt.len) {
		acpi_read_fadt(out, t.fadt);
		find_s5(out, mem, &root, load_dsdt(out, mem, t.fadt));
	} else {
		finding_add(&out->findings, "no FADT");
	}
	if (t.madt.len)
		acpi_read_madt(out, t.madt);
	else
		finding_add(&out->findings, "no MADT: processors are not known from ACPI");
	if (t.spcr.len)
		acpi_read_spcr(out, t.spcr);
	if (t.hpet.len)
		acpi_read_hpet(out, t.hpet);
	return true;
}
