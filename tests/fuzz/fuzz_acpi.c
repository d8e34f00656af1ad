// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any memory at entry, its ACPI tables, and any bytes as AML. With an input of odd
 * length checksums are put right. Aborts where what was read breaks acpi.h's word.
 */
#include "acpi.h"
#include "memory.h"

static void cpus_sound(const struct acpi_info *a)
{
	must(a->n_cpus <= ACPI_CPUS);
	for (u32 i = 0; i < a->n_cpus; i++)
		for (u32 k = 0; k < i; k++)
			must(a->apic_id[i] != a->apic_id[k]);
	if (a->cpus_lost)
		must(a->n_cpus == ACPI_CPUS);
}

static void aml_read(const u8 *data, size_t size)
{
	u8 *copy = malloc(size ? size : 1), a = 0, b = 0;

	must(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	if (acpi_find_s5((struct span){.at = copy, .len = size}, &a, &b))
		must(size > 36 && a < 8 && b < 8);
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct bootinfo b;
	static struct acpi_info a;
	static struct memory m;

	aml_read(data, size);
	if (!memory_start(&m, data, size))
		return 0;
	m.sums = size & 1;
	memory_boot(&m, &b);
	must(acpi_read(&a, &m.phys, &b) == a.found);
	must(a.rsdp_source != NULL && (a.found || !a.fadt));
	must(a.pm_timer_bits == 0 || a.pm_timer_bits == 24 || a.pm_timer_bits == 32);
	must(!a.s5 || (a.s5_typ_a < 8 && a.s5_typ_b < 8));
	cpus_sound(&a);
	findings_sound(&a.findings);
	memory_end(&m);
	return 0;
}
