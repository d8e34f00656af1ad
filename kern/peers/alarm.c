// SPDX-License-Identifier: MIT
/*
 * How often the rule that takes a window again (ruler_moved) fires when nothing was measured: the
 * same looks at the conditions as around lines, with idle spinning between them.
 */
#include "insn.h"
#include "peers.h"
#include "ruler.h"

#define PILOTS	     10	 /* each judges by its own noise, as each run does */
#define WINDOWS	     200 /* a pilot and gap */
#define APART_MS     20	 /* the longest window of lines */
#define STEP_SAMPLES 10000

struct alarms {
	u64 windows, fired;
	u64 adds, nops; /* fired by this one alone or with the other */
	u64 stayed;	/* the look after an alarm agrees with it: something did change */
	u64 back;	/* it agrees with the look before the alarm: nothing had */
};

static void spin(u64 ticks)
{
	u64 start = rdtsc();

	while (rdtsc() - start < ticks)
		cpu_pause();
}

static void alarm_sort(const struct run *run, const struct ruler *a, const struct ruler *b,
		       struct alarms *n)
{
	struct ruler nops = *b, adds = *b, again;

	nops.adds_ticks = a->adds_ticks;
	adds.nops_ticks = a->nops_ticks;
	n->nops += ruler_moved(run, a, &nops);
	n->adds += ruler_moved(run, a, &adds);
	ruler_take(&again);
	if (!ruler_moved(run, b, &again))
		n->stayed++;
	else if (!ruler_moved(run, a, &again))
		n->back++;
}

/* Each window's last look is the next one's first, as in a suite. */
static void windows_watch(const struct run *run, u64 windows, u64 gap, struct alarms *n)
{
	struct conditions before, now;

	conditions_take(run, &now);
	for (u64 i = 0; i < windows; i++) {
		before = now;
		spin(gap);
		conditions_take(run, &now);
		n->windows++;
		if (!conditions_moved(run, &before, &now))
			continue;
		n->fired++;
		alarm_sort(run, &before.ruler, &now.ruler, n);
	}
}

/* Of all windows, in thousandths of a percent. */
static void share_print(const char *what, u64 part, const struct alarms *n)
{
	u64 rate = n->windows ? (part * 100000 + n->windows / 2) / n->windows : 0;

	say("%s %llu (%llu.%03llu%%)", what, (unsigned long long)part,
	    (unsigned long long)(rate / 1000), (unsigned long long)(rate % 1000));
}

static void alarms_print(const char *what, const struct alarms *n)
{
	say("%-21s %6llu windows, ", what, (unsigned long long)n->windows);
	share_print("alarms", n->fired, n);
	share_print(": stayed", n->stayed, n);
	share_print(", false", n->back, n);
	say("\n%-21s by adds %llu, by NOPs %llu\n", "", (unsigned long long)n->adds,
	    (unsigned long long)n->nops);
}

static bool step_learn(struct run *run)
{
	u64 *x = env_alloc(STEP_SAMPLES * sizeof(u64), 4096), backwards = 0;
	u64 *prelude = env_alloc(TRIAL_PRELUDE * sizeof(u64), 64);
	seq_fn *code = seq_find((u32)seq_method_find("5", 1), WORK_EMPTY, PRE_NONE, FORM_MEM);

	if (!x || !prelude)
		return false;
	line_take(code, x, STEP_SAMPLES, 0, run->scratch, prelude);
	step_add(&run->step, x, stats_drop_backwards(x, STEP_SAMPLES, &backwards));
	return true;
}

bool alarm_run(struct run *run, const struct bench_ask *ask)
{
	const u64 windows = ask->windows ? ask->windows : WINDOWS;
	const u64 apart = env_ticks_per_second() / 1000 * APART_MS;
	struct alarms close = {0}, far = {0};

	if (!step_learn(run))
		return false;
	for (u64 i = 0; i < PILOTS; i++) {
		progress("pilots", i, PILOTS);
		ruler_pilot(run);
		say("# pilot %llu: MAD of adds %llu, of NOPs %llu ticks\n",
		    (unsigned long long)(i + 1), (unsigned long long)run->noise.adds,
		    (unsigned long long)run->noise.nops);
		windows_watch(run, windows, 0, &close);
		windows_watch(run, windows, apart, &far);
	}
	say("windows with nothing measured in them, step %llu ticks\n",
	    (unsigned long long)step_value(&run->step));
	alarms_print("rulers back to back:", &close);
	alarms_print("rulers 20 ms apart:", &far);
	say("stayed: a further ruler agrees with the one that gave the alarm: the core clock did "
	    "change, or the\nsibling did become busy. false: it agrees with the one before: nothing "
	    "had. The rest moves on.\n");
	return true;
}
