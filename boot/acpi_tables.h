/* SPDX-License-Identifier: MIT */
/*
 * Each function reads one whole table, its length and checksum already proven, into its part of
 * struct acpi_info. Fields beyond the end of an old, short table read as 0.
 */
#ifndef ACPI_TABLES_H
#define ACPI_TABLES_H

#include "acpi.h"

void acpi_read_fadt(struct acpi_info *a, struct span fadt);
void acpi_read_madt(struct acpi_info *a, struct span madt);
void acpi_read_spcr(struct acpi_info *a, struct span spcr);
void acpi_read_hpet(struct acpi_info *a, struct span hpet);

#endif
