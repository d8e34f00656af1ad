// SPDX-License-Identifier: MIT
/* MC146818 registers through ports 70h and 71h. Bit 7 of port 70h stays 0: NMIs stay on. */
#include "rtc.h"

#include "io.h"
#include "mem.h"

#define CMOS_INDEX 0x70
#define CMOS_DATA  0x71

#define RTC_SECOND 0x00
#define RTC_MINUTE 0x02
#define RTC_HOUR   0x04
#define RTC_DAY	   0x07
#define RTC_MONTH  0x08
#define RTC_YEAR   0x09
#define RTC_A	   0x0a
#define RTC_B	   0x0b

#define A_UIP	 0x80
#define B_24H	 0x02
#define B_BINARY 0x04
#define HOUR_PM	 0x80

/* An update takes up to 2.2 ms; a port read about a microsecond, less in an emulator. */
#define UIP_TURNS 20000
#define ATTEMPTS  4

static u8 cmos(u8 index)
{
	outb(CMOS_INDEX, index);
	return inb(CMOS_DATA);
}

static bool settled(void)
{
	for (u32 turn = 0; turn < UIP_TURNS; turn++) {
		if (!(cmos(RTC_A) & A_UIP))
			return true;
	}
	return false;
}

static void read_raw(u8 raw[6])
{
	static const u8 reg[6] = {RTC_YEAR, RTC_MONTH, RTC_DAY, RTC_HOUR, RTC_MINUTE, RTC_SECOND};

	for (u32 i = 0; i < 6; i++)
		raw[i] = cmos(reg[i]);
}

/* Two equal readings in a row, neither begun during an update. */
static bool read_steady(u8 raw[6])
{
	u8 again[6];

	for (u32 i = 0; i < ATTEMPTS; i++) {
		if (!settled())
			return false;
		read_raw(raw);
		if (!settled())
			return false;
		read_raw(again);
		if (!memcmp(raw, again, sizeof(again)))
			return true;
	}
	return false;
}

static u32 number(u8 v, bool binary)
{
	if (binary)
		return v;
	/* Not BCD: out of every range. */
	return (v & 0x0f) > 9 || v > 0x99 ? 255 : (v >> 4) * 10u + (v & 0x0f);
}

static u32 hour_of(u8 v, u8 b)
{
	u32 h;

	if (b & B_24H)
		return number(v, b & B_BINARY);
	h = number(v & (u8)~HOUR_PM, b & B_BINARY);
	if (h < 1 || h > 12)
		return 255;
	return h % 12 + (v & HOUR_PM ? 12 : 0);
}

static bool is_date(const struct rtc_time *t)
{
	static const u8 days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	u32 leap = t->month == 2 && t->year % 4 == 0;

	return t->month >= 1 && t->month <= 12 && t->day >= 1 &&
	       t->day <= days[t->month - 1] + leap && t->year < 2100 && t->hour < 24 &&
	       t->minute < 60 && t->second < 60;
}

bool rtc_read(struct rtc_time *t)
{
	u8 raw[6], b = cmos(RTC_B);
	bool binary = b & B_BINARY;

	if (b == 0xff || !read_steady(raw))
		return false;
	*t = (struct rtc_time){
		.year = 2000 + number(raw[0], binary),
		.month = number(raw[1], binary),
		.day = number(raw[2], binary),
		.hour = hour_of(raw[3], b),
		.minute = number(raw[4], binary),
		.second = number(raw[5], binary),
	};
	return is_date(t);
}
