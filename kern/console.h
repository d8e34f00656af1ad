/* SPDX-License-Identifier: MIT */
/*
 * Where the log goes: one 16550 found by order of trust, or nothing. Every wait is bounded; a sink
 * that stops answering is switched off and the kernel runs on.
 */
#ifndef CONSOLE_H
#define CONSOLE_H

#include "options.h"
#include "types.h"

struct acpi_info;

/* Before the options are known: the UART that the firmware names, as the firmware left it. */
void console_early(void);

/*
 * Chooses for good: console=, then SPCR, then the BIOS data area, then 3F8h; the first that is
 * there. acpi may be NULL. A UART named by console= that is not there is an options problem of the
 * caller's: console_missing() is then true, and the automatic order is used.
 */
void console_init(const struct options *o, const struct acpi_info *acpi);
bool console_missing(void);

/* "com1 3f8h (spcr, 115200 baud, fifo 16)" or "none (no uart answers)": which sink and why. */
const char *console_describe(void);

/* Sends "\n" as CR LF. Returns when the last byte is in the UART, or the bound has passed. */
void console_write(const char *bytes, size_t n);

/* Waits, bounded, until the shift register is empty. */
void console_flush(void);

/* As console_write(), from a crash: no state but the port is trusted, nothing is counted. */
void console_panic_write(const char *bytes, size_t n);

#endif
