// SPDX-License-Identifier: MIT
/* The histogram: where its bins lie, and its percentiles against those of the sorted values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "hist.h"

static struct hist hist, other; /* 60 KB each */

static void check_bound(struct bound b, u64 lo, u64 hi)
{
	if (b.lo != lo || b.hi != hi)
		fail_msg("%llu..%llu instead of %llu..%llu", (unsigned long long)b.lo,
			 (unsigned long long)b.hi, (unsigned long long)lo, (unsigned long long)hi);
}

/* The one bin that is not zero. */
static size_t only_bin(const struct hist *h)
{
	size_t found = HIST_BINS;

	for (size_t i = 0; i < HIST_BINS; i++) {
		if (!h->bin[i])
			continue;
		assert_int_equal(found, HIST_BINS);
		found = i;
	}
	assert_in_range(found, 0, HIST_BINS - 1);
	return found;
}

static void base_leaves_room_below(void **state)
{
	(void)state;
	assert_int_equal(hist_base(0), 0);
	assert_int_equal(hist_base(511), 0);
	assert_int_equal(hist_base(512), 0);
	assert_int_equal(hist_base(513), 1);
	assert_true(hist_base(~0ull) == ~0ull - 512);
	/* A loop seen first at a slow core clock, or CPUID's way to the host: later ones are less.
	 */
	hist_init(&hist, hist_base(2700));
	hist_add_n(&hist, 2600, 1000);
	check_bound(hist_percentile(&hist, 1, 2), 2600, 2600);
	hist_init(&hist, hist_base(600));
	hist_add_n(&hist, 450, 1000);
	hist_add_n(&hist, 600, 10);
	check_bound(hist_percentile(&hist, 1, 2), 450, 450);
}

static void bins_are_seamless(void **state)
{
	u64 next = 0;

	(void)state;
	hist_init(&hist, 0);
	for (size_t i = 0; i < HIST_BINS; i++) {
		struct bound b = hist_bin_range(&hist, i);

		assert_true(b.lo == next && b.hi >= b.lo);
		/* 64 an octave: no wider than 1/64 of where it starts. */
		assert_true(b.hi - b.lo < (i < HIST_EXACT ? 1 : b.lo / 64 + 1));
		next = b.hi + 1;
	}
	assert_true(next == 0); /* the last bin ends at 2^64 - 1 */
}

static void edges_fall_in_their_bin(void **state)
{
	const u64 base[] = {0, 1, 38, 1ull << 40, ~0ull - 5000};

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(base); k++) {
		for (size_t i = 0; i < HIST_BINS; i += i < 4090 ? 455 : 17) {
			struct bound b;

			hist_init(&hist, base[k]);
			b = hist_bin_range(&hist, i);
			if (b.hi == ~0ull && base[k])
				break; /* past the end of 64 bits, or cut there */
			hist_add_n(&hist, b.lo, 1);
			assert_int_equal(only_bin(&hist), i);
			hist_add(&hist, &b.hi, 1);
			assert_int_equal(only_bin(&hist), i);
			assert_true(hist.bin[i] == 2 && hist.m.n == 2 && hist.below == 0);
		}
	}
}

static void ranges_stop_at_64_bits(void **state)
{
	const u64 top = ~0ull;

	(void)state;
	hist_init(&hist, ~0ull - 10);
	check_bound(hist_bin_range(&hist, 10), top, top);
	check_bound(hist_bin_range(&hist, 11), top, top); /* no value falls there */
	check_bound(hist_bin_range(&hist, HIST_BINS - 1), top, top);
	hist_add(&hist, &top, 1);
	assert_int_equal(only_bin(&hist), 10);
	check_bound(hist_percentile(&hist, 1, 2), top, top);
}

static void nothing_and_one(void **state)
{
	(void)state;
	hist_init(&hist, 100);
	assert_true(hist.m.base == 100 && hist.m.n == 0 && hist.below == 0);
	check_bound(hist_percentile(&hist, 1, 2), 0, 0);
	hist_add(&hist, NULL, 0);
	hist_add_n(&hist, 5, 0);
	check_bound(hist_percentile(&hist, 1, 2), 0, 0);
	hist_add_n(&hist, 1000000, 1); /* alone in a wide bin: min and max say which value */
	check_bound(hist_percentile(&hist, 1, 1000), 1000000, 1000000);
	check_bound(hist_percentile(&hist, 999, 1000), 1000000, 1000000);
}

static void bounds_are_cut_to_min_and_max(void **state)
{
	(void)state;
	hist_init(&hist, 0);
	hist_add_n(&hist, 8200, 10); /* bin 8192..8319 */
	hist_add_n(&hist, 8300, 10);
	check_bound(hist_percentile(&hist, 1, 2), 8200, 8300);
	check_bound(hist_percentile(&hist, 1, 1000), 8200, 8200);
	check_bound(hist_percentile(&hist, 1, 1), 8300, 8300);
	hist_init(&hist, 1000);
	hist_add_n(&hist, 10, 5); /* below the base: only known to be under it */
	hist_add_n(&hist, 20, 5);
	hist_add_n(&hist, 1001, 2);
	assert_int_equal(hist.below, 10);
	check_bound(hist_percentile(&hist, 1, 2), 10, 999);
	check_bound(hist_percentile(&hist, 11, 12), 1001, 1001);
	check_bound(hist_percentile(&hist, 0, 1), 10, 10);
}

static void refused_values_leave_no_trace(void **state)
{
	const u64 x = 5;

	(void)state;
	hist_init(&hist, 0);
	hist_add_n(&hist, 5, MOMENTS_MAX);
	hist_add_n(&hist, 6, 1);
	hist_add(&hist, &x, 1);
	hist_add_n(&hist, 7, ~0ull);
	assert_true(hist.m.overflow && hist.m.n == MOMENTS_MAX);
	assert_true(hist.bin[5] == MOMENTS_MAX);
	assert_int_equal(only_bin(&hist), 5);
	check_bound(hist_percentile(&hist, 1, 2), 5, 5);
}

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void fill(u64 *x, size_t n, u64 base)
{
	u64 kind = draw_below(4);

	for (size_t i = 0; i < n; i++) {
		u64 near = base + draw_below(200) - 20;

		if (kind == 0)
			x[i] = near;
		else if (kind == 1)
			x[i] = draw_below(20) ? near : base + draw_below(1u << 20);
		else if (kind == 2)
			x[i] = base + draw_below(20000);
		else
			x[i] = draw_wide();
	}
}

/* The bound of a value that is neither first nor last: its bin, cut to what min and max allow. */
static void check_percentile(const u64 *sorted, size_t n, u64 base, u32 num, u32 den)
{
	struct bound b = hist_percentile(&hist, num, den);
	u64 v = sorted[stats_rank(n, num, den) - 1];

	assert_true(b.lo <= v && v <= b.hi);
	assert_true(b.lo >= sorted[0] && b.hi <= sorted[n - 1]);
	if (v >= base && v - base < HIST_EXACT)
		assert_true(b.lo == b.hi);
	if (v >= base)
		assert_true(b.hi - b.lo <= (v - base) / 64);
}

static void percentiles_hold_the_true_one(void **state)
{
	static const u32 percent[][2] = {{0, 1},    {1, 100},	 {50, 100}, {97, 100},
					 {99, 100}, {999, 1000}, {1, 1}};
	static u64 x[700];

	(void)state;
	for (int round = 0; round < 600; round++) {
		size_t n = 1 + draw_below(ARRAY_SIZE(x));
		u64 base = draw_below(4) ? 20 + draw_below(3000) : draw_wide();

		fill(x, n, base);
		hist_init(&hist, base);
		hist_add(&hist, x, n / 2);
		hist_add(&hist, x + n / 2, n - n / 2);
		hist_init(&other, base);
		for (size_t i = 0; i < n; i++)
			hist_add_n(&other, x[i], 1);
		assert_memory_equal(&hist, &other, sizeof(hist));
		qsort(x, n, sizeof(*x), ascending);
		assert_true(hist.m.n == n && hist.m.min == x[0] && hist.m.max == x[n - 1]);
		for (size_t k = 0; k < ARRAY_SIZE(percent); k++)
			check_percentile(x, n, base, percent[k][0], percent[k][1]);
	}
}

static void bins_add_up(void **state)
{
	static u64 x[1000];
	u64 sum;

	(void)state;
	hist_init(&hist, 500);
	for (int i = 0; i < 50; i++) {
		fill(x, ARRAY_SIZE(x), 500);
		hist_add(&hist, x, ARRAY_SIZE(x));
	}
	sum = hist.below;
	for (size_t i = 0; i < HIST_BINS; i++)
		sum += hist.bin[i];
	assert_int_equal(sum, 50000);
	assert_int_equal(hist.m.n, 50000);
}

static void check_fmt(struct bound b, const char *want)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	bound_fmt(&t, &b);
	assert_int_equal(t.len, strlen(want));
	assert_memory_equal(bytes, want, t.len);
}

static void bounds_in_text(void **state)
{
	(void)state;
	check_fmt((struct bound){38, 38}, "38");
	check_fmt((struct bound){0, 0}, "0");
	check_fmt((struct bound){4224, 4287}, "4224..4287");
	check_fmt((struct bound){0, ~0ull}, "0..18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_leaves_room_below),
		cmocka_unit_test(bins_are_seamless),
		cmocka_unit_test(edges_fall_in_their_bin),
		cmocka_unit_test(ranges_stop_at_64_bits),
		cmocka_unit_test(nothing_and_one),
		cmocka_unit_test(bounds_are_cut_to_min_and_max),
		cmocka_unit_test(refused_values_leave_no_trace),
		cmocka_unit_test(percentiles_hold_the_true_one),
		cmocka_unit_test(bins_add_up),
		cmocka_unit_test(bounds_in_text),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
