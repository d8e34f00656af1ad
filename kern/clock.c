// SPDX-License-Identifier: MIT
/* Asks every clock there is how fast the TSC runs. */
#include "clock.h"

#include "acpi.h"
#include "counter.h"
#include "insn.h"
#include "paging.h"
#include "pit.h"

/*
 * Long enough that an error of a microsecond at either end is 100 ppm, short enough that all of
 * them together stay below 60 ms, where nobody takes the CPU and ports are fast.
 */
#define MILLISECONDS 10

static const char *state_name(enum clock_state s)
{
	static const char *const name[] = {[CLOCK_OK] = "ok",
					   [CLOCK_ABSENT] = "absent",
					   [CLOCK_STUCK] = "stuck",
					   [CLOCK_UNSURE] = "implausible"};

	return name[s];
}

static void add_measured(struct machine *m, const char *name, enum clock_state s, u64 khz, u64 open,
			 u64 ticks)
{
	machine_clock_add(m, name, khz, state_name(s));
	if (s == CLOCK_OK || s == CLOCK_UNSURE)
		machine_clock_spread(m, open, ticks);
}

static void add_pit(struct machine *m)
{
	struct pit_shot shot;
	enum clock_state s = pit_measure(&shot);

	add_measured(m, "pit", s, shot.khz, shot.bracket, shot.ticks);
}

static void add_counter(struct machine *m, const char *name, const struct counter *c)
{
	struct counter_rate rate = {0};
	enum clock_state s = CLOCK_ABSENT;

	if (c)
		s = counter_measure(c, &rate);
	add_measured(m, name, s, rate.khz, rate.open, rate.ticks);
}

static void add_hpet(struct machine *m, const struct acpi_info *a)
{
	volatile u32 *base = a && a->hpet ? paging_map_mmio(a->hpet, 1024) : NULL;
	struct counter c;

	add_counter(m, "hpet", base && counter_hpet(&c, base, MILLISECONDS) ? &c : NULL);
}

static void add_pmtimer(struct machine *m, const struct acpi_info *a)
{
	struct counter c;
	bool there = a && a->pm_timer.address && a->pm_timer.space == ACPI_IO &&
		     a->pm_timer.address <= 0xfffc;

	if (there)
		c = counter_pmtimer((u16)a->pm_timer.address, MILLISECONDS);
	add_counter(m, "pmtimer", there ? &c : NULL);
}

void clock_candidates(struct machine *m, const struct acpi_info *a)
{
	u64 start = rdtsc_ordered();

	machine_clock_cpuid(m, cpuid_read, NULL);
	add_pit(m);
	add_hpet(m, a);
	add_pmtimer(m, a);
	m->clocks_took = rdtsc_ordered() - start;
}
