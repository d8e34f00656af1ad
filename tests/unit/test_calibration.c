// SPDX-License-Identifier: MIT
/*
 * The reference clocks, PIT and counters, over devices of the test's making, whose rate is known
 * and which a host takes the CPU away from at any instant: what is believed must be right.
 */
#include "insn.h"

#include "../../arch/x86/ring0/io.h"
#include "../../arch/x86/ring0/spin.h"

static u64 fake_rdtsc(void);
static void fake_spin(void);
static u8 fake_inb(u16 port);
static u32 fake_inl(u16 port);
static void fake_outb(u16 port, u8 v);
#define rdtsc_ordered fake_rdtsc
#define rdtsc	      fake_rdtsc
#define inb	      fake_inb
#define inl	      fake_inl
#define outb	      fake_outb
#define spin	      fake_spin
#include "../../arch/x86/ring0/counter.c"
#undef TICKS
#undef TURNS
#include "../../arch/x86/ring0/pit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PM_PORT 0x608
#define AGREE	500 /* ppm: what two sources may differ by */
#define NEVER	(~0ull)
#define LONGEST (300 * 1000) /* microseconds for all clocks, of which these are two */

/* ---- the world: everything in TSC ticks */

static u64 tps, now;
static u64 read_cost;	      /* of a port */
static u64 stop_at, stop_for; /* the host takes the CPU, once */
static u64 stops_every;	      /* or again and again */
static u64 pm_offset;	      /* counts at tick 0 */
static bool pm_runs, pm_there;
static u32 pm_mask;
static u64 pit_started, pit_count;
static bool stuck_high, stuck_low, port61_there;
static u8 pit_low_byte;

static void time_passes(u64 ticks)
{
	now += ticks;
	if (now >= stop_at) {
		now += stop_for;
		stop_at = stops_every ? now + stops_every : NEVER;
	}
}

static u64 fake_rdtsc(void)
{
	time_passes(tps / 50000000);
	return now;
}

static void fake_spin(void)
{
	time_passes(tps / 10000000);
}

static u64 counts_at(u64 tick, u64 hz)
{
	return (u64)((u128)tick * hz / tps);
}

static u32 fake_inl(u16 port)
{
	u32 v;

	assert_int_equal(port, PM_PORT);
	time_passes(read_cost / 2);
	v = pm_there ? (u32)(pm_offset + (pm_runs ? counts_at(now, PMTIMER_HZ) : 0)) & pm_mask
		     : 0xffffffff;
	time_passes(read_cost / 2);
	return v;
}

static u8 fake_inb(u16 port)
{
	bool high;

	assert_int_equal(port, PORT61);
	time_passes(read_cost / 2);
	high = counts_at(now - pit_started, PIT_HZ) >= pit_count;
	time_passes(read_cost / 2);
	if (stuck_high)
		high = true;
	if (stuck_low)
		high = false;
	if (!port61_there)
		return 0xff;
	return high ? PORT61_OUT : 0;
}

static void fake_outb(u16 port, u8 v)
{
	time_passes(read_cost / 2);
	if (port == PIT_CONTROL) {
		pit_low_byte = 0;
		pit_count = NEVER;
	} else if (port == PIT_CH2 && !pit_low_byte) {
		pit_low_byte = v;
	} else if (port == PIT_CH2) {
		pit_count = (u64)v << 8 | pit_low_byte;
		pit_started = now;
	}
	time_passes(read_cost / 2);
}

static int setup(void **state)
{
	(void)state;
	tps = 3000000000;
	now = 77 * tps;
	read_cost = tps / 1000000;
	stop_at = NEVER;
	stop_for = stops_every = 0;
	pm_offset = 0;
	pm_runs = pm_there = true;
	pm_mask = 0xffffff;
	stuck_high = stuck_low = false;
	port61_there = true;
	return 0;
}

static bool within(u64 khz, u64 ppm)
{
	u64 is = tps / 1000, off = khz > is ? khz - is : is - khz;

	return off * 1000000 <= is * ppm;
}

static bool right(u64 khz)
{
	return within(khz, AGREE);
}

/* As far as its brackets may leave it open. */
static bool pit_right(u64 khz)
{
	return within(khz, 1000000 / CLOCK_OPEN_SHARE / 2 + 100);
}

static enum clock_state pm_measure(u64 *khz)
{
	struct counter c = counter_pmtimer(PM_PORT, 10);
	struct counter_rate rate = {0};
	enum clock_state s = counter_measure(&c, &rate);

	*khz = rate.khz;
	return s;
}

static enum clock_state pit_khz(u64 *khz)
{
	struct pit_shot shot;
	enum clock_state s = pit_measure(&shot);

	*khz = shot.khz;
	return s;
}

/* Both are right, and in time. */
static void both_are_right(void)
{
	u64 khz, began = now;

	assert_int_equal(pm_measure(&khz), CLOCK_OK);
	assert_true(right(khz));
	assert_int_equal(pit_khz(&khz), CLOCK_OK);
	assert_true(right(khz));
	assert_true((now - began) / (tps / 1000000) < LONGEST);
}

static void any_rate(void **state)
{
	static const u64 mhz[] = {300, 800, 1000, 1995, 2893, 3700, 6000, 15000};

	for (size_t i = 0; i < ARRAY_SIZE(mhz); i++) {
		setup(state);
		tps = mhz[i] * 1000000;
		now = 77 * tps;
		read_cost = tps / 1000000;
		both_are_right();
	}
}

/* Wherever the counter stands, also when it comes around meanwhile. */
static void any_count(void **state)
{
	for (u32 i = 0; i < 2000; i++) {
		u64 khz;

		setup(state);
		pm_offset = i < 1000 ? 0x1000000 - i * 40 : i * 7919;
		assert_int_equal(pm_measure(&khz), CLOCK_OK);
		assert_true(right(khz));
	}
}

/* Under a hypervisor a port takes tens of microseconds. */
static void dear_reads(void **state)
{
	for (u64 us = 1; us <= 20; us++) {
		setup(state);
		read_cost = us * tps / 1000000;
		both_are_right();
	}
}

/*
 * From a tenth of a millisecond to a minute, at every instant: one such stop makes no clock wrong,
 * and loses none.
 */
static void one_stop(void **state)
{
	static const u64 tenths[] = {1, 90, 101, 3000, 10000, 46870, 46900, 50000, 94000, 600000};

	for (size_t i = 0; i < ARRAY_SIZE(tenths); i++) {
		for (u64 after = 0; after < 200000000; after += 8999 + after / 16) {
			u64 khz;

			setup(state);
			stop_at = now + after;
			stop_for = tenths[i] * tps / 10000;
			pm_offset = after;
			assert_int_equal(pm_measure(&khz), CLOCK_OK);
			assert_true(right(khz));
			assert_int_equal(pit_khz(&khz), CLOCK_OK);
			assert_true(right(khz));
		}
	}
}

/* Then none need be believed, but whichever is must be right. */
static void many_stops(void **state)
{
	u32 believed = 0;

	for (u64 runs = 1; runs < 300; runs++) {
		for (u64 stays = 1; stays < 300; stays = stays * 3 + runs % 5) {
			u64 khz;

			setup(state);
			stop_at = now + runs * tps / 20000;
			stops_every = runs * tps / 10000;
			stop_for = stays * tps / 10000;
			if (pm_measure(&khz) == CLOCK_OK) {
				assert_true(right(khz));
				believed++;
			}
			if (pit_khz(&khz) == CLOCK_OK)
				assert_true(pit_right(khz));
		}
	}
	assert_true(believed > 1000);
}

/* ---- devices that are not what they should be */

static void absent(void **state)
{
	u64 khz;

	(void)state;
	pm_there = false;
	assert_int_equal(pm_measure(&khz), CLOCK_STUCK);
	port61_there = false;
	assert_int_equal(pit_khz(&khz), CLOCK_ABSENT);
}

static void stuck(void **state)
{
	u64 khz;

	(void)state;
	pm_runs = false;
	assert_int_equal(pm_measure(&khz), CLOCK_STUCK);
	stuck_high = true;
	assert_int_equal(pit_khz(&khz), CLOCK_STUCK);
	stuck_high = false;
	stuck_low = true;
	assert_int_equal(pit_khz(&khz), CLOCK_STUCK);
}

/* Reads that leave a tenth of a second open say nothing, over whatever time. */
static void too_dear(void **state)
{
	u64 khz;

	(void)state;
	read_cost = tps / 1000;
	assert_int_equal(pm_measure(&khz), CLOCK_UNSURE);
	assert_int_equal(pit_khz(&khz), CLOCK_UNSURE);
}

#define TEST(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(any_rate),	  TEST(any_count), TEST(dear_reads), TEST(one_stop),
		TEST(many_stops), TEST(absent),	   TEST(stuck),	     TEST(too_dear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
