/* SPDX-License-Identifier: MIT */
/* The count of SMIs, by whatever counts them here. */
#ifndef SMI_COUNT_H
#define SMI_COUNT_H

#include "machine.h"

/* Chooses the counter; AMD's is switched on, where it is free and seen to count. */
void smi_count_start(const struct machine *m);

/* Switches off what was switched on; harmless before smi_count_start() and when called again. */
void smi_count_end(void);

/* Absent, fault, unproven (0 under a hypervisor) or read; *count is set in each case. */
enum value_state smi_count_now(u64 *count);

#endif
