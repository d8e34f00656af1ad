// SPDX-License-Identifier: MIT
/* Rulers and the frequency in force, from what they were made of. */
#include <string.h>

#include "recompute_build.h"

static void ruler_check(struct checking *c, const struct run_record *rec)
{
	const struct run_field *where = run_field(rec, "where");
	struct subject s = {.seq = rec->seq, .line = rec->line};
	struct ruler ruler = {0};
	u64 adds, ratio;

	if (!where || !run_number(rec, "adds", &adds) || adds != RULER_ADDS ||
	    !run_number(rec, "adds_ticks", &ruler.adds_ticks) ||
	    !run_number(rec, "ratio_e4", &ratio))
		return;
	figure_name(s.stem, "ruler", where->value);
	/* The ratio rounds: it leaves a range for what it was made from. */
	if (ruler_ratio(&ruler) == ratio)
		cover(c, &s, "adds", COVER_BOUNDED);
	equal_u64(c, &s, "ratio_e4", ratio, ruler_ratio(&ruler), "adds_ticks= gives", COVER_EXACT);
	cover(c, &s, "ratio", COVER_EXACT);
}

/* The frequency in force is that of the source it names. */
static void frequency_check(struct checking *c)
{
	const struct run_record *tsc = run_find(c->r, "tsc", NULL), *clock = NULL;
	const struct run_field *source = run_field(tsc, "source");
	struct subject s;
	u64 khz;

	if (!source)
		return;
	s = (struct subject){.stem = "clock.tsc", .seq = tsc->seq, .line = tsc->line};
	while ((clock = run_find(c->r, "clock", clock)) != NULL) {
		const struct run_field *name = run_field(clock, "source");

		if (name && !strcmp(name->value, source->value) && run_number(clock, "khz", &khz))
			equal_u64(c, &s, "khz", c->r->tsc_khz, khz, "its clock record has",
				  COVER_CONFIRMED);
	}
}

void recompute_clock(struct checking *c)
{
	const struct run_record *rec = NULL;

	frequency_check(c);
	while ((rec = run_find(c->r, "ruler", rec)) != NULL)
		ruler_check(c, rec);
}
