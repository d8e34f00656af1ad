// SPDX-License-Identifier: MIT
/* Rows of the XSAVE table as columns of a record: see xrecord.h. */
#include "xrecord.h"

#include "number.h"

struct column {
	const char *key;
	bool hex;
	size_t at; /* in struct xcell, of a u64 */
};

static const struct column columns[] = {
	{"xinuse", true, offsetof(struct xcell, xinuse)},
	{"n", false, offsetof(struct xcell, lat.n)},
	{"kept", false, offsetof(struct xcell, lat.kept)},
	{"min", false, offsetof(struct xcell, lat.min)},
	{"max", false, offsetof(struct xcell, lat.max)},
	{"avg", false, offsetof(struct xcell, lat.avg)},
	{"avg97", false, offsetof(struct xcell, lat.avg97)},
	{"p50", false, offsetof(struct xcell, lat.p50)},
	{"p99", false, offsetof(struct xcell, lat.p99)},
	{"clamped", false, offsetof(struct xcell, clamped)},
	{"xstate_bv", true, offsetof(struct xcell, xstate_bv)},
};

static u64 *value_at(struct xcell *c, const struct column *col)
{
	return (u64 *)((char *)c + col->at);
}

static u64 value_of(const struct xcell *c, const struct column *col)
{
	return *(const u64 *)((const char *)c + col->at);
}

/* XSTATE_BV says what XINUSE says but in odd cases: then it is not said twice. */
static bool column_told(const struct column *col, const struct xcell *c, size_t n)
{
	bool told = col->at == offsetof(struct xcell, xstate_bv);

	for (size_t i = 0; told && i < n; i++)
		told = c[i].xstate_bv == c[i].xinuse;
	return told;
}

static void column_put(struct record *r, const struct column *col, const struct xcell *c, size_t n)
{
	size_t same = 1;

	record_key(r, col->key);
	while (same < n && value_of(&c[same], col) == value_of(&c[0], col))
		same++;
	if (same == n)
		n = 1;
	for (size_t i = 0; i < n; i++)
		fmt(&r->t, col->hex ? "%s0x%llx" : "%s%llu", i ? "," : "",
		    (unsigned long long)value_of(&c[i], col));
}

void xcells_record(struct record *r, const struct xcell *cell, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!column_told(&columns[i], cell, n))
			column_put(r, &columns[i], cell, n);
}

/* Items of a column; 0 if it is missing. */
static size_t column_length(const struct record_view *v, const struct column *col)
{
	const struct record_field *f = record_find(v, col->key);
	size_t pos = 0, n = 0, len;
	const char *item;

	while (f && record_item(f, &pos, &item, &len))
		n++;
	return n;
}

static bool column_take(const struct record_view *v, const struct column *col, struct xcell *c,
			size_t n)
{
	const struct record_field *f = record_find(v, col->key);
	size_t pos = 0, i = 0, len;
	const char *item;

	if (!f && col->at == offsetof(struct xcell, xstate_bv)) {
		for (; i < n; i++)
			c[i].xstate_bv = c[i].xinuse;
		return true;
	}
	while (f && record_item(f, &pos, &item, &len)) {
		if (i == n || !number_parse(item, len, value_at(&c[i], col)))
			return false;
		i++;
	}
	if (i != 1)
		return i == n;
	for (; i < n; i++)
		*value_at(&c[i], col) = value_of(&c[0], col);
	return true;
}

const char *xcells_parse(const struct record_view *v, struct xcell *cell, size_t cap, size_t *n)
{
	*n = 1;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		size_t length = column_length(v, &columns[i]);

		if (length > cap)
			return columns[i].key;
		*n = length > *n ? length : *n;
	}
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (!column_take(v, &columns[i], cell, *n))
			return columns[i].key;
	return NULL;
}
