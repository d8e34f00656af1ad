/* SPDX-License-Identifier: MIT */
/*
 * How a run ends, and what the machine around sees of it: QEMU's isa-debug-exit (10h for success,
 * 11h for anything else: exit status 33 and 35), Bochs' magic break (0, success alone) and shutdown
 * port (1), halt, reboot or power off.
 */
#ifndef EXIT_H
#define EXIT_H

#include "machine.h"
#include "options.h"

struct acpi_info;

#define EXIT_PASS 0x10 /* QEMU ends with value * 2 + 1 = 33 */
#define EXIT_FAIL 0x11 /* 35 */

/*
 * Before this is called, the ends are: debug exit if port F4h reads 00h and CPUID names a
 * hypervisor, else halt. a may be NULL.
 */
void exit_choose(enum exit_how how, const struct machine *m, const struct acpi_info *a);

/* From now on no end is a success. */
void exit_mark_failure(void);

/* The planned end: restores what the run changed, then ends as chosen. */
_Noreturn void exit_run(bool pass);

/* The end of a crash: debug exit where there is one, else halt, whatever was chosen. */
_Noreturn void exit_failure(void);

#endif
