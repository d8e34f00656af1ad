/* SPDX-License-Identifier: MIT */
/*
 * Configuration space of bus 0 by ports CF8h and CFCh (PCI 3.0, 3.2.2.3.2). Where nothing answers,
 * reads are all ones.
 */
#ifndef PCI_H
#define PCI_H

#include "io.h"

#define PCI_CONFIG_ADDRESS 0xcf8
#define PCI_CONFIG_DATA	   0xcfc
#define PCI_CONFIG_ENABLE  0x80000000u

#define PCI_ID 0x00 /* vendor in bits 15:0, device in 31:16 */

/* device 0..31, function 0..7, at 0..255. */
static inline void pci_select(u32 device, u32 function, u32 at)
{
	outl(PCI_CONFIG_ADDRESS, PCI_CONFIG_ENABLE | device << 11 | function << 8 | (at & 0xfc));
}

static inline u8 pci_read8(u32 device, u32 function, u32 at)
{
	pci_select(device, function, at);
	return inb((u16)(PCI_CONFIG_DATA + (at & 3)));
}

static inline void pci_write8(u32 device, u32 function, u32 at, u8 v)
{
	pci_select(device, function, at);
	outb((u16)(PCI_CONFIG_DATA + (at & 3)), v);
}

/* at: a multiple of 4. */
static inline u32 pci_read32(u32 device, u32 function, u32 at)
{
	pci_select(device, function, at);
	return inl(PCI_CONFIG_DATA);
}

#endif
