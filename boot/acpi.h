/* SPDX-License-Identifier: MIT */
/*
 * What the ACPI tables say of processors, clocks, the serial console and the ways to end. Reading
 * only: nothing here touches a register. (ACPI 6.5, chapter 5.)
 */
#ifndef ACPI_H
#define ACPI_H

#include "bootinfo.h"
#include "findings.h"
#include "phys.h"

#define ACPI_CPUS 256

/* Address space of a register (5.2.3.2). */
#define ACPI_MEMORY 0
#define ACPI_IO	    1
#define ACPI_PCI    2 /* configuration space of segment 0, bus 0 */

/* A Generic Address Structure. address 0: there is no such register. */
struct acpi_address {
	u8 space;
	u8 bits, offset; /* width of the register, lowest bit */
	u8 access;	 /* 0 undefined, 1 byte, 2 word, 3 dword, 4 qword */
	u64 address;
};

struct acpi_info {
	bool found;  /* an RSDP with a readable RSDT or XSDT */
	u8 revision; /* of the RSDP: 0 is ACPI 1.0 */
	bool xsdt;   /* XSDT used, else RSDT */
	/* "tag 15", "tag 14", "start_info", "efi", "bios scan"; "" if none */
	const char *rsdp_source;

	bool fadt;
	bool hw_reduced;	      /* HW_REDUCED_ACPI: none of the PM and SMI registers exist */
	u32 smi_cmd;		      /* port; 0: no SMI interface, so never write one */
	u8 acpi_enable, acpi_disable; /* values for smi_cmd; both 0: always in ACPI mode */
	u8 s4bios_req, pstate_cnt, cst_cnt; /* further ones, each 0 if there is none */
	struct acpi_address pm1a_evt, pm1a_cnt, pm1b_cnt;
	struct acpi_address pm_timer; /* counts at 3.579545 MHz */
	u8 pm_timer_bits;	      /* 24 or 32; 0 without a timer */
	bool reset_supported;	      /* RESET_REG_SUP: write reset_value to reset_reg */
	struct acpi_address reset_reg;
	u8 reset_value;
	struct acpi_address sleep_control; /* SLEEP_CONTROL_REG, for hw_reduced */
	u16 iapc_boot_arch;		   /* 0 in tables too old to have it */
	u8 century;			   /* RTC CMOS index of the century, 0: none */

	bool s5; /* \_S5 was found: the values for SLP_TYP to power off */
	u8 s5_typ_a, s5_typ_b;

	bool madt;
	u64 lapic;		/* physical address */
	u32 apic_id[ACPI_CPUS]; /* enabled processors, in the order of the table */
	u32 n_cpus;		/* of them kept in apic_id */
	u32 cpus_lost;		/* enabled ones beyond ACPI_CPUS */
	u32 cpus_disabled;

	bool spcr;
	bool serial_16550; /* the interface type is 16550 or near enough */
	u8 serial_type;
	struct acpi_address serial; /* address 0: redirection is off */
	u32 serial_baud;	    /* 0: as firmware left it, or not known */
	u32 serial_clock;	    /* Hz, 0: not told */

	u64 hpet; /* physical address of its registers, 0: none */

	struct findings findings;
};

/*
 * False if no tables were reached. The RSDP is looked for in tag 15, tag 14, start_info, the EFI
 * system table, and without EFI in the BIOS areas; the first whose RSDT or XSDT is sound is used.
 * A table whose checksum is wrong is not used; out->findings says so.
 */
bool acpi_read(struct acpi_info *out, const struct phys *mem, const struct bootinfo *boot);

/* The first sound RSDP on a 16-byte boundary of the range; its address, or 0. */
u64 acpi_scan(const struct phys *mem, u64 from, u64 len);

/* Finds \_S5 in AML (header of the table included) without interpreting it. */
bool acpi_find_s5(struct span aml, u8 *typ_a, u8 *typ_b);

#endif
