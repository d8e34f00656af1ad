/* SPDX-License-Identifier: MIT */
/*
 * The page tables: physical memory mapped to itself. SDM volume 3 chapter 4. Until paging_enable()
 * the first 4 GiB are mapped writable and executable by the boot code.
 */
#ifndef PAGING_H
#define PAGING_H

#include "types.h"

/* RAM from here on is not mapped: page directories for more would not fit into the tables. */
#define PAGING_RAM_LIMIT (64ull << 30)

enum paging_kind {
	PAGING_RAM,	 /* written and read, never executed */
	PAGING_READONLY, /* firmware's tables and what else the memory map lists */
	PAGING_MMIO,	 /* uncached */
};

/*
 * Starts a set of tables that maps the kernel image (W^X where the CPU has NX) and low memory.
 * False: no tables left.
 */
bool paging_prepare(void);

/*
 * Adds physical [base, base + bytes), grown to whole pages. Usable on the set in preparation and on
 * the live one. What the image or an earlier call mapped keeps its rights, save that PAGING_MMIO
 * makes it uncached. False: the tables are used up or the address is beyond what the CPU has; what
 * was mapped until then stays.
 */
bool paging_map(u64 base, u64 bytes, enum paging_kind kind);

/* Makes the prepared set the live one. */
void paging_enable(void);

/* Is every page of [base, base + bytes) mapped, as seen by the CPU now? */
bool paging_mapped(u64 base, u64 bytes);

/* For devices: uncached. NULL as above, and for what lies in page 0 or in the kernel image. */
void *paging_map_mmio(u64 phys, u64 len);

/*
 * For firmware's tables: a pointer to read the bytes at, mapped if they were not. Page 0 is read
 * from a copy. NULL as above, and before paging_enable() for what the boot code did not map.
 */
const void *paging_map_readonly(u64 phys, u64 len);

/* False: the CPU has no NX (or the firmware hides it), so that all memory is executable. */
bool paging_nx(void);

#endif
