/* SPDX-License-Identifier: MIT */
/*
 * Reads a serial log a line at a time and says of each run in it whether it is whole: the sequence
 * from `type=begin` to `type=end`, what is missing, what is corrupt. Byte-oriented; bytes around
 * records are ignored.
 */
#ifndef RUNLOG_H
#define RUNLOG_H

#include "record.h"
#include "types.h"

/* A copy of a record counts as a duplicate when at most this many sequence numbers came between. */
#define RUNLOG_RECENT 32

/* What a line did to the log's runs. */
enum runlog_event {
	RUNLOG_TEXT,  /* no marker in it */
	RUNLOG_BAD,   /* a marker and no valid record */
	RUNLOG_AGAIN, /* a duplicate: changes nothing */
	RUNLOG_LATE,  /* belongs before records that are here already, and was counted missing */
	RUNLOG_BEGIN, /* a run begins with it */
	RUNLOG_LOST_BEGIN, /* so it does, and the begin record, at least, did not arrive */
	RUNLOG_NEXT,	   /* goes on with the run */
};

struct runlog_seen {
	u64 seq; /* 0: nothing yet */
	u32 crc;
};

struct runlog {
	u64 lines;
	u64 runs;	/* begin records seen */
	u64 complete;	/* runs whose end record arrived with every record before it */
	u64 records;	/* valid records, duplicates left out */
	u64 missing;	/* sequence numbers that did not arrive, as far as a later record tells */
	u64 duplicates; /* valid records seen again: same sequence number, same bytes */
	u64 corrupt;	/* lines with a marker and no valid record */
	u64 first_bad;	/* line number of the first corrupt or out-of-sequence line, 0 for none */
	u64 next_seq;	/* expected next, 0 outside a run */
	bool intact;	/* the run so far has its begin and every record since */
	struct runlog_seen recent[RUNLOG_RECENT]; /* by seq modulo RUNLOG_RECENT */

	enum runlog_event event; /* of the last line */
	u64 skipped;		 /* sequence numbers that are missing right before its record */
};

void runlog_init(struct runlog *l);

/* One line without its '\n'. Returns the parse status; *v is valid for RECORD_OK. */
enum record_status runlog_line(struct runlog *l, const char *line, size_t n, struct record_view *v);

/*
 * After the last line: at least one run, each complete, nothing missing, corrupt or out of
 * sequence. A run is known by its begin record alone: records of two runs are told apart by their
 * sequence.
 */
bool runlog_whole(const struct runlog *l);

#endif
