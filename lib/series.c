// SPDX-License-Identifier: MIT
/* Figures of a series: see series.h and result.h. */
#include "series.h"

#include "u128.h"

void series_start(struct series_acc *a, struct hist *hist, u64 base)
{
	*a = (struct series_acc){.hist = hist};
	hist_init(hist, base);
	moments_init(&a->variance, 0);
	moments_init(&a->minima, base);
}

static void add_variance(struct series_acc *a, const struct line_stats *line)
{
	u128 milli;

	if (line->var.overflow || line->var_int == ~0ull) {
		a->overflow = true;
		return;
	}
	milli = (u128)line->var_int * 1000 + (line->var.whole - line->var_int) * 1000 +
		line->var.milli;
	a->milli_sum += milli;
	moments_add(&a->variance, line->var_int);
}

/* The smallest j >= 1 from which on every min stays above that of line 0. */
static void add_resolution(struct series_acc *a, u64 min, u64 j)
{
	if (min <= a->first_min)
		a->resolution = 0;
	else if (a->resolution == 0)
		a->resolution = j;
}

size_t series_line(struct series_acc *a, u64 *x, size_t n, u64 j, struct line_stats *line)
{
	n = stats_drop_backwards(x, n, &a->backwards);
	stats_line(x, n, line);
	a->lines++;
	if (n == 0)
		return 0;

	hist_add(a->hist, x, n);
	add_variance(a, line);
	if (a->minima.n == 0)
		a->first_min = line->min;
	else if (line->min < a->last_min)
		a->spurious++;
	add_resolution(a, line->min, j);
	a->last_min = line->min;
	moments_add(&a->minima, line->min);
	if (line->max - line->min > a->max_dev)
		a->max_dev = line->max - line->min;
	return n;
}

static struct variance mean_variance(const struct series_acc *a)
{
	struct variance v = {.overflow = a->overflow};
	u64 milli = 0;

	if (a->overflow || a->variance.n == 0)
		return v;
	v.whole = u128_div(u128_div_round(a->milli_sum, a->variance.n), 1000, &milli);
	v.milli = (u32)milli;
	return v;
}

void series_finish(const struct series_acc *a, struct series *s)
{
	const struct hist *h = a->hist;

	s->n = h->m.n;
	s->backwards = a->backwards;
	s->min = h->m.n ? h->m.min : 0;
	s->max = h->m.max;
	s->max_dev = a->max_dev;
	s->spurious = a->spurious;
	s->mean_var = mean_variance(a);
	s->var_var = moments_variance(&a->variance);
	s->var_var.overflow |= a->overflow;
	s->var_min = moments_variance(&a->minima);
	s->p50 = hist_percentile(h, 1, 2);
	s->p97 = hist_percentile(h, 97, 100);
	s->p99 = hist_percentile(h, 99, 100);
	s->p999 = hist_percentile(h, 999, 1000);
	s->resolution = s->grows ? a->resolution : 0;
}

void series_record(struct record *r, const struct series *s)
{
	record_word(r, "method", s->method);
	record_word(r, "form", s->form);
	record_word(r, "work", s->workload);
	record_word(r, "pre", s->preamble);
	record_word(r, "unit", s->unit);
	record_u64(r, "lines", s->lines);
	record_u64(r, "samples", s->samples);
	if (s->trimmed)
		record_word(r, "trimmed", "budget");
	record_u64(r, "n", s->n);
	record_u64(r, "backwards", s->backwards);
	record_u64(r, "min", s->min);
	record_u64(r, "max", s->max);
	record_u64(r, "maxdev", s->max_dev);
	record_variance(r, "var", &s->mean_var);
	record_variance(r, "varvar", &s->var_var);
	if (s->grows) {
		record_u64(r, "resolution", s->resolution);
	} else {
		record_u64(r, "spurious", s->spurious);
		record_variance(r, "varmin", &s->var_min);
	}
	record_bound(r, "p50", &s->p50);
	record_bound(r, "p97", &s->p97);
	record_bound(r, "p99", &s->p99);
	record_bound(r, "p999", &s->p999);
	record_u64(r, "first", s->first);
	record_u64(r, "warm", s->warm);
	if (s->overhead_known) {
		record_u64(r, "overhead", s->overhead);
		record_u64(r, "overhead_stable", s->overhead_stable);
	}
}

typedef void series_column(struct text *t, const struct series *s);

static void column_of(struct text *t, const struct series *s)
{
	fmt(t, "%s/%s/%s", s->form, s->workload, s->preamble);
}

static void column_n(struct text *t, const struct series *s)
{
	fmt(t, "%llu", (unsigned long long)s->n);
}

static void column_backwards(struct text *t, const struct series *s)
{
	fmt(t, "%llu", (unsigned long long)s->backwards);
}

static void column_min(struct text *t, const struct series *s)
{
	fmt(t, "%llu", (unsigned long long)s->min);
}

static void column_max(struct text *t, const struct series *s)
{
	fmt(t, "%llu", (unsigned long long)s->max);
}

static void column_var(struct text *t, const struct series *s)
{
	variance_fmt(t, &s->mean_var);
}

static void column_varmin(struct text *t, const struct series *s)
{
	if (s->grows)
		text_str(t, "n/a");
	else
		variance_fmt(t, &s->var_min);
}

static void column_p50(struct text *t, const struct series *s)
{
	bound_fmt(t, &s->p50);
}

static void column_p97(struct text *t, const struct series *s)
{
	bound_fmt(t, &s->p97);
}

static void column_resolution(struct text *t, const struct series *s)
{
	if (s->grows)
		fmt(t, "%llu", (unsigned long long)s->resolution);
	else
		text_str(t, "n/a");
}

static void column_overhead(struct text *t, const struct series *s)
{
	if (s->overhead_known)
		fmt(t, "%llu%s", (unsigned long long)s->overhead, s->overhead_stable ? "" : "~");
	else
		text_str(t, "n/a");
}

void series_rows_record(struct record *r, const struct series *s, size_t n)
{
	static const struct {
		const char *key;
		series_column *put;
	} column[] = {
		{"of", column_of},
		{"n", column_n},
		{"backwards", column_backwards},
		{"min", column_min},
		{"max", column_max},
		{"var", column_var},
		{"varmin", column_varmin},
		{"p50", column_p50},
		{"p97", column_p97},
		{"resolution", column_resolution},
		{"overhead", column_overhead},
	};

	record_word(r, "method", s->method);
	record_word(r, "unit", s->unit);
	for (size_t c = 0; c < ARRAY_SIZE(column); c++) {
		record_key(r, column[c].key);
		for (size_t i = 0; i < n; i++) {
			if (i)
				text_byte(&r->t, ',');
			column[c].put(&r->t, &s[i]);
		}
	}
}

void hist_sums_record(struct record *r, const struct hist *h)
{
	const struct moments *m = &h->m;
	bool negative = m->sum < 0;

	record_u64(r, "n", m->n);
	record_key(r, "sum");
	if (negative)
		text_byte(&r->t, '-');
	fmt_u128(&r->t, negative ? -(u128)m->sum : (u128)m->sum);
	record_key(r, "sumsq");
	if (m->overflow)
		text_str(&r->t, "overflow");
	else
		fmt_u128(&r->t, m->sumsq);
	record_u64(r, "min", m->n ? m->min : 0);
	record_u64(r, "max", m->max);
}

static size_t next_bin(const struct hist *h, size_t i)
{
	while (i < HIST_BINS && h->bin[i] == 0)
		i++;
	return i;
}

/* "bin:count," at its longest, 4 + 1 + 20 + 1, and a field `more=` after the bins. */
#define BIN_TEXT (26 + 26)

bool hist_record(struct record *r, const struct hist *h, size_t *from, size_t most)
{
	size_t i = next_bin(h, *from);
	const char *comma = "";

	record_key(r, "bins");
	while (i < HIST_BINS && most-- && record_room(r) >= BIN_TEXT) {
		fmt(&r->t, "%s%zu:%llu", comma, i, (unsigned long long)h->bin[i]);
		comma = ",";
		i = next_bin(h, i + 1);
	}
	*from = i;
	return i < HIST_BINS;
}

u64 hist_rest(const struct hist *h, size_t from)
{
	u64 n = 0;

	for (size_t i = from; i < HIST_BINS; i++)
		n += h->bin[i];
	return n;
}
