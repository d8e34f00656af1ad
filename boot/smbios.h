/* SPDX-License-Identifier: MIT */
/* The names SMBIOS gives to firmware and machine, for the identity of a log (DSP0134 3.6). */
#ifndef SMBIOS_H
#define SMBIOS_H

#include "bootinfo.h"
#include "findings.h"
#include "phys.h"

/* All terminated, printable ASCII without blanks at the ends; "" where not known. */
struct smbios_info {
	bool found;
	u8 major, minor;
	const char *source; /* "tag 13", "efi", "bios scan"; "" if none */

	char firmware[64]; /* vendor, version, date (type 0) */
	char system[64];   /* manufacturer, product (type 1) */
	char board[64];	   /* manufacturer, product (type 2); the system's if there is no type 2 */
	char serial[64];   /* of the system (type 1) */
	char uuid[40];	   /* of the system, lower case; "" if all zeros or all ones */

	struct findings findings;
};

/*
 * False if there is no sound table. It is looked for in tag 13 (an entry point or the structures
 * themselves), the EFI configuration table, and without EFI in F0000h-FFFFFh.
 */
bool smbios_read(struct smbios_info *out, const struct phys *mem, const struct bootinfo *boot);

/* Reads a structure table; false if it holds none of the structures wanted. */
bool smbios_read_table(struct smbios_info *out, struct span table, u8 major, u8 minor);

#endif
