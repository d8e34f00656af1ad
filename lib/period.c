// SPDX-License-Identifier: MIT
/*
 * The period finder. Every interval between near events is tried as a grid, with three tolerances;
 * of what comes out the grid is taken that chance explains least.
 */
#include "period.h"

#include "u128.h"

#define LAGS	3  /* intervals over that many events: others may lie between two of the grid */
#define MISSING 16 /* slots in a row without an event end the grid */
#define ONE	256

/*
 * An event is on the grid when it is within this part of the interval. A watchdog keeps its time
 * far better than a host's tick, and then fewer events say as much.
 */
static const u32 tolerance[] = {20, 100, 500};

struct events {
	const u64 *at;
	size_t n;
	u64 unseen[PERIOD_EVENTS + 1]; /* ticks before event i in which nothing could be seen */
};

struct grid {
	u64 period;
	size_t first, last; /* events on it */
	u64 steps;	    /* intervals between these two */
	u32 on, slots;
};

/* log2(num / den) in 1/ONE, rounded down; num >= den > 0. */
static u64 log2_ratio(u64 num, u64 den)
{
	u64 log = 0, x;

	for (; num / 2 >= den; den *= 2)
		log++;
	/* 1 <= x < 2 with 30 bits behind the point; each squaring shows one more bit of its log. */
	x = (u64)u128_div((u128)num << 30, den, NULL);
	for (u32 bit = 1; bit < ONE; bit *= 2) {
		x = x * x >> 30;
		log = log * 2 + (x >> 31);
		x >>= x >> 31;
	}
	return log;
}

/* Event b comes after a, and one of them is an end of the grid: is the other on it? */
static bool grid_meets(struct grid *g, const struct events *e, size_t a, size_t b, u32 part,
		       bool *too_far)
{
	u64 d = e->at[b] - e->at[a], k = (d + g->period / 2) / g->period;
	u64 off = d > k * g->period ? d - k * g->period : k * g->period - d;
	u64 hidden = (e->unseen[b] - e->unseen[a]) / g->period, slots = k > hidden ? k - hidden : 1;

	*too_far = slots > MISSING;
	if (k == 0 || *too_far || off > g->period / part)
		return false;
	g->on++;
	g->slots += (u32)slots;
	g->steps += k;
	return true;
}

static void grid_average(struct grid *g, const struct events *e)
{
	g->period = (e->at[g->last] - e->at[g->first] + g->steps / 2) / g->steps;
}

static void grid_lay(struct grid *g, const struct events *e, size_t anchor, u64 interval, u32 part)
{
	bool too_far = false;

	*g = (struct grid){
		.period = interval, .first = anchor, .last = anchor, .on = 1, .slots = 1};
	for (size_t i = anchor + 1; i < e->n && !too_far; i++) {
		if (grid_meets(g, e, g->last, i, part, &too_far)) {
			g->last = i;
			grid_average(g, e);
		}
	}
	too_far = false;
	for (size_t i = anchor; i-- > 0 && !too_far;) {
		if (grid_meets(g, e, i, g->first, part, &too_far)) {
			g->first = i;
			grid_average(g, e);
		}
	}
}

/* log2 of the ways to choose which slots are empty, rounded up a little. */
static u64 choices(u32 slots, u32 on)
{
	u32 empty = slots - on;
	u64 log = 0;

	for (u32 i = 1; i <= empty; i++)
		log += log2_ratio(on + i, i) + 1;
	return log;
}

/*
 * Were the n events thrown down blindly, a slot would hold one with a probability below
 * n * width / span. The first two events made the grid and prove nothing.
 */
static u32 grid_bits(const struct grid *g, const struct events *e, u32 part)
{
	u64 width = 2 * (g->period / part) + 1, span = e->at[e->n - 1] - e->at[0] + 1, gain, cost;

	if (g->on < PERIOD_LEAST || g->on * 4 < g->slots * 3 || g->on * 4 < e->n ||
	    width > span / e->n)
		return 0;
	gain = (g->on - 2) * log2_ratio(span, e->n * width);
	cost = choices(g->slots, g->on) + log2_ratio(e->n * LAGS * ARRAY_SIZE(tolerance), 1) + 1;
	return gain > cost ? (u32)((gain - cost) / ONE) : 0;
}

static void period_try(const struct events *e, size_t anchor, size_t lag, struct period *best)
{
	u64 interval = e->at[anchor + lag] - e->at[anchor];

	for (size_t i = 0; interval && i < ARRAY_SIZE(tolerance); i++) {
		struct grid g;
		u32 bits;

		grid_lay(&g, e, anchor, interval, tolerance[i]);
		bits = grid_bits(&g, e, tolerance[i]);
		if (bits <= best->bits)
			continue;
		*best = (struct period){
			.ticks = g.period, .on = g.on, .slots = g.slots, .bits = bits};
	}
}

void period_find(const u64 *at, const u64 *length, size_t n, struct period *out)
{
	struct events e = {.at = at, .n = n};

	for (size_t i = 0; i < n; i++)
		e.unseen[i + 1] = e.unseen[i] + (length ? length[i] : 0);
	*out = (struct period){0};
	for (size_t anchor = 0; anchor < n; anchor++)
		for (size_t lag = 1; lag <= LAGS && anchor + lag < n; lag++)
			period_try(&e, anchor, lag, out);
	if (out->bits < PERIOD_BITS)
		*out = (struct period){0};
	out->events = (u32)n;
}
