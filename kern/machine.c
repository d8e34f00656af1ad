// SPDX-License-Identifier: MIT
/* The machine as ring 0 sees it: MSRs, CMOS clock, firmware tables, reference clocks. */
#include "machine_probe.h"

#include "acpi.h"
#include "clock.h"
#include "fmt.h"
#include "insn.h"
#include "mem.h"
#include "msr.h"
#include "rtc.h"
#include "smbios.h"

/* What machine_restore() writes back. */
static bool de_cfg_changed;
static u64 de_cfg_found;

static void copy(char *to, size_t cap, const char *from)
{
	size_t n = strlen(from);

	if (n >= cap)
		n = cap - 1;
	memcpy(to, from, n);
	to[n] = 0;
}

static bool contains(const char *text, const char *word)
{
	size_t n = strlen(word), len = strlen(text);

	for (size_t i = 0; i + n <= len; i++) {
		if (!memcmp(text + i, word, n))
			return true;
	}
	return false;
}

/*
 * Bochs claims real CPUs and no hypervisor. Old machine types of a hypervisor bear the same name,
 * but set the hypervisor bit.
 */
static void probe_smbios(struct machine *m, const struct options *o, const struct smbios_info *s)
{
	if (!s || !s->found)
		return;
	if (!m->hypervisor && (contains(s->firmware, "Bochs") || contains(s->system, "Bochs") ||
			       contains(s->board, "Bochs"))) {
		m->emulated = true;
		m->emulated_why = "SMBIOS names Bochs";
		m->bochs = true;
		m->metal = false;
	}
	if (!o->ident)
		return;
	copy(m->firmware, sizeof(m->firmware), s->firmware);
	copy(m->board, sizeof(m->board), s->board);
	copy(m->serial, sizeof(m->serial), s->serial);
	copy(m->uuid, sizeof(m->uuid), s->uuid);
}

static void probe_boot(struct machine *m, const struct bootinfo *b)
{
	m->boot_path = b->path == BOOT_MULTIBOOT2 ? "multiboot2" : b->path == BOOT_PVH ? "pvh" : "";
	m->loader = b->loader;
	m->memory = bootinfo_usable_bytes(b);
}

static void probe_cpus(struct machine *m, const struct acpi_info *a)
{
	if (a && a->found)
		m->cpus = a->n_cpus + a->cpus_lost;
}

/* SDM volume 3, 10.11.7.1: the register is loaded by CPUID and must be cleared before. */
static bool microcode_intel(u64 *revision)
{
	u64 v;

	if (!wrmsr_safe(MSR_IA32_BIOS_SIGN_ID, 0))
		return false;
	cpuid(1, 0);
	if (!rdmsr_safe(MSR_IA32_BIOS_SIGN_ID, &v))
		return false;
	*revision = v >> 32;
	return true;
}

static bool microcode_amd(u64 *revision)
{
	u64 v;

	if (!rdmsr_safe(MSR_AMD_PATCH_LEVEL, &v))
		return false;
	*revision = (u32)v;
	return true;
}

static void probe_microcode(struct machine *m)
{
	bool read;

	m->microcode_state = VALUE_ABSENT;
	if (!m->intel && !m->amd)
		return;
	read = m->intel ? microcode_intel(&m->microcode) : microcode_amd(&m->microcode);
	if (!read)
		m->microcode_state = VALUE_FAULT;
	else
		m->microcode_state = m->hypervisor && !m->microcode ? VALUE_UNPROVEN : VALUE_READ;
}

/*
 * An AMD LFENCE lets the following TSC read pass unless this bit is set. On hardware it is ours to
 * set for the run; a guest takes what its host gives, and a zero there may be made up.
 */
static void probe_lfence(struct machine *m)
{
	u64 v;

	if (!m->amd || m->lfence_ext || !rdmsr_safe(MSR_AMD_DE_CFG, &v))
		return;
	if (v & AMD_DE_CFG_LFENCE_SERIALIZE) {
		m->lfence = "yes";
		return;
	}
	if (!m->metal)
		return;
	m->lfence = "no";
	de_cfg_found = v;
	if (!wrmsr_safe(MSR_AMD_DE_CFG, v | AMD_DE_CFG_LFENCE_SERIALIZE))
		return;
	de_cfg_changed = true;
	if (rdmsr_safe(MSR_AMD_DE_CFG, &v) && v & AMD_DE_CFG_LFENCE_SERIALIZE) {
		m->lfence = "yes";
		machine_finding(m, "C0011029h[1] was 0: LFENCE made serialising for this run");
	}
}

void machine_restore(void)
{
	if (de_cfg_changed)
		wrmsr_safe(MSR_AMD_DE_CFG, de_cfg_found);
	de_cfg_changed = false;
}

static void probe_rtc(struct machine *m)
{
	struct text t = {.at = m->rtc, .cap = sizeof(m->rtc) - 1};
	struct rtc_time now;

	if (rtc_read(&now))
		fmt(&t, "%04u-%02u-%02uT%02u:%02u:%02u", now.year, now.month, now.day, now.hour,
		    now.minute, now.second);
	m->rtc[t.len] = 0;
}

void machine_probe(struct machine *m, const struct options *o, const struct bootinfo *boot,
		   const struct acpi_info *acpi, const struct smbios_info *smbios, u64 entry_tsc)
{
	machine_probe_cpuid(m, cpuid_read, NULL);
	m->entry_tsc = entry_tsc;
	machine_try(m);
	probe_boot(m, boot);
	probe_smbios(m, o, smbios);
	probe_cpus(m, acpi);
	probe_microcode(m);
	probe_lfence(m);
	probe_rtc(m);
	clock_candidates(m, acpi);
	machine_choose_clock(m);
}
