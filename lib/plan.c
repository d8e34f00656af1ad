// SPDX-License-Identifier: MIT
/* Geometry and time budget: see plan.h. */
#include "plan.h"

#include "u128.h"

#define SAMPLES_LEAST 16
#define LINES_LEAST   4
#define LOOP_LINES    64

void plan_geometry(struct plan *p, enum profile profile, const struct options *o)
{
	static const struct plan by_profile[] = {
		[PROFILE_QUICK] = {.lines = 16, .samples = 200},
		[PROFILE_STANDARD] = {.lines = 1000, .samples = 10000},
		[PROFILE_SOAK] = {.lines = 1024, .samples = 16384},
	};

	*p = by_profile[profile];
	p->loop_lines = p->lines < LOOP_LINES ? p->lines : LOOP_LINES;
	if (o->lines != OPTION_UNSET)
		p->lines = p->loop_lines = o->lines;
	if (o->samples != OPTION_UNSET)
		p->samples = o->samples;
}

u64 plan_ticks(const struct plan *p, const struct plan_cost *c)
{
	u128 lines = (u128)c->series * p->lines + (u128)c->loops * p->loop_lines;
	u128 ticks = lines * p->samples * c->per_sample;

	return ticks > ~0ull ? ~0ull : (u64)ticks;
}

/* value * num / den, at least `least`, never more than value. */
static u64 scale(u64 value, u64 num, u64 den, u64 least)
{
	u64 v = (u64)u128_div((u128)value * num, den, NULL);

	if (v < least)
		v = least;
	return v < value ? v : value;
}

static void plan_cut(struct plan *p, const struct plan_cost *c, u64 share)
{
	u64 need = plan_ticks(p, c);

	p->trimmed = true;
	p->samples = scale(p->samples, share, need, SAMPLES_LEAST);
	need = plan_ticks(p, c);
	p->loop_lines = scale(p->loop_lines, share, need, LINES_LEAST);
	p->lines = scale(p->lines, share, need, LINES_LEAST);
}

void plan_budget(struct plan *plans, const struct plan_cost *costs, size_t n,
		 const struct plan *full, u64 budget, bool obey)
{
	bool settled[PLAN_MAX] = {false};
	u64 left = budget, open = n;
	bool again;

	for (size_t i = 0; i < n; i++)
		plans[i] = *full;
	if (obey)
		return;
	do {
		again = false;
		for (size_t i = 0; i < n; i++) {
			u64 need = plan_ticks(full, &costs[i]); /* 0 of what is not measured */

			if (settled[i] || need > left / open)
				continue;
			settled[i] = again = true;
			left -= need;
			open--;
		}
	} while (again && open);
	for (size_t i = 0; i < n; i++)
		if (!settled[i])
			plan_cut(&plans[i], &costs[i], left / open);
}
