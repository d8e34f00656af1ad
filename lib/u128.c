// SPDX-License-Identifier: MIT
/* 128-bit division and checked multiplication without libgcc. */
#include "u128.h"

/* DIV r/m64 (SDM vol. 2) faults with #DE unless high < d: the caller passes a remainder by d. */
static u64 div_128_64(u64 high, u64 low, u64 d, u64 *rem)
{
	u64 q;

	asm("divq %[d]" : "=a"(q), "=d"(*rem) : "a"(low), "d"(high), [d] "rm"(d) : "cc");
	return q;
}

u128 u128_div(u128 n, u64 d, u64 *rem)
{
	u64 high = (u64)(n >> 64), r;
	u64 q_high = high / d;
	u64 q_low = div_128_64(high % d, (u64)n, d, &r);

	if (rem)
		*rem = r;
	return (u128)q_high << 64 | q_low;
}

u128 u128_div_round(u128 n, u64 d)
{
	u64 rem;
	u128 q = u128_div(n, d, &rem);

	return q + (rem >= d - rem);
}

/* By hand: clang turns __builtin_mul_overflow on 128 bits into a call to __muloti4. */
bool u128_mul(u128 a, u64 b, u128 *product)
{
	u128 low = (u128)(u64)a * b;
	u128 high = (u128)(u64)(a >> 64) * b;

	if (high >> 64)
		return false;
	return !__builtin_add_overflow(low, high << 64, product);
}
