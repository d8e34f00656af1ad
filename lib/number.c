// SPDX-License-Identifier: MIT
/* Numbers as people and records write them: decimal or 0x hex, all of 64 bits. */
#include "number.h"

#include "u128.h"

int number_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool digits_parse(const char *text, size_t n, u64 base, u64 *value)
{
	u64 sum = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		int digit = number_hex_digit(text[i]);

		if (digit < 0 || (u64)digit >= base)
			return false;
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, (u64)digit, &sum))
			return false;
	}
	*value = sum;
	return true;
}

bool number_decimal(const char *text, size_t n, u64 *value)
{
	return digits_parse(text, n, 10, value);
}

bool number_parse(const char *text, size_t n, u64 *value)
{
	if (n > 2 && text[0] == '0' && text[1] == 'x')
		return digits_parse(text + 2, n - 2, 16, value);
	return digits_parse(text, n, 10, value);
}

bool number_u128(const char *text, size_t n, u128 *value)
{
	u128 sum = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (!u128_mul(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, (u128)(text[i] - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}
