// SPDX-License-Identifier: MIT
/* Which method to use here. Pure: recorded series are tests. */
#include "result.h"

#include "fmt.h"

enum reject { REJECT_NONE, REJECT_SKIPPED, REJECT_UNIT, REJECT_BACKWARDS, REJECT_MOVES, N_REJECTS };

static const char *const reject_text[N_REJECTS] = {
	[REJECT_SKIPPED] = "not measured",
	[REJECT_UNIT] = "unit is not ticks",
	[REJECT_BACKWARDS] = "has samples that run backwards",
	[REJECT_MOVES] = "min moves with the preamble",
};

/* By a step or more between any two preambles. One preamble alone cannot show it. */
static bool min_moves(const struct candidate *c, u64 step)
{
	u64 low = ~0ull, high = 0;

	for (u32 i = 0; i < c->n_pre && i < ARRAY_SIZE(c->min_pre); i++) {
		low = c->min_pre[i] < low ? c->min_pre[i] : low;
		high = c->min_pre[i] > high ? c->min_pre[i] : high;
	}
	return high > low && high - low >= step;
}

static enum reject reject_of(const struct candidate *c, u64 step)
{
	if (!c->measured)
		return REJECT_SKIPPED;
	if (!c->ticks)
		return REJECT_UNIT;
	if (c->backwards)
		return REJECT_BACKWARDS;
	if (min_moves(c, step))
		return REJECT_MOVES;
	return REJECT_NONE;
}

const char *recommend_reject(const struct candidate *c, u64 step)
{
	return reject_text[reject_of(c, step)];
}

/* An overflowed variance is above every other. */
static bool var_less(const struct variance *a, const struct variance *b)
{
	if (a->overflow || b->overflow)
		return !a->overflow;
	return a->whole != b->whole ? a->whole < b->whole : a->milli < b->milli;
}

/* Is v less than one step squared above the lowest? Whole steps: the fraction is only a borrow. */
static bool var_ties(const struct variance *v, const struct variance *lowest, u64 step)
{
	if (v->overflow || lowest->overflow)
		return v->overflow == lowest->overflow;
	return v->whole - lowest->whole - (v->milli < lowest->milli) < (u128)step * step;
}

/* Is a to be preferred to b, which stands before it in the table and ties in variance? */
static bool better(const struct candidate *a, const struct candidate *b)
{
	if (a->resolution != b->resolution)
		return a->resolution - 1 < b->resolution - 1; /* unknown wraps to the largest */
	if (a->min != b->min)
		return a->min < b->min;
	return a->symmetric && !b->symmetric;
}

static const struct candidate *lowest_variance(const struct candidate *c, size_t n, u64 step)
{
	const struct candidate *low = NULL;

	for (size_t i = 0; i < n; i++) {
		if (reject_of(&c[i], step) != REJECT_NONE)
			continue;
		if (!low || var_less(&c[i].var_min, &low->var_min))
			low = &c[i];
	}
	return low;
}

static void say_why(struct text *t, const struct candidate *c, const struct candidate *low)
{
	bool lowest = !var_less(&low->var_min, &c->var_min);

	text_str(t, lowest ? "lowest variance of minima (" : "variance of minima (");
	variance_fmt(t, &c->var_min);
	text_str(t, c->var_min.overflow ? ")" : " ticks^2)");
	if (!lowest) {
		text_str(t, " within one step squared of the lowest (");
		variance_fmt(t, &low->var_min);
		text_str(t, ")");
	}
	if (c->resolution)
		fmt(t, ", resolution %llu", (unsigned long long)c->resolution);
	else
		text_str(t, ", resolution unknown");
	fmt(t, ", min %llu ticks; %s", (unsigned long long)c->min,
	    c->symmetric ? "symmetric" : "asymmetric");
}

static void say_none(struct text *t, const struct candidate *c, size_t n, u64 step)
{
	size_t count[N_REJECTS] = {0};
	const char *comma = ": ";

	text_str(t, n ? "no method is eligible" : "no method was measured");
	for (size_t i = 0; i < n; i++)
		count[reject_of(&c[i], step)]++;
	for (int i = REJECT_NONE + 1; i < N_REJECTS; i++) {
		if (!count[i])
			continue;
		fmt(t, "%s%zu %s", comma, count[i], reject_text[i]);
		comma = ", ";
	}
}

/*
 * "Ties within a step squared" is not transitive: 0, 3 and 6 at a step of 2 would depend on who
 * meets whom first. So all that lie within it of the lowest variance stay in the race, no others,
 * and the rest of the rule is a strict order among them.
 */
static const struct candidate *winner(const struct candidate *c, size_t n, u64 step,
				      const struct candidate *low)
{
	const struct candidate *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (reject_of(&c[i], step) != REJECT_NONE)
			continue;
		if (!var_ties(&c[i].var_min, &low->var_min, step))
			continue;
		if (!best || better(&c[i], best))
			best = &c[i];
	}
	return best;
}

void recommend(const struct candidate *c, size_t n, u64 step, struct recommendation *out)
{
	struct text t = {.at = out->reason, .cap = sizeof(out->reason) - 1};
	const struct candidate *low, *best;

	if (!step)
		step = 1;
	low = lowest_variance(c, n, step);
	if (low) {
		best = winner(c, n, step, low);
		out->id = best->id;
		out->is_default = false;
		say_why(&t, best, low);
	} else {
		out->id = "5";
		out->is_default = true;
		say_none(&t, c, n, step);
	}
	out->reason[t.len] = '\0';
}
