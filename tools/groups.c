// SPDX-License-Identifier: MIT
/*
 * Exact counts of values by group: see groups.h. A small hash table takes the samples in; when it
 * is full, its pairs are sorted and merged into one sorted array; when that is full, it goes to the
 * temporary file as a run. In the end one pass over all runs sees each group's values ascending.
 */
#include "groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "spill.h"
#include "u128.h"
#include "xtable.h"

/* Slots of the hash table: powers of two. */
#define TABLE_FIRST (1u << 12)
#define TABLE_LAST  (1u << 18)

#define INDEX_FIRST 256u

struct group {
	char *name; /* NUL-terminated */
	u64 rfbm, xinuse, n;
	u32 unit;
	u16 name_len;
};

struct groups {
	struct group *group;
	size_t n_groups, cap_groups;
	u32 *index; /* hash table of group numbers + 1; n_index is a power of two */
	size_t n_index;
	struct pair *table; /* hash table; count 0: free */
	size_t n_table, used;
	struct pair *sorted; /* strictly ascending but for full counts */
	size_t n_sorted, limit;
	struct spill spill;
	struct latency *lat; /* of each group, once finished */
	struct xcell *cell;
};

static u64 mix(u64 a, u64 b)
{
	u128 product = (u128)(a ^ 0x9e3779b97f4a7c15ull) * (b ^ 0xd6e8feb86659fd93ull);

	return (u64)product ^ (u64)(product >> 64);
}

struct groups *groups_new(size_t pairs)
{
	struct groups *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->limit = pairs;
	g->n_index = INDEX_FIRST;
	g->n_table = TABLE_FIRST;
	g->index = calloc(g->n_index, sizeof(*g->index));
	g->table = calloc(g->n_table, sizeof(*g->table));
	spill_init(&g->spill);
	if (g->index && g->table)
		return g;
	groups_free(g);
	return NULL;
}

void groups_free(struct groups *g)
{
	for (size_t i = 0; i < g->n_groups; i++)
		free(g->group[i].name);
	free(g->group);
	free(g->index);
	free(g->table);
	free(g->sorted);
	free(g->lat);
	free(g->cell);
	spill_free(&g->spill);
	free(g);
}

u64 groups_spilled(const struct groups *g)
{
	return spill_bytes(&g->spill);
}

/* The end of a name tells more than its start. */
static u64 hash_group(u32 unit, const char *name, size_t len, u64 rfbm, u64 xinuse)
{
	u64 tail = 0;

	memcpy(&tail, name + (len > sizeof(tail) ? len - sizeof(tail) : 0),
	       len > sizeof(tail) ? sizeof(tail) : len);
	return mix(mix(rfbm, xinuse), tail + (len << 8) + unit);
}

static bool same_group(const struct group *p, u32 unit, const struct trace_sample *s)
{
	return p->rfbm == s->rfbm && p->xinuse == s->xinuse && p->unit == unit &&
	       p->name_len == s->name_len && !memcmp(p->name, s->name, s->name_len);
}

static bool grow_index(struct groups *g)
{
	size_t n = g->n_index * 2;
	u32 *index = calloc(n, sizeof(*index));

	if (!index)
		return false;
	for (size_t i = 0; i < g->n_groups; i++) {
		const struct group *p = &g->group[i];
		size_t k = hash_group(p->unit, p->name, p->name_len, p->rfbm, p->xinuse) & (n - 1);

		while (index[k])
			k = (k + 1) & (n - 1);
		index[k] = (u32)i + 1;
	}
	free(g->index);
	g->index = index;
	g->n_index = n;
	return true;
}

static enum groups_status add_group(struct groups *g, u32 unit, const struct trace_sample *s,
				    size_t slot)
{
	struct group *p;

	if (g->n_groups == GROUPS_MAX)
		return GROUPS_FULL;
	if (g->n_groups == g->cap_groups) {
		size_t cap = g->cap_groups ? g->cap_groups * 2 : 64;

		p = realloc(g->group, cap * sizeof(*p));
		if (!p)
			return GROUPS_NO_MEMORY;
		g->group = p;
		g->cap_groups = cap;
	}
	p = &g->group[g->n_groups];
	*p = (struct group){.name = strndup(s->name, s->name_len),
			    .name_len = (u16)s->name_len,
			    .rfbm = s->rfbm,
			    .xinuse = s->xinuse,
			    .unit = unit};
	if (!p->name)
		return GROUPS_NO_MEMORY;
	g->index[slot] = (u32)++g->n_groups;
	if (g->n_groups > g->n_index / 2 && !grow_index(g))
		return GROUPS_NO_MEMORY;
	return GROUPS_OK;
}

static enum groups_status find_group(struct groups *g, u32 unit, const struct trace_sample *s,
				     u32 *number)
{
	u64 hash = hash_group(unit, s->name, s->name_len, s->rfbm, s->xinuse);
	size_t k = hash & (g->n_index - 1);
	enum groups_status status;

	for (; g->index[k]; k = (k + 1) & (g->n_index - 1)) {
		if (same_group(&g->group[g->index[k] - 1], unit, s)) {
			*number = g->index[k] - 1;
			return GROUPS_OK;
		}
	}
	status = add_group(g, unit, s, k);
	*number = (u32)g->n_groups - 1;
	return status;
}

static struct pair *find_slot(struct pair *table, size_t n, u32 group, u64 value)
{
	size_t k = mix(value, group) & (n - 1);

	while (table[k].count && (table[k].value != value || table[k].group != group))
		k = (k + 1) & (n - 1);
	return &table[k];
}

/* Moves the table's pairs to its front, sorted; the table is none until it is cleared. */
static void sort_table(struct groups *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_table; i++)
		if (g->table[i].count)
			g->table[n++] = g->table[i];
	qsort(g->table, n, sizeof(*g->table), pair_compare);
}

/*
 * Merges the table into the sorted array from the back, in place, so that at no time there are two
 * of the array. Equal pairs become one unless the count would not fit.
 */
static bool merge_table(struct groups *g)
{
	size_t i = g->n_sorted, k = g->used, to = i + k;
	struct pair *s = realloc(g->sorted, to * sizeof(*s));

	if (!s)
		return false;
	g->sorted = s;
	while (k) {
		int order = i ? pair_compare(&s[i - 1], &g->table[k - 1]) : -1;

		if (order == 0 && s[i - 1].count <= UINT32_MAX - g->table[k - 1].count)
			s[i - 1].count += g->table[--k].count;
		else if (order > 0)
			s[--to] = s[--i];
		else
			s[--to] = g->table[--k];
	}
	/* What came to be one leaves a gap between the two parts. */
	memmove(s + i, s + to, (g->n_sorted + g->used - to) * sizeof(*s));
	g->n_sorted = i + g->n_sorted + g->used - to;
	return true;
}

/* Empties the table into the sorted array, and that into the file once it is too long. */
static enum groups_status flush(struct groups *g)
{
	if (!g->used)
		return GROUPS_OK;
	sort_table(g);
	if (!merge_table(g))
		return GROUPS_NO_MEMORY;
	memset(g->table, 0, g->n_table * sizeof(*g->table));
	g->used = 0;
	if (g->n_sorted <= g->limit)
		return GROUPS_OK;
	if (!spill_write(&g->spill, g->sorted, g->n_sorted))
		return GROUPS_NO_FILE;
	g->n_sorted = 0;
	return GROUPS_OK;
}

static bool grow_table(struct groups *g)
{
	size_t n = g->n_table * 2;
	struct pair *table = calloc(n, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < g->n_table; i++)
		if (g->table[i].count)
			*find_slot(table, n, g->table[i].group, g->table[i].value) = g->table[i];
	free(g->table);
	g->table = table;
	g->n_table = n;
	return true;
}

static enum groups_status make_space(struct groups *g)
{
	if (g->n_table < TABLE_LAST && g->used < g->limit)
		return grow_table(g) ? GROUPS_OK : GROUPS_NO_MEMORY;
	return flush(g);
}

enum groups_status groups_add(struct groups *g, u32 unit, const struct trace_sample *s)
{
	enum groups_status status;
	struct pair *p;
	u32 number;

	status = find_group(g, unit, s, &number);
	if (status != GROUPS_OK)
		return status;
	g->group[number].n++;
	p = find_slot(g->table, g->n_table, number, s->latency);
	if (p->count) {
		/* A count that is full goes to the array, which can hold the pair again. */
		return ++p->count == UINT32_MAX ? flush(g) : GROUPS_OK;
	}
	*p = (struct pair){.value = s->latency, .group = number, .count = 1};
	if (++g->used > g->n_table / 4 * 3 || g->used >= g->limit)
		return make_space(g);
	return GROUPS_OK;
}

/* Running figures of the group whose pairs come in. */
struct tally {
	u64 (*average)(u128 sum, u64 n);
	u64 seen;
	u128 sum, sum97;
};

/* The next value of a group, in ascending order. */
static void tally_pair(struct tally *t, struct latency *lat, const struct pair *p)
{
	u64 before = t->seen, kept = before < lat->kept ? lat->kept - before : 0;
	u64 p50 = stats_rank(lat->n, 50, 100), p99 = stats_rank(lat->n, 99, 100);

	t->seen += p->count;
	t->sum += (u128)p->value * p->count;
	t->sum97 += (u128)p->value * (kept < p->count ? kept : p->count);
	if (!before)
		lat->min = p->value;
	lat->max = p->value;
	if (before < p50 && p50 <= t->seen)
		lat->p50 = p->value;
	if (before < p99 && p99 <= t->seen)
		lat->p99 = p->value;
	if (t->seen == lat->n) {
		lat->avg = t->average(t->sum, lat->n);
		lat->avg97 = t->average(t->sum97, lat->kept);
		*t = (struct tally){.average = t->average};
	}
}

static u64 exact_average(u128 sum, u64 n)
{
	return (u64)u128_div_round(sum, n);
}

enum groups_status groups_finish(struct groups *g, bool reference)
{
	enum groups_status status = flush(g);
	struct tally t = {.average = reference ? reference_average : exact_average};
	struct pair p;

	if (status != GROUPS_OK)
		return status;
	free(g->table);
	g->table = NULL;
	g->lat = calloc(g->n_groups + 1, sizeof(*g->lat));
	g->cell = calloc(g->n_groups + 1, sizeof(*g->cell));
	if (!g->lat || !g->cell || !spill_merge(&g->spill, g->sorted, g->n_sorted))
		return GROUPS_NO_MEMORY;
	for (size_t i = 0; i < g->n_groups; i++) {
		g->lat[i].n = g->group[i].n;
		g->lat[i].kept = stats_kept97(g->group[i].n);
	}
	while (spill_next(&g->spill, &p))
		tally_pair(&t, &g->lat[p.group], &p);
	return spill_failed(&g->spill) ? GROUPS_NO_FILE : GROUPS_OK;
}

static void flip_signs(struct xcell *cell, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cell[i].rfbm ^= 1ull << 63;
		cell[i].xinuse ^= 1ull << 63;
	}
}

size_t groups_cells(struct groups *g, u32 unit, bool signed_masks, struct xcell **cells)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n_groups; i++)
		if (g->group[i].unit == unit)
			g->cell[n++] = (struct xcell){.event = g->group[i].name,
						      .rfbm = g->group[i].rfbm,
						      .xinuse = g->group[i].xinuse,
						      .lat = g->lat[i]};
	/* With the signs turned, the order of signed numbers is that of unsigned ones. */
	if (signed_masks)
		flip_signs(g->cell, n);
	xtable_sort(g->cell, n);
	if (signed_masks)
		flip_signs(g->cell, n);
	*cells = g->cell;
	return n;
}
