// SPDX-License-Identifier: MIT
/* What a log of runs is called: whole only if it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "crc.h"
#include "draw.h"
#include "runlog.h"

#define LOG_MAX 8192

struct log {
	struct text t;
	char bytes[LOG_MAX];
};

static void log_start(struct log *l)
{
	l->t = (struct text){.at = l->bytes, .cap = LOG_MAX};
}

static void put_record(struct log *l, struct record *r, const char *line_end)
{
	size_t n = record_finish(r);

	assert_true(n > 0);
	text_bytes(&l->t, r->bytes, n);
	text_str(&l->t, line_end);
	assert_int_equal(l->t.cut, 0);
}

static void put_begin(struct log *l, u64 run)
{
	struct record r;

	record_start(&r, 1, "begin");
	record_u64(&r, "schema", 1);
	record_hex(&r, "run", run);
	put_record(l, &r, "\n");
}

static void put_step(struct log *l, u64 seq, u64 value)
{
	struct record r;

	record_start(&r, seq, "step");
	record_u64(&r, "v", value);
	put_record(l, &r, "\n");
}

static void put_end(struct log *l, u64 seq, u64 records)
{
	struct record r;

	record_start(&r, seq, "end");
	record_u64(&r, "records", records);
	put_record(l, &r, "\n");
}

/* begin, steps 2 .. n - 1, end; `run` makes its bytes its own. */
static void put_run(struct log *l, u64 run, u64 n)
{
	put_begin(l, run);
	for (u64 seq = 2; seq < n; seq++)
		put_step(l, seq, run + seq);
	put_end(l, n, n);
}

static struct runlog read_bytes(const char *at, size_t n)
{
	static struct record_view v;
	struct runlog l;
	const char *end = at + n;

	runlog_init(&l);
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		runlog_line(&l, at, (size_t)(stop - at), &v);
		at = stop + 1;
	}
	return l;
}

static struct runlog read_log(const struct log *l)
{
	return read_bytes(l->bytes, l->t.len);
}

static bool is_whole(const char *bytes, size_t n)
{
	struct runlog l = read_bytes(bytes, n);

	return runlog_whole(&l);
}

static void a_whole_run(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	text_str(&log.t, "SeaBIOS\n\nbooting\n");
	put_run(&log, 7, 5);
	text_str(&log.t, "bye\n");
	l = read_log(&log);
	assert_true(runlog_whole(&l));
	assert_int_equal(l.lines, 9);
	assert_int_equal(l.runs, 1);
	assert_int_equal(l.complete, 1);
	assert_int_equal(l.records, 5);
	assert_int_equal(l.missing, 0);
	assert_int_equal(l.duplicates, 0);
	assert_int_equal(l.corrupt, 0);
	assert_int_equal(l.first_bad, 0);
	assert_int_equal(l.next_seq, 0);
}

static void nothing_is_not_whole(void **unused)
{
	(void)unused;
	assert_false(is_whole("", 0));
	assert_false(is_whole("hello\n", 6));
}

static void a_lost_record_is_missing(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_begin(&log, 1);
	put_step(&log, 2, 0);
	put_step(&log, 5, 0);
	put_end(&log, 6, 6);
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_int_equal(l.missing, 2);
	assert_int_equal(l.first_bad, 3);
	assert_int_equal(l.complete, 0);
}

/* A record that comes late fills its gap as long as it is remembered to be one. */
static void a_late_record(void **unused)
{
	(void)unused;
	for (u64 late = RUNLOG_RECENT - 1; late <= RUNLOG_RECENT + 1; late++) {
		struct log log;
		struct runlog l;

		log_start(&log);
		put_begin(&log, 1);
		for (u64 seq = 3; seq < 2 + late; seq++)
			put_step(&log, seq, seq);
		put_step(&log, 2, 2);
		l = read_log(&log);
		assert_int_equal(l.event, late <= RUNLOG_RECENT ? RUNLOG_LATE : RUNLOG_LOST_BEGIN);
		assert_int_equal(l.missing, late <= RUNLOG_RECENT ? 0 : 2);
	}
}

static void an_end_that_counts_otherwise(void **unused)
{
	struct log log;
	struct runlog l;
	struct record r;

	(void)unused;
	log_start(&log);
	put_begin(&log, 1);
	put_end(&log, 2, 3);
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_int_equal(l.complete, 0);
	assert_int_equal(l.first_bad, 2);

	log_start(&log);
	put_begin(&log, 1);
	record_start(&r, 2, "end");
	put_record(&log, &r, "\n");
	assert_false(is_whole(log.bytes, log.t.len));
}

static void a_begin_that_is_not_first(void **unused)
{
	struct log log;
	struct record r;

	(void)unused;
	log_start(&log);
	record_start(&r, 2, "begin");
	put_record(&log, &r, "\n");
	put_end(&log, 3, 3);
	assert_false(is_whole(log.bytes, log.t.len));
}

static void several_runs(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_run(&log, 1, 4);
	put_run(&log, 100, 6);
	put_run(&log, 1, 4);
	l = read_log(&log);
	assert_true(runlog_whole(&l));
	assert_int_equal(l.runs, 3);
	assert_int_equal(l.complete, 3);
	assert_int_equal(l.records, 14);
	assert_int_equal(l.duplicates, 0);
}

/* Each boot gets a little further, and every begin is the same: the clock is deterministic. */
static void a_reset_loop(void **unused)
{
	for (u64 reached = 1; reached < 40; reached++) {
		struct log log;
		struct runlog l;

		(void)unused;
		log_start(&log);
		put_begin(&log, 1);
		for (u64 seq = 2; seq <= reached; seq++)
			put_step(&log, seq, 1 + seq);
		if (reached == 1)
			text_str(&log.t, "reset\n");
		put_begin(&log, reached == 1 ? 2 : 1);
		put_step(&log, 2, 3);
		put_end(&log, 3, 3);
		l = read_log(&log);
		assert_false(runlog_whole(&l));
		assert_int_equal(l.runs, 2);
		assert_int_equal(l.complete, 1);
		assert_int_not_equal(l.first_bad, 0);
	}
}

/* The second run's begin never arrived: its records are not the first run's. */
static void a_run_without_begin(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_begin(&log, 1);
	for (u64 seq = 2; seq < 6; seq++)
		put_step(&log, seq, 1);
	for (u64 seq = 2; seq < 9; seq++)
		put_step(&log, seq, 2);
	put_end(&log, 9, 9);
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_int_equal(l.runs, 1);
	assert_int_equal(l.complete, 0);
	assert_int_equal(l.missing, 1);
	assert_int_equal(l.first_bad, 6);

	log_start(&log);
	put_run(&log, 1, 4);
	put_step(&log, 3, 9);
	put_end(&log, 4, 4);
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_int_equal(l.complete, 1);
	assert_int_equal(l.missing, 2);
	assert_int_equal(l.first_bad, 5);
}

static void append_line(struct log *to, const char *line, size_t n, const char *before,
			const char *line_end, size_t end_n)
{
	text_str(&to->t, before);
	text_bytes(&to->t, line, n);
	text_bytes(&to->t, line_end, end_n);
	assert_int_equal(to->t.cut, 0);
}

/* The same log through a terminal's eyes: each line `times` times, with other ends and starts. */
static struct runlog through_terminal(u32 times, const char *before, const char *end, size_t end_n)
{
	struct log plain, log;
	const char *at;

	log_start(&plain);
	put_run(&plain, 3, 40);
	log_start(&log);
	for (at = plain.bytes; at < plain.bytes + plain.t.len;) {
		size_t n = strcspn(at, "\n");

		for (u32 i = 0; i < times; i++)
			append_line(&log, at, n, before, end, end_n);
		at += n + 1;
	}
	return read_log(&log);
}

static void lines_echoed_twice(void **unused)
{
	struct runlog l = through_terminal(2, "", "\n", 1);

	(void)unused;
	assert_true(runlog_whole(&l));
	assert_int_equal(l.records, 40);
	assert_int_equal(l.duplicates, 40);
	assert_int_equal(l.runs, 1);
	assert_int_equal(l.complete, 1);
}

/* Two sinks in one capture, the second a few records late. */
static void an_echo_that_lags(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_begin(&log, 1);
	for (u64 seq = 2; seq < 50; seq++) {
		put_step(&log, seq, seq);
		if (seq > 12)
			put_step(&log, seq - 10, seq - 10);
	}
	put_end(&log, 50, 50);
	put_step(&log, 49, 49);
	put_end(&log, 50, 50);
	l = read_log(&log);
	assert_true(runlog_whole(&l));
	assert_int_equal(l.duplicates, 39);

	/* The same number with other bytes is no echo. */
	put_step(&log, 49, 48);
	assert_false(is_whole(log.bytes, log.t.len));
}

static void other_line_ends_and_escapes(void **unused)
{
	static const struct {
		const char *before, *end;
		size_t n;
	} form[] = {
		{"", "\r\n", 2},       {"", "\r\r\n", 3},
		{"", "\n\r", 2},       {"", "\0\n", 2},
		{"", " \t\r\0\n", 5},  {"\033[0m\033[2J\033[1;1H", "\r\n", 2},
		{"\xff\xfe", "\n", 1}, {"grub> @bt", "\n", 1},
		{"\r\r", "\n\n", 2},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
		struct runlog l = through_terminal(1, form[i].before, form[i].end, form[i].n);

		assert_true(runlog_whole(&l));
		assert_int_equal(l.records, 40);
	}
}

static void a_torn_line_is_corrupt(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_run(&log, 1, 3);
	text_str(&log.t, "@bt seq=1 type=beg");
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_int_equal(l.corrupt, 1);
	assert_int_equal(l.complete, 1);
	assert_int_equal(l.first_bad, 4);
}

/* What each line does, for who keeps the records. */
static void events_are_told(void **unused)
{
	static const struct {
		const char *line;
		enum runlog_event event;
		u64 skipped;
	} steps[] = {
		{"hello", RUNLOG_TEXT, 0},
		{"@bt seq=1 type=begin", RUNLOG_BEGIN, 0},
		{"@bt seq=2 type=a", RUNLOG_NEXT, 0},
		{"@bt seq=2 type=a", RUNLOG_AGAIN, 0},
		{"@bt seq=6 type=a", RUNLOG_NEXT, 3},
		{"@bt seq=4 type=a", RUNLOG_LATE, 0},
		{"@bt seq=4 type=a", RUNLOG_AGAIN, 0},
		{"@bt seq=4 type=b", RUNLOG_LOST_BEGIN, 3},
		{"@bt seq=5 type=b", RUNLOG_NEXT, 0},
		{"@bt seq=6 type=end records=6", RUNLOG_NEXT, 0},
		{"@bt seq=2 type=c", RUNLOG_LOST_BEGIN, 1},
		{"@bt seq=1 type=begin", RUNLOG_BEGIN, 0},
	};
	struct record_view v;
	struct runlog l;

	(void)unused;
	runlog_init(&l);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		char bytes[80];
		struct text t = TEXT_ON(bytes);

		text_str(&t, steps[i].line);
		if (steps[i].event != RUNLOG_TEXT)
			fmt(&t, " crc=%08X", (unsigned int)crc32(0, steps[i].line, t.len));
		runlog_line(&l, bytes, t.len, &v);
		assert_int_equal(l.event, steps[i].event);
		assert_int_equal(l.skipped, steps[i].skipped);
	}
	/* 3 and 5; 1 to 3; 1. The late 4 is not missing, but the log is not whole. */
	assert_int_equal(l.missing, 6);
	runlog_line(&l, "@bt torn", 8, &v);
	assert_int_equal(l.event, RUNLOG_BAD);
	assert_false(runlog_whole(&l));
}

static void sizes_do_not_wrap(void **unused)
{
	struct log log;
	struct runlog l;

	(void)unused;
	log_start(&log);
	put_begin(&log, 1);
	put_step(&log, ~0ull, 0);
	put_step(&log, ~0ull - 1, 0);
	put_end(&log, ~0ull, ~0ull);
	l = read_log(&log);
	assert_false(runlog_whole(&l));
	assert_true(l.missing == ~0ull);
}

/* begin, records with text between them, end: the log that the damage tests work on. */
static void small_log(struct log *log)
{
	log_start(log);
	text_str(&log->t, "hello\n");
	put_begin(log, 5);
	put_step(log, 2, 1);
	text_str(&log->t, "method 5: 38 ticks\n");
	put_step(log, 3, 2);
	put_step(log, 4, 3);
	text_str(&log->t, "ok 1 tsc\n");
	put_end(log, 5, 5);
}

/* Is byte i within a record's line, its '\n' included? */
static bool in_record(const struct log *log, size_t i)
{
	while (i > 0 && log->bytes[i - 1] != '\n')
		i--;
	return log->bytes[i] == '@';
}

/*
 * Every byte of a record's line, and every '\n' behind one, changed into every other value. Only
 * the log's very last '\n' may become a '\r', NUL or blank, which loses nothing.
 */
static void every_changed_byte_shows(void **unused)
{
	struct log log;
	size_t last;

	(void)unused;
	small_log(&log);
	last = log.t.len - 1;
	assert_true(is_whole(log.bytes, log.t.len));
	for (size_t i = 0; i <= last; i++) {
		if (!in_record(&log, i))
			continue;
		for (int x = 1; x < 256; x++) {
			bool harmless;

			log.bytes[i] ^= (char)x;
			harmless = i == last && memchr("\r\0 \t", log.bytes[i], 4);
			if (is_whole(log.bytes, log.t.len) != harmless)
				fail_msg("byte %zu changed by %#x", i, (unsigned int)x);
			log.bytes[i] ^= (char)x;
		}
	}
}

/* Cut anywhere. Without its last '\n' alone the log has lost nothing and stays whole. */
static void every_cut_shows(void **unused)
{
	struct log log;

	(void)unused;
	small_log(&log);
	for (size_t n = 0; n < log.t.len - 1; n++)
		if (is_whole(log.bytes, n))
			fail_msg("cut to %zu bytes", n);
	assert_true(is_whole(log.bytes, log.t.len - 1));
}

/* Any run of bytes with some of a record taken out; a '\n' alone may go with the text behind it. */
static void every_lost_piece_shows(void **unused)
{
	struct log log;

	(void)unused;
	small_log(&log);
	for (int round = 0; round < 20000; round++) {
		char bytes[LOG_MAX];
		size_t at = draw_below(log.t.len - 1), n = 1 + draw_below(log.t.len - 1 - at);
		bool touched = false;

		for (size_t i = at; i < at + n; i++)
			touched |= in_record(&log, i) && log.bytes[i] != '\n';
		if (!touched)
			continue;
		memcpy(bytes, log.bytes, at);
		memcpy(bytes + at, log.bytes + at + n, log.t.len - at - n);
		if (is_whole(bytes, log.t.len - n))
			fail_msg("%zu bytes taken out at %zu", n, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_run),
		cmocka_unit_test(nothing_is_not_whole),
		cmocka_unit_test(a_lost_record_is_missing),
		cmocka_unit_test(a_late_record),
		cmocka_unit_test(an_end_that_counts_otherwise),
		cmocka_unit_test(a_begin_that_is_not_first),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(a_reset_loop),
		cmocka_unit_test(a_run_without_begin),
		cmocka_unit_test(lines_echoed_twice),
		cmocka_unit_test(an_echo_that_lags),
		cmocka_unit_test(other_line_ends_and_escapes),
		cmocka_unit_test(a_torn_line_is_corrupt),
		cmocka_unit_test(events_are_told),
		cmocka_unit_test(sizes_do_not_wrap),
		cmocka_unit_test(every_changed_byte_shows),
		cmocka_unit_test(every_cut_shows),
		cmocka_unit_test(every_lost_piece_shows),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
