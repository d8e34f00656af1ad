/* SPDX-License-Identifier: MIT */
/*
 * A 16550 (or what is left of one): found without trusting it, used by polling, with the divisor
 * that firmware set unless another is asked for. PC16550D data sheet, section 8.
 */
#ifndef UART_H
#define UART_H

#include "types.h"

#define UART_CLOCK 1843200u /* Hz of the crystal behind a COM port: 115200 baud at divisor 1 */

struct uart {
	u16 port; /* in port space, or 0: then mmio */
	volatile u8 *mmio;
	u8 stride;	  /* bytes from register to register in MMIO; width of access too: 1 or 4 */
	u8 burst;	  /* bytes that fit when LSR says empty: 16 with a FIFO, else 1 */
	u16 divisor;	  /* as read back */
	bool divisor_set; /* written by us: asked for, or found 0 */
	u8 idle;	  /* LSR bit that says all has left; TEMT, unless it never comes */
	bool dead;	  /* stopped answering */
	u8 revived;	  /* times it came back */
	u64 lost;	  /* bytes not sent since it died */
};

/*
 * Is there a UART? Writes only the scratch register, else the interrupt enables (left 0: all is
 * polled). Nothing else of u but its address is used or changed.
 */
bool uart_exists(const struct uart *u);

/* 8n1, FIFO on, interrupts off, DTR and RTS on; the divisor as found, unless divisor is not 0. */
void uart_start(struct uart *u, u16 divisor);

/* Sends bytes as they are. Bounded; a UART that does not answer is marked dead, the rest lost. */
void uart_send(struct uart *u, const char *bytes, size_t n);

/*
 * One look at a dead one, no wait: true if it is ready again, and then it is in use again. A few
 * times only, so that all waits add up to a bound. lost is the caller's to tell and to clear.
 */
bool uart_revive(struct uart *u);

/* Waits, bounded, until the last stop bit has left. */
void uart_drain(struct uart *u);

#endif
