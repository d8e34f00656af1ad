// SPDX-License-Identifier: MIT
/*
 * The gaps suite: spins on the TSC, interrupts off, and writes down where time is missing. Windows
 * of a second, in which nothing but the loop runs and, after a gap, a look at who may have caused
 * it; between them statistics and output. Counters are 64 bit, memory does not grow with time.
 */
#include "gaps_suite.h"

#include "insn.h"
#include "suites.h"
#include "u128.h"

#define SOAK_METAL     60
#define SOAK_ELSE      5
#define SOAK_EMULATED  1
#define TURNS_EMULATED 4000000 /* where a second of guest time may take a minute of ours */

#define ROOM	    4096
#define SINGLE	    64 /* gaps of a window that get evidence of their own; the rest share it */
#define WINDOW_MOST 2  /* seconds */
#define SPELL	    (1u << 24) /* turns, after which a TSC that stands still is noticed */
#define PARTS	    6	       /* records at least */
#define PART_MOST   8	       /* windows of a second in one */
#define SILENCE	    10	       /* seconds without a word, at most */

static u64 soak_seconds(const struct run *run)
{
	if (run->options->soak != OPTION_UNSET)
		return run->options->soak;
	if (run_emulated(run))
		return SOAK_EMULATED;
	if (run->profile == PROFILE_QUICK || !run->machine->metal || run->machine->process)
		return SOAK_ELSE;
	return SOAK_METAL;
}

/* A clock that was set back has moved by nothing: what is said of it shall not be centuries. */
static u64 passed(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

u64 gaps_smi_moved(const struct evidence *before, const struct evidence *after)
{
	/* Under a hypervisor 0 proves nothing, but a count that moves has counted. */
	bool counts = after->smi_state == VALUE_READ &&
		      (before->smi_state == VALUE_READ || before->smi_state == VALUE_UNPROVEN);

	return counts ? after->smi - before->smi : 0;
}

/* The differences of one kind, as the loop itself sees them; those of 0 are not written. */
static size_t calibrate_kind(struct gaps_suite *s, bool inner, u64 *out)
{
	struct seq_gaps g = {.at = s->found,
			     .room = GAPS_CALIBRATION,
			     .inner = inner ? 0 : ~0ull,
			     .outer = inner ? ~0ull : 0,
			     .stop = ~0ull,
			     .turns = 4 * GAPS_CALIBRATION};
	size_t n;

	seq_gaps(&g); /* loads the caches */
	g.turns = 4 * GAPS_CALIBRATION;
	seq_gaps(&g);
	n = (size_t)(g.next - g.at);
	for (size_t i = 0; i < n; i++)
		out[i] = g.at[i].length;
	return stats_drop_backwards(out, n, &s->backwards);
}

/* Before each window: what is usual moves with the core clock, how far from it a gap begins not. */
static void calibrate(struct gaps_suite *s, bool first)
{
	u64 *inner = s->sample, *outer = s->sample + GAPS_CALIBRATION + 2;
	size_t n_inner = calibrate_kind(s, true, inner);
	size_t n_outer = calibrate_kind(s, false, outer);
	struct gap_threshold t;

	gap_threshold(inner, n_inner, outer, n_outer, s->run->options->threshold, &t);
	if (first)
		s->threshold = t;
	s->loop.inner = t.inner + s->threshold.ticks;
	s->loop.outer = t.outer + s->threshold.ticks;
}

static void gap_take(struct gaps_suite *s, const struct seq_gap *g, enum gap_cause cause)
{
	struct gap_sums *w = &s->window;
	u64 at = passed(s->start, g->start);

	if (s->n_kept < GAPS_KEPT)
		s->kept[s->n_kept++] =
			(struct gap_kept){.at = at, .length = g->length, .cause = cause};
	s->recent[(s->all.n + w->n) % PERIOD_EVENTS] = *g;
	w->n++;
	if (g->length > s->threshold.outer)
		w->stolen += g->length - s->threshold.outer;
	if (g->length > w->longest)
		w->longest = g->length;
	gap_decades_add(&s->decades, g->length);
}

/* Ticks that these gaps took above a turn. */
static u64 spell_lost(const struct gaps_suite *s, size_t n)
{
	u64 lost = 0;

	for (size_t i = 0; i < n; i++)
		if (s->found[i].length > s->threshold.outer)
			lost += s->found[i].length - s->threshold.outer;
	return lost;
}

/* The host counts nanoseconds: without a frequency they compare with nothing. */
static void spell_steal(const struct gaps_suite *s, const struct evidence *before,
			const struct evidence *after, size_t n, struct gap_evidence *e)
{
	u128 ticks;

	if (before->steal_state != VALUE_READ || after->steal_state != VALUE_READ || !s->tps ||
	    after->steal_ns < before->steal_ns)
		return;
	ticks = u128_div((u128)(after->steal_ns - before->steal_ns) * s->tps, 1000000000, NULL);
	e->steal_counted = true;
	e->steal = ticks >> 64 ? ~0ull : (u64)ticks;
	e->lost = spell_lost(s, n);
}

static size_t spell_drop_backwards(struct gaps_suite *s)
{
	struct seq_gap *to = s->found;

	for (struct seq_gap *g = s->found; g < s->loop.next; g++) {
		if (g->length >> 63)
			s->backwards++;
		else
			*to++ = *g;
	}
	return (size_t)(to - s->found);
}

/* All that a call of the loop found, with what was counted meanwhile. */
static void spell_take(struct gaps_suite *s, const struct evidence *before,
		       const struct evidence *after)
{
	const struct machine *m = s->run->machine;
	struct gap_sums *w = &s->window;
	size_t n = spell_drop_backwards(s);
	struct gap_evidence e = {.gaps = n,
				 .smi = gaps_smi_moved(before, after),
				 .nmi = after->nmi - before->nmi,
				 .mce = after->mce - before->mce,
				 .alone = m->metal && !m->process,
				 .smi_counted = m->metal && after->smi_state == VALUE_READ};
	struct gap_verdict v;

	spell_steal(s, before, after, n, &e);
	gap_judge(&e, &v);
	/* Two gaps of one turn that cannot be told apart: then neither's cause is known. */
	if (n <= 2 && v.each == GAP_UNKNOWN)
		v = (struct gap_verdict){
			.n[GAP_UNKNOWN] = n, .each = GAP_UNKNOWN, .contradicts = v.contradicts};
	for (size_t i = 0; i < n; i++)
		gap_take(s, &s->found[i], v.each);
	w->smi += e.smi;
	w->nmi += e.nmi;
	w->mce += e.mce;
	for (u32 c = 0; c < GAP_CAUSES; c++)
		w->cause[c] += v.n[c];
	w->contradicts |= v.contradicts;
	gaps_smi_compare(s, e.smi);
}

/* One call of the loop, for at most so many ticks and turns. */
static void spell_run(struct gaps_suite *s, u64 ticks, u64 turns, struct evidence *before)
{
	struct seq_gaps *g = &s->loop;
	struct evidence after;

	turns = turns < SPELL ? turns : SPELL;
	g->room = s->has_evidence && s->window.n < SINGLE ? 1 : ROOM;
	g->turns = turns;
	g->stop = rdtsc_ordered() + ticks;
	gaps_smi_arm(s);
	seq_gaps(g);
	env_evidence(&after);
	s->window.watched += passed(g->start, g->end);
	s->window.turns += turns - g->turns;
	if (g->most > s->window.most)
		s->window.most = g->most;
	spell_take(s, before, &after);
	*before = after;
	s->stuck = g->turns == 0 && g->end == g->start;
}

static u64 turns_left(const struct gaps_suite *s)
{
	u64 done = s->all.turns + s->window.turns;

	return done < s->most_turns ? s->most_turns - done : 0;
}

static u64 ticks_left(const struct gaps_suite *s)
{
	u64 wanted = s->soak * s->second;

	return s->all.watched < wanted ? wanted - s->all.watched : 0;
}

/*
 * Watches for a second, or what is left. A storm of gaps leaves little time to watch: then the
 * window ends after two.
 */
static void window_run(struct gaps_suite *s)
{
	u64 wanted = ticks_left(s) < s->second ? ticks_left(s) : s->second;
	struct evidence before;
	u64 start;

	calibrate(s, s->all.windows == 0);
	s->with_interrupts += !env_interrupts_off();
	env_evidence(&before);
	start = rdtsc_ordered();
	s->window = (struct gap_sums){.windows = 1, .at = passed(s->start, start)};
	do {
		spell_run(s, wanted - s->window.watched, turns_left(s), &before);
	} while (s->window.watched < wanted && turns_left(s) && !s->stuck &&
		 passed(start, rdtsc_ordered()) < WINDOW_MOST * s->second);
	s->with_interrupts += !env_interrupts_off();
}

static void sums_add(struct gap_sums *to, const struct gap_sums *w)
{
	if (to->windows == 0)
		to->at = w->at;
	to->windows += w->windows;
	to->watched += w->watched;
	to->turns += w->turns;
	to->n += w->n;
	to->stolen += w->stolen;
	to->smi += w->smi;
	to->nmi += w->nmi;
	to->mce += w->mce;
	if (w->longest > to->longest)
		to->longest = w->longest;
	if (w->most > to->most)
		to->most = w->most;
	for (u32 c = 0; c < GAP_CAUSES; c++)
		to->cause[c] += w->cause[c];
	to->contradicts |= w->contradicts;
}

static bool gaps_done(const struct gaps_suite *s)
{
	return !ticks_left(s) || !turns_left(s) || s->stuck ||
	       s->wall >= (2 * s->soak + 1) * s->second;
}

static u64 part_windows(const struct gaps_suite *s)
{
	u64 n = s->soak / PARTS;

	if (run_detail_full(s->run) || n == 0)
		return 1;
	return n < PART_MOST ? n : PART_MOST;
}

/* Of enough windows, or the next one might take until it is too late. */
static bool part_done(const struct gaps_suite *s)
{
	return s->part.windows >= part_windows(s) ||
	       s->wall >= s->said + (SILENCE - WINDOW_MOST) * s->second;
}

static void gaps_watch(struct gaps_suite *s)
{
	bool done;

	env_quiet();
	env_evidence(&s->first);
	s->start = rdtsc_ordered();
	do {
		window_run(s);
		sums_add(&s->all, &s->window);
		sums_add(&s->part, &s->window);
		s->wall = passed(s->start, rdtsc_ordered());
		done = gaps_done(s);
		if (s->window.contradicts)
			gaps_contradiction_report(s);
		if (done || part_done(s)) {
			gaps_part_report(s);
			s->said = s->wall;
		}
		env_flush();
	} while (!done);
	env_evidence(&s->last);
}

static void gaps_period(struct gaps_suite *s)
{
	u64 *at = s->sample, *length = s->sample + PERIOD_EVENTS;
	u64 n = s->all.n;

	if (s->backwards)
		n = 0; /* times that do not follow each other */
	if (n > PERIOD_EVENTS)
		n = PERIOD_EVENTS;
	for (u64 i = 0; i < n; i++) {
		const struct seq_gap *g = &s->recent[(s->all.n - n + i) % PERIOD_EVENTS];

		at[i] = g->start;
		length[i] = g->length;
	}
	period_find(at, length, n, &s->period);
}

static bool gaps_open(struct gaps_suite *s, struct run *run)
{
	const u64 found = (ROOM + 2) * sizeof(struct seq_gap);
	const u64 sample = 2 * (GAPS_CALIBRATION + 2) * sizeof(u64);

	s->run = run;
	s->tps = run->machine->tsc_trusted ? env_ticks_per_second() : 0;
	s->second = env_ticks_per_second();
	s->soak = soak_seconds(run);
	s->most_turns = ~0ull;
	s->has_evidence = !run->machine->process;
	s->found = env_alloc(found, 64);
	s->sample = env_alloc(sample, 64);
	s->loop.at = s->found;
	if (!s->found || !s->sample) {
		verdict_add(run->verdict, "gaps.memory", STATUS_FAILED,
			    "needs %llu bytes, %llu are left", (unsigned long long)(found + sample),
			    (unsigned long long)env_arena_left());
		return false;
	}
	gaps_smi_open(s);
	if (run_emulated(run) && run->options->soak == OPTION_UNSET && !s->smi.on)
		s->most_turns = TURNS_EMULATED;
	return true;
}

static void gaps_run(struct run *run)
{
	static struct gaps_suite suite;

	if (!gaps_open(&suite, run))
		return;
	run->measured = true;
	gaps_watch(&suite);
	gaps_period(&suite);
	env_smi_sources(&suite.sources);
	run->gap_seconds = suite.all.watched / suite.second;
	run->gap_ticks = suite.all.watched;
	run->gap_smi = gaps_smi_moved(&suite.first, &suite.last) - suite.smi.counted;
	run->gap_stalls = suite.all.cause[GAP_STALL];
	gaps_report(&suite);
	gaps_smi_report(&suite);
	gaps_checks(&suite);
}

const struct bench gaps_bench = {
	.name = "gaps",
	.doc = "spin and look for stolen time: SMIs, NMIs, the host",
	.run = gaps_run,
};
