/* SPDX-License-Identifier: MIT */
/* Ends of a run. Whatever was chosen, a way that does not work falls through to the next. */
#include "console.h"
#include "exit.h"
#include "insn.h"
#include "io.h"
#include "machine_probe.h"
#include "mem.h"

#define DEBUG_EXIT_PORT	 0xf4
#define DEBUG_EXIT_READS 0x00 /* the device's read value; a port without one reads FFh */

#define RESET_CONTROL	   0xcf9
#define RESET_CONTROL_HARD 0x02
#define RESET_CONTROL_CPU  0x04

#define KEYBOARD_STATUS	     0x64
#define KEYBOARD_COMMAND     0x64
#define KEYBOARD_INPUT_FULL  0x02
#define KEYBOARD_PULSE_RESET 0xfe

static enum exit_how chosen = EXIT_AUTO;
static volatile bool failed;

void exit_mark_failure(void)
{
	failed = true;
}

/* Asked of CPUID itself, since a crash may come before the machine is known. */
static bool virtual(void)
{
	return cpuid(1, 0).ecx & 1u << 31;
}

void exit_choose(enum exit_how how, const struct machine *m, const struct acpi_info *a)
{
	(void)m;
	(void)a;
	chosen = how;
}

/* Some time for a write that takes effect later. Bounded by turns alone. */
static void settle(void)
{
	for (u32 i = 0; i < 2000000; i++)
		cpu_pause();
}

/*
 * On real hardware port F4h may be anything; there it is never written. The write ends an emulator
 * some time after the instruction: what follows must not run into another end.
 */
static void debug_exit(void)
{
	bool emulator = virtual();

	if (!emulator || inb(DEBUG_EXIT_PORT) != DEBUG_EXIT_READS)
		return;
	outb(DEBUG_EXIT_PORT, failed ? EXIT_FAIL : EXIT_PASS);
	settle();
}

static void reset_by_keyboard(void)
{
	for (u32 i = 0; i < 100000 && inb(KEYBOARD_STATUS) & KEYBOARD_INPUT_FULL; i++)
		cpu_pause();
	outb(KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
	settle();
}

/* With an empty IDT the first exception is the third at once. */
static void triple_fault(void)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) none = {0, 0};

	asm volatile("lidt %0; ud2" ::"m"(none) : "memory");
}

static void reboot(void)
{
	outb(RESET_CONTROL, RESET_CONTROL_HARD);
	outb(RESET_CONTROL, RESET_CONTROL_HARD | RESET_CONTROL_CPU);
	settle();
	reset_by_keyboard();
	triple_fault();
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
	halt();
}

_Noreturn void exit_run(bool pass)
{
	if (!pass)
		failed = true;
	machine_restore();
	console_flush();
	switch (chosen) {
	case EXIT_AUTO:
	case EXIT_DEBUG:
		debug_exit();
		break;
	case EXIT_REBOOT:
		reboot();
		break;
	case EXIT_POWEROFF:
	case EXIT_HALT:
		break;
	}
	halt();
}
