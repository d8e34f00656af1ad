/* SPDX-License-Identifier: MIT */
/*
 * What an Intel chipset can make system management interrupts from, by its SMI_EN and SMI_STS. ICH9
 * data sheet, 13.8.3; 100 series data sheet volume 2, 4.3.
 */
#ifndef SMI_SOURCES_H
#define SMI_SOURCES_H

#include "types.h"

struct smi_source {
	const char *name; /* one word of [a-z0-9_] for records: "legacy_usb", "tco", ... */
	const char *what; /* in words, for people */
	bool enabled;	  /* its bit in SMI_EN */
	bool pending;	  /* its bit in SMI_STS: it happened, whether or not it made an SMI */
};

#define SMI_SOURCES 24

struct smi_sources {
	const char *chipset; /* "ICH9", "100 series", ...; NULL: none whose registers are known */
	const char *why_not; /* without a chipset: why, in words */
	u16 port;	     /* of SMI_EN; SMI_STS is 4 above */
	u32 enable, status;  /* SMI_EN and SMI_STS as read */
	bool global;	     /* GBL_SMI_EN: without it no source makes an SMI */
	u32 n;
	struct smi_source source[SMI_SOURCES]; /* those enabled or pending, by bit */
};

/*
 * The family of an LPC or eSPI bridge by its PCI ids, vendor in bits 15:0 and device in 31:16; NULL
 * if its SMI registers are not known to be as smi_sources_decode() reads them.
 */
const char *smi_chipset(u32 id);

/* Names the bits: fills enable, status, global, n and source[]. */
void smi_sources_decode(struct smi_sources *s, u32 enable, u32 status);

#endif
