// SPDX-License-Identifier: MIT
/* Of which suites a run that was cut has a part: see run.h. */
#include <string.h>

#include "run.h"

static const char *tsc_partial(const struct run *r)
{
	if (run_find(r, "recommend", NULL))
		return NULL;
	if (r->n_series)
		return "tsc: the series that arrived, without a recommendation";
	return r->n_lines ? "tsc: lines, without the series they belong to" : NULL;
}

static const char *stability_partial(const struct run *r)
{
	if (!r->stability.seq || run_find(r, "outliers", NULL))
		return NULL;
	return "stability: its figures, without the list of outliers";
}

static const char *gaps_partial(const struct run *r)
{
	if (r->gaps.seq || !r->gaps.parts)
		return NULL;
	return "gaps: the windows that arrived, without the sums";
}

static const char *xsave_partial(const struct run *r)
{
	if (!r->n_xcells || run_find(r, "xsweep", NULL))
		return NULL;
	return "xsave: the blocks that arrived, without the sweep's sums";
}

const char *run_partial(const struct run *r, enum run_suite suite)
{
	static const char *(*const part[RUN_SUITES])(const struct run *) = {
		[SUITE_TSC] = tsc_partial,
		[SUITE_STABILITY] = stability_partial,
		[SUITE_GAPS] = gaps_partial,
		[SUITE_XSAVE] = xsave_partial,
	};

	return r->state == RUN_COMPLETE ? NULL : part[suite](r);
}
