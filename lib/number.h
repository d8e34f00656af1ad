/* SPDX-License-Identifier: MIT */
/* Numbers as people and records write them: decimal or 0x hex, all of 64 bits. */
#ifndef NUMBER_H
#define NUMBER_H

#include "types.h"

/*
 * The whole of text[0..n) must be digits; false, and *value untouched, if not or if it overflows.
 */
bool number_decimal(const char *text, size_t n, u64 *value);
bool number_parse(const char *text, size_t n, u64 *value);

/* Decimal of up to 128 bits, the inverse of fmt_u128(). */
bool number_u128(const char *text, size_t n, u128 *value);

/* 0..15, or -1 for what is no hexadecimal digit. */
int number_hex_digit(char c);

#endif
