// SPDX-License-Identifier: MIT
/* The CRCs against published check values and a bit-at-a-time reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "crc.h"
#include "draw.h"

static u64 slow_crc(u64 poly, u64 ones, const u8 *b, size_t n)
{
	u64 crc = ones;

	for (size_t i = 0; i < 8 * n; i++) {
		u64 bit = (crc ^ b[i / 8] >> i % 8) & 1;

		crc = crc >> 1 ^ (bit ? poly : 0);
	}
	return crc ^ ones;
}

static void known_vectors(void **state)
{
	static const u8 zeros[32], ffs[32] = {[0 ... 31] = 0xff};

	(void)state;
	assert_int_equal(crc32(0, "", 0), 0);
	assert_int_equal(crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32(0, "a", 1), 0xe8b7be43);
	assert_int_equal(crc32(0, "The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
	assert_int_equal(crc32(0, zeros, 32), 0x190a55ad);
	assert_int_equal(crc32(0, ffs, 32), 0xff6cab0b);
	assert_true(crc64(0, "", 0) == 0);
	assert_true(crc64(0, "123456789", 9) == 0x995dc9bbdf1939faull);
}

static void random_bytes_whole_and_in_pieces(void **state)
{
	u8 b[600];

	(void)state;
	for (int round = 0; round < 500; round++) {
		size_t n = draw_below(sizeof(b) + 1), cut = draw_below(n + 1);
		u64 want64;
		u32 want32;

		for (size_t i = 0; i < n; i++)
			b[i] = (u8)draw();
		want32 = (u32)slow_crc(0xedb88320, 0xffffffff, b, n);
		want64 = slow_crc(0xc96c5795d7870f42ull, ~0ull, b, n);
		assert_int_equal(crc32(0, b, n), want32);
		assert_int_equal(crc32(crc32(0, b, cut), b + cut, n - cut), want32);
		assert_true(crc64(0, b, n) == want64);
		assert_true(crc64(crc64(0, b, cut), b + cut, n - cut) == want64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(random_bytes_whole_and_in_pieces),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
