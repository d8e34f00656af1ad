// SPDX-License-Identifier: MIT
/* The figures of a run by name: see figures.h. */
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "run_build.h"

static void hold(void *ctx, const struct figure *f)
{
	struct figure_set *s = ctx;
	struct figure_held *h = VECTOR_ADD(s->held, s->n);

	*h = (struct figure_held){.f = *f, .at = s->n - 1};
}

static int by_name(const void *a, const void *b)
{
	const struct figure_held *x = a, *y = b;
	int order = strcmp(x->f.name, y->f.name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static void drop_repeated(struct figure_set *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (kept == 0 || strcmp(s->held[kept - 1].f.name, s->held[i].f.name) != 0)
			s->held[kept++] = s->held[i];
	s->n = kept;
}

/* The first whose name is not below `name`. */
static size_t place(const struct figure_set *s, const char *name)
{
	size_t from = 0, to = s->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (strcmp(s->held[mid].f.name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

const struct figure_held *figure_set_find(const struct figure_set *s, const char *name)
{
	size_t i = place(s, name);

	return i < s->n && !strcmp(s->held[i].f.name, name) ? &s->held[i] : NULL;
}

const char *figure_key(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* What a series, a row or a window says of all its figures. */
struct sample {
	const char *stem; /* of their names */
	bool unsettled, overhead_unsettled;
	u64 n, min, max;
};

static u64 saturated(u128 value)
{
	return value > ~0ull ? ~0ull : (u64)value;
}

/* An average moves by (max - min) / n, a variance by (max - min)^2 / n. Rounded up. */
static void reach_set(struct figure_held *h, const struct sample *s)
{
	const char *key = figure_key(h->f.name);
	const u128 wide = s->max - s->min;

	if (!s->n || s->max < s->min)
		return;
	if (!strcmp(key, "avg"))
		h->reach = saturated((wide * h->f.scale + s->n - 1) / s->n);
	else if (!strcmp(key, "var"))
		h->reach = wide >> 56 ? ~0ull
				      : saturated(wide * wide / s->n * h->f.scale + h->f.scale);
	else
		return;
	h->has_reach = true;
}

static void sample_apply(struct figure_set *set, const struct sample *s)
{
	size_t len = strlen(s->stem);

	for (size_t i = place(set, s->stem); i < set->n; i++) {
		struct figure_held *h = &set->held[i];

		/* One more word behind the stem: other samples' stems may begin like this one. */
		if (strncmp(h->f.name, s->stem, len) != 0)
			break;
		if (h->f.name[len] != '.' || strchr(h->f.name + len + 1, '.'))
			continue;
		h->unsettled |= s->unsettled;
		if (!strcmp(figure_key(h->f.name), "overhead"))
			h->unsettled |= s->overhead_unsettled;
		reach_set(h, s);
	}
}

static void series_apply(struct figure_set *set, const struct series *x)
{
	char stem[FIGURE_NAME];
	const struct sample s = {
		.stem = stem,
		.unsettled = x->unsettled != 0,
		.overhead_unsettled = x->overhead_known && !x->overhead_stable,
		.n = x->n,
		.min = x->min,
		.max = x->max,
	};

	figure_stem_series(stem, x);
	sample_apply(set, &s);
}

/* All of a row has the overhead taken off. The block's own figure is that overhead. */
static void xcell_apply(struct figure_set *set, const struct xcell *x)
{
	char stem[FIGURE_NAME];
	struct sample s = {
		.stem = stem,
		.unsettled = x->unstable || !x->overhead_stable,
		.n = x->lat.n,
		.min = x->lat.min,
		.max = x->lat.max,
	};

	figure_stem_block(stem, x);
	sample_apply(set, &(struct sample){.stem = stem, .unsettled = s.unsettled});
	figure_stem_xcell(stem, x);
	sample_apply(set, &s);
}

static void stability_apply(struct figure_set *set, const struct run_stability *x)
{
	char stem[FIGURE_NAME];
	const struct sample s = {.stem = stem, .unsettled = x->unsettled != 0};

	if (!x->seq)
		return;
	figure_name(stem, "stability", x->s.method);
	sample_apply(set, &s);
}

void figure_set_make(const struct run *r, struct figure_set *out)
{
	*out = (struct figure_set){0};
	run_figures(r, hold, out);
	if (out->n)
		qsort(out->held, out->n, sizeof(*out->held), by_name);
	drop_repeated(out);
	for (size_t i = 0; i < r->n_series; i++)
		series_apply(out, &r->series[i].s);
	for (size_t i = 0; i < r->n_xcells; i++)
		xcell_apply(out, &r->xcell[i].cell);
	stability_apply(out, &r->stability);
}

void figure_set_free(struct figure_set *s)
{
	free(s->held);
	*s = (struct figure_set){0};
}
