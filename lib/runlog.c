// SPDX-License-Identifier: MIT
/* Follows the sequence numbers of a log's records and counts what does not fit. */
#include "runlog.h"

#include "mem.h"

void runlog_init(struct runlog *l)
{
	*l = (struct runlog){0};
}

static void line_bad(struct runlog *l)
{
	if (l->first_bad == 0)
		l->first_bad = l->lines;
}

static void run_broken(struct runlog *l)
{
	l->intact = false;
	line_bad(l);
}

static bool type_is(const struct record_view *v, const char *type)
{
	return bytes_are(v->type, v->type_len, type);
}

static struct runlog_seen *seen_slot(struct runlog *l, u64 seq)
{
	return &l->recent[seq % RUNLOG_RECENT];
}

/*
 * A begin record is an echo only right behind itself. Later it is a new run: a machine that resets
 * in a loop under a deterministic clock writes the same bytes every time.
 */
static bool is_duplicate(struct runlog *l, const struct record_view *v)
{
	const struct runlog_seen *seen = seen_slot(l, v->seq);

	if (seen->seq != v->seq || seen->crc != v->crc)
		return false;
	return !type_is(v, "begin") || l->next_seq == 2;
}

/* A gap that is still open, near enough to know that it is one. */
static bool fills_gap(struct runlog *l, u64 seq)
{
	return seq < l->next_seq && l->next_seq - seq <= RUNLOG_RECENT &&
	       seen_slot(l, seq)->seq != seq;
}

static void missing_add(struct runlog *l, u64 n)
{
	if (__builtin_add_overflow(l->missing, n, &l->missing))
		l->missing = ~0ull;
	run_broken(l);
}

static void run_begin(struct runlog *l, const struct record_view *v)
{
	if (l->next_seq != 0)
		run_broken(l);
	memset(l->recent, 0, sizeof(l->recent));
	l->runs++;
	l->event = RUNLOG_BEGIN;
	l->intact = true;
	if (v->seq != 1)
		run_broken(l);
}

/* Any record but a begin. One that steps back and is no echo is of a run whose begin was lost. */
static void run_continue(struct runlog *l, const struct record_view *v)
{
	u64 expected = l->next_seq;

	l->event = RUNLOG_NEXT;
	if (v->seq < expected || expected == 0) {
		run_broken(l);
		expected = 1;
		l->event = RUNLOG_LOST_BEGIN;
	}
	l->skipped = v->seq - expected;
	if (l->skipped)
		missing_add(l, l->skipped);
}

/* All is there in the end, but something put it in another order: that is not whole. */
static void run_late(struct runlog *l)
{
	l->event = RUNLOG_LATE;
	l->records++;
	l->missing--;
	run_broken(l);
}

static void run_end(struct runlog *l, const struct record_view *v)
{
	const struct record_field *f = record_find(v, "records");
	u64 records;

	if (!f || !record_number(f, &records) || records != v->seq)
		run_broken(l);
	if (l->intact)
		l->complete++;
	l->intact = false;
	l->next_seq = 0;
}

static void record_follow(struct runlog *l, const struct record_view *v)
{
	if (is_duplicate(l, v)) {
		l->event = RUNLOG_AGAIN;
		l->duplicates++;
		return;
	}
	if (!type_is(v, "begin") && fills_gap(l, v->seq)) {
		run_late(l);
		*seen_slot(l, v->seq) = (struct runlog_seen){v->seq, v->crc};
		return;
	}
	l->records++;
	if (type_is(v, "begin"))
		run_begin(l, v);
	else
		run_continue(l, v);
	*seen_slot(l, v->seq) = (struct runlog_seen){v->seq, v->crc};
	l->next_seq = v->seq + 1;
	if (type_is(v, "end"))
		run_end(l, v);
}

enum record_status runlog_line(struct runlog *l, const char *line, size_t n, struct record_view *v)
{
	enum record_status status;

	l->lines++;
	l->event = RUNLOG_TEXT;
	l->skipped = 0;
	status = record_parse(line, n, v);
	if (status == RECORD_OK) {
		record_follow(l, v);
	} else if (status != RECORD_NONE) {
		/* What the run lost by it, the next sequence number tells. */
		l->event = RUNLOG_BAD;
		l->corrupt++;
		line_bad(l);
	}
	return status;
}

bool runlog_whole(const struct runlog *l)
{
	return l->runs > 0 && l->complete == l->runs && l->missing == 0 && l->corrupt == 0 &&
	       l->first_bad == 0 && l->next_seq == 0;
}
