// SPDX-License-Identifier: MIT
/*
 * The stability suite: rounds of a read, 500 stores, a read, by the recommended method, in blocks
 * with the ruler beside each. A block in which ruler or canary moved is measured again; what moved
 * is named. README "Stability" has the rule.
 */
#include "suites.h"

#include "mem.h"
#include "period.h"
#include "ruler.h"
#include "tables.h"
#include "trial.h"

#define STORES	    500
#define NEAR_ROUNDS 10	  /* outliers this close are one burst */
#define FEW	    10	  /* more than one round in ten is neither a tick's nor a stall's doing */
#define BLOCK	    10000 /* rounds between two rulers */
#define THRESHOLD   50	  /* ticks, or two steps of a coarser clock, unless the option says else */
#define STOLEN_PART 100	  /* a hundredth of the time: more is not quiet */

struct stability_suite {
	struct run *run;
	u64 *x; /* BLOCK samples */
	struct hist *hist;
	seq_fn *code;
	struct stability r;
	struct ruler reference; /* of the core-clock state we are in */
	u64 state_min, state_max;
	u64 states, unsettled; /* core-clock states seen; blocks that never settled */
	u64 stolen;	       /* ticks above the state's min, of outliers */
	u64 backwards;	       /* steps, those of blocks that were measured again among them */
	u64 start;
	u64 at[PERIOD_EVENTS]; /* of the first outliers */
	struct evidence before, after;
};

static u64 rounds_wanted(const struct run *run)
{
	return run->profile == PROFILE_QUICK ? 100000 : 3000000;
}

static void outlier_add(struct stability_suite *s, u64 at, u64 length)
{
	struct stability *r = &s->r;

	if (r->kept < STABILITY_OUTLIERS)
		r->first[r->kept++] = (struct outlier){.at = at, .length = length};
	if (r->outliers < PERIOD_EVENTS)
		s->at[r->outliers] = at;
	r->outliers++;
	s->stolen += length - s->state_min;
}

/* Between two rounds' windows passes the loop's own time, taken as the same for all. */
static void block_outliers(struct stability_suite *s, size_t n, u64 start, u64 ticks)
{
	const u64 *x = s->x;
	u64 sum = 0, between, at = start - s->start;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	between = ticks > sum ? (ticks - sum) / n : 0;
	for (size_t i = 0; i < n; i++) {
		if (x[i] > s->state_min + s->r.threshold)
			outlier_add(s, at, x[i]);
		at += x[i] + between;
	}
}

/* n rounds, the backwards ones left out. */
static void block_keep(struct stability_suite *s, size_t n, u64 start, u64 ticks)
{
	struct line_stats line;

	s->r.backwards += BLOCK - n;
	if (n == 0)
		return;
	stats_line(s->x, n, &line);
	if (line.min < s->state_min)
		s->state_min = line.min;
	if (line.max > s->state_max)
		s->state_max = line.max;
	if (s->state_max - s->state_min > s->r.spread)
		s->r.spread = s->state_max - s->state_min;
	hist_add(s->hist, s->x, n);
	block_outliers(s, n, start, ticks);
}

static void state_enter(struct stability_suite *s, const struct ruler *ruler)
{
	s->states++;
	s->reference = *ruler;
	s->state_min = ~0ull;
	s->state_max = 0;
}

/*
 * *ruler is the last taken and becomes the next block's first. An SMI or NMI is no reason to
 * measure again: it is what the suite looks for.
 */
static void block_measure(struct stability_suite *s, struct ruler *ruler)
{
	for (u32 again = 0; again <= CONDITIONS_REDO; again++) {
		struct ruler before = *ruler;
		u64 start = rdtsc_ordered(), ticks;
		size_t n;

		s->code(s->x, BLOCK, STORES, s->run->scratch);
		ticks = rdtsc_ordered() - start;
		ruler_take(ruler);
		n = stats_drop_backwards(s->x, BLOCK, &s->backwards);
		if (!ruler_moved(s->run, &before, ruler)) {
			if (ruler_moved(s->run, &s->reference, ruler))
				state_enter(s, ruler);
			block_keep(s, n, start, ticks);
			return;
		}
		s->r.redone++;
	}
	s->unsettled++;
}

/* The first block is discarded; it tells where the histogram's exact bins belong. */
static void warm_up(struct stability_suite *s)
{
	struct line_stats line;
	u64 backwards = 0;

	s->code(s->x, BLOCK, STORES, s->run->scratch);
	stats_line(s->x, stats_drop_backwards(s->x, BLOCK, &backwards), &line);
	hist_init(s->hist, hist_base(line.min));
}

static void stability_measure(struct stability_suite *s)
{
	const u64 blocks = s->r.rounds / BLOCK;
	struct ruler ruler;

	env_quiet();
	warm_up(s);
	env_evidence(&s->before);
	ruler_take(&ruler);
	s->r.before = ruler;
	state_enter(s, &ruler);
	s->start = rdtsc_ordered();
	for (u64 i = 0; i < blocks; i++) {
		block_measure(s, &ruler);
		if (i % 100 == 99 && i + 1 < blocks)
			report_text(s->run->report, "# %llu of %llu rounds\n",
				    (unsigned long long)((i + 1) * BLOCK),
				    (unsigned long long)s->r.rounds);
	}
	s->r.duration = rdtsc_ordered() - s->start;
	s->r.after = ruler;
	env_evidence(&s->after);
}

static bool outliers_few(const struct stability *r)
{
	return r->outliers <= r->n / FEW;
}

/* By the figures of all rounds. */
static void outliers_judge(struct stability_suite *s)
{
	struct stability *r = &s->r;
	struct period period;

	r->classed = r->outliers < PERIOD_EVENTS ? r->outliers : PERIOD_EVENTS;
	if (outliers_few(r)) {
		period_find(s->at, NULL, r->classed, &period);
		r->period = period.ticks;
	}
	outliers_class(s->at, r->classed, r->period, NEAR_ROUNDS * r->p50.hi, r->by_class);
}

static void stability_figures(struct stability_suite *s)
{
	const struct hist *h = s->hist;
	struct stability *r = &s->r;

	r->n = h->m.n;
	r->min = h->m.n ? h->m.min : 0;
	r->max = h->m.max;
	r->p50 = hist_percentile(h, 1, 2);
	r->p97 = hist_percentile(h, 97, 100);
	r->p99 = hist_percentile(h, 99, 100);
	r->p999 = hist_percentile(h, 999, 1000);
	outliers_judge(s);
}

static void stability_record(struct stability_suite *s)
{
	const struct stability *r = &s->r;
	struct record *rec = report_record(s->run->report, "stability");

	record_word(rec, "method", r->method);
	record_u64(rec, "rounds", r->rounds);
	record_u64(rec, "n", r->n);
	record_u64(rec, "backwards", r->backwards);
	record_u64(rec, "min", r->min);
	record_u64(rec, "max", r->max);
	record_u64(rec, "spread", r->spread);
	record_u64(rec, "threshold", r->threshold);
	record_bound(rec, "p50", &r->p50);
	record_bound(rec, "p97", &r->p97);
	record_bound(rec, "p99", &r->p99);
	record_bound(rec, "p999", &r->p999);
	record_u64(rec, "outliers", r->outliers);
	record_u64(rec, "stolen", s->stolen);
	record_u64(rec, "duration", r->duration);
	record_u64(rec, "period", r->period);
	record_u64(rec, "burst", r->by_class[OUTLIER_BURST]);
	record_u64(rec, "periodic", r->by_class[OUTLIER_PERIODIC]);
	record_u64(rec, "single", r->by_class[OUTLIER_SINGLE]);
	record_u64(rec, "states", s->states);
	record_u64(rec, "redone", r->redone);
	record_u64(rec, "unsettled", s->unsettled);
	report_send(s->run->report);

	rec = report_record(s->run->report, "outliers");
	record_key(rec, "first");
	for (u32 i = 0; i < r->kept; i++)
		fmt(&rec->t, "%s%llu:%llu", i ? "," : "", (unsigned long long)r->first[i].at,
		    (unsigned long long)r->first[i].length);
	if (r->kept == 0)
		text_str(&rec->t, "none");
	report_send(s->run->report);
}

static void stability_text(struct stability_suite *s)
{
	const struct stability *r = &s->r;
	struct report *out = s->run->report;
	char bytes[1200];
	struct text t = TEXT_ON(bytes);

	report_text(out,
		    "%llu rounds of %d stores, method %s: min %llu, max %llu, spread %llu ticks "
		    "(threshold %llu)\n",
		    (unsigned long long)r->n, STORES, r->method, (unsigned long long)r->min,
		    (unsigned long long)r->max, (unsigned long long)r->spread,
		    (unsigned long long)r->threshold);
	table_decades(&t, s->hist);
	report_lines(out, &t);
	report_text(out, "%llu outliers, %llu ticks in all, %llu blocks measured again\n",
		    (unsigned long long)r->outliers, (unsigned long long)s->stolen,
		    (unsigned long long)r->redone);
	for (u32 i = 0; i < r->kept; i++)
		report_text(out, "  at %llu ticks: %llu ticks\n",
			    (unsigned long long)r->first[i].at,
			    (unsigned long long)r->first[i].length);
	if (r->classed)
		report_text(out, "of the first %llu: %llu in bursts, %llu periodic, %llu single\n",
			    (unsigned long long)r->classed,
			    (unsigned long long)r->by_class[OUTLIER_BURST],
			    (unsigned long long)r->by_class[OUTLIER_PERIODIC],
			    (unsigned long long)r->by_class[OUTLIER_SINGLE]);
	if (r->period)
		report_text(out, "outliers come every %llu ticks\n", (unsigned long long)r->period);
	ruler_report(s->run, "stability.before", &r->before);
	ruler_report(s->run, "stability.after", &r->after);
}

/* On metal every spread has a cause; the first that the evidence names is it. */
static void judge_metal(struct stability_suite *s)
{
	const struct evidence *a = &s->before, *b = &s->after;
	const struct {
		const char *name;
		u64 counted;
	} cause[] = {{"smi", b->smi - a->smi}, {"nmi", b->nmi - a->nmi}, {"mce", b->mce - a->mce}};

	for (u32 i = 0; i < ARRAY_SIZE(cause); i++) {
		if (cause[i].counted == 0)
			continue;
		verdict_add(s->run->verdict, "stability.spread", STATUS_UNSTABLE,
			    "spread %llu ticks: %s, %llu counted", (unsigned long long)s->r.spread,
			    cause[i].name, (unsigned long long)cause[i].counted);
		return;
	}
	verdict_add(s->run->verdict, "stability.spread", STATUS_UNSTABLE,
		    "spread %llu ticks: unexplained", (unsigned long long)s->r.spread);
}

/* Under a host or with interrupts on a single spike says nothing: the share of time does. */
static void judge_shared(struct stability_suite *s)
{
	u64 per_million = s->r.n ? s->r.outliers * 1000000 / s->r.n : 0;
	bool noisy = s->stolen > s->r.duration / STOLEN_PART;
	const char *cause = !noisy		  ? "below 1% stalled (host or SMI)"
			    : outliers_few(&s->r) ? "stall (host or SMI)"
						  : "unexplained, too many for stalls";

	verdict_add(s->run->verdict, "stability.spread", noisy ? STATUS_UNSTABLE : STATUS_OK,
		    "%s: %llu outliers a million rounds, %llu of %llu ticks", cause,
		    (unsigned long long)per_million, (unsigned long long)s->stolen,
		    (unsigned long long)s->r.duration);
}

static void stability_checks(struct stability_suite *s)
{
	struct run *run = s->run;
	struct verdict *v = run->verdict;

	if (s->backwards)
		verdict_add(v, "stability.tsc", run_emulated(run) ? STATUS_SKIP : STATUS_FAILED,
			    "%llu backwards steps", (unsigned long long)s->backwards);
	else
		verdict_add(v, "stability.tsc", STATUS_OK, "no backwards step in %llu rounds",
			    (unsigned long long)s->r.n);
	if (run_emulated(run))
		verdict_add(v, "stability.spread", STATUS_SKIP, "emulated: not judged");
	else if (s->r.n == 0)
		verdict_add(v, "stability.spread", STATUS_UNSTABLE,
			    "core clock moved in every block");
	else if (s->r.spread <= s->r.threshold)
		verdict_add(v, "stability.spread", STATUS_OK, "%llu ticks",
			    (unsigned long long)s->r.spread);
	else if (run->machine->metal && !run->machine->process)
		judge_metal(s);
	else
		judge_shared(s);
	if (!run_emulated(run) && (s->states > 1 || s->unsettled))
		verdict_add(
			v, "stability.clock", STATUS_UNSTABLE,
			"core clock moved: %llu states, %llu blocks measured again, %llu never settled",
			(unsigned long long)s->states, (unsigned long long)s->r.redone,
			(unsigned long long)s->unsettled);
	else
		verdict_add(v, "stability.clock", run_emulated(run) ? STATUS_SKIP : STATUS_OK, "%s",
			    run_emulated(run) ? "emulated: not judged" : "");
}

/*
 * A window of one length reads either of two neighbouring multiples of the step. No step is found
 * here: rounds of 450 and 900 ticks would make one of 450.
 */
static u64 threshold_choose(const struct run *run)
{
	u64 steps = 2 * step_value(&run->step);

	if (run->options->threshold != OPTION_UNSET)
		return run->options->threshold;
	return steps > THRESHOLD ? steps : THRESHOLD;
}

static bool stability_open(struct stability_suite *s)
{
	const char *id = s->run->recommended.id;
	int method = seq_method_find(id, strlen(id));

	s->r = (struct stability){.method = id,
				  .rounds = rounds_wanted(s->run),
				  .threshold = threshold_choose(s->run)};
	s->code = seq_find((u32)method, WORK_LOOP, PRE_NONE, FORM_MEM);
	s->hist = env_alloc(sizeof(struct hist), 64);
	s->x = env_alloc(BLOCK * sizeof(u64), 4096);
	if (s->hist && s->x)
		return true;
	verdict_add(s->run->verdict, "stability.memory", STATUS_FAILED,
		    "needs %zu bytes, %llu are left", BLOCK * sizeof(u64) + sizeof(struct hist),
		    (unsigned long long)env_arena_left());
	return false;
}

static void stability_run(struct run *run)
{
	static struct stability_suite suite;
	struct report_hist_name name = {"stability", NULL, "mem", "loop", "none"};

	suite.run = run;
	run->measured = true;
	if (!stability_open(&suite))
		return;
	stability_measure(&suite);
	stability_figures(&suite);
	stability_text(&suite);
	stability_record(&suite);
	name.method = suite.r.method;
	report_hist(run->report, &name, suite.hist, run_detail_full(run) ? ~0u : 1);
	stability_checks(&suite);
}

const struct bench stability_bench = {
	.name = "stability",
	.doc = "does the same loop take the same time, and if not, what moved",
	.run = stability_run,
};
