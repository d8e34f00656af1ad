// SPDX-License-Identifier: MIT
/*
 * What a sample costs: ticks a turn of method 5's loop, beside its window (min and median of its
 * samples) and one pass of the same loop with the end's read taken out: a turn holds two reads, and
 * the window, from read to read, only one of them.
 */
#include "peers.h"

#define LINES	   400
#define SAMPLES	   10000
#define WITHIN_PCT 15
#define UNKNOWN	   ~0ull

/* Ticks a turn x 100, one entry a line; the ratio x 1000, UNKNOWN where a line took no tick. */
struct turns {
	u64 *whole, *read, *bare, *min, *p50, *ratio;
	u64 n;
};

static bool turns_alloc(struct turns *t, u64 lines)
{
	u64 **const list[] = {&t->whole, &t->read, &t->bare, &t->min, &t->p50, &t->ratio};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		*list[i] = env_alloc(lines * sizeof(u64), 64);
		if (!*list[i])
			return false;
	}
	t->n = lines;
	return true;
}

/* The three loops right after each other: between lines the core clock may move. */
static void turns_take(struct run *run, u64 samples, u64 *x, u64 *prelude, struct turns *t)
{
	seq_fn *ours = seq_find((u32)seq_method_find("5", 1), WORK_EMPTY, PRE_NONE, FORM_MEM);
	struct latency lat;
	u64 sum;

	for (u64 i = 0; i < t->n; i++) {
		progress("turns", i, t->n);
		t->bare[i] = line_take(turn_bare, x, samples, 0, run->scratch, prelude);
		t->read[i] = line_take(turn_read, x, samples, 0, run->scratch, prelude);
		t->whole[i] = line_take(ours, x, samples, 0, run->scratch, prelude);
		stats_latency(x, samples, &lat);
		t->min[i] = lat.min * 100;
		t->p50[i] = lat.p50 * 100;
		sum = t->p50[i] + t->read[i];
		t->ratio[i] = sum ? (t->whole[i] * 1000 + sum / 2) / sum : UNKNOWN;
	}
}

/* Sorts. */
static u64 median(u64 *x, u64 n)
{
	stats_sort(x, n);
	return x[stats_rank(n, 50, 100) - 1];
}

static void line_print(const char *what, const struct turns *t, u64 *hundredths)
{
	u64 middle = median(hundredths, t->n);

	say("%-62s%6llu.%02llu %6llu.%02llu\n", what, (unsigned long long)(middle / 100),
	    (unsigned long long)(middle % 100), (unsigned long long)(hundredths[0] / 100),
	    (unsigned long long)(hundredths[0] % 100));
}

bool turn_run(struct run *run, const struct bench_ask *ask)
{
	const u64 lines = ask->lines ? ask->lines : LINES;
	const u64 samples = ask->samples ? ask->samples : SAMPLES;
	u64 *x = env_alloc(samples * sizeof(u64), 4096);
	u64 *prelude = env_alloc(TRIAL_PRELUDE * sizeof(u64), 64);
	struct turns t;
	u64 ratio;

	if (!x || !prelude || !turns_alloc(&t, lines))
		return false;
	turns_take(run, samples, x, prelude, &t);
	say("ticks a sample of method 5, %llu lines of %-25llu             median     least\n",
	    (unsigned long long)lines, (unsigned long long)samples);
	line_print("a whole turn of the sample loop: two reads, difference, store", &t, t.whole);
	line_print("its window, from start's read to end's: min of a line", &t, t.min);
	line_print("its window: median of a line", &t, t.p50);
	line_print("one pass of the loop with the end's read taken out", &t, t.read);
	line_print("one pass of the loop with both reads taken out", &t, t.bare);
	ratio = median(t.ratio, lines);
	if (ratio == UNKNOWN) {
		say("whole turn / (median window + one pass): unknown, lines took no tick; "
		    "samples= makes them longer\n");
		return true;
	}
	say("whole turn / (median window + one pass): %llu.%03llu, the median over the lines; %s "
	    "%u%%\n",
	    (unsigned long long)(ratio / 1000), (unsigned long long)(ratio % 1000),
	    ratio <= 1000 + WITHIN_PCT * 10 && ratio + WITHIN_PCT * 10 >= 1000 ? "within"
									       : "NOT within",
	    WITHIN_PCT);
	return true;
}
