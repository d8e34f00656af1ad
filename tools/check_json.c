// SPDX-License-Identifier: MIT
/* A check as one JSON object. Numbers are decimal and exact; a reader that makes doubles of them
 * may round those beyond 2^53. */
#include "check_out.h"
#include "json.h"

static void middle_json(struct json *j, const char *key, const struct check_row *row, u64 value)
{
	const struct middle m = {.lo = value, .hi = value};
	char bytes[80];
	struct text t = TEXT_ON(bytes);

	middle_fmt(&t, &m, row);
	if (t.len && bytes[0] >= '0' && bytes[0] <= '9')
		json_raw(j, key, bytes, t.len);
	else
		json_bytes(j, key, bytes, t.len);
}

static void side_json(struct json *j, const char *key, const struct check_row *row,
		      const struct middle *m)
{
	if (!m->n) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{');
	json_u64(j, "runs", m->n);
	middle_json(j, "low", row, m->lo);
	middle_json(j, "high", row, m->hi);
	json_close(j, '}');
}

static void milli_json(struct json *j, const char *key, u64 milli)
{
	char bytes[40];
	struct text t = TEXT_ON(bytes);

	milli_fmt(&t, milli);
	json_raw(j, key, bytes, t.len);
}

static void figure_json(struct json *j, const struct check_row *row)
{
	json_word(j, "unit", row->unit);
	side_json(j, "baseline", row, &row->base);
	side_json(j, "now", row, &row->now);
	middle_json(j, "change", row, row->change);
	json_word(j, "direction", !row->change ? "none" : row->up ? "up" : "down");
	milli_json(j, "limit_abs", row->limit.abs);
	milli_json(j, "limit_percent", row->limit.rel);
	if (row->noise_kind == NOISE_MAD)
		middle_json(j, "noise", row, row->noise);
	else if (row->noise_kind == NOISE_RANKS)
		json_word(j, "noise", "ranks");
	else
		json_null(j, "noise");
}

static void result_json(struct json *j, const struct check_row *row)
{
	json_word(j, "baseline", row->base_word);
	json_word(j, "now", row->now_word);
}

static void row_json(struct json *j, const struct check_row *row)
{
	json_open(j, NULL, '{');
	json_word(j, "name", row->name);
	json_word(j, "verdict", check_verdict_name(row->verdict));
	json_word(j, "reason", row->reason);
	if (row->is_result)
		result_json(j, row);
	else
		figure_json(j, row);
	json_close(j, '}');
}

static void runs_json(struct json *j, const char *key, const struct side *s)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < s->n; i++) {
		json_open(j, NULL, '{');
		json_word(j, "log", s->at[i]->from);
		json_word(j, "run", s->at[i]->run->id.run);
		json_word(j, "label", s->at[i]->run->id.label);
		json_word(j, "trust", s->at[i]->run->trust);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void machine_json(struct json *j, const char *key, const struct party *p)
{
	json_open(j, key, '{');
	for (size_t i = 0; i < PARTY_KEYS; i++)
		json_word(j, party_key_name[i], party_key(p, i));
	json_close(j, '}');
}

static void differs_json(struct json *j, const struct check_group *g)
{
	json_open(j, "differs", '[');
	for (size_t i = 0; i < PARTY_KEYS; i++)
		if (g->differs >> i & 1)
			json_word(j, NULL, party_key_name[i]);
	json_close(j, ']');
	machine_json(j, "nearest", g->nearest);
}

static void causes_json(struct json *j, const struct check_group *g)
{
	json_open(j, "may_be_why", '[');
	for (size_t i = 0; i < g->n_causes; i++) {
		json_open(j, NULL, '{');
		json_word(j, "what", g->cause[i].what);
		json_word(j, "baseline", g->cause[i].base);
		json_word(j, "now", g->cause[i].now);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void group_json(struct json *j, const struct check_show *s, const struct check_group *g)
{
	static const char *const names[CHECK_VERDICTS] = {"same",     "improved", "new",
							  "unstable", "missing",  "regression"};

	json_open(j, NULL, '{');
	json_word(j, "verdict", group_verdict(s->check, g));
	machine_json(j, "machine", g->now.at[0]);
	runs_json(j, "runs", &g->now);
	runs_json(j, "baseline", &g->base);
	if (g->state == GROUP_INCOMPARABLE)
		differs_json(j, g);
	causes_json(j, g);
	json_open(j, "count", '{');
	for (int v = 0; v < CHECK_VERDICTS; v++)
		json_u64(j, names[v], g->count[v]);
	json_close(j, '}');
	json_open(j, "figures", '[');
	for (size_t i = 0; i < g->n_rows; i++)
		if (s->all || g->row[i].verdict != CHECK_SAME)
			row_json(j, &g->row[i]);
	json_close(j, ']');
	json_close(j, '}');
}

void check_json(const struct check_show *s, FILE *to)
{
	struct json j = {.to = to};

	json_open(&j, NULL, '{');
	json_u64(&j, "exit", (u64)s->check->status);
	json_bool(&j, "strict", s->check->strict);
	json_u64(&j, "unusable", s->check->unusable);
	json_open(&j, "machines", '[');
	for (size_t i = 0; i < s->check->n_groups; i++)
		group_json(&j, s, &s->check->group[i]);
	json_close(&j, ']');
	json_close(&j, '}');
	putc('\n', to);
}
