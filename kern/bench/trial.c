// SPDX-License-Identifier: MIT
/* Series, line by line: see trial.h. The order of a window is that of README "A window". */
#include "trial.h"

#include "mem.h"
#include "tables.h"

#define PILOT		   100
#define PILOT_PASSES	   4 /* the cheapest counts: the first warms up, a host may take any other */
#define WINDOWS_PER_SECOND 50
#define TWIN		   1000

bool buffers_open(struct bench_buffers *b, u64 samples, u64 *wanted)
{
	b->samples = samples < PILOT ? PILOT : samples;
	*wanted = b->samples * sizeof(u64);
	b->x = env_alloc(*wanted, 4096);
	*wanted += TRIALS * sizeof(struct hist);
	for (u32 i = 0; i < TRIALS; i++)
		b->saved[i] = env_alloc(sizeof(struct hist), 64);
	return b->x && b->saved[TRIALS - 1];
}

void trial_settle(void)
{
	for (int i = 0; i < 3; i++) {
		cpuid(0, 0);
		rdtsc();
	}
}

/* What a line costs per sample: the loop and the statistics after it. */
static u64 pilot_pass(struct run *run, const struct bench_buffers *b, seq_fn *code,
		      struct hist *hist, u64 *min)
{
	struct series_acc acc;
	struct line_stats line;
	u64 start, ticks;

	series_start(&acc, hist, 0);
	start = rdtsc_ordered();
	code(b->x, PILOT, 0, run->scratch);
	series_line(&acc, b->x, PILOT, 0, &line);
	ticks = rdtsc_ordered() - start;
	*min = line.min;
	return ticks / PILOT + 1;
}

u64 trial_pilot(struct run *run, const struct bench_buffers *b, seq_fn *code, struct hist *hist,
		u64 *min)
{
	u64 cost = ~0ull;

	env_quiet();
	trial_settle();
	for (int i = 0; i < PILOT_PASSES; i++) {
		u64 pass_min, pass = pilot_pass(run, b, code, hist, &pass_min);

		cost = pass < cost ? pass : cost;
		*min = i == 0 || pass_min < *min ? pass_min : *min;
	}
	return cost;
}

static u64 twin_min(struct run *run, const struct bench_buffers *b, const struct trial *t)
{
	u64 n = t->s.samples < TWIN ? t->s.samples : TWIN;
	u64 backwards = 0;
	struct line_stats line;

	t->twin(b->x, n, 0, run->scratch);
	t->twin(b->x, n, 0, run->scratch);
	stats_line(b->x, stats_drop_backwards(b->x, n, &backwards), &line);
	return line.min;
}

static void series_name(const struct series *s, struct text *t)
{
	fmt(t, "method %s %s %s %s", s->method, s->form, s->workload, s->preamble);
}

static void lines_send(struct run *run, struct trial *t)
{
	struct record *r;

	if (t->entries.len == 0)
		return;
	r = report_record(run->report, "lines");
	record_word(r, "method", t->s.method);
	record_word(r, "form", t->s.form);
	record_word(r, "work", t->s.workload);
	record_word(r, "pre", t->s.preamble);
	record_key(r, "lines");
	text_bytes(&r->t, t->entry, t->entries.len);
	report_send(run->report);
	t->entries = (struct text)TEXT_ON(t->entry);
}

/* The longest entry: four numbers of 20 digits, a variance of 39 + 4, and punctuation. */
#define ENTRY_MAX 140

static void lines_close(struct run *run, struct trial *t)
{
	const struct line_entry *l = &t->lines;
	char name[80], bytes[240];
	struct text n = TEXT_ON(name), out = TEXT_ON(bytes);

	if (!t->open)
		return;
	if (t->entries.len + ENTRY_MAX > t->entries.cap)
		lines_send(run, t);
	if (t->entries.len)
		text_byte(&t->entries, ',');
	line_entry_fmt(&t->entries, l);

	series_name(&t->s, &n);
	text_byte(&n, 0);
	table_line(&out, name, l->from, l->to, &l->var, l->max - l->min, l->min);
	report_lines(run->report, &out);
	t->open = false;
}

static bool line_equal(const struct line_entry *l, const struct line_stats *s)
{
	return l->min == s->min && l->max == s->max && l->var.whole == s->var.whole &&
	       l->var.milli == s->var.milli && l->var.overflow == s->var.overflow;
}

static void lines_add(struct run *run, struct trial *t, u64 j, const struct line_stats *s)
{
	const u32 detail = run->options->detail;

	if (detail == 0)
		return;
	if (t->open && !(detail & DETAIL_LINES) && line_equal(&t->lines, s)) {
		t->lines.to = j;
		return;
	}
	lines_close(run, t);
	t->lines = (struct line_entry){
		.from = j, .to = j, .min = s->min, .max = s->max, .var = s->var};
	t->open = true;
}

static void measure_line(struct run *run, const struct bench_buffers *b, struct trial *t, u64 j,
			 struct line_stats *line, struct disturbance *d)
{
	bool off;
	size_t n;

	trial_settle();
	off = env_interrupts_off();
	t->code(b->x, TRIAL_PRELUDE, j, run->scratch);
	t->code(b->x, t->s.samples, j, run->scratch);
	off &= env_interrupts_off();

	d->windows++;
	d->with_interrupts += !off;
	n = series_line(&t->acc, b->x, t->s.samples, j, line);
	if (t->s.unit[0] == 't')
		step_add(&run->step, b->x, n);
}

/* The first samples ever, apart from the rest: caches, translation, frequency, vector power. */
static void measure_first(struct run *run, const struct bench_buffers *b, struct trial *t)
{
	u64 median, backwards = 0;
	size_t n;

	trial_settle();
	t->code(b->x, t->s.samples, 0, run->scratch);
	t->s.first = b->x[0];
	n = stats_drop_backwards(b->x, t->s.samples, &backwards);
	stats_mad(b->x, n, &median);
	t->s.warm = median;
}

static void disturbance_add(struct disturbance *d, const struct evidence *a,
			    const struct evidence *b)
{
	d->nmi += b->nmi - a->nmi;
	d->mce += b->mce - a->mce;
	if (a->smi_state == VALUE_READ && b->smi_state == VALUE_READ)
		d->smi += b->smi - a->smi;
}

static void trial_open(struct run *run, const struct bench_buffers *b, struct trial *t)
{
	u64 min;

	t->entries = (struct text)TEXT_ON(t->entry);
	t->open = false;
	trial_pilot(run, b, t->code, t->acc.hist, &min);
	series_start(&t->acc, t->acc.hist, hist_base(min));
	if (t->twin)
		t->twin_before = twin_min(run, b, t);
	measure_first(run, b, t);
}

static void trial_close(struct run *run, const struct bench_buffers *b, struct trial *t)
{
	lines_close(run, t);
	lines_send(run, t);
	series_finish(&t->acc, &t->s);
	if (t->twin) {
		u64 after = twin_min(run, b, t), step = step_value(&run->step);
		u64 apart =
			after > t->twin_before ? after - t->twin_before : t->twin_before - after;

		t->s.overhead_known = true;
		t->s.overhead = after < t->twin_before ? after : t->twin_before;
		t->s.overhead_stable = apart <= step;
	}
}

/* Lines from..to of all trials; how many there were and how long they took. */
struct span {
	u64 from, lines, ticks;
};

static void span_measure(struct run *run, const struct bench_buffers *b, struct trial *t, size_t n,
			 struct span *s, struct disturbance *d)
{
	const u64 start = rdtsc_ordered(), enough = env_ticks_per_second() / WINDOWS_PER_SECOND;

	s->lines = 0;
	do {
		for (size_t i = 0; i < n; i++)
			measure_line(run, b, &t[i], s->from + s->lines, &t[i].window[s->lines], d);
		s->lines++;
		s->ticks = rdtsc_ordered() - start;
	} while (s->from + s->lines < t[0].s.lines && s->lines < WINDOW_LINES && s->ticks < enough);
}

/* What a span adds to is kept, so that it can be taken back. */
static void span_save(const struct bench_buffers *b, const struct trial *t, size_t n,
		      struct series_acc *saved)
{
	for (size_t i = 0; i < n; i++) {
		saved[i] = t[i].acc;
		memcpy(b->saved[i], t[i].acc.hist, sizeof(struct hist));
	}
}

/*
 * But for one thing: a TSC that ran backwards did so, whatever moved meanwhile. What moves may even
 * be why: an SMI handler that sets the TSC back to hide its stay.
 */
static void span_undo(const struct bench_buffers *b, struct trial *t, size_t n,
		      const struct series_acc *saved, struct disturbance *d)
{
	for (size_t i = 0; i < n; i++) {
		if (t[i].s.unit[0] == 't')
			d->backwards += t[i].acc.backwards - saved[i].backwards;
		t[i].acc = saved[i];
		memcpy(t[i].acc.hist, b->saved[i], sizeof(struct hist));
	}
}

/* Is there time to take the span again? If so the time is spent. */
static bool redo_afford(struct run *run, u64 ticks)
{
	if (ticks > run->redo_left)
		return false;
	run->redo_left -= ticks;
	return true;
}

/* Returns how many lines stand now. *c is the last look and becomes the next span's first. */
static u64 span_settle(struct run *run, const struct bench_buffers *b, struct trial *t, size_t n,
		       u64 from, struct conditions *c, struct disturbance *d)
{
	struct series_acc saved[TRIALS];
	struct span s = {.from = from};
	bool keep = !run_emulated(run);

	if (keep)
		span_save(b, t, n, saved);
	for (u32 again = 0;; again++) {
		struct conditions before = *c;

		span_measure(run, b, t, n, &s, d);
		conditions_take(run, c);
		if (!conditions_moved(run, &before, c))
			break;
		if (again == CONDITIONS_REDO || !redo_afford(run, s.ticks)) {
			t[0].s.unsettled++;
			break;
		}
		t[0].s.redone++;
		span_undo(b, t, n, saved, d);
	}
	for (u64 j = 0; j < s.lines; j++)
		for (size_t i = 0; i < n; i++)
			lines_add(run, &t[i], from + j, &t[i].window[j]);
	return s.lines;
}

/* What moved while one trial's lines were taken moved for all that were taken between them. */
static void trials_share(struct run *run, struct trial *t, size_t n, const struct conditions *first,
			 const struct conditions *last, struct disturbance *d)
{
	bool held = !run_emulated(run) && t[0].s.unsettled == 0 &&
		    !ruler_moved(run, &first->ruler, &last->ruler);

	d->redone += t[0].s.redone;
	d->unsettled += t[0].s.unsettled;
	for (size_t i = 0; i < n; i++) {
		t[i].s.redone = t[0].s.redone;
		t[i].s.unsettled = t[0].s.unsettled;
		t[i].s.ratio = held ? ruler_ratio(&last->ruler) : 0;
	}
}

void trial_measure(struct run *run, const struct bench_buffers *b, struct trial *t, size_t n,
		   struct disturbance *d)
{
	struct evidence before, after;
	struct conditions first, now;

	env_quiet();
	env_evidence(&before);
	for (size_t i = 0; i < n; i++)
		trial_open(run, b, &t[i]);
	conditions_take(run, &first);
	now = first;
	for (u64 j = 0; j < t[0].s.lines;)
		j += span_settle(run, b, t, n, j, &now, d);
	for (size_t i = 0; i < n; i++)
		trial_close(run, b, &t[i]);
	trials_share(run, t, n, &first, &now, d);
	env_evidence(&after);
	disturbance_add(d, &before, &after);
}
