// SPDX-License-Identifier: MIT
/*
 * Reads runs from a serial log: finds the records in whatever surrounds them, follows their
 * sequence, and keeps what lines are for people. See run.h.
 */
#include "run_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "mem.h"
#include "number.h"
#include "runlog.h"
#include "trace.h"

#define MARKER	     "@bt "
#define MARKER_LEN   4
#define CRC_MARK     " crc="
#define CRC_MARK_LEN 5
#define CRC_DIGITS   8
#define CHUNK_FIRST  1024 /* a reset loop makes many runs that are almost empty */
#define CHUNK	     65536
#define TEXT_MAX     1024 /* of a line for people */
#define TEXTS_MAX    ((u64)RUN_TEXT_MIB << 20)
#define STRAYS_KEPT  64
#define CHECKS_MAX   4096 /* result lines; and events: a real run has dozens */
#define EVENTS_MAX   1024
#define PANIC_MARK   "baretick: PANIC: "
#define UNIT_MARK    "# baretick unit="

/* ---- memory */

struct run_heap {
	struct run_heap *next;
	size_t used, cap;
	char bytes[] __attribute__((aligned(16)));
};

void *run_alloc(struct run *r, size_t n)
{
	struct run_heap *h = r->heap;
	char *at;

	n = (n + 15) & ~(size_t)15;
	if (!h || h->cap - h->used < n) {
		size_t cap = !h ? CHUNK_FIRST : h->cap < CHUNK / 2 ? h->cap * 2 : CHUNK;

		if (n > cap / 2)
			cap = n;

		h = must(malloc(sizeof(*h) + cap));
		*h = (struct run_heap){.next = r->heap, .cap = cap};
		r->heap = h;
	}
	at = h->bytes + h->used;
	h->used += n;
	return memset(at, 0, n);
}

const char *run_copy(struct run *r, const char *bytes, size_t n)
{
	char *copy = run_alloc(r, n + 1);

	if (n)
		memcpy(copy, bytes, n);
	return copy;
}

void *vector_room(void *at, size_t n, size_t size)
{
	if (n == 0)
		return must(realloc(at, 8 * size));
	if (n < 8 || (n & (n - 1)))
		return at;
	return must(realloc(at, 2 * n * size));
}

void run_free(struct run *r)
{
	while (r->heap) {
		struct run_heap *next = r->heap->next;

		free(r->heap);
		r->heap = next;
	}
	for (size_t i = 0; i < r->n_hists; i++)
		free(r->hist[i].bin);
	for (size_t i = 0; i < r->n_lines; i++)
		free(r->lines[i].at);
	free(r->missing);
	free(r->problem);
	free(r->record);
	free(r->checks);
	free(r->series);
	free(r->series_by_name);
	free(r->hist);
	free(r->hist_by_name);
	free(r->lines);
	free(r->lines_by_name);
	free(r->xcell);
	free(r->gaps.list);
	free(r->sample);
	free(r->events);
	free(r->text);
	free(r);
}

/* ---- what is wrong */

void run_problem_add(struct run *r, u64 line, u64 seq, const char *format, ...)
{
	struct run_problem *p;
	char bytes[300];
	va_list args;
	int n;

	if (r->problems++ >= RUN_PROBLEMS)
		return;
	va_start(args, format);
	n = vsnprintf(bytes, sizeof(bytes), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(bytes))
		n = sizeof(bytes) - 1;
	p = VECTOR_ADD(r->problem, r->n_problems);
	*p = (struct run_problem){line, seq, run_copy(r, bytes, (size_t)n)};
}

/* Ranges come in ascending order: sequence numbers only grow, but for the late ones. */
static void missing_add(struct run *r, u64 from, u64 to)
{
	*VECTOR_ADD(r->missing, r->n_missing) = (struct run_range){from, to};
}

/* A record that was given up came after all. */
static void missing_remove(struct run *r, u64 seq)
{
	for (size_t i = r->n_missing; i-- > 0;) {
		struct run_range *m = &r->missing[i];

		if (seq < m->from || seq > m->to)
			continue;
		if (m->from == m->to) {
			memmove(m, m + 1, (--r->n_missing - i) * sizeof(*m));
		} else if (seq == m->from) {
			m->from++;
		} else if (seq == m->to) {
			m->to--;
		} else {
			struct run_range rest = {seq + 1, m->to};

			m->to = seq - 1;
			r->missing = vector_room(r->missing, r->n_missing, sizeof(*r->missing));
			m = &r->missing[i + 1];
			memmove(m + 1, m, (r->n_missing++ - i - 1) * sizeof(*m));
			*m = rest;
		}
		return;
	}
}

const char *run_state_name(enum run_state s)
{
	static const char *const names[] = {"complete", "incomplete", "corrupt"};

	return names[s];
}

/* ---- the reader */

struct run_reader {
	run_done *done;
	void *ctx;
	struct run *run; /* NULL between runs */
	struct runlog log;
	struct trace trace;
	struct run_totals totals;
	u64 stray[STRAYS_KEPT]; /* lines since the last run ended, with no run to belong to */
	size_t n_strays;
	char *plain; /* a line without its NULs */
	size_t plain_cap;
	bool ktap;     /* a plan was seen */
	bool last_cut; /* the last line holds a record without an end */
	struct record_view view;
};

struct run_reader *run_reader_new(run_done *done, void *ctx)
{
	struct run_reader *rd = must(calloc(1, sizeof(*rd)));
	const struct trace_rules rules = {.keep_noise = true};

	rd->done = done;
	rd->ctx = ctx;
	runlog_init(&rd->log);
	trace_start(&rd->trace, &rules);
	return rd;
}

static void run_open(struct run_reader *rd)
{
	const struct trace_rules rules = {.keep_noise = true};
	struct run *r = must(calloc(1, sizeof(*r)));

	r->first_line = r->last_line = rd->totals.lines;
	r->panic = r->trust = r->trust_reasons = r->recommended = "";
	rd->run = r;
	rd->ktap = false;
	trace_start(&rd->trace, &rules);
	rd->totals.runs++;
}

static void run_judge(struct run *r)
{
	for (size_t i = 0; i < r->n_missing; i++)
		r->missing_records += r->missing[i].to - r->missing[i].from + 1;
	if (r->problems > r->cut)
		r->state = RUN_CORRUPT;
	else if (r->n_missing || !r->ended)
		r->state = RUN_INCOMPLETE;
	else
		r->state = RUN_COMPLETE;
}

static void run_close(struct run_reader *rd)
{
	struct run *r = rd->run;

	if (!r)
		return;
	rd->run = NULL;
	rd->n_strays = 0;
	run_results_finish(r);
	run_judge(r);
	rd->totals.complete += r->state == RUN_COMPLETE;
	rd->totals.incomplete += r->state == RUN_INCOMPLETE;
	rd->totals.corrupt += r->state == RUN_CORRUPT;
	rd->done(rd->ctx, r);
}

static const char *status_words(enum record_status s)
{
	switch (s) {
	case RECORD_CUT:
		return "a record is cut: it has no crc=";
	case RECORD_CRC:
		return "a record's CRC does not match its bytes";
	default:
		return "a record is torn";
	}
}

/* A begin record that was lost takes with it what damaged lines stood in its place. */
static void strays_take(struct run_reader *rd)
{
	for (size_t i = 0; i < rd->n_strays; i++)
		run_problem_add(rd->run, rd->stray[i], 0, "a damaged record before the first");
	rd->totals.stray -= rd->n_strays;
	if (!rd->totals.stray)
		rd->totals.stray_first = 0;
	rd->n_strays = 0;
}

static void line_bad(struct run_reader *rd, const char *words)
{
	u64 line = rd->totals.lines;

	if (rd->run) {
		run_problem_add(rd->run, line, 0, "%s", words);
		return;
	}
	if (rd->totals.stray++ == 0)
		rd->totals.stray_first = line;
	if (rd->n_strays < STRAYS_KEPT)
		rd->stray[rd->n_strays++] = line;
}

static void field_copy(struct run *r, const struct record_field *f, struct run_field *to)
{
	char *value = run_alloc(r, f->raw_len + 1);
	int n = record_value(f, value, f->raw_len);

	to->key = run_copy(r, f->key, f->key_len);
	to->value = value;
	to->len = n < 0 ? 0 : (size_t)n;
	value[to->len] = '\0';
}

static struct run_record *record_copy(struct run *r, const struct record_view *v, u64 line)
{
	struct run_record *rec = VECTOR_ADD(r->record, r->n_records);

	*rec = (struct run_record){
		.seq = v->seq,
		.line = line,
		.type = run_copy(r, v->type, v->type_len),
		.n = v->n_fields,
		.field = run_alloc(r, v->n_fields * sizeof(struct run_field)),
	};
	for (size_t i = 0; i < v->n_fields; i++)
		field_copy(r, &v->field[i], &rec->field[i]);
	return rec;
}

static void end_take(struct run *r, const struct run_record *rec)
{
	const struct run_field *result = run_field(rec, "result");
	u64 records;

	r->ended = true;
	if (!run_number(rec, "records", &records) || records != rec->seq)
		run_problem_add(r, rec->line, rec->seq,
				"the end record is number %llu, but says records=%s",
				(unsigned long long)rec->seq,
				run_field(rec, "records") ? run_field(rec, "records")->value : "");
	if (result && !strcmp(result->value, "pass"))
		r->pass = true;
	else if (!result || strcmp(result->value, "fail"))
		run_problem_add(r, rec->line, rec->seq, "result=%s: expected pass or fail",
				result ? result->value : "");
}

static void begin_take(struct run *r, const struct run_record *rec)
{
	if (rec->seq != 1)
		run_problem_add(r, rec->line, rec->seq, "a begin record is number %llu, not 1",
				(unsigned long long)rec->seq);
	if (!run_number(rec, "schema", &r->schema) || r->schema != RUN_SCHEMA)
		run_problem_add(r, rec->line, rec->seq,
				"schema=%s: this ticklog understands schema %u",
				run_field(rec, "schema") ? run_field(rec, "schema")->value : "",
				RUN_SCHEMA);
}

/* Which of two values counts nobody can tell; and no text that is sent holds a NUL. */
static void fields_check(struct run *r, const struct run_record *rec)
{
	for (size_t i = 0; i < rec->n; i++) {
		const struct run_field *f = &rec->field[i];

		if (run_field(rec, f->key) != f)
			run_problem_add(r, rec->line, rec->seq, "type=%s has the key %s twice",
					rec->type, f->key);
		if (strlen(f->value) != f->len)
			run_problem_add(r, rec->line, rec->seq,
					"record %llu, type=%s: %s= holds a NUL byte",
					(unsigned long long)rec->seq, rec->type, f->key);
	}
}

static void record_take(struct run_reader *rd, const struct record_view *v)
{
	struct run *r = rd->run;
	const struct run_record *rec = record_copy(r, v, rd->totals.lines);

	rd->totals.records++;
	if (rec->seq > r->last_seq)
		r->last_seq = rec->seq;
	fields_check(r, rec);
	if (rec->seq == 1 && strcmp(rec->type, "begin"))
		run_problem_add(r, rec->line, 1, "the first record is type=%s, not begin",
				rec->type);
	if (!strcmp(rec->type, "begin"))
		begin_take(r, rec);
	else if (!strcmp(rec->type, "end"))
		end_take(r, rec);
	else
		run_result_take(r, rec, v);
	if (r->ended)
		run_close(rd);
}

static void duplicate_count(struct run_reader *rd)
{
	rd->totals.duplicates++;
	if (rd->run)
		rd->run->duplicates++;
}

static void record_late(struct run_reader *rd, const struct record_view *v)
{
	missing_remove(rd->run, v->seq);
	run_problem_add(rd->run, rd->totals.lines, v->seq, "record %llu came out of order",
			(unsigned long long)v->seq);
	record_take(rd, v);
}

/* A record of the sequence, after what the follower says of it. */
static void record_follow(struct run_reader *rd, const struct record_view *v)
{
	const struct runlog *l = &rd->log;

	if (l->event == RUNLOG_BEGIN || l->event == RUNLOG_LOST_BEGIN || !rd->run) {
		bool lost = l->event != RUNLOG_BEGIN;
		size_t strays = rd->run ? 0 : rd->n_strays;

		if (rd->run)
			rd->run->last_line = rd->totals.lines - 1;
		run_close(rd);
		run_open(rd);
		rd->n_strays = strays;
		if (lost)
			strays_take(rd);
	}
	if (l->skipped)
		missing_add(rd->run, v->seq - l->skipped, v->seq - 1);
	record_take(rd, v);
}

/* From a marker to the next, or to a line end of any kind. */
static void segment_take(struct run_reader *rd, const char *at, size_t n)
{
	enum record_status s = runlog_line(&rd->log, at, n, &rd->view);

	switch (rd->log.event) {
	case RUNLOG_TEXT:
		break;
	case RUNLOG_BAD:
		line_bad(rd, status_words(s));
		rd->last_cut = s == RECORD_CUT;
		break;
	case RUNLOG_AGAIN:
		duplicate_count(rd);
		break;
	case RUNLOG_LATE:
		if (rd->run) {
			record_late(rd, &rd->view);
			break;
		}
		/* fall through */
	default:
		record_follow(rd, &rd->view);
	}
}

static const char *marker_find(const char *at, const char *end)
{
	return memmem(at, (size_t)(end - at), MARKER, MARKER_LEN);
}

static size_t control_span(const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && at[i] != '\r' && at[i] != '\033')
		i++;
	return i;
}

/* Up to the CRC: where a line end was lost, text runs into the record. */
static size_t record_span(const char *at, size_t n)
{
	const char *crc = memmem(at, n, CRC_MARK, CRC_MARK_LEN);
	size_t span = crc ? (size_t)(crc - at) + CRC_MARK_LEN + CRC_DIGITS : n;

	return span < n ? span : n;
}

/*
 * No record holds a bare marker, a line end or an escape: each ends one, whatever was lost. Nor
 * does a value hold what its CRC begins with.
 */
static void segments_take(struct run_reader *rd, const char *at, const char *end)
{
	while (at && at < end) {
		const char *next = marker_find(at + MARKER_LEN, end);
		const char *stop = next ? next : end;

		segment_take(rd, at, record_span(at, control_span(at, (size_t)(stop - at))));
		at = next;
	}
}

/* ---- lines for people */

/* Bytes of the terminal's command at at[0], which is ESC. */
static size_t escape_length(const char *at, size_t n)
{
	size_t i = 2;

	if (n < 2 || at[1] != '[')
		return n < 2 ? n : 2;
	while (i < n && (at[i] < '@' || at[i] > '~'))
		i++;
	return i < n ? i + 1 : n;
}

/* Without escapes and control bytes; returns the length, or 0 when it is longer than a line is. */
static size_t text_clean(const char *line, size_t n, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		if (line[i] == '\033') {
			i += escape_length(line + i, n - i);
			continue;
		}
		if ((unsigned char)line[i] >= ' ' && line[i] != 0x7f) {
			if (len == TEXT_MAX)
				return 0;
			out[len++] = line[i];
		}
		i++;
	}
	return len;
}

static bool begins(const char *text, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n >= len && !memcmp(text, word, len);
}

static u32 event_index(struct run *r, const char *name, size_t n)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (bytes_are(name, n, r->events[i]))
			return (u32)i;
	*VECTOR_ADD(r->events, r->n_events) = run_copy(r, name, n);
	return (u32)(r->n_events - 1);
}

/* The follower of traces gets the bytes as they are: it has its own way with line ends. */
static bool trace_take(struct run_reader *rd, const char *line, size_t n)
{
	const size_t prefix = sizeof(RUN_EVENT_PREFIX) - 1;
	const struct trace_sample *s = &rd->trace.sample;
	struct run *r = rd->run;
	enum trace_kind kind;

	if (!memmem(line, n, UNIT_MARK, sizeof(UNIT_MARK) - 1) &&
	    (!memmem(line, n, TRACE_PREFIX, sizeof(TRACE_PREFIX) - 1) ||
	     !memmem(line, n, "latency:", 8)))
		return false;
	kind = trace_line(&rd->trace, line, n);
	if (kind == TRACE_SAMPLE && s->name_len > prefix && rd->trace.unit.ticks &&
	    r->n_events < EVENTS_MAX) {
		u32 event = event_index(r, s->name + prefix, s->name_len - prefix);

		*VECTOR_ADD(r->sample, r->n_samples) = (struct run_sample){
			rd->totals.lines, event, s->latency, s->rfbm, s->xinuse};
	} else if (kind == TRACE_SAMPLE || kind >= TRACE_FIRST_REASON) {
		if (r->bad_samples++ == 0)
			r->bad_sample_line = rd->totals.lines;
	}
	return kind == TRACE_SAMPLE || kind == TRACE_UNIT || kind >= TRACE_FIRST_REASON;
}

static bool plan_take(struct run_reader *rd, const char *text, size_t n)
{
	u64 planned;

	if (!begins(text, n, "1..") || !number_decimal(text + 3, n - 3, &planned) || !planned)
		return false;
	rd->ktap = true;
	rd->run->planned = planned;
	return true;
}

static bool check_take(struct run_reader *rd, const char *text, size_t n)
{
	struct run *r = rd->run;
	struct run_check c = {.line = rd->totals.lines};
	u64 number;

	if (!rd->ktap || !verdict_ktap_parse(text, n, &c.ok, &number, &c.check))
		return false;
	if (number > r->planned || r->n_checks == CHECKS_MAX)
		return false;
	/* An echo, or a line of another list. */
	for (size_t i = 0; i < r->n_checks; i++)
		if (!strcmp(r->checks[i].check.name, c.check.name))
			return true;
	*VECTOR_ADD(r->checks, r->n_checks) = c;
	return true;
}

/* A record that lost its marker still ends like one. */
static bool is_headless(const char *text, size_t n)
{
	const size_t tail = sizeof(" crc=12345678") - 1;

	if (n < tail || memcmp(text + n - tail, " crc=", 5) ||
	    !memmem(text, n, " type=", sizeof(" type=") - 1))
		return false;
	return strspn(text + n - tail + 5, "0123456789ABCDEF") >= 8;
}

/* After a run that was cut a machine may print for days: what is kept has a bound. */
static void text_keep(struct run_reader *rd, const char *text, size_t n)
{
	struct run *r = rd->run;
	const u64 cost = n + sizeof(struct run_text);

	if (cost > TEXTS_MAX - r->text_bytes) {
		r->texts_left++;
		return;
	}
	r->text_bytes += cost;
	*VECTOR_ADD(r->text, r->n_texts) =
		(struct run_text){rd->totals.lines, run_copy(r, text, n), n};
}

static void text_take(struct run_reader *rd, const char *line, size_t n)
{
	char text[TEXT_MAX + 1];
	size_t len;

	if (!rd->run || trace_take(rd, line, n))
		return;
	len = text_clean(line, n, text);
	text[len] = '\0';
	if (len == 0)
		return;
	if (is_headless(text, len)) {
		line_bad(rd, "a record without its marker");
		return;
	}
	if (begins(text, len, PANIC_MARK) && !*rd->run->panic)
		rd->run->panic = run_copy(rd->run, text + sizeof(PANIC_MARK) - 1,
					  len - (sizeof(PANIC_MARK) - 1));
	if (!plan_take(rd, text, len) && !check_take(rd, text, len))
		text_keep(rd, text, len);
}

static const char *nuls_drop(struct run_reader *rd, const char *line, size_t *n)
{
	if (*n == 0 || !memchr(line, '\0', *n))
		return line;
	if (rd->plain_cap < *n) {
		rd->plain = must(realloc(rd->plain, *n));
		rd->plain_cap = *n;
	}
	*n = input_plain(rd->plain, line, *n);
	return rd->plain;
}

void run_reader_line(struct run_reader *rd, const char *line, size_t n)
{
	const char *marker;

	rd->totals.bytes += n + 1;
	line = nuls_drop(rd, line, &n);
	marker = marker_find(line, line + n);
	rd->totals.lines++;
	if (rd->run)
		rd->run->last_line = rd->totals.lines;
	rd->last_cut = false;
	if (marker)
		segments_take(rd, marker, line + n);
	else
		text_take(rd, line, n);
}

void run_reader_end(struct run_reader *rd, struct run_totals *totals)
{
	if (rd->run)
		rd->run->cut = rd->last_cut;
	run_close(rd);
	*totals = rd->totals;
	free(rd->plain);
	free(rd);
}

/* ---- whole files */

bool run_read_each(const struct command *c, const char *path, run_done *done, void *ctx,
		   struct run_totals *totals)
{
	struct run_reader *rd;
	struct input in;
	const char *line;
	size_t n;

	*totals = (struct run_totals){0};
	if (!input_open(&in, c, path))
		return false;
	rd = run_reader_new(done, ctx);
	while (input_line(&in, &line, &n))
		run_reader_line(rd, line, n);
	run_reader_end(rd, totals);
	totals->cut = in.cut;
	return input_close(&in);
}

static void list_add(void *ctx, struct run *r)
{
	struct run_list *list = ctx;

	*VECTOR_ADD(list->at, list->n) = r;
}

bool run_list_read(const struct command *c, const char *path, struct run_list *out)
{
	*out = (struct run_list){0};
	return run_read_each(c, path, list_add, out, &out->totals);
}

void run_list_free(struct run_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		run_free(list->at[i]);
	free(list->at);
	*list = (struct run_list){0};
}

/* ---- access */

const struct run_record *run_find(const struct run *r, const char *type,
				  const struct run_record *after)
{
	const struct run_record *rec = after ? after + 1 : r->record;

	for (; rec < r->record + r->n_records; rec++)
		if (!strcmp(rec->type, type))
			return rec;
	return NULL;
}

const struct run_field *run_field(const struct run_record *rec, const char *key)
{
	for (size_t i = 0; rec && i < rec->n; i++)
		if (!strcmp(rec->field[i].key, key))
			return &rec->field[i];
	return NULL;
}

bool run_number(const struct run_record *rec, const char *key, u64 *value)
{
	const struct run_field *f = run_field(rec, key);

	return f && number_parse(f->value, f->len, value);
}

u64 run_tps(const struct run *r)
{
	return r->tsc_trusted && r->tsc_khz <= ~0ull / 1000 ? r->tsc_khz * 1000 : 0;
}

void run_hist_expand(const struct run_hist *h, struct hist *out)
{
	hist_init(out, h->m.base);
	out->m = h->m;
	out->below = h->below;
	for (size_t i = 0; i < h->n; i++)
		out->bin[h->bin[i].bin] += h->bin[i].count;
}
