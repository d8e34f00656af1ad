/* SPDX-License-Identifier: MIT */
/* CRC-32 (IEEE 802.3, reflected, as zlib's crc32) and CRC-64 (ECMA-182 reflected, as in xz). */
#ifndef CRC_H
#define CRC_H

#include "types.h"

/* Start with 0; pass the last result on to continue. */
u32 crc32(u32 crc, const void *bytes, size_t n);
u64 crc64(u64 crc, const void *bytes, size_t n);

#endif
