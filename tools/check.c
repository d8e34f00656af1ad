// SPDX-License-Identifier: MIT
/*
 * The rules by which a figure is the same, better or worse. A value that is only known within
 * bounds, and the middle of an even number of runs, are intervals: a change is the distance between
 * two intervals, in whole units of the figure, and all comparing is of products of integers.
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_build.h"
#include "ranks.h"
#include "run_build.h"

/* As many outliers as large as the largest a log may have, in place of the one that is known. */
#define REACHES 8

const char *check_verdict_name(enum check_verdict v)
{
	static const char *const names[] = {"SAME",	"IMPROVED", "NEW",
					    "UNSTABLE", "MISSING",  "REGRESSION"};

	return names[v];
}

static void __attribute__((format(printf, 3, 4)))
row_say(struct check_row *row, enum check_verdict v, const char *format, ...)
{
	va_list args;

	row->verdict = v;
	va_start(args, format);
	vsnprintf(row->reason, sizeof(row->reason), format, args);
	va_end(args);
}

/* ---- the two sides of a figure */

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct values {
	size_t n;
	u64 *lo, *hi; /* sorted each by itself */
};

static struct values values_of(const struct held_list *h, bool settled_only)
{
	struct values v = {.lo = vector_of(h->n, sizeof(u64)), .hi = vector_of(h->n, sizeof(u64))};

	for (size_t i = 0; i < h->n; i++) {
		const struct figure *f = &h->at[i]->f;

		if (settled_only && h->at[i]->unsettled)
			continue;
		v.lo[v.n] = f->value;
		v.hi[v.n++] = f->value + f->slack < f->value ? ~0ull : f->value + f->slack;
	}
	qsort(v.lo, v.n, sizeof(u64), by_value);
	qsort(v.hi, v.n, sizeof(u64), by_value);
	return v;
}

static void values_free(struct values *v)
{
	free(v->lo);
	free(v->hi);
}

static struct middle middle_of(const struct values *v)
{
	if (v->n == 0)
		return (struct middle){0};
	return (struct middle){v->n, v->lo[(v->n - 1) / 2], v->hi[v->n / 2]};
}

/* The upper median of how far the values lie outside of their own middle. */
static u64 deviation_of(const struct values *v, const struct middle *m)
{
	u64 *off = vector_of(v->n, sizeof(u64)), mad;

	for (size_t i = 0; i < v->n; i++) {
		u64 below = v->lo[i] < m->lo ? m->lo - v->lo[i] : 0;
		u64 above = v->hi[i] > m->hi ? v->hi[i] - m->hi : 0;

		off[i] = below > above ? below : above;
	}
	qsort(off, v->n, sizeof(u64), by_value);
	mad = off[v->n / 2];
	free(off);
	return mad;
}

/* ---- one figure */

struct judging {
	const struct check_group *group;
	const struct held_list *base, *now;
	struct values base_values, now_values;
	struct check_row *row;
};

static u64 saturated(u128 value)
{
	return value > ~0ull ? ~0ull : (u64)value;
}

static bool beyond(const struct judging *j, u64 factor_milli)
{
	const struct check_row *row = j->row;
	const u128 from = row->up ? row->base.hi : row->base.lo;
	const u128 change = j->row->change, abs = row->limit.abs, rel = row->limit.rel;

	/* change / scale > abs / 1000 * factor and change > from * rel / 100,000 * factor; the
	 * bounds on what limits.c takes keep all products within 128 bits. */
	return change * 1000000 > abs * row->scale * factor_milli &&
	       change * 100000000 > from * rel * factor_milli;
}

static void noise_find(struct judging *j)
{
	struct check_row *row = j->row;

	if (j->base_values.n >= RANKS_MIN && j->now_values.n >= RANKS_MIN) {
		row->noise_kind = NOISE_RANKS;
	} else if (j->base_values.n >= NOISE_MIN) {
		u128 mad = deviation_of(&j->base_values, &row->base);

		row->noise_kind = NOISE_MAD;
		row->noise = saturated(mad * row->limit.mad / 1000);
	}
}

static bool within_noise(struct judging *j)
{
	const struct check_row *row = j->row;
	struct values *low = j->row->up ? &j->base_values : &j->now_values;
	struct values *high = j->row->up ? &j->now_values : &j->base_values;

	if (row->noise_kind == NOISE_RANKS)
		return !ranks_above(high->lo, high->n, low->hi, low->n);
	return row->noise_kind == NOISE_MAD && j->row->change <= row->noise;
}

static u64 reach_of(const struct held_list *list, bool *known)
{
	u64 most = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->at[i]->unsettled)
			continue;
		*known &= list->at[i]->has_reach;
		most = list->at[i]->reach > most ? list->at[i]->reach : most;
	}
	return most;
}

/* An average or a variance: would outliers such as the largest there was make that change? */
static bool outliers_explain(const struct judging *j)
{
	bool known = true;
	u64 base = reach_of(j->base, &known), now = reach_of(j->now, &known);

	return known && j->row->change <= (u128)(base > now ? base : now) * REACHES;
}

/* A turn of the loop takes about a tick, and is told from none by ticks. */
static bool is_of_clock(const struct check_row *row)
{
	return !strcmp(row->unit, "ticks") || !strcmp(row->unit, "turns");
}

/*
 * Clock or sibling moved within the runs themselves. What that alone may make of the lower value is
 * the least to be passed, by as much as the limits ask for.
 */
static bool clock_explains(const struct judging *j)
{
	const struct check_row *row = j->row;
	const struct explained *e = row->up ? &j->group->up : &j->group->down;
	/* What is bound by latency alone, the least time between two reads, no sibling slows. */
	const bool latency = row->class == FIGURE_FLOOR && !strncmp(row->name, "tsc.", 4);
	const u64 high = row->up ? row->now.lo : row->base.lo;
	const u128 low = row->up ? row->base.hi : row->now.hi;
	const u128 moved = low * (latency ? e->clock : e->all) / EXPLAINS_NOTHING;

	if (!j->group->moved || !is_of_clock(row))
		return false;
	return high <= moved || (high - moved) * 1000 <= (u128)row->limit.abs * row->scale ||
	       (high - moved) * 100000 <= moved * row->limit.rel;
}

static bool outliers_move(const struct check_row *row)
{
	return row->class != FIGURE_FLOOR && row->class != FIGURE_TYPICAL;
}

/*
 * Where the runs do not tell the noise: may the change be taken for one? Says why not. A tail's
 * noise is rare events, of which a median deviation of a few runs knows nothing: only ranks tell.
 */
static bool tells_alone(const struct judging *j)
{
	struct check_row *row = j->row;
	const bool host = j->group->moved && party_is_emulated(j->group->now.at[0]);
	const bool hidden = row->limit.abs && (host ? row->class != FIGURE_FLOOR
						    : j->group->moved && outliers_move(row));

	if (outliers_explain(j))
		row_say(row, CHECK_UNSTABLE, "a few outliers explain it");
	else if (row->limit.alone == LIMIT_NEVER || hidden)
		row_say(row, CHECK_UNSTABLE, "told only by %d runs or more",
			outliers_move(row) ? RANKS_MIN : NOISE_MIN);
	else if (!beyond(j, row->limit.alone))
		row_say(row, CHECK_UNSTABLE, "too small a change for %zu baseline run%s of it",
			row->base.n, plural(row->base.n));
	return row->verdict != CHECK_UNSTABLE;
}

static void judge_change(struct judging *j)
{
	struct check_row *row = j->row;
	const bool worse = j->row->up == (row->better == FIGURE_LOWER);

	if (!beyond(j, 1000))
		return;
	if (within_noise(j)) {
		row_say(row, CHECK_SAME, "within the noise of the baseline's %zu runs",
			row->base.n);
		return;
	}
	if ((row->noise_kind == NOISE_UNKNOWN ||
	     (row->noise_kind == NOISE_MAD && outliers_move(row))) &&
	    !tells_alone(j))
		return;
	if (row->noise_kind != NOISE_RANKS && clock_explains(j)) {
		row_say(row, CHECK_UNSTABLE, "core clock or a sibling thread moved as far");
		return;
	}
	row->verdict = worse ? CHECK_REGRESSION : CHECK_IMPROVED;
}

/* The same values are the same, settled or not: a log is no worse than itself. */
static bool equal_as_they_are(const struct judging *j)
{
	struct values base = values_of(j->base, false), now = values_of(j->now, false);
	struct middle b = middle_of(&base), n = middle_of(&now);
	bool equal = b.lo == n.lo && b.hi == n.hi;

	if (equal) {
		j->row->base = b;
		j->row->now = n;
	}
	values_free(&base);
	values_free(&now);
	return equal;
}

static void judge_settled(struct judging *j)
{
	struct check_row *row = j->row;

	row->base = middle_of(&j->base_values);
	row->now = middle_of(&j->now_values);
	if (!row->now.n) {
		row_say(row, CHECK_UNSTABLE, "it did not settle");
		return;
	}
	if (!row->base.n) {
		row_say(row, CHECK_UNSTABLE, "it did not settle in any baseline run");
		return;
	}
	noise_find(j);
	j->row->up = row->now.lo > row->base.hi;
	if (!j->row->up && row->now.hi >= row->base.lo)
		return;
	j->row->change = j->row->up ? row->now.lo - row->base.hi : row->base.lo - row->now.hi;
	judge_change(j);
}

static bool unit_is_one(const struct judging *j)
{
	const struct figure *first = &j->base->at[0]->f;

	for (size_t i = 0; i < j->base->n + j->now->n; i++) {
		const struct figure *f =
			i < j->base->n ? &j->base->at[i]->f : &j->now->at[i - j->base->n]->f;

		if (strcmp(f->unit, first->unit) != 0 || f->scale != first->scale)
			return false;
	}
	return true;
}

/* Two steps of the clock are none, whatever the limit. */
static void limit_find(const struct comparison *c, const struct check_group *g,
		       struct check_row *row)
{
	const u128 steps = (u128)g->step * 2000;

	limits_for(c->limits, row->name, row->class, &row->limit);
	if (is_of_clock(row) && row->limit.abs < steps)
		row->limit.abs = saturated(steps);
	if (g->moved)
		row->limit.rel *= WIDER;
}

static void judge_both(const struct comparison *c, struct judging *j)
{
	struct check_row *row = j->row;

	limit_find(c, j->group, row);
	if (equal_as_they_are(j))
		return;
	if (!unit_is_one(j)) {
		row_say(row, CHECK_UNSTABLE, "its unit is not the same in all runs");
		return;
	}
	if (!row->limit.judge) {
		row_say(row, CHECK_SAME, "not judged");
		return;
	}
	j->base_values = values_of(j->base, true);
	j->now_values = values_of(j->now, true);
	judge_settled(j);
	values_free(&j->base_values);
	values_free(&j->now_values);
}

/* Another method is recommended, and the suite that uses it speaks of another thing. */
static bool method_moved(const struct check_group *g, const char *name)
{
	const char *method = name + strlen("stability.");
	size_t len = strcspn(method, ".");

	if (strncmp(name, "stability.", strlen("stability.")) != 0)
		return false;
	for (size_t i = 0; i < g->now.n; i++) {
		const char *now = g->now.at[i]->run->stability.s.method;

		if (g->now.at[i]->run->stability.seq && now &&
		    (strlen(now) != len || strncmp(now, method, len) != 0))
			return true;
	}
	return false;
}

static void judge_missing(struct judging *j)
{
	struct check_row *row = j->row;

	if (j->base->n < j->group->base.n)
		row_say(row, CHECK_UNSTABLE, "only %zu of %zu baseline runs have it", j->base->n,
			j->group->base.n);
	else if (method_moved(j->group, row->name))
		row_say(row, CHECK_UNSTABLE, "another method is recommended now");
	else if (!strcmp(figure_key(row->name), "resolution"))
		row_say(row, CHECK_UNSTABLE, "no loop size was told apart from none");
	else
		row_say(row, CHECK_MISSING, "the baseline has it");
}

void row_judge(const struct comparison *c, const struct check_group *g,
	       const struct held_list *base, const struct held_list *now, struct check_row *row)
{
	const struct figure *f = base->n ? &base->at[0]->f : &now->at[0]->f;
	struct judging j = {.group = g, .base = base, .now = now, .row = row};
	struct values v = {0};

	*row = (struct check_row){.name = f->name,
				  .unit = f->unit,
				  .scale = f->scale,
				  .class = f->class,
				  .better = f->better};
	if (base->n && now->n) {
		judge_both(c, &j);
		return;
	}
	limit_find(c, g, row);
	v = values_of(base->n ? base : now, false);
	*(base->n ? &row->base : &row->now) = middle_of(&v);
	values_free(&v);
	if (!row->limit.judge)
		row_say(row, CHECK_SAME, "not judged");
	else if (!now->n)
		judge_missing(&j);
	else
		row->verdict = CHECK_NEW;
}

/* ---- result lines */

static bool results_lost(const struct check_group *g)
{
	for (size_t i = 0; i < g->now.n; i++)
		if (g->now.at[i]->run->n_checks < g->now.at[i]->run->planned)
			return true;
	return false;
}

static const char *status_word(int status)
{
	static const char *const words[] = {"ok", "SKIP", "unstable", "not ok", "error"};

	return status < 0 ? "" : words[status];
}

/* Unstable is still ok to the kernel, unless strict; so is it here. */
void result_judge(const struct check_group *g, const struct result_sides *r, struct check_row *row)
{
	const int base = r->base, now = r->now;

	row->base_word = status_word(base);
	row->now_word = status_word(now);
	if (base < 0)
		row_say(row, CHECK_NEW, "%s", r->reason);
	else if (now < 0 && results_lost(g))
		row_say(row, CHECK_UNSTABLE, "result lines of the log are lost");
	else if (now < 0)
		row_say(row, CHECK_MISSING, "no such result");
	else if (now == base || (now == STATUS_SKIP && r->base_skips))
		row->verdict = CHECK_SAME;
	else if (now == STATUS_SKIP && base == STATUS_OK && !party_is_emulated(g->now.at[0]))
		row_say(row, CHECK_MISSING, "%s", r->reason);
	else if (now == STATUS_SKIP)
		row_say(row, CHECK_UNSTABLE, "%s", r->reason);
	else if (now >= STATUS_FAILED && now > base)
		row_say(row, CHECK_REGRESSION, "%s", r->reason);
	else if (now == STATUS_UNSTABLE && base < now)
		row_say(row, CHECK_UNSTABLE, "%s", r->reason);
	else
		row->verdict = base == STATUS_SKIP ? CHECK_NEW : CHECK_IMPROVED;
}

/* ---- printing */

void middle_fmt(struct text *t, const struct middle *m, const struct check_row *row)
{
	struct figure f = {.unit = row->unit, .scale = row->scale, .value = m->lo};

	f.overflow = row->scale != 1 && m->lo == ~0ull;
	figure_fmt(t, &f);
	if (m->hi == m->lo)
		return;
	text_str(t, "..");
	f.value = m->hi;
	f.overflow = row->scale != 1 && m->hi == ~0ull;
	figure_fmt(t, &f);
}
