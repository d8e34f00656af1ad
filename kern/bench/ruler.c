// SPDX-License-Identifier: MIT
/* Ruler and canary: see ruler.h. */
#include "ruler.h"

#define RULER_PASSES  5
#define CANARY_GROUPS 8
#define CANARY_GROUP  4

static u64 u64_min(u64 a, u64 b)
{
	return a < b ? a : b;
}

/*
 * The canary is some 1,600 ticks long. Where the TSC moves in steps of 20 the two reads put single
 * passes up to two steps below their time, now and then: the lowest pass would move by 4% by
 * itself.
 */
static void canary_take(struct ruler *r)
{
	u64 first;

	r->nops_ticks = ~0ull;
	r->nops_equal = true;
	seq_canary();
	first = seq_canary();
	for (int i = 0; i < CANARY_GROUPS; i++) {
		u64 sum = 0;

		for (int k = 0; k < CANARY_GROUP; k++) {
			u64 t = seq_canary();

			r->nops_equal &= t == first;
			sum += t;
		}
		r->nops_ticks = u64_min(r->nops_ticks, sum / CANARY_GROUP);
	}
}

void ruler_take(struct ruler *r)
{
	*r = (struct ruler){.adds_ticks = ~0ull};
	seq_ruler(RULER_ADDS);
	for (int i = 0; i < RULER_PASSES; i++)
		r->adds_ticks = u64_min(r->adds_ticks, seq_ruler(RULER_ADDS));
	canary_take(r);
}

#define PILOT_RULERS 16

void ruler_pilot(struct run *run)
{
	u64 adds[PILOT_RULERS], nops[PILOT_RULERS], median;
	struct ruler r;

	if (run_emulated(run))
		return;
	for (int i = 0; i < PILOT_RULERS; i++) {
		ruler_take(&r);
		adds[i] = r.adds_ticks;
		nops[i] = r.nops_ticks;
	}
	run->noise.adds = stats_mad(adds, PILOT_RULERS, &median);
	run->noise.nops = stats_mad(nops, PILOT_RULERS, &median);
}

static bool value_moved(u64 a, u64 b, u64 step, u64 mad)
{
	u64 d = a > b ? a - b : b - a;

	return d * 50 > u64_min(a, b) && d > 2 * (step ? step : 1) && d > 4 * mad;
}

bool ruler_moved(const struct run *run, const struct ruler *a, const struct ruler *b)
{
	u64 step = step_value(&run->step);

	if (run_emulated(run))
		return false;
	return value_moved(a->adds_ticks, b->adds_ticks, step, run->noise.adds) ||
	       value_moved(a->nops_ticks, b->nops_ticks, step, run->noise.nops);
}

void conditions_take(const struct run *run, struct conditions *c)
{
	if (run_emulated(run))
		return;
	ruler_take(&c->ruler);
	env_evidence(&c->evidence);
}

bool conditions_moved(const struct run *run, const struct conditions *a, const struct conditions *b)
{
	const struct evidence *e = &a->evidence, *f = &b->evidence;

	if (run_emulated(run))
		return false;
	return ruler_moved(run, &a->ruler, &b->ruler) || e->nmi != f->nmi || e->mce != f->mce ||
	       e->smi != f->smi;
}

void ruler_report(struct run *run, const char *where, const struct ruler *r)
{
	u64 ratio = ruler_ratio(r);
	struct record *rec = report_record(run->report, "ruler");

	record_word(rec, "where", where);
	record_u64(rec, "adds", RULER_ADDS);
	record_u64(rec, "adds_ticks", r->adds_ticks);
	record_u64(rec, "nops_ticks", r->nops_ticks);
	record_u64(rec, "ratio_e4", ratio);
	report_send(run->report);
	report_text(
		run->report,
		"ruler (%s): %u dependent adds %llu ticks, %llu.%04llu core cycles/tick; canary: "
		"8192 NOPs %llu ticks\n",
		where, RULER_ADDS, (unsigned long long)r->adds_ticks,
		(unsigned long long)(ratio / 10000), (unsigned long long)(ratio % 10000),
		(unsigned long long)r->nops_ticks);
}
