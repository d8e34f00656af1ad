// SPDX-License-Identifier: MIT
/* Classes of outliers on series made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outliers.h"

static void expect(const u64 *at, size_t n, u64 period, u64 burst, u64 periodic, u64 single)
{
	u64 count[OUTLIER_CLASSES];

	outliers_class(at, n, period, 50, count);
	assert_int_equal(count[OUTLIER_BURST], burst);
	assert_int_equal(count[OUTLIER_PERIODIC], periodic);
	assert_int_equal(count[OUTLIER_SINGLE], single);
	assert_int_equal(burst + periodic + single, n);
}

static void none_and_one(void **state)
{
	const u64 one[] = {7};

	(void)state;
	expect(one, 0, 1000, 0, 0, 0);
	expect(one, 1, 1000, 0, 0, 1);
}

static void a_tick_with_a_hole_and_jitter(void **state)
{
	const u64 at[] = {1000, 2010, 2990, 5000, 6000};

	(void)state;
	expect(at, 5, 1000, 0, 5, 0);
	expect(at, 5, 0, 0, 0, 5);
}

static void off_the_grid_is_single(void **state)
{
	const u64 at[] = {1000, 2000, 3400, 4460};

	(void)state;
	/* 1,400 and 1,060 are both more than a twentieth off. */
	expect(at, 4, 1000, 0, 2, 2);
}

static void bursts_come_first(void **state)
{
	const u64 at[] = {1000, 1050, 1100, 2100, 2151, 3200};

	(void)state;
	/* 51 apart is not near; 1,000 and 1,049 after another are a period, also after a burst. */
	expect(at, 6, 1000, 3, 3, 0);
}

static void far_multiples_prove_nothing(void **state)
{
	const u64 at[] = {0, 17000};

	(void)state;
	expect(at, 2, 1000, 0, 0, 2);
	expect(at, 2, 17000, 0, 2, 0);
}

/* A period's length is what makes one: not nothing, and as good from below as from above. */
static void periods_from_either_side(void **state)
{
	const u64 near[] = {0, 60};
	const u64 short_of_one[] = {0, 990};
	const u64 sixteen[] = {0, 16010};
	const u64 short_of_17[] = {0, 16990};
	const u64 a_twentieth[] = {0, 1050};
	const u64 more[] = {0, 1051};

	(void)state;
	expect(near, 2, 10000, 0, 0, 2);
	expect(short_of_one, 2, 1000, 0, 2, 0);
	expect(sixteen, 2, 1000, 0, 2, 0);
	expect(short_of_17, 2, 1000, 0, 0, 2);
	expect(a_twentieth, 2, 1000, 0, 2, 0);
	expect(more, 2, 1000, 0, 0, 2);
}

static void extremes(void **state)
{
	const u64 at[] = {0, ~0ull};

	(void)state;
	expect(at, 2, ~0ull, 0, 2, 0);
	expect(at, 2, 1, 0, 0, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_and_one),
		cmocka_unit_test(a_tick_with_a_hole_and_jitter),
		cmocka_unit_test(off_the_grid_is_single),
		cmocka_unit_test(bursts_come_first),
		cmocka_unit_test(far_multiples_prove_nothing),
		cmocka_unit_test(periods_from_either_side),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests_name("outliers", tests, NULL, NULL);
}
