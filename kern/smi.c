// SPDX-License-Identifier: MIT
/*
 * SMIs on purpose in ring 0, the handler that tells how long they took, and where others may come
 * from: env.h's part for the gaps suite.
 */
#include "smi.h"

#include "acpi.h"
#include "env.h"
#include "insn.h"
#include "io.h"
#include "pci.h"
#include "smm.h"

/* An SMI comes within some instructions of the write; a hypervisor may take its time. */
#define ARRIVAL_TURNS 100000

#define LPC_DEVICE  31
#define SMI_EN	    0x30 /* from the base of the PM registers, which is where PM1a_EVT_BLK is */
#define SMI_STS	    0x34
#define SMI_EN_APMC 0x20u

/* Where an i440FX board has its power management; 82371AB data sheet, 7.1 and 7.2. */
#define PIIX4_DEVICE  1
#define PIIX4_PM      3
#define PIIX4_PM_ID   0x71138086u
#define PIIX4_DEVACTB 0x58
#define PIIX4_APMC_EN (1u << 25)

static const struct machine *machine;
static const struct acpi_info *acpi;
static bool handler_ours;

void smi_start(const struct machine *m, const struct acpi_info *a)
{
	machine = m;
	acpi = a;
}

void smi_end(void)
{
	smm_restore();
	handler_ours = false;
}

/* NULL, or why they are not known. SMI_STS is cleared by writing ones: a read changes nothing. */
static const char *sources_read(struct smi_sources *s)
{
	const char *chipset = smi_chipset(pci_read32(LPC_DEVICE, 0, PCI_ID));
	u32 enable;

	if (!chipset)
		return "the chipset is none whose SMI_EN and SMI_STS are known";
	if (!acpi || acpi->pm1a_evt.space != ACPI_IO || !acpi->pm1a_evt.address ||
	    acpi->pm1a_evt.address > 0xff80)
		return "the FADT gives no port for the PM registers";
	s->port = (u16)(acpi->pm1a_evt.address + SMI_EN);
	enable = inl(s->port);
	if (enable == 0xffffffff)
		return "SMI_EN reads as all ones: nothing answers";
	smi_sources_decode(s, enable, inl((u16)(s->port - SMI_EN + SMI_STS)));
	s->chipset = chipset;
	return NULL;
}

void env_smi_sources(struct smi_sources *s)
{
	*s = (struct smi_sources){.chipset = NULL};
	s->why_not = sources_read(s);
}

/* 0 is a command to those two even where it stands for no other. */
static bool means_something(u8 value)
{
	return value == acpi->acpi_enable || value == acpi->acpi_disable ||
	       (value &&
		(value == acpi->s4bios_req || value == acpi->pstate_cnt || value == acpi->cst_cnt));
}

/* The lowest, 0 if it may be: firmware that numbers its commands does not begin there. */
static u8 meaningless_value(void)
{
	u8 value = 0;

	while (means_something(value))
		value++;
	return value;
}

/* The FADT's word. */
static const char *command_missing(void)
{
	if (!acpi || !acpi->fadt)
		return "there is no FADT, so no SMI_CMD is known";
	if (acpi->hw_reduced)
		return "the FADT says hardware-reduced ACPI: there is no SMI_CMD";
	if (!acpi->smi_cmd)
		return "FADT SMI_CMD is 0: a write could hang the machine";
	return NULL;
}

/* The chipset's word, of those chipsets that are known; firmware may have left SMIs off. */
static const char *command_ignored(void)
{
	struct smi_sources s = {.chipset = NULL};

	if (pci_read32(PIIX4_DEVICE, PIIX4_PM, PCI_ID) == PIIX4_PM_ID &&
	    !(pci_read32(PIIX4_DEVICE, PIIX4_PM, PIIX4_DEVACTB) & PIIX4_APMC_EN))
		return "writes to SMI_CMD make no SMI: APMC_EN is 0";
	if (!sources_read(&s) && !(s.enable & SMI_EN_APMC && s.global))
		return "writes to SMI_CMD make no SMI: APMC_EN or GBL_SMI_EN is 0";
	return NULL;
}

bool env_smi_command(struct smi_command *c, const char **why_not)
{
	*why_not = command_missing();
	if (!*why_not)
		*why_not = command_ignored();
	if (*why_not)
		return false;
	c->port = (u16)acpi->smi_cmd;
	c->value = meaningless_value();
	return true;
}

/* Did a write to the port bring the CPU into our handler? */
static bool handler_answers(const struct smi_command *c)
{
	u32 before = smm_mailbox.count;

	smm_mailbox.ticks = 0;
	outb(c->port, c->value);
	for (u32 i = 0; i < ARRIVAL_TURNS && smm_mailbox.count == before; i++)
		cpu_pause();
	return smm_mailbox.count != before;
}

/* NULL: installed and seen at work. */
static const char *handler_install(void)
{
	struct smi_command c;
	const char *why_not;

	if (!env_smi_command(&c, &why_not))
		return why_not;
	/* A hypervisor may hand real chipset registers through. */
	if (!machine || !machine->emulated)
		return "replacing an SMI handler is refused where no emulator is known";
	why_not = smm_install();
	if (why_not)
		return why_not;
	if (!handler_answers(&c)) {
		smm_restore();
		return "a write to SMI_CMD does not bring this CPU into the handler at A8000h";
	}
	smm_mailbox.count = 0;
	handler_ours = true;
	return NULL;
}

bool env_smi_handler(u64 ticks, const char **why_not)
{
	*why_not = NULL;
	if (ticks > SMI_TICKS_MAX)
		*why_not = "longer than 4000000000 ticks";
	else if (!handler_ours)
		*why_not = handler_install();
	if (*why_not)
		return false;
	smm_mailbox.ticks = ticks;
	return true;
}

/* Between the suites' turns no SMI is under way, so what is there does not change. */
const struct smi_truth *env_smi_truth(u64 *n)
{
	*n = handler_ours ? smm_mailbox.count : 0;
	return handler_ours ? (const struct smi_truth *)smm_mailbox.at : NULL;
}
