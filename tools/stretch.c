// SPDX-License-Identifier: MIT
/* Figures along the runs: see stretch.h. */
#include "stretch.h"

size_t stretch_places(const struct report *rep, size_t most)
{
	return rep->n <= most || rep->all ? rep->n : most / 2;
}

/* NULL where the run has none, or none that is a number. */
static const struct course_value *value_in(const struct report *rep, const struct stretch_line *l,
					   u32 run)
{
	const struct course *c = l->course;
	const struct course_value *v;
	char name[FIGURE_NAME];

	if (l->key) {
		figure_name(name, "stability", rep->words.at[rep->run[run].stability], l->key);
		c = courses_find(&rep->courses, name);
	}
	v = c ? course_in(c, run) : NULL;
	return v && !v->overflow ? v : NULL;
}

/* The run before this one measured the same thing. */
static bool comparable(const struct report *rep, const struct stretch_line *l, u32 run)
{
	const struct report_run *rr = &rep->run[run];

	return rr[0].group == rr[-1].group && (!l->key || rr[0].stability == rr[-1].stability);
}

/* One is the least and other the largest, until all have been added. */
static void value_add(struct stretch *s, const struct course_value *v)
{
	if (!s->one || v->value < s->one->value)
		s->one = v;
	if (!s->other || v->value > s->other->value)
		s->other = v;
}

static size_t stretch_end(struct stretch *s)
{
	const struct course_value *least = s->one;

	s->joined &= s->whole;
	if (least && s->other->run < least->run) {
		s->one = s->other;
		s->other = least;
	}
	return least != NULL;
}

size_t stretch_make(const struct report *rep, const struct stretch_line *l, size_t places,
		    struct stretch *out)
{
	const struct course_value *before = NULL;
	struct stretch *s = out;

	for (u32 run = 0; run < rep->n; run++) {
		const struct course_value *v = value_in(rep, l, run);
		bool linked = v && before && comparable(rep, l, run);

		if (!run || run * places / rep->n != (run - 1) * places / rep->n) {
			bool whole = run && s->whole; /* the stretch before */

			s += run ? stretch_end(s) : 0;
			*s = (struct stretch){
				.run = run, .joined = linked && whole, .whole = v != NULL};
		} else {
			s->whole &= linked;
		}
		if (v)
			value_add(s, v);
		before = v;
	}
	return (size_t)(s - out) + (rep->n ? stretch_end(s) : 0);
}
