// SPDX-License-Identifier: MIT
/* The XSAVE latency table against tables that were printed by sqlite3's column mode. */
#include "draw.h"
#include "xtable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ROWS 32

struct output {
	char bytes[16384];
	size_t n;
};

static void collect(void *ctx, const char *bytes, size_t n)
{
	struct output *o = ctx;

	assert_true(o->n + n < sizeof(o->bytes));
	memcpy(o->bytes + o->n, bytes, n);
	o->n += n;
	o->bytes[o->n] = 0;
}

static void read_file(const char *name, struct output *o)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "tests/data/xtable/%s.table", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: not found; run from the top of the tree", path);
	o->n = fread(o->bytes, 1, sizeof(o->bytes) - 1, f);
	o->bytes[o->n] = 0;
	fclose(f);
}

static size_t read_rows(const char *text, struct xcell *cell, char (*event)[64])
{
	unsigned long long rfbm, xinuse, min, max, avg, avg97;
	size_t n = 0;

	for (const char *at = text; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (sscanf(at, "x86%60s 0x%llx 0x%llx %llu %llu %llu %llu", event[n], &rfbm,
			   &xinuse, &min, &max, &avg, &avg97) == 7) {
			cell[n] = (struct xcell){.event = event[n], .rfbm = rfbm, .xinuse = xinuse};
			cell[n].lat = (struct latency){
				.min = min, .max = max, .avg = avg, .avg97 = avg97};
			n++;
		}
	return n;
}

static void shuffle(struct xcell *cell, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = draw_below(i);
		struct xcell c = cell[k];

		cell[k] = cell[i - 1];
		cell[i - 1] = c;
	}
}

static void oracle(const char *name, size_t rows)
{
	static struct output want, got;
	struct xcell cell[ROWS];
	char event[ROWS][64];
	size_t n;

	read_file(name, &want);
	n = read_rows(want.bytes, cell, event);
	assert_int_equal(n, rows);
	for (int i = 0; i < 100; i++) {
		shuffle(cell, n);
		xtable_sort(cell, n);
		got.n = 0;
		xtable_print("x86", cell, n, collect, &got);
		assert_string_equal(got.bytes, want.bytes);
	}
}

static void test_oracles(void **state)
{
	(void)state;
	oracle("big_5e12", 2);
	oracle("zero", 2);
	oracle("log_100", 11);
	oracle("log_1000", 12);
}

static void test_no_rows(void **state)
{
	static struct output got;

	(void)state;
	xtable_print("", NULL, 0, collect, &got);
	assert_string_equal(got.bytes,
			    "EVENTs  RFBM  XINUSE  lat_min  lat_max  lat_avg  lat_avg(97%)\n"
			    "------  ----  ------  -------  -------  -------  ------------\n");
}

/* Masks go by value: 0x21f before 0x60000, 0x9 before 0x10; names by byte, a prefix first. */
static void test_order(void **state)
{
	struct xcell cell[] = {
		{.event = "xsave", .rfbm = 1ull << 62, .xinuse = 0},
		{.event = "xsaveopt", .rfbm = 0x3},
		{.event = "xsave_same", .rfbm = 0x3},
		{.event = "xsave", .rfbm = 0x60000},
		{.event = "xsave", .rfbm = 0x21f, .xinuse = 0x10},
		{.event = "xsave", .rfbm = 0x21f, .xinuse = 0x9},
	};
	static const u64 rfbm[] = {0x21f, 0x21f, 0x60000, 1ull << 62, 0x3, 0x3};

	(void)state;
	xtable_sort(cell, ARRAY_SIZE(cell));
	for (size_t i = 0; i < ARRAY_SIZE(cell); i++)
		assert_int_equal(cell[i].rfbm, rfbm[i]);
	assert_int_equal(cell[0].xinuse, 0x9);
	assert_string_equal(cell[4].event, "xsave_same");
	assert_string_equal(cell[5].event, "xsaveopt");
}

/* The widest of everything: no bound on a name, 64 bits in each column. */
static void test_wide(void **state)
{
	static struct output got;
	char event[300];
	struct xcell cell = {.event = event, .rfbm = ~0ull, .xinuse = ~0ull};
	const char *row;

	(void)state;
	memset(event, 'e', sizeof(event) - 1);
	event[sizeof(event) - 1] = 0;
	cell.lat = (struct latency){.min = ~0ull, .max = ~0ull, .avg = ~0ull, .avg97 = ~0ull};
	got.n = 0;
	xtable_print("p_", &cell, 1, collect, &got);
	row = strstr(got.bytes, "p_e");
	assert_non_null(row);
	assert_int_equal(strlen(row), 2 + 299 + 2 * (2 + 18) + 4 * (2 + 20) + 1);
	assert_non_null(strstr(row,
			       "  0xffffffffffffffff  0xffffffffffffffff  18446744073709551615  "
			       "18446744073709551615  18446744073709551615  "
			       "18446744073709551615\n"));
}

#define HEAD "\nlat_min in core cycles where the ratio held; XINUSE as in the rows above\n"

static void cycles_are(const struct xcell *cell, size_t n, const char *text)
{
	struct output o = {.n = 0};

	xtable_cycles(cell, n, collect, &o);
	assert_string_equal(o.bytes, text);
}

static void minima_in_core_cycles(void **state)
{
	static const struct xcell cell[] = {
		{.event = "xrstor", .rfbm = 7, .lat.min = 100},
		{.event = "xrstor", .rfbm = 0x2e7, .lat.min = 100, .ratio = 12000},
		{.event = "xrstor", .rfbm = 0x2e7, .xinuse = 2, .lat.min = 1, .ratio = 14999},
		{.event = "xsave", .rfbm = 7, .lat.min = 1, .ratio = 15000},
		{.event = "xsave", .rfbm = 0x2e7, .lat.min = 0, .ratio = 9000},
		{.event = "xsave", .rfbm = 0x2e7, .xinuse = 2, .lat.min = 7, .ratio = 0},
		{.event = "xsavec", .rfbm = 0x2e7, .lat.min = ~0ull, .ratio = 10000},
	};

	(void)state;
	cycles_are(cell, 1, "");
	cycles_are(cell, ARRAY_SIZE(cell),
		   HEAD "  xrstor 0x2e7: 120 1\n"
			"  xsave 0x7: 2\n"
			"  xsave 0x2e7: 0\n"
			"  xsavec 0x2e7: 18446744073709551615\n");
}

/* 2 for the indent, 10 for what it is, and 17 numbers of 4: 80. One more starts the next line. */
static void cycles_keep_to_80_columns(void **state)
{
	struct xcell cell[18];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cell); i++)
		cell[i] = (struct xcell){.event = "xsave",
					 .rfbm = 3,
					 .xinuse = i,
					 .lat.min = 100 + i,
					 .ratio = 10000};
	cycles_are(cell, 17,
		   HEAD
		   "  xsave 0x3: 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115"
		   " 116\n");
	cycles_are(cell, 18,
		   HEAD
		   "  xsave 0x3: 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115"
		   " 116\n    117\n");
	/* One column more in front: the seventeenth number would end at 81. */
	for (size_t i = 0; i < ARRAY_SIZE(cell); i++)
		cell[i].rfbm = 0x13;
	cycles_are(cell, 17,
		   HEAD
		   "  xsave 0x13: 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115\n"
		   "    116\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracles),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(minima_in_core_cycles),
		cmocka_unit_test(cycles_keep_to_80_columns),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
