/* SPDX-License-Identifier: MIT */
/* A stay in system management mode as the handler itself saw it: what a detector is checked by. */
#ifndef SMI_TRUTH_H
#define SMI_TRUTH_H

#include "types.h"

#define SMI_TICKS_MAX 4000000000ull /* the longest stay that can be asked for */
#define SMI_TRUTHS    1024	    /* kept; smm.asm knows it too */

/* TSC reads of our handler, its first and its last: some ten instructions inside the stay. */
struct smi_truth {
	u64 entry, exit;
};
_Static_assert(sizeof(struct smi_truth) == 16, "smm.asm writes these");

#endif
