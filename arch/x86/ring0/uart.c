// SPDX-License-Identifier: MIT
/* 16550 by polling. Register numbers and bits as in the PC16550D data sheet, table II. */
#include "uart.h"

#include "insn.h"
#include "io.h"

#define THR 0
#define DLL 0 /* with LCR.DLAB */
#define IER 1
#define DLM 1 /* with LCR.DLAB */
#define IIR 2
#define FCR 2
#define LCR 3
#define MCR 4
#define LSR 5
#define SCR 7

#define LCR_8N1	 0x03
#define LCR_DLAB 0x80

#define FCR_ENABLE_CLEAR 0x07
#define IIR_FIFO	 0xc0 /* both bits: a FIFO that works; one alone: a 16550 whose does not */

#define MCR_DTR_RTS 0x03
#define MCR_LOOP    0x10

#define LSR_THRE 0x20
#define LSR_TEMT 0x40
#define LSR_GONE 0xff /* what a port reads that nobody decodes */

/*
 * A wait ends when both are used up, or the turns alone run out (a TSC that stands still). Some
 * seconds: a console server or a paused terminal may hold the line that long.
 */
#define WAIT_TURNS     (1u << 20)
#define WAIT_TURNS_MAX (1u << 26)
#define WAIT_TICKS     (1ull << 34)

/* A UART that dies and comes back more often than this is left alone, so that all waits add up. */
#define REVIVALS 4

static u8 reg_read(const struct uart *u, u32 reg)
{
	if (u->port)
		return inb((u16)(u->port + reg));
	if (u->stride == 4)
		return (u8)((volatile u32 *)u->mmio)[reg];
	return u->mmio[reg];
}

static void reg_write(const struct uart *u, u32 reg, u8 v)
{
	if (u->port)
		outb((u16)(u->port + reg), v);
	else if (u->stride == 4)
		((volatile u32 *)u->mmio)[reg] = v;
	else
		u->mmio[reg] = v;
}

static bool wait_for(const struct uart *u, u8 bit)
{
	u64 start = 0;
	u32 turn;

	for (turn = 0; turn < WAIT_TURNS_MAX; turn++) {
		u8 lsr = reg_read(u, LSR);

		if (lsr == LSR_GONE)
			return false;
		if (lsr & bit)
			return true;
		if (!turn)
			start = rdtsc();
		if (turn > WAIT_TURNS && rdtsc() - start > WAIT_TICKS)
			return false;
		cpu_pause();
	}
	return false;
}

static bool holds(const struct uart *u, u32 reg, u8 value, u8 mask)
{
	reg_write(u, reg, value);
	return (reg_read(u, reg) & mask) == (value & mask);
}

bool uart_exists(const struct uart *u)
{
	u8 scratch, lcr;
	bool found;

	/* Without a device all registers read FFh, so "ready to send" would look true for ever. */
	if (reg_read(u, LSR) == LSR_GONE && reg_read(u, LCR) == LSR_GONE)
		return false;
	scratch = reg_read(u, SCR);
	found = holds(u, SCR, 0x5a, 0xff) && holds(u, SCR, 0xa5, 0xff);
	reg_write(u, SCR, scratch);
	if (found)
		return true;

	/* An 8250 has no scratch register; the upper half of its interrupt enables reads zero. */
	lcr = reg_read(u, LCR);
	reg_write(u, LCR, lcr & (u8)~LCR_DLAB);
	found = holds(u, IER, 0x0a, 0xff) && holds(u, IER, 0x05, 0xff);
	reg_write(u, IER, 0);
	reg_write(u, LCR, lcr);
	return found;
}

static u16 divisor_read(const struct uart *u)
{
	u16 d;

	reg_write(u, LCR, LCR_8N1 | LCR_DLAB);
	d = (u16)(reg_read(u, DLL) | reg_read(u, DLM) << 8);
	reg_write(u, LCR, LCR_8N1);
	return d;
}

static void divisor_write(const struct uart *u, u16 d)
{
	reg_write(u, LCR, LCR_8N1 | LCR_DLAB);
	reg_write(u, DLL, (u8)d);
	reg_write(u, DLM, (u8)(d >> 8));
	reg_write(u, LCR, LCR_8N1);
}

void uart_start(struct uart *u, u16 divisor)
{
	/* What firmware still has under way would be cut by a change of format. */
	u->idle = wait_for(u, LSR_TEMT) ? LSR_TEMT : LSR_THRE;
	u->divisor = divisor_read(u);
	u->divisor_set = divisor || !u->divisor;
	if (u->divisor_set) {
		divisor_write(u, divisor ? divisor : 1);
		u->divisor = divisor_read(u);
	}
	reg_write(u, IER, 0);
	reg_write(u, FCR, FCR_ENABLE_CLEAR);
	u->burst = (reg_read(u, IIR) & IIR_FIFO) == IIR_FIFO ? 16 : 1;
	reg_write(u, MCR, (reg_read(u, MCR) & (u8)~MCR_LOOP) | MCR_DTR_RTS);
	u->dead = u->idle == LSR_THRE && !wait_for(u, LSR_THRE);
}

static void burst(const struct uart *u, const char *bytes, size_t n)
{
	if (u->port) {
		outsb(u->port, bytes, n);
		return;
	}
	while (n--)
		reg_write(u, THR, (u8)*bytes++);
}

bool uart_revive(struct uart *u)
{
	u8 lsr = reg_read(u, LSR);

	if (u->revived >= REVIVALS || lsr == LSR_GONE || !(lsr & LSR_THRE))
		return false;
	u->revived++;
	u->dead = false;
	return true;
}

void uart_send(struct uart *u, const char *bytes, size_t n)
{
	while (n) {
		size_t m = n < u->burst ? n : u->burst;

		if (u->dead || !wait_for(u, LSR_THRE)) {
			u->dead = true;
			u->lost += n;
			return;
		}
		burst(u, bytes, m);
		bytes += m;
		n -= m;
	}
}

void uart_drain(struct uart *u)
{
	if (!u->dead && !wait_for(u, u->idle))
		u->dead = true;
}
