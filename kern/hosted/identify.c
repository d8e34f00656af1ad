// SPDX-License-Identifier: MIT
/*
 * The machine as a Linux process sees it: CPUID, and what the kernel tells in /proc and /sys. The
 * reference clock is CLOCK_MONOTONIC_RAW: no NTP slewing, but where Linux itself took the TSC's
 * rate from CPUID it repeats that claim.
 */
#include "hosted.h"

#include "fmt.h"
#include "insn.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define BRACKETS     32	      /* reads of the clock; the tightest is taken */
#define WINDOW_NS    50000000 /* between the two sets of reads */
#define WINDOW_TURNS 50000000 /* bounds the wait when the clock stands still */

struct instant {
	u64 tsc, ns;
};

static u64 clock_ns(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* One moment by both clocks: the clock's read that took the fewest ticks, at its middle. */
static struct instant instant_take(void)
{
	struct instant best = {0};
	u64 least = ~0ull;
	int i;

	for (i = 0; i < BRACKETS; i++) {
		u64 before = rdtsc_ordered(), ns = clock_ns(), after = rdtsc_ordered();

		if (after - before < least) {
			least = after - before;
			best = (struct instant){.tsc = before + least / 2, .ns = ns};
		}
	}
	return best;
}

/* kHz over one window, 0 if either clock does not advance. */
static u64 calibrate_once(void)
{
	struct instant a = instant_take(), b;
	u64 turns;

	for (turns = 0; turns < WINDOW_TURNS && clock_ns() - a.ns < WINDOW_NS; turns++)
		cpu_pause();
	b = instant_take();
	if (b.ns <= a.ns || b.tsc <= a.tsc || b.ns - a.ns < WINDOW_NS ||
	    b.tsc - a.tsc > ~0ull / 1000000)
		return 0;
	return ((b.tsc - a.tsc) * 1000000 + (b.ns - a.ns) / 2) / (b.ns - a.ns);
}

/* The median of three: one may have been moved by a host that took the CPU inside a bracket. */
static void clock_kernel(struct machine *m)
{
	u64 x = calibrate_once(), y = calibrate_once(), z = calibrate_once();
	u64 low = x < y ? x : y, high = x < y ? y : x;
	u64 khz = z < low ? low : z > high ? high : z;

	machine_clock_add(m, "kernel", khz, khz ? "ok" : "stuck");
}

/* The first line of a file without its end, "" if it cannot be read. */
static void file_line(const char *path, char *to, size_t cap)
{
	FILE *f = fopen(path, "r");

	to[0] = 0;
	if (!f)
		return;
	if (!fgets(to, (int)cap, f))
		to[0] = 0;
	to[strcspn(to, "\n")] = 0;
	fclose(f);
}

/* Appends an SMBIOS string of /sys/class/dmi/id, after a blank. */
static void dmi_append(char *to, size_t cap, const char *name)
{
	char path[64], value[64];
	size_t used = strlen(to);

	snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", name);
	file_line(path, value, sizeof(value));
	if (value[0] && used + 1 < cap)
		snprintf(to + used, cap - used, "%s%s", used ? " " : "", value);
}

static void identify_board(struct machine *m, const struct options *o)
{
	if (!o->ident)
		return;
	dmi_append(m->firmware, sizeof(m->firmware), "bios_vendor");
	dmi_append(m->firmware, sizeof(m->firmware), "bios_version");
	dmi_append(m->firmware, sizeof(m->firmware), "bios_date");
	dmi_append(m->board, sizeof(m->board), "sys_vendor");
	dmi_append(m->board, sizeof(m->board), "product_name");
	/* These two are for root's eyes: empty for anyone else. */
	dmi_append(m->serial, sizeof(m->serial), "product_serial");
	dmi_append(m->uuid, sizeof(m->uuid), "product_uuid");
}

static void identify_microcode(struct machine *m)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];
	unsigned long long value;

	while (f && m->microcode_state == VALUE_ABSENT && fgets(line, sizeof(line), f))
		if (sscanf(line, "microcode : %llx", &value) == 1) {
			m->microcode = value;
			m->microcode_state = value || !m->hypervisor ? VALUE_READ : VALUE_UNPROVEN;
		}
	if (f)
		fclose(f);
}

static void identify_time(struct machine *m)
{
	time_t now = time(NULL);
	struct tm utc;

	if (now != (time_t)-1 && gmtime_r(&now, &utc))
		strftime(m->rtc, sizeof(m->rtc), "%Y-%m-%dT%H:%M:%S", &utc);
}

static void identify_system(struct machine *m)
{
	static char kernel[96];
	struct utsname name;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	m->cpus = cpus > 0 ? (u32)cpus : 0;
	m->memory = pages > 0 && page > 0 ? (u64)pages * (u64)page : 0;
	if (uname(&name) == 0)
		snprintf(kernel, sizeof(kernel), "%.24s %.64s", name.sysname, name.release);
	m->loader = kernel;
}

void machine_identify(struct machine *m, const struct options *o)
{
	u64 start;

	machine_probe_cpuid(m, cpuid_read, NULL);
	m->process = true;
	m->boot_path = "process";
	m->entry_tsc = rdtsc();
	machine_try(m);
	identify_time(m);
	identify_system(m);
	identify_microcode(m);
	identify_board(m, o);
	start = rdtsc_ordered();
	machine_clock_cpuid(m, cpuid_read, NULL);
	clock_kernel(m);
	m->clocks_took = rdtsc_ordered() - start;
	machine_choose_clock(m);
}
