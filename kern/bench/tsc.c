// SPDX-License-Identifier: MIT
/*
 * The tsc suite: each method over workloads and preambles, the step, the recommendation. The rule
 * and the meaning of each figure are README "Methods" and "Recommendation".
 */
#include "tsc.h"

#include "list.h"
#include "matrix.h"
#include "mem.h"
#include "needs.h"
#include "pmu.h"
#include "ruler.h"
#include "suites.h"

#define BUDGET_METAL 300 /* seconds */
#define BUDGET_GUEST 60

static bool work_wanted(const struct tsc_suite *s, enum seq_workload w)
{
	return list_has(s->run->options->workload, seq_workload_name[w]);
}

/* Returns how many methods there are to measure. */
static u32 choose_methods(struct tsc_suite *s)
{
	const struct machine *m = s->run->machine;
	const char *list = s->run->options->method;
	const char *pmu_why = NULL;
	u32 chosen = 0;

	if (list_has(list, "9"))
		pmu_open(m, &pmu_why);
	for (u32 i = 0; i < SEQ_METHODS; i++) {
		struct method_state *ms = &s->method[i];

		ms->m = &seq_method[i];
		ms->candidate = (struct candidate){.id = ms->m->id};
		ms->skip = list_has(list, ms->m->id) ? needs_missing(m, ms->m->needs, pmu_why)
						     : "not asked for";
		chosen += !ms->skip;
	}
	return chosen;
}

/* How many series a method takes: the budget multiplies it with the pilot's cost. */
static void count_series(const struct tsc_suite *s, struct plan_cost *c)
{
	const u64 preambles = run_detail_full(s->run) ? PREAMBLES : 1;

	c->series = work_wanted(s, WORK_EMPTY) ? PREAMBLES + 1 : 0;
	c->series += work_wanted(s, WORK_STORE) ? preambles : 0;
	c->series += work_wanted(s, WORK_ADD) ? preambles : 0;
	c->loops = work_wanted(s, WORK_LOOP) ? preambles : 0;
}

static u64 budget_ticks(const struct run *run)
{
	u64 seconds = run->options->budget;

	if (seconds == OPTION_UNSET)
		seconds = run->machine->hypervisor || run->machine->process ? BUDGET_GUEST
									    : BUDGET_METAL;
	return seconds * env_ticks_per_second();
}

static void plan_methods(struct tsc_suite *s)
{
	const struct options *o = s->run->options;
	struct plan_cost costs[SEQ_METHODS];
	struct plan plans[SEQ_METHODS];
	u64 min;

	for (u32 i = 0; i < SEQ_METHODS; i++) {
		struct plan_cost *c = &costs[i];

		*c = (struct plan_cost){0};
		if (s->method[i].skip)
			continue;
		count_series(s, c);
		c->per_sample = trial_pilot(s->run, &s->buffers,
					    seq_find(i, WORK_EMPTY, PRE_NONE, FORM_MEM),
					    s->scratch_hist[0], &min);
	}
	_Static_assert(SEQ_METHODS <= PLAN_MAX, "plan_budget() takes no more");
	plan_budget(plans, costs, SEQ_METHODS, &s->full, budget_ticks(s->run),
		    o->lines != OPTION_UNSET || o->samples != OPTION_UNSET);
	for (u32 i = 0; i < SEQ_METHODS; i++) {
		s->method[i].cost = costs[i];
		s->method[i].plan = plans[i];
	}
}

static void trial_name(struct trial *t, const struct method_state *ms, u32 method,
		       enum seq_workload w, enum seq_preamble p, enum seq_form f)
{
	t->code = seq_find(method, w, p, f);
	t->twin = w == WORK_EMPTY ? NULL : seq_find(method, WORK_EMPTY, p, f);
	t->s = (struct series){
		.method = ms->m->id,
		.form = seq_form_name[f],
		.workload = seq_workload_name[w],
		.preamble = seq_preamble_name[p],
		.unit = ms->m->ticks ? "ticks" : "cycles",
		.lines = w == WORK_LOOP ? ms->plan.loop_lines : ms->plan.lines,
		.samples = ms->plan.samples,
		.trimmed = ms->plan.trimmed,
		.grows = w == WORK_LOOP,
	};
}

/* The empty series under every preamble, line by line in turn. */
static void measure_empty(struct tsc_suite *s, u32 i)
{
	static struct trial t[PREAMBLES];
	struct method_state *ms = &s->method[i];
	struct candidate *c = &ms->candidate;

	for (u32 p = 0; p < PREAMBLES; p++) {
		trial_name(&t[p], ms, i, WORK_EMPTY, p, FORM_MEM);
		t[p].acc.hist = p == PRE_NONE ? ms->hist : s->scratch_hist[p];
	}
	trial_measure(s->run, &s->buffers, t, PREAMBLES, &s->disturbance);
	for (u32 p = 0; p < PREAMBLES; p++) {
		tsc_series_report(s, ms, &t[p]);
		ms->minima.min[MINIMA_PREAMBLE + p] = c->min_pre[p] = t[p].s.min;
		c->backwards += t[p].s.backwards;
	}
	ms->base = t[PRE_NONE].s;
	c->measured = ms->base.n > 0;
	c->ticks = ms->m->ticks;
	c->symmetric = ms->m->symmetric;
	c->n_pre = PREAMBLES;
	c->var_min = ms->base.var_min;
	c->min = ms->base.min;
}

/* One series of its own; its figures stay in *t. */
static void measure_one(struct tsc_suite *s, u32 i, enum seq_workload w, enum seq_preamble p,
			enum seq_form f, struct trial *t)
{
	trial_name(t, &s->method[i], i, w, p, f);
	t->acc.hist = s->scratch_hist[0];
	trial_measure(s->run, &s->buffers, t, 1, &s->disturbance);
	tsc_series_report(s, &s->method[i], t);
	s->method[i].candidate.backwards += t->s.backwards;
}

static void measure_workload(struct tsc_suite *s, u32 i, enum seq_workload w)
{
	static const enum minima_column column[WORKLOADS] = {
		[WORK_STORE] = MINIMA_STORE,
		[WORK_ADD] = MINIMA_ADD,
		[WORK_LOOP] = MINIMA_LOOP,
	};
	static struct trial t;
	struct minima_row *row = &s->method[i].minima;

	for (u32 p = 0; p < (run_detail_full(s->run) ? PREAMBLES : 1); p++) {
		measure_one(s, i, w, p, FORM_MEM, &t);
		if (p != PRE_NONE)
			continue;
		row->min[column[w]] = t.s.min;
		row->min[MINIMA_OVERHEAD] = t.s.overhead;
		row->overhead_stable &= t.s.overhead_stable;
		if (w == WORK_LOOP)
			row->resolution = s->method[i].candidate.resolution = t.s.resolution;
	}
}

static void measure_method(struct tsc_suite *s, u32 i)
{
	static struct trial t;
	struct method_state *ms = &s->method[i];

	ms->minima = (struct minima_row){
		.method = ms->m->id, .resolution = ~0ull, .overhead_stable = true};
	for (u32 c = 0; c < TABLE_MINIMA; c++)
		ms->minima.min[c] = ~0ull;
	if (work_wanted(s, WORK_EMPTY)) {
		measure_empty(s, i);
		measure_one(s, i, WORK_EMPTY, PRE_NONE, FORM_REG, &t);
		ms->minima.min[MINIMA_REG] = t.s.min;
	}
	for (enum seq_workload w = WORK_STORE; w < WORKLOADS; w++)
		if (work_wanted(s, w))
			measure_workload(s, i, w);
	tsc_rows_report(s, ms);
}

static bool suite_open(struct tsc_suite *s)
{
	u64 wanted;

	plan_geometry(&s->full, s->run->profile, s->run->options);
	if (!buffers_open(&s->buffers, s->full.samples, &wanted)) {
		verdict_add(s->run->verdict, "tsc.memory", STATUS_FAILED,
			    "samples=%llu needs %llu bytes, %llu are left",
			    (unsigned long long)s->full.samples, (unsigned long long)wanted,
			    (unsigned long long)env_arena_left());
		return false;
	}
	for (u32 p = 0; p < PREAMBLES; p++)
		s->scratch_hist[p] = env_alloc(sizeof(struct hist), 64);
	for (u32 i = 0; i < SEQ_METHODS; i++)
		s->method[i].hist = env_alloc(sizeof(struct hist), 64);
	if (s->method[SEQ_METHODS - 1].hist)
		return true;
	verdict_add(s->run->verdict, "tsc.memory", STATUS_FAILED,
		    "%zu histograms of %zu bytes, %llu bytes are left",
		    (size_t)(SEQ_METHODS + PREAMBLES), sizeof(struct hist),
		    (unsigned long long)env_arena_left());
	return false;
}

static void methods_run(struct tsc_suite *s, u64 redo)
{
	plan_methods(s);
	tsc_estimate_report(s);
	for (u32 i = 0; i < SEQ_METHODS; i++) {
		if (s->method[i].skip)
			continue;
		s->run->redo_left += redo / s->chosen;
		tsc_left_report(s, i);
		measure_method(s, i);
	}
	pmu_close();
}

static void tsc_run(struct run *run)
{
	static struct tsc_suite suite;
	struct tsc_suite *s = &suite;
	struct ruler ruler;
	/* Instead of all methods, never among them: see options.c. */
	const bool matrix = str_is(run->options->method, "matrix");
	/* Each has its share, and what those before it left: else the first would spend it all. */
	const u64 redo = budget_ticks(run) / 2;

	memset(s, 0, sizeof(*s));
	s->run = run;
	if (!suite_open(s))
		return;
	s->chosen = choose_methods(s);
	if (s->chosen == 0 && !matrix) {
		tsc_methods_check(s);
		return;
	}
	run->measured = true;
	run->redo_left = 0;
	ruler_take(&ruler);
	ruler_report(run, "tsc.before", &ruler);
	if (matrix)
		s->backwards =
			matrix_run(run, &s->buffers, s->scratch_hist[0], redo, &s->disturbance);
	else
		methods_run(s, redo);
	ruler_take(&ruler);
	ruler_report(run, "tsc.after", &ruler);
	tsc_report(s);
}

const struct bench tsc_bench = {
	.name = "tsc",
	.doc = "TSC read methods: cost, noise, resolution; which to use",
	.run = tsc_run,
};
