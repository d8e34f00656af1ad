// SPDX-License-Identifier: MIT
/* Names for what an Intel chipset can make SMIs from. */
#include "smi_sources.h"

#define INTEL 0x8086u

/*
 * Families whose SMI_EN and SMI_STS are at PMBASE + 30h and 34h, with one meaning a bit where a
 * family has that bit at all. Ranges as Intel gives them out: all bridges, no other device at 31.0.
 */
static const struct family {
	u16 first, last; /* device ids */
	const char *name;
} families[] = {
	{0x2640, 0x2642, "ICH6"},	   {0x27b0, 0x27bd, "ICH7"},
	{0x2810, 0x2815, "ICH8"},	   {0x2910, 0x291f, "ICH9"},
	{0x3a10, 0x3a1f, "ICH10"},	   {0x3b00, 0x3b1f, "5 series"},
	{0x1c40, 0x1c5f, "6 series"},	   {0x1d40, 0x1d41, "C600"},
	{0x1e40, 0x1e5f, "7 series"},	   {0x8c40, 0x8c5f, "8 series"},
	{0x9c40, 0x9c47, "8 series LP"},   {0x8d40, 0x8d5f, "C610"},
	{0x8cc0, 0x8cdf, "9 series"},	   {0x9cc0, 0x9ccf, "9 series LP"},
	{0xa140, 0xa15f, "100 series"},	   {0x9d40, 0x9d5f, "100 series LP"},
	{0xa1c0, 0xa1df, "C620"},	   {0xa240, 0xa25f, "C620"},
	{0xa2c0, 0xa2df, "200 series"},	   {0xa300, 0xa31f, "300 series"},
	{0x9d80, 0x9d9f, "300 series LP"}, {0x0280, 0x029f, "400 series LP"},
	{0x0680, 0x069f, "400 series"},	   {0x3480, 0x349f, "495 series LP"},
	{0xa080, 0xa09f, "500 series LP"}, {0x4380, 0x439f, "500 series"},
	{0x7a80, 0x7a9f, "600 series"},	   {0x5180, 0x519f, "600 series LP"},
	{0x7a00, 0x7a1f, "700 series"},
};

/* Where bits of SMI_EN and SMI_STS with one meaning have one place. */
static const struct bit {
	u8 at;
	bool enable; /* SMI_EN has it; else other registers give the leave */
	const char *name, *what;
} bits[] = {
	{2, true, "bios", "release of the ACPI global lock"},
	{3, true, "legacy_usb", "USB legacy emulation (keyboard, mouse)"},
	{4, true, "sleep", "writes of SLP_EN"},
	{5, true, "apm", "writes to port B2h"},
	{6, true, "swsmi_timer", "software SMI timer"},
	{8, false, "pm1", "PM1 events (power button, PM timer)"},
	{9, false, "gpe0", "GPE0 events"},
	{10, false, "gpio", "GPIO pins"},
	{11, true, "microcontroller", "accesses to ports 62h and 66h"},
	{12, false, "devmon", "device monitors"},
	{13, true, "tco", "TCO (watchdog, system events)"},
	{14, true, "periodic", "periodic timer"},
	{15, false, "serirq", "serial IRQ"},
	{16, false, "smbus", "SMBus"},
	{17, true, "legacy_usb2", "USB 2.0 legacy emulation"},
	{18, true, "intel_usb2", "USB 2.0 controller events"},
	{20, false, "pcie", "PCI Express hot plug and power management"},
	{21, false, "monitor", "I/O traps"},
	{26, false, "spi", "SPI flash"},
	{27, true, "gpio_unlock", "unlocking of the GPIO registers"},
	{28, true, "espi", "eSPI (embedded controller)"},
	{30, true, "me", "management engine"},
	{31, true, "xhci", "xHCI USB controller"},
};
_Static_assert(ARRAY_SIZE(bits) <= SMI_SOURCES, "struct smi_sources holds them all");

#define GBL_SMI_EN 1u

const char *smi_chipset(u32 id)
{
	u16 device = (u16)(id >> 16);

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if ((id & 0xffff) == INTEL && device >= families[i].first &&
		    device <= families[i].last)
			return families[i].name;
	return NULL;
}

void smi_sources_decode(struct smi_sources *s, u32 enable, u32 status)
{
	s->enable = enable;
	s->status = status;
	s->global = enable & GBL_SMI_EN;
	s->n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		struct smi_source *to = &s->source[s->n];

		to->name = bits[i].name;
		to->what = bits[i].what;
		to->enabled = bits[i].enable && enable >> bits[i].at & 1;
		to->pending = status >> bits[i].at & 1;
		if (to->enabled || to->pending)
			s->n++;
	}
}
