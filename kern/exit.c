// SPDX-License-Identifier: MIT
/* Ends of a run. Whatever was chosen, a way that does not work falls through to a halt. */
#include "exit.h"

#include "console.h"
#include "host_steal.h"
#include "insn.h"
#include "io.h"
#include "machine_probe.h"
#include "mem.h"
#include "power.h"
#include "smi.h"
#include "smi_count.h"

#define DEBUG_EXIT_PORT	 0xf4
#define DEBUG_EXIT_READS 0x00 /* what the device answers; a port without one reads FFh */

#define DEBUG_EXIT_TURNS 20000000 /* PAUSEs, after which there was no such device */

#define BOCHS_SHUTDOWN_PORT 0x8900

static enum exit_how chosen = EXIT_AUTO;
static const struct acpi_info *acpi;
static bool asked_or_emulated;
static bool bochs;
static volatile bool failed;

void exit_mark_failure(void)
{
	failed = true;
}

void exit_choose(enum exit_how how, const struct machine *m, const struct acpi_info *a)
{
	chosen = how;
	acpi = a;
	asked_or_emulated = how == EXIT_DEBUG || m->hypervisor || m->emulated;
	bochs = m->bochs;
}

/*
 * On hardware port F4h may be anything, so there it is left alone unless exit=debug asks. CPUID is
 * asked too, since a crash may come before the machine is known.
 */
static bool has_debug_exit(void)
{
	bool virtual = cpuid(1, 0).ecx & 1u << 31;

	return (virtual || asked_or_emulated) && inb(DEBUG_EXIT_PORT) == DEBUG_EXIT_READS;
}

/* The write ends an emulator some time after the instruction: wait, or another end comes first. */
static void debug_exit(void)
{
	if (!has_debug_exit())
		return;
	outb(DEBUG_EXIT_PORT, failed ? EXIT_FAIL : EXIT_PASS);
	for (u32 i = 0; i < DEBUG_EXIT_TURNS; i++)
		cpu_pause();
}

/*
 * Bochs has no exit value to choose. With magic_break: enabled=1 its debugger stops at the
 * exchange, and its `q` ends it with 0: that is for success alone. The shutdown port ends it
 * with 1.
 */
static void bochs_exit(void)
{
	static const char word[] = "Shutdown";

	if (!bochs)
		return;
	if (!failed)
		asm volatile("xchgw %%bx, %%bx" ::: "memory");
	for (u32 i = 0; i < sizeof(word) - 1; i++)
		outb(BOCHS_SHUTDOWN_PORT, (u8)word[i]);
}

static void say(const char *text)
{
	console_panic_write(text, strlen(text));
}

static _Noreturn void halt(void)
{
	say("baretick: halted\n");
	for (;;)
		asm volatile("cli; hlt" ::: "memory");
}

_Noreturn void exit_failure(void)
{
	failed = true;
	debug_exit();
	bochs_exit();
	halt();
}

_Noreturn void exit_run(bool pass)
{
	if (!pass)
		failed = true;
	smi_end();
	smi_count_end();
	steal_end();
	machine_restore();
	console_flush();
	switch (chosen) {
	case EXIT_AUTO:
	case EXIT_DEBUG:
		debug_exit();
		bochs_exit();
		break;
	case EXIT_REBOOT:
		power_reset(acpi);
		break;
	case EXIT_POWEROFF:
		power_off(acpi);
		break;
	case EXIT_HALT:
		break;
	}
	halt();
}
