// SPDX-License-Identifier: MIT
/* Puts the series of each method side by side, as the kernel's tables have them. */
#include "run_tables.h"

#include <string.h>

static const struct {
	const char *form, *work, *pre;
} column[] = {
	{"mem", "empty", "none"},     {"mem", "empty", "tsc"},
	{"mem", "empty", "tsc+work"}, {"mem", "empty", "tsc+work+lfence"},
	{"reg", "empty", "none"},     {"mem", "store", "none"},
	{"mem", "add", "none"},	      {"mem", "loop", "none"},
};

#define COL_STORE    5
#define COL_LOOP     7
#define COL_OVERHEAD 8

/* The overhead is that of the last workload measured, as stable as the worst of them. */
static void workloads_take(struct run_method *m)
{
	for (int i = COL_STORE; i <= COL_LOOP; i++) {
		const struct run_series *s = m->of[i];

		if (!s || !s->s.overhead_known)
			continue;
		m->of[COL_OVERHEAD] = s;
		m->minima.min[COL_OVERHEAD] = s->s.overhead;
		m->minima.overhead_stable &= s->s.overhead_stable;
	}
	m->loop = m->of[COL_LOOP];
	if (m->loop)
		m->minima.resolution = m->loop->s.resolution;
}

static void method_fill(const struct run *r, struct run_method *m, const char *id)
{
	*m = (struct run_method){.id = id};
	m->minima = (struct minima_row){.method = id, .resolution = ~0ull, .overhead_stable = true};
	for (size_t i = 0; i < TABLE_MINIMA; i++)
		m->minima.min[i] = ~0ull;
	for (size_t i = 0; i < ARRAY_SIZE(column); i++) {
		m->of[i] = run_series_find(r, id, column[i].form, column[i].work, column[i].pre);
		if (m->of[i])
			m->minima.min[i] = m->of[i]->s.min;
	}
	workloads_take(m);
	if (m->of[0] && m->of[0]->full && m->of[0]->s.n)
		m->base = m->of[0];
}

size_t run_methods(const struct run *r, struct run_method *m)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_series && n < RUN_METHODS; i++) {
		size_t k = 0;

		while (k < n && strcmp(m[k].id, r->series[i].s.method))
			k++;
		if (k == n)
			method_fill(r, &m[n++], r->series[i].s.method);
	}
	return n;
}
