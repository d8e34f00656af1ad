// SPDX-License-Identifier: MIT
/* Two looks at a counter, some milliseconds apart, each between two reads of the TSC. */
#include "counter.h"

#include "insn.h"
#include "io.h"
#include "spin.h"
#include "u128.h"

#define PMTIMER_HZ   3579545u
#define PMTIMER_MASK 0xffffffu

#define HPET_PERIOD	1 /* register 000h, upper half: femtoseconds a count */
#define HPET_CONFIG	4 /* 010h */
#define HPET_ENABLE	1u
#define HPET_COUNTER	60 /* 0f0h */
#define HPET_PERIOD_MAX 100000000u

#define TRIES  3
#define LONGER 5

#define LOOKS	    8
#define TURNS	    (1u << 20)
#define TURNS_STILL (1u << 16) /* without one count: it does not run */
#define TICKS	    2000000000ull

struct look {
	u64 tsc, bracket;
	u32 count;
};

static u32 count_read(const struct counter *c)
{
	return (c->port ? inl(c->port) : *c->mmio) & c->mask;
}

/*
 * Some chips give a wrong value now and then when read in the middle of a count: the value counts
 * only between two neighbours that bear it out. Of several looks the one with the shortest bracket
 * is taken, so that an SMI in one does not shift it.
 */
static bool look(const struct counter *c, struct look *best)
{
	best->bracket = ~0ull;
	for (u32 i = 0; i < LOOKS; i++) {
		u32 low = count_read(c), count, high;
		u64 before = rdtsc_ordered(), after;

		count = count_read(c);
		after = rdtsc_ordered();
		high = count_read(c);
		if (((count - low) & c->mask) > c->wait || ((high - count) & c->mask) > c->wait)
			continue;
		if (after - before >= best->bracket)
			continue;
		*best = (struct look){before + (after - before) / 2, after - before, count};
	}
	return best->bracket != ~0ull;
}

static enum clock_state wait_counts(const struct counter *c, const struct look *from, u64 counts)
{
	for (u32 turn = 0; turn < TURNS; turn++) {
		u32 passed = (count_read(c) - from->count) & c->mask;

		if (passed >= counts)
			return CLOCK_OK;
		if (!passed && turn > TURNS_STILL)
			return CLOCK_STUCK;
		if (rdtsc() - from->tsc > TICKS)
			return passed ? CLOCK_UNSURE : CLOCK_STUCK;
		spin();
	}
	return CLOCK_STUCK;
}

/* CLOCK_UNSURE: it took so long that the counter may have come around. */
static enum clock_state measure_over(const struct counter *c, u64 wait, struct counter_rate *rate)
{
	struct look from, to;
	enum clock_state s;
	u64 counts;

	if (!look(c, &from))
		return CLOCK_STUCK;
	s = wait_counts(c, &from, wait);
	if (s != CLOCK_OK)
		return s;
	if (!look(c, &to))
		return CLOCK_STUCK;
	counts = (to.count - from.count) & c->mask;
	rate->ticks = to.tsc - from.tsc;
	rate->open = from.bracket + to.bracket;
	if (counts < wait || rate->ticks > TICKS)
		return CLOCK_UNSURE;
	rate->khz = (u64)u128_div_round((u128)rate->ticks * c->num, counts * c->den);
	return CLOCK_OK;
}

enum clock_state counter_measure(const struct counter *c, struct counter_rate *rate)
{
	enum clock_state s = CLOCK_STUCK;
	u64 wait = c->wait;

	for (u32 i = 0; i < TRIES; i++) {
		s = measure_over(c, wait, rate);
		if (s == CLOCK_STUCK)
			return s;
		if (s == CLOCK_UNSURE)
			continue;
		if (rate->open <= rate->ticks / CLOCK_GOOD_SHARE)
			return s;
		wait = c->wait * LONGER;
	}
	if (s == CLOCK_OK && rate->open > rate->ticks / CLOCK_OPEN_SHARE)
		s = CLOCK_UNSURE;
	return s;
}

struct counter counter_pmtimer(u16 port, u32 milliseconds)
{
	return (struct counter){
		.port = port,
		.mask = PMTIMER_MASK,
		.num = PMTIMER_HZ,
		.den = 1000,
		.wait = (u64)PMTIMER_HZ * milliseconds / 1000,
	};
}

bool counter_hpet(struct counter *c, volatile u32 *base, u32 milliseconds)
{
	u32 period = base[HPET_PERIOD];

	if (!period || period > HPET_PERIOD_MAX)
		return false;
	if (!(base[HPET_CONFIG] & HPET_ENABLE))
		base[HPET_CONFIG] |= HPET_ENABLE;
	*c = (struct counter){
		.mmio = base + HPET_COUNTER,
		.mask = 0xffffffff,
		.num = 1000000000000ull,
		.den = period,
		.wait = 1000000000000ull * milliseconds / period,
	};
	return true;
}
