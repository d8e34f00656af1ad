// SPDX-License-Identifier: MIT
/* Periods: found where they are, whatever is missing or lies beside them; not found in chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "period.h"

struct list {
	size_t n;
	u64 at[PERIOD_EVENTS], length[PERIOD_EVENTS];
};

/* Keeps the list in order. */
static void list_add(struct list *l, u64 at, u64 length)
{
	size_t i = l->n;

	if (l->n == PERIOD_EVENTS)
		return;
	for (; i > 0 && l->at[i - 1] > at; i--) {
		l->at[i] = l->at[i - 1];
		l->length[i] = l->length[i - 1];
	}
	l->at[i] = at;
	l->length[i] = length;
	l->n++;
}

static struct period find(const struct list *l)
{
	struct period p;

	period_find(l->at, NULL, l->n, &p);
	assert_int_equal(p.events, l->n);
	assert_true(p.on <= p.events && p.on <= p.slots);
	assert_true(p.ticks == 0 || (p.on >= PERIOD_LEAST && p.bits >= PERIOD_BITS));
	return p;
}

static bool is_within(u64 found, u64 wanted, u64 parts)
{
	u64 off = found > wanted ? found - wanted : wanted - found;

	return off <= wanted / parts;
}

static void within(u64 found, u64 wanted, u64 parts)
{
	if (!is_within(found, wanted, parts))
		fail_msg("found %llu, wanted %llu", (unsigned long long)found,
			 (unsigned long long)wanted);
}

static void an_exact_period(void **unused)
{
	(void)unused;
	for (size_t n = 0; n < 40; n++) {
		struct list l = {0};
		struct period p;

		for (size_t i = 0; i < n; i++)
			list_add(&l, 5000000000 + i * 2394000000, 0);
		p = find(&l);
		assert_int_equal(p.ticks, n >= PERIOD_LEAST ? 2394000000 : 0);
		if (p.ticks) {
			assert_int_equal(p.on, n);
			assert_int_equal(p.slots, n);
		}
	}
}

/*
 * A host's tick of a millisecond at 2 GHz, some ticks short and not seen, others in between. Once
 * in some 50,000 such draws chance hides the grid, or makes one of twice its period.
 */
static void jitter_gaps_and_others(void **unused)
{
	int missed = 0;

	(void)unused;
	for (int round = 0; round < 200; round++) {
		u64 period = 1000 + draw_below(4000000), start = draw_below(1ull << 40);
		struct list l = {0};
		struct period p;

		for (u64 i = 0; i < 100; i++) {
			if (draw_below(10) == 0)
				continue;
			list_add(&l, start + i * period + draw_below(period / 100 + 1), 0);
		}
		for (int i = 0; i < 20; i++)
			list_add(&l, start + draw_below(100 * period), 0);
		p = find(&l);
		missed += !is_within(p.ticks, period, 100) || p.on < 70 || p.slots < 80 ||
			  p.slots > 101;
	}
	assert_in_range(missed, 0, 2);
}

static void drift_is_followed(void **unused)
{
	struct list l = {0};
	u64 at = 77, interval = 2000000;

	(void)unused;
	for (int i = 0; i < 200; i++) {
		list_add(&l, at, 0);
		at += interval;
		interval += 100;
	}
	/* The average from the first to the last, not what it was when it began. */
	within(find(&l).ticks, 2009900, 10000);
	assert_int_equal(find(&l).on, 200);
}

/* The interval stands between the fifth and the sixth; what came before lies on its grid. */
static void the_grid_reaches_back(void **unused)
{
	static const u64 slot[] = {0, 5, 9, 14, 19};
	struct list l = {0};
	struct period p;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(slot); i++)
		list_add(&l, slot[i] * 1000000, 0);
	for (u64 i = 20; i < 100; i++)
		list_add(&l, i * 1000000, 0);
	p = find(&l);
	assert_int_equal(p.ticks, 1000000);
	assert_int_equal(p.on, 85);
	assert_int_equal(p.slots, 100);
}

/* Others between each two of the grid: no two neighbours are a period apart. */
static void others_between(void **unused)
{
	(void)unused;
	for (u64 others = 1; others <= 2; others++) {
		struct list l = {0};
		struct period p;

		for (u64 i = 0; i < 40; i++) {
			list_add(&l, i * 1000000, 0);
			for (u64 k = 0; k < others; k++)
				list_add(&l, i * 1000000 + 100000 + draw_below(800000), 0);
		}
		p = find(&l);
		assert_int_equal(p.ticks, 1000000);
		assert_int_equal(p.on, 40);
	}
}

/* A grid ends where 16 places in a row are empty; 15 are a hole in it. */
static void a_long_silence_ends_it(void **unused)
{
	(void)unused;
	for (u64 hole = 15; hole <= 16; hole++) {
		struct list l = {0};
		struct period p;

		for (u64 i = 0; i < 120; i++)
			list_add(&l, (i + (i < 60 ? 0 : hole)) * 1000000, 0);
		p = find(&l);
		assert_int_equal(p.ticks, 1000000);
		assert_int_equal(p.on, hole < 16 ? 120 : 60);
	}
}

/* Two in a hundred to either side: regular enough for a tick, and for no finer grid. */
static void coarse_ticks(void **unused)
{
	struct list l = {0};
	struct period p;

	(void)unused;
	for (u64 i = 0; i < 60; i++)
		list_add(&l, i * 1000000 + i * 7 % 5 * 10000, 0);
	p = find(&l);
	within(p.ticks, 1000000, 100);
	assert_int_equal(p.on, 60);
	assert_int_equal(p.slots, 60);
}

/* Six to within 0.4% are some 16 bits against chance, six exact ones 25. */
static void odds_that_are_too_low(void **unused)
{
	struct list l = {0};

	(void)unused;
	for (u64 i = 0; i < 6; i++)
		list_add(&l, i * 1000000 + i % 2 * 4000, 0);
	assert_int_equal(find(&l).ticks, 0);
}

/* Events that hide each second place: without their lengths the grid is half empty. */
static void hidden_places_are_not_empty(void **unused)
{
	struct list l = {0};
	struct period p;

	(void)unused;
	for (u64 i = 0; i < 120; i++) {
		if (i % 12 < 6)
			list_add(&l, i * 2000000 + draw_below(3000), 20000);
		if (i % 12 == 6)
			list_add(&l, i * 2000000 - 900000 + draw_below(500000), 12200000);
	}
	period_find(l.at, l.length, l.n, &p);
	within(p.ticks, 2000000, 500);
	assert_int_equal(p.on, 60);
	assert_true(p.slots <= 70);
	p = find(&l);
	assert_int_equal(p.ticks, 0);
}

static void nothing_in_chance(void **unused)
{
	(void)unused;
	for (int round = 0; round < 300; round++) {
		size_t n = 2 + draw_below(PERIOD_EVENTS - 1);
		u64 span = 1 + draw_wide() / 2;
		struct list l = {0};

		if (span < 1000 * n)
			span = 1000 * n;
		for (size_t i = 0; i < n; i++)
			list_add(&l, draw_below(span), 0);
		assert_int_equal(find(&l).ticks, 0);
	}
}

/* So few and so uneven that chance would do: none, or one that find() sees to be proved. */
static void few_and_uneven(void **unused)
{
	u32 none = 0;

	(void)unused;
	for (int round = 0; round < 300; round++) {
		size_t n = PERIOD_LEAST + draw_below(4);
		struct list l = {0};

		for (size_t i = 0; i < n; i++)
			list_add(&l, i * 1000000 + draw_below(20000), 0);
		none += find(&l).ticks == 0;
	}
	assert_true(none > 0 && none < 300);
}

/* Pairs always equally far apart, at any time: an echo, not a period. */
static void nothing_in_echoes(void **unused)
{
	(void)unused;
	for (int round = 0; round < 100; round++) {
		struct list l = {0};

		for (int i = 0; i < 60; i++) {
			u64 at = draw_below(1000000000);

			list_add(&l, at, 0);
			list_add(&l, at + 4000, 0);
		}
		assert_int_equal(find(&l).ticks, 0);
	}
}

/* A burst of regular events among many others is not what the gaps are. */
static void nothing_in_a_short_burst(void **unused)
{
	struct list l = {0};

	(void)unused;
	for (u64 i = 0; i < 12; i++)
		list_add(&l, 400000000 + i * 1000000, 0);
	for (int i = 0; i < 100; i++)
		list_add(&l, draw_below(1000000000), 0);
	assert_int_equal(find(&l).ticks, 0);
}

static void check_train(const u64 *at, size_t n, const struct period *want)
{
	struct period p;

	period_find(at, NULL, n, &p);
	assert_int_equal(p.ticks, want->ticks);
	assert_int_equal(p.on, want->on);
	assert_int_equal(p.slots, want->slots);
	assert_int_equal(p.bits, want->bits);
}

/* Each at an edge of the rule, where a little less or more gives another answer. */
static void trains_at_the_edges(void **unused)
{
	/* Just enough odds: ((6 - 2) log2(7001 / (6 x 5)) - log2 28 - log2 54, some rounding. */
	const u64 least[] = {1000, 3000, 4000, 6000, 7000, 8000};
	/* Off by as much as may be. */
	const u64 off[] = {999, 2001, 3000, 4000, 7000, 8000};
	/* 11,999 in six intervals. */
	const u64 rounded[] = {6001, 8000, 10000, 12000, 14000, 18000};
	/* The end of a grid in one direction is none in the other. */
	const u64 far[] = {1001, 2000, 2999, 4000, 5000, 6000, 23000};
	/* Five on the grid. */
	const u64 few[] = {1000, 2000, 3000, 5000, 6000, 23000};
	/* Two grids of equal odds. */
	const u64 equal[] = {133, 301, 400, 500, 800, 900, 1000, 1100, 2805};

	(void)unused;
	check_train(least, 6, &(struct period){.ticks = 1000, .on = 6, .slots = 8, .bits = 20});
	check_train(off, 6, &(struct period){.ticks = 1000, .on = 6, .slots = 8, .bits = 20});
	check_train(rounded, 6, &(struct period){.ticks = 2000, .on = 6, .slots = 7, .bits = 22});
	check_train(far, 7, &(struct period){.ticks = 1000, .on = 6, .slots = 6, .bits = 31});
	check_train(few, 6, &(struct period){0});
	check_train(equal, 9, &(struct period){.ticks = 100, .on = 7, .slots = 9, .bits = 21});
}

/* Each hides all up to the next: none of the places is empty, and none counts for less than one. */
static void gaps_back_to_back(void **unused)
{
	u64 at[12], length[12];
	struct period p;

	(void)unused;
	for (size_t i = 0; i < 12; i++) {
		at[i] = 1000 + i * 1000;
		length[i] = 1000;
	}
	period_find(at, length, 12, &p);
	assert_int_equal(p.ticks, 1000);
	assert_int_equal(p.on, 12);
	assert_int_equal(p.slots, 12);
}

static void odd_lists_are_survived(void **unused)
{
	struct list same = {.n = PERIOD_EVENTS}, wide = {.n = 10};
	struct period p;

	(void)unused;
	memset(same.at, 0x11, sizeof(same.at));
	assert_int_equal(find(&same).ticks, 0);
	for (u64 i = 0; i < 10; i++)
		wide.at[i] = i * (~0ull / 9);
	assert_int_equal(find(&wide).ticks, ~0ull / 9);
	for (int round = 0; round < 300; round++) {
		struct list l = {0};

		for (u64 n = draw_below(PERIOD_EVENTS + 1); n > 0; n--)
			list_add(&l, draw_wide(), draw_wide() / PERIOD_EVENTS);
		period_find(l.at, l.length, l.n, &p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_period),
		cmocka_unit_test(jitter_gaps_and_others),
		cmocka_unit_test(drift_is_followed),
		cmocka_unit_test(the_grid_reaches_back),
		cmocka_unit_test(others_between),
		cmocka_unit_test(a_long_silence_ends_it),
		cmocka_unit_test(coarse_ticks),
		cmocka_unit_test(odds_that_are_too_low),
		cmocka_unit_test(hidden_places_are_not_empty),
		cmocka_unit_test(nothing_in_chance),
		cmocka_unit_test(few_and_uneven),
		cmocka_unit_test(nothing_in_echoes),
		cmocka_unit_test(nothing_in_a_short_burst),
		cmocka_unit_test(trains_at_the_edges),
		cmocka_unit_test(gaps_back_to_back),
		cmocka_unit_test(odd_lists_are_survived),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
