// SPDX-License-Identifier: MIT
/* What the tsc suite found, for people, machines and the verdict. Nothing here measures. */
#include "tsc.h"

#include "list.h"
#include "mem.h"

#define HIST_RECORDS 2 /* of the recommended method, without detail=full */
#define SERIES_BYTES 330
#define LINE_BYTES   110

static bool empty_measured(const struct tsc_suite *s)
{
	return list_has(s->run->options->workload, seq_workload_name[WORK_EMPTY]);
}

static bool is_base(const struct series *x)
{
	return x->workload == seq_workload_name[WORK_EMPTY] &&
	       x->preamble == seq_preamble_name[PRE_NONE] && x->form == seq_form_name[FORM_MEM];
}

void tsc_series_report(struct tsc_suite *s, struct method_state *ms, const struct trial *t)
{
	ms->samples += t->s.n;
	if (ms->m->ticks)
		s->backwards += t->s.backwards;
	if (!run_detail_full(s->run) && !is_base(&t->s)) {
		ms->other[ms->n_others++] = t->s;
		return;
	}
	series_record(report_record(s->run->report, "series"), &t->s);
	report_send(s->run->report);
}

void tsc_rows_report(struct tsc_suite *s, const struct method_state *ms)
{
	u32 i = 0;

	while (i < ms->n_others) {
		struct record *r;
		u32 n = ms->n_others - i;

		/* Wild figures make wide columns: then fewer go into one record. */
		for (;; n = (n + 1) / 2) {
			r = report_record(s->run->report, "rows");
			series_rows_record(r, &ms->other[i], n);
			if (n == 1 || r->t.cut == 0)
				break;
		}
		report_send(s->run->report);
		i += n;
	}
}

/* detail=full has no limit, so it says first what is coming. */
void tsc_estimate_report(const struct tsc_suite *s)
{
	u64 series = 0, bytes;

	if (!s->run->options->detail)
		return;
	for (u32 i = 0; i < SEQ_METHODS; i++)
		if (!s->method[i].skip)
			series += s->method[i].cost.series + s->method[i].cost.loops;
	bytes = series * (SERIES_BYTES + s->full.lines * 2 * LINE_BYTES);
	report_text(s->run->report,
		    "# up to %llu bytes of report, %llu s at 115200 baud, if no two lines agree\n",
		    (unsigned long long)bytes, (unsigned long long)(bytes / 11520));
}

void tsc_left_report(const struct tsc_suite *s, u32 from)
{
	char bytes[40];
	struct text left = TEXT_ON(bytes);
	u128 ticks = 0;

	for (u32 i = from; i < SEQ_METHODS; i++)
		if (!s->method[i].skip)
			ticks += plan_ticks(&s->method[i].plan, &s->method[i].cost);
	if (ticks > ~0ull)
		ticks = ~0ull;
	/* Rounded to seconds: more digits of an estimate would promise too much. */
	if (s->run->machine->tsc_trusted)
		fmt(&left, "%llu s", (unsigned long long)((u64)ticks / env_ticks_per_second()));
	else
		fmt(&left, "%llu ticks", (unsigned long long)ticks);
	report_text(s->run->report, "# method %s: %llu lines x %llu samples, about %.*s left\n",
		    s->method[from].m->id, (unsigned long long)s->method[from].plan.lines,
		    (unsigned long long)s->method[from].plan.samples, (int)left.len, bytes);
}

static void tables_report(struct tsc_suite *s)
{
	static void (*const head[])(struct text *) = {table_method_head, table_lines_head,
						      table_minima_head};
	char bytes[160];

	/* The first two are of the `empty` series. */
	for (u32 table = empty_measured(s) ? 0 : 2; table < ARRAY_SIZE(head); table++) {
		struct text t = TEXT_ON(bytes);

		head[table](&t);
		report_text(s->run->report, "\n");
		report_lines(s->run->report, &t);
		for (u32 i = 0; i < SEQ_METHODS; i++) {
			const struct method_state *ms = &s->method[i];

			if (ms->skip || (table < 2 && !ms->candidate.measured))
				continue;
			t = (struct text)TEXT_ON(bytes);
			if (table == 0)
				table_method_row(&t, &ms->base);
			else if (table == 1)
				table_lines_row(&t, &ms->base);
			else
				table_minima_row(&t, &ms->minima);
			report_lines(s->run->report, &t);
		}
	}
}

static void legend_report(struct tsc_suite *s)
{
	char bytes[240];
	struct text t = TEXT_ON(bytes);

	table_legend(&t, !s->method[SEQ_METHODS - 1].skip);
	report_lines(s->run->report, &t);
	for (u32 i = 0; i < SEQ_METHODS; i++) {
		const struct method_state *ms = &s->method[i];

		report_text(s->run->report, "  %-3s %-24s .. %s%s%s\n", ms->m->id, ms->m->start,
			    ms->m->end, ms->skip ? "   skipped: " : "", ms->skip ? ms->skip : "");
	}
}

static void hist_report(struct tsc_suite *s, const struct method_state *ms, u32 limit)
{
	const struct series *b = &ms->base;
	const struct report_hist_name name = {"tsc", b->method, b->form, b->workload, b->preamble};

	report_hist(s->run->report, &name, ms->hist, limit);
}

static void recommend_report(struct tsc_suite *s)
{
	struct candidate c[SEQ_METHODS];
	struct run *run = s->run;
	struct record *r;
	int best;

	for (u32 i = 0; i < SEQ_METHODS; i++)
		c[i] = s->method[i].candidate;
	recommend(c, SEQ_METHODS, step_value(&run->step), &run->recommended);
	for (u32 i = 0; i < SEQ_METHODS; i++) {
		const char *why =
			c[i].measured ? recommend_reject(&c[i], step_value(&run->step)) : NULL;

		if (why)
			report_text(run->report, "method %s is not eligible: %s\n", c[i].id, why);
	}
	r = report_record(run->report, "recommend");
	record_word(r, "method", run->recommended.id);
	record_u64(r, "default", run->recommended.is_default);
	record_u64(r, "step", step_value(&run->step));
	record_u64(r, "rule", RECOMMEND_RULE);
	record_word(r, "reason", run->recommended.reason);
	report_send(run->report);
	report_text(run->report, "recommended: method %s%s: %s\n", run->recommended.id,
		    run->recommended.is_default ? " (default)" : "", run->recommended.reason);
	run_headline(run, "USE", "method %s%s", run->recommended.id,
		     run->recommended.is_default ? ", by default: nothing was eligible"
		     : run_emulated(run) ? " here; an emulator's figures say nothing of hardware"
					 : "");
	best = seq_method_find(run->recommended.id, strlen(run->recommended.id));
	for (u32 i = 0; i < SEQ_METHODS; i++)
		if (s->method[i].candidate.measured)
			hist_report(s, &s->method[i],
				    run_detail_full(s->run) ? ~0u
				    : (int)i == best	    ? HIST_RECORDS
							    : 1);
}

static void disturbance_check(const struct tsc_suite *s)
{
	const struct disturbance *d = &s->disturbance;
	struct verdict *v = s->run->verdict;

	if (s->run->machine->process)
		verdict_add(v, "tsc.quiet", STATUS_SKIP, "a process runs with interrupts on");
	else if (d->with_interrupts)
		verdict_add(v, "tsc.quiet", STATUS_ERROR,
			    "interrupts were on in %llu of %llu windows",
			    (unsigned long long)d->with_interrupts, (unsigned long long)d->windows);
	else if (d->nmi || d->mce || d->smi)
		verdict_add(v, "tsc.quiet", run_emulated(s->run) ? STATUS_SKIP : STATUS_UNSTABLE,
			    "%llu NMI, %llu machine checks, %llu SMI while measuring",
			    (unsigned long long)d->nmi, (unsigned long long)d->mce,
			    (unsigned long long)d->smi);
	else
		verdict_add(v, "tsc.quiet", STATUS_OK, "interrupts off in %llu windows",
			    (unsigned long long)d->windows);
}

static void method_check(const struct tsc_suite *s, const struct method_state *ms)
{
	char name[CHECK_NAME];
	struct text t = TEXT_ON(name);

	fmt(&t, "tsc.method.%s", ms->m->id);
	text_byte(&t, 0);
	if (ms->skip)
		verdict_add(s->run->verdict, name, STATUS_SKIP, "%s", ms->skip);
	else if (ms->samples == 0)
		verdict_add(s->run->verdict, name, STATUS_ERROR, "no sample stayed");
	else
		verdict_add(s->run->verdict, name, STATUS_OK, "%s", "");
}

void tsc_methods_check(const struct tsc_suite *s)
{
	for (u32 i = 0; i < SEQ_METHODS; i++)
		if (!s->method[i].skip || list_has(s->run->options->method, s->method[i].m->id))
			method_check(s, &s->method[i]);
}

static void conditions_check(const struct tsc_suite *s)
{
	const struct disturbance *d = &s->disturbance;
	struct verdict *v = s->run->verdict;

	if (run_emulated(s->run))
		verdict_add(v, "tsc.conditions", STATUS_SKIP, "emulated: not judged");
	else
		verdict_add(v, "tsc.conditions", d->unsettled ? STATUS_UNSTABLE : STATUS_OK,
			    "%llu spans measured again (core clock, sibling, SMI, NMI or machine "
			    "check), %llu never settled",
			    (unsigned long long)d->redone, (unsigned long long)d->unsettled);
}

static void cycles_report(const struct tsc_suite *s)
{
	char bytes[400];
	struct text t = TEXT_ON(bytes);

	for (u32 i = 0; i < SEQ_METHODS; i++)
		if (!s->method[i].skip)
			table_cycles_add(&t, &s->method[i].base);
	if (t.len) {
		text_byte(&t, '\n');
		report_lines(s->run->report, &t);
	}
}

static void backwards_check(const struct tsc_suite *s)
{
	const enum status failed = run_emulated(s->run) ? STATUS_SKIP : STATUS_FAILED;
	const u64 undone = s->disturbance.backwards, all = s->backwards + undone;
	struct verdict *v = s->run->verdict;

	if (undone)
		verdict_add(v, "tsc.backwards", failed,
			    "%llu samples ended before they started, %llu of them in lines "
			    "measured again",
			    (unsigned long long)all, (unsigned long long)undone);
	else if (all)
		verdict_add(v, "tsc.backwards", failed, "%llu samples ended before they started",
			    (unsigned long long)all);
	else
		verdict_add(v, "tsc.backwards", STATUS_OK, "%s", "");
}

static void suite_checks(const struct tsc_suite *s)
{
	struct run *run = s->run;
	struct verdict *v = run->verdict;
	u64 step = step_value(&run->step);

	tsc_methods_check(s);
	backwards_check(s);
	if (step)
		verdict_add(v, "tsc.step", STATUS_OK, "%llu ticks", (unsigned long long)step);
	else
		verdict_add(v, "tsc.step", STATUS_SKIP, "fewer than two distinct deltas");
	disturbance_check(s);
	conditions_check(s);
	if (s->chosen && empty_measured(s))
		verdict_add(v, "tsc.recommended",
			    run->recommended.is_default && !run_emulated(run) ? STATUS_UNSTABLE
									      : STATUS_OK,
			    "method %s: %s", run->recommended.id, run->recommended.reason);
}

static void methods_report(struct tsc_suite *s)
{
	tables_report(s);
	cycles_report(s);
	legend_report(s);
	if (empty_measured(s))
		recommend_report(s);
	else
		report_text(s->run->report,
			    "no method is recommended: the `empty` workload was not measured\n");
}

void tsc_report(struct tsc_suite *s)
{
	if (s->chosen)
		methods_report(s);
	suite_checks(s);
}
