// SPDX-License-Identifier: MIT
/* Which figures of which machines stand out in their fleet: see fleet.h. */
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "run_build.h"

#define MADS	     5	/* median absolute deviations that a figure may be off */
#define PART_STEADY  10 /* and at least a tenth of the median, where figures are steady */
#define TIMES_LOOSE  4	/* or four times the median, where one disturbance moves them */
#define TICKS_STEADY 4	/* and so many ticks: below is the TSC's step */

/* A figure of a machine. */
struct entry {
	struct machine *machine;
	const struct figure *figure;
};

static bool is_steady(enum figure_class class)
{
	return class == FIGURE_FLOOR || class == FIGURE_TYPICAL;
}

bool fleet_out_steady(const struct machine *m)
{
	return m->n_out && is_steady(m->out[0].figure->class);
}

/* Far enough to be told to a person, whatever the MAD: it is 0 where most machines are equal. */
static bool is_far(const struct figure *f, u64 median)
{
	u64 off = f->value > median ? f->value - median : median - f->value;
	u64 low = f->value < median ? f->value : median;
	u64 high = f->value < median ? median : f->value;

	if (is_steady(f->class))
		return off > (u64)TICKS_STEADY * f->scale && off > median / PART_STEADY;
	/* Lower is better in tails, and no reason to look at a machine. */
	return f->value > median && off > 100ull * f->scale && high / TIMES_LOOSE > low;
}

/* Where most machines are equal the MAD is 0, and says nothing of how far is far. */
static u64 mad_least(const struct figure *f, u64 median, u64 mad)
{
	u64 least = median / 50 > f->scale ? median / 50 : f->scale;

	return mad > least ? mad : least;
}

static u64 off_by(const struct figure *f, u64 median)
{
	return f->value > median ? f->value - median : median - f->value;
}

static void out_add(struct machine *m, const struct figure *v, u64 median, u64 mad)
{
	u64 off = off_by(v, median), least = mad_least(v, median, mad);

	*VECTOR_ADD(m->out, m->n_out) = (struct fleet_out){
		.figure = v,
		.median = median,
		.mad = mad,
		.tenths = off > ~0ull / 10 ? ~0ull / least : off * 10 / least,
		.by_mad = mad && least == mad,
	};
}

/* One figure over all machines of a fleet that have it. */
static void figure_compare(const struct entry *e, size_t n)
{
	u64 *x, median, mad;

	if (n < FLEET_LEAST)
		return;
	x = must(malloc(n * sizeof(*x)));
	for (size_t i = 0; i < n; i++)
		x[i] = e[i].figure->value;
	mad = stats_mad(x, n, &median);
	free(x);
	for (size_t i = 0; i < n; i++)
		if (off_by(e[i].figure, median) / MADS > mad && is_far(e[i].figure, median))
			out_add(e[i].machine, e[i].figure, median, mad);
}

static int by_figure(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->machine->fleet != y->machine->fleet)
		return x->machine->fleet < y->machine->fleet ? -1 : 1;
	return strcmp(x->figure->name, y->figure->name);
}

static struct entry *entries_of(struct machine *m, size_t machines, size_t *n)
{
	struct entry *all = NULL;

	*n = 0;
	for (size_t i = 0; i < machines; i++)
		for (size_t k = 0; k < m[i].figures.n; k++)
			if (!m[i].figures.held[k].f.overflow)
				*VECTOR_ADD(all, *n) =
					(struct entry){&m[i], &m[i].figures.held[k].f};
	if (*n)
		qsort(all, *n, sizeof(*all), by_figure);
	return all;
}

/* What one disturbance moves comes behind what is steady; else the farthest first. */
static int out_order(const void *a, const void *b)
{
	const struct fleet_out *x = a, *y = b;
	bool p = is_steady(x->figure->class), q = is_steady(y->figure->class);

	if (p != q)
		return p ? -1 : 1;
	if (x->tenths != y->tenths)
		return x->tenths > y->tenths ? -1 : 1;
	return strcmp(x->figure->name, y->figure->name);
}

void fleet_outliers_find(struct machine *m, size_t machines)
{
	size_t n, end;
	struct entry *all = entries_of(m, machines, &n);

	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && by_figure(&all[i], &all[end]) == 0;)
			end++;
		figure_compare(&all[i], end - i);
	}
	free(all);
	for (size_t i = 0; i < machines; i++)
		if (m[i].n_out)
			qsort(m[i].out, m[i].n_out, sizeof(*m[i].out), out_order);
}
