/* SPDX-License-Identifier: MIT */
/* Fixed-width names used everywhere; freestanding headers only. */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;
typedef unsigned __int128 u128;
typedef __int128 i128;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
