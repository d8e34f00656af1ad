// SPDX-License-Identifier: MIT
/* From the boot code's one call to the end of the run: the order in which the machine comes up. */
#include "acpi.h"
#include "arena.h"
#include "bench.h"
#include "bootinfo.h"
#include "console.h"
#include "control.h"
#include "descriptors.h"
#include "exit.h"
#include "fmt.h"
#include "host_steal.h"
#include "insn.h"
#include "machine_check.h"
#include "machine_probe.h"
#include "options.h"
#include "paging.h"
#include "panic.h"
#include "provoke.h"
#include "smbios.h"
#include "smi.h"
#include "smi_count.h"

#define BOOT_MAPPED (4ull << 30) /* by the tables of entry.asm */

static struct bootinfo boot;
static struct options options;
static struct acpi_info acpi;
static struct smbios_info smbios;
static struct machine machine;
static u64 ram_unmapped; /* bytes */

/* Called by entry.asm. magic: the loader's EAX, or PVH_MAGIC; info: where its information lies. */
_Noreturn void kernel_main(u32 magic, u64 info);

static const void *phys_at(void *ctx, u64 address, u64 len)
{
	(void)ctx;
	return paging_map_readonly(address, len);
}

static const struct phys phys = {.at = phys_at};

static _Noreturn __attribute__((format(printf, 1, 2))) void stop(const char *format, ...)
{
	static char why[200];
	struct text t = {.at = why, .cap = sizeof(why) - 1};
	va_list args;

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	panic(why);
}

/* A step that may never come back: its name has left before it begins. */
static void step_announce(const char *what)
{
	char line[80];
	struct text t = TEXT_ON(line);

	step_begin(what);
	fmt(&t, "baretick: %s\n", what);
	console_write(line, t.len);
	console_flush();
}

static void boot_read(u32 magic, u64 info)
{
	step_begin("reading the boot information");
	if (magic == MULTIBOOT2_MAGIC)
		bootinfo_multiboot2(&boot, (const void *)(uintptr_t)info, BOOT_MAPPED - info);
	else if (magic == PVH_MAGIC)
		bootinfo_pvh(&boot, &phys, info);
	else
		stop("EAX is %x at entry: expected %x (multiboot2), or a start by PVH", magic,
		     MULTIBOOT2_MAGIC);
}

/* What was cut in a number would be another valid number. */
static void cut_word_drop(void)
{
	while (boot.cmdline_len && boot.cmdline[boot.cmdline_len - 1] != ' ')
		boot.cmdline_len--;
}

static void options_read(void)
{
	step_begin("reading the options");
	options_default(&options);
	if (boot.cmdline_cut)
		cut_word_drop();
	options_parse(&options, boot.cmdline, boot.cmdline_len);
	if (boot.cmdline_cut)
		options_problem(&options, "command line", 12, "at most 4095 bytes; it was cut");
}

/* One usable region, as far as the tables reach. */
static void region_map(const struct boot_region *r)
{
	u64 len = r->len;

	if (r->base >= PAGING_RAM_LIMIT)
		len = 0;
	else if (len > PAGING_RAM_LIMIT - r->base)
		len = PAGING_RAM_LIMIT - r->base;
	if (len && !paging_map(r->base, len, PAGING_RAM))
		len = 0;
	ram_unmapped += r->len - len;
}

static void memory_map(void)
{
	step_begin("making the page tables");
	if (!paging_prepare())
		stop("the page tables are used up by the kernel itself");
	for (u32 i = 0; i < boot.n_regions; i++)
		if (boot.region[i].type == BOOT_USABLE)
			region_map(&boot.region[i]);
	step_begin("loading the page tables");
	paging_enable();
}

static void tables_read(void)
{
	step_begin("reading the ACPI tables");
	acpi_read(&acpi, &phys, &boot);
	step_begin("reading the SMBIOS tables");
	smbios_read(&smbios, &phys, &boot);
}

static void console_start(void)
{
	step_begin("choosing the console");
	console_init(&options, acpi.found ? &acpi : NULL);
	if (console_missing())
		options_problem(&options, options.console, strlen(options.console),
				"console: a serial port that answers");
}

static void arena_start(void)
{
	step_begin("choosing the arena");
	if (!arena_init(&boot))
		stop("no usable memory above the kernel in %u regions%s%s", boot.n_regions,
		     boot.error[0] ? ": " : "", boot.error);
}

static void findings_note(const struct findings *f)
{
	for (u32 i = 0; i < findings_kept(f); i++)
		machine_finding(&machine, "%s", f->text[i]);
}

/* After the probe, which starts from an empty struct machine. The gravest first: few are kept. */
static void bring_up_note(void)
{
	machine.boot_damaged = boot.error[0];
	if (boot.error[0])
		machine_finding(&machine, "boot information: %s", boot.error);
	if (!paging_nx())
		machine_finding(&machine, "no NX: writable memory is executable (W^X is off)");
	if (ram_unmapped)
		machine_finding(&machine, "%llu MiB of memory not mapped, and not used",
				(unsigned long long)(ram_unmapped >> 20));
	findings_note(&boot.findings);
	findings_note(&acpi.findings);
	findings_note(&smbios.findings);
}

/*
 * QEMU's TCG never comes back from setting CR4.OSXSAVE on a model with XSAVE and nothing in
 * sub-leaf 1 (Opteron_G4, Haswell,-xsaveopt). Should another emulator hang here, the step's name is
 * out.
 */
static void xsave_start(void)
{
	if (!machine.xsave)
		return;
	if (machine.hv == HV_TCG && cpuid(0xd, 1).eax == 0) {
		machine.xsave = false;
		machine.xsave_off = "QEMU hangs on CR4.OSXSAVE when CPUID.D.1:EAX is 0";
		return;
	}
	step_announce("setting CR4.OSXSAVE");
	control_enable_xsave();
}

static void machine_start(u64 entry_tsc)
{
	step_begin("probing the machine");
	machine_probe(&machine, &options, &boot, acpi.found ? &acpi : NULL,
		      smbios.found ? &smbios : NULL, entry_tsc);
	bring_up_note();
	exit_choose(options.exit, &machine, acpi.found ? &acpi : NULL);
	smi_start(&machine, acpi.found ? &acpi : NULL);
	xsave_start();
	step_begin("choosing a counter of SMIs");
	smi_count_start(&machine);
	step_begin("asking the host for its steal time");
	steal_start(&machine);
	step_begin("silencing interrupts");
	env_start(&machine);
}

static void help_print(void)
{
	static char bytes[16384];
	struct text t = TEXT_ON(bytes);

	step_begin("printing the help");
	options_help(&t);
	bench_help(&t);
	console_write(bytes, t.len);
}

_Noreturn void kernel_main(u32 magic, u64 info)
{
	u64 entry_tsc;

	descriptors_load();
	entry_tsc = rdtsc();
	step_begin("finding the early console");
	console_early();
	step_begin("setting the control registers");
	control_init();
	machine_check_enable();
	boot_read(magic, info);
	options_read();
	memory_map();
	tables_read();
	console_start();
	arena_start();
	machine_start(entry_tsc);
	step_begin("crashing on purpose");
	provoke(options.panic);
	if (options.help) {
		help_print();
		exit_run(true);
	}
	step_begin("running the suites");
	exit_run(bench_run(&machine, &options));
}
