/* SPDX-License-Identifier: MIT */
/*
 * What the reference consumer of the x86_fpu_latency_* trace (a shell script with SQLite, posted
 * with the tracepoints) makes of the front of a line, for tables that are equal to its own.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "trace.h"

/* The front of a trace line: all up to the three fields. */
struct trace_front {
	const char *task, *task_end; /* what stands before [CPU], at most one word */
	const char *time, *time_end;
	const char *name, *name_end; /* its ':' is at name_end */
};

/*
 * Finds the front in the bytes [line, fields). A flag column is any five bytes and a blank, or
 * there is none. Of several fronts the leftmost counts.
 */
bool reference_front(const char *line, const char *fields, struct trace_front *f);

/*
 * Whether the words of the front reach the reference's table: they go unquoted through a shell and
 * then between double quotes into SQL. Which files a glob meets depends on the folder: taken to be
 * the reference's own database and the log.
 */
bool reference_keeps(const struct trace_front *f, const char *log_name);

#endif
