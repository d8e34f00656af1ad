// SPDX-License-Identifier: MIT
/* Runs as sides of a check: see party.h. */
#include "party.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "run_build.h"

const char *const party_key_name[PARTY_KEYS] = {
	"vendor", "signature", "core_type", "hypervisor", "emulated", "code", "profile", "options",
};

const char *party_key(const struct party *p, size_t i)
{
	const struct run_identity *id = &p->run->id;
	const char *const key[PARTY_KEYS] = {
		id->vendor,   id->signature, id->core_type, id->hypervisor,
		id->emulated, id->code,	     id->profile,   p->options,
	};

	return key[i];
}

u32 party_difference(const struct party *a, const struct party *b)
{
	u32 bits = 0;

	for (size_t i = 0; i < PARTY_KEYS; i++)
		if (strcmp(party_key(a, i), party_key(b, i)) != 0)
			bits |= 1u << i;
	return bits;
}

bool party_is_emulated(const struct party *p)
{
	return strcmp(p->run->id.emulated, "no") != 0;
}

bool party_same(const struct party *a, const struct party *b)
{
	return a->content == b->content && !strcmp(a->run->id.run, b->run->id.run);
}

/*
 * Where the log goes, how it ends, what it is called and what is held against its figures does not
 * change them; the profile in force is compared by itself. An option that is not known here may
 * mean anything: then all of them are compared as they were given.
 */
static void options_keep(const char *given, char *out, size_t cap)
{
	struct text t = {.at = out, .cap = cap - 1};
	struct options all, none;

	options_default(&none);
	options_default(&all);
	options_parse(&all, given, strlen(given));
	if (all.n_problems) {
		text_str(&t, given);
	} else {
		all.profile = none.profile;
		memcpy(all.console, none.console, sizeof(all.console));
		memcpy(all.label, none.label, sizeof(all.label));
		all.baud = none.baud;
		all.exit = none.exit;
		all.ident = none.ident;
		all.strict = none.strict;
		all.xsave_trace = none.xsave_trace;
		all.limit_gap = none.limit_gap;
		all.limit_smi = none.limit_smi;
		options_in_force(&all, &t);
	}
	out[t.len] = '\0';
}

static void range_take(u64 *least, u64 *most, u64 value)
{
	*least = value < *least ? value : *least;
	*most = value > *most ? value : *most;
}

static void clocks_find(const struct run *r, struct clocks *c)
{
	const struct run_record *rec = NULL;
	u64 value;

	*c = (struct clocks){.ratio_min = ~0ull, .nops_min = ~0ull};
	while ((rec = run_find(r, "ruler", rec)) != NULL) {
		if (run_number(rec, "ratio_e4", &value))
			range_take(&c->ratio_min, &c->ratio_max, value);
		if (run_number(rec, "nops_ticks", &value))
			range_take(&c->nops_min, &c->nops_max, value);
	}
	c->known = c->ratio_max && c->nops_max;
	for (size_t i = 0; i < r->n_series; i++)
		if (r->series[i].s.ratio)
			range_take(&c->ratio_min, &c->ratio_max, r->series[i].s.ratio);
}

void side_add(struct side *s, struct run *r, const char *from, const char *within)
{
	struct party *p = must(malloc(sizeof(*p)));

	*p = (struct party){
		.run = r,
		.from = must_print("%s%s%s", within ? within : "", within ? ": " : "", from),
	};
	p->content = content_crc(r);
	figure_set_make(r, &p->figures);
	clocks_find(r, &p->clocks);
	options_keep(r->id.options, p->options, sizeof(p->options));
	*VECTOR_ADD(s->at, s->n) = p;
}

static void side_drop_last(struct side *s)
{
	struct party *p = s->at[--s->n];

	run_free(p->run);
	figure_set_free(&p->figures);
	free(p->from);
	free(p);
}

bool side_drop_repeated(struct side *s)
{
	for (size_t i = 0; i + 1 < s->n; i++) {
		if (!party_same(s->at[i], s->at[s->n - 1]))
			continue;
		side_drop_last(s);
		return true;
	}
	return false;
}

void side_free(struct side *s)
{
	while (s->n)
		side_drop_last(s);
	free(s->at);
	*s = (struct side){0};
}
