// SPDX-License-Identifier: MIT
/* What the series say together: the recommendation, and that none is missing. */
#include <string.h>

#include "recompute_build.h"

#define METHODS_MAX 32

static bool candidate_of(const struct run *r, const char *method, struct candidate *out)
{
	static const char *const preamble[] = {"none", "tsc", "tsc+work", "tsc+work+lfence"};
	const struct run_series *base = run_series_find(r, method, "mem", "empty", "none");
	const struct run_series *loop = run_series_find(r, method, "mem", "loop", "none");

	if (!base || !base->full)
		return false;
	*out = (struct candidate){
		.id = method,
		.measured = base->s.n > 0,
		.ticks = !strcmp(base->s.unit, "ticks"),
		.var_min = base->s.var_min,
		.resolution = loop ? loop->s.resolution : 0,
		.min = base->s.min,
	};
	for (u32 i = 0; i < ARRAY_SIZE(preamble); i++) {
		const struct run_series *s =
			run_series_find(r, method, "mem", "empty", preamble[i]);

		if (!s)
			return false;
		out->min_pre[out->n_pre++] = s->s.min;
	}
	for (size_t i = 0; i < r->n_series; i++)
		if (!strcmp(r->series[i].s.method, method))
			out->backwards += r->series[i].s.backwards;
	return true;
}

/* The candidates in report order; 0 if there are too many or one is not whole. */
static size_t candidates_take(const struct run *r, struct candidate *c)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_series; i++) {
		const struct series *s = &r->series[i].s;

		if (!r->series[i].full || strcmp(s->form, "mem") || strcmp(s->workload, "empty") ||
		    strcmp(s->preamble, "none"))
			continue;
		if (n == METHODS_MAX || !candidate_of(r, s->method, &c[n++]))
			return 0;
	}
	return n;
}

/* By whatever rule: what is recommended was measured, unless it is a default. */
static void recommended_measured(struct checking *c, const struct subject *s,
				 const struct candidate *cand, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cand[i].measured && !strcmp(cand[i].id, c->r->recommended))
			return;
	contradict(c, s, "method=%s is recommended, but it was not measured", c->r->recommended);
}

/*
 * What this version's rule makes of the figures. Which methods are symmetric the log tells only of
 * the chosen one, in its reason. That decides nothing but a tie, so the choice must hold with the
 * others called asymmetric.
 */
static void rule_check(struct checking *c, const struct subject *s, struct candidate *cand,
		       size_t n, const char *reason, u64 by_default)
{
	const bool symmetric = strstr(reason, "; symmetric") != NULL;
	struct recommendation want;

	for (size_t i = 0; i < n; i++)
		cand[i].symmetric = symmetric && !strcmp(cand[i].id, c->r->recommended);
	recommend(cand, n, c->r->step, &want);
	if (by_default != want.is_default)
		contradict(c, s, "default=%llu is printed, but the figures say otherwise",
			   (unsigned long long)by_default);
	if (strcmp(want.id, c->r->recommended))
		contradict(c, s, "method=%s is recommended, but the figures recommend %s: %s",
			   c->r->recommended, want.id, want.reason);
	else if (!want.is_default && strcmp(want.reason, reason))
		contradict(c, s, "the reason is \"%s\", but the figures give \"%s\"", reason,
			   want.reason);
}

static void recommend_check(struct checking *c)
{
	const struct run_record *rec = run_find(c->r, "recommend", NULL);
	const struct run_field *reason = run_field(rec, "reason");
	struct candidate cand[METHODS_MAX];
	u64 by_default = 0, rule = 1; /* before there was a number */
	struct subject s;
	size_t n;

	if (!rec || !reason)
		return;
	n = candidates_take(c->r, cand);
	if (n == 0)
		return;
	s = (struct subject){.stem = "recommend", .seq = rec->seq, .line = rec->line};
	run_number(rec, "default", &by_default);
	run_number(rec, "rule", &rule);
	if (rule == RECOMMEND_RULE)
		rule_check(c, &s, cand, n, reason->value, by_default);
	else if (!by_default)
		recommended_measured(c, &s, cand, n);
}

static bool has_series(const struct run *r, const char *method, const struct series *like)
{
	return run_series_find(r, method, like->form, like->workload, like->preamble);
}

/* Says the first of the first method's series that this one lacks. */
static void lack_say(struct checking *c, const struct run_series *of)
{
	const struct run *r = c->r;
	const char *first = r->series[0].s.method;
	struct subject s;

	for (size_t i = 0; i < r->n_series; i++) {
		const struct series *x = &r->series[i].s;

		if (strcmp(x->method, first) || has_series(r, of->s.method, x))
			continue;
		subject_series(&s, of);
		contradict(c, &s, "its method lacks %s/%s/%s, which others have", x->form,
			   x->workload, x->preamble);
		return;
	}
}

/* How many of a method's series, which stand together by name, the first method has too. */
struct shared {
	const struct run_series *of; /* the method's first in the log */
	size_t n;
};

static struct shared shared_next(const struct run *r, size_t *i)
{
	const char *first = r->series[0].s.method;
	struct shared m = {.of = r->series_by_name[*i]};
	const char *method = m.of->s.method;

	for (; *i < r->n_series; ++*i) {
		const struct run_series *x = r->series_by_name[*i];

		if (strcmp(x->s.method, method))
			break;
		m.of = x < m.of ? x : m.of;
		m.n += has_series(r, first, &x->s);
	}
	return m;
}

/* Every method is measured in the same ways as the first. A log may hold any number of either. */
static void methods_check(struct checking *c)
{
	const struct run *r = c->r;
	const char *first = r->n_series ? r->series[0].s.method : "";
	const struct run_series *lacks = NULL;
	size_t ways = 0;

	for (size_t i = 0; i < r->n_series; i++) {
		const struct run_series *x = &r->series[i];
		struct subject s;

		if (!strcmp(x->s.method, first)) {
			ways++;
		} else if (!has_series(r, first, &x->s)) {
			subject_series(&s, x);
			contradict(c, &s, "method %s has no such series", first);
		}
	}
	for (size_t i = 0; i < r->n_series;) {
		struct shared m = shared_next(r, &i);

		if (m.n < ways && (!lacks || m.of < lacks))
			lacks = m.of;
	}
	if (lacks)
		lack_say(c, lacks);
}

/* A histogram without the series it is of. */
static void orphans_check(struct checking *c)
{
	for (size_t i = 0; i < c->r->n_hists; i++) {
		const struct run_hist *h = &c->r->hist[i];
		struct subject s;

		subject_hist(&s, h);
		if (!strcmp(h->suite, "tsc") &&
		    !run_series_find(c->r, h->method, h->form, h->work, h->pre))
			contradict(c, &s, "there is no series of that name");
		if (!strcmp(h->suite, "stability") &&
		    (!c->r->stability.seq || strcmp(c->r->stability.s.method, h->method)))
			contradict(c, &s, "stability was measured by another method");
	}
}

/* Of what did not arrive, or made no sense, the run itself speaks. */
void recompute_methods(struct checking *c)
{
	if (c->r->n_missing || c->r->problems)
		return;
	methods_check(c);
	orphans_check(c);
	recommend_check(c);
}
