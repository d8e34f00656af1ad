// SPDX-License-Identifier: MIT
/* Reset: ACPI 4.8.3.6, then the PC's own ways. Power off: ACPI 4.8.3.2 and 4.8.3.7 with \_S5. */
#include "power.h"

#include "acpi.h"
#include "descriptors.h"
#include "insn.h"
#include "io.h"
#include "paging.h"
#include "pci.h"

/* PAUSEs, after which a step has not worked. */
#define SETTLE_TURNS   2000000
#define KEYBOARD_TURNS 100000
#define ACPI_TURNS     300000

#define RESET_CONTROL	   0xcf9
#define RESET_CONTROL_HARD 0x02
#define RESET_CONTROL_CPU  0x04

#define KEYBOARD_STATUS	     0x64
#define KEYBOARD_COMMAND     0x64
#define KEYBOARD_INPUT_FULL  0x02
#define KEYBOARD_PULSE_RESET 0xfe

#define PM1_SCI_EN	  0x0001u
#define PM1_SLP_TYP	  0x1c00u
#define PM1_SLP_TYP_SHIFT 10
#define PM1_SLP_EN	  0x2000u

#define SLEEP_TYP_SHIFT 2
#define SLEEP_EN	0x20u

/*
 * Some time for a write that takes effect later: 0.1 s or so on hardware. Bounded by turns alone.
 */
static void settle(void)
{
	for (u32 i = 0; i < SETTLE_TURNS; i++)
		cpu_pause();
}

static void write8(const struct acpi_address *r, u8 v)
{
	volatile u8 *at;

	if (r->space == ACPI_IO) {
		outb((u16)r->address, v);
	} else if (r->space == ACPI_PCI) {
		pci_write8(r->address >> 32 & 0x1f, r->address >> 16 & 7, r->address & 0xff, v);
	} else if (r->space == ACPI_MEMORY) {
		at = paging_map_mmio(r->address, 1);
		if (at)
			*at = v;
	}
}

static bool is_port(const struct acpi_address *r)
{
	return r->address && r->space == ACPI_IO && r->address <= 0xfffe;
}

static void reset_by_keyboard(void)
{
	for (u32 i = 0; i < KEYBOARD_TURNS && inb(KEYBOARD_STATUS) & KEYBOARD_INPUT_FULL; i++)
		cpu_pause();
	outb(KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
	settle();
}

/* With an empty IDT the first exception is the third at once. */
static void triple_fault(void)
{
	descriptors_drop_idt();
	asm volatile("ud2");
}

void power_reset(const struct acpi_info *a)
{
	if (a && a->reset_supported && a->reset_reg.address) {
		write8(&a->reset_reg, a->reset_value);
		settle();
	}
	outb(RESET_CONTROL, RESET_CONTROL_HARD);
	outb(RESET_CONTROL, RESET_CONTROL_HARD | RESET_CONTROL_CPU);
	settle();
	reset_by_keyboard();
	triple_fault();
}

/*
 * Firmware in legacy mode ignores the sleep bits. Port B2h is never written unless the table says.
 */
static void enter_acpi_mode(const struct acpi_info *a, u16 pm1a)
{
	if (inw(pm1a) & PM1_SCI_EN || !a->smi_cmd || a->smi_cmd > 0xffff || !a->acpi_enable)
		return;
	outb((u16)a->smi_cmd, a->acpi_enable);
	for (u32 i = 0; i < ACPI_TURNS && !(inw(pm1a) & PM1_SCI_EN); i++)
		cpu_pause();
}

static void pm1_sleep(u16 port, u8 typ)
{
	u16 v = inw(port) & (u16) ~(PM1_SLP_TYP | PM1_SLP_EN);

	outw(port, (u16)(v | typ << PM1_SLP_TYP_SHIFT));
	outw(port, (u16)(v | typ << PM1_SLP_TYP_SHIFT | PM1_SLP_EN));
}

void power_off(const struct acpi_info *a)
{
	if (!a || !a->fadt || !a->s5)
		return;
	if (a->hw_reduced) {
		if (a->sleep_control.address)
			write8(&a->sleep_control, (u8)(a->s5_typ_a << SLEEP_TYP_SHIFT | SLEEP_EN));
	} else if (is_port(&a->pm1a_cnt)) {
		enter_acpi_mode(a, (u16)a->pm1a_cnt.address);
		pm1_sleep((u16)a->pm1a_cnt.address, a->s5_typ_a);
		if (is_port(&a->pm1b_cnt))
			pm1_sleep((u16)a->pm1b_cnt.address, a->s5_typ_b);
	}
	settle();
}
