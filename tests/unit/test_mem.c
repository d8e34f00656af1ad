// SPDX-License-Identifier: MIT
/* The kernel's memory functions, under other names, against libc's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"

#define memcpy	kernel_memcpy
#define memmove kernel_memmove
#define memset	kernel_memset
#define memcmp	kernel_memcmp
#define strlen	kernel_strlen
#include "mem.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen

#define ROOM 300

/* Two arrays with the same random content: one for each implementation. */
struct pair {
	u8 ours[ROOM], theirs[ROOM];
};

static void pair_fill(struct pair *p)
{
	for (size_t i = 0; i < ROOM; i++)
		p->ours[i] = p->theirs[i] = (u8)draw();
}

static void check_pair(const struct pair *p)
{
	for (size_t i = 0; i < ROOM; i++)
		assert_int_equal(p->ours[i], p->theirs[i]);
}

static void copies_and_fills(void **state)
{
	struct pair p;
	u8 from[ROOM];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		size_t to = draw_below(40), at = draw_below(40), n = draw_below(ROOM - 40);
		int byte = (int)draw_below(1000) - 500;

		pair_fill(&p);
		for (size_t i = 0; i < ROOM; i++)
			from[i] = (u8)draw();
		assert_ptr_equal(kernel_memcpy(p.ours + to, from + at, n), p.ours + to);
		memcpy(p.theirs + to, from + at, n);
		check_pair(&p);
		assert_ptr_equal(kernel_memset(p.ours + at, byte, n / 2), p.ours + at);
		memset(p.theirs + at, byte, n / 2);
		check_pair(&p);
	}
}

static void moves_overlap_both_ways(void **state)
{
	struct pair p;

	(void)state;
	for (size_t to = 0; to < 24; to++) {
		for (size_t from = 0; from < 24; from++) {
			for (size_t n = 0; n < 40; n++) {
				pair_fill(&p);
				assert_ptr_equal(kernel_memmove(p.ours + to, p.ours + from, n),
						 p.ours + to);
				memmove(p.theirs + to, p.theirs + from, n);
				check_pair(&p);
			}
		}
	}
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void compares(void **state)
{
	u8 a[64], b[64];

	(void)state;
	assert_int_equal(kernel_memcmp("a", "b", 0), 0);
	assert_true(kernel_memcmp("\x7f", "\x80", 1) < 0); /* bytes are unsigned */
	for (int round = 0; round < 5000; round++) {
		size_t n = draw_below(sizeof(a));

		for (size_t i = 0; i < sizeof(a); i++)
			a[i] = b[i] = (u8)draw();
		for (u64 k = draw_below(3); k > 0; k--)
			b[draw_below(sizeof(b))] = (u8)draw();
		assert_int_equal(sign(kernel_memcmp(a, b, n)), sign(memcmp(a, b, n)));
	}
}

static void lengths(void **state)
{
	char s[100];

	(void)state;
	assert_int_equal(kernel_strlen(""), 0);
	for (size_t n = 0; n < sizeof(s); n++) {
		memset(s, 0x80, sizeof(s));
		s[n] = '\0';
		assert_int_equal(kernel_strlen(s), n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_and_fills),
		cmocka_unit_test(moves_overlap_both_ways),
		cmocka_unit_test(compares),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
