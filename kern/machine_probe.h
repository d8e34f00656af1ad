/* SPDX-License-Identifier: MIT */
/* Fills struct machine in ring 0: what CPUID cannot tell is asked of MSRs, CMOS, and the tables. */
#ifndef MACHINE_PROBE_H
#define MACHINE_PROBE_H

#include "machine.h"
#include "options.h"

struct acpi_info;
struct bootinfo;
struct smbios_info;

/*
 * Bounded, about 60 ms with good reference clocks; after the traps, since it tries what CPUID
 * advertises. acpi and smbios may be NULL: not found.
 * Prints nothing. On AMD metal sets the bit that makes LFENCE serialising, until machine_restore().
 */
void machine_probe(struct machine *m, const struct options *o, const struct bootinfo *boot,
		   const struct acpi_info *acpi, const struct smbios_info *smbios, u64 entry_tsc);

/* Puts back what machine_probe() changed; harmless before it and when called again. */
void machine_restore(void);

/* Gives the environment of the suites (env.h) its machine; before any suite runs. */
void env_start(const struct machine *m);

#endif
