// SPDX-License-Identifier: MIT
/*
 * Which memory the kernel takes for its own, by memory maps of the test's making, and how it gives
 * it out. arena.c itself.
 */
#include "../../kern/arena.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* The kernel ends in this program, below 4 GiB. */
const u8 image_end[1];
#define ABOVE (((u64)(uintptr_t)image_end + PAGE - 1) & ~(PAGE - 1))

#define GIB	 (1ull << 30)
#define RESERVED 2 /* as in E820 */

static u64 mapped_below;

bool paging_mapped(u64 base, u64 bytes)
{
	return base + bytes <= mapped_below;
}

static struct bootinfo boot;

static void map_start(void)
{
	boot.n_regions = 0;
	mapped_below = 64 * GIB;
}

static void region(u64 base, u64 end, u32 type)
{
	boot.region[boot.n_regions++] =
		(struct boot_region){.base = base, .len = end - base, .type = type};
}

static void taken(u64 base, u64 end)
{
	assert_true(arena_init(&boot));
	assert_int_equal(arena.base, base);
	assert_int_equal(arena.end, end);
	assert_int_equal(arena_used(), 0);
	assert_int_equal(arena_left(), end - base);
}

static void the_largest_region_above_the_kernel(void **state)
{
	const u64 above = ABOVE;

	(void)state;
	map_start();
	region(0, 0x9f000, BOOT_USABLE);
	region(0x100000, above + 0x500000, BOOT_USABLE);
	taken(above, above + 0x500000);
	region(above + 0x600000, above + 0xb00000, BOOT_USABLE);
	taken(above, above + 0x500000);
	region(above + 0x1000123, above + 0x2000fff, BOOT_USABLE);
	taken(above + 0x1001000, above + 0x2000000);
}

static void nothing_that_is_claimed_twice(void **state)
{
	(void)state;
	map_start();
	region(0x41000000, 0x43000000, BOOT_USABLE);
	region(0x41400000, 0x41400001, RESERVED);
	taken(0x41401000, 0x43000000);
	region(0x42ffffff, 0x44000000, RESERVED);
	taken(0x41401000, 0x42fff000);
	region(0x42800000, 0x42900000, RESERVED);
	taken(0x41401000, 0x42800000);
	region(0x40ffffff, 0x41000001, RESERVED);
	taken(0x41401000, 0x42800000);
	region(0, ~0ull, RESERVED);
	assert_false(arena_init(&boot));
	assert_int_equal(arena_left(), 0);
	assert_null(arena_alloc(1, 1));
}

static void below_four_gib_if_it_is_worthwhile(void **state)
{
	(void)state;
	map_start();
	region(0x40000000, 0x40100000, BOOT_USABLE);
	region(4 * GIB, 8 * GIB, BOOT_USABLE);
	taken(0x40000000, 0x40100000);
	boot.region[0].len--;
	taken(4 * GIB, 8 * GIB);
	/* One that crosses counts as far as 4 GiB. */
	map_start();
	region(3 * GIB, 6 * GIB, BOOT_USABLE);
	taken(3 * GIB, 4 * GIB);
	map_start();
	region(5 * GIB, 0, BOOT_USABLE); /* to the end of the address space */
	taken(5 * GIB, 64 * GIB);
}

static void only_what_is_mapped(void **state)
{
	(void)state;
	map_start();
	region(0x41000000, 0x41800000, BOOT_USABLE);
	region(0x42000000, 0x44000000, BOOT_USABLE);
	mapped_below = 0x43000000;
	taken(0x41000000, 0x41800000);
	mapped_below = 0x41000000;
	assert_false(arena_init(&boot));
}

static void nothing_where_there_is_no_memory(void **state)
{
	(void)state;
	map_start();
	assert_false(arena_init(&boot));
	region(0, (u64)(uintptr_t)image_end, BOOT_USABLE);
	assert_false(arena_init(&boot));
	region(0x41000000, 0x41000fff, BOOT_USABLE); /* no whole page */
	assert_false(arena_init(&boot));
}

static void given_out_zeroed_and_aligned_until_it_is_used_up(void **state)
{
	const size_t bytes = 8 * PAGE;
	u8 *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		      -1, 0);
	u8 *a, *b;

	(void)state;
	assert_true(at != MAP_FAILED);
	memset(at, 0xa5, bytes);
	map_start();
	region((u64)(uintptr_t)at, (u64)(uintptr_t)at + bytes, BOOT_USABLE);
	taken((u64)(uintptr_t)at, (u64)(uintptr_t)at + bytes);
	a = arena_alloc(3, 0);
	assert_ptr_equal(a, at);
	assert_int_equal(arena_used(), 3);
	b = arena_alloc(100, 64);
	assert_ptr_equal(b, at + 64);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(b[i], 0);
	assert_int_equal(a[2], 0);
	assert_int_equal(a[3], 0xa5);
	assert_int_equal(b[100], 0xa5);
	assert_null(arena_alloc(bytes, 1));
	assert_null(arena_alloc(~0ull, 1));
	assert_null(arena_alloc(1, 1ull << 40));
	assert_int_equal(arena_used(), 164);
	assert_int_equal(arena_left(), bytes - 164);
	assert_ptr_equal(arena_alloc(bytes - PAGE, PAGE), at + PAGE);
	assert_int_equal(arena_left(), 0);
	assert_null(arena_alloc(1, 1));
	munmap(at, bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_region_above_the_kernel),
		cmocka_unit_test(nothing_that_is_claimed_twice),
		cmocka_unit_test(below_four_gib_if_it_is_worthwhile),
		cmocka_unit_test(only_what_is_mapped),
		cmocka_unit_test(nothing_where_there_is_no_memory),
		cmocka_unit_test(given_out_zeroed_and_aligned_until_it_is_used_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
