/* SPDX-License-Identifier: MIT */
/* Reset and power off by every known way, each given its time and then the next. */
#ifndef POWER_H
#define POWER_H

struct acpi_info;

/* Both return only if nothing worked. a may be NULL: no tables. */
void power_reset(const struct acpi_info *a);
void power_off(const struct acpi_info *a);

#endif
