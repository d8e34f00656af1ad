/* SPDX-License-Identifier: MIT */
/* What a suite under test writes, kept as one text. */
#ifndef WIRE_H
#define WIRE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char wire[1 << 21];
static size_t wire_n;

void env_write(const char *bytes, size_t n)
{
	assert_true(wire_n + n < sizeof(wire));
	memcpy(wire + wire_n, bytes, n);
	wire_n += n;
	wire[wire_n] = '\0';
}

static inline void wire_start(void)
{
	wire_n = 0;
	wire[0] = '\0';
}

static inline void check_says(const char *text)
{
	if (!strstr(wire, text))
		fail_msg("not said: %s", text);
}

static inline void check_silent(const char *text)
{
	if (strstr(wire, text))
		fail_msg("said: %s", text);
}

#endif
