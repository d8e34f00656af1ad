// SPDX-License-Identifier: MIT
/* What the gaps suite says: records and text as it goes, the table, the checks. */
#include "gaps_suite.h"

#include "u128.h"

#define SHOWN	     8	   /* gaps in the text; detail=full shows all that are kept */
#define SHARE_METAL  100   /* stolen parts in a million that are still quiet */
#define SHARE_SHARED 10000 /* under a host, or with interrupts on */
#define RATE_SHARED  2000  /* gaps a second there: two host ticks of a millisecond */
#define LIST_ENTRY   64	   /* bytes of one gap in a list, at most */

static void causes_fmt(struct text *t, const struct gap_sums *sums, const char *between)
{
	bool any = false;

	for (u32 c = 0; c < GAP_CAUSES; c++) {
		if (!sums->cause[c])
			continue;
		fmt(t, "%s%s%s%llu", any ? "," : "",
		    between[0] == ' ' ? gap_cause_text(c) : gap_cause_name[c], between,
		    (unsigned long long)sums->cause[c]);
		any = true;
	}
	if (!any)
		text_str(t, "none");
}

static void sums_record(struct record *rec, const struct gap_sums *p)
{
	record_u64(rec, "n", p->n);
	record_u64(rec, "stolen", p->stolen);
	record_u64(rec, "longest", p->longest);
	record_u64(rec, "smi", p->smi);
	record_u64(rec, "nmi", p->nmi);
	record_u64(rec, "mce", p->mce);
	record_key(rec, "causes");
	causes_fmt(&rec->t, p, ":");
}

static void list_records(struct gaps_suite *s)
{
	while (s->n_sent < s->n_kept) {
		struct record *rec = report_record(s->run->report, "gaplist");
		const char *between = "";

		record_u64(rec, "from", s->n_sent);
		record_key(rec, "list");
		while (s->n_sent < s->n_kept && record_room(rec) > LIST_ENTRY) {
			const struct gap_kept *g = &s->kept[s->n_sent++];

			fmt(&rec->t, "%s%llu:%llu:%s", between, (unsigned long long)g->at,
			    (unsigned long long)g->length, gap_cause_name[g->cause]);
			between = ",";
		}
		report_send(s->run->report);
	}
}

static void progress_text(struct gaps_suite *s)
{
	char bytes[120];
	struct text t = TEXT_ON(bytes);

	text_str(&t, "# ");
	duration_fmt(&t, s->all.watched, s->tps);
	if (s->tps)
		fmt(&t, " of %llu s", (unsigned long long)s->soak);
	fmt(&t, " watched, %llu gaps\n", (unsigned long long)s->all.n);
	report_lines(s->run->report, &t);
}

void gaps_part_report(struct gaps_suite *s)
{
	struct record *rec = report_record(s->run->report, "gap");
	const struct gap_sums *p = &s->part;

	record_u64(rec, "at", p->at);
	record_u64(rec, "windows", p->windows);
	record_u64(rec, "watched", p->watched);
	record_u64(rec, "turns", p->turns);
	record_u64(rec, "threshold", s->threshold.ticks);
	sums_record(rec, p);
	record_u64(rec, "contradicts", p->contradicts);
	report_send(s->run->report);
	list_records(s);
	progress_text(s);
	s->part = (struct gap_sums){0};
}

void gaps_contradiction_report(struct gaps_suite *s)
{
	const struct gap_sums *w = &s->window;
	char bytes[160];
	struct text t = TEXT_ON(bytes);

	if (s->contradictions++ >= GAPS_CONTRADICTIONS)
		return;
	fmt(&t, "window %llu: gaps %llu", (unsigned long long)s->all.windows,
	    (unsigned long long)w->n);
	if (w->smi)
		fmt(&t, ", SMI +%llu", (unsigned long long)w->smi);
	if (w->nmi)
		fmt(&t, ", NMI +%llu", (unsigned long long)w->nmi);
	if (w->mce)
		fmt(&t, ", MCE +%llu", (unsigned long long)w->mce);
	text_str(&t, ": the counts do not explain each other\n");
	report_lines(s->run->report, &t);
}

static void with_time(struct text *t, u64 ticks, u64 tps)
{
	fmt(t, "%llu ticks", (unsigned long long)ticks);
	if (!tps)
		return;
	text_str(t, " (");
	duration_fmt(t, ticks, tps);
	text_str(t, ")");
}

static u64 stolen_ppm(const struct gaps_suite *s)
{
	return s->all.watched ? (u64)u128_div((u128)s->all.stolen * 1000000, s->all.watched, NULL)
			      : 0;
}

static void threshold_text(struct gaps_suite *s, struct text *t)
{
	const struct gap_threshold *h = &s->threshold;

	fmt(t,
	    "a gap is %llu ticks more than usual (%s); usual: %llu within a turn, %llu between "
	    "two\n",
	    (unsigned long long)h->ticks,
	    s->run->options->threshold == OPTION_UNSET ? "automatic" : "threshold=",
	    (unsigned long long)h->inner, (unsigned long long)h->outer);
}

static void totals_text(struct gaps_suite *s, struct text *t)
{
	const struct gap_sums *a = &s->all;

	rate_fmt(t, a->n, "gaps", a->watched, s->tps);
	fmt(t, "\nwatched %llu ticks in %llu turns, %llu ticks stolen (%llu ppm), ",
	    (unsigned long long)a->watched, (unsigned long long)a->turns,
	    (unsigned long long)a->stolen, (unsigned long long)stolen_ppm(s));
	text_str(t, a->n ? "longest " : "longest turn ");
	with_time(t, a->n ? a->longest : a->most, s->tps);
	text_byte(t, '\n');
	gap_decades_fmt(t, &s->decades, s->tps);
	text_str(t, "causes   ");
	causes_fmt(t, a, " ");
	text_byte(t, '\n');
	if (s->contradictions > GAPS_CONTRADICTIONS)
		fmt(t, "%llu windows whose counts do not explain each other\n",
		    (unsigned long long)s->contradictions);
}

static void period_text(struct gaps_suite *s, struct text *t)
{
	const struct period *p = &s->period;

	text_str(t, "period   ");
	if (p->ticks) {
		with_time(t, p->ticks, s->tps);
		fmt(t, ": %u of %u gaps on %u places (against chance: %u bits)\n", p->on, p->events,
		    p->slots, p->bits);
	} else {
		fmt(t, "none named (%u gaps looked at)\n", p->events);
	}
}

static void first_text(struct gaps_suite *s)
{
	u32 shown = run_detail_full(s->run) ? GAPS_KEPT : SHOWN;

	for (u32 i = 0; i < s->n_kept && i < shown; i++) {
		const struct gap_kept *g = &s->kept[i];
		char bytes[160];
		struct text t = TEXT_ON(bytes);

		text_str(&t, "  at ");
		with_time(&t, g->at, s->tps);
		text_str(&t, ": ");
		with_time(&t, g->length, s->tps);
		fmt(&t, " %s\n", gap_cause_text(g->cause));
		report_lines(s->run->report, &t);
	}
}

static void gaps_record(struct gaps_suite *s)
{
	static const char *const state[] = {[VALUE_ABSENT] = "absent",
					    [VALUE_READ] = "read",
					    [VALUE_FAULT] = "fault",
					    [VALUE_UNPROVEN] = "unproven"};
	struct record *rec = report_record(s->run->report, "gaps");
	const struct gap_threshold *h = &s->threshold;
	const char *between = "";

	record_u64(rec, "soak", s->soak);
	record_u64(rec, "windows", s->all.windows);
	record_u64(rec, "watched", s->all.watched);
	record_u64(rec, "wall", s->wall);
	record_u64(rec, "turns", s->all.turns);
	record_u64(rec, "threshold", h->ticks);
	record_u64(rec, "given", s->run->options->threshold != OPTION_UNSET);
	record_u64(rec, "inner", h->inner);
	record_u64(rec, "outer", h->outer);
	record_u64(rec, "mad", h->mad);
	sums_record(rec, &s->all);
	record_u64(rec, "most", s->all.most);
	record_u64(rec, "backwards", s->backwards);
	record_word(rec, "smi_state", state[s->last.smi_state]);
	record_word(rec, "steal_state", state[s->last.steal_state]);
	if (s->last.steal_state == VALUE_READ)
		record_u64(rec, "steal_ns", s->last.steal_ns - s->first.steal_ns);
	record_u64(rec, "contradictions", s->contradictions);
	record_u64(rec, "period", s->period.ticks);
	record_u64(rec, "period_on", s->period.on);
	record_u64(rec, "period_slots", s->period.slots);
	record_u64(rec, "period_bits", s->period.bits);
	record_key(rec, "decades");
	for (u32 k = 0; k < GAP_DECADES; k++) {
		if (!s->decades.n[k])
			continue;
		fmt(&rec->t, "%s%u:%llu:%llu", between, k + 1, (unsigned long long)s->decades.n[k],
		    (unsigned long long)s->decades.ticks[k]);
		between = ",";
	}
	if (!between[0])
		text_str(&rec->t, "none");
	report_send(s->run->report);
}

/* Why the count of SMIs says nothing here; NULL if it does. */
static const char *smi_unknown(const struct gaps_suite *s)
{
	const struct machine *m = s->run->machine;

	if (m->process)
		return "n/a: a process has no MSRs";
	if (s->last.smi_state == VALUE_ABSENT)
		return m->amd ? "n/a: AMD, and no performance counter counts SMIs here"
			      : "n/a: no MSR_SMI_COUNT";
	if (s->last.smi_state == VALUE_FAULT)
		return "n/a: MSR_SMI_COUNT (34h) faults";
	if (s->last.smi_state == VALUE_UNPROVEN || (!m->metal && !s->last.smi))
		return "n/a: MSR_SMI_COUNT (34h) reads 0, which proves nothing here";
	return NULL;
}

static void smi_fmt(struct gaps_suite *s, struct text *t)
{
	const char *unknown = smi_unknown(s);

	if (unknown)
		text_str(t, unknown);
	else
		rate_fmt(t, gaps_smi_moved(&s->first, &s->last), "SMI", s->wall, s->tps);
	if (!unknown && !s->run->machine->metal)
		text_str(t, ", virtual");
}

static void sources_list(struct text *t, const struct smi_sources *sources, bool enabled)
{
	const char *between = "";

	for (u32 i = 0; i < sources->n; i++) {
		const struct smi_source *source = &sources->source[i];

		if (enabled ? !source->enabled : !source->pending)
			continue;
		fmt(t, "%s%s", between, source->name);
		between = ",";
	}
	if (!between[0])
		text_str(t, "none");
}

/* Nothing is said of a chipset that is not known: most guests have none. */
static void sources_report(struct gaps_suite *s)
{
	const struct smi_sources *sources = &s->sources;
	struct record *rec;
	char bytes[600];
	struct text t = TEXT_ON(bytes);

	if (!sources->chipset)
		return;
	fmt(&t, "SMIs may come from: ");
	sources_list(&t, sources, true);
	fmt(&t, " (%s%s)\n", sources->chipset, sources->global ? "" : "; GBL_SMI_EN is 0: all off");
	report_lines(s->run->report, &t);
	rec = report_record(s->run->report, "smisources");
	record_word(rec, "chipset", sources->chipset);
	record_hex(rec, "port", sources->port);
	record_hex(rec, "enable", sources->enable);
	record_hex(rec, "status", sources->status);
	record_u64(rec, "global", sources->global);
	record_key(rec, "enabled");
	sources_list(&rec->t, sources, true);
	record_key(rec, "pending");
	sources_list(&rec->t, sources, false);
	report_send(s->run->report);
}

void gaps_report(struct gaps_suite *s)
{
	char bytes[1900], smi[200];
	struct text t = TEXT_ON(bytes), m = TEXT_ON(smi);

	smi_fmt(s, &m);
	threshold_text(s, &t);
	totals_text(s, &t);
	fmt(&t, "SMI      %.*s\n", (int)m.len, smi);
	period_text(s, &t);
	report_lines(s->run->report, &t);
	first_text(s);
	gaps_record(s);
	sources_report(s);
}

static void check_text(struct gaps_suite *s, const char *name, enum status status,
		       const struct text *t)
{
	verdict_add(s->run->verdict, name, status, "%.*s", (int)t->len, t->at);
}

/* Alone on a machine each gap counts; where a host may take time, how often does. */
static enum status seen_status(const struct gaps_suite *s)
{
	const struct machine *m = s->run->machine;
	const struct amount quiet = {.n = RATE_SHARED, .unit = RATE_SECOND};

	if (run_emulated(s->run))
		return STATUS_SKIP;
	if (m->metal && !m->process)
		return s->all.n ? STATUS_UNSTABLE : STATUS_OK;
	return rate_above(s->all.n, s->all.watched, s->second, &quiet) ? STATUS_UNSTABLE
								       : STATUS_OK;
}

static void check_seen(struct gaps_suite *s)
{
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	if (run_emulated(s->run))
		text_str(&t, "emulated, not judged: ");
	rate_fmt(&t, s->all.n, "gaps", s->all.watched, s->tps);
	if (s->all.n) {
		text_str(&t, ", longest ");
		duration_fmt(&t, s->all.longest, s->tps);
		text_str(&t, "; ");
		causes_fmt(&t, &s->all, " ");
	}
	check_text(s, "gaps.seen", seen_status(s), &t);
}

static void check_stolen(struct gaps_suite *s)
{
	const struct machine *m = s->run->machine;
	u64 ppm = stolen_ppm(s), most = m->metal && !m->process ? SHARE_METAL : SHARE_SHARED;
	enum status status = ppm > most ? STATUS_UNSTABLE : STATUS_OK;

	verdict_add(s->run->verdict, "gaps.stolen", run_emulated(s->run) ? STATUS_SKIP : status,
		    "%s%llu ppm of the time, %llu ppm are quiet",
		    run_emulated(s->run) ? "emulated, not judged: " : "", (unsigned long long)ppm,
		    (unsigned long long)most);
}

static void check_smi(struct gaps_suite *s)
{
	char bytes[200];
	struct text t = TEXT_ON(bytes);
	enum status status = STATUS_SKIP;

	if (run_emulated(s->run))
		text_str(&t, "emulated, not judged: ");
	smi_fmt(s, &t);
	if (!smi_unknown(s) && s->run->machine->metal && !run_emulated(s->run))
		status = gaps_smi_moved(&s->first, &s->last) ? STATUS_UNSTABLE : STATUS_OK;
	check_text(s, "gaps.smi", status, &t);
}

/* A limit that cannot be checked has not been kept. */
static void check_limit_gap(struct gaps_suite *s)
{
	const struct amount *limit = &s->run->options->limit_gap;
	struct verdict *v = s->run->verdict;
	u64 ticks;

	if (limit->n == OPTION_UNSET)
		return;
	if (!gap_limit_ticks(limit, s->tps, &ticks))
		verdict_add(v, "gaps.limit.gap", STATUS_FAILED,
			    "cannot be checked: the TSC's frequency is UNTRUSTED; give ticks, as "
			    "limit.gap=300000t");
	else
		verdict_add(v, "gaps.limit.gap", s->all.most > ticks ? STATUS_FAILED : STATUS_OK,
			    "longest %llu ticks, limit %llu", (unsigned long long)s->all.most,
			    (unsigned long long)ticks);
}

static void check_limit_smi(struct gaps_suite *s)
{
	static const char *const unit[] = {
		[RATE_SECOND] = " a second", [RATE_MINUTE] = " a minute", [RATE_HOUR] = " an hour"};
	const struct amount *limit = &s->run->options->limit_smi;
	const char *unknown = smi_unknown(s);
	u64 n = gaps_smi_moved(&s->first, &s->last);
	struct verdict *v = s->run->verdict;
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	if (limit->n == OPTION_UNSET)
		return;
	if (unknown || !s->tps) {
		verdict_add(v, "gaps.limit.smi", STATUS_FAILED, "cannot be checked: %s",
			    unknown ? unknown : "the TSC's frequency is UNTRUSTED");
		return;
	}
	smi_fmt(s, &t);
	fmt(&t, "; limit %llu%s", (unsigned long long)limit->n, unit[limit->unit]);
	check_text(s, "gaps.limit.smi",
		   rate_above(n, s->wall, s->tps, limit) ? STATUS_FAILED : STATUS_OK, &t);
}

static void check_harness(struct gaps_suite *s)
{
	struct verdict *v = s->run->verdict;

	if (s->stuck)
		verdict_add(v, "gaps.tsc", STATUS_FAILED, "the TSC stands still");
	if (s->backwards)
		verdict_add(v, "gaps.tsc", run_emulated(s->run) ? STATUS_SKIP : STATUS_FAILED,
			    "%llu backwards steps", (unsigned long long)s->backwards);
	if (s->with_interrupts && !s->run->machine->process)
		verdict_add(v, "gaps.quiet", STATUS_ERROR, "interrupts on at %llu ends of windows",
			    (unsigned long long)s->with_interrupts);
}

static void headline(struct gaps_suite *s)
{
	char bytes[80];
	struct text t = TEXT_ON(bytes);

	rate_fmt(&t, s->all.n, "gaps", s->all.watched, s->tps);
	run_headline(s->run, "GAPS", "%.*s", (int)t.len, bytes);
	if (s->period.ticks) {
		t.len = 0;
		with_time(&t, s->period.ticks, s->tps);
		run_headline(s->run, "GAPS", "%u of %u come every %.*s", s->period.on,
			     s->period.events, (int)t.len, bytes);
	}
}

void gaps_checks(struct gaps_suite *s)
{
	check_harness(s);
	check_seen(s);
	check_stolen(s);
	check_smi(s);
	check_limit_gap(s);
	check_limit_smi(s);
	headline(s);
}
