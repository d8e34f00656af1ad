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
	const char *line, *task_end; /* the task is the last word of this, before [CPU] */
	const char *time, *time_end;
	bool since_start;	     /* the time is in us since the trace began */
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

/*
 * sum / n as the reference rounds it: SQLite prints 15 significant digits, ties down, and bc rounds
 * those half up. From 1e15 on the exact average, rounded half up: such rows it loses. n not 0.
 */
u64 reference_average(u128 sum, u64 n);

#endif
