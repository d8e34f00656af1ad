// SPDX-License-Identifier: MIT
/* Figures of a series against values worked out by hand, and records that carry them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "series.h"

static struct hist hist;

/* Lines of four samples; the figures below are worked out from these by hand. */
static const u64 line_a[] = {10, 10, 10, 14}; /* min 10, var 3, max dev 4 */
static const u64 line_b[] = {8, 12, 8, 12};   /* min 8, var 4, max dev 4 */
static const u64 line_c[] = {9, 9, 9, 9};     /* min 9, var 0, max dev 0 */

static void feed(struct series_acc *a, const u64 *x, u64 j)
{
	u64 copy[4];
	struct line_stats line;

	memcpy(copy, x, sizeof(copy));
	assert_int_equal(series_line(a, copy, 4, j, &line), 4);
}

static void figures_by_hand(void **state)
{
	struct series_acc a;
	struct series s = {0};

	(void)state;
	series_start(&a, &hist, 2);
	feed(&a, line_a, 0);
	feed(&a, line_b, 1);
	feed(&a, line_c, 2);
	series_finish(&a, &s);
	assert_int_equal(s.n, 12);
	assert_int_equal(s.min, 8);
	assert_int_equal(s.max, 14);
	assert_int_equal(s.max_dev, 4);
	assert_int_equal(s.spurious, 1); /* b after a; c after b rises */
	/* mean of 3, 4, 0 is 2.333; their variance (9*25 - ...)/9: (3*25 - 49)/9 = 2.889 */
	assert_true(s.mean_var.whole == 2 && s.mean_var.milli == 333);
	assert_true(s.var_var.whole == 2 && s.var_var.milli == 889);
	/* minima 10, 8, 9: (3*245 - 729)/9 = 0.667 */
	assert_true(s.var_min.whole == 0 && s.var_min.milli == 667);
	assert_int_equal(s.p50.lo, 9);
	assert_int_equal(s.p50.hi, 9);
	assert_int_equal(s.p97.lo, 14);
	assert_int_equal(s.resolution, 0);
}

/* Variances 1.6875, 0, 0.75, 0 and 0, integer 1 and four times 0; minima 10, 8, 9, 8, 8. */
static void fractions_and_equal_minima(void **state)
{
	static const u64 line[][4] = {
		{10, 10, 10, 13}, {8, 8, 8, 8}, {9, 9, 9, 11}, {8, 8, 8, 8}, {8, 8, 8, 8}};
	struct series_acc a;
	struct series s = {0};

	(void)state;
	series_start(&a, &hist, 0);
	for (u64 j = 0; j < ARRAY_SIZE(line); j++)
		feed(&a, line[j], j);
	series_finish(&a, &s);
	/* 1.688 + 0.750 over 5 is 0.4876, and rounds up */
	assert_true(s.mean_var.whole == 0 && s.mean_var.milli == 488);
	assert_true(s.var_var.whole == 0 && s.var_var.milli == 160);
	/* Each against the line before, not the lowest so far; an equal one is none. */
	assert_int_equal(s.spurious, 2);
	assert_int_equal(s.max_dev, 3);
}

/* 1000 samples, 0 to 999: the value of rank r is r - 1. */
static void percentiles_by_rank(void **state)
{
	static u64 x[1000];
	struct series_acc a;
	struct series s = {0};
	struct line_stats line;

	(void)state;
	for (u64 i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = i;
	series_start(&a, &hist, 0);
	series_line(&a, x, ARRAY_SIZE(x), 0, &line);
	series_finish(&a, &s);
	assert_true(s.p50.lo == 499 && s.p50.hi == 499);
	assert_true(s.p97.lo == 969 && s.p97.hi == 969);
	assert_true(s.p99.lo == 989 && s.p99.hi == 989);
	assert_true(s.p999.lo == 998 && s.p999.hi == 998);
}

static void backwards_samples_stay_out(void **state)
{
	struct series_acc a;
	struct series s = {0};
	struct line_stats line;
	u64 x[] = {20, (u64)-3, 22};

	(void)state;
	series_start(&a, &hist, 0);
	assert_int_equal(series_line(&a, x, 3, 0, &line), 2);
	series_finish(&a, &s);
	assert_int_equal(s.backwards, 1);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.min, 20);
	assert_int_equal(s.max, 22);
}

static void a_line_of_nothing_counts_for_nothing(void **state)
{
	struct series_acc a;
	struct series s = {0};
	struct line_stats line;
	u64 x[] = {(u64)-1, (u64)-2};

	(void)state;
	series_start(&a, &hist, 0);
	assert_int_equal(series_line(&a, x, 2, 0, &line), 0);
	series_finish(&a, &s);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.min, 0);
	assert_int_equal(s.backwards, 2);
	assert_int_equal(a.lines, 1);
}

/* Between two others, too: it is no line of min 0 and variance 0. */
static void nor_does_it_between_others(void **state)
{
	struct series_acc a;
	struct series s = {0};
	struct line_stats line;
	u64 none[] = {(u64)-1, (u64)-2};

	(void)state;
	series_start(&a, &hist, 2);
	feed(&a, line_a, 0);
	assert_int_equal(series_line(&a, none, 2, 1, &line), 0);
	feed(&a, line_c, 2);
	series_finish(&a, &s);
	assert_int_equal(a.lines, 3);
	assert_int_equal(s.min, 9);
	assert_int_equal(s.spurious, 1);
	assert_true(s.mean_var.whole == 1 && s.mean_var.milli == 500);
	assert_true(s.var_var.whole == 2 && s.var_var.milli == 250);
	assert_true(s.var_min.whole == 0 && s.var_min.milli == 250);
}

static u64 resolution_of(const u64 *minima, size_t n)
{
	struct series_acc a;
	struct series s = {.grows = true};
	struct line_stats line;

	series_start(&a, &hist, 0);
	for (u64 j = 0; j < n; j++) {
		u64 x[] = {minima[j], minima[j] + 5};

		series_line(&a, x, 2, j, &line);
	}
	series_finish(&a, &s);
	return s.resolution;
}

static void resolution_is_where_it_stays_above(void **state)
{
	const u64 at_once[] = {28, 29, 30, 31};
	const u64 late[] = {44, 44, 45, 44, 46, 46};
	const u64 never[] = {44, 45, 46, 44};
	const u64 one[] = {44};
	struct series_acc a;
	struct series flat = {0};

	(void)state;
	assert_int_equal(resolution_of(at_once, 4), 1);
	assert_int_equal(resolution_of(late, 6), 4);
	assert_int_equal(resolution_of(never, 4), 0);
	assert_int_equal(resolution_of(one, 1), 0);
	/* Of a workload that does not grow with j a rising min says nothing. */
	series_start(&a, &hist, 0);
	feed(&a, line_b, 0);
	feed(&a, line_c, 1);
	series_finish(&a, &flat);
	assert_int_equal(flat.resolution, 0);
}

static void overflow_is_told(void **state)
{
	struct series_acc a;
	struct series s = {0};
	u64 x[] = {0, ~0ull >> 1, 0, ~0ull >> 1};
	u64 less[] = {0, 1ull << 40, 0, 1ull << 40};
	struct line_stats line;

	(void)state;
	series_start(&a, &hist, 0);
	series_line(&a, x, 4, 0, &line);
	series_finish(&a, &s);
	/* The line's variance is 2^124, too large for an integer variance of 64 bits. */
	assert_true(s.mean_var.overflow);
	assert_true(s.var_var.overflow);
	/* 2^78 can be told of the line, and not as an integer of 64 bits. */
	series_start(&a, &hist, 0);
	series_line(&a, less, 4, 0, &line);
	series_finish(&a, &s);
	assert_false(line.var.overflow);
	assert_true(s.mean_var.overflow);
	assert_true(s.var_var.overflow);
}

static bool field_is(const struct record_view *v, const char *key, const char *want)
{
	const struct record_field *f = record_find(v, key);

	return f && f->raw_len == strlen(want) && !memcmp(f->raw, want, f->raw_len);
}

static void record_carries_the_figures(void **state)
{
	struct series_acc a;
	struct series s = {.method = "5",
			   .form = "mem",
			   .workload = "empty",
			   .preamble = "tsc+work",
			   .unit = "ticks",
			   .lines = 2,
			   .samples = 4};
	struct record r;
	struct record_view v;
	size_t n;

	(void)state;
	series_start(&a, &hist, 2);
	feed(&a, line_a, 0);
	feed(&a, line_b, 1);
	series_finish(&a, &s);
	record_start(&r, 7, "series");
	series_record(&r, &s);
	n = record_finish(&r);
	assert_int_equal(record_parse(r.bytes, n, &v), RECORD_OK);
	assert_true(field_is(&v, "method", "5"));
	assert_true(field_is(&v, "pre", "tsc+work"));
	assert_true(field_is(&v, "min", "8"));
	assert_true(field_is(&v, "var", "3.500"));
	assert_true(field_is(&v, "varmin", "1.000"));
	assert_true(field_is(&v, "spurious", "1"));
}

static void rows_are_parallel(void **state)
{
	struct series s[3] = {{.method = "4",
			       .form = "mem",
			       .workload = "store",
			       .preamble = "none",
			       .unit = "ticks",
			       .n = 1,
			       .min = 5,
			       .overhead = 5,
			       .overhead_known = true},
			      {.method = "4",
			       .form = "mem",
			       .workload = "add",
			       .preamble = "none",
			       .unit = "ticks",
			       .n = 2,
			       .min = 6},
			      {.method = "4",
			       .form = "mem",
			       .workload = "loop",
			       .preamble = "none",
			       .unit = "ticks",
			       .n = 3,
			       .min = 7,
			       .grows = true,
			       .resolution = 2}};
	struct record r;
	struct record_view v;

	(void)state;
	record_start(&r, 1, "rows");
	series_rows_record(&r, s, 3);
	assert_int_equal(record_parse(r.bytes, record_finish(&r), &v), RECORD_OK);
	assert_true(field_is(&v, "of", "mem/store/none,mem/add/none,mem/loop/none"));
	assert_true(field_is(&v, "n", "1,2,3"));
	assert_true(field_is(&v, "min", "5,6,7"));
	assert_true(field_is(&v, "varmin", "0.000,0.000,n/a"));
	assert_true(field_is(&v, "resolution", "n/a,n/a,2"));
	assert_true(field_is(&v, "overhead", "5~,n/a,n/a"));
}

/* Reads the bins of all parts back and compares them with the histogram they came from. */
static void hist_parts_add_up(void **state)
{
	static u64 bins[HIST_BINS];
	size_t from = 0;
	u32 parts = 0;
	bool more = true;

	(void)state;
	memset(bins, 0, sizeof(bins));
	hist_init(&hist, 100);
	for (u64 i = 0; i < 600; i++)
		hist_add_n(&hist, 100 + i * i, i + 1);
	while (more) {
		struct record r;
		struct record_view v;
		const struct record_field *f;
		char text[RECORD_MAX];
		int n;

		record_start(&r, parts + 1, "hist");
		more = hist_record(&r, &hist, &from, HIST_BINS);
		assert_int_equal(record_parse(r.bytes, record_finish(&r), &v), RECORD_OK);
		f = record_find(&v, "bins");
		n = record_value(f, text, sizeof(text) - 1);
		assert_true(n > 0);
		text[n] = 0;
		for (char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
			unsigned long long bin, count;

			assert_int_equal(sscanf(p, "%llu:%llu", &bin, &count), 2);
			bins[bin] += count;
		}
		parts++;
	}
	assert_true(parts > 1);
	assert_memory_equal(bins, hist.bin, sizeof(bins));
	assert_int_equal(hist_rest(&hist, from), 0);
	assert_int_equal(hist_rest(&hist, 0), 600 * 601 / 2);
}

static void hist_record_keeps_its_limit(void **state)
{
	struct record r;
	size_t from = 0;

	(void)state;
	hist_init(&hist, 0);
	for (u64 i = 0; i < 10; i++)
		hist_add_n(&hist, i, 1);
	record_start(&r, 1, "hist");
	assert_true(hist_record(&r, &hist, &from, 4));
	assert_int_equal(from, 4);
	assert_int_equal(hist_rest(&hist, from), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(fractions_and_equal_minima),
		cmocka_unit_test(percentiles_by_rank),
		cmocka_unit_test(backwards_samples_stay_out),
		cmocka_unit_test(a_line_of_nothing_counts_for_nothing),
		cmocka_unit_test(nor_does_it_between_others),
		cmocka_unit_test(resolution_is_where_it_stays_above),
		cmocka_unit_test(overflow_is_told),
		cmocka_unit_test(record_carries_the_figures),
		cmocka_unit_test(rows_are_parallel),
		cmocka_unit_test(hist_parts_add_up),
		cmocka_unit_test(hist_record_keeps_its_limit),
	};

	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
