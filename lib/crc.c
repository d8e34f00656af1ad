// SPDX-License-Identifier: MIT
/* CRC-32 and CRC-64 a nibble at a time: 16-entry tables keep them small and constant. */
#include "crc.h"

/* Entry i is i shifted right four times, each time xor the polynomial if a 1 fell out. */
static const u32 table32[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
	0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

static const u64 table64[16] = {
	0x0000000000000000, 0x7d9ba13851336649, 0xfb374270a266cc92, 0x86ace348f355aadb,
	0x64b62bcaebc387a1, 0x192d8af2baf0e1e8, 0x9f8169ba49a54b33, 0xe21ac88218962d7a,
	0xc96c5795d7870f42, 0xb4f7f6ad86b4690b, 0x325b15e575e1c3d0, 0x4fc0b4dd24d2a599,
	0xadda7c5f3c4488e3, 0xd041dd676d77eeaa, 0x56ed3e2f9e224471, 0x2b769f17cf112238,
};

u32 crc32(u32 crc, const void *bytes, size_t n)
{
	const u8 *b = bytes;

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= b[i];
		crc = crc >> 4 ^ table32[crc & 15];
		crc = crc >> 4 ^ table32[crc & 15];
	}
	return ~crc;
}

u64 crc64(u64 crc, const void *bytes, size_t n)
{
	const u8 *b = bytes;

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= b[i];
		crc = crc >> 4 ^ table64[crc & 15];
		crc = crc >> 4 ^ table64[crc & 15];
	}
	return ~crc;
}
