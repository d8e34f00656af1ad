// SPDX-License-Identifier: MIT
/* FADT (ACPI 6.5, 5.2.9), SPCR and HPET (their own specifications), field by field. */
#include "acpi_tables.h"

/* Offsets in the FADT. */
enum fadt {
	SMI_CMD = 48,
	ACPI_ENABLE = 52,
	ACPI_DISABLE = 53,
	S4BIOS_REQ = 54,
	PSTATE_CNT = 55,
	PM1A_EVT_BLK = 56,
	PM1A_CNT_BLK = 64,
	PM1B_CNT_BLK = 68,
	PM_TMR_BLK = 76,
	PM1_EVT_LEN = 88,
	PM1_CNT_LEN = 89,
	PM_TMR_LEN = 91,
	CST_CNT = 95,
	CENTURY = 108,
	IAPC_BOOT_ARCH = 109,
	FADT_FLAGS = 112,
	RESET_REG = 116,
	RESET_VALUE = 128,
	X_PM1A_EVT_BLK = 148,
	X_PM1A_CNT_BLK = 172,
	X_PM1B_CNT_BLK = 184,
	X_PM_TMR_BLK = 208,
	SLEEP_CONTROL_REG = 244,
};

#define TMR_VAL_EXT	(1u << 8)
#define RESET_REG_SUP	(1u << 10)
#define HW_REDUCED_ACPI (1u << 20)

static struct acpi_address read_address(struct span s, size_t at)
{
	struct acpi_address none = {0};

	if (!span_has(s, at, 12))
		return none;
	return (struct acpi_address){
		.space = span_u8(s, at),
		.bits = span_u8(s, at + 1),
		.offset = span_u8(s, at + 2),
		.access = span_u8(s, at + 3),
		.address = span_u64(s, at + 4),
	};
}

static bool address_possible(const struct acpi_address *r)
{
	if (r->space == ACPI_IO)
		return r->address && r->address <= 0xffff;
	return r->address && r->space == ACPI_MEMORY;
}

/* The X_ field rules where it is possible; the old field is a port. */
static struct acpi_address read_block(struct acpi_info *a, struct span fadt, const char *name,
				      size_t x_at, size_t at, size_t len_at)
{
	struct acpi_address x = read_address(fadt, x_at);
	struct acpi_address port = {
		.space = ACPI_IO,
		.bits = (u8)(span_u8(fadt, len_at) * 8),
		.address = span_u32(fadt, at),
	};

	if (address_possible(&x)) {
		if (port.address && port.address != x.address)
			finding_add(&a->findings, "FADT: %s is 0x%llx, X_%s is 0x%llx and used",
				    name, (unsigned long long)port.address, name,
				    (unsigned long long)x.address);
		return x;
	}
	if (x.address)
		finding_add(&a->findings, "FADT: X_%s 0x%llx in address space %u is impossible",
			    name, (unsigned long long)x.address, x.space);
	if (port.address > 0xffff) {
		finding_add(&a->findings, "FADT: %s 0x%llx is not a port", name,
			    (unsigned long long)port.address);
		port.address = 0;
	}
	return port;
}

static void read_pm_registers(struct acpi_info *a, struct span fadt, u32 flags)
{
	a->smi_cmd = span_u32(fadt, SMI_CMD);
	a->acpi_enable = span_u8(fadt, ACPI_ENABLE);
	a->acpi_disable = span_u8(fadt, ACPI_DISABLE);
	if (a->smi_cmd > 0xffff) {
		finding_add(&a->findings, "FADT: SMI_CMD 0x%x is not a port", a->smi_cmd);
		a->smi_cmd = 0;
	}
	a->s4bios_req = span_u8(fadt, S4BIOS_REQ);
	a->pstate_cnt = span_u8(fadt, PSTATE_CNT);
	a->cst_cnt = span_u8(fadt, CST_CNT);
	a->pm1a_evt =
		read_block(a, fadt, "PM1a_EVT_BLK", X_PM1A_EVT_BLK, PM1A_EVT_BLK, PM1_EVT_LEN);
	a->pm1a_cnt =
		read_block(a, fadt, "PM1a_CNT_BLK", X_PM1A_CNT_BLK, PM1A_CNT_BLK, PM1_CNT_LEN);
	a->pm1b_cnt =
		read_block(a, fadt, "PM1b_CNT_BLK", X_PM1B_CNT_BLK, PM1B_CNT_BLK, PM1_CNT_LEN);
	if (!span_u8(fadt, PM_TMR_LEN)) /* how a timer is said to be absent */
		return;
	a->pm_timer = read_block(a, fadt, "PM_TMR_BLK", X_PM_TMR_BLK, PM_TMR_BLK, PM_TMR_LEN);
	if (a->pm_timer.address)
		a->pm_timer_bits = (flags & TMR_VAL_EXT) ? 32 : 24;
}

void acpi_read_fadt(struct acpi_info *a, struct span fadt)
{
	u32 flags = span_u32(fadt, FADT_FLAGS);

	a->fadt = true;
	a->century = span_u8(fadt, CENTURY);
	a->iapc_boot_arch = span_u16(fadt, IAPC_BOOT_ARCH);
	a->reset_reg = read_address(fadt, RESET_REG);
	a->reset_value = span_u8(fadt, RESET_VALUE);
	a->reset_supported = flags & RESET_REG_SUP && a->reset_reg.address;
	a->hw_reduced = flags & HW_REDUCED_ACPI;
	if (a->hw_reduced)
		a->sleep_control = read_address(fadt, SLEEP_CONTROL_REG);
	else
		read_pm_registers(a, fadt, flags);
}

/* The code in the table's first revisions; later ones may give the rate itself. */
static u32 spcr_baud(struct span spcr)
{
	u32 precise = span_u8(spcr, 8) >= 4 ? span_u32(spcr, 80) : 0;

	if (precise)
		return precise;
	switch (span_u8(spcr, 58)) {
	case 3:
		return 9600;
	case 4:
		return 19200;
	case 6:
		return 57600;
	case 7:
		return 115200;
	default:
		return 0;
	}
}

void acpi_read_spcr(struct acpi_info *a, struct span spcr)
{
	if (!span_has(spcr, 40, 12)) {
		finding_add(&a->findings, "SPCR: length %zu, expected at least 52", spcr.len);
		return;
	}
	a->spcr = true;
	a->serial_type = span_u8(spcr, 36);
	/* 16550, its subset, and the one whose address structure tells the stride (DBG2 types). */
	a->serial_16550 = a->serial_type <= 1 || a->serial_type == 0x12;
	a->serial = read_address(spcr, 40);
	a->serial_baud = spcr_baud(spcr);
	a->serial_clock = span_u8(spcr, 8) >= 3 ? span_u32(spcr, 76) : 0;
}

void acpi_read_hpet(struct acpi_info *a, struct span hpet)
{
	struct acpi_address base = read_address(hpet, 40);

	if (base.space == ACPI_MEMORY && base.address)
		a->hpet = base.address;
	else
		finding_add(&a->findings, "HPET: no memory address");
}
