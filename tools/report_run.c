// SPDX-License-Identifier: MIT
/* Who ran, what is to be thought of it, and what of it arrived: the report's first words. */
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "mem.h"
#include "report.h"

#define SAID_MOST   20 /* things of one kind that are wrong */
#define SAID_SHORT  3  /* the same of a run without details */
#define CHECKS_MOST 400
#define TEXTS_MOST  200 /* lines of the log's own summary */

/* ---- the verdict */

static const char *trust_class(const struct run *r)
{
	if (r->state != RUN_COMPLETE || !*r->trust || !strcmp(r->trust, "BAD"))
		return "bad";
	if (!strcmp(r->trust, "GOOD"))
		return "good";
	return strcmp(r->trust, "DEGRADED") ? "unknown" : "warn";
}

static bool begins(const char *at, const char *word)
{
	return !strncmp(at, word, strlen(word));
}

/*
 * Reasons are joined by "; ", which a reason may hold too. The words are those of README "TRUST";
 * all others begin with the name of a check.
 */
static bool reason_begins(const struct run *r, const char *at)
{
	static const char *const words[] = {"emulated", "interrupts were on",
					    "number of CPUs not known", "gaps watched "};
	static const char *const ends[] = {" CPUs measured", " not checked", " checks not kept"};
	const char *end = strchr(at, ';');
	size_t n = end ? (size_t)(end - at) : strlen(at);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (begins(at, words[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (n > strlen(ends[i]) &&
		    !memcmp(at + n - strlen(ends[i]), ends[i], strlen(ends[i])))
			return true;
	for (size_t i = 0; i < r->n_checks; i++) {
		size_t len = strlen(r->checks[i].check.name);

		if (len && !strncmp(at, r->checks[i].check.name, len) &&
		    (at[len] == ':' || at[len] == ' '))
			return true;
	}
	return false;
}

/* The next reason, or false. *at starts as the reasons. */
static bool reason_next(const struct run *r, const char **at, const char **reason, size_t *n)
{
	const char *end = *at;

	if (!*end)
		return false;
	*reason = *at;
	while ((end = strstr(end, "; ")) != NULL) {
		end += 2;
		if (reason_begins(r, end))
			break;
	}
	*n = end ? (size_t)(end - 2 - *at) : strlen(*at);
	*at = end ? end : *at + *n;
	return true;
}

static void reasons_write(FILE *to, const struct run *r)
{
	const char *at = r->trust_reasons, *reason;
	size_t n;

	if (!*at)
		return;
	fputs("<ul>", to);
	while (reason_next(r, &at, &reason, &n)) {
		fputs("\n<li>", to);
		html_bytes(to, reason, n);
	}
	fputs("</ul>\n", to);
}

void report_reasons_short(FILE *to, const struct run *r)
{
	const char *at = r->trust_reasons, *reason, *between = "";
	size_t n;

	while (reason_next(r, &at, &reason, &n)) {
		const char *colon = memchr(reason, ':', n);

		fputs(between, to);
		html_bytes(to, reason, colon ? (size_t)(colon - reason) : n);
		between = ", ";
	}
}

/* The kernel's advice is text: lines that begin with this. */
static const char advice[] = "DO       ";

static bool is_advice(const struct run_text *t)
{
	return t->n > sizeof(advice) - 1 && begins(t->at, advice);
}

static void advice_write(struct report *rep, const struct run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_texts; i++) {
		const struct run_text *t = &r->text[i];

		if (!is_advice(t))
			continue;
		n++;
		if (n > report_room(rep, n, SAID_MOST))
			continue;
		fputs(n == 1 ? "<p>What to do:</p><ul><li>" : "<li>", rep->to);
		html_puts(rep->to, t->at + sizeof(advice) - 1);
	}
	if (n > report_room(rep, n, SAID_MOST))
		fprintf(rep->to, "<li>and %zu more", n - SAID_MOST);
	if (n)
		fputs("</ul>\n", rep->to);
}

static void use_write(FILE *to, const struct run *r)
{
	const struct run_record *rec = run_find(r, "recommend", NULL);
	const struct run_field *reason = run_field(rec, "reason");
	u64 by_default = 0;

	if (!*r->recommended)
		return;
	run_number(rec, "default", &by_default);
	fputs("<p class=use>Use method <b>", to);
	html_puts(to, r->recommended);
	fputs("</b>", to);
	if (by_default)
		fputs(" (the default: none is eligible)", to);
	if (reason && *reason->value) {
		fputs(": ", to);
		html_bytes(to, reason->value, reason->len);
	}
	fputs("</p>\n", to);
}

static void ranges_write(struct report *rep, const struct run *r, size_t most)
{
	size_t shown = report_room(rep, r->n_missing, most);

	for (size_t i = 0; i < shown; i++) {
		const struct run_range *m = &r->missing[i];

		fprintf(rep->to, i ? ", %llu" : "%llu", (ull)m->from);
		if (m->to != m->from)
			fprintf(rep->to, "\342\200\223%llu", (ull)m->to);
	}
	if (shown < r->n_missing)
		fputs(" and more", rep->to);
}

/* Returns how many suites there are a part of. */
static size_t parts_write(FILE *to, const struct run *r)
{
	size_t n = 0;

	for (int suite = 0; suite < RUN_SUITES; suite++) {
		const char *words = run_partial(r, (enum run_suite)suite);

		if (!words)
			continue;
		html_element(to, "li", "in part only: %s", words);
		n++;
	}
	return n;
}

static void missing_write(struct report *rep, const struct run *r, size_t most)
{
	FILE *to = rep->to;

	if (r->n_missing) {
		fprintf(to, "<li>%llu of %llu records missing: number ", (ull)r->missing_records,
			(ull)r->last_seq);
		ranges_write(rep, r, most);
	}
	if (!r->ended)
		fprintf(to,
			"<li>the end record is missing: the run stops after record %llu, line %llu",
			(ull)r->last_seq, (ull)r->last_line);
	if (*r->panic)
		html_element(to, "li", "the kernel stopped: %s", r->panic);
	if (!parts_write(to, r) && !r->measured)
		fputs("<li>nothing was measured, or records were switched off (records=off)", to);
}

static void problems_write(struct report *rep, const struct run *r, size_t most)
{
	size_t shown = report_room(rep, r->n_problems, most);

	for (size_t i = 0; i < shown; i++)
		html_element(rep->to, "li", "line %llu: %s", (ull)r->problem[i].line,
			     r->problem[i].text);
	if (shown < r->problems)
		fprintf(rep->to, "<li>and %llu more of the kind", (ull)r->problems - shown);
}

static void losses_write(FILE *to, const struct run *r)
{
	if (r->planned > r->n_checks)
		fprintf(to, "<li>%llu of %llu result lines are lost or damaged",
			(ull)(r->planned - r->n_checks), (ull)r->planned);
	if (r->texts_left)
		fprintf(to, "<li>%llu lines of text beyond the first %d MiB are not looked at",
			(ull)r->texts_left, RUN_TEXT_MIB);
	if (r->bad_samples)
		fprintf(to, "<li>%llu trace lines are damaged, the first is line %llu",
			(ull)r->bad_samples, (ull)r->bad_sample_line);
}

static void contradictions_write(struct report *rep, const struct recomputed *re, size_t most)
{
	size_t shown = report_room(rep, re->n, most);

	for (size_t i = 0; i < shown; i++)
		html_element(rep->to, "li", "line %llu: %s", (ull)re->at[i].line, re->at[i].words);
	if (shown < re->contradictions)
		fprintf(rep->to, "<li>and %llu more figures", (ull)re->contradictions - shown);
}

static bool is_whole(const struct report_run *rr)
{
	const struct run *r = rr->run;

	return r->state == RUN_COMPLETE && r->measured && r->planned <= r->n_checks &&
	       !r->bad_samples && !r->texts_left && !rr->re.contradictions;
}

static void state_write(struct report *rep, const struct report_run *rr, size_t most)
{
	const struct run *r = rr->run;
	FILE *to = rep->to;

	if (is_whole(rr))
		return;
	fprintf(to, "<p><b class=t-bad>The log is %s.</b></p><ul>\n",
		r->state == RUN_COMPLETE ? "complete, but" : run_state_name(r->state));
	missing_write(rep, r, most);
	problems_write(rep, r, most);
	losses_write(to, r);
	contradictions_write(rep, &rr->re, most);
	fputs("</ul>\n", to);
}

static void result_write(FILE *to, const struct run *r)
{
	u64 bad = 0;

	for (size_t i = 0; i < r->n_checks; i++)
		bad += !r->checks[i].ok;
	if (!r->ended)
		return;
	fprintf(to, "<p>Result: <b class=t-%s>%s</b>", r->pass ? "good" : "bad",
		r->pass ? "pass" : "fail");
	fprintf(to, ", %llu of %zu checks not ok.</p>\n", (ull)bad, r->n_checks);
}

void report_verdict(struct report *rep, const struct report_run *rr, bool detailed)
{
	const struct run *r = rr->run;
	FILE *to = rep->to;

	fprintf(to, "<div class=\"card verdict %s\">\n<p class=big>", trust_class(r));
	if (*r->trust) {
		fprintf(to, "TRUST: <span class=t-%s>", trust_class(r));
		html_puts(to, r->trust);
		fputs("</span></p>\n", to);
	} else {
		fputs("<span class=t-bad>No verdict arrived</span></p>\n", to);
	}
	if (rr->emulated)
		fputs("<p>An emulator\342\200\231s numbers: marked, and not judged.</p>\n", to);
	state_write(rep, rr, detailed ? SAID_MOST : SAID_SHORT);
	result_write(to, r);
	reasons_write(to, r);
	advice_write(rep, r);
	use_write(to, r);
	fputs("</div>\n", to);
}

/* ---- identity */

static void pair_start(FILE *to, const char *term)
{
	html_element(to, "dt", "%s", term);
	fputs("<dd>", to);
}

/* A value that is long: over the whole width. */
static void wide_start(FILE *to, const char *term)
{
	html_element(to, "dt class=wide", "%s", term);
	fputs("<dd class=wide>", to);
}

static void clock_write(FILE *to, const struct run *r)
{
	const struct run_field *source = run_field(run_find(r, "tsc", NULL), "source");

	pair_start(to, "TSC");
	if (r->tsc_khz)
		html_say(to, "%llu kHz (%s), ", (ull)r->tsc_khz,
			 source ? source->value : "source not known");
	else
		fputs("frequency not known, ", to);
	fputs(r->tsc_trusted ? "trusted" : "UNTRUSTED", to);
	if (r->step)
		fprintf(to, "; step %llu tick%s", (ull)r->step, plural(r->step));
	fputs("</dd>\n", to);
}

static void candidate_write(FILE *to, const struct run_record *rec, const char *between)
{
	const struct run_field *source = run_field(rec, "source");
	const struct run_field *state = run_field(rec, "state");
	u64 khz = 0;

	html_say(to, "%s%s %s", between, source->value, state->value);
	if (run_number(rec, "khz", &khz) && khz)
		fprintf(to, " %llu kHz", (ull)khz);
}

static void candidates_write(struct report *rep, const struct run *r)
{
	const struct run_record *rec = NULL;
	size_t n = 0;

	while ((rec = run_find(r, "clock", rec)) != NULL) {
		if (!run_field(rec, "source") || !run_field(rec, "state"))
			continue;
		n++;
		if (n == 1)
			wide_start(rep->to, "TSC candidates");
		if (n <= report_room(rep, n, SAID_MOST))
			candidate_write(rep->to, rec, n > 1 ? ", " : "");
	}
	if (n > report_room(rep, n, SAID_MOST))
		fprintf(rep->to, " and %zu more", n - SAID_MOST);
	if (n)
		fputs("</dd>\n", rep->to);
}

static void cpu_write(FILE *to, const struct run *r)
{
	const struct run_identity *id = &r->id;

	pair_start(to, "CPU");
	html_say(to, "%s%s%s %s", id->brand, *id->brand ? ", " : "", id->vendor, id->signature);
	if (*id->core_type && strcmp(id->core_type, "0") != 0)
		html_say(to, ", core type %s", id->core_type);
	fputs("</dd>\n", to);
}

static void covers_write(FILE *to, const struct recomputed *re)
{
	wide_start(to, "figures");
	fprintf(to,
		"%zu: %llu recomputed from raw data, %llu said twice and equal, %llu within limits "
		"that follow from others, %llu with nothing to hold them against; %llu "
		"contradicted</dd>\n",
		re->n_figures, (ull)re->count[COVER_EXACT], (ull)re->count[COVER_CONFIRMED],
		(ull)re->count[COVER_BOUNDED], (ull)re->count[COVER_NONE], (ull)re->contradictions);
}

void report_identity(struct report *rep, const struct report_run *rr)
{
	const struct run_identity *id = &rr->run->id;
	FILE *to = rep->to;

	fputs("<h3>Identity</h3>\n<dl class=\"card two\">\n", to);
	html_pair(to, "label", id->label);
	cpu_write(to, rr->run);
	html_pair(to, "microcode", id->microcode);
	html_pair(to, "hypervisor", strcmp(id->hypervisor, "none") ? id->hypervisor : "");
	html_pair(to, "emulated", rr->emulated ? id->emulated : "");
	clock_write(to, rr->run);
	html_pair(to, "board", id->board);
	html_pair(to, "firmware", id->firmware);
	html_pair(to, "serial", id->serial);
	html_pair(to, "UUID", id->uuid);
	html_pair(to, "boot", id->boot);
	html_pair(to, "loader", id->loader);
	html_pair(to, "date", id->rtc);
	html_pair(to, "profile", id->profile);
	html_pair(to, "options given", id->options);
	html_pair(to, "build", id->build);
	html_pair(to, "measured code", id->code);
	html_pair(to, "run", id->run);
	html_pair(to, "log", log_name(rr->path));
	candidates_write(rep, rr->run);
	covers_write(to, &rr->re);
	fputs("</dl>\n", to);
}

/* ---- checks */

static const char *const status_name[] = {"ok", "skipped", "unstable", "failed", "error"};
static const char *const status_class[] = {"good", "unknown", "warn", "bad", "bad"};

static void check_row(FILE *to, const struct run_check *c)
{
	fprintf(to, "<tr><td class=\"w t-%s\">%s</td>", status_class[c->check.status],
		status_name[c->check.status]);
	html_element(to, "td class=w", "%s", c->check.name);
	html_element(to, "td class=r", "%s", c->check.reason);
	fputs("</tr>\n", to);
}

/* Worst first, else in the order of the log. */
void report_checks(struct report *rep, const struct run *r)
{
	size_t count[STATUS_ERROR + 1] = {0}, left = report_room(rep, r->n_checks, CHECKS_MOST);
	const char *between = "";
	FILE *to = rep->to;

	if (!r->n_checks)
		return;
	for (size_t i = 0; i < r->n_checks; i++)
		count[r->checks[i].check.status]++;
	fprintf(to, "<details><summary>%zu checks: ", r->n_checks);
	for (int s = STATUS_ERROR; s >= STATUS_OK; s--) {
		if (!count[s])
			continue;
		fprintf(to, "%s%zu %s", between, count[s], status_name[s]);
		between = ", ";
	}
	fputs("</summary>\n", to);
	if (left < r->n_checks)
		report_cut(rep, "%zu of %zu checks, the worst ones", left, r->n_checks);
	fputs("<div class=scroll><table><tbody>\n", to);
	for (int s = STATUS_ERROR; s >= STATUS_OK; s--)
		for (size_t i = 0; i < r->n_checks && left; i++)
			if (r->checks[i].check.status == (enum status)s) {
				check_row(to, &r->checks[i]);
				left--;
			}
	fputs("</tbody></table></div></details>\n", to);
}

void report_summary(struct report *rep, const struct run *r)
{
	static const char head[] = "== summary ==";
	size_t from = 0, n, shown;

	while (from < r->n_texts && !bytes_are(r->text[from].at, r->text[from].n, head))
		from++;
	if (from == r->n_texts)
		return;
	n = r->n_texts - from - 1;
	shown = report_room(rep, n, TEXTS_MOST);
	fputs("<details><summary>The log\342\200\231s own summary</summary>"
	      "<p class=note>Text of the log, without a checksum.</p>\n",
	      rep->to);
	if (shown < n)
		report_cut(rep, "the first %zu of %zu lines", shown, n);
	fputs("<pre>", rep->to);
	for (size_t i = from + 1; i <= from + shown; i++) {
		html_bytes(rep->to, r->text[i].at, r->text[i].n);
		fputc('\n', rep->to);
	}
	fputs("</pre></details>\n", rep->to);
}
