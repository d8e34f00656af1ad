// SPDX-License-Identifier: MIT
/*
 * The statistics against an obvious reference: schoolbook integers of 512 bits, divided a bit at a
 * time, so that neither an overflow nor a shortcut is shared with the code under test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "draw.h"
#include "stats.h"

#define LIMBS 16

/* Little-endian limbs of 32 bits. */
struct big {
	u32 limb[LIMBS];
};

static struct big big_of(u128 v)
{
	struct big b = {{0}};

	for (int i = 0; i < 4; i++)
		b.limb[i] = (u32)(v >> 32 * i);
	return b;
}

static struct big big_add(struct big a, struct big b)
{
	u64 carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (u64)a.limb[i] + b.limb[i];
		a.limb[i] = (u32)carry;
		carry >>= 32;
	}
	return a;
}

static struct big big_sub(struct big a, struct big b)
{
	u64 borrow = 0;

	for (int i = 0; i < LIMBS; i++) {
		u64 d = (u64)a.limb[i] - b.limb[i] - borrow;

		a.limb[i] = (u32)d;
		borrow = d >> 63;
	}
	return a;
}

static struct big big_mul(struct big a, struct big b)
{
	struct big p = {{0}};

	for (int i = 0; i < LIMBS; i++) {
		u64 carry = 0;

		for (int k = 0; k + i < LIMBS; k++) {
			carry += (u64)a.limb[i] * b.limb[k] + p.limb[i + k];
			p.limb[i + k] = (u32)carry;
			carry >>= 32;
		}
	}
	return p;
}

static int big_cmp(const struct big *a, const struct big *b)
{
	for (int i = LIMBS - 1; i >= 0; i--) {
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

static struct big big_div(struct big n, struct big d, struct big *rem)
{
	struct big q = {{0}}, r = {{0}};

	for (int i = 32 * LIMBS - 1; i >= 0; i--) {
		r = big_add(r, r);
		r.limb[0] |= n.limb[i / 32] >> i % 32 & 1;
		if (big_cmp(&r, &d) >= 0) {
			r = big_sub(r, d);
			q.limb[i / 32] |= 1u << i % 32;
		}
	}
	*rem = r;
	return q;
}

static u128 big_u128(const struct big *b)
{
	u128 v = 0;

	for (int i = LIMBS - 1; i >= 4; i--)
		assert_int_equal(b->limb[i], 0);
	for (int i = 3; i >= 0; i--)
		v = v << 32 | b->limb[i];
	return v;
}

static bool big_fits_128(const struct big *b)
{
	for (int i = 4; i < LIMBS; i++) {
		if (b->limb[i])
			return false;
	}
	return true;
}

/* What the contract says, from every single value: sums about `base`, then one rounding. */
struct reference {
	struct big n, over, under, squares; /* sums of what is above and below the base */
};

static void reference_add(struct reference *r, u64 base, u64 value, u64 times)
{
	struct big t = big_of(times);
	struct big d = big_of(value < base ? base - value : value - base);

	r->n = big_add(r->n, t);
	r->squares = big_add(r->squares, big_mul(big_mul(d, d), t));
	if (value < base)
		r->under = big_add(r->under, big_mul(d, t));
	else
		r->over = big_add(r->over, big_mul(d, t));
}

static struct variance reference_variance(const struct reference *r)
{
	struct big one = big_of(1), two = big_of(2), thousand = big_of(1000), rem;
	struct big sum, a, n2 = big_mul(r->n, r->n), whole, milli;
	struct variance v = {0};

	if (big_cmp(&r->n, &one) <= 0)
		return v;
	sum = big_cmp(&r->over, &r->under) > 0 ? big_sub(r->over, r->under)
					       : big_sub(r->under, r->over);
	a = big_mul(r->n, r->squares);
	v.overflow = !big_fits_128(&a);
	if (v.overflow)
		return v;
	a = big_mul(big_sub(a, big_mul(sum, sum)), thousand);
	a = big_add(big_mul(a, two), n2);
	a = big_div(a, big_mul(two, n2), &rem);
	whole = big_div(a, thousand, &milli);
	v.whole = big_u128(&whole);
	v.milli = milli.limb[0];
	return v;
}

static void check_variance(struct variance got, struct variance want)
{
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	if (got.whole == want.whole && got.milli == want.milli && got.overflow == want.overflow)
		return;
	variance_fmt(&t, &got);
	text_str(&t, " instead of ");
	variance_fmt(&t, &want);
	fail_msg("variance %.*s", (int)t.len, bytes);
}

static void check_text(struct variance v, const char *want)
{
	char bytes[64] = "";
	struct text t = TEXT_ON(bytes);

	variance_fmt(&t, &v);
	if (t.len != strlen(want) || memcmp(bytes, want, t.len) != 0)
		fail_msg("%.*s instead of %s", (int)t.len, bytes, want);
}

/* All ways into the moments, about one base, against the reference. */
static void check_values(const u64 *x, size_t n, u64 base)
{
	struct moments single, all, split;
	struct reference r = {0};
	u64 min = ~0ull, max = 0;
	size_t cut = n / 3;

	moments_init(&single, base);
	moments_init(&all, base);
	moments_init(&split, base);
	for (size_t i = 0; i < n; i++) {
		moments_add(&single, x[i]);
		reference_add(&r, base, x[i], 1);
		min = x[i] < min ? x[i] : min;
		max = x[i] > max ? x[i] : max;
	}
	moments_add_all(&all, x, n);
	moments_add_all(&split, x, cut);
	moments_add_all(&split, x + cut, n - cut);
	assert_true(single.n == n && single.min == min && single.max == max);
	assert_true(all.n == n && all.min == min && all.max == max);
	assert_true(all.sum == single.sum && all.sumsq == single.sumsq);
	assert_true(split.sum == single.sum && split.sumsq == single.sumsq);
	assert_true(split.min == min && split.max == max);
	assert_true(all.overflow == single.overflow && split.overflow == single.overflow);
	check_variance(moments_variance(&single), reference_variance(&r));
	check_variance(moments_variance(&all), reference_variance(&r));
}

static void check_line(const u64 *x, size_t n)
{
	struct reference r = {0};
	struct line_stats s;
	struct variance want;
	u64 min = n ? ~0ull : 0, max = 0;

	for (size_t i = 0; i < n; i++) {
		min = x[i] < min ? x[i] : min;
		max = x[i] > max ? x[i] : max;
	}
	for (size_t i = 0; i < n; i++)
		reference_add(&r, min, x[i], 1);
	want = reference_variance(&r);
	stats_line(x, n, &s);
	assert_true(s.n == n && s.min == min && s.max == max);
	check_variance(s.var, want);
	if (want.overflow || want.whole > ~0ull)
		assert_true(s.var_int == ~0ull);
	else
		assert_true(s.var_int == (u64)want.whole);
}

static void empty_and_single(void **state)
{
	struct moments m;
	struct line_stats s;
	const u64 x[] = {1ull << 63, ~0ull, 0, 38};

	(void)state;
	moments_init(&m, 17);
	assert_true(m.n == 0 && m.min == ~0ull && m.max == 0);
	check_text(moments_variance(&m), "0.000");
	moments_add_all(&m, x, 0);
	moments_add_n(&m, 5, 0);
	assert_true(m.n == 0 && m.min == ~0ull && m.max == 0 && !m.overflow);
	stats_line(NULL, 0, &s);
	assert_true(s.n == 0 && s.min == 0 && s.max == 0 && s.var_int == 0);
	check_text(s.var, "0.000");
	for (size_t i = 0; i < ARRAY_SIZE(x); i++) {
		check_line(x + i, 1);
		for (size_t k = 0; k < ARRAY_SIZE(x); k++) {
			moments_init(&m, x[k]);
			moments_add(&m, x[i]);
			check_text(moments_variance(&m), "0.000");
		}
	}
}

static void chosen_values(void **state)
{
	const u64 far_pair[] = {0, 1ull << 33}, close[] = {38, 40}, third[] = {0, 0, 1};
	struct moments m;
	struct line_stats s;

	(void)state;
	stats_line(far_pair, 2, &s);
	check_text(s.var, "18446744073709551616.000");
	assert_true(s.var_int == ~0ull); /* 2^64 does not fit */
	stats_line(close, 2, &s);
	check_text(s.var, "1.000");
	stats_line(third, 3, &s);
	check_text(s.var, "0.222");
	assert_true(s.var_int == 0);
	/* A single 1 among n values has variance (n - 1) / n^2, near half a thousandth here. */
	moments_init(&m, 0);
	moments_add_n(&m, 0, 1998);
	moments_add(&m, 1);
	check_text(moments_variance(&m), "0.000"); /* 0.00049999987 */
	moments_init(&m, 0);
	moments_add_n(&m, 0, 1997);
	moments_add(&m, 1);
	check_text(moments_variance(&m), "0.001"); /* 0.00050025 */
	/* Exactly half: 3 of 20 ones is 0.1275; 0.9995 and above carries into the whole. */
	moments_init(&m, 0);
	moments_add_n(&m, 0, 17);
	moments_add_n(&m, 1, 3);
	check_text(moments_variance(&m), "0.128");
	moments_init(&m, 0);
	moments_add_n(&m, 0, 51);
	moments_add_n(&m, 2, 50);
	check_text(moments_variance(&m), "1.000"); /* 0.99990 */
	moments_init(&m, 0);
	moments_add_n(&m, 3800, 32000000);
	check_text(moments_variance(&m), "0.000");
	moments_add_n(&m, 3801, 32000000);
	check_text(moments_variance(&m), "0.250");
}

static void counts_beyond_32_bits(void **state)
{
	const u64 times[] = {1ull << 31, (1ull << 32) - 1, 1ull << 32,
			     5000000000, 1ull << 50,	   MOMENTS_MAX / 2};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		struct reference r = {0};
		struct moments m;

		moments_init(&m, 40);
		moments_add_n(&m, 38, times[i]);
		moments_add_n(&m, 43, times[i] / 3);
		reference_add(&r, 40, 38, times[i]);
		reference_add(&r, 40, 43, times[i] / 3);
		check_variance(moments_variance(&m), reference_variance(&r));
	}
}

static void overflow_is_said(void **state)
{
	const u64 ends[] = {0, ~0ull, ~0ull};
	struct line_stats s;
	struct moments m;

	(void)state;
	stats_line(ends, 3, &s); /* n * sumsq = 6 * 2^128 */
	check_text(s.var, "overflow");
	assert_true(s.var.whole == 0 && s.var.milli == 0 && s.var_int == ~0ull);
	assert_true(s.min == 0 && s.max == ~0ull);
	moments_init(&m, 0);
	moments_add_n(&m, ~0ull, 2); /* the squares alone pass 2^128 */
	assert_true(m.overflow && m.sumsq == ~(u128)0 && m.n == 2);
	moments_add(&m, 1);
	check_text(moments_variance(&m), "overflow");
	assert_true(m.min == 1 && m.max == ~0ull && m.n == 3);
	/* More values than the contract allows are refused whole. */
	moments_init(&m, 0);
	moments_add_n(&m, 7, MOMENTS_MAX);
	assert_true(!m.overflow);
	check_text(moments_variance(&m), "0.000");
	moments_add(&m, 9);
	assert_true(m.overflow && m.n == MOMENTS_MAX && m.max == 7);
	check_text(moments_variance(&m), "overflow");
	moments_init(&m, 0);
	moments_add_n(&m, 7, ~0ull);
	assert_true(m.overflow && m.n == 0 && m.max == 0);
	check_text(moments_variance(&m), "overflow");
}

/* Every line of up to six values out of four, about every base around them. */
static void exhaustive_small_lines(void **state)
{
	static const u64 value[] = {100, 101, 103, 110};
	u64 x[6];

	(void)state;
	for (size_t n = 0, count = 1; n <= 4; n++, count *= 4) {
		for (size_t code = 0; code < count; code++) {
			for (size_t i = 0, c = code; i < n; i++, c /= 4)
				x[i] = value[c % 4];
			check_line(x, n);
			check_values(x, n, 99 + code % 13);
		}
	}
}

static void random_lines(void **state)
{
	static const size_t size[] = {2, 3, 15, 16, 17, 49, 50, 51, 100};
	u64 x[100];

	(void)state;
	for (int round = 0; round < 600; round++) {
		size_t n = size[draw_below(ARRAY_SIZE(size))];
		u64 spread = draw_wide() | 1, low = draw_below(3) ? draw_below(5000) : draw_wide();
		u64 base = draw_below(2) ? low + draw_below(spread) : draw_wide();

		for (size_t i = 0; i < n; i++)
			x[i] = low + draw_below(spread); /* may wrap: any u64 is a value */
		check_line(x, n);
		check_values(x, n, base);
	}
}

static void variance_ignores_the_base(void **state)
{
	u64 x[51];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = 1000000 + draw_below(700);
	for (u64 base = 0; base < 2000000; base += 12345)
		check_values(x, ARRAY_SIZE(x), base);
}

static int ascending(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void fill(u64 *x, size_t n)
{
	u64 kind = draw_below(5);

	for (size_t i = 0; i < n; i++) {
		x[i] = kind == 0   ? draw()
		       : kind == 1 ? 38 + 2 * draw_below(4)
		       : kind == 2 ? i
		       : kind == 3 ? n - i
				   : draw_wide();
	}
}

static void sort(void **state)
{
	static u64 x[2000], y[2000];

	(void)state;
	stats_sort(x, 0);
	for (int round = 0; round < 400; round++) {
		size_t n = round < 40 ? (size_t)round : draw_below(ARRAY_SIZE(x));

		fill(x, n);
		memcpy(y, x, sizeof(x));
		stats_sort(x, n);
		qsort(y, n, sizeof(*y), ascending);
		assert_memory_equal(x, y, sizeof(x));
	}
}

static void ranks(void **state)
{
	(void)state;
	assert_int_equal(stats_rank(0, 1, 2), 0);
	assert_int_equal(stats_rank(1, 1, 1000), 1);
	assert_int_equal(stats_rank(16, 50, 100), 8);
	assert_int_equal(stats_rank(17, 50, 100), 9);
	assert_int_equal(stats_rank(50, 99, 100), 50);
	assert_int_equal(stats_rank(200, 99, 100), 198);
	assert_int_equal(stats_rank(10, 0, 100), 1);
	assert_int_equal(stats_rank(10, 3, 2), 10);
	assert_true(stats_rank(~0ull, ~0u, ~0u) == ~0ull);
	assert_true(stats_rank(~0ull, 1, 2) == 1ull << 63);
	/* The definition: the smallest rank with at least num/den of the values at or below it. */
	for (u64 n = 1; n < 130; n++) {
		for (u32 num = 0; num <= 20; num++) {
			u64 rank = 1;

			while (rank * 20 < n * num)
				rank++;
			assert_int_equal(stats_rank(n, num, 20), rank);
		}
	}
}

static void kept97(void **state)
{
	(void)state;
	assert_int_equal(stats_kept97(0), 0);
	assert_int_equal(stats_kept97(1), 1);
	assert_int_equal(stats_kept97(2), 2);
	assert_int_equal(stats_kept97(16), 16);
	assert_int_equal(stats_kept97(17), 16);
	assert_int_equal(stats_kept97(50), 49);
	assert_int_equal(stats_kept97(51), 49);
	assert_int_equal(stats_kept97(2000), 1940);
	/* In doubles, as awk and SQL have it. */
	for (u64 n = 0; n < 300000; n++)
		assert_int_equal(stats_kept97(n), (u64)((double)n * 0.97 + 0.5));
	assert_true(stats_kept97(~0ull) == (u64)(((u128)~0ull * 97 + 50) / 100));
}

static void check_latency(const u64 *given, size_t n)
{
	static u64 x[600], y[600];
	struct latency l;
	u128 sum = 0, sum97 = 0;
	size_t kept = (n * 97 + 50) / 100;

	memcpy(x, given, n * sizeof(*x));
	memcpy(y, given, n * sizeof(*y));
	qsort(y, n, sizeof(*y), ascending);
	stats_latency(x, n, &l);
	assert_true(l.n == n && l.kept == kept);
	for (size_t i = 0; i < n; i++) {
		sum += y[i];
		sum97 += i < kept ? y[i] : 0;
	}
	assert_true(l.min == y[0] && l.max == y[n - 1]);
	assert_true(l.avg == (u64)((sum * 2 + n) / (2 * n)));
	assert_true(l.avg97 == (u64)((sum97 * 2 + kept) / (2 * kept)));
	assert_true(l.p50 == y[(n + 1) / 2 - 1]);
	assert_true(l.p99 == y[(99 * n + 99) / 100 - 1]);
}

static void latencies(void **state)
{
	static u64 x[600];
	const u64 halves[] = {1, 2};
	struct latency l, none = {0};

	(void)state;
	stats_latency(x, 0, &l);
	assert_memory_equal(&l, &none, sizeof(l));
	check_latency(halves, 2); /* 1.5 is 2 */
	for (size_t n = 1; n <= ARRAY_SIZE(x); n += n < 120 ? 1 : 37) {
		fill(x, n);
		check_latency(x, n);
	}
}

static void subtract(void **state)
{
	u64 x[] = {100, 10, 11, 0, ~0ull, 9};
	const u64 want[] = {90, 0, 1, 0, ~0ull - 10, 0};

	(void)state;
	assert_int_equal(stats_subtract(x, ARRAY_SIZE(x), 10), 2); /* 10 - 10 is 0, not clamped */
	assert_memory_equal(x, want, sizeof(x));
	assert_int_equal(stats_subtract(x, 0, 10), 0);
	assert_int_equal(stats_subtract(x, ARRAY_SIZE(x), 0), 0);
	assert_memory_equal(x, want, sizeof(x));
}

static void backwards(void **state)
{
	u64 x[] = {5, ~0ull, 7, 1ull << 63, (1ull << 63) - 1, 0, ~0ull - 3};
	const u64 want[] = {5, 7, (1ull << 63) - 1, 0};
	u64 count = 10;

	(void)state;
	assert_int_equal(stats_drop_backwards(x, ARRAY_SIZE(x), &count), 4);
	assert_int_equal(count, 13);
	assert_memory_equal(x, want, sizeof(want));
	assert_int_equal(stats_drop_backwards(x, 4, &count), 4);
	assert_int_equal(stats_drop_backwards(x, 0, &count), 0);
	assert_int_equal(count, 13);
}

static void median_deviation(void **state)
{
	u64 odd[] = {1, 1, 2, 2, 4, 6, 9}, even[] = {10, 40, 20, 30}, one[] = {7};
	u64 wide[] = {0, ~0ull, ~0ull};
	u64 median = 99;

	(void)state;
	assert_int_equal(stats_mad(NULL, 0, &median), 0);
	assert_int_equal(median, 0);
	assert_int_equal(stats_mad(one, 1, &median), 0);
	assert_int_equal(median, 7);
	assert_int_equal(stats_mad(odd, 7, &median), 1);
	assert_int_equal(median, 2);
	assert_int_equal(stats_mad(even, 4, &median), 10); /* lower median 20: 10 0 10 20 */
	assert_int_equal(median, 20);
	assert_true(stats_mad(wide, 3, &median) == 0);
	assert_true(median == ~0ull);
}

static void check_step(const u64 *x, size_t n, u64 want)
{
	/* Whole, and value by value: where a line ends makes no difference. */
	struct step whole = {0}, single = {0};

	step_add(&whole, x, n);
	for (size_t i = 0; i < n; i++)
		step_add(&single, x + i, 1);
	assert_true(step_value(&whole) == want);
	assert_true(step_value(&single) == want);
}

static void steps(void **state)
{
	const u64 same[] = {38, 38, 38}, even[] = {38, 38, 40, 42}, far_apart[] = {0, 64, 0, 128};
	const u64 zero_after[] = {64, 64, 0}, zeros[] = {0, 0, 0}, odd[] = {1, 1, 5};
	const u64 sixes[] = {12, 18, 30, 12}, large[] = {1ull << 63, 1ull << 62};
	struct step s = {0};

	(void)state;
	check_step(NULL, 0, 0);
	check_step(same, 3, 0);
	check_step(zeros, 3, 0);
	check_step(even, 4, 2);
	check_step(far_apart, 4, 64);
	check_step(zero_after, 3, 64);
	check_step(odd, 3, 1);
	check_step(odd, 2, 0); /* gcd 1, but one distinct delta proves nothing */
	check_step(sixes, 4, 6);
	check_step(large, 2, 1ull << 62);
	step_add(&s, zeros, 3);
	assert_true(step_value(&s) == 0 && s.seen && !s.known);
	step_add(&s, same, 3);
	assert_true(step_value(&s) == 38 && s.first == 38);
	step_add(&s, even, 4);
	step_add(&s, same, 0);
	assert_true(step_value(&s) == 2);
}

static void random_steps(void **state)
{
	u64 x[64];

	(void)state;
	for (int round = 0; round < 3000; round++) {
		u64 unit = 1 + draw_below(200), g = 0;
		size_t n = draw_below(ARRAY_SIZE(x));
		bool distinct = false;

		for (size_t i = 0; i < n; i++) {
			u64 a = x[i] = unit * draw_below(1 + draw_below(12));

			distinct |= a != x[0];
			while (a) { /* Euclid by remainders */
				u64 r = g % a;

				g = a;
				a = r;
			}
		}
		check_step(x, n, distinct ? g : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_and_single),
		cmocka_unit_test(chosen_values),
		cmocka_unit_test(counts_beyond_32_bits),
		cmocka_unit_test(overflow_is_said),
		cmocka_unit_test(exhaustive_small_lines),
		cmocka_unit_test(random_lines),
		cmocka_unit_test(variance_ignores_the_base),
		cmocka_unit_test(sort),
		cmocka_unit_test(ranks),
		cmocka_unit_test(kept97),
		cmocka_unit_test(latencies),
		cmocka_unit_test(subtract),
		cmocka_unit_test(backwards),
		cmocka_unit_test(median_deviation),
		cmocka_unit_test(steps),
		cmocka_unit_test(random_steps),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
