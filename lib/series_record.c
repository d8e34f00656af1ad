// SPDX-License-Identifier: MIT
/* The records of series, their lines and histograms, both ways: see series.h. */
#include "series.h"

#include "mem.h"
#include "number.h"

/* ---- type=series */

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
	record_u64(r, "redone", s->redone);
	record_u64(r, "unsettled", s->unsettled);
	record_u64(r, "ratio_e4", s->ratio);
	if (s->overhead_known) {
		record_u64(r, "overhead", s->overhead);
		record_u64(r, "overhead_stable", s->overhead_stable);
	}
}

enum kind { KIND_U64, KIND_BOOL, KIND_VARIANCE, KIND_BOUND };

/* One key and where its value goes, as an offset into struct series. */
struct key {
	const char *name;
	enum kind kind;
	size_t at;
};

#define KEY(name, kind, member)                             \
	{                                                   \
		name, kind, offsetof(struct series, member) \
	}

static bool value_parse(enum kind kind, const char *raw, size_t n, void *to)
{
	u64 v;

	switch (kind) {
	case KIND_U64:
		return number_decimal(raw, n, to);
	case KIND_BOOL:
		if (!number_decimal(raw, n, &v) || v > 1)
			return false;
		*(bool *)to = v;
		return true;
	case KIND_VARIANCE:
		return variance_parse(raw, n, to);
	case KIND_BOUND:
		return bound_parse(raw, n, to);
	}
	return false;
}

static bool key_parse(const struct record_view *v, const struct key *k, struct series *s)
{
	const struct record_field *f = record_find(v, k->name);

	return f && value_parse(k->kind, f->raw, f->raw_len, (char *)s + k->at);
}

static const char *keys_parse(const struct record_view *v, const struct key *k, size_t n,
			      struct series *s)
{
	for (size_t i = 0; i < n; i++)
		if (!key_parse(v, &k[i], s))
			return k[i].name;
	return NULL;
}

const char *series_parse(const struct record_view *v, struct series *s)
{
	static const struct key always[] = {
		KEY("lines", KIND_U64, lines),
		KEY("samples", KIND_U64, samples),
		KEY("n", KIND_U64, n),
		KEY("backwards", KIND_U64, backwards),
		KEY("min", KIND_U64, min),
		KEY("max", KIND_U64, max),
		KEY("maxdev", KIND_U64, max_dev),
		KEY("var", KIND_VARIANCE, mean_var),
		KEY("varvar", KIND_VARIANCE, var_var),
		KEY("p50", KIND_BOUND, p50),
		KEY("p97", KIND_BOUND, p97),
		KEY("p99", KIND_BOUND, p99),
		KEY("p999", KIND_BOUND, p999),
		KEY("first", KIND_U64, first),
		KEY("warm", KIND_U64, warm),
		KEY("redone", KIND_U64, redone),
		KEY("unsettled", KIND_U64, unsettled),
		KEY("ratio_e4", KIND_U64, ratio),
	};
	static const struct key growing[] = {KEY("resolution", KIND_U64, resolution)};
	static const struct key level[] = {
		KEY("spurious", KIND_U64, spurious),
		KEY("varmin", KIND_VARIANCE, var_min),
	};
	static const struct key twin[] = {
		KEY("overhead", KIND_U64, overhead),
		KEY("overhead_stable", KIND_BOOL, overhead_stable),
	};
	const char *bad = keys_parse(v, always, ARRAY_SIZE(always), s);

	s->trimmed = record_find(v, "trimmed") != NULL;
	s->grows = record_find(v, "resolution") != NULL;
	s->overhead_known = record_find(v, "overhead") != NULL;
	if (!bad && s->grows)
		bad = keys_parse(v, growing, ARRAY_SIZE(growing), s);
	if (!bad && !s->grows)
		bad = keys_parse(v, level, ARRAY_SIZE(level), s);
	if (!bad && s->overhead_known)
		bad = keys_parse(v, twin, ARRAY_SIZE(twin), s);
	return bad;
}

/* ---- type=rows */

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

static void column_unsettled(struct text *t, const struct series *s)
{
	fmt(t, "%llu", (unsigned long long)s->unsettled);
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
		{"unsettled", column_unsettled},
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

/* The text up to the next '/', or all of the rest; *at goes behind it. */
static const char *name_part(const char **at, const char *end, size_t *len)
{
	const char *part = *at, *p = part;

	while (p < end && *p != '/')
		p++;
	*len = (size_t)(p - part);
	*at = p < end ? p + 1 : p;
	return part;
}

static bool name_parse(const char *item, size_t n, struct series_name *name)
{
	const char *at = item, *end = item + n;

	name->form = name_part(&at, end, &name->form_len);
	name->workload = name_part(&at, end, &name->workload_len);
	name->preamble = name_part(&at, end, &name->preamble_len);
	return at == end && name->form_len && name->workload_len && name->preamble_len;
}

/* A '~' after the overhead says that it moved. */
static bool overhead_parse(const char *item, size_t n, struct series *s)
{
	s->overhead_known = !bytes_are(item, n, "n/a");
	if (!s->overhead_known)
		return true;
	s->overhead_stable = n == 0 || item[n - 1] != '~';
	return number_decimal(item, n - !s->overhead_stable, &s->overhead);
}

static bool resolution_parse(const char *item, size_t n, struct series *s)
{
	s->grows = !bytes_are(item, n, "n/a");
	return !s->grows || number_decimal(item, n, &s->resolution);
}

static bool varmin_parse(const char *item, size_t n, struct series *s)
{
	return bytes_are(item, n, "n/a") || variance_parse(item, n, &s->var_min);
}

/* One column: as many items as there are series, each right. */
static bool column_parse(const struct record_view *v, const char *key, const struct key *k,
			 bool (*parse)(const char *, size_t, struct series *), struct series *s,
			 size_t n)
{
	const struct record_field *f = record_find(v, key);
	size_t pos = 0, i = 0, len;
	const char *item;

	if (!f)
		return false;
	for (; record_item(f, &pos, &item, &len); i++) {
		if (i == n)
			return false;
		if (k ? !value_parse(k->kind, item, len, (char *)&s[i] + k->at)
		      : !parse(item, len, &s[i]))
			return false;
	}
	return i == n;
}

static bool of_parse(const struct record_view *v, struct series_name *name, size_t cap, size_t *n)
{
	const struct record_field *f = record_find(v, "of");
	size_t pos = 0, len;
	const char *item;

	*n = 0;
	if (!f)
		return false;
	while (record_item(f, &pos, &item, &len))
		if (*n == cap || !name_parse(item, len, &name[(*n)++]))
			return false;
	return *n > 0;
}

const char *series_rows_parse(const struct record_view *v, struct series *s,
			      struct series_name *name, size_t cap, size_t *n)
{
	static const struct key plain[] = {
		KEY("n", KIND_U64, n),
		KEY("backwards", KIND_U64, backwards),
		KEY("min", KIND_U64, min),
		KEY("max", KIND_U64, max),
		KEY("var", KIND_VARIANCE, mean_var),
		KEY("p50", KIND_BOUND, p50),
		KEY("p97", KIND_BOUND, p97),
		KEY("unsettled", KIND_U64, unsettled),
	};
	static const struct {
		const char *name;
		bool (*parse)(const char *, size_t, struct series *);
	} special[] = {
		{"varmin", varmin_parse},
		{"resolution", resolution_parse},
		{"overhead", overhead_parse},
	};

	if (!of_parse(v, name, cap, n))
		return "of";
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (!column_parse(v, plain[i].name, &plain[i], NULL, s, *n))
			return plain[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (!column_parse(v, special[i].name, NULL, special[i].parse, s, *n))
			return special[i].name;
	return NULL;
}

/* ---- type=lines */

void line_entry_fmt(struct text *t, const struct line_entry *e)
{
	fmt(t, "%llu-%llu:%llu:%llu:", (unsigned long long)e->from, (unsigned long long)e->to,
	    (unsigned long long)e->min, (unsigned long long)e->max);
	variance_fmt(t, &e->var);
}

/* Decimal digits up to `end`, which is taken too. */
static bool take_until(const char **at, size_t *n, char end, u64 *value)
{
	size_t i = 0;

	while (i < *n && (*at)[i] != end)
		i++;
	if (i == *n || !number_decimal(*at, i, value))
		return false;
	*at += i + 1;
	*n -= i + 1;
	return true;
}

bool line_entry_parse(const char *text, size_t n, struct line_entry *e)
{
	struct line_entry x;

	if (!take_until(&text, &n, '-', &x.from) || !take_until(&text, &n, ':', &x.to) ||
	    !take_until(&text, &n, ':', &x.min) || !take_until(&text, &n, ':', &x.max) ||
	    !variance_parse(text, n, &x.var) || x.from > x.to || x.min > x.max)
		return false;
	*e = x;
	return true;
}

/* ---- type=hist */

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

static bool sumsq_parse(const struct record_field *f, struct moments *m)
{
	if (bytes_are(f->raw, f->raw_len, "overflow")) {
		m->sumsq = ~(u128)0;
		m->overflow = true;
		return true;
	}
	m->overflow = false;
	return number_u128(f->raw, f->raw_len, &m->sumsq);
}

static bool sum_parse(const struct record_field *f, struct moments *m)
{
	bool negative = f->raw_len && f->raw[0] == '-';
	u128 size;

	if (!number_u128(f->raw + negative, f->raw_len - negative, &size) || size >> 127)
		return false;
	m->sum = negative ? -(i128)size : (i128)size;
	return true;
}

const char *hist_sums_parse(const struct record_view *v, struct moments *m)
{
	const struct record_field *f;

	if (!(f = record_find(v, "n")) || !number_decimal(f->raw, f->raw_len, &m->n) ||
	    m->n > MOMENTS_MAX)
		return "n";
	if (!(f = record_find(v, "sum")) || !sum_parse(f, m))
		return "sum";
	if (!(f = record_find(v, "sumsq")) || !sumsq_parse(f, m))
		return "sumsq";
	if (!(f = record_find(v, "min")) || !number_decimal(f->raw, f->raw_len, &m->min))
		return "min";
	if (!(f = record_find(v, "max")) || !number_decimal(f->raw, f->raw_len, &m->max))
		return "max";
	if (m->n == 0)
		m->min = ~0ull;
	return NULL;
}

bool hist_bin_parse(const char *text, size_t n, size_t *bin, u64 *count)
{
	u64 at;

	if (!take_until(&text, &n, ':', &at) || !number_decimal(text, n, count))
		return false;
	*bin = (size_t)at;
	return *bin < HIST_BINS && *count;
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
	if (!*comma)
		text_str(&r->t, "\"\""); /* a value is never nothing at all */
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
