// SPDX-License-Identifier: MIT
/* Says what is wrong with a run that was read, line by line: see run.h. */
#include <string.h>

#include "run.h"

#define RANGE_BYTES sizeof("18446744073709551615-18446744073709551615, ")

static void missing_fmt(const struct run *r, struct text *t)
{
	u64 more = r->missing_records;

	for (size_t i = 0; i < r->n_missing && i < RUN_SAID; i++) {
		const struct run_range *m = &r->missing[i];

		fmt(t, i ? ", %llu" : "%llu", (unsigned long long)m->from);
		if (m->to != m->from)
			fmt(t, "-%llu", (unsigned long long)m->to);
		more -= m->to - m->from + 1;
	}
	if (more)
		fmt(t, " and %llu more", (unsigned long long)more);
}

static void say_missing(const struct command *c, const char *file, const struct run *r)
{
	char bytes[(RUN_SAID + 1) * RANGE_BYTES];
	struct text t = TEXT_ON(bytes);

	missing_fmt(r, &t);
	if (r->n_missing)
		complain(c, "%s: %llu record%s missing: number %.*s", file,
			 (unsigned long long)r->missing_records,
			 r->missing_records == 1 ? " is" : "s are", (int)t.len, bytes);
	if (r->ended)
		return;
	complain(c, "%s: the end record is missing: the run stops after record %llu, line %llu",
		 file, (unsigned long long)r->last_seq, (unsigned long long)r->last_line);
	if (*r->panic)
		complain(c, "%s: the kernel stopped: %.200s", file, r->panic);
}

static void say_problems(const struct command *c, const char *file, const struct run *r)
{
	for (size_t i = 0; i < r->n_problems && i < RUN_SAID; i++)
		complain(c, "%s:%llu: %s", file, (unsigned long long)r->problem[i].line,
			 r->problem[i].text);
	if (r->problems > RUN_SAID)
		complain(c, "%s: and %llu more of the kind, lines %llu to %llu", file,
			 (unsigned long long)(r->problems - RUN_SAID),
			 (unsigned long long)r->problem[RUN_SAID].line,
			 (unsigned long long)r->problem[r->n_problems - 1].line);
}

/* What is lost beside the records is said, and is no reason to call the run unusable. */
static void say_losses(const struct command *c, const char *file, const struct run *r)
{
	if (r->planned > r->n_checks)
		complain(c, "%s: %llu of %llu result lines %s lost or damaged", file,
			 (unsigned long long)(r->planned - r->n_checks),
			 (unsigned long long)r->planned,
			 r->planned - r->n_checks == 1 ? "is" : "are");
	if (r->texts_left)
		complain(
			c,
			"%s: %llu line%s of text beyond the first %d MiB of the run %s not looked at",
			file, (unsigned long long)r->texts_left, plural(r->texts_left),
			RUN_TEXT_MIB, r->texts_left == 1 ? "is" : "are");
	if (r->bad_samples)
		complain(c, "%s:%llu: %llu damaged trace line%s, this is the first", file,
			 (unsigned long long)r->bad_sample_line, (unsigned long long)r->bad_samples,
			 plural(r->bad_samples));
}

/* Parts of suites are no figures, but not nothing either. Returns how many there are. */
static size_t say_parts(const struct command *c, const char *file, const struct run *r)
{
	size_t n = 0;

	for (int suite = 0; suite < RUN_SUITES; suite++) {
		const char *words = run_partial(r, (enum run_suite)suite);

		if (!words)
			continue;
		complain(c, "%s: in part only: %s", file, words);
		n++;
	}
	return n;
}

int run_usable(const struct command *c, const char *path, const struct run *r)
{
	const char *file = log_name(path);
	const char *id = *r->id.run ? r->id.run : "without a begin";

	if (r->state != RUN_COMPLETE)
		complain(c, "%s: run %.40s, lines %llu to %llu, is %s", file, id,
			 (unsigned long long)r->first_line, (unsigned long long)r->last_line,
			 run_state_name(r->state));
	say_missing(c, file, r);
	say_problems(c, file, r);
	say_losses(c, file, r);
	if (!say_parts(c, file, r) && !r->measured)
		complain(c, "%s: run %.40s measured nothing, or its records were switched off",
			 file, id);
	return r->state == RUN_COMPLETE && r->measured ? EXIT_FINE : EXIT_UNUSABLE;
}

int totals_usable(const struct command *c, const char *path, const struct run_totals *t)
{
	const char *file = log_name(path);

	if (t->runs == 0)
		complain(
			c,
			"%s: no run of baretick in its %llu line%s: no line with @bt and a whole record",
			file, (unsigned long long)t->lines, plural(t->lines));
	if (t->stray)
		complain(c, "%s:%llu: %llu damaged record%s outside of any run, this is the first",
			 file, (unsigned long long)t->stray_first, (unsigned long long)t->stray,
			 plural(t->stray));
	if (t->cut)
		complain(c, "%s: %llu line%s longer than a mebibyte and not taken whole", file,
			 (unsigned long long)t->cut, t->cut == 1 ? " is" : "s are");
	return t->runs == 0 || t->stray ? EXIT_UNUSABLE : EXIT_FINE;
}
