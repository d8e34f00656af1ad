// SPDX-License-Identifier: MIT
/* Makes results of a run's records as they come in, and its identity when all are here. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "number.h"
#include "run_build.h"
#include "xrecord.h"

#define ROWS_MAX  64 /* series in one record of 1024 bytes */
#define CELLS_MAX 96

/* Where a record is read into results: the record as kept, and as it stands in the line. */
struct take {
	struct run *run;
	const struct run_record *rec;
	const struct record_view *v;
};

static void key_bad(const struct take *t, const char *key)
{
	const struct run_field *f = run_field(t->rec, key);

	if (f)
		run_problem_add(t->run, t->rec->line, t->rec->seq,
				"record %llu, type=%s: %s=%.60s is not what the key holds",
				(unsigned long long)t->rec->seq, t->rec->type, key, f->value);
	else
		run_problem_add(t->run, t->rec->line, t->rec->seq,
				"record %llu, type=%s: there is no %s=",
				(unsigned long long)t->rec->seq, t->rec->type, key);
}

/* The value of a key that must be there; else the problem is noted and it is NULL. */
static const char *word_need(const struct take *t, const char *key)
{
	const struct run_field *f = run_field(t->rec, key);

	if (f && strlen(f->value) == f->len)
		return f->value;
	key_bad(t, key);
	return NULL;
}

static bool number_need(const struct take *t, const char *key, u64 *value)
{
	if (run_number(t->rec, key, value))
		return true;
	key_bad(t, key);
	return false;
}

/* Numbers that must be there. */
struct wanted {
	const char *key;
	u64 *value;
};

static bool numbers_need(const struct take *t, const struct wanted *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!number_need(t, w[i].key, w[i].value))
			return false;
	return true;
}

/* A count that is left out of the record where it is 0. */
static bool count_need(const struct take *t, const char *key, u64 *value)
{
	*value = 0;
	return !run_field(t->rec, key) || number_need(t, key, value);
}

static bool bound_need(const struct take *t, const char *key, struct bound *b)
{
	const struct run_field *f = run_field(t->rec, key);

	if (f && bound_parse(f->value, f->len, b))
		return true;
	key_bad(t, key);
	return false;
}

/* Of some types a run has one record. */
static bool is_second(const struct take *t, u64 seq)
{
	if (seq)
		run_problem_add(t->run, t->rec->line, t->rec->seq,
				"record %llu: a second type=%s in one run",
				(unsigned long long)t->rec->seq, t->rec->type);
	return seq;
}

/* ---- lists of items with parts */

/* Splits "A:B" or "A:B:C"; returns how many parts there are, at most 3. */
static size_t parts_split(const char *item, size_t n, const char *part[3], size_t len[3])
{
	size_t k = 0;

	for (;;) {
		const char *colon = memchr(item, ':', n);

		part[k] = item;
		len[k] = colon ? (size_t)(colon - item) : n;
		k++;
		if (!colon || k == 3)
			return k;
		item = colon + 1;
		n -= len[k - 1] + 1;
	}
}

static bool is_none(const char *item, size_t n)
{
	return bytes_are(item, n, "none");
}

/* ---- series */

static void series_take(const struct take *t)
{
	struct run_series s = {.seq = t->rec->seq, .line = t->rec->line, .full = true};
	const char *bad = series_parse(t->v, &s.s);

	if (bad) {
		key_bad(t, bad);
		return;
	}
	s.s.method = word_need(t, "method");
	s.s.form = word_need(t, "form");
	s.s.workload = word_need(t, "work");
	s.s.preamble = word_need(t, "pre");
	s.s.unit = word_need(t, "unit");
	if (s.s.method && s.s.form && s.s.workload && s.s.preamble && s.s.unit)
		*VECTOR_ADD(t->run->series, t->run->n_series) = s;
}

static void rows_take(const struct take *t)
{
	struct series s[ROWS_MAX] = {0};
	struct series_name name[ROWS_MAX];
	struct run *r = t->run;
	const char *method, *unit, *bad;
	size_t n;

	bad = series_rows_parse(t->v, s, name, ROWS_MAX, &n);
	if (bad) {
		key_bad(t, bad);
		return;
	}
	method = word_need(t, "method");
	unit = word_need(t, "unit");
	for (size_t i = 0; method && unit && i < n; i++) {
		s[i].method = method;
		s[i].unit = unit;
		s[i].form = run_copy(r, name[i].form, name[i].form_len);
		s[i].workload = run_copy(r, name[i].workload, name[i].workload_len);
		s[i].preamble = run_copy(r, name[i].preamble, name[i].preamble_len);
		*VECTOR_ADD(r->series, r->n_series) =
			(struct run_series){.seq = t->rec->seq, .line = t->rec->line, .s = s[i]};
	}
}

/* ---- lines and histograms, which come in parts */

/* How many series are measured line by line in turn, at most. */
#define INTERLEAVED 8

static struct run_lines *lines_of(const struct take *t, const struct run_lines *name)
{
	struct run *r = t->run;

	for (size_t i = r->n_lines; i-- > 0 && r->n_lines - i <= INTERLEAVED;) {
		struct run_lines *l = &r->lines[i];

		if (!strcmp(l->method, name->method) && !strcmp(l->form, name->form) &&
		    !strcmp(l->work, name->work) && !strcmp(l->pre, name->pre))
			return l;
	}
	*VECTOR_ADD(r->lines, r->n_lines) = *name;
	return &r->lines[r->n_lines - 1];
}

/* False if the entry does not go on where the last one ended. */
static bool line_add(struct run_lines *l, const struct line_entry *e)
{
	u64 expected = l->n ? l->at[l->n - 1].to + 1 : 0;

	if (e->from != expected)
		l->torn = true;
	*VECTOR_ADD(l->at, l->n) = *e;
	return e->from == expected;
}

static void lines_take(const struct take *t)
{
	struct run_lines name = {
		.seq = t->rec->seq,
		.line = t->rec->line,
		.method = word_need(t, "method"),
		.form = word_need(t, "form"),
		.work = word_need(t, "work"),
		.pre = word_need(t, "pre"),
	};
	const struct record_field *f = record_find(t->v, "lines");
	struct run_lines *l;
	size_t pos = 0, n;
	const char *item;
	bool goes_on = true;

	if (!name.method || !name.form || !name.work || !name.pre)
		return;
	l = lines_of(t, &name);
	while (f && record_item(f, &pos, &item, &n)) {
		struct line_entry e;

		if (!line_entry_parse(item, n, &e)) {
			l->torn = true;
			key_bad(t, "lines");
			return;
		}
		goes_on &= line_add(l, &e);
	}
	/* With records missing the hole has its reason. */
	if (!f || (!goes_on && !t->run->n_missing))
		key_bad(t, "lines");
}

static bool moments_equal(const struct moments *a, const struct moments *b)
{
	return a->n == b->n && a->base == b->base && a->sum == b->sum && a->sumsq == b->sumsq &&
	       a->min == b->min && a->max == b->max && a->overflow == b->overflow;
}

static bool hist_names_equal(const struct run_hist *a, const struct run_hist *b)
{
	return !strcmp(a->suite, b->suite) && !strcmp(a->method, b->method) &&
	       !strcmp(a->form, b->form) && !strcmp(a->work, b->work) && !strcmp(a->pre, b->pre);
}

/* The histogram that this part goes on with, or a new one. */
static struct run_hist *hist_of(const struct take *t, const struct run_hist *part, u64 number)
{
	struct run *r = t->run;
	struct run_hist *h = r->n_hists ? &r->hist[r->n_hists - 1] : NULL;

	if (number && h && h->parts == number && hist_names_equal(h, part)) {
		if (h->below != part->below || !moments_equal(&h->m, &part->m)) {
			h->torn = true;
			run_problem_add(r, t->rec->line, t->rec->seq,
					"record %llu, type=hist: part %llu does not repeat the "
					"sums of part 0",
					(unsigned long long)t->rec->seq,
					(unsigned long long)number);
		}
		return h;
	}
	*VECTOR_ADD(r->hist, r->n_hists) = *part;
	h = &r->hist[r->n_hists - 1];
	h->torn = number != 0;
	h->parts = number;
	if (h->torn && !r->n_missing)
		key_bad(t, "part");
	return h;
}

static bool bins_take(const struct take *t, struct run_hist *h)
{
	const struct record_field *f = record_find(t->v, "bins");
	size_t pos = 0, n, bin;
	const char *item;
	u64 count;

	while (f && record_item(f, &pos, &item, &n)) {
		if (!hist_bin_parse(item, n, &bin, &count) || (h->n && bin <= h->bin[h->n - 1].bin))
			return false;
		*VECTOR_ADD(h->bin, h->n) = (struct run_bin){(u32)bin, count};
	}
	return f != NULL;
}

static void hist_take(const struct take *t)
{
	struct run_hist part = {
		.seq = t->rec->seq,
		.line = t->rec->line,
		.suite = word_need(t, "suite"),
		.method = word_need(t, "method"),
		.form = word_need(t, "form"),
		.work = word_need(t, "work"),
		.pre = word_need(t, "pre"),
	};
	const char *bad = hist_sums_parse(t->v, &part.m);
	struct run_hist *h;
	u64 number, more;

	if (bad) {
		key_bad(t, bad);
		return;
	}
	if (!part.suite || !part.method || !part.form || !part.work || !part.pre ||
	    !number_need(t, "part", &number) || !number_need(t, "base", &part.m.base) ||
	    !number_need(t, "below", &part.below) || !number_need(t, "more", &more))
		return;
	h = hist_of(t, &part, number);
	h->parts++;
	h->more = more;
	if (!bins_take(t, h)) {
		h->torn = true;
		key_bad(t, "bins");
	}
}

/* ---- stability */

static void stability_take(const struct take *t)
{
	struct run_stability *out = &t->run->stability;
	struct run_stability x = {.seq = t->rec->seq, .line = t->rec->line};
	struct stability *s = &x.s;
	const struct wanted numbers[] = {
		{"rounds", &s->rounds},
		{"n", &s->n},
		{"backwards", &s->backwards},
		{"min", &s->min},
		{"max", &s->max},
		{"spread", &s->spread},
		{"threshold", &s->threshold},
		{"outliers", &s->outliers},
		{"stolen", &x.stolen},
		{"duration", &s->duration},
		{"period", &s->period},
		{"states", &x.states},
		{"redone", &s->redone},
		{"unsettled", &x.unsettled},
	};

	if (!numbers_need(t, numbers, ARRAY_SIZE(numbers)) || !bound_need(t, "p50", &s->p50) ||
	    !bound_need(t, "p97", &s->p97) || !bound_need(t, "p99", &s->p99) ||
	    !bound_need(t, "p999", &s->p999))
		return;
	s->method = word_need(t, "method");
	if (s->method && !is_second(t, out->seq))
		*out = x;
}

/* "AT:LENGTH,..." or "none". */
static void outliers_take(const struct take *t)
{
	const struct record_field *f = record_find(t->v, "first");
	struct stability *s = &t->run->stability.s;
	const char *item, *part[3];
	size_t pos = 0, n, len[3];

	if (!f) {
		key_bad(t, "first");
		return;
	}
	while (record_item(f, &pos, &item, &n)) {
		struct outlier o;

		if (is_none(item, n))
			return;
		if (s->kept == STABILITY_OUTLIERS || parts_split(item, n, part, len) != 2 ||
		    !number_decimal(part[0], len[0], &o.at) ||
		    !number_decimal(part[1], len[1], &o.length)) {
			key_bad(t, "first");
			return;
		}
		s->first[s->kept++] = o;
	}
}

/* ---- xsave */

static void xsave_take(const struct take *t)
{
	struct xcell cell[CELLS_MAX] = {0};
	u64 rfbm, overhead, stable, unstable, ratio = 0, backwards = 0, other = 0;
	const char *event = word_need(t, "event"), *source = word_need(t, "source"), *bad;
	size_t n;

	if (!event || !source || !number_need(t, "rfbm", &rfbm) ||
	    !number_need(t, "overhead", &overhead) || !number_need(t, "overhead_stable", &stable) ||
	    !number_need(t, "unstable", &unstable) || !count_need(t, "ratio_e4", &ratio) ||
	    !count_need(t, "backwards", &backwards) || !count_need(t, "other", &other))
		return;
	bad = xcells_parse(t->v, cell, CELLS_MAX, &n);
	if (bad) {
		key_bad(t, bad);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		cell[i].event = event;
		cell[i].rfbm = rfbm;
		cell[i].overhead = overhead;
		cell[i].overhead_stable = stable;
		cell[i].unstable = unstable;
		cell[i].ratio = ratio;
		*VECTOR_ADD(t->run->xcell, t->run->n_xcells) = (struct run_xcell){
			.seq = t->rec->seq,
			.line = t->rec->line,
			.cell = cell[i],
			.source = source,
			.other = other,
			.backwards = backwards,
		};
	}
}

/* ---- gaps */

static bool cause_parse(const char *text, size_t n, enum gap_cause *cause)
{
	for (u32 c = 0; c < GAP_CAUSES; c++) {
		if (bytes_are(text, n, gap_cause_name[c])) {
			*cause = c;
			return true;
		}
	}
	return false;
}

/* "smi:3,unknown:1" or "none". */
static bool causes_take(const struct take *t, u64 cause[GAP_CAUSES])
{
	const struct record_field *f = record_find(t->v, "causes");
	const char *item, *part[3];
	size_t pos = 0, n, len[3];
	enum gap_cause c;

	while (f && record_item(f, &pos, &item, &n)) {
		if (is_none(item, n))
			return true;
		if (parts_split(item, n, part, len) != 2 || !cause_parse(part[0], len[0], &c) ||
		    !number_decimal(part[1], len[1], &cause[c]))
			return false;
	}
	return f != NULL;
}

static bool gap_sums_take(const struct take *t, struct run_gap_sums *s)
{
	const struct wanted numbers[] = {
		{"windows", &s->windows}, {"watched", &s->watched},
		{"turns", &s->turns},	  {"n", &s->n},
		{"stolen", &s->stolen},	  {"longest", &s->longest},
		{"smi", &s->smi},	  {"nmi", &s->nmi},
		{"mce", &s->mce},
	};

	if (!numbers_need(t, numbers, ARRAY_SIZE(numbers)))
		return false;
	if (causes_take(t, s->cause))
		return true;
	key_bad(t, "causes");
	return false;
}

static void gap_take(const struct take *t)
{
	struct run_gaps *g = &t->run->gaps;
	struct run_gap_sums s = {0};

	if (!gap_sums_take(t, &s))
		return;
	/* Of a later record that has all, or it is the last of a run that was cut. */
	run_number(t->rec, "threshold", &g->threshold);
	g->parts++;
	g->sum.windows += s.windows;
	g->sum.watched += s.watched;
	g->sum.turns += s.turns;
	g->sum.n += s.n;
	g->sum.stolen += s.stolen;
	g->sum.smi += s.smi;
	g->sum.nmi += s.nmi;
	g->sum.mce += s.mce;
	if (s.longest > g->sum.longest)
		g->sum.longest = s.longest;
	for (u32 c = 0; c < GAP_CAUSES; c++)
		g->sum.cause[c] += s.cause[c];
}

/* "AT:LENGTH:CAUSE,..." */
static void gaplist_take(const struct take *t)
{
	const struct record_field *f = record_find(t->v, "list");
	struct run_gaps *g = &t->run->gaps;
	const char *item, *part[3];
	size_t pos = 0, n, len[3];
	u64 from;

	if (!f || !number_need(t, "from", &from))
		return;
	g->torn |= from != g->n_list;
	while (record_item(f, &pos, &item, &n)) {
		struct run_gap x;

		if (parts_split(item, n, part, len) != 3 ||
		    !number_decimal(part[0], len[0], &x.at) ||
		    !number_decimal(part[1], len[1], &x.length) ||
		    !cause_parse(part[2], len[2], &x.cause)) {
			g->torn = true;
			key_bad(t, "list");
			return;
		}
		*VECTOR_ADD(g->list, g->n_list) = x;
	}
	if (g->torn && !t->run->n_missing)
		key_bad(t, "from");
}

/* "DIGITS:COUNT:TICKS,..." or "none": gaps by the number of digits of their length. */
static bool decades_take(const struct take *t, struct gap_decades *d)
{
	const struct record_field *f = record_find(t->v, "decades");
	const char *item, *part[3];
	size_t pos = 0, n, len[3];
	u64 k;

	while (f && record_item(f, &pos, &item, &n)) {
		if (is_none(item, n))
			return true;
		if (parts_split(item, n, part, len) != 3 || !number_decimal(part[0], len[0], &k) ||
		    k == 0 || k > GAP_DECADES || !number_decimal(part[1], len[1], &d->n[k - 1]) ||
		    !number_decimal(part[2], len[2], &d->ticks[k - 1]))
			return false;
	}
	return f != NULL;
}

static void gaps_take(const struct take *t)
{
	struct run_gaps *g = &t->run->gaps, x = {0};
	const char *smi_state = word_need(t, "smi_state");
	const struct wanted numbers[] = {
		{"threshold", &x.threshold},
		{"inner", &x.inner},
		{"outer", &x.outer},
		{"most", &x.most},
		{"wall", &x.wall},
		{"backwards", &x.backwards},
		{"contradictions", &x.contradictions},
		{"period", &x.period},
	};

	if (!smi_state || !gap_sums_take(t, &x.all) ||
	    !numbers_need(t, numbers, ARRAY_SIZE(numbers)))
		return;
	if (!decades_take(t, &x.decades)) {
		key_bad(t, "decades");
		return;
	}
	if (is_second(t, g->seq))
		return;
	x.seq = t->rec->seq;
	x.line = t->rec->line;
	x.smi_counts = !strcmp(smi_state, "read");
	x.parts = g->parts;
	x.sum = g->sum;
	x.list = g->list;
	x.n_list = g->n_list;
	x.torn = g->torn;
	*g = x;
}

/* ---- the table of types */

static void nothing_take(const struct take *t)
{
	(void)t;
}

static const struct {
	const char *type;
	void (*take)(const struct take *t);
} types[] = {
	{"series", series_take},
	{"rows", rows_take},
	{"lines", lines_take},
	{"hist", hist_take},
	{"stability", stability_take},
	{"outliers", outliers_take},
	{"xsave", xsave_take},
	{"gap", gap_take},
	{"gaplist", gaplist_take},
	{"gaps", gaps_take},
	/* Looked up where they are used. */
	{"options", nothing_take},
	{"machine", nothing_take},
	{"board", nothing_take},
	{"clock", nothing_take},
	{"tsc", nothing_take},
	{"ruler", nothing_take},
	{"recommend", nothing_take},
	{"matrix", nothing_take},
	{"xcr0", nothing_take},
	{"xarea", nothing_take},
	{"xlayout", nothing_take},
	{"xskip", nothing_take},
	{"xsweep", nothing_take},
	{"trust", nothing_take},
	{"cost", nothing_take},
	{"smi", nothing_take},
	{"smisources", nothing_take},
};

void run_result_take(struct run *r, const struct run_record *rec, const struct record_view *v)
{
	const struct take t = {r, rec, v};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(types[i].type, rec->type)) {
			types[i].take(&t);
			return;
		}
	}
	r->unknown++;
}

/* ---- when all are here */

static const char *word_of(const struct run *r, const char *type, const char *key)
{
	const struct run_field *f = run_field(run_find(r, type, NULL), key);

	return f ? f->value : "";
}

static void identity_take(struct run *r)
{
	r->id = (struct run_identity){
		.run = word_of(r, "begin", "run"),
		.build = word_of(r, "begin", "build"),
		.code = word_of(r, "options", "code"),
		.profile = word_of(r, "options", "profile"),
		.options = word_of(r, "options", "given"),
		.vendor = word_of(r, "machine", "vendor"),
		.brand = word_of(r, "machine", "brand"),
		.signature = word_of(r, "machine", "signature"),
		.core_type = word_of(r, "machine", "core_type"),
		.microcode = word_of(r, "machine", "microcode"),
		.hypervisor = word_of(r, "machine", "hypervisor"),
		.emulated = word_of(r, "machine", "emulated"),
		.boot = word_of(r, "machine", "boot"),
		.loader = word_of(r, "machine", "loader"),
		.rtc = word_of(r, "machine", "rtc"),
		.firmware = word_of(r, "board", "firmware"),
		.board = word_of(r, "board", "board"),
		.serial = word_of(r, "board", "serial"),
		.uuid = word_of(r, "board", "uuid"),
		.label = word_of(r, "board", "label"),
	};
	r->trust = word_of(r, "trust", "trust");
	r->trust_reasons = word_of(r, "trust", "reasons");
	r->recommended = word_of(r, "recommend", "method");
}

/* Is `word` one of the "; "-separated reasons? */
static bool reason_given(const char *reasons, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = reasons; (at = strstr(at, word)) != NULL; at += n)
		if ((at == reasons || !strncmp(at - 2, "; ", 2)) && (!at[n] || at[n] == ';'))
			return true;
	return false;
}

static void clock_take(struct run *r)
{
	const struct run_record *tsc = run_find(r, "tsc", NULL);
	u64 trusted = 0;

	run_number(tsc, "khz", &r->tsc_khz);
	r->tsc_trusted = run_number(tsc, "trusted", &trusted) && trusted;
	run_number(run_find(r, "recommend", NULL), "step", &r->step);
	/* An emulator that CPUID does not tell: the clock that counts instructions does. */
	if (!strcmp(r->id.emulated, "no") && reason_given(r->trust_reasons, "emulated"))
		r->id.emulated = "by its clock";
}

/* The result lines and the end record must tell the same story, if all of the lines are here. */
static void verdict_compare(struct run *r)
{
	const struct run_check *bad = NULL;

	for (size_t i = 0; i < r->n_checks && !bad; i++)
		if (!r->checks[i].ok)
			bad = &r->checks[i];
	if (!r->ended)
		return;
	if (bad && r->pass)
		run_problem_add(r, bad->line, 0,
				"%s is not ok, but the end record says result=pass",
				bad->check.name);
	else if (!bad && !r->pass && r->planned && r->n_checks == r->planned)
		run_problem_add(r, r->last_line, r->last_seq,
				"every check is ok, but the end record says result=fail");
}

/* ---- no two results of one name */

/* Word by word. */
static int words_order(const char *const *a, const char *const *b, size_t n)
{
	int d = 0;

	for (size_t i = 0; i < n && d == 0; i++)
		d = strcmp(a[i], b[i]);
	return d;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__})

static int series_order(const void *a, const void *b)
{
	const struct series *x = &(*(const struct run_series *const *)a)->s;
	const struct series *y = &(*(const struct run_series *const *)b)->s;

	return words_order(WORDS(x->method, x->form, x->workload, x->preamble),
			   WORDS(y->method, y->form, y->workload, y->preamble), 4);
}

static int hist_order(const void *a, const void *b)
{
	const struct run_hist *x = *(const struct run_hist *const *)a;
	const struct run_hist *y = *(const struct run_hist *const *)b;

	return words_order(WORDS(x->suite, x->method, x->form, x->work, x->pre),
			   WORDS(y->suite, y->method, y->form, y->work, y->pre), 5);
}

static int lines_order(const void *a, const void *b)
{
	const struct run_lines *x = *(const struct run_lines *const *)a;
	const struct run_lines *y = *(const struct run_lines *const *)b;

	return words_order(WORDS(x->method, x->form, x->work, x->pre),
			   WORDS(y->method, y->form, y->work, y->pre), 4);
}

static int xcell_order(const void *a, const void *b)
{
	const struct xcell *x = &(*(const struct run_xcell *const *)a)->cell;
	const struct xcell *y = &(*(const struct run_xcell *const *)b)->cell;
	int d = strcmp(x->event, y->event);

	if (d)
		return d;
	if (x->rfbm != y->rfbm)
		return x->rfbm < y->rfbm ? -1 : 1;
	return x->xinuse == y->xinuse ? 0 : x->xinuse < y->xinuse ? -1 : 1;
}

/* All results begin with their record's number and line. */
struct placed {
	u64 seq, line;
};

_Static_assert(offsetof(struct run_series, seq) == 0 && offsetof(struct run_hist, seq) == 0 &&
		       offsetof(struct run_lines, seq) == 0 && offsetof(struct run_xcell, seq) == 0,
	       "each is looked at as a struct placed");
_Static_assert(offsetof(struct run_series, line) == 8 && offsetof(struct run_hist, line) == 8 &&
		       offsetof(struct run_lines, line) == 8 &&
		       offsetof(struct run_xcell, line) == 8,
	       "each is looked at as a struct placed");

/* Returns all n in order. */
static const void **doubles_find(struct run *r, const char *what, const void *at, size_t n,
				 size_t size, int (*order)(const void *, const void *))
{
	const void **sorted = NULL;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		*VECTOR_ADD(sorted, k) = (const char *)at + i * size;
	if (n > 1)
		qsort(sorted, n, sizeof(*sorted), order);
	for (size_t i = 1; i < n; i++) {
		const struct placed *p = sorted[i - 1], *q = sorted[i];

		if (order(&sorted[i - 1], &sorted[i]) == 0)
			run_problem_add(
				r, q->line, q->seq, "records %llu and %llu hold the same %s",
				(unsigned long long)p->seq, (unsigned long long)q->seq, what);
	}
	return sorted;
}

static const void *find_sorted(const void *key, const void **sorted, size_t n,
			       int (*order)(const void *, const void *))
{
	const void **found = n ? bsearch(&key, sorted, n, sizeof(*sorted), order) : NULL;

	return found ? *found : NULL;
}

const struct run_series *run_series_find(const struct run *r, const char *method, const char *form,
					 const char *work, const char *pre)
{
	const struct run_series key = {
		.s = {.method = method, .form = form, .workload = work, .preamble = pre}};

	return find_sorted(&key, r->series_by_name, r->n_series, series_order);
}

const struct run_hist *run_hist_find(const struct run *r, const char *suite, const char *method,
				     const char *form, const char *work, const char *pre)
{
	const struct run_hist key = {
		.suite = suite, .method = method, .form = form, .work = work, .pre = pre};

	return find_sorted(&key, r->hist_by_name, r->n_hists, hist_order);
}

const struct run_lines *run_lines_find(const struct run *r, const char *method, const char *form,
				       const char *work, const char *pre)
{
	const struct run_lines key = {.method = method, .form = form, .work = work, .pre = pre};

	return find_sorted(&key, r->lines_by_name, r->n_lines, lines_order);
}

void run_results_finish(struct run *r)
{
	identity_take(r);
	clock_take(r);
	verdict_compare(r);
	r->series_by_name =
		doubles_find(r, "series", r->series, r->n_series, sizeof(*r->series), series_order);
	r->hist_by_name =
		doubles_find(r, "histogram", r->hist, r->n_hists, sizeof(*r->hist), hist_order);
	r->lines_by_name =
		doubles_find(r, "lines", r->lines, r->n_lines, sizeof(*r->lines), lines_order);
	free(doubles_find(r, "XSAVE row", r->xcell, r->n_xcells, sizeof(*r->xcell), xcell_order));
	r->measured = r->n_series || r->n_xcells || r->stability.seq || r->gaps.seq ||
		      run_find(r, "matrix", NULL) || r->unknown;
}
