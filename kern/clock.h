/* SPDX-License-Identifier: MIT */
/*
 * Claims about the TSC's frequency, from everything that makes one. Which to believe is not
 * decided here: machine_choose_clock().
 */
#ifndef CLOCK_H
#define CLOCK_H

#include "machine.h"

struct acpi_info;

/*
 * Appends the candidates in a fixed order, the absent ones too, each with its state. a may be
 * NULL. Needs m's CPUID part. Every wait is bounded in turns and in ticks.
 */
void clock_candidates(struct machine *m, const struct acpi_info *a);

#endif
