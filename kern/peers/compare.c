// SPDX-License-Identifier: MIT
/*
 * All readers over the same lines, each line in a new random order, so that what drifts meets all
 * alike; then each on the growing loop. Figures by lib; see print_legend() for what they are.
 */
#include "crc.h"
#include "needs.h"
#include "peers.h"
#include "series.h"

#include <sys/mman.h>

#define LINES	     1000
#define SAMPLES	     10000
#define LOOP_LINES   64 /* j = 0..63 */
#define LOOP_PASSES  33 /* each tells a resolution; the median counts */
#define LOOP_SAMPLES 1000
#define LINE_TICKS   4000000 /* a dearer reader gets fewer samples a line */
#define LEAST	     100
#define CLEAN	     50 /* ticks: the threshold of the stability suite */
#define MATRIX_MOST  (1ull << 30)

struct tally {
	const struct reader *r;
	const char *skip; /* why it is not measured, or NULL */
	u64 samples;	  /* a line */
	u64 loop_samples; /* a line of the growing loop */
	struct hist *all;
	u64 *var97; /* of each line, in thousandths of a tick squared; as measured, then sorted */
	u64 lines, clean; /* lines taken; those whose max deviation is at most CLEAN */
	u64 cost;	  /* ticks a sample x 100, of the cheapest line */
	u64 backwards;
	u64 *matrix;
	u64 resolution[LOOP_PASSES]; /* LOOP_LINES: no loop is told from an empty one */
};

struct compare {
	struct run *run;
	const struct bench_ask *ask;
	struct tally t[READERS];
	struct hist *line;
	u64 *x, *prelude;
	u64 lines, samples, random;
	u32 order_crc; /* of all orders, which the seed decides */
};

/* Vigna's splitmix64: any seed will do. */
static u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void shuffle(u64 *state, u32 *order, u32 n)
{
	for (u32 i = n; i > 1; i--) {
		u32 k = (u32)(random_next(state) % i), swap = order[k];

		order[k] = order[i - 1];
		order[i - 1] = swap;
	}
}

static void next_order(struct compare *c, u32 *order, u32 n)
{
	shuffle(&c->random, order, n);
	c->order_crc = crc32(c->order_crc, order, n * sizeof(*order));
}

/* Ticks a sample: the cheapest of a few short lines, the first of which loads the caches. */
static u64 pilot(struct compare *c, const struct tally *t, u64 *min)
{
	u64 cost = ~0ull, got, backwards = 0;
	struct line_stats line;

	for (int i = 0; i < 4; i++) {
		got = line_take(t->r->empty, c->x, LEAST, 0, c->run->scratch, c->prelude) / 100;
		cost = got < cost ? got : cost;
	}
	stats_line(c->x, stats_drop_backwards(c->x, LEAST, &backwards), &line);
	*min = line.min;
	return cost + 1;
}

/* Fresh from the system, so that its first touch is the measurement's. NULL: none given. */
static u64 *matrix_map(u64 lines, u64 samples)
{
	void *at = MAP_FAILED;

	if (samples <= MATRIX_MOST / sizeof(u64) / lines)
		at = mmap(NULL, lines * samples * sizeof(u64), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void matrix_unmap(u64 *at, u64 lines, u64 samples)
{
	munmap(at, lines * samples * sizeof(u64));
}

static bool tally_open(struct compare *c, u32 i)
{
	struct tally *t = &c->t[i];
	u64 cost, min;

	*t = (struct tally){.r = &reader_table[i], .cost = ~0ull};
	t->skip = needs_missing(c->run->machine, t->r->needs, NULL);
	t->all = env_alloc(sizeof(struct hist), 64);
	t->var97 = env_alloc(c->lines * sizeof(u64), 64);
	if (!t->all || !t->var97)
		return false;
	if (t->skip)
		return true;
	cost = pilot(c, t, &min);
	t->samples = c->samples * cost > LINE_TICKS ? LINE_TICKS / cost : c->samples;
	t->samples = t->samples < LEAST ? LEAST : t->samples;
	t->loop_samples = t->samples < LOOP_SAMPLES ? t->samples : LOOP_SAMPLES;
	/* The least sample may be far below the pilot's where a read leaves the guest. */
	hist_init(t->all, min / 2);
	if (t->r->matrix)
		t->matrix = matrix_map(c->lines, t->samples);
	return !t->r->matrix || t->matrix;
}

/*
 * Moments of the lowest samples. One that lies beyond the exact bins counts with its bin's low end,
 * which is within a 64th.
 */
static void hist_lowest(const struct hist *h, u64 kept, struct moments *m)
{
	moments_init(m, h->m.min);
	for (size_t i = 0; i < HIST_BINS && m->n < kept; i++) {
		u64 left = kept - m->n, times = h->bin[i] < left ? h->bin[i] : left;

		if (times)
			moments_add_n(m, hist_bin_range(h, i).lo, times);
	}
}

static u64 variance_milli(const struct variance *v)
{
	return v->overflow || v->whole > ~0ull / 2000 ? ~0ull : (u64)v->whole * 1000 + v->milli;
}

/* In thousandths; ~0 where the lowest samples are not in the bins. */
static u64 lowest97(const struct hist *h)
{
	struct moments m;
	struct variance v;

	if (h->below)
		return ~0ull;
	hist_lowest(h, stats_kept97(h->m.n), &m);
	v = moments_variance(&m);
	return variance_milli(&v);
}

static u64 clean_bound(const struct run *run, const struct reader *r)
{
	return r->ns ? CLEAN * 1000000 / run->machine->tsc_khz : CLEAN;
}

static void line_measure(struct compare *c, struct tally *t, u64 row)
{
	u64 *x = t->matrix ? t->matrix + row * t->samples : c->x;
	u64 cost = line_take(t->r->empty, x, t->samples, 0, c->run->scratch, c->prelude);
	size_t n = stats_drop_backwards(x, t->samples, &t->backwards);

	t->cost = cost < t->cost ? cost : t->cost;
	if (n == 0)
		return;
	hist_init(c->line, t->all->m.base);
	hist_add(c->line, x, n);
	hist_add(t->all, x, n);
	if (!t->r->ns)
		step_add(&c->run->step, x, n);
	t->var97[t->lines++] = lowest97(c->line);
	t->clean += c->line->m.max - c->line->m.min <= clean_bound(c->run, t->r);
}

static u32 readers_there(const struct compare *c, u32 *order)
{
	u32 n = 0;

	for (u32 i = 0; i < READERS; i++)
		if (!c->t[i].skip)
			order[n++] = i;
	return n;
}

static void lines_measure(struct compare *c)
{
	u32 order[READERS], n = readers_there(c, order);

	for (u64 row = 0; row < c->lines; row++) {
		progress("lines", row, c->lines);
		next_order(c, order, n);
		for (u32 i = 0; i < n; i++)
			line_measure(c, &c->t[order[i]], row);
	}
}

static bool loop_line(struct compare *c, struct tally *t, u32 j, struct line_stats *line)
{
	const u64 n = t->loop_samples;
	u64 *x = t->matrix ? matrix_map(1, n) : c->x;

	if (!x)
		return false;
	line_take(t->r->loop, x, n, j, c->run->scratch, c->prelude);
	stats_line(x, stats_drop_backwards(x, n, &t->backwards), line);
	if (t->matrix)
		matrix_unmap(x, 1, n);
	return true;
}

/*
 * All lines of a pass right after each other, since the core clock may move. The rule is the
 * suites': smallest j from which on every min stays above that of j = 0.
 */
static bool loop_pass(struct compare *c, struct tally *t, u32 pass)
{
	struct series_acc acc;
	struct series s = {.grows = true};
	struct line_stats line;

	series_start(&acc, c->line, 0);
	for (u32 j = 0; j < LOOP_LINES; j++) {
		if (!loop_line(c, t, j, &line))
			return false;
		series_add_line(&acc, &line, j);
	}
	series_finish(&acc, &s);
	t->resolution[pass] = s.resolution ? s.resolution : LOOP_LINES;
	return true;
}

static bool loops_measure(struct compare *c)
{
	u32 order[READERS], n = readers_there(c, order);

	for (u32 pass = 0; pass < LOOP_PASSES; pass++) {
		progress("loop", pass, LOOP_PASSES);
		next_order(c, order, n);
		for (u32 i = 0; i < n; i++)
			if (!loop_pass(c, &c->t[order[i]], pass))
				return false;
	}
	return true;
}

/* value / 1000 of a thousandfold, or what a division came to. */
static void thousandth(struct text *t, u64 milli, int digits)
{
	static const u64 unit[] = {1000, 100, 10, 1};
	u64 rounded = (milli + unit[digits] / 2) / unit[digits];

	fmt(t, "%llu.%0*llu", (unsigned long long)(rounded * unit[digits] / 1000), digits,
	    (unsigned long long)(rounded % (1000 / unit[digits])));
}

static void column(struct text *row, size_t *at, size_t width, const struct text *cell)
{
	*at += width;
	text_pad_to(row, *at > cell->len ? *at - cell->len : 0);
	if (row->at[row->len - 1] != ' ')
		text_byte(row, ' ');
	text_bytes(row, cell->at, cell->len);
}

/*
 * scale: what one unit of the row is in ticks, x 10^6; 10^6 but for nanoseconds turned into ticks.
 */
struct row {
	struct text t;
	size_t at;
	u64 scale;
	char bytes[200];
};

static u64 scaled(const struct row *r, u64 value)
{
	return (u64)(((u128)value * r->scale + 500000) / 1000000);
}

static void put_number(struct row *r, size_t width, u64 value)
{
	char bytes[24];
	struct text cell = TEXT_ON(bytes);

	fmt(&cell, "%llu", (unsigned long long)value);
	column(&r->t, &r->at, width, &cell);
}

static void put_milli(struct row *r, size_t width, u64 milli, int digits)
{
	char bytes[32];
	struct text cell = TEXT_ON(bytes);

	if (milli == ~0ull)
		text_str(&cell, "-");
	else
		thousandth(&cell, milli, digits);
	column(&r->t, &r->at, width, &cell);
}

static void put_ratio(struct row *r, size_t width, u64 value, u64 ours)
{
	put_milli(r, width, ours ? (value * 1000 + ours / 2) / ours : ~0ull, 2);
}

static u64 variance_scaled(const struct row *r, u64 milli)
{
	return milli == ~0ull ? milli : scaled(r, scaled(r, milli));
}

static u64 tally_p50(const struct tally *t)
{
	return hist_percentile(t->all, 50, 100).lo;
}

static u64 tally_median_var97(const struct tally *t)
{
	return t->lines ? t->var97[stats_rank(t->lines, 50, 100) - 1] : ~0ull;
}

static void row_print(const struct compare *c, const struct tally *t, const char *name, u64 scale)
{
	const struct tally *ours = &c->t[READER_OURS];
	struct row r = {.scale = scale};
	char res[24];
	struct text cell = TEXT_ON(res);

	r.t = (struct text)TEXT_ON(r.bytes);
	text_str(&r.t, name);
	r.at = 22;
	put_number(&r, 6, t->samples);
	put_number(&r, 6, scaled(&r, t->all->m.min));
	put_number(&r, 6, scaled(&r, tally_p50(t)));
	put_milli(&r, 9, variance_scaled(&r, tally_median_var97(t)), 2);
	put_milli(&r, 10, variance_scaled(&r, lowest97(t->all)), 2);
	put_milli(&r, 7, t->lines ? t->clean * 100000 / t->lines : ~0ull, 1);
	if (t->resolution[LOOP_PASSES / 2] < LOOP_LINES)
		fmt(&cell, "%llu", (unsigned long long)t->resolution[LOOP_PASSES / 2]);
	else
		text_str(&cell, "> 63");
	column(&r.t, &r.at, 5, &cell);
	put_milli(&r, 9, t->cost * 10, 1);
	/* Nanoseconds have no ratio to ticks. */
	put_ratio(&r, 8, scaled(&r, t->all->m.min),
		  t->r->ns && scale == 1000000 ? 0 : ours->all->m.min);
	put_ratio(&r, 8, t->cost, ours->cost);
	say("%.*s\n", (int)r.t.len, r.bytes);
}

static void print_legend(const struct compare *c)
{
	say("min, p50: of all samples. var97: variance of a line's lowest 97%%, the median over "
	    "the lines;\npooled: of the lowest 97%% of all samples, so that what drifts between "
	    "lines is in it.\nclean: lines whose max deviation is at most %u ticks. res: smallest "
	    "loop told from an empty one,\nthe median over %u passes. t/sample: ticks that a sample "
	    "takes in the cheapest line, storing\nincluded. /5: ratio to method 5. Methods 5 and 6 "
	    "keep the start in memory, the others in registers.\n",
	    CLEAN, LOOP_PASSES);
	for (u32 i = 0; i < READERS; i++) {
		const struct tally *t = &c->t[i];

		if (t->skip)
			say("%s: left out: %s\n", t->r->name, t->skip);
		if (t->backwards)
			say("%s: %llu samples ended before they started\n", t->r->name,
			    (unsigned long long)t->backwards);
	}
}

static void table_print(const struct compare *c)
{
	const u64 khz = c->run->machine->tsc_khz;

	say("%llu lines of each reader in random order (seed %llu, CRC-32 of the order %08X); step %llu "
	    "ticks\n\n",
	    (unsigned long long)c->lines, (unsigned long long)c->ask->seed, c->order_crc,
	    (unsigned long long)step_value(&c->run->step));
	say("%-22s%6s%6s%6s%9s%10s%7s%5s%9s%8s%8s\n", "ticks", "n/line", "min", "p50", "var97",
	    "pooled", "clean%", "res", "t/sample", "min/5", "t/5");
	for (u32 i = 0; i < READERS; i++) {
		const struct tally *t = &c->t[i];

		if (t->skip)
			continue;
		if (t->r->ns)
			row_print(c, t, "clock_gettime, ticks~", khz);
		row_print(c, t, t->r->name, 1000000);
	}
	say("~ the row below it, nanoseconds of CLOCK_MONOTONIC_RAW, x %llu.%03llu ticks (%s).\n",
	    (unsigned long long)(khz / 1000000), (unsigned long long)(khz / 1000 % 1000),
	    c->run->machine->tsc_source);
	print_legend(c);
}

bool compare_run(struct run *run, const struct bench_ask *ask)
{
	static struct compare c;

	c = (struct compare){.run = run, .ask = ask, .random = ask->seed};
	c.lines = ask->lines ? ask->lines : LINES;
	c.samples = ask->samples ? ask->samples : SAMPLES;
	readers_open();
	c.line = env_alloc(sizeof(struct hist), 64);
	c.x = env_alloc((c.samples > LEAST ? c.samples : LEAST) * sizeof(u64), 4096);
	c.prelude = env_alloc(TRIAL_PRELUDE * sizeof(u64), 64);
	if (!c.line || !c.x || !c.prelude)
		return false;
	for (u32 i = 0; i < READERS; i++)
		if (!tally_open(&c, i))
			return false;
	lines_measure(&c);
	if (!loops_measure(&c))
		return false;
	for (u32 i = 0; i < READERS; i++) {
		stats_sort(c.t[i].var97, c.t[i].lines);
		stats_sort(c.t[i].resolution, LOOP_PASSES);
	}
	table_print(&c);
	return true;
}
