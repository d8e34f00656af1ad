/* SPDX-License-Identifier: MIT */
/*
 * Bounded text building. A struct text never writes past cap; what did not
 * fit is counted, so a caller can tell a cut text from a whole one.
 */
#ifndef FMT_H
#define FMT_H

#include <stdarg.h>

#include "types.h"

struct text {
	char *at;
	size_t cap; /* bytes at `at`; no terminator is kept */
	size_t len; /* bytes written, <= cap */
	size_t cut; /* bytes that did not fit */
};

#define TEXT_ON(array) ((struct text){.at = (array), .cap = sizeof(array)})

void text_byte(struct text *t, char c);
void text_bytes(struct text *t, const char *bytes, size_t n);
void text_str(struct text *t, const char *s);

/* Blanks up to column `col` of the text, counted from its start; none if it is there already. */
void text_pad_to(struct text *t, size_t col);

/*
 * printf's subset: %c %s %d %i %u %x %X %%, lengths h hh l ll z, flags '-' '0',
 * width and precision as digits or '*'. Precision on integers and strings as in C11 7.21.6.1.
 * An unknown conversion is copied as it stands.
 */
void fmt(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fmt_v(struct text *t, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Decimal of a 128-bit value. */
void fmt_u128(struct text *t, u128 value);

#endif
