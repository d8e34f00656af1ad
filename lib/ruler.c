// SPDX-License-Identifier: MIT
/* What the ruler says of the core clock. */
#include "result.h"

#include "u128.h"

#define RATIO_UNIT 10000ull

u64 ruler_ratio(const struct ruler *r)
{
	const u64 cycles = RULER_ADDS * RATIO_UNIT; /* of one add each */
	u64 rest;

	if (!r->adds_ticks)
		return 0;
	rest = cycles % r->adds_ticks;
	return cycles / r->adds_ticks + (rest >= r->adds_ticks - rest);
}

u64 ruler_cycles(u64 ticks, u64 ratio)
{
	return (u64)u128_div_round((u128)ticks * ratio, RATIO_UNIT);
}
