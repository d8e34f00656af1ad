/* SPDX-License-Identifier: MIT */
/* The log as it is written: text for people, records for machines, in one stream. */
#ifndef REPORT_H
#define REPORT_H

#include "machine.h"
#include "options.h"
#include "record.h"
#include "result.h"
#include "verdict.h"

struct report {
	const struct machine *machine;
	const struct options *options;
	u64 seq;        /* of the last record sent */
	u64 bytes;      /* written so far, line ends as '\n' */
	struct record record;
};

/* Text of any length up to 2 KiB a call; the caller gives the '\n'. */
void report_text(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens the report's record; fields are then added with record_*() to the returned one. */
struct record *report_record(struct report *r, const char *type);
/* Closes and sends it (not with records=off, save begin and end, which are forced). */
void report_send(struct report *r);
void report_send_forced(struct report *r);

#endif
