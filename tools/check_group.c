// SPDX-License-Identifier: MIT
/* What can be compared with what, and all of it in order: see check.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_build.h"
#include "run_build.h"

#define VALUES_SHOWN 3

void *vector_of(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size));
}

static void side_point(struct side *s, struct party *p)
{
	*VECTOR_ADD(s->at, s->n) = p;
}

/* The checked runs, then the baseline's. */
static const struct party *party_at(const struct check_group *g, size_t i)
{
	return i < g->now.n ? g->now.at[i] : g->base.at[i - g->now.n];
}

/* ---- who belongs together */

static struct check_group *group_of(struct comparison *c, const struct party *p)
{
	struct check_group *g;

	for (size_t i = 0; i < c->n_groups; i++)
		if (!party_difference(c->group[i].now.at[0], p))
			return &c->group[i];
	g = VECTOR_ADD(c->group, c->n_groups);
	*g = (struct check_group){0};
	return g;
}

static bool is_checked(const struct check_group *g, const struct party *p)
{
	for (size_t i = 0; i < g->now.n; i++)
		if (party_same(g->now.at[i], p))
			return true;
	return false;
}

/* A run says nothing about itself, unless there is nothing else. */
static void own_leave_out(struct check_group *g)
{
	struct side others = {0};

	for (size_t i = 0; i < g->base.n; i++)
		if (!is_checked(g, g->base.at[i]))
			side_point(&others, g->base.at[i]);
	if (!others.n)
		return;
	g->own = g->base.n - others.n;
	free(g->base.at);
	g->base = others;
}

static void nearest_find(struct check_group *g, const struct side *base)
{
	for (size_t i = 0; i < base->n; i++) {
		u32 bits = party_difference(g->now.at[0], base->at[i]);

		if (!g->nearest || __builtin_popcount(bits) < __builtin_popcount(g->differs)) {
			g->nearest = base->at[i];
			g->differs = bits;
		}
	}
}

static void base_find(struct check_group *g, const struct side *base)
{
	for (size_t i = 0; i < base->n; i++)
		if (!party_difference(g->now.at[0], base->at[i]))
			side_point(&g->base, base->at[i]);
	own_leave_out(g);
	if (g->base.n)
		return;
	g->state = base->n ? GROUP_INCOMPARABLE : GROUP_NO_BASELINE;
	nearest_find(g, base);
}

/* ---- the clocks */

#define EXPLAINS_MOST 1000000
#define MOVED	      10200 /* as the suites take it */

static struct clocks side_clocks(const struct side *s)
{
	struct clocks all = {.known = true, .ratio_min = ~0ull, .nops_min = ~0ull};

	for (size_t i = 0; i < s->n; i++) {
		const struct clocks *c = &s->at[i]->clocks;

		all.known &= c->known;
		all.ratio_min = c->ratio_min < all.ratio_min ? c->ratio_min : all.ratio_min;
		all.ratio_max = c->ratio_max > all.ratio_max ? c->ratio_max : all.ratio_max;
		all.nops_min = c->nops_min < all.nops_min ? c->nops_min : all.nops_min;
		all.nops_max = c->nops_max > all.nops_max ? c->nops_max : all.nops_max;
	}
	return all;
}

static u64 quotient_e4(u64 high, u64 low)
{
	u128 q = low ? (u128)high * EXPLAINS_NOTHING / low : EXPLAINS_MOST;

	if (q > EXPLAINS_MOST)
		return EXPLAINS_MOST;
	return q < EXPLAINS_NOTHING ? EXPLAINS_NOTHING : (u64)q;
}

/* From the fastest that `from` met to the slowest that `to` met. */
static struct explained explained_by(const struct clocks *from, const struct clocks *to)
{
	struct explained e = {EXPLAINS_NOTHING, EXPLAINS_NOTHING};
	u64 nops;

	if (!from->known || !to->known)
		return e;
	e.clock = quotient_e4(from->ratio_max, to->ratio_min);
	nops = quotient_e4(to->nops_max, from->nops_min);
	e.all = nops > e.clock ? nops : e.clock;
	return e;
}

static bool clocks_moved(const struct side *s)
{
	bool moved = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct clocks *c = &s->at[i]->clocks;

		moved |= explained_by(c, c).all > MOVED;
	}
	return moved;
}

/* One that counts instructions reads the same every time. */
static bool host_shows(const struct clocks *base, const struct clocks *now)
{
	return !base->known || !now->known || explained_by(base, base).all > EXPLAINS_NOTHING ||
	       explained_by(now, now).all > EXPLAINS_NOTHING;
}

static u64 side_step(const struct side *s)
{
	u64 step = 0;

	for (size_t i = 0; i < s->n; i++)
		step = s->at[i]->run->step > step ? s->at[i]->run->step : step;
	return step;
}

static void clocks_settle(struct check_group *g)
{
	const u64 now_step = side_step(&g->now), base_step = side_step(&g->base);
	const struct clocks base = side_clocks(&g->base), now = side_clocks(&g->now);

	g->step = now_step > base_step ? now_step : base_step;
	g->up = explained_by(&base, &now);
	g->down = explained_by(&now, &base);
	g->moved = clocks_moved(&g->base) || clocks_moved(&g->now) ||
		   (party_is_emulated(g->now.at[0]) && host_shows(&base, &now));
}

/* ---- rows */

struct entry {
	const struct figure_held *held;
	bool now;
};

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->held->f.name, y->held->f.name);

	return order ? order : (int)y->now - (int)x->now;
}

static struct entry *entries_of(const struct check_group *g, size_t *n)
{
	struct entry *all = NULL;

	*n = 0;
	for (size_t i = 0; i < g->now.n + g->base.n; i++) {
		const bool now = i < g->now.n;
		const struct party *p = party_at(g, i);

		for (size_t k = 0; k < p->figures.n; k++)
			if (p->figures.held[k].f.better != FIGURE_NEITHER)
				*VECTOR_ADD(all, *n) = (struct entry){&p->figures.held[k], now};
	}
	if (*n)
		qsort(all, *n, sizeof(*all), by_name);
	return all;
}

/* What only the baseline has comes behind all that is measured now. */
static size_t place_of(const struct held_list *base, const struct held_list *now)
{
	const struct held_list *l = now->n ? now : base;
	size_t place = ~(size_t)0;

	for (size_t i = 0; i < l->n; i++)
		place = l->at[i]->at < place ? l->at[i]->at : place;
	return now->n ? place : place + ((size_t)1 << 32);
}

static void figure_row(const struct comparison *c, struct check_group *g, const struct entry *e,
		       size_t n)
{
	struct held_list base = {.at = vector_of(n, sizeof(*base.at))};
	struct held_list now = {.at = vector_of(n, sizeof(*now.at))};
	struct check_row *row = VECTOR_ADD(g->row, g->n_rows);

	for (size_t i = 0; i < n; i++) {
		struct held_list *l = e[i].now ? &now : &base;

		l->at[l->n++] = e[i].held;
	}
	row_judge(c, g, &base, &now, row);
	row->place = place_of(&base, &now);
	free(base.at);
	free(now.at);
}

static void figure_rows(const struct comparison *c, struct check_group *g)
{
	size_t n, end;
	struct entry *all = entries_of(g, &n);

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (strcmp(all[i].held->f.name, all[end].held->f.name) != 0)
				break;
		figure_row(c, g, all + i, end - i);
	}
	free(all);
}

static int by_place(const void *a, const void *b)
{
	const struct check_row *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* ---- result lines */

static const struct run_check *result_find(const struct run *r, const char *name)
{
	for (size_t i = 0; i < r->n_checks; i++)
		if (!strcmp(r->checks[i].check.name, name))
			return &r->checks[i];
	return NULL;
}

/* The worst status of those that have it, a SKIP only where there is nothing else; -1: none has. */
static int result_worst(const struct side *s, const char *name, bool *skips, const char **reason)
{
	int worst = -1;

	for (size_t i = 0; i < s->n; i++) {
		const struct run_check *found = result_find(s->at[i]->run, name);
		int status = found ? (int)found->check.status : -1;

		*skips |= status == STATUS_SKIP;
		if (status < 0 || (status == STATUS_SKIP && worst >= 0))
			continue;
		if (worst < 0 || worst == STATUS_SKIP || status > worst) {
			worst = status;
			*reason = found->check.reason;
		}
	}
	return worst;
}

static bool row_exists(const struct check_group *g, size_t from, const char *name)
{
	for (size_t i = from; i < g->n_rows; i++)
		if (!strcmp(g->row[i].name, name))
			return true;
	return false;
}

static void result_row(struct check_group *g, size_t from, const char *name)
{
	struct result_sides r = {.reason = ""};
	const char *ignored = "";
	bool skips = false;
	char *full = must_print("check.%s", name);
	struct check_row *row;

	if (row_exists(g, from, full)) {
		free(full);
		return;
	}
	row = VECTOR_ADD(g->row, g->n_rows);
	*row = (struct check_row){.name = full, .is_result = true};
	r.now = result_worst(&g->now, name, &skips, &r.reason);
	r.base = result_worst(&g->base, name, &r.base_skips, &ignored);
	result_judge(g, &r, row);
}

static void result_rows(struct check_group *g)
{
	const size_t from = g->n_rows;

	for (size_t i = 0; i < g->now.n + g->base.n; i++) {
		const struct party *p = party_at(g, i);

		for (size_t k = 0; k < p->run->n_checks; k++)
			result_row(g, from, p->run->checks[k].check.name);
	}
}

/* ---- what may be why */

static const struct run_trait kinds[] = {
	RUN_TRAIT(microcode), RUN_TRAIT(firmware), RUN_TRAIT(board),
	RUN_TRAIT(serial),    RUN_TRAIT(uuid),	   RUN_TRAIT(brand),
	RUN_TRAIT(boot),      RUN_TRAIT(loader),   RUN_TRAIT(build),
};

static const char *identity_word(const struct party *p, const struct run_trait *k)
{
	return run_trait(&p->run->id, k);
}

static bool side_has(const struct side *s, const struct run_trait *k, const char *word)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(identity_word(s->at[i], k), word))
			return true;
	return false;
}

/* The first few different words of a side. */
static char *words_of(const struct side *s, const struct run_trait *k)
{
	char *text = NULL;
	size_t n, shown = 0;
	FILE *to = must(open_memstream(&text, &n));

	for (size_t i = 0; i < s->n; i++) {
		const struct side before = {i, s->at};
		const char *word = identity_word(s->at[i], k);

		if (side_has(&before, k, word) || shown++ >= VALUES_SHOWN)
			continue;
		fprintf(to, "%s%s", shown > 1 ? ", " : "", *word ? word : "none");
	}
	if (shown > VALUES_SHOWN)
		fprintf(to, " and %zu more", shown - VALUES_SHOWN);
	memory_close(to);
	return text;
}

static void cause_add(struct check_group *g, const char *what, char *base, char *now)
{
	*VECTOR_ADD(g->cause, g->n_causes) = (struct check_cause){what, base, now};
}

static void identity_causes(struct check_group *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		bool other = false;

		for (size_t k = 0; k < g->now.n; k++)
			other |= !side_has(&g->base, &kinds[i],
					   identity_word(g->now.at[k], &kinds[i]));
		if (other)
			cause_add(g, kinds[i].name, words_of(&g->base, &kinds[i]),
				  words_of(&g->now, &kinds[i]));
	}
}

/* Lowest and highest of the figures in that unit. */
static struct middle range_of(const struct side *s, const char *unit)
{
	struct middle m = {.lo = ~0ull};

	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->at[i]->figures.n; k++) {
			const struct figure *f = &s->at[i]->figures.held[k].f;

			if (strcmp(f->unit, unit) != 0)
				continue;
			m.n++;
			m.lo = f->value < m.lo ? f->value : m.lo;
			m.hi = f->value > m.hi ? f->value : m.hi;
		}
	return m;
}

static char *range_text(const struct middle *m, u32 scale)
{
	const struct check_row row = {.scale = scale, .unit = ""};
	char bytes[80];
	struct text t = TEXT_ON(bytes);

	middle_fmt(&t, m, &row);
	return must_print("%.*s", (int)t.len, bytes);
}

/* Apart by more than `ppm` parts in a million. */
static bool apart(const struct middle *a, const struct middle *b, u64 ppm)
{
	const struct middle *low = a->hi < b->lo ? a : b, *high = low == a ? b : a;

	return low->hi < high->lo && (u128)(high->lo - low->hi) * 1000000 > (u128)low->hi * ppm;
}

static void range_cause(struct check_group *g, const char *what, const char *unit, u32 scale,
			u64 ppm)
{
	const struct middle base = range_of(&g->base, unit), now = range_of(&g->now, unit);

	if (base.n && now.n && apart(&base, &now, ppm))
		cause_add(g, what, range_text(&base, scale), range_text(&now, scale));
}

static void causes_find(struct check_group *g)
{
	identity_causes(g);
	range_cause(g, "TSC frequency (kHz)", "kHz", 1, 500);
	range_cause(g, "core cycles per tick", "cycles/tick", 10000, 20000);
}

/* ---- all of it */

bool check_fails(const struct comparison *c, enum check_verdict v)
{
	return v >= CHECK_MISSING || (v == CHECK_UNSTABLE && c->strict);
}

static void group_compare(struct comparison *c, struct check_group *g)
{
	clocks_settle(g);
	figure_rows(c, g);
	if (g->n_rows)
		qsort(g->row, g->n_rows, sizeof(*g->row), by_place);
	result_rows(g);
	causes_find(g);
	for (size_t i = 0; i < g->n_rows; i++)
		g->count[g->row[i].verdict]++;
	for (int v = 0; v < CHECK_VERDICTS; v++)
		if (g->count[v] && check_fails(c, (enum check_verdict)v))
			c->status = exit_worse(c->status, EXIT_REGRESSION);
}

static void group_make(struct comparison *c, struct check_group *g, const struct side *base)
{
	base_find(g, base);
	switch (g->state) {
	case GROUP_COMPARED:
		group_compare(c, g);
		break;
	case GROUP_INCOMPARABLE:
		c->status = exit_worse(c->status, EXIT_INCOMPARABLE);
		break;
	case GROUP_NO_BASELINE:
		c->status = exit_worse(c->status, EXIT_NO_BASELINE);
	}
}

void check_make(struct comparison *c, const struct side *now, const struct baseline *base)
{
	for (size_t i = 0; i < now->n; i++)
		side_point(&group_of(c, now->at[i])->now, now->at[i]);
	for (size_t i = 0; i < c->n_groups; i++)
		group_make(c, &c->group[i], &base->runs);
	if (!base->runs.n)
		c->status = exit_worse(c->status, EXIT_NO_BASELINE);
}

static void group_free(struct check_group *g)
{
	for (size_t i = 0; i < g->n_rows; i++)
		if (g->row[i].is_result)
			free((char *)g->row[i].name);
	for (size_t i = 0; i < g->n_causes; i++) {
		free(g->cause[i].base);
		free(g->cause[i].now);
	}
	free(g->cause);
	free(g->row);
	free(g->now.at);
	free(g->base.at);
}

void check_free(struct comparison *c)
{
	for (size_t i = 0; i < c->n_groups; i++)
		group_free(&c->group[i]);
	free(c->group);
	c->group = NULL;
	c->n_groups = 0;
}

const char *group_verdict(const struct comparison *c, const struct check_group *g)
{
	static const enum check_verdict order[] = {CHECK_REGRESSION, CHECK_MISSING, CHECK_UNSTABLE,
						   CHECK_IMPROVED};

	if (g->state == GROUP_INCOMPARABLE)
		return "INCOMPARABLE";
	if (g->state == GROUP_NO_BASELINE)
		return "NO BASELINE";
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (g->count[order[i]] && (order[i] != CHECK_UNSTABLE || c->strict))
			return check_verdict_name(order[i]);
	return "SAME";
}
