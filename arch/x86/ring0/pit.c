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

/* An output that is high from the start would look like a very fast countdown. */
static bool seen_low(void)
{
	for (u32 turn = 0; turn < LOW_TURNS; turn++) {
		if (!out_high())
			return true;
	}
	return false;
}

static enum clock_state count_down(u16 count, struct pit_shot *shot)
{
	u64 started, begin = start(count, &started), last;

	if (!seen_low())
		return CLOCK_STUCK;
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
		if (after - begin > HIGH_TICKS)
			return CLOCK_STUCK;
		last = before;
	}
	return CLOCK_STUCK;
}

enum clock_state pit_shot(u16 count, struct pit_shot *shot)
{
	u8 found = inb(PORT61);
	enum clock_state state;

	if (found == 0xff)
		return CLOCK_ABSENT;
	outb(PORT61, (found & (u8)~PORT61_SPEAKER) | PORT61_GATE);
	state = count_down(count, shot);
	outb(PORT61, found & (PORT61_SPEAKER | PORT61_GATE));
	return state;
}
