// SPDX-License-Identifier: MIT
/* Results written to records and read back: the same figures, and no other text is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "number.h"
#include "series.h"
#include "verdict.h"
#include "xrecord.h"

static struct record_view *view_of(struct record *r)
{
	static struct record_view v;

	assert_int_not_equal(record_finish(r), 0);
	assert_int_equal(record_parse(r->bytes, r->t.len, &v), RECORD_OK);
	return &v;
}

static struct variance draw_variance(void)
{
	if (draw() % 8 == 0)
		return (struct variance){.overflow = true};
	return (struct variance){.whole = (u128)draw_wide() * draw_wide(),
				 .milli = (u32)(draw() % 1000)};
}

static struct bound draw_bound(void)
{
	u64 lo = draw_wide() >> 1;

	return (struct bound){lo, lo + (draw() % 2) * (1 + draw_wide() / 2)};
}

static struct series draw_series(void)
{
	bool grows = draw() % 2, twin = draw() % 2;

	return (struct series){
		.method = "5",
		.form = "mem",
		.workload = grows ? "loop" : "store",
		.preamble = "none",
		.unit = "ticks",
		.lines = draw_wide(),
		.samples = draw_wide(),
		.trimmed = draw() % 2,
		.grows = grows,
		.n = draw_wide(),
		.backwards = draw_wide(),
		.min = draw_wide(),
		.max = draw_wide(),
		.max_dev = draw_wide(),
		.spurious = grows ? 0 : draw_wide(),
		.mean_var = draw_variance(),
		.var_var = draw_variance(),
		.var_min = grows ? (struct variance){0} : draw_variance(),
		.p50 = draw_bound(),
		.p97 = draw_bound(),
		.p99 = draw_bound(),
		.p999 = draw_bound(),
		.first = draw_wide(),
		.warm = draw_wide(),
		.redone = draw_wide(),
		.unsettled = draw_wide(),
		.ratio = draw_wide(),
		.resolution = grows ? draw_wide() : 0,
		.overhead = twin ? draw_wide() : 0,
		.overhead_known = twin,
		.overhead_stable = twin && draw() % 2,
	};
}

static void variance_equal(const struct variance *a, const struct variance *b)
{
	assert_true(a->whole == b->whole);
	assert_int_equal(a->milli, b->milli);
	assert_int_equal(a->overflow, b->overflow);
}

static void bound_equal(struct bound a, struct bound b)
{
	assert_true(a.lo == b.lo && a.hi == b.hi);
}

static void main_figures_equal(const struct series *a, const struct series *b)
{
	assert_true(a->n == b->n && a->backwards == b->backwards);
	assert_true(a->min == b->min && a->max == b->max);
	variance_equal(&a->mean_var, &b->mean_var);
	variance_equal(&a->var_min, &b->var_min);
	bound_equal(a->p50, b->p50);
	bound_equal(a->p97, b->p97);
	assert_int_equal(a->grows, b->grows);
	assert_true(a->resolution == b->resolution);
	assert_true(a->unsettled == b->unsettled);
	assert_true(a->overhead == b->overhead);
	assert_int_equal(a->overhead_known, b->overhead_known);
	assert_int_equal(a->overhead_stable, b->overhead_stable);
}

static void series_come_back(void **unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++) {
		struct series a = draw_series(), b = {0};
		struct record r;

		record_start(&r, 1, "series");
		series_record(&r, &a);
		assert_null(series_parse(view_of(&r), &b));
		main_figures_equal(&a, &b);
		assert_true(a.lines == b.lines && a.samples == b.samples);
		assert_int_equal(a.trimmed, b.trimmed);
		assert_true(a.max_dev == b.max_dev && a.spurious == b.spurious);
		assert_true(a.first == b.first && a.warm == b.warm);
		assert_true(a.redone == b.redone && a.ratio == b.ratio);
		variance_equal(&a.var_var, &b.var_var);
		bound_equal(a.p99, b.p99);
		bound_equal(a.p999, b.p999);
	}
}

static void rows_come_back(void **unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++) {
		struct series a[3], b[3] = {0};
		struct series_name name[3];
		struct record_view *v;
		struct record r;
		size_t n;

		for (int k = 0; k < 3; k++)
			a[k] = draw_series();
		record_start(&r, 1, "rows");
		series_rows_record(&r, a, 3);
		if (r.t.cut)
			continue;
		v = view_of(&r);
		assert_null(series_rows_parse(v, b, name, 3, &n));
		assert_int_equal(n, 3);
		for (int k = 0; k < 3; k++) {
			main_figures_equal(&a[k], &b[k]);
			assert_int_equal(name[k].workload_len, strlen(a[k].workload));
			assert_memory_equal(name[k].workload, a[k].workload, name[k].workload_len);
		}
		assert_string_equal(series_rows_parse(v, b, name, 2, &n), "of");
	}
}

/* Written by hand, one wrong value each; the key must be named. */
static const struct {
	const char *fields, *bad;
} rows_wrong[] = {
	{"of=mem/empty/tsc", "n"},
	{"of=mem/empty n=1", "of"},
	{"of=mem/empty/tsc/x n=1", "of"},
	{"of=mem/empty/tsc, n=1", "of"},
	{"of=mem/empty/tsc n=1,2", "n"},
	{"of=mem/empty/tsc,mem/empty/none n=1", "n"},
	{"of=mem/empty/tsc n=1 backwards=-1", "backwards"},
	{"of=mem/empty/tsc n=1 backwards=0 min=0x1", "min"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=18446744073709551616", "max"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.00", "var"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=2..1", "p50"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=1 p97=1..1", "p97"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=1 p97=1", "unsettled"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=1 p97=1 unsettled=0 varmin=1",
	 "varmin"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=1 p97=1 unsettled=0 "
	 "varmin=n/a "
	 "resolution=x",
	 "resolution"},
	{"of=mem/empty/tsc n=1 backwards=0 min=1 max=1 var=1.000 p50=1 p97=1 unsettled=0 "
	 "varmin=n/a "
	 "resolution=1 overhead=~",
	 "overhead"},
};

static void wrong_values_are_named(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows_wrong); i++) {
		struct series_name name[4];
		struct series s[4] = {0};
		struct record r;
		size_t n;

		record_start(&r, 1, "rows");
		fmt(&r.t, " %s", rows_wrong[i].fields);
		assert_string_equal(series_rows_parse(view_of(&r), s, name, 4, &n),
				    rows_wrong[i].bad);
	}
}

static void histograms_come_back(void **unused)
{
	static struct hist a, b;

	(void)unused;
	for (int i = 0; i < 50; i++) {
		const struct record_field *f;
		const char *item;
		struct record r;
		size_t from = 0, pos = 0, len, bin;
		u64 count;
		bool more = true;

		hist_init(&a, 100);
		hist_init(&b, 100);
		for (int k = 0; k < 60; k++)
			hist_add_n(&a, draw_wide(), 1 + draw() % 9);
		while (more) {
			struct record_view *v;

			record_start(&r, 1, "hist");
			hist_sums_record(&r, &a);
			more = hist_record(&r, &a, &from, HIST_BINS);
			v = view_of(&r);
			assert_null(hist_sums_parse(v, &b.m));
			f = record_find(v, "bins");
			for (pos = 0; record_item(f, &pos, &item, &len);) {
				assert_true(hist_bin_parse(item, len, &bin, &count));
				b.bin[bin] += count;
			}
		}
		b.below = a.below;
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

/* As long as bins get: none is cut, nor is what follows them. */
static void long_bins_leave_room(void **unused)
{
	static struct hist h;
	size_t from = 0;
	bool more = true;

	(void)unused;
	hist_init(&h, 0);
	for (u64 i = 1; i <= 200; i++)
		hist_add_n(&h, ~0ull / i, MOMENTS_MAX / 256);
	while (more) {
		struct record r;

		record_start(&r, 1, "hist");
		more = hist_record(&r, &h, &from, HIST_BINS);
		record_u64(&r, "more", hist_rest(&h, from));
		assert_int_equal(r.t.cut, 0);
		assert_int_equal(record_number(record_find(view_of(&r), "more"), &(u64){0}), true);
	}
}

/* Values below the base, which make a negative sum. */
static void negative_sums_come_back(void **unused)
{
	static struct hist h;
	struct moments m = {.base = 100};
	struct record r;

	(void)unused;
	hist_init(&h, 100);
	hist_add_n(&h, 90, 3);
	record_start(&r, 1, "hist");
	hist_sums_record(&r, &h);
	assert_null(hist_sums_parse(view_of(&r), &m));
	assert_true(m.sum == -30);
	assert_memory_equal(&m, &h.m, sizeof(m));
}

static void bins_that_are_none(void **unused)
{
	static const char *const wrong[] = {"", "1", "1:", ":1", "1:0", "-1:1", "1:1,", "1:1:1"};
	char text[40];
	struct text t = TEXT_ON(text);
	size_t bin;
	u64 count;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(hist_bin_parse(wrong[i], strlen(wrong[i]), &bin, &count));
	fmt(&t, "%u:7", HIST_BINS - 1);
	assert_true(hist_bin_parse(text, t.len, &bin, &count));
	assert_true(bin == HIST_BINS - 1 && count == 7);
	t.len = 0;
	fmt(&t, "%u:7", HIST_BINS);
	assert_false(hist_bin_parse(text, t.len, &bin, &count));
}

/* An empty one must be a record all the same. */
static void an_empty_histogram_is_a_record(void **unused)
{
	static struct hist h;
	struct record r;
	struct record_view *v;
	struct moments m;
	size_t from = 0, pos = 0, len;
	const char *item;

	(void)unused;
	hist_init(&h, 7);
	record_start(&r, 1, "hist");
	hist_sums_record(&r, &h);
	assert_false(hist_record(&r, &h, &from, HIST_BINS));
	record_u64(&r, "more", 0);
	v = view_of(&r);
	assert_null(hist_sums_parse(v, &m));
	assert_int_equal(m.n, 0);
	assert_true(m.min == ~0ull);
	assert_false(record_item(record_find(v, "bins"), &pos, &item, &len));
}

static void lines_come_back(void **unused)
{
	static const char *const wrong[] = {"",
					    "1",
					    "1-2:3:4",
					    "1-2:3:4:",
					    "2-1:3:4:0.000",
					    "1-2:4:3:0.000",
					    "1-2:3:4:0.00",
					    "-2:3:4:0.000",
					    "1-2:3:4:0.000,",
					    "1-2 :3:4:0.000"};

	(void)unused;
	for (int i = 0; i < 2000; i++) {
		struct line_entry a = {.from = draw_wide() >> 1, .min = draw_wide() >> 1}, b;
		char bytes[160];
		struct text t = TEXT_ON(bytes);

		a.to = a.from + (draw_wide() >> 1);
		a.max = a.min + (draw_wide() >> 1);
		a.var = draw_variance();
		line_entry_fmt(&t, &a);
		assert_true(line_entry_parse(bytes, t.len, &b));
		assert_true(a.from == b.from && a.to == b.to && a.min == b.min && a.max == b.max);
		variance_equal(&a.var, &b.var);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct line_entry e;

		assert_false(line_entry_parse(wrong[i], strlen(wrong[i]), &e));
	}
}

static void cells_come_back(void **unused)
{
	(void)unused;
	for (int i = 0; i < 2000; i++) {
		struct xcell a[3], b[3] = {0};
		size_t rows = 1 + draw() % 3, n;
		struct record_view *v;
		struct record r;

		memset(a, 0, sizeof(a));
		for (size_t k = 0; k < rows; k++) {
			a[k].xinuse = (draw_wide() & ~3ull) | k;
			a[k].xstate_bv = i % 2 ? a[k].xinuse : draw_wide();
			a[k].clamped = draw() % 3;
			a[k].lat = (struct latency){
				.n = 200,
				.kept = 194,
				.min = draw() % 2,
				.max = draw_wide(),
				.avg = draw_wide(),
				.avg97 = draw_wide(),
				.p50 = draw_wide(),
				.p99 = draw_wide(),
			};
		}
		record_start(&r, 1, "xsave");
		xcells_record(&r, a, rows);
		v = view_of(&r);
		/* Said only where it differs. */
		if (i % 2)
			assert_null(record_find(v, "xstate_bv"));
		assert_null(xcells_parse(v, b, 3, &n));
		assert_int_equal(n, rows);
		assert_memory_equal(a, b, rows * sizeof(a[0]));
		if (rows == 3)
			assert_string_equal(xcells_parse(v, b, 2, &n), "xinuse");
	}
}

static void checks_come_back(void **unused)
{
	static const char *const reason[] = {
		"", "plain", "a # b \\ c \x1b[1m", "unstable: x", "SKIPped here", "error"};
	static const char *const wrong[] = {"",	       "ok",	     "ok 1",	   "ok 1 ",
					    "nok 1 x", "not ok x y", "not ok 1 x", "1..4"};
	struct check c;
	u64 number;
	bool ok;

	(void)unused;
	for (enum status s = STATUS_OK; s <= STATUS_ERROR; s++) {
		for (size_t i = 0; i < ARRAY_SIZE(reason); i++) {
			static struct verdict v;
			char bytes[512];
			struct text t = TEXT_ON(bytes);

			/* Of these an ok check's reason cannot be told from a status. */
			if (s == STATUS_OK && (i == 3 || i == 5))
				continue;
			v = (struct verdict){0};
			verdict_add(&v, "odd # name\\", s, "%s", reason[i]);
			verdict_ktap(&v, 0, false, &t);
			assert_true(verdict_ktap_parse(bytes, t.len, &ok, &number, &c));
			assert_int_equal(ok, s < STATUS_FAILED);
			assert_int_equal(number, 1);
			assert_string_equal(c.name, "odd # name\\");
			assert_int_equal(c.status, s);
			assert_string_equal(c.reason, reason[i]);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(verdict_ktap_parse(wrong[i], strlen(wrong[i]), &ok, &number, &c));
}

static void bounds_read_back(void **unused)
{
	static const char *const wrong[] = {"",	    ".",    "..",    "1.",    "1..", "..1", "1.2",
					    "2..1", "1..1", "1...2", "1..2.", " 1",  "-1",  "1..x"};
	struct bound b;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(bound_parse(wrong[i], strlen(wrong[i]), &b));
	assert_true(bound_parse("7", 1, &b) && b.lo == 7 && b.hi == 7);
	assert_true(bound_parse("7..9", 4, &b) && b.lo == 7 && b.hi == 9);
	assert_true(bound_parse("0..18446744073709551615", 23, &b) && b.hi == ~0ull);
}

static void wide_numbers(void **unused)
{
	const char *most = "340282366920938463463374607431768211455";
	const char *over = "340282366920938463463374607431768211456";
	const char *far = "3402823669209384634633746074317682114550";
	u128 v;

	(void)unused;
	assert_true(number_u128(most, strlen(most), &v) && v == ~(u128)0);
	assert_false(number_u128(over, strlen(over), &v));
	assert_false(number_u128(far, strlen(far), &v));
	assert_false(number_u128("", 0, &v));
	assert_false(number_u128("1 ", 2, &v));
	assert_true(number_u128("0", 1, &v) && v == 0);
}

/* Lines read back give what the samples gave. */
static void figures_from_lines(void **unused)
{
	static struct hist h;

	(void)unused;
	for (int i = 0; i < 50; i++) {
		struct series_acc a, b;
		struct series from_samples = {.grows = i % 2}, from_lines = {.grows = i % 2};

		series_start(&a, &h, 0);
		series_start(&b, &h, 0);
		for (u64 j = 0; j < 20; j++) {
			struct line_stats line;
			u64 x[10];

			for (size_t k = 0; k < 10; k++)
				x[k] = draw_wide() >> 1;
			series_line(&a, x, 10, j, &line);
			series_add_line(&b, &line, j);
		}
		series_finish(&a, &from_samples);
		series_finish(&b, &from_lines);
		main_figures_equal(&from_samples, &from_lines);
		variance_equal(&from_samples.var_var, &from_lines.var_var);
		assert_true(from_samples.spurious == from_lines.spurious);
		assert_true(from_samples.max_dev == from_lines.max_dev);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_come_back),
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(wrong_values_are_named),
		cmocka_unit_test(histograms_come_back),
		cmocka_unit_test(long_bins_leave_room),
		cmocka_unit_test(negative_sums_come_back),
		cmocka_unit_test(bins_that_are_none),
		cmocka_unit_test(an_empty_histogram_is_a_record),
		cmocka_unit_test(lines_come_back),
		cmocka_unit_test(cells_come_back),
		cmocka_unit_test(checks_come_back),
		cmocka_unit_test(bounds_read_back),
		cmocka_unit_test(wide_numbers),
		cmocka_unit_test(figures_from_lines),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
