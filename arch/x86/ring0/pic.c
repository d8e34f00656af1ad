// SPDX-License-Identifier: MIT
/* 8259A pair: initialisation words as in the Intel data sheet, ports as on the PC/AT. */
#include "pic.h"

#include "io.h"

#define MASTER_CMD  0x20
#define MASTER_DATA 0x21
#define SLAVE_CMD   0xa0
#define SLAVE_DATA  0xa1

#define ICW1_INIT_ICW4 0x11
#define ICW3_MASTER    0x04 /* the slave hangs on line 2 */
#define ICW3_SLAVE     0x02
#define ICW4_8086      0x01

static bool known;

static void program(u16 port, u8 value)
{
	outb(port, value);
	io_delay();
}

/*
 * The firmware's vectors 08h-0Fh are exceptions to a protected mode kernel. Initialising also
 * forgets the edges that were latched before.
 */
static void pic_start(void)
{
	program(MASTER_DATA, 0xff);
	program(SLAVE_DATA, 0xff);
	program(MASTER_CMD, ICW1_INIT_ICW4);
	program(SLAVE_CMD, ICW1_INIT_ICW4);
	program(MASTER_DATA, PIC_VECTOR);
	program(SLAVE_DATA, PIC_VECTOR + 8);
	program(MASTER_DATA, ICW3_MASTER);
	program(SLAVE_DATA, ICW3_SLAVE);
	program(MASTER_DATA, ICW4_8086);
	program(SLAVE_DATA, ICW4_8086);
	known = true;
}

void pic_mask(void)
{
	if (!known)
		pic_start();
	outb(MASTER_DATA, 0xff);
	outb(SLAVE_DATA, 0xff);
}
