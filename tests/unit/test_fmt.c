// SPDX-License-Identifier: MIT
/* Text building, and the printf subset against libc's snprintf. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "fmt.h"

#define ROOM 256

/* Formats into `cap` bytes both ways: the bytes that fit and the count of the rest must agree. */
static void check_cap(size_t cap, const char *format, va_list args)
{
	char ours[ROOM], theirs[ROOM];
	struct text t = {.at = ours, .cap = cap};
	va_list again;
	int want;

	memset(ours, '#', sizeof(ours));
	va_copy(again, args);
	want = vsnprintf(theirs, sizeof(theirs), format, again);
	va_end(again);
	assert_in_range(want, 0, ROOM - 1);
	fmt_v(&t, format, args);
	if (t.len + t.cut != (size_t)want || memcmp(ours, theirs, t.len) != 0)
		fail_msg("\"%s\" in %zu bytes: \"%.*s\" + %zu, libc has \"%s\"", format, cap,
			 (int)t.len, ours, t.cut, theirs);
	assert_int_equal(t.len, (size_t)want < cap ? (size_t)want : cap);
	for (size_t i = t.len; i < sizeof(ours); i++)
		assert_int_equal(ours[i], '#');
}

static void check(const char *format, ...)
{
	const size_t cap[] = {ROOM, 0, 1, 2, 5, 9, 20};

	for (size_t i = 0; i < ARRAY_SIZE(cap); i++) {
		va_list args;

		va_start(args, format);
		check_cap(cap[i], format, args);
		va_end(args);
	}
}

static const long long numbers[] = {
	0,	  1,	     -1,	9,	   10,
	-10,	  99,	     100,	127,	   128,
	-128,	  255,	     256,	32767,	   32768,
	-32768,	  65535,     65536,	INT_MAX,   INT_MIN,
	UINT_MAX, 1ll << 32, LLONG_MAX, LLONG_MIN, LLONG_MIN + 1,
};

static const char *const fields[] = {
	"",   "5",  "-5",  "05",  "-05",  "0-5",  "1",	 "25",	  "-25",    "025",    ".0", ".",
	".1", ".5", ".22", "5.3", "-5.3", "05.3", "3.5", "30.25", "-30.25", "030.25", "0",  "-",
};

static void integers(void **state)
{
	const char *const lengths[] = {"hh", "h", "", "l", "ll", "z"};
	const char conversions[] = "diuxX";
	char format[40];

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
		for (size_t l = 0; l < ARRAY_SIZE(lengths); l++) {
			for (const char *c = conversions; *c; c++) {
				snprintf(format, sizeof(format), "<%%%s%s%c>", fields[f],
					 lengths[l], *c);
				for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
					check(format, numbers[i]);
			}
		}
	}
}

static void strings_and_characters(void **state)
{
	const char *const values[] = {"", "a", "abc", "12345", "longer than any width above"};
	char format[40];

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
		if (fields[f][0] == '0' || (fields[f][0] == '-' && fields[f][1] == '0'))
			continue; /* undefined for %s and %c */
		snprintf(format, sizeof(format), "<%%%ss>", fields[f]);
		for (size_t i = 0; i < ARRAY_SIZE(values); i++)
			check(format, values[i]);
		if (strchr(fields[f], '.'))
			continue;
		snprintf(format, sizeof(format), "<%%%sc>", fields[f]);
		check(format, 'x');
		check(format, 0);
		check(format, 0xe9);
	}
}

static void star_arguments(void **state)
{
	const int counts[] = {0, 1, 7, -1, -7, 30, -30};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		check("%*d|%s", counts[i], -42, "end");
		check("%-*u|%s", counts[i], 42u, "end");
		check("%0*x|%s", counts[i], 42u, "end");
		check("%.*s|%d", counts[i], "string", 7);
		check("%*.*s|%d", 9, counts[i], "string", 7);
		check("%*.*d|%d", counts[i], 4, 12, 7);
		check("%0*.*lld|%d", 12, counts[i], 12ll, 7);
	}
}

static void several_at_once(void **state)
{
	(void)state;
	check("");
	check("plain");
	check("100%%");
	check("%%%d%%", 5);
	check("%s=%llu %-6s|%6.2u|%c%c %zx", "key", 18446744073709551615ull, "ab", 3u, 'x', 'y',
	      (size_t)0xdeadbeef);
	/* More arguments than registers: the rest come from the stack. */
	check("%d %d %d %d %d %d %d %d %lld", 1, 2, 3, 4, 5, 6, 7, 8, 9ll);
}

static void random_formats(void **state)
{
	const char *const conversions[] = {"d",	 "u",  "x",   "X",   "ld",
					   "lu", "lx", "lld", "hhd", "hu"};
	char format[40], width[8], precision[8];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		snprintf(width, sizeof(width), "%u", 1 + (unsigned int)draw_below(40));
		snprintf(precision, sizeof(precision), ".%u", (unsigned int)draw_below(30));
		snprintf(format, sizeof(format), "%%%s%s%s%s%s", draw_below(2) ? "-" : "",
			 draw_below(2) ? "0" : "", draw_below(2) ? width : "",
			 draw_below(2) ? precision : "",
			 conversions[draw_below(ARRAY_SIZE(conversions))]);
		check(format, (long long)draw_wide());
	}
}

static void expect(const struct text *t, const char *want)
{
	if (t->len != strlen(want) || memcmp(t->at, want, t->len) != 0)
		fail_msg("\"%.*s\" instead of \"%s\"", (int)t->len, t->at, want);
}

static void check_as_it_stands(const char *format, const char *want)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	fmt(&t, format, 1, 2, 3);
	expect(&t, want);
}

static void unknown_conversions_are_copied(void **state)
{
	(void)state;
	check_as_it_stands("a%qb", "a%qb");
	check_as_it_stands("%5.3f.", "%5.3f.");
	check_as_it_stands("%+d", "%+d");
	check_as_it_stands("%#x", "%#x");
	check_as_it_stands("%ls", "%ls");
	check_as_it_stands("end %", "end %");
	check_as_it_stands("end %-08", "end %-08");
	check_as_it_stands("end %ll", "end %ll");
	check_as_it_stands("%n%d", "%n1"); /* and takes no argument */
}

/* fmt() without its format attribute: gcc refuses widths like these where it sees them. */
static struct text in_8_bytes(char *bytes, const char *format, ...)
{
	struct text t = {.at = bytes, .cap = 8};
	va_list args;

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	return t;
}

static void huge_widths_end_soon(void **state)
{
	char bytes[8];
	struct text t = in_8_bytes(bytes, "%*d", INT_MAX, 1);

	(void)state;
	expect(&t, "        ");
	assert_int_equal(t.cut, (size_t)INT_MAX - 8);
	t = in_8_bytes(bytes, "%*d", INT_MIN, 1);
	expect(&t, "1       ");
	assert_int_equal(t.cut, (size_t)INT_MAX + 1 - 8);
	t = in_8_bytes(bytes, "%.*d", INT_MAX, -1);
	expect(&t, "-0000000");
	assert_int_equal(t.cut, (size_t)INT_MAX + 1 - 8);
	t = in_8_bytes(bytes, "%18446744073709551617d", 1); /* 2^64 + 1: taken as INT_MAX */
	assert_int_equal(t.len + t.cut, INT_MAX);
}

static void precision_needs_no_terminator(void **state)
{
	char *bytes = malloc(3), out[16];
	struct text t = TEXT_ON(out);

	(void)state;
	assert_non_null(bytes);
	memcpy(bytes, "abc", 3); /* the address sanitizer sees a fourth byte being read */
	fmt(&t, "%.3s|%.*s", bytes, 2, bytes);
	expect(&t, "abc|ab");
	free(bytes);
}

static void text_pieces(void **state)
{
	char bytes[16];
	struct text t = TEXT_ON(bytes);

	(void)state;
	text_str(&t, "ab");
	text_pad_to(&t, 5);
	text_pad_to(&t, 3);
	text_byte(&t, 'c');
	text_bytes(&t, "x\0y", 3);
	assert_int_equal(t.len, 9);
	assert_memory_equal(bytes, "ab   cx\0y", 9);
	text_pad_to(&t, 20);
	assert_int_equal(t.len, 16);
	assert_int_equal(t.cut, 4);
	text_byte(&t, 'z');
	text_bytes(&t, "zz", 2);
	text_str(&t, "");
	text_pad_to(&t, 23); /* what was cut counts as written */
	assert_int_equal(t.len, 16);
	assert_int_equal(t.cut, 7);
}

static void nothing_at_all(void **state)
{
	struct text t = {0};

	(void)state;
	fmt(&t, "%s %5d", "abc", 1);
	assert_int_equal(t.len, 0);
	assert_int_equal(t.cut, 9);
}

/* Digits of v by repeated doubling of a decimal string: no division anywhere. */
static void slow_decimal(u128 v, char *out)
{
	u8 digit[40] = {0};
	size_t n = 1;

	for (int bit = 127; bit >= 0; bit--) {
		u8 carry = (u8)(v >> bit & 1);

		for (size_t i = 0; i < n; i++) {
			u8 twice = (u8)(digit[i] * 2 + carry);

			digit[i] = twice % 10;
			carry = twice / 10;
		}
		if (carry)
			digit[n++] = carry;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = (char)('0' + digit[n - 1 - i]);
	out[n] = '\0';
}

static void check_u128(u128 v)
{
	char bytes[64], want[64];
	struct text t = TEXT_ON(bytes);

	slow_decimal(v, want);
	fmt_u128(&t, v);
	expect(&t, want);
}

static void decimal_of_128_bits(void **state)
{
	u128 power = 1;

	(void)state;
	check_u128(0);
	check_u128(~(u128)0);
	for (int i = 0; i <= 38; i++, power *= 10) {
		check_u128(power);
		check_u128(power - 1);
		check_u128(power + 1);
	}
	for (int i = 0; i < 5000; i++)
		check_u128((u128)draw_wide() << 64 | draw_wide());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(strings_and_characters),
		cmocka_unit_test(star_arguments),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(random_formats),
		cmocka_unit_test(unknown_conversions_are_copied),
		cmocka_unit_test(huge_widths_end_soon),
		cmocka_unit_test(precision_needs_no_terminator),
		cmocka_unit_test(text_pieces),
		cmocka_unit_test(nothing_at_all),
		cmocka_unit_test(decimal_of_128_bits),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
