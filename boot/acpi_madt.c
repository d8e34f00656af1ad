// SPDX-License-Identifier: MIT
/* The processors listed in the MADT (ACPI 6.5, 5.2.12). */
#include "acpi_tables.h"

enum madt_entry { LOCAL_APIC = 0, LOCAL_APIC_ADDRESS_OVERRIDE = 5, LOCAL_X2APIC = 9 };

#define ENTRIES_AT 44
#define ENABLED	   1u

/* What was left out, so that a thousand odd entries make one line. */
struct dropped {
	u32 duplicate, no_id, too_short;
};

static bool cpu_known(const struct acpi_info *a, u32 id)
{
	for (u32 i = 0; i < a->n_cpus; i++)
		if (a->apic_id[i] == id)
			return true;
	return false;
}

/* `none` is the id that stands for no processor: firmware fills unused slots with it. */
static void add_cpu(struct acpi_info *a, u32 id, u32 none, u32 flags, struct dropped *d)
{
	if (id == none)
		d->no_id++;
	else if (!(flags & ENABLED))
		a->cpus_disabled++;
	else if (cpu_known(a, id))
		d->duplicate++;
	else if (a->n_cpus == ACPI_CPUS)
		a->cpus_lost++;
	else
		a->apic_id[a->n_cpus++] = id;
}

static void read_entry(struct acpi_info *a, struct span e, struct dropped *d)
{
	u8 type = span_u8(e, 0);
	size_t need = type == LOCAL_APIC ? 8 : type == LOCAL_X2APIC ? 16 : 12;

	if (type != LOCAL_APIC && type != LOCAL_X2APIC && type != LOCAL_APIC_ADDRESS_OVERRIDE)
		return;
	if (e.len < need)
		d->too_short++;
	else if (type == LOCAL_APIC)
		add_cpu(a, span_u8(e, 3), 0xff, span_u32(e, 4), d);
	else if (type == LOCAL_X2APIC)
		add_cpu(a, span_u32(e, 4), 0xffffffff, span_u32(e, 8), d);
	else
		a->lapic = span_u64(e, 4);
}

static void report(struct acpi_info *a, const struct dropped *d)
{
	if (d->duplicate)
		finding_add(&a->findings, "MADT: %u duplicate APIC ids dropped", d->duplicate);
	if (d->too_short)
		finding_add(&a->findings, "MADT: %u entries too short for their type dropped",
			    d->too_short);
	if (a->cpus_lost)
		finding_add(&a->findings, "MADT: %u processors beyond %u not kept", a->cpus_lost,
			    ACPI_CPUS);
	if (!a->n_cpus)
		finding_add(&a->findings, "MADT: no enabled processor");
}

void acpi_read_madt(struct acpi_info *a, struct span madt)
{
	struct dropped d = {0};
	size_t at = ENTRIES_AT;

	a->madt = true;
	a->lapic = span_u32(madt, 36);
	while (span_has(madt, at, 2)) {
		size_t len = span_u8(madt, at + 1);

		if (len < 2 || !span_has(madt, at, len)) {
			finding_add(&a->findings,
				    "MADT: entry of type %u and length %zu at offset %zu of %zu",
				    span_u8(madt, at), len, at, madt.len);
			break;
		}
		read_entry(a, span_part(madt, at, len), &d);
		at += len;
	}
	report(a, &d);
}
