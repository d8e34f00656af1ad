// SPDX-License-Identifier: MIT
/*
 * Positive control of the gaps suite: SMIs written by its own loop at instants of our choosing,
 * with our handler's times as the truth where firmware let us have one. The table says what was
 * found.
 */
#include "gaps_suite.h"

#include "insn.h"

#define INJECT_DEFAULT 200 /* smi=handler alone */
#define TAIL	       64  /* turns watched after the write, before it is looked at */
#define NEAR	       4   /* turns within which an SMI comes that was asked for */
#define SEED	       0x9e3779b97f4a7c15ull

static u64 turn_ticks(const struct gaps_suite *s)
{
	return s->threshold.inner + s->threshold.outer;
}

void gaps_smi_open(struct gaps_suite *s)
{
	struct gaps_smi *c = &s->smi;
	const struct options *o = s->run->options;
	const char *why = "no reason given";

	if (o->smi_inject == OPTION_UNSET && o->smi_handler == OPTION_UNSET)
		return;
	c->asked = o->smi_inject == OPTION_UNSET ? INJECT_DEFAULT : o->smi_inject;
	c->random = SEED;
	c->over_min = ~0ull;
	c->handler = o->smi_handler != OPTION_UNSET;
	c->stay = c->handler ? o->smi_handler : 0;
	c->on = env_smi_command(&c->command, &why) &&
		(!c->handler || env_smi_handler(c->stay, &why));
	c->refused = c->on ? NULL : why;
	c->spacing = s->soak * s->second / 10 * 9 / c->asked;
}

static u64 draw(struct gaps_smi *c)
{
	u64 x = c->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return c->random = x;
}

/*
 * In the middle half of a share of its own: half a spacing to one and a half after the one before,
 * and however few there are, the last comes within nine tenths of the time.
 */
static void instant_choose(struct gaps_suite *s)
{
	struct gaps_smi *c = &s->smi;

	c->next = s->start + c->written * c->spacing + c->spacing / 4 +
		  draw(c) % (c->spacing / 2 + 1);
}

void gaps_smi_arm(struct gaps_suite *s)
{
	const u64 now = rdtsc_ordered();
	struct gaps_smi *c = &s->smi;
	struct seq_gaps *g = &s->loop;

	c->under_way = false;
	g->port = 0;
	g->written = 0;
	if (!c->on || c->written == c->asked)
		return;
	if (c->at == c->written)
		instant_choose(s);
	c->at = c->written + 1;
	if (c->next >= g->stop)
		return;
	env_smi_truth(&c->truth_before);
	c->under_way = true;
	g->port = c->command.port;
	g->value = c->command.value;
	/* One that fell between two windows comes at once, and is watched as long. */
	g->stop = c->next > now ? c->next : now;
	g->resume = g->stop + TAIL * turn_ticks(s);
}

/* The gap that begins with the write or within a few turns of it. */
static const struct seq_gap *gap_of_write(const struct gaps_suite *s)
{
	u64 written = s->loop.written;

	for (const struct seq_gap *g = s->found; g < s->loop.next; g++)
		if (g->start >= written && g->start - written <= NEAR * turn_ticks(s))
			return g;
	return NULL;
}

/* What our handler noted of the one under way; NULL if there is none, or no room for it. */
static const struct smi_truth *truth_of_write(const struct gaps_smi *c)
{
	u64 n;
	const struct smi_truth *all = env_smi_truth(&n);

	return all && n > c->truth_before && c->truth_before < SMI_TRUTHS ? &all[c->truth_before]
									  : NULL;
}

/* The handler's own times against the gap's. */
static void truth_compare(struct gaps_suite *s, const struct smi_truth *t, const struct seq_gap *g)
{
	struct gaps_smi *c = &s->smi;
	bool above = t->exit - t->entry > s->threshold.ticks;
	u64 late, over;

	c->noted++;
	c->above += above;
	c->missed += above && !g;
	if (!g)
		return;
	/* What our handler cannot see of its own coming and going, and the loop's own grain. */
	late = t->entry - g->start;
	over = g->length - (t->exit - t->entry);
	over -= over < s->threshold.outer ? over : s->threshold.outer;
	if (late > c->late)
		c->late = late;
	if (over > c->over_max)
		c->over_max = over;
	if (over < c->over_min)
		c->over_min = over;
}

void gaps_smi_compare(struct gaps_suite *s, u64 smi)
{
	struct gaps_smi *c = &s->smi;
	const struct smi_truth *t = truth_of_write(c);
	const struct seq_gap *g = NULL;
	u64 n = (u64)(s->loop.next - s->found);

	if (!c->on)
		return;
	if (c->under_way && s->loop.written) {
		g = gap_of_write(s);
		c->written++;
		c->counted += smi;
		c->found += g != NULL;
		if (t)
			truth_compare(s, t, g);
		else
			c->missed += g == NULL;
	}
	c->other += n - (g != NULL);
}

/* An emulator may read 0 from a counter that it does not have. */
static bool smi_counted(const struct gaps_suite *s)
{
	return s->last.smi_state == VALUE_READ && (s->smi.counted || !run_emulated(s->run));
}

static void smi_record(struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;
	struct record *rec = report_record(s->run->report, "smi");

	record_u64(rec, "asked", c->asked);
	record_u64(rec, "written", c->written);
	if (smi_counted(s))
		record_u64(rec, "counted", c->counted);
	record_u64(rec, "found", c->found);
	record_u64(rec, "missed", c->missed);
	record_u64(rec, "other", c->other);
	if (c->handler) {
		record_u64(rec, "stay", c->stay);
		record_u64(rec, "noted", c->noted);
		record_u64(rec, "above", c->above);
		record_u64(rec, "late", c->late);
		record_u64(rec, "over_min", c->found ? c->over_min : 0);
		record_u64(rec, "over_max", c->over_max);
	}
	report_send(s->run->report);
}

static void smi_text(struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;
	struct report *out = s->run->report;
	char counted[24] = "n/a";
	struct text t = {.at = counted, .cap = sizeof(counted) - 1};

	if (smi_counted(s)) {
		fmt(&t, "%llu", (unsigned long long)c->counted);
		counted[t.len] = '\0';
	}
	report_text(out, "SMIs on demand, port %xh, value %02xh\n", c->command.port,
		    c->command.value);
	report_text(out, "  %10s %10s %10s %10s %10s %10s\n", "asked", "written", "counted",
		    "found", "missed", "other gaps");
	report_text(out, "  %10llu %10llu %10s %10llu %10llu %10llu\n",
		    (unsigned long long)c->asked, (unsigned long long)c->written, counted,
		    (unsigned long long)c->found, (unsigned long long)c->missed,
		    (unsigned long long)c->other);
	if (c->handler && c->noted)
		report_text(
			out,
			"  our handler noted %llu, %llu of them above the threshold; it begins at "
			"most %llu ticks\n  after the gap, which is %llu to %llu ticks longer\n",
			(unsigned long long)c->noted, (unsigned long long)c->above,
			(unsigned long long)c->late,
			(unsigned long long)(c->found ? c->over_min : 0),
			(unsigned long long)c->over_max);
}

/* Where the clock counts instructions, times and lengths are within one turn of the loop. */
static bool smi_times_fit(const struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;

	return !s->run->icount || (c->late <= turn_ticks(s) && c->over_max <= turn_ticks(s));
}

/* Other gaps may be a host's, which no count tells from those that never were. */
static bool host_may_take(const struct gaps_suite *s)
{
	return !s->run->icount && !s->run->machine->metal;
}

/* As many as were asked, all of them found that were long enough, and nothing else. */
static bool smi_all_found(const struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;

	if (!smi_times_fit(s))
		return false;
	return c->written == c->asked && c->missed == 0 && (c->other == 0 || host_may_take(s)) &&
	       (!c->handler || c->noted == c->written || c->written > SMI_TRUTHS) &&
	       (!smi_counted(s) || c->counted == c->written);
}

/* All went as it should, but the handler's stays were too short for anything to be found. */
static bool smi_proves_nothing(const struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;

	return c->handler && c->noted && c->above == 0;
}

static void smi_check(struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;
	enum status status = STATUS_OK;
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	fmt(&t, "%llu SMIs asked, %llu written, %llu found, %llu missed, %llu other gaps",
	    (unsigned long long)c->asked, (unsigned long long)c->written,
	    (unsigned long long)c->found, (unsigned long long)c->missed,
	    (unsigned long long)c->other);
	if (!smi_all_found(s)) {
		status = STATUS_FAILED;
	} else if (smi_proves_nothing(s)) {
		status = STATUS_SKIP;
		text_str(&t, ": none was long enough");
	}
	if (c->other && host_may_take(s))
		text_str(&t, " (a host may take time)");
	if (c->found < c->written)
		fmt(&t, "; threshold %llu ticks", (unsigned long long)s->threshold.ticks);
	verdict_add(s->run->verdict, "gaps.control", status, "%.*s", (int)t.len, bytes);
}

void gaps_smi_report(struct gaps_suite *s)
{
	const struct gaps_smi *c = &s->smi;

	if (c->refused) {
		report_text(s->run->report, "smi= refused: %s\n", c->refused);
		verdict_add(s->run->verdict, "gaps.control", STATUS_SKIP, "smi= refused: %s",
			    c->refused);
	}
	if (!c->on)
		return;
	smi_text(s);
	smi_record(s);
	smi_check(s);
}
