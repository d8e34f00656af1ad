// SPDX-License-Identifier: MIT
/* Exact integer statistics: moments, percentiles, averages and the step of the TSC. */
#include "stats.h"

#include "mem.h"
#include "number.h"
#include "u128.h"

#define OVERFLOW_TEXT "overflow"
#define OVERFLOW_LEN  8
#define MILLI_LEN     4 /* ".123" */

void variance_fmt(struct text *t, const struct variance *v)
{
	if (v->overflow) {
		text_str(t, OVERFLOW_TEXT);
		return;
	}
	fmt_u128(t, v->whole);
	fmt(t, ".%03u", v->milli);
}

bool variance_parse(const char *text, size_t n, struct variance *v)
{
	u128 whole;
	u64 milli;

	if (n == OVERFLOW_LEN && memcmp(text, OVERFLOW_TEXT, n) == 0) {
		*v = (struct variance){.overflow = true};
		return true;
	}
	if (n <= MILLI_LEN || text[n - MILLI_LEN] != '.' ||
	    !number_u128(text, n - MILLI_LEN, &whole) ||
	    !number_decimal(text + n - MILLI_LEN + 1, MILLI_LEN - 1, &milli))
		return false;
	*v = (struct variance){.whole = whole, .milli = (u32)milli};
	return true;
}

void moments_init(struct moments *m, u64 base)
{
	*m = (struct moments){.base = base, .min = ~0ull};
}

/* Room for `times` more? If so they are counted. */
static bool moments_count(struct moments *m, u64 times)
{
	if (times > MOMENTS_MAX - m->n) {
		m->overflow = true;
		return false;
	}
	m->n += times;
	return true;
}

static void moments_square(struct moments *m, bool fits, u128 squares)
{
	if (fits && !__builtin_add_overflow(m->sumsq, squares, &m->sumsq))
		return;
	m->sumsq = ~(u128)0;
	m->overflow = true;
}

void moments_add_n(struct moments *m, u64 value, u64 times)
{
	bool under = value < m->base;
	u64 d = under ? m->base - value : value - m->base;
	i128 sum = (i128)((u128)d * times); /* below 2^120: times is at most MOMENTS_MAX */
	u128 squares = 0;
	bool fits;

	if (times == 0 || !moments_count(m, times))
		return;
	if (value < m->min)
		m->min = value;
	if (value > m->max)
		m->max = value;
	m->sum += under ? -sum : sum;
	fits = u128_mul((u128)d * d, times, &squares);
	moments_square(m, fits, squares);
}

void moments_add(struct moments *m, u64 value)
{
	moments_add_n(m, value, 1);
}

/*
 * As moments_add() on each, several times as fast: the bounds are local, the sign of each
 * difference is left to one subtraction at the end, and a carry is only remembered.
 */
void moments_add_all(struct moments *m, const u64 *x, size_t n)
{
	u64 base = m->base, min = m->min, max = m->max;
	u128 sum = 0, squares = 0;
	bool carry = false;

	if (!moments_count(m, n))
		return;
	for (size_t i = 0; i < n; i++) {
		u64 v = x[i];
		u64 d = v < base ? base - v : v - base;

		min = v < min ? v : min;
		max = v > max ? v : max;
		sum += v;
		carry |= __builtin_add_overflow(squares, (u128)d * d, &squares);
	}
	m->min = min;
	m->max = max;
	m->sum += (i128)(sum - (u128)base * n);
	moments_square(m, !carry, squares);
}

/*
 * q + milli/1000 = num / n^2, half up. n^2 may need more than the 64 bits that a divisor has, so it
 * divides by n twice: floor(floor(a / n) / n) is floor(a / n^2).
 */
static struct variance divide_twice(u128 num, u64 n)
{
	u64 low, high;
	u128 whole = u128_div(u128_div(num, n, &low), n, &high);
	u128 rest = (u128)high * n + low; /* below n^2, so 2000 of them fit with n <= MOMENTS_MAX */
	u128 twice = u128_div(u128_div(2000 * rest + (u128)n * n, n, NULL), n, NULL);
	u32 milli = (u32)(twice / 2);

	if (milli == 1000)
		return (struct variance){.whole = whole + 1};
	return (struct variance){.whole = whole, .milli = milli};
}

struct variance moments_variance(const struct moments *m)
{
	const struct variance overflow = {.overflow = true};
	u128 sum = m->sum < 0 ? -(u128)m->sum : (u128)m->sum;
	u128 a, b;

	if (m->overflow)
		return overflow;
	if (m->n < 2)
		return (struct variance){0};
	if (!u128_mul(m->sumsq, m->n, &a))
		return overflow;
	/* sum^2 <= n * sumsq, which fits: so |sum| fits in 64 bits and its square in 128. */
	b = (u128)(u64)sum * (u64)sum;
	return divide_twice(a - b, m->n);
}

void stats_line(const u64 *x, size_t n, struct line_stats *out)
{
	struct moments m;
	u64 base = ~0ull;

	*out = (struct line_stats){0};
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		base = x[i] < base ? x[i] : base;
	moments_init(&m, base);
	moments_add_all(&m, x, n);
	out->n = m.n;
	out->min = m.min;
	out->max = m.max;
	out->var = moments_variance(&m);
	out->var_int = out->var.whole;
	if (out->var.overflow || out->var.whole > ~0ull)
		out->var_int = ~0ull;
}

size_t stats_drop_backwards(u64 *x, size_t n, u64 *backwards)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		u64 v = x[i];

		x[kept] = v;
		kept += !(v >> 63);
	}
	*backwards += n - kept;
	return kept;
}

static void sift_down(u64 *x, size_t root, size_t n)
{
	u64 v = x[root];
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && x[child + 1] > x[child])
			child++;
		if (x[child] <= v)
			break;
		x[root] = x[child];
		root = child;
	}
	x[root] = v;
}

/* Heap sort: O(n log n) for any input, and neither stack nor memory beside x. */
void stats_sort(u64 *x, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(x, i, n);
	for (size_t i = n; i-- > 1;) {
		u64 largest = x[0];

		x[0] = x[i];
		x[i] = largest;
		sift_down(x, 0, i);
	}
}

u64 stats_rank(u64 n, u32 num, u32 den)
{
	u64 rem;
	u128 rank = u128_div((u128)n * num, den, &rem);

	rank += rem != 0;
	if (rank > n)
		rank = n;
	if (rank == 0 && n > 0)
		rank = 1;
	return (u64)rank;
}

u64 stats_kept97(u64 n)
{
	return n / 100 * 97 + (n % 100 * 97 + 50) / 100;
}

static u64 mean_of(const u64 *x, u64 n)
{
	u128 sum = 0;

	for (u64 i = 0; i < n; i++)
		sum += x[i];
	return n ? (u64)u128_div_round(sum, n) : 0;
}

void stats_latency(u64 *x, size_t n, struct latency *out)
{
	*out = (struct latency){0};
	if (n == 0)
		return;
	stats_sort(x, n);
	out->n = n;
	out->kept = stats_kept97(n);
	out->min = x[0];
	out->max = x[n - 1];
	out->avg = mean_of(x, n);
	out->avg97 = mean_of(x, out->kept);
	out->p50 = x[stats_rank(n, 50, 100) - 1];
	out->p99 = x[stats_rank(n, 99, 100) - 1];
}

u64 stats_subtract(u64 *x, size_t n, u64 overhead)
{
	u64 clamped = 0;

	for (size_t i = 0; i < n; i++) {
		clamped += x[i] < overhead;
		x[i] = x[i] < overhead ? 0 : x[i] - overhead;
	}
	return clamped;
}

u64 stats_mad(u64 *x, size_t n, u64 *median)
{
	size_t middle = (size_t)stats_rank(n, 1, 2);

	*median = 0;
	if (n == 0)
		return 0;
	stats_sort(x, n);
	*median = x[middle - 1];
	for (size_t i = 0; i < n; i++)
		x[i] = x[i] < *median ? *median - x[i] : x[i] - *median;
	stats_sort(x, n);
	return x[middle - 1];
}

static u64 gcd(u64 a, u64 b)
{
	while (b) {
		u64 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static bool power_of_two(u64 v)
{
	return v && (v & (v - 1)) == 0;
}

/* Does d, a power of two, divide all of x? No branch on a value: a line takes microseconds. */
static bool divides_all(u64 d, const u64 *x, size_t n)
{
	u64 bits = 0;

	for (size_t i = 0; i < n; i++)
		bits |= x[i];
	return (bits & (d - 1)) == 0;
}

void step_add(struct step *s, const u64 *x, size_t n)
{
	u64 last = s->first;

	/* Once known only the gcd can change, and the usual steps are powers of two. */
	if (s->known && (s->gcd == 1 || (power_of_two(s->gcd) && divides_all(s->gcd, x, n))))
		return;
	if (n && !s->seen) {
		s->seen = true;
		s->first = s->gcd = last = x[0];
	}
	for (size_t i = 0; i < n; i++) {
		if (x[i] == last)
			continue;
		last = x[i];
		s->known = true; /* it, or the one before it, is not the first */
		if (!s->first)
			s->first = last;
		if (!s->gcd || last % s->gcd)
			s->gcd = gcd(s->gcd, last);
		if (s->gcd == 1)
			return; /* a distinct delta has been seen: nothing is left to learn */
	}
}

u64 step_value(const struct step *s)
{
	return s->known ? s->gcd : 0;
}
