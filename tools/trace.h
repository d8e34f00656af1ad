/* SPDX-License-Identifier: MIT */
/*
 * One line of a trace: Linux ftrace text with x86_fpu_latency_* events, as trace_pipe, trace and
 * `trace-cmd report` give it, and the trace lines of a baretick serial log. A sample is a line in
 * which an event name occurs and that ends in `latency:N RFBM:0xN XINUSE:0xN`; it belongs to the
 * first `word:` after the time stamp.
 */
#ifndef TRACE_H
#define TRACE_H

#include "types.h"

#define TRACE_NAME_MAX 255 /* bytes of an event's name */

enum trace_kind {
	TRACE_SAMPLE,
	TRACE_OTHER,  /* an event that is none of ours */
	TRACE_HEADER, /* blank, a comment, cpus=N, CPU n is empty */
	TRACE_LOST,   /* the tracer says that it lost events */
	TRACE_UNIT,   /* from here on the unit is another */
	/* From here on: a line in which an event name occurs, and why it is not used. */
	TRACE_MENTION,	 /* names an event, is none: another event's text, a table's row */
	TRACE_MALFORMED, /* does not end in the three fields, or two lines ran into each other */
	TRACE_NO_TIME,	 /* no `[CPU]`, time stamp and `word:` before the fields */
	TRACE_BAD_NAME,	 /* the word is longer than TRACE_NAME_MAX or not printable */
	TRACE_NEGATIVE,
	TRACE_OVERFLOW, /* a number is above 64 bits */
	TRACE_NO_UNIT,	/* baretick's, before any `# baretick unit=` line */
	TRACE_MIDWAY,	/* not a latency: the tracepoint was switched on midway */
	/* Only with the reference's rules. */
	TRACE_CR,	 /* a carriage return at the end */
	TRACE_UPPERCASE, /* upper-case hex */
	TRACE_FLAGS,	 /* a flag column that is neither five wide nor blank up to that */
	TRACE_LATENCY,	 /* ftrace's latency format, which has no [CPU] */
	TRACE_SHELL,	 /* a word of it does not survive the reference's shell and SQL */
	TRACE_KINDS,
};

#define TRACE_FIRST_REASON TRACE_MENTION

/* What the summary calls a reason. */
extern const char *const trace_reason[TRACE_KINDS];

struct trace_rules {
	bool reference;	      /* as the reference consumer: see reference.h */
	bool keep_noise;      /* TRACE_MIDWAY is a sample */
	const char *log_name; /* of the file, without its folder; only for the reference's rules */
};

/* A unit in which latencies are: never pooled with another. */
struct trace_unit {
	bool ticks;  /* else ns */
	u64 tsc_khz; /* of ticks; 0: not known */
};

struct trace_sample {
	const char *name; /* in the line, name_len bytes */
	size_t name_len;
	u64 latency, rfbm, xinuse;
};

struct trace {
	struct trace_rules rules;
	struct trace_unit unit; /* of the lines to come; trace_start() sets ns */
	struct trace_sample sample;
	u64 lost; /* of the last TRACE_LOST line: how many; 0 when it does not say */
};

static inline bool trace_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool trace_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline const char *trace_skip_blank(const char *p, const char *end)
{
	while (p < end && trace_is_blank(*p))
		p++;
	return p;
}

/* From p back over blanks, not beyond the line's start. */
static inline const char *trace_back_blank(const char *line, const char *p)
{
	while (p > line && trace_is_blank(p[-1]))
		p--;
	return p;
}

#define TRACE_PREFIX "x86_fpu_latency_x"

/* Steps over what the events' names start with: a fast way past plain bytes. */
static inline const char *trace_skip_prefix(const char *p, const char *end)
{
	const size_t n = sizeof(TRACE_PREFIX) - 1;

	return (size_t)(end - p) > n && !__builtin_memcmp(p, TRACE_PREFIX, n) ? p + n : p;
}

/* Before the first line of a log. */
void trace_start(struct trace *t, const struct trace_rules *rules);

/* One line without its '\n'. t->sample is valid for TRACE_SAMPLE and TRACE_MIDWAY. */
enum trace_kind trace_line(struct trace *t, const char *line, size_t n);

/* Ticks of clocks within 500 ppm of each other are the same unit. */
bool trace_unit_same(const struct trace_unit *a, const struct trace_unit *b);

#endif
