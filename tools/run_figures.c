// SPDX-License-Identifier: MIT
/* All of a run that is a figure, by name: see run.h. What a record looks like, only this knows. */
#include <string.h>

#include "run.h"
#include "u128.h"

/* A row of the XSAVE table with less than a tenth of the samples asked for is an accident of XINUSE
 * that the next run need not have. */
#define ROW_PART 10

struct visit {
	figure_visit *visit;
	void *ctx;
	struct figure f;
	size_t stem; /* bytes of f.name that the next figures share */
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-';
}

void figure_name_add(char name[FIGURE_NAME], const char *word)
{
	struct text t = {.at = name, .cap = FIGURE_NAME - 1, .len = strlen(name)};

	if (t.len)
		text_byte(&t, '.');
	for (; *word; word++) {
		char c = *word >= 'A' && *word <= 'Z' ? (char)(*word | 0x20) : *word;

		if (is_plain(c))
			text_byte(&t, c);
		else if (t.len && t.at[t.len - 1] != '_')
			text_byte(&t, '_');
	}
	name[t.len] = '\0';
}

void figure_name_join(char name[FIGURE_NAME], const char *const *words, size_t n)
{
	name[0] = '\0';
	for (size_t i = 0; i < n; i++)
		figure_name_add(name, words[i]);
}

static void name_add_mask(char name[FIGURE_NAME], u64 mask)
{
	char bytes[24];
	struct text t = TEXT_ON(bytes);

	fmt(&t, "0x%llx", (unsigned long long)mask);
	text_byte(&t, '\0');
	figure_name_add(name, bytes);
}

void figure_stem_series(char name[FIGURE_NAME], const struct series *s)
{
	figure_name(name, "tsc", s->method, s->form, s->workload, s->preamble);
}

void figure_stem_block(char name[FIGURE_NAME], const struct xcell *x)
{
	figure_name(name, "xsave", x->event);
	name_add_mask(name, x->rfbm);
}

void figure_stem_xcell(char name[FIGURE_NAME], const struct xcell *x)
{
	figure_stem_block(name, x);
	name_add_mask(name, x->xinuse);
}

/* What the figures of a record share. */
static void figures_start(struct visit *v, u64 seq, u64 line, const char *unit)
{
	v->f = (struct figure){.unit = unit, .seq = seq, .line = line, .scale = 1};
	v->f.better = FIGURE_LOWER;
}

static void stem_end(struct visit *v)
{
	v->stem = strlen(v->f.name);
}

static void give(struct visit *v, const char *key, enum figure_class class)
{
	v->f.class = class;
	figure_name_add(v->f.name, key);
	v->visit(v->ctx, &v->f);
	v->f.name[v->stem] = '\0';
	v->f.slack = 0;
	v->f.overflow = false;
	v->f.scale = 1;
}

static void give_u64(struct visit *v, const char *key, enum figure_class class, u64 value)
{
	v->f.value = value;
	give(v, key, class);
}

static void give_bound(struct visit *v, const char *key, enum figure_class class,
		       const struct bound *b)
{
	v->f.slack = b->hi - b->lo;
	give_u64(v, key, class, b->lo);
}

static void give_neither(struct visit *v, const char *key, enum figure_class class, u64 value)
{
	v->f.better = FIGURE_NEITHER;
	give_u64(v, key, class, value);
	v->f.better = FIGURE_LOWER;
}

static void give_count(struct visit *v, const char *key, u64 value)
{
	const char *unit = v->f.unit;

	v->f.unit = "count";
	give_u64(v, key, FIGURE_COUNT, value);
	v->f.unit = unit;
}

static const char *unit_squared(const char *unit)
{
	if (!strcmp(unit, "ticks"))
		return "ticks^2";
	return !strcmp(unit, "cycles") ? "cycles^2" : "squared";
}

static void give_variance(struct visit *v, const char *key, const struct variance *var)
{
	const char *unit = v->f.unit;

	v->f.unit = unit_squared(unit);
	v->f.scale = 1000;
	v->f.overflow = var->overflow || var->whole > (~0ull - 999) / 1000;
	give_u64(v, key, FIGURE_SPREAD,
		 v->f.overflow ? ~0ull : (u64)var->whole * 1000 + var->milli);
	v->f.unit = unit;
}

/* What only a record of the series' own has. */
static void full_series_figures(struct visit *v, const struct series *s)
{
	give_u64(v, "maxdev", FIGURE_TAIL, s->max_dev);
	give_variance(v, "varvar", &s->var_var);
	give_bound(v, "p99", FIGURE_TAIL, &s->p99);
	give_bound(v, "p999", FIGURE_TAIL, &s->p999);
	give_u64(v, "first", FIGURE_TAIL, s->first);
	give_u64(v, "warm", FIGURE_TYPICAL, s->warm);
	if (!s->grows)
		give_count(v, "spurious", s->spurious);
}

static void series_figures(struct visit *v, const struct run_series *rs)
{
	const struct series *s = &rs->s;

	if (s->n == 0)
		return;
	figures_start(v, rs->seq, rs->line, s->unit);
	v->f.unstable = s->unsettled > 0;
	figure_stem_series(v->f.name, s);
	stem_end(v);
	give_u64(v, "min", FIGURE_FLOOR, s->min);
	give_u64(v, "max", FIGURE_TAIL, s->max);
	give_variance(v, "var", &s->mean_var);
	if (!s->grows)
		give_variance(v, "varmin", &s->var_min);
	give_bound(v, "p50", FIGURE_TYPICAL, &s->p50);
	give_bound(v, "p97", FIGURE_TYPICAL, &s->p97);
	if (s->grows && s->resolution) {
		v->f.unit = "turns";
		give_u64(v, "resolution", FIGURE_FLOOR, s->resolution);
		v->f.unit = s->unit;
	}
	if (s->overhead_known) {
		v->f.unstable = s->unsettled > 0 || !s->overhead_stable;
		give_u64(v, "overhead", FIGURE_FLOOR, s->overhead);
		v->f.unstable = s->unsettled > 0;
	}
	give_count(v, "backwards", s->backwards);
	if (rs->full)
		full_series_figures(v, s);
}

static void matrix_figures(struct visit *v, const struct run_record *rec)
{
	const struct run_field *start = run_field(rec, "start"), *end = run_field(rec, "end");
	const struct run_field *var = run_field(rec, "var");
	struct variance x;
	u64 min, unsettled = 0;

	if (!start || !end || !var || !run_number(rec, "min", &min) ||
	    !variance_parse(var->value, var->len, &x))
		return;
	run_number(rec, "unsettled", &unsettled);
	figures_start(v, rec->seq, rec->line, "ticks");
	v->f.unstable = unsettled > 0;
	figure_name(v->f.name, "matrix", start->value, end->value);
	stem_end(v);
	give_u64(v, "min", FIGURE_FLOOR, min);
	give_variance(v, "var", &x);
}

static void ruler_figures(struct visit *v, const struct run_record *rec)
{
	const struct run_field *where = run_field(rec, "where");
	u64 adds, nops, ratio;

	if (!where || !run_number(rec, "adds_ticks", &adds) ||
	    !run_number(rec, "nops_ticks", &nops) || !run_number(rec, "ratio_e4", &ratio))
		return;
	figures_start(v, rec->seq, rec->line, "ticks");
	figure_name(v->f.name, "ruler", where->value);
	stem_end(v);
	give_u64(v, "adds", FIGURE_FLOOR, adds);
	give_u64(v, "nops", FIGURE_FLOOR, nops);
	v->f.unit = "cycles/tick";
	v->f.scale = 10000;
	give_neither(v, "ratio", FIGURE_TYPICAL, ratio);
}

static void stability_figures(struct visit *v, const struct run_stability *rs)
{
	const struct stability *s = &rs->s;

	if (!rs->seq || s->n == 0)
		return;
	figures_start(v, rs->seq, rs->line, "ticks");
	v->f.unstable = rs->unsettled > 0 || rs->states > 1;
	figure_name(v->f.name, "stability", s->method);
	stem_end(v);
	give_u64(v, "min", FIGURE_FLOOR, s->min);
	give_u64(v, "max", FIGURE_TAIL, s->max);
	give_u64(v, "spread", FIGURE_TAIL, s->spread);
	give_bound(v, "p50", FIGURE_TYPICAL, &s->p50);
	give_bound(v, "p97", FIGURE_TYPICAL, &s->p97);
	give_bound(v, "p99", FIGURE_TAIL, &s->p99);
	give_bound(v, "p999", FIGURE_TAIL, &s->p999);
	give_u64(v, "stolen", FIGURE_TAIL, rs->stolen);
	if (s->period)
		give_neither(v, "period", FIGURE_TYPICAL, s->period);
	give_count(v, "outliers", s->outliers);
	give_count(v, "backwards", s->backwards);
	give_count(v, "states", rs->states);
	give_count(v, "redone", s->redone);
	give_count(v, "unsettled", rs->unsettled);
}

static void xcell_figures(struct visit *v, const struct run_xcell *x)
{
	const struct latency *l = &x->cell.lat;

	figure_stem_xcell(v->f.name, &x->cell);
	stem_end(v);
	give_u64(v, "min", FIGURE_FLOOR, l->min);
	give_u64(v, "p50", FIGURE_TYPICAL, l->p50);
	give_u64(v, "avg97", FIGURE_TYPICAL, l->avg97);
	give_u64(v, "p99", FIGURE_TAIL, l->p99);
	give_u64(v, "avg", FIGURE_TAIL, l->avg);
	give_u64(v, "max", FIGURE_TAIL, l->max);
}

static void xsave_figures(struct visit *v, const struct run *r)
{
	u64 samples = 0;

	run_number(run_find(r, "xsweep", NULL), "samples", &samples);
	for (size_t i = 0; i < r->n_xcells; i++) {
		const struct run_xcell *x = &r->xcell[i], *last = i ? x - 1 : NULL;

		figures_start(v, x->seq, x->line, "ticks");
		v->f.unstable = x->cell.unstable || !x->cell.overhead_stable;
		if (!last || strcmp(last->cell.event, x->cell.event) ||
		    last->cell.rfbm != x->cell.rfbm) {
			figure_stem_block(v->f.name, &x->cell);
			stem_end(v);
			give_u64(v, "overhead", FIGURE_FLOOR, x->cell.overhead);
		}
		if (x->cell.lat.n && x->cell.lat.n >= samples / ROW_PART)
			xcell_figures(v, x);
	}
}

/* How often something came, in thousandths a unit of `per` ticks. */
static void give_rate(struct visit *v, const char *key, enum figure_class class, u64 n,
		      const struct run_gaps *g, u64 per)
{
	u128 scaled;

	v->f.scale = 1000;
	v->f.overflow = !u128_mul((u128)n * 1000, per, &scaled) ||
			u128_div_round(scaled, g->all.watched) > ~0ull;
	give_u64(v, key, class,
		 v->f.overflow ? ~0ull : (u64)u128_div_round(scaled, g->all.watched));
}

static void gaps_figures(struct visit *v, const struct run_gaps *g)
{
	if (!g->seq || !g->all.watched)
		return;
	figures_start(v, g->seq, g->line, "1/Gtick");
	figure_name(v->f.name, "gaps");
	stem_end(v);
	give_rate(v, "n", FIGURE_COUNT, g->all.n, g, 1000000000);
	if (g->smi_counts)
		give_rate(v, "smi", FIGURE_COUNT, g->all.smi, g, 1000000000);
	give_rate(v, "nmi", FIGURE_COUNT, g->all.nmi, g, 1000000000);
	give_rate(v, "mce", FIGURE_COUNT, g->all.mce, g, 1000000000);
	v->f.unit = "ppm";
	give_rate(v, "stolen", FIGURE_TAIL, g->all.stolen, g, 1000000);
	v->f.unit = "ticks";
	give_u64(v, "longest", FIGURE_TAIL, g->all.longest);
	if (g->period)
		give_neither(v, "period", FIGURE_TYPICAL, g->period);
	give_count(v, "backwards", g->backwards);
}

static void clock_figures(struct visit *v, const struct run *r)
{
	const struct run_record *rec = run_find(r, "tsc", NULL);

	if (!rec || !r->tsc_khz)
		return;
	figures_start(v, rec->seq, rec->line, "kHz");
	figure_name(v->f.name, "clock", "tsc");
	stem_end(v);
	give_neither(v, "khz", FIGURE_TYPICAL, r->tsc_khz);
}

void run_figures(const struct run *r, figure_visit *visit, void *ctx)
{
	struct visit v = {.visit = visit, .ctx = ctx};
	const struct run_record *rec = NULL;

	clock_figures(&v, r);
	while ((rec = run_find(r, "ruler", rec)) != NULL)
		ruler_figures(&v, rec);
	while ((rec = run_find(r, "matrix", rec)) != NULL)
		matrix_figures(&v, rec);
	for (size_t i = 0; i < r->n_series; i++)
		series_figures(&v, &r->series[i]);
	stability_figures(&v, &r->stability);
	gaps_figures(&v, &r->gaps);
	xsave_figures(&v, r);
}

void figure_fmt(struct text *t, const struct figure *f)
{
	struct bound b = {f->value, f->value + f->slack};
	int digits = 0;

	if (f->overflow) {
		text_str(t, "overflow");
		return;
	}
	if (f->scale == 1) {
		bound_fmt(t, &b);
		return;
	}
	for (u32 s = f->scale; s > 1; s /= 10)
		digits++;
	fmt(t, "%llu.%0*llu", (unsigned long long)(f->value / f->scale), digits,
	    (unsigned long long)(f->value % f->scale));
}
