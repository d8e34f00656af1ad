/* SPDX-License-Identifier: MIT */
/* SMIs on purpose (env.h) need the firmware's tables, and leave something to put back. */
#ifndef KERN_SMI_H
#define KERN_SMI_H

#include "machine.h"

struct acpi_info;

/* Touches nothing. a may be NULL: no tables. Before any suite runs. */
void smi_start(const struct machine *m, const struct acpi_info *a);

/* Gives firmware its SMI handler back; harmless without ours and when called again. */
void smi_end(void);

#endif
