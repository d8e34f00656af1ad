// SPDX-License-Identifier: MIT
/* The sums of the gaps suite, against the parts they were added up from, the gaps that are listed
 * one by one, and each other: see recompute.h. */
#include "recompute_build.h"

struct sum_key {
	const char *key;
	size_t at; /* in struct run_gap_sums */
};

#define SUM(member)                                            \
	{                                                      \
#member, offsetof(struct run_gap_sums, member) \
	}

static const struct sum_key sums[] = {
	SUM(windows), SUM(watched), SUM(turns), SUM(n),	  SUM(stolen),
	SUM(longest), SUM(smi),	    SUM(nmi),	SUM(mce),
};

static u64 sum_value(const struct run_gap_sums *s, const struct sum_key *k)
{
	return *(const u64 *)((const char *)s + k->at);
}

static void parts_check(struct checking *c, const struct subject *s, const struct run_gaps *g)
{
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		equal_u64(c, s, sums[i].key, sum_value(&g->all, &sums[i]),
			  sum_value(&g->sum, &sums[i]), "the parts give", COVER_CONFIRMED);
	for (u32 k = 0; k < GAP_CAUSES; k++)
		equal_u64(c, s, gap_cause_name[k], g->all.cause[k], g->sum.cause[k],
			  "the parts give", COVER_CONFIRMED);
}

/* Each gap has one cause. */
static void causes_check(struct checking *c, const struct subject *s, const struct run_gap_sums *a)
{
	u64 n = 0;

	for (u32 k = 0; k < GAP_CAUSES; k++)
		n += a->cause[k];
	equal_u64(c, s, "n", a->n, n, "the causes add up to", COVER_CONFIRMED);
}

static u64 decade_least(u32 k)
{
	u64 v = 1;

	while (k--)
		v *= 10;
	return v;
}

/* A gap steals its length but for the usual time between two turns. */
static void decades_check(struct checking *c, const struct subject *s, const struct run_gaps *g)
{
	const struct gap_decades *d = &g->decades;
	u128 ticks = 0, usual = (u128)g->all.n * g->outer;
	u64 n = 0, top = 0;

	for (u32 k = 0; k < GAP_DECADES; k++) {
		n += d->n[k];
		ticks += d->ticks[k];
		if (!d->n[k])
			continue;
		top = k + 1;
		if (d->ticks[k] / d->n[k] < decade_least(k) ||
		    (k + 1 < GAP_DECADES && d->ticks[k] / d->n[k] >= decade_least(k + 1)))
			contradict(c, s, "%llu ticks in %llu gap%s of %u digit%s each",
				   (unsigned long long)d->ticks[k], (unsigned long long)d->n[k],
				   plural(d->n[k]), k + 1, plural(k + 1));
	}
	equal_u64(c, s, "n", g->all.n, n, "the decades add up to", COVER_CONFIRMED);
	if (g->all.stolen > ticks || (ticks > usual && g->all.stolen < ticks - usual))
		contradict(c, s, "stolen=%llu is printed, but the decades give another time",
			   (unsigned long long)g->all.stolen);
	if (top && (g->all.longest < decade_least((u32)top - 1) ||
		    (top < GAP_DECADES && g->all.longest >= decade_least((u32)top))))
		contradict(c, s, "longest=%llu is printed, but the longest has %llu digit%s",
			   (unsigned long long)g->all.longest, (unsigned long long)top,
			   plural(top));
}

/* When all gaps are listed, they are the raw data. */
static void list_check(struct checking *c, const struct subject *s, const struct run_gaps *g)
{
	static const char from[] = "the list gives";
	u64 stolen = 0, longest = 0, cause[GAP_CAUSES] = {0};

	for (size_t i = 0; i < g->n_list; i++) {
		const struct run_gap *x = &g->list[i];

		stolen += x->length > g->outer ? x->length - g->outer : 0;
		longest = x->length > longest ? x->length : longest;
		cause[x->cause]++;
		if (i && x->at < g->list[i - 1].at)
			contradict(c, s, "the gap at %llu ticks is listed after one at %llu",
				   (unsigned long long)x->at,
				   (unsigned long long)g->list[i - 1].at);
	}
	if (g->torn)
		return;
	if (g->n_list < g->all.n) {
		within_u64(c, s, "longest", g->all.longest, longest, ~0ull, "the list");
		within_u64(c, s, "stolen", g->all.stolen, stolen, ~0ull, "the list");
		return;
	}
	equal_u64(c, s, "n", g->all.n, g->n_list, "listed are", COVER_EXACT);
	equal_u64(c, s, "stolen", g->all.stolen, stolen, from, COVER_EXACT);
	equal_u64(c, s, "longest", g->all.longest, longest, from, COVER_EXACT);
	for (u32 k = 0; k < GAP_CAUSES; k++)
		equal_u64(c, s, gap_cause_name[k], g->all.cause[k], cause[k], from, COVER_EXACT);
}

void recompute_gaps(struct checking *c)
{
	const struct run_gaps *g = &c->r->gaps;
	struct subject s = {.stem = "gaps", .seq = g->seq, .line = g->line};

	if (!g->seq)
		return;
	causes_check(c, &s, &g->all);
	decades_check(c, &s, g);
	if (c->r->n_missing)
		return;
	parts_check(c, &s, g);
	list_check(c, &s, g);
}
