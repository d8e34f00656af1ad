/* SPDX-License-Identifier: MIT */
/* The two 8259A interrupt controllers: only ever masked. */
#ifndef PIC_H
#define PIC_H

#include "types.h"

/*
 * First call: remembers the masks found and moves the vectors to PIC_VECTOR.., so that a spurious
 * or latched IRQ can never look like an exception. Each call masks all sixteen lines.
 */
#define PIC_VECTOR 0x20
void pic_mask(void);

#endif
