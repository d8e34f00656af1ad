// SPDX-License-Identifier: MIT
/* Opens SMRAM on the two chipsets that emulators imitate, and changes the SMI handler there. */
#include "smm.h"

#include "fmt.h"
#include "pci.h"

#define HANDLER_BYTES 128	 /* of smm.asm */
#define HANDLER_AT    0xa8000ull /* SMBASE A0000h, where firmware relocates the boot CPU's */

#define RSM 0xaa0f /* the instruction */

#define SMRAM_C_BASE_SEG 0x07
#define SMRAM_A0000	 0x02 /* the only value there is */
#define SMRAM_G_SMRAME	 0x08
#define SMRAM_D_LCK	 0x10
#define SMRAM_D_CLS	 0x20
#define SMRAM_D_OPEN	 0x40

extern const u8 smm_handler[HANDLER_BYTES];

/* Host bridges (bus 0, device 0, function 0), and where their SMRAM register is. */
static const struct bridge {
	u32 id;
	u8 smram;
} bridges[] = {
	{0x12378086, 0x72}, /* 82441FX: i440FX */
	{0x29c08086, 0x9d}, /* 82G33/P35: q35 */
};

static u8 smram; /* the register's offset, 0 until the bridge is known */
static bool installed;
static u8 found[HANDLER_BYTES];

static const char *bridge_find(void)
{
	static char why[64];
	struct text t = {.at = why, .cap = sizeof(why) - 1};
	u32 id = pci_read32(0, 0, PCI_ID);

	for (size_t i = 0; i < ARRAY_SIZE(bridges); i++)
		if (bridges[i].id == id)
			smram = bridges[i].smram;
	if (smram)
		return NULL;
	if (id == 0xffffffff || !id)
		return "there is no PCI host bridge, so no SMRAM that we know";
	fmt(&t, "chipset %04x:%04x is not one whose SMRAM we know", id & 0xffff, id >> 16);
	why[t.len] = 0;
	return why;
}

/* SMRAM in place of what devices have at A0000h. In between nothing may write there. */
static bool smram_open(void)
{
	u8 v = pci_read8(0, 0, smram);

	pci_write8(0, 0, smram, (u8)((v & ~SMRAM_D_CLS) | SMRAM_D_OPEN));
	return pci_read8(0, 0, smram) & SMRAM_D_OPEN;
}

static void smram_close(u8 as_found)
{
	pci_write8(0, 0, smram, as_found);
}

static volatile u8 *handler_at(void)
{
	return (volatile u8 *)(uintptr_t)HANDLER_AT;
}

static void copy_out(u8 *to)
{
	for (size_t i = 0; i < HANDLER_BYTES; i++)
		to[i] = handler_at()[i];
}

/*
 * An SMI may come in between, and must not run half of one handler and half of the other: meanwhile
 * it meets RSM.
 */
static void copy_in(const u8 *from)
{
	volatile u16 *first = (volatile u16 *)(uintptr_t)HANDLER_AT;

	*first = RSM;
	for (size_t i = 2; i < HANDLER_BYTES; i++)
		handler_at()[i] = from[i];
	*first = (u16)(from[0] | from[1] << 8);
}

static bool reads_as(const u8 *bytes)
{
	for (size_t i = 0; i < HANDLER_BYTES; i++)
		if (handler_at()[i] != bytes[i])
			return false;
	return true;
}

/* All one byte that says nothing is there: zeroed memory, or none at all. */
static bool is_blank(const u8 *bytes)
{
	for (size_t i = 0; i < HANDLER_BYTES; i++)
		if (bytes[i] != bytes[0])
			return false;
	return bytes[0] == 0 || bytes[0] == 0xff;
}

/*
 * With SMRAM open, and left so. Firmware that has its handler elsewhere leaves nothing here, and
 * an SMI would then still go there. That this is SMRAM and not a video card's memory cannot be told
 * by looking: without a card an emulator shows the same bytes when SMRAM is closed. An SMI tells.
 */
static const char *replace(void)
{
	copy_out(found);
	if (is_blank(found))
		return "firmware has no SMI handler at A8000h";
	copy_in(smm_handler);
	if (reads_as(smm_handler))
		return NULL;
	copy_in(found);
	return "SMRAM at A8000h does not take writes";
}

static const char *may_open(u8 v)
{
	if (v & SMRAM_D_LCK)
		return "SMRAM is locked (D_LCK)";
	if (!(v & SMRAM_G_SMRAME))
		return "SMRAM is switched off (G_SMRAME is 0)";
	if ((v & SMRAM_C_BASE_SEG) != SMRAM_A0000)
		return "SMRAM is not at A0000h (C_BASE_SEG)";
	return NULL;
}

static const char *install(void)
{
	u8 v = pci_read8(0, 0, smram);
	const char *why_not = may_open(v);

	if (why_not)
		return why_not;
	why_not = smram_open() ? replace() : "SMRAM does not open (D_OPEN reads back as 0)";
	smram_close(v);
	return why_not;
}

const char *smm_install(void)
{
	const char *why_not;

	if (installed)
		return NULL;
	why_not = bridge_find();
	if (!why_not)
		why_not = install();
	installed = !why_not;
	return why_not;
}

void smm_restore(void)
{
	u8 v;

	if (!installed)
		return;
	v = pci_read8(0, 0, smram);
	if (smram_open())
		copy_in(found);
	smram_close(v);
	installed = false;
}
