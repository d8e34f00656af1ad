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
 * them together stay below 60 ms.
 */
#define MILLISECONDS 10
#define PIT_COUNT    (PIT_HZ * MILLISECONDS / 1000)
#define PIT_SHOTS    3

/*
 * A shot whose bracket is wider says little: 1/256 is 4,000 ppm, the estimate's error half of it.
 */
#define BRACKET_SHARE 256

static const char *state_name(enum clock_state s)
{
	return s == CLOCK_OK ? "ok" : s == CLOCK_ABSENT ? "absent" : "stuck";
}

/* Of three shots the one with the shortest bracket: what stole time from the others shows there. */
static void add_pit(struct machine *m)
{
	struct pit_shot best = {.bracket = ~0ull}, shot;
	u64 khz;

	for (u32 i = 0; i < PIT_SHOTS; i++) {
		enum clock_state s = pit_shot(PIT_COUNT, &shot);

		if (s != CLOCK_OK) {
			machine_clock_add(m, "pit", 0, state_name(s));
			return;
		}
		if (shot.bracket < best.bracket)
			best = shot;
	}
	khz = best.ticks * PIT_HZ / (PIT_COUNT * 1000ull);
	machine_clock_add(m, "pit", khz,
			  best.bracket <= best.ticks / BRACKET_SHARE ? "ok" : "implausible");
	machine_clock_spread(m, best.bracket, best.ticks);
}

static void add_counter(struct machine *m, const char *name, const struct counter *c)
{
	struct counter_rate rate = {0};
	enum clock_state s = CLOCK_ABSENT;

	if (c)
		s = counter_measure(c, &rate);
	machine_clock_add(m, name, rate.khz, state_name(s));
	machine_clock_spread(m, rate.open, rate.ticks);
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
