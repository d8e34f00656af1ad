// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a trace, by both sets of rules, to the figures of its groups. Aborts
 * where a sample points outside its line or figures contradict each other.
 */
#include <stdlib.h>
#include <string.h>

#include "groups.h"
#include "trace.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void holds(bool does)
{
	if (!does)
		abort();
}

static void check_sample(const struct trace_sample *s, const char *line, size_t n)
{
	holds(s->name_len > 0 && s->name_len <= TRACE_NAME_MAX);
	holds(s->name >= line && s->name + s->name_len < line + n);
}

static u64 read_lines(struct trace *t, struct groups *g, const char *p, const char *end)
{
	u64 samples = 0;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		enum trace_kind kind = trace_line(t, p, n);

		holds(kind >= 0 && kind < TRACE_KINDS);
		holds(kind < TRACE_FIRST_REASON || trace_reason[kind]);
		if (kind == TRACE_SAMPLE) {
			check_sample(&t->sample, p, n);
			holds(groups_add(g, t->unit.ticks, &t->sample) == GROUPS_OK);
			samples++;
		}
		p += n + 1;
	}
	return samples;
}

static u64 check_cells(const struct xcell *cell, size_t n)
{
	u64 samples = 0;

	for (size_t i = 0; i < n; i++) {
		const struct latency *l = &cell[i].lat;

		holds(l->n > 0 && l->kept > 0 && l->kept <= l->n);
		holds(l->min <= l->p50 && l->p50 <= l->p99 && l->p99 <= l->max);
		holds(l->min <= l->avg97 && l->avg97 <= l->avg && l->avg <= l->max);
		samples += l->n;
	}
	return samples;
}

static void read_all(const char *p, const char *end, bool reference)
{
	struct trace_rules rules = {.reference = reference, .log_name = "trace.txt"};
	struct groups *g = groups_new(GROUPS_PAIRS_MIN);
	struct xcell *cell;
	struct trace t;
	u64 samples, counted = 0;

	holds(g != NULL);
	trace_start(&t, &rules);
	samples = read_lines(&t, g, p, end);
	holds(groups_finish(g, reference) == GROUPS_OK);
	for (u32 unit = 0; unit < 2; unit++) {
		size_t n = groups_cells(g, unit, reference, &cell);

		counted += check_cells(cell, n);
	}
	holds(counted == samples);
	groups_free(g);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* Of the exact size, so that a read beyond it is noticed. */
	char *bytes = malloc(size);

	if (!bytes && size)
		return 0;
	if (size)
		memcpy(bytes, data, size);
	read_all(bytes, bytes + size, false);
	read_all(bytes, bytes + size, true);
	free(bytes);
	return 0;
}
