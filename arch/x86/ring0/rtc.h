/* SPDX-License-Identifier: MIT */
/* The CMOS real-time clock (MC146818): the date of a run, read once. */
#ifndef RTC_H
#define RTC_H

#include "types.h"

struct rtc_time {
	u32 year, month, day, hour, minute, second;
};

/* False when there is none, it never settles, or what it says is no date. Bounded. */
bool rtc_read(struct rtc_time *t);

#endif
