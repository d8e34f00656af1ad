// SPDX-License-Identifier: MIT
/* 8254 mode 0 on channel 2 (Intel 8254 data sheet), output read at bit 5 of port 61h. */
#include "pit.h"

#include "insn.h"
#include "io.h"
#include "spin.h"

#define PIT_CH2	       0x42
#define PIT_CONTROL    0x43
#define CH2_LOHI_MODE0 0xb0

#define PORT61	       0x61
#define PORT61_GATE    0x01
#define PORT61_SPEAKER 0x02
#define PORT61_OUT     0x20

#define COUNT	   (PIT_HZ / 100)
#define COUNT_LONG (PIT_HZ / 20)
#define SHOTS	   3
#define SHOTS_MOST 5 /* long ones, while none is good */

#define LOW_TURNS  1000
#define HIGH_TURNS (1u << 20)
#define HIGH_TICKS 2000000000ull

static bool out_high(void)
{
	return inb(PORT61) & PORT61_OUT;
}

/*
 * Mode 0: the control word pulls the output low, the second byte of the count starts it. Some
 * emulators do not stop this mode by the gate, so the gate is open before and the write is what
 * starts.
 */
static u64 start(u16 count, u64 *started)
{
	u64 before;

	outb(PIT_CONTROL, CH2_LOHI_MODE0);
	outb(PIT_CH2, (u8)count);
	before = rdtsc_ordered();
	outb(PIT_CH2, (u8)(count >> 8));
	*started = rdtsc_ordered();
	return before;
}

/*
 * An output that is high from the start would look like a very fast countdown. It may be high
 * already: if somebody took the CPU until it was over.
 */
static bool seen_low(void)
{
	for (u32 turn = 0; turn < LOW_TURNS; turn++) {
		if (!out_high())
			return true;
	}
	return false;
}

static enum clock_state count_down(struct pit_shot *shot)
{
	u64 started, begin = start(shot->count, &started), last;

	if (!seen_low())
		return CLOCK_UNSURE;
	last = rdtsc_ordered();
	for (u32 turn = 0; turn < HIGH_TURNS; turn++) {
		u64 before, after;
		bool high;

		spin();
		before = rdtsc_ordered();
		high = out_high();
		after = rdtsc_ordered();
		if (high) {
			shot->bracket = (started - begin) + (after - last);
			shot->ticks = after - begin - shot->bracket / 2;
			return CLOCK_OK;
		}
		/* Somebody may have taken the CPU between the two looks at the TSC. */
		if (after - begin > HIGH_TICKS)
			return out_high() ? CLOCK_UNSURE : CLOCK_STUCK;
		last = before;
	}
	return CLOCK_STUCK;
}

static enum clock_state pit_shot(struct pit_shot *shot)
{
	u8 found = inb(PORT61);
	enum clock_state state;

	if (found == 0xff)
		return CLOCK_ABSENT;
	outb(PORT61, (found & (u8)~PORT61_SPEAKER) | PORT61_GATE);
	state = count_down(shot);
	outb(PORT61, found & (PORT61_SPEAKER | PORT61_GATE));
	return state;
}

/* Does it leave less of its own time open? */
static bool better(const struct pit_shot *a, const struct pit_shot *b)
{
	return (u128)a->bracket * b->ticks < (u128)b->bracket * a->ticks;
}

static bool good(const struct pit_shot *shot, u64 share)
{
	return shot->bracket <= shot->ticks / share;
}

enum clock_state pit_measure(struct pit_shot *best)
{
	bool high_at_once = true;

	*best = (struct pit_shot){.bracket = ~0ull, .ticks = 1};
	for (u32 i = 0; i < SHOTS || (i < SHOTS_MOST && !good(best, CLOCK_GOOD_SHARE)); i++) {
		struct pit_shot shot = {.count = i < SHOTS ? COUNT : COUNT_LONG};
		enum clock_state s = pit_shot(&shot);

		if (s == CLOCK_ABSENT || s == CLOCK_STUCK)
			return s;
		if (s == CLOCK_OK)
			high_at_once = false;
		if (s == CLOCK_OK && better(&shot, best))
			*best = shot;
	}
	if (high_at_once)
		return CLOCK_STUCK;
	best->khz = best->ticks * PIT_HZ / (best->count * 1000ull);
	return good(best, CLOCK_OPEN_SHARE) ? CLOCK_OK : CLOCK_UNSURE;
}
