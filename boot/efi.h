/* SPDX-License-Identifier: MIT */
/*
 * Where the UEFI firmware keeps its tables: the list in its system table (UEFI 2.10, 4.3 and 4.6).
 */
#ifndef EFI_H
#define EFI_H

#include "phys.h"

enum efi_table { EFI_ACPI_20, EFI_ACPI_10, EFI_SMBIOS3, EFI_SMBIOS };

/* The physical address of the table, 0 if system_table is 0, unreadable or does not list it. */
u64 efi_find_table(const struct phys *mem, u64 system_table, enum efi_table which);

#endif
