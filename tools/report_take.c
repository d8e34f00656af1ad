// SPDX-License-Identifier: MIT
/*
 * Runs on their way onto the page. Of one that will not be listed only what is said over all runs
 * is kept: a log may hold a hundred thousand.
 */
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "run_build.h"

static const struct {
	const char *term;
	size_t at;
} identity[REPORT_IDENTITY] = {
	{"label", offsetof(struct run_identity, label)},
	{"vendor", offsetof(struct run_identity, vendor)},
	{"CPU", offsetof(struct run_identity, brand)},
	{"signature", offsetof(struct run_identity, signature)},
	{"core type", offsetof(struct run_identity, core_type)},
	{"microcode", offsetof(struct run_identity, microcode)},
	{"hypervisor", offsetof(struct run_identity, hypervisor)},
	{"emulated", offsetof(struct run_identity, emulated)},
	{"board", offsetof(struct run_identity, board)},
	{"firmware", offsetof(struct run_identity, firmware)},
	{"serial", offsetof(struct run_identity, serial)},
	{"UUID", offsetof(struct run_identity, uuid)},
	{"boot", offsetof(struct run_identity, boot)},
	{"loader", offsetof(struct run_identity, loader)},
	{"profile", offsetof(struct run_identity, profile)},
	{"options given", offsetof(struct run_identity, options)},
	{"build", offsetof(struct run_identity, build)},
	{"measured code", offsetof(struct run_identity, code)},
};

const char *report_identity_term(size_t i)
{
	return identity[i].term;
}

bool run_is_emulated(const struct run *r)
{
	return *r->id.emulated && strcmp(r->id.emulated, "no") != 0;
}

static void identity_take(struct report *rep, struct report_run *rr)
{
	for (size_t i = 0; i < REPORT_IDENTITY; i++) {
		const char *const *value =
			(const char *const *)((const char *)&rr->run->id + identity[i].at);

		rr->identity[i] = words_take(&rep->words, *value);
	}
}

/* Those of one group agree in every key: their words' numbers are the same. */
static void group_find(struct report *rep, const struct party *p, struct report_run *rr)
{
	char bytes[PARTY_KEYS * 11 + 1];
	struct text t = {.at = bytes, .cap = sizeof(bytes) - 1};

	for (size_t i = 0; i < PARTY_KEYS; i++)
		fmt(&t, "%u ", words_take(&rep->words, party_key(p, i)));
	bytes[t.len] = '\0';
	rr->group = words_take(&rep->groups, bytes);
}

/* The same run may be in two logs, or twice in one. */
static void same_find(struct report *rep, const struct party *p, struct report_run *rr)
{
	char bytes[40];
	struct text t = {.at = bytes, .cap = sizeof(bytes) - 1};
	u32 content;

	fmt(&t, "%u %llx", words_take(&rep->words, rr->run->id.run),
	    (unsigned long long)p->content);
	bytes[t.len] = '\0';
	content = words_take(&rep->contents, bytes);
	if (content == rep->n_first)
		*VECTOR_ADD(rep->first, rep->n_first) = rr->number;
	else
		rr->same_as = rep->first[content];
}

static void let_go(struct report_run *rr)
{
	recompute_free(&rr->re);
	side_free(&rr->own);
	rr->run = NULL;
}

/* The last ones are listed, and any that has all its details. */
static size_t listed_most(const struct report *rep)
{
	return rep->detailed > REPORT_LISTED ? rep->detailed : REPORT_LISTED;
}

const struct report_run *report_take(struct report *rep, struct run *r, const char *path)
{
	struct report_run *rr = VECTOR_ADD(rep->run, rep->n);

	*rr = (struct report_run){
		.run = r,
		.path = path,
		.number = (unsigned int)rep->n,
		.emulated = run_is_emulated(r),
		.broken = r->state != RUN_COMPLETE || !r->measured,
		.trust = words_take(&rep->words, r->trust),
		.recommended = words_take(&rep->words, r->recommended),
		.stability = words_take(&rep->words, r->stability.seq ? r->stability.s.method : ""),
	};
	side_add(&rr->own, r, path, NULL);
	recompute(r, &rr->re);
	rr->contradictions = rr->re.contradictions;
	identity_take(rep, rr);
	group_find(rep, rr->own.at[0], rr);
	same_find(rep, rr->own.at[0], rr);
	courses_take(&rep->courses, (u32)rep->n - 1, r);
	if (!rep->all && rep->n > listed_most(rep))
		let_go(&rep->run[rep->n - 1 - listed_most(rep)]);
	return rr;
}

void report_free(struct report *rep)
{
	for (size_t i = 0; i < rep->n; i++)
		let_go(&rep->run[i]);
	courses_free(&rep->courses);
	words_free(&rep->words);
	words_free(&rep->groups);
	words_free(&rep->contents);
	free(rep->run);
	free(rep->first);
	free(rep->loss);
}
