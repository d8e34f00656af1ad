// SPDX-License-Identifier: MIT
/* Bounded text building and the printf subset (C11 7.21.6.1) that baretick prints with. */
#include "fmt.h"

#include "mem.h"
#include "u128.h"

#define DIGITS_MAX 20 /* of 2^64 - 1 in decimal */

enum length { LENGTH_NONE, LENGTH_HH, LENGTH_H, LENGTH_L, LENGTH_LL, LENGTH_Z };

struct spec {
	bool left, zero;
	bool has_precision;
	size_t width, precision;
	enum length length;
	char conversion;
};

/* A va_list is an array type on x86-64: inside a struct it passes to a function as itself. */
struct args {
	va_list list;
};

static size_t text_take(struct text *t, size_t n)
{
	size_t room = t->cap - t->len;
	size_t fit = n < room ? n : room;

	t->cut += n - fit;
	return fit;
}

/* A width may ask for 2^31 blanks: what does not fit is counted, not looped over. */
static void text_fill(struct text *t, char c, size_t n)
{
	size_t fit = text_take(t, n);

	if (!fit)
		return;
	memset(t->at + t->len, c, fit);
	t->len += fit;
}

void text_byte(struct text *t, char c)
{
	if (t->len < t->cap)
		t->at[t->len++] = c;
	else
		t->cut++;
}

void text_bytes(struct text *t, const char *bytes, size_t n)
{
	size_t fit = text_take(t, n);

	if (!fit)
		return;
	memcpy(t->at + t->len, bytes, fit);
	t->len += fit;
}

void text_str(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

void text_pad_to(struct text *t, size_t col)
{
	size_t now = t->len + t->cut;

	if (now < col)
		text_fill(t, ' ', col - now);
}

/* Digits of v, written backwards so that they end before `end`; returns how many. 0 is "0". */
static size_t digits_before(char *end, u64 v, unsigned int base, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char *at = end;

	do {
		*--at = set[v % base];
		v /= base;
	} while (v);
	return (size_t)(end - at);
}

static void emit_field(struct text *t, const struct spec *s, const char *bytes, size_t n)
{
	size_t pad = s->width > n ? s->width - n : 0;

	if (!s->left)
		text_fill(t, ' ', pad);
	text_bytes(t, bytes, n);
	if (s->left)
		text_fill(t, ' ', pad);
}

static void emit_str(struct text *t, const struct spec *s, const char *str)
{
	size_t n = 0;

	if (!str)
		str = "(null)";
	/* With a precision the bytes need no terminator: never look past it. */
	while ((!s->has_precision || n < s->precision) && str[n])
		n++;
	emit_field(t, s, str, n);
}

static void emit_number(struct text *t, const struct spec *s, bool negative, u64 magnitude)
{
	char buf[DIGITS_MAX];
	char *end = buf + sizeof(buf);
	bool hex = s->conversion == 'x' || s->conversion == 'X';
	size_t n = digits_before(end, magnitude, hex ? 16 : 10, s->conversion == 'X');
	size_t zeros = 0, used, pad;

	if (s->has_precision && s->precision == 0 && magnitude == 0)
		n = 0;
	if (s->has_precision && s->precision > n)
		zeros = s->precision - n;
	used = negative + zeros + n;
	pad = s->width > used ? s->width - used : 0;
	if (s->zero && !s->left && !s->has_precision) {
		zeros += pad;
		pad = 0;
	}
	if (!s->left)
		text_fill(t, ' ', pad);
	if (negative)
		text_byte(t, '-');
	text_fill(t, '0', zeros);
	text_bytes(t, end - n, n);
	if (s->left)
		text_fill(t, ' ', pad);
}

static i64 arg_signed(const struct spec *s, struct args *a)
{
	switch (s->length) {
	case LENGTH_HH:
		return (signed char)va_arg(a->list, int);
	case LENGTH_H:
		return (short)va_arg(a->list, int);
	case LENGTH_NONE:
		return va_arg(a->list, int);
	default: /* long, long long and size_t are all 64 bits wide here */
		return va_arg(a->list, i64);
	}
}

static u64 arg_unsigned(const struct spec *s, struct args *a)
{
	switch (s->length) {
	case LENGTH_HH:
		return (u8)va_arg(a->list, unsigned int);
	case LENGTH_H:
		return (u16)va_arg(a->list, unsigned int);
	case LENGTH_NONE:
		return va_arg(a->list, unsigned int);
	default:
		return va_arg(a->list, u64);
	}
}

/* Digits or '*'. Returns where the parse goes on. */
static const char *parse_count(const char *f, struct args *a, int *count)
{
	u64 n = 0;

	if (*f == '*') {
		*count = va_arg(a->list, int);
		return f + 1;
	}
	for (; *f >= '0' && *f <= '9'; f++) {
		if (n <= INT32_MAX)
			n = n * 10 + (u64)(*f - '0');
	}
	*count = n > INT32_MAX ? INT32_MAX : (int)n;
	return f;
}

static const char *parse_length(const char *f, enum length *length)
{
	switch (*f) {
	case 'h':
		*length = f[1] == 'h' ? LENGTH_HH : LENGTH_H;
		return f + (f[1] == 'h' ? 2 : 1);
	case 'l':
		*length = f[1] == 'l' ? LENGTH_LL : LENGTH_L;
		return f + (f[1] == 'l' ? 2 : 1);
	case 'z':
		*length = LENGTH_Z;
		return f + 1;
	default:
		*length = LENGTH_NONE;
		return f;
	}
}

/* f is just after the '%'; returns where the conversion letter stands. */
static const char *parse_spec(const char *f, struct args *a, struct spec *s)
{
	int count;

	*s = (struct spec){0};
	for (; *f == '-' || *f == '0'; f++) {
		s->left |= *f == '-';
		s->zero |= *f == '0';
	}
	f = parse_count(f, a, &count);
	s->left |= count < 0; /* only a '*' can be negative: it means the flag and the width */
	s->width = count < 0 ? -(size_t)count : (size_t)count;
	if (*f == '.') {
		f = parse_count(f + 1, a, &count);
		s->has_precision = count >= 0;
		s->precision = count >= 0 ? (size_t)count : 0;
	}
	f = parse_length(f, &s->length);
	s->conversion = *f;
	return f;
}

/* False if there is no such conversion; then no argument was taken for it. */
static bool convert(struct text *t, const struct spec *s, struct args *a)
{
	i64 v;
	char c;

	switch (s->conversion) {
	case 'd':
	case 'i':
		v = arg_signed(s, a);
		emit_number(t, s, v < 0, v < 0 ? -(u64)v : (u64)v);
		return true;
	case 'u':
	case 'x':
	case 'X':
		emit_number(t, s, false, arg_unsigned(s, a));
		return true;
	case 'c':
		if (s->length != LENGTH_NONE)
			return false;
		c = (char)va_arg(a->list, int);
		emit_field(t, s, &c, 1);
		return true;
	case 's':
		if (s->length != LENGTH_NONE)
			return false;
		emit_str(t, s, va_arg(a->list, const char *));
		return true;
	case '%':
		text_byte(t, '%');
		return true;
	default:
		return false;
	}
}

void fmt_v(struct text *t, const char *format, va_list list)
{
	struct args a;
	struct spec s;
	const char *f = format, *start;

	va_copy(a.list, list);
	while (*f) {
		for (start = f; *f && *f != '%'; f++)
			;
		text_bytes(t, start, (size_t)(f - start));
		if (!*f)
			break;
		start = f;
		f = parse_spec(f + 1, &a, &s);
		if (*f)
			f++;
		if (!convert(t, &s, &a))
			text_bytes(t, start, (size_t)(f - start));
	}
	va_end(a.list);
}

void fmt(struct text *t, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fmt_v(t, format, list);
	va_end(list);
}

void fmt_u128(struct text *t, u128 value)
{
	const u64 chunk = 10000000000000000000ull; /* the largest power of ten below 2^64 */
	u64 low, mid;
	u128 high;

	high = u128_div(value, chunk, &low);
	if (!high) {
		fmt(t, "%llu", (unsigned long long)low);
		return;
	}
	high = u128_div(high, chunk, &mid);
	if (high)
		fmt(t, "%llu%019llu", (unsigned long long)high, (unsigned long long)mid);
	else
		fmt(t, "%llu", (unsigned long long)mid);
	fmt(t, "%019llu", (unsigned long long)low);
}
