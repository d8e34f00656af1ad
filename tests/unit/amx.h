/* SPDX-License-Identifier: MIT */
/* Leaf 0Dh by sub-leaf as recorded in a KVM guest with AMX (06_A7H as shown), XCR0 = 602e7h. */
#ifndef AMX_H
#define AMX_H

#define AMX_LEAF_D                                                                                 \
	{                                                                                          \
		[0] = {0x602e7, 0x2b00, 0x2b00, 0}, [1] = {0x1f, 0x2a00, 0x1800, 0},               \
		[2] = {0x100, 0x240, 0, 0}, [5] = {0x40, 0x440, 0, 0}, [6] = {0x200, 0x480, 0, 0}, \
		[7] = {0x400, 0x680, 0, 0}, [9] = {0x8, 0xa80, 0, 0}, [11] = {0x10, 0, 1, 0},      \
		[12] = {0x18, 0, 1, 0}, [17] = {0x40, 0xac0, 2, 0}, [18] = {0x2000, 0xb00, 6, 0},  \
	}

#endif
