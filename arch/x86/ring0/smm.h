/* SPDX-License-Identifier: MIT */
/*
 * An SMI handler of our own, where the firmware of an emulator left SMRAM open. SDM volume 3
 * chapter 32; SMRAM control: 82441FX data sheet 3.2.18, Q35 data sheet 5.1.24.
 */
#ifndef SMM_H
#define SMM_H

#include "smi_truth.h"

/* How the handler hears of its work and tells of it; in ordinary memory below 4 GiB. */
struct smm_mailbox {
	u64 ticks; /* to stay in SMM */
	u32 count; /* stays so far */
	u32 reserved;
	struct smi_truth at[SMI_TRUTHS + 1]; /* the last is overwritten by all beyond SMI_TRUTHS */
};
_Static_assert(offsetof(struct smm_mailbox, count) == 8, "smm.asm counts on it");
_Static_assert(offsetof(struct smm_mailbox, at) == 16, "smm.asm counts on it");

extern volatile struct smm_mailbox smm_mailbox;

/*
 * Puts our handler where the boot CPU of SeaBIOS and its like has its own (A8000h), once SMRAM has
 * been opened, and the place has been seen to be memory that holds something. NULL: done; else why
 * not, in words, with nothing changed. Whether SMIs come there is for the caller to try.
 */
const char *smm_install(void);

/* Puts back what smm_install() replaced; harmless before it and when called again. */
void smm_restore(void);

#endif
