/* SPDX-License-Identifier: MIT */
/*
 * 128-bit arithmetic for which the compiler would call __udivti3 or __muloti4 from libgcc, which
 * the kernel does not link.
 */
#ifndef U128_H
#define U128_H

#include "types.h"

/* n / d, remainder in *rem (rem may be NULL). d must not be 0. */
u128 u128_div(u128 n, u64 d, u64 *rem);

/* n / d rounded half up: (2n + d) / 2d without overflow. d must not be 0. */
u128 u128_div_round(u128 n, u64 d);

/* *product = a * b; false if that does not fit in 128 bits: then *product is void. */
bool u128_mul(u128 a, u64 b, u128 *product);

#endif
