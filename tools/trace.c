// SPDX-License-Identifier: MIT
/* One line of a trace: see trace.h. Numbers are read from the right end, where nothing varies. */
#include "trace.h"

#include <string.h>

#include "number.h"
#include "reference.h"

/* Bounds that keep hostile lines from costing more than their length. */
#define CPU_DIGITS_MAX 8
#define FLAGS_MAX      64
#define TIME_MAX       40

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S  1000000000ull

const char *const trace_reason[TRACE_KINDS] = {
	[TRACE_MENTION] = "naming an event in other text",
	[TRACE_MALFORMED] = "malformed (not ending in latency: RFBM: XINUSE:, or two in one)",
	[TRACE_NO_TIME] = "without [CPU] and time stamp before the event",
	[TRACE_BAD_NAME] = "with an event name that is too long or not printable",
	[TRACE_NEGATIVE] = "with a negative latency",
	[TRACE_OVERFLOW] = "with a number above 64 bits",
	[TRACE_NO_UNIT] = "of baretick without a '# baretick unit=' line before",
	[TRACE_MIDWAY] = "taken while the tracepoint was switched on",
	[TRACE_CR] = "with a carriage return at the end",
	[TRACE_UPPERCASE] = "with upper-case hex",
	[TRACE_FLAGS] = "with a flag column of another width than five",
	[TRACE_LATENCY] = "in the latency format of ftrace",
	[TRACE_SHELL] = "with a task or event name that breaks the reference's shell or SQL",
};

/* 16 for what is no hexadecimal digit. */
static inline unsigned int hex_digit(char c, bool upper)
{
	unsigned int d = (unsigned int)c - '0';

	if (d < 10)
		return d;
	d = (unsigned int)(upper ? c | 0x20 : c) - 'a';
	return d < 6 ? d + 10 : 16;
}

static const char *find(const char *p, const char *end, const char *word)
{
	return p < end ? memmem(p, (size_t)(end - p), word, strlen(word)) : NULL;
}

static bool starts(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

/* Going back from p: steps over `word` if it ends there. */
static inline bool back_word(const char *line, const char **p, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(*p - line) < n || memcmp(*p - n, word, n))
		return false;
	*p -= n;
	return true;
}

/*
 * Going back from *p over 0x and hexadecimal digits. By the reference's rules these are lower case,
 * maybe none, and of more than 64 bits the low ones count.
 */
static bool back_hex(const char *line, const char **p, bool reference, u64 *value, bool *overflow)
{
	const char *q = *p;
	unsigned int shift = 0, d;
	u64 v = 0;

	for (; q > line && (d = hex_digit(q[-1], !reference)) < 16; q--, shift += 4) {
		if (shift < 64)
			v |= (u64)d << shift;
		else if (d && !reference)
			*overflow = true;
	}
	if (q - line < 2 || q[-2] != '0' || (q[-1] != 'x' && (q[-1] != 'X' || reference)))
		return false;
	if (!shift && !reference)
		return false;
	*p = q - 2;
	*value = v;
	return true;
}

/*
 * Reads the three fields that end at `end`. The reference takes a latency of any length; where it
 * is above 64 bits the row is lost to it in the end, as with the largest number here. *fields is
 * where `latency:` stands. TRACE_SAMPLE, or what is wrong.
 */
static enum trace_kind read_fields(const char *line, const char *end, bool reference,
				   struct trace_sample *s, const char **fields)
{
	bool overflow = false, negative;
	const char *p = end, *last;

	if (!back_hex(line, &p, reference, &s->xinuse, &overflow) ||
	    !back_word(line, &p, "XINUSE:"))
		return TRACE_MALFORMED;
	p = trace_back_blank(line, p);
	if (!back_hex(line, &p, reference, &s->rfbm, &overflow) || !back_word(line, &p, "RFBM:"))
		return TRACE_MALFORMED;
	p = trace_back_blank(line, p);
	for (last = p; p > line && trace_is_digit(p[-1]); p--)
		;
	if (!number_decimal(p, (size_t)(last - p), &s->latency)) {
		if (p == last)
			return TRACE_MALFORMED;
		s->latency = UINT64_MAX;
		overflow = !reference;
	}
	negative = p > line && p[-1] == '-';
	p -= negative;
	if (!back_word(line, &p, "latency:"))
		return TRACE_MALFORMED;
	*fields = p;
	return negative ? TRACE_NEGATIVE : overflow ? TRACE_OVERFLOW : TRACE_SAMPLE;
}

/* `word:` at p or behind blanks. */
static inline bool name_at(const char *p, const char *end, struct trace_front *f)
{
	const char *limit;

	f->name = p = trace_skip_blank(p, end);
	limit = end - p > TRACE_NAME_MAX ? p + TRACE_NAME_MAX + 1 : end;
	for (p = trace_skip_prefix(p, limit); p < limit && *p != ':' && !trace_is_blank(*p);)
		p++;
	f->name_end = p;
	return p > f->name && (p == limit ? p < end : *p == ':');
}

/* `TIME: word:` at p, the time in digits with at most one dot. */
static bool time_and_name(const char *p, const char *end, struct trace_front *f)
{
	const char *limit = end - p > TIME_MAX ? p + TIME_MAX : end;

	f->time = p;
	while (p < limit && trace_is_digit(*p))
		p++;
	if (p == f->time)
		return false;
	if (p < limit && *p == '.')
		for (p++; p < limit && trace_is_digit(*p);)
			p++;
	f->time_end = p;
	return p < end && *p == ':' && name_at(p + 1, end, f);
}

/* `[CPU] flags TIME: word:` with '[' at p; flags of any width or none. */
static bool front_at(const char *p, const char *end, struct trace_front *f)
{
	const char *start = ++p;

	while (p < end && p - start < CPU_DIGITS_MAX && trace_is_digit(*p))
		p++;
	if (p == start || p == end || *p != ']')
		return false;
	p = trace_skip_blank(p + 1, end);
	if (time_and_name(p, end, f))
		return true;
	for (start = p; p < end && p - start < FLAGS_MAX && !trace_is_blank(*p);)
		p++;
	return p < end && trace_is_blank(*p) && time_and_name(trace_skip_blank(p, end), end, f);
}

/*
 * `CPUflags TIMEus :` at p, as ftrace's latency format has it; a mark for long delays may stand
 * before the colon, and other clocks have no "us". Returns what is behind the colon, or NULL.
 */
static const char *late_at(const char *p, const char *end, struct trace_front *f)
{
	const char *start = p, *limit;

	while (p < end && p - start < CPU_DIGITS_MAX && trace_is_digit(*p))
		p++;
	limit = end - p > FLAGS_MAX ? p + FLAGS_MAX : end;
	for (start = p; p < limit && !trace_is_blank(*p);)
		p++;
	if (p == start || trace_is_digit(*start) || p == limit)
		return NULL;
	f->time = p = trace_skip_blank(p, end);
	limit = end - p > TIME_MAX ? p + TIME_MAX : end;
	while (p < limit && trace_is_digit(*p))
		p++;
	f->time_end = p;
	f->since_start = starts(p, end, "us");
	p += f->since_start ? 2 : 0;
	if (f->since_start && p < end && *p != ':')
		p++;
	return f->time_end > f->time && p < end && *p == ':' ? p + 1 : NULL;
}

/* The leftmost of these, which stands at the start of a word. */
static const char *find_late(const char *line, const char *end, struct trace_front *f)
{
	for (const char *p = line; p < end; p++) {
		const char *behind;

		if (!trace_is_digit(*p) || (p > line && !trace_is_blank(p[-1])))
			continue;
		behind = late_at(p, end, f);
		if (!behind)
			continue;
		f->task_end = trace_back_blank(line, p);
		return behind;
	}
	return NULL;
}

/* The leftmost front with a [CPU] in [line, end). */
static bool find_usual(const char *line, const char *end, struct trace_front *f)
{
	const char *p = line;

	f->since_start = false;
	while (p < end && (p = memchr(p, '[', (size_t)(end - p)))) {
		if (front_at(p, end, f)) {
			f->task_end = trace_back_blank(line, p);
			return true;
		}
		p++;
	}
	return false;
}

static bool find_front(const char *line, const char *end, struct trace_front *f)
{
	const char *behind;

	if (find_usual(line, end, f))
		return true;
	behind = find_late(line, end, f);
	return behind && name_at(behind, end, f);
}

static bool is_event(const char *p, const char *end)
{
	const char *rest = trace_skip_prefix(p, end);

	return rest > p && (starts(rest, end, "save") || starts(rest, end, "rstor"));
}

/* The first name of an event in the bytes, or NULL. */
static const char *find_event(const char *p, const char *end)
{
	while ((p = find(p, end, TRACE_PREFIX)) && !is_event(p, end))
		p++;
	return p;
}

static bool printable(const char *p, const char *end)
{
	for (p = trace_skip_prefix(p, end); p<end && * p> ' ' && *p < 0x7f;)
		p++;
	return p == end;
}

/* A second event between the first one's name and the fields: its line was lost or torn. */
static bool two_in_one(const char *p, const char *fields)
{
	struct trace_front f;

	/* All that usually stands there is ": x86/fpu: ". */
	return fields - p > 16 && (find(p, fields, "latency:") || find_front(p, fields, &f));
}

/* Time stamp in ns; 0 if it does not tell: other clocks count what they like, without a dot. */
static u64 time_ns(const struct trace_front *f)
{
	const char *dot = memchr(f->time, '.', (size_t)(f->time_end - f->time));
	const char *p = dot ? dot + 1 : f->time_end;
	u64 whole, ns;

	if (!number_decimal(f->time, (size_t)((dot ? dot : f->time_end) - f->time), &whole))
		return 0;
	if (f->since_start)
		return whole <= UINT64_MAX / NS_PER_US ? whole * NS_PER_US : 0;
	if (!dot)
		return whole >= NS_PER_S ? whole : 0;
	if (__builtin_mul_overflow(whole, NS_PER_S, &ns))
		return 0;
	for (u64 unit = NS_PER_S / 10; unit && p < f->time_end; unit /= 10)
		ns += unit * (u64)(*p++ - '0');
	return ns;
}

/*
 * A tracepoint that is switched on between the two readings of the clock has no first one: the
 * latency is the time since boot. No real latency is as long as 1 ms and just the time since boot,
 * nor began it before the trace did.
 */
static bool taken_midway(const struct trace *t, const struct trace_front *f)
{
	u64 latency = t->sample.latency, at;

	if (t->unit.ticks || latency < NS_PER_MS)
		return false;
	at = time_ns(f);
	if (f->since_start && latency >= at)
		return true;
	return (at > latency ? at - latency : latency - at) <= NS_PER_MS;
}

/* Which of the reference's rules a line breaks that is a sample by the tolerant ones. */
static enum trace_kind reference_reason(const char *line, const char *end)
{
	struct trace_sample s;
	struct trace_front f;
	const char *fields;

	if (end > line && end[-1] == '\r')
		return TRACE_CR;
	if (read_fields(line, end, true, &s, &fields) == TRACE_SAMPLE)
		return find_usual(line, fields, &f) ? TRACE_FLAGS : TRACE_LATENCY;
	return read_fields(line, end, false, &s, &fields) == TRACE_SAMPLE ? TRACE_UPPERCASE
									  : TRACE_MALFORMED;
}

static void set_name(struct trace_sample *s, const struct trace_front *f)
{
	s->name = f->name;
	s->name_len = (size_t)(f->name_end - f->name);
}

/* A line with the three fields: TRACE_OTHER if no event is named in it. */
static enum trace_kind front_tolerant(struct trace *t, const char *line, const char *fields)
{
	struct trace_front f;

	if (!find_front(line, fields, &f))
		return find_event(line, fields) ? TRACE_NO_TIME : TRACE_OTHER;
	if (!is_event(f.name, f.name_end) && !find_event(line, fields))
		return TRACE_OTHER;
	set_name(&t->sample, &f);
	if (t->sample.name_len > TRACE_NAME_MAX || !printable(f.name, f.name_end))
		return TRACE_BAD_NAME;
	if (two_in_one(f.name_end, fields))
		return TRACE_MALFORMED;
	if (!t->unit.ticks && back_word(line, &f.task_end, "baretick-0"))
		return TRACE_NO_UNIT;
	return !t->rules.keep_noise && taken_midway(t, &f) ? TRACE_MIDWAY : TRACE_SAMPLE;
}

/* Blanks, carriage returns and zeros that a serial line leaves behind. */
static const char *strip_end(const char *line, const char *end)
{
	while (end > line && (trace_is_blank(end[-1]) || !end[-1]))
		end--;
	return end;
}

static enum trace_kind line_tolerant(struct trace *t, const char *line, const char *end)
{
	const char *fields;
	enum trace_kind kind;

	end = strip_end(line, end);
	kind = read_fields(line, end, false, &t->sample, &fields);
	if (kind == TRACE_SAMPLE)
		return front_tolerant(t, line, fields);
	if (kind != TRACE_MALFORMED)
		return find_event(line, fields) ? kind : TRACE_OTHER;
	fields = find_event(line, end);
	if (!fields)
		return TRACE_OTHER;
	/* Only an event's own line has a ':' after its name, unless it was torn just there. */
	while (fields < end && *fields != ':' && !trace_is_blank(*fields))
		fields++;
	return fields == end || *fields == ':' ? TRACE_MALFORMED : TRACE_MENTION;
}

static enum trace_kind line_reference(struct trace *t, const char *line, const char *end)
{
	struct trace_front f;
	const char *fields;
	enum trace_kind kind = read_fields(line, end, true, &t->sample, &fields);

	if (kind == TRACE_SAMPLE && reference_front(line, fields, &f)) {
		if (!is_event(f.name, f.name_end) && !find_event(line, end))
			return TRACE_OTHER;
		set_name(&t->sample, &f);
		if (t->sample.name_len > TRACE_NAME_MAX || memchr(f.name, 0, t->sample.name_len))
			return TRACE_BAD_NAME;
		return reference_keeps(&f, t->rules.log_name) ? TRACE_SAMPLE : TRACE_SHELL;
	}
	kind = line_tolerant(t, line, end);
	return kind == TRACE_SAMPLE || kind == TRACE_MIDWAY ? reference_reason(line, end) : kind;
}

/* `N EVENTS` in [p, end) and nothing else; *lost = N, or 0 without a number. */
static bool read_count(const char *p, const char *end, const char *after, u64 *lost)
{
	const char *digits = p = trace_skip_blank(p, end);

	while (p < end && trace_is_digit(*p))
		p++;
	*lost = 0;
	if (p > digits && !number_decimal(digits, (size_t)(p - digits), lost))
		return false;
	p = trace_skip_blank(p, end);
	return starts(p, end, after) && p + strlen(after) == end;
}

/*
 * `CPU:1 [LOST 5 EVENTS]` of trace_pipe and trace, `CPU:1 [5 EVENTS DROPPED]` of trace-cmd, with
 * or without what stands around. Before it only the processor: a task can print such words too.
 */
static bool is_lost(const char *p, const char *end, u64 *lost)
{
	p = trace_skip_blank(p, end);
	if (starts(p, end, "CPU")) {
		p += 3;
		if (p < end && (*p == ':' || *p == ' '))
			p++;
		while (p < end && trace_is_digit(*p))
			p++;
		p = trace_skip_blank(p, end);
	}
	if (p < end && *p == '[' && end[-1] == ']') {
		p++;
		end--;
	}
	if (starts(p, end, "LOST"))
		return read_count(p + 4, end, "EVENTS", lost);
	return read_count(p, end, "EVENTS DROPPED", lost);
}

/* `# baretick unit=ticks tsc_khz=N`, whatever stands before it. */
static bool read_unit(const char *p, const char *end, struct trace_unit *unit)
{
	const char *digits;

	p = find(p, end, "# baretick unit=");
	if (!p)
		return false;
	p += strlen("# baretick unit=");
	if (starts(p, end, "ns") && p + 2 == end) {
		*unit = (struct trace_unit){.ticks = false};
		return true;
	}
	if (!starts(p, end, "ticks tsc_khz="))
		return false;
	p += strlen("ticks tsc_khz=");
	for (digits = p; p < end && trace_is_digit(*p);)
		p++;
	*unit = (struct trace_unit){.ticks = true};
	return p == end && number_decimal(digits, (size_t)(p - digits), &unit->tsc_khz);
}

/* Whether there is a `[CPU]`. Of a line that is only counted that is told enough. */
static bool has_cpu(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '[', (size_t)(end - p)))) {
		const char *start = ++p;

		while (p < end && trace_is_digit(*p))
			p++;
		if (p > start && p < end && *p == ']')
			return true;
	}
	return false;
}

/* A line of none of our events: what it says about the others. */
static enum trace_kind note(struct trace *t, const char *line, const char *end)
{
	const char *p;
	struct trace_unit unit;
	struct trace_front f;

	if (has_cpu(line, end) || find_late(line, end, &f))
		return TRACE_OTHER;
	p = trace_skip_blank(line, end);
	end = strip_end(p, end);
	if (is_lost(p, end, &t->lost))
		return TRACE_LOST;
	if (read_unit(p, end, &unit)) {
		t->unit = unit;
		return TRACE_UNIT;
	}
	/* A Linux trace begins here, whatever came before it in the same file. */
	if (starts(p, end, "# tracer:") || starts(p, end, "cpus="))
		t->unit = (struct trace_unit){.ticks = false};
	return TRACE_HEADER;
}

void trace_start(struct trace *t, const struct trace_rules *rules)
{
	*t = (struct trace){.rules = *rules};
}

enum trace_kind trace_line(struct trace *t, const char *line, size_t n)
{
	const char *end = line + n;
	enum trace_kind kind =
		t->rules.reference ? line_reference(t, line, end) : line_tolerant(t, line, end);

	return kind == TRACE_OTHER ? note(t, line, end) : kind;
}

bool trace_unit_same(const struct trace_unit *a, const struct trace_unit *b)
{
	u64 low = a->tsc_khz < b->tsc_khz ? a->tsc_khz : b->tsc_khz;
	u64 high = a->tsc_khz < b->tsc_khz ? b->tsc_khz : a->tsc_khz;

	if (a->ticks != b->ticks)
		return false;
	return !a->ticks || (!low && !high) || (low && high - low <= (u128)low * 500 / 1000000);
}
