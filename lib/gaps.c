// SPDX-License-Identifier: MIT
/* Threshold, decades, causes and rates of gaps: see gaps.h. */
#include "gaps.h"

#include "stats.h"
#include "u128.h"

const char *const gap_cause_name[GAP_CAUSES] = {
	[GAP_SMI] = "smi",     [GAP_NMI] = "nmi",	  [GAP_MCE] = "mce",
	[GAP_STALL] = "stall", [GAP_UNKNOWN] = "unknown", [GAP_PREEMPTED] = "preempted",
};

const char *gap_cause_text(enum gap_cause c)
{
	return c == GAP_PREEMPTED ? "host preempted" : gap_cause_name[c];
}

static u64 u64_max(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 saturate(u128 x)
{
	return x >> 64 ? ~0ull : (u64)x;
}

void gap_threshold(u64 *inner, size_t n_inner, u64 *outer, size_t n_outer, u64 given,
		   struct gap_threshold *out)
{
	u64 mad_inner = stats_mad(inner, n_inner, &out->inner);
	u64 mad_outer = stats_mad(outer, n_outer, &out->outer);

	out->mad = u64_max(mad_inner, mad_outer);
	out->ticks = u64_max(GAP_FLOOR, GAP_TURNS * (out->inner + out->outer));
	out->ticks = u64_max(out->ticks, GAP_MADS * out->mad);
	if (given != OPTION_UNSET)
		out->ticks = given;
}

void gap_decades_add(struct gap_decades *d, u64 length)
{
	u32 k = 0;

	for (u64 rest = length; rest >= 10; rest /= 10)
		k++;
	d->n[k]++;
	d->ticks[k] += length;
}

void gap_decades_fmt(struct text *t, const struct gap_decades *d, u64 tps)
{
	u64 from = 1;

	for (u32 k = 0; k < GAP_DECADES; k++, from *= 10) {
		if (!d->n[k])
			continue;
		fmt(t, "  from %llu ticks", (unsigned long long)from);
		if (tps) {
			text_str(t, " (");
			duration_fmt(t, from, tps);
			text_str(t, ")");
		}
		fmt(t, ": %llu, together %llu ticks\n", (unsigned long long)d->n[k],
		    (unsigned long long)d->ticks[k]);
	}
}

/* Where others can take the time, more gaps than our own counters explain are no contradiction. */
static void judge_mixed(const struct gap_evidence *e, struct gap_verdict *v)
{
	u64 told = e->smi + e->nmi + e->mce;

	v->each = GAP_UNKNOWN;
	if (told > e->gaps || (told < e->gaps && e->alone)) {
		v->contradicts = true;
		v->n[GAP_UNKNOWN] = e->gaps;
		return;
	}
	v->n[GAP_SMI] = e->smi;
	v->n[GAP_NMI] = e->nmi;
	v->n[GAP_MCE] = e->mce;
	v->n[GAP_STALL] = e->gaps - told;
}

/*
 * The two move in step: within a quarter of what is missing. The host's count leaves out what
 * leaving and entering the guest take, so a gap that is hardly longer than that stays a stall.
 */
static bool steal_explains(const struct gap_evidence *e)
{
	u64 apart = e->steal > e->lost ? e->steal - e->lost : e->lost - e->steal;

	return e->steal_counted && e->steal && e->gaps && apart <= e->lost / 4;
}

void gap_judge(const struct gap_evidence *e, struct gap_verdict *v)
{
	u32 kinds = (e->smi > 0) + (e->nmi > 0) + (e->mce > 0);
	u64 told = e->smi + e->nmi + e->mce;

	*v = (struct gap_verdict){.each = GAP_UNKNOWN};
	if (kinds == 0) {
		v->each = e->alone && e->smi_counted ? GAP_UNKNOWN : GAP_STALL;
		if (steal_explains(e))
			v->each = GAP_PREEMPTED;
		v->n[v->each] = e->gaps;
	} else if (kinds == 1 && (told == e->gaps || e->gaps == 1)) {
		v->each = e->smi ? GAP_SMI : e->nmi ? GAP_NMI : GAP_MCE;
		v->n[v->each] = e->gaps;
		v->contradicts = told != e->gaps;
	} else {
		judge_mixed(e, v);
	}
}

/* In thousandths, rounded outwards. */
static const u16 poisson[COUNT_EXACT + 1][2] = {
	{0, 3000},	{25, 5572},	{242, 7225},	{618, 8768},   {1089, 10242}, {1623, 11669},
	{2201, 13060},	{2814, 14423},	{3453, 15764},	{4115, 17085}, {4795, 18391}, {5491, 19683},
	{6200, 20962},	{6921, 22231},	{7653, 23490},	{8395, 24741}, {9145, 25983}, {9903, 27219},
	{10667, 28448}, {11439, 29671}, {12216, 30889},
};

static u64 root_up(u64 n)
{
	u64 lo = 0, hi = 1ull << 32;

	while (hi - lo > 1) {
		u64 mid = lo + (hi - lo) / 2;

		if (mid * mid < n)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

void count_bounds(u64 n, struct count_bounds *b)
{
	u64 half;

	if (n <= COUNT_EXACT) {
		*b = (struct count_bounds){.lo = poisson[n][0], .hi = poisson[n][1]};
		return;
	}
	half = 2 * root_up(n);
	b->lo = saturate((u128)(n - half) * 1000);
	b->hi = saturate(((u128)n + half + 3) * 1000);
}

static const struct unit {
	u64 seconds;
	const char *name;
} units[] = {{1, "a second"}, {60, "a minute"}, {3600, "an hour"}, {86400, "a day"}};

/* The smallest in which what is said comes to one or more. */
static const struct unit *unit_choose(u64 n, u64 in, u64 tps)
{
	u128 times = n ? n : 1;
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && times * tps * units[i].seconds < in)
		i++;
	return &units[i];
}

/* thousandths / `in` ticks, in tenths a unit, rounded up or down. */
static u64 tenths(u64 thousandths, const struct unit *u, u64 in, u64 tps, bool up)
{
	u128 scaled, product;

	if (!u128_mul((u128)thousandths * u->seconds, tps, &scaled))
		return ~0ull;
	product = u128_div(scaled, in, NULL);
	if (product * in != scaled && up)
		product++;
	return saturate(u128_div(product + (up ? 99 : 0), 100, NULL));
}

/* n / `in` ticks, in tenths a unit, the nearest. */
static u64 tenths_nearest(u64 n, const struct unit *u, u64 in, u64 tps)
{
	u128 scaled;

	if (!u128_mul((u128)n * 10 * u->seconds, tps, &scaled))
		return ~0ull;
	return saturate(u128_div_round(scaled, in));
}

static void tenths_fmt(struct text *t, u64 x)
{
	fmt(t, "%llu.%llu", (unsigned long long)(x / 10), (unsigned long long)(x % 10));
}

void rate_fmt(struct text *t, u64 n, const char *what, u64 in, u64 tps)
{
	const struct unit *u;
	struct count_bounds b;

	count_bounds(n, &b);
	fmt(t, "%llu %s in ", (unsigned long long)n, what);
	duration_fmt(t, in, tps);
	if (!in)
		return;
	u = unit_choose(n, in, tps);
	if (n == 0 && tps) {
		fmt(t, ": below %llu %s (95%%)",
		    (unsigned long long)((tenths(b.hi, u, in, tps, true) + 9) / 10), u->name);
	} else if (n == 0) {
		text_str(t, ": below 3 in as many (95%)");
	} else if (tps) {
		text_str(t, ": ");
		tenths_fmt(t, tenths_nearest(n, u, in, tps));
		fmt(t, " %s (95%%: ", u->name);
		tenths_fmt(t, tenths(b.lo, u, in, tps, false));
		text_str(t, " to ");
		tenths_fmt(t, tenths(b.hi, u, in, tps, true));
		text_str(t, ")");
	} else {
		text_str(t, " (95%: ");
		tenths_fmt(t, b.lo / 100);
		text_str(t, " to ");
		tenths_fmt(t, (b.hi + 99) / 100);
		text_str(t, " in as many)");
	}
}

/* A value in thousandths, one digit behind the point. */
static void decimal_fmt(struct text *t, u64 thousandths, const char *unit)
{
	u64 x = (thousandths + 50) / 100;

	fmt(t, "%llu", (unsigned long long)(x / 10));
	if (x % 10)
		fmt(t, ".%llu", (unsigned long long)(x % 10));
	fmt(t, " %s", unit);
}

/* Rounded down: a time watched must not grow by being printed. */
static void seconds_fmt(struct text *t, u64 ms)
{
	fmt(t, "%llu", (unsigned long long)(ms / 1000));
	if (ms < 10000 && ms % 1000)
		fmt(t, ".%03llu", (unsigned long long)(ms % 1000));
	text_str(t, " s");
}

void duration_fmt(struct text *t, u64 ticks, u64 tps)
{
	u64 ns;

	if (!tps) {
		fmt(t, "%llu ticks", (unsigned long long)ticks);
		return;
	}
	ns = saturate(u128_div_round((u128)ticks * 1000000000, tps));
	if (ns < 1000)
		fmt(t, "%llu ns", (unsigned long long)ns);
	else if (ns < 999950) /* what would be rounded to 1000 has the next unit */
		decimal_fmt(t, ns, "us");
	else if (ns < 999950000)
		decimal_fmt(t, ns / 1000, "ms");
	else
		seconds_fmt(t, ns / 1000000);
}

bool gap_limit_ticks(const struct amount *limit, u64 tps, u64 *ticks)
{
	static const u64 in_a_second[] = {
		[GAP_NS] = 1000000000, [GAP_US] = 1000000, [GAP_MS] = 1000, [GAP_S] = 1};

	if (limit->unit == GAP_TICKS) {
		*ticks = limit->n;
		return true;
	}
	if (!tps)
		return false;
	*ticks = saturate(u128_div((u128)limit->n * tps, in_a_second[limit->unit], NULL));
	return true;
}

bool rate_above(u64 n, u64 in, u64 tps, const struct amount *limit)
{
	static const u64 seconds[] = {[RATE_SECOND] = 1, [RATE_MINUTE] = 60, [RATE_HOUR] = 3600};
	u128 had, allowed = (u128)limit->n * in;

	/* More than 128 bits are more than a product of two 64-bit numbers can allow. */
	return !u128_mul((u128)n * tps, seconds[limit->unit], &had) || had > allowed;
}
