// SPDX-License-Identifier: MIT
/* Figures over runs: see courses.h. */
#include "courses.h"

#include <stdlib.h>

#include "run_build.h"

struct taking {
	struct courses *to;
	u32 run;
};

static struct course *course_of(struct courses *c, const struct figure *f)
{
	u32 name = words_take(&c->names, f->name);
	u32 unit = words_take(&c->units, f->unit);

	if (name == c->n)
		*VECTOR_ADD(c->at, c->n) = (struct course){
			.name = c->names.at[name],
			.unit = c->units.at[unit],
		};
	return &c->at[name];
}

static void value_take(void *ctx, const struct figure *f)
{
	const struct taking *t = ctx;
	struct course *c = course_of(t->to, f);

	if (c->n && c->at[c->n - 1].run == t->run)
		return;
	*VECTOR_ADD(c->at, c->n) = (struct course_value){
		.value = f->value,
		.slack = f->slack,
		.run = t->run,
		.scale = (u16)f->scale,
		.overflow = f->overflow,
		.unstable = f->unstable,
	};
}

void courses_take(struct courses *c, u32 run, const struct run *r)
{
	struct taking t = {c, run};

	run_figures(r, value_take, &t);
}

const struct course *courses_find(const struct courses *c, const char *name)
{
	u32 i = words_find(&c->names, name);

	return i == WORDS_NONE ? NULL : &c->at[i];
}

const struct course_value *course_in(const struct course *c, u32 run)
{
	size_t from = 0, to = c->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (c->at[mid].run < run)
			from = mid + 1;
		else
			to = mid;
	}
	return from < c->n && c->at[from].run == run ? &c->at[from] : NULL;
}

void course_value_fmt(struct text *t, const struct course_value *v)
{
	figure_fmt(t, &(struct figure){.value = v->value,
				       .slack = v->slack,
				       .scale = v->scale,
				       .overflow = v->overflow});
}

void courses_free(struct courses *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].at);
	free(c->at);
	words_free(&c->names);
	words_free(&c->units);
	*c = (struct courses){0};
}
