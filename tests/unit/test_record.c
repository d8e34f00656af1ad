// SPDX-License-Identifier: MIT
/* The record format: what is written is read back, and no damage goes unnoticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "crc.h"
#include "draw.h"
#include "record.h"

/* `body` with a right CRC behind it, whatever its grammar. */
static size_t sealed(char *out, size_t cap, const char *body)
{
	int n = snprintf(out, cap, "%s crc=%08X", body, crc32(0, body, strlen(body)));

	assert_in_range(n, 1, cap - 1);
	return (size_t)n;
}

static enum record_status status_of(const char *body)
{
	static struct record_view v;
	char line[2 * RECORD_MAX];

	return record_parse(line, sealed(line, sizeof(line), body), &v);
}

/* From a block of exactly n bytes, so that a read behind the line is seen. */
static enum record_status parse_exact(const char *line, size_t n)
{
	static struct record_view v;
	char *block = malloc(n ? n : 1);
	enum record_status status;

	assert_non_null(block);
	memcpy(block, line, n);
	status = record_parse(n ? block : block + 1, n, &v);
	free(block);
	return status;
}

static void sample_record(struct record *r)
{
	record_start(r, 42, "series");
	record_word(r, "method", "5");
	record_str(r, "label", "a \"b\"\\\n\x80", 8);
	record_hex(r, "rfbm", 0x2e7);
	record_u64(r, "min", 38);
	assert_true(record_finish(r) > 0);
}

static void writes_the_documented_form(void **unused)
{
	struct record r;
	struct variance var = {.whole = 12, .milli = 5};
	struct bound exact = {38, 38};
	char want[RECORD_MAX];
	size_t n;

	(void)unused;
	record_start(&r, 7, "xsave.cell");
	record_word(&r, "event", "xsave");
	record_word(&r, "empty", "");
	record_word(&r, "words", "a b");
	record_str(&r, "odd", "\0\"\\\x7f\xff~!", 7);
	record_u64(&r, "n", ~0ull);
	record_hex(&r, "mask", ~0ull);
	record_variance(&r, "var", &var);
	record_bound(&r, "p50", &exact);
	record_key(&r, "list");
	fmt(&r.t, "%u,%u", 1, 2);
	n = sealed(want, sizeof(want),
		   "@bt seq=7 type=xsave.cell event=xsave empty=\"\" words=\"a\\x20b\" "
		   "odd=\"\\x00\\x22\\x5C\\x7F\\xFF~!\" n=18446744073709551615 "
		   "mask=0xffffffffffffffff var=12.005 p50=38 list=1,2");
	assert_int_equal(record_finish(&r), n);
	assert_memory_equal(r.bytes, want, n);
}

static void crc_is_the_known_one(void **unused)
{
	static const char line[] = "@bt seq=1 type=begin schema=1 crc=AF02E0D8";
	static struct record_view v;
	struct record r;

	(void)unused;
	record_start(&r, 1, "begin");
	record_u64(&r, "schema", 1);
	assert_int_equal(record_finish(&r), sizeof(line) - 1);
	assert_memory_equal(r.bytes, line, sizeof(line) - 1);
	assert_int_equal(record_parse(line, sizeof(line) - 1, &v), RECORD_OK);
	assert_int_equal(v.crc, 0xAF02E0D8);
}

static void text_holds_no_record(void **unused)
{
	char text[] = "@bt @bt seq=1 @@bt x@bt";
	static struct record_view view;

	(void)unused;
	record_defuse(text, 0);
	assert_int_equal(text[0], '@');
	record_defuse(text, strlen(text));
	assert_string_equal(text, "?bt ?bt seq=1 @?bt x@bt");
	assert_int_equal(record_parse(text, strlen(text), &view), RECORD_NONE);
	/* Nor does one begin with what comes behind it. */
	strcpy(text, "x@bt ");
	record_defuse(text, strlen(text));
	assert_string_equal(text, "x?bt ");
}

static void refuses_what_does_not_fit(void **unused)
{
	static char value[RECORD_MAX];
	static struct record_view v;
	struct record r;
	size_t room;

	(void)unused;
	memset(value, 'x', sizeof(value));
	record_start(&r, 1, "t");
	room = record_room(&r) - strlen(" k=");
	record_str(&r, "k", value, room);
	assert_int_equal(record_room(&r), 0);
	assert_int_equal(record_finish(&r), RECORD_MAX);
	assert_int_equal(record_parse(r.bytes, RECORD_MAX, &v), RECORD_OK);

	record_start(&r, 1, "t");
	record_str(&r, "k", value, room + 1);
	assert_int_equal(record_finish(&r), 0);
}

static void refuses_too_many_fields(void **unused)
{
	static struct record_view v;
	struct record r;
	size_t n;

	(void)unused;
	record_start(&r, 1, "t");
	for (size_t i = 0; i < RECORD_FIELDS; i++)
		record_u64(&r, "k", 1);
	n = record_finish(&r);
	assert_true(n > 0);
	assert_int_equal(record_parse(r.bytes, n, &v), RECORD_OK);
	assert_int_equal(v.n_fields, RECORD_FIELDS);

	record_start(&r, 1, "t");
	for (size_t i = 0; i < RECORD_FIELDS + 1; i++)
		record_u64(&r, "k", 1);
	assert_int_equal(record_finish(&r), 0);
}

#define VALUES 6

/* Any bytes in any number of values come back the same, inside any line. */
static void reads_back_what_was_written(void **unused)
{
	static struct record_view v;
	static char line[RECORD_MAX + 64];

	(void)unused;
	for (int round = 0; round < 20000; round++) {
		char value[VALUES][24], back[24];
		size_t len[VALUES], n, before = draw_below(32);
		u64 seq = draw_wide() | 1;
		struct record r;

		record_start(&r, seq, "some.type_9");
		for (size_t i = 0; i < VALUES; i++) {
			char key[] = {'k', (char)('0' + i), '\0'};
			bool plain = draw_below(2);

			len[i] = draw_below(sizeof(value[i]));
			for (size_t j = 0; j < len[i]; j++)
				value[i][j] = (char)(plain ? 'a' + draw_below(26) : draw());
			record_str(&r, key, value[i], len[i]);
		}
		n = record_finish(&r);
		assert_in_range(n, 1, RECORD_MAX);
		for (size_t i = 0; i < before; i++)
			line[i] = (char)draw();
		memcpy(line + before, r.bytes, n);
		memcpy(line + before + n, "\r\0 \r", 4);
		assert_int_equal(record_parse(line, before + n + draw_below(5), &v), RECORD_OK);
		assert_int_equal(v.start, before);
		assert_int_equal(v.len, n);
		assert_int_equal(v.seq, seq);
		assert_int_equal(v.type_len, 11);
		assert_memory_equal(v.type, "some.type_9", 11);
		assert_int_equal(v.n_fields, VALUES);
		for (size_t i = 0; i < VALUES; i++) {
			char key[] = {'k', (char)('0' + i), '\0'};
			const struct record_field *f = record_find(&v, key);

			assert_ptr_equal(f, &v.field[i]);
			assert_int_equal(record_value(f, back, sizeof(back)), len[i]);
			assert_memory_equal(back, value[i], len[i]);
		}
		assert_null(record_find(&v, "k"));
	}
}

static void notices_every_changed_byte(void **unused)
{
	static struct record_view v;
	struct record r;
	size_t n;

	(void)unused;
	sample_record(&r);
	n = r.t.len;
	for (size_t i = 0; i < n; i++) {
		for (int x = 1; x < 256; x++) {
			r.bytes[i] ^= (char)x;
			assert_int_not_equal(record_parse(r.bytes, n, &v), RECORD_OK);
			r.bytes[i] ^= (char)x;
		}
	}
	assert_int_equal(record_parse(r.bytes, n, &v), RECORD_OK);
}

static void notices_every_cut_and_every_lost_byte(void **unused)
{
	static char line[RECORD_MAX];
	struct record r;
	size_t n;

	(void)unused;
	sample_record(&r);
	n = r.t.len;
	for (size_t i = 0; i < n; i++) {
		assert_int_not_equal(parse_exact(r.bytes, i), RECORD_OK);
		memcpy(line, r.bytes, i);
		memcpy(line + i, r.bytes + i + 1, n - i - 1);
		assert_int_not_equal(parse_exact(line, n - 1), RECORD_OK);
	}
	for (size_t i = 1; i < n; i++)
		assert_int_equal(parse_exact(r.bytes + i, n - i), RECORD_NONE);
}

/* Bodies strung together from the grammar's own pieces, under a right CRC. */
static void survives_any_body(void **unused)
{
	static const char *const piece[] = {
		"@bt ", "seq=", "1", "type=", "x",     " ",    "k=",   "v",  "\"",
		"\\",	"\\x",	"4", "=",     " crc=", "crc=", "\xff", "\r",
	};
	char body[256], line[300];

	(void)unused;
	for (int round = 0; round < 100000; round++) {
		struct text t = {.at = body, .cap = sizeof(body) - 1};

		text_str(&t, "@bt seq=1 type=x");
		for (u64 i = draw_below(16); i > 0; i--)
			text_str(&t, piece[draw_below(ARRAY_SIZE(piece))]);
		body[t.len] = '\0';
		parse_exact(line, sealed(line, sizeof(line), body));
	}
}

static void says_what_is_wrong(void **unused)
{
	static struct record_view v;
	static const char no_marker[] = "bt seq=1 type=x crc=00000000";
	static const char no_crc[] = "@bt seq=1 type=x";
	static const char wrong[] = "@bt seq=1 type=x crc=00000000";
	static const char lower[] = "@bt seq=1 type=begin schema=1 crc=aF02E0D8";
	static const char behind[] = "@bt seq=1 type=begin schema=1 crc=AF02E0D8 x";

	(void)unused;
	assert_int_equal(record_parse("", 0, &v), RECORD_NONE);
	assert_int_equal(record_parse("@bt", 3, &v), RECORD_NONE);
	assert_int_equal(record_parse(no_marker, strlen(no_marker), &v), RECORD_NONE);
	assert_int_equal(record_parse(no_crc, strlen(no_crc), &v), RECORD_CUT);
	assert_int_equal(record_parse(wrong, strlen(wrong) - 1, &v), RECORD_CUT);
	assert_int_equal(record_parse(wrong, strlen(wrong), &v), RECORD_CRC);
	assert_int_equal(record_parse(lower, strlen(lower), &v), RECORD_CRC);
	assert_int_equal(record_parse(behind, strlen(behind), &v), RECORD_SYNTAX);
}

static void grammar_is_strict(void **unused)
{
	static const char *const good[] = {
		"@bt seq=1 type=x",	   "@bt seq=18446744073709551615 type=a.b_9 k=v",
		"@bt seq=1 type=x k=\"\"", "@bt seq=1 type=x k=\"a\\x20\\xfF\" l=@bt",
		"@bt seq=1 type=x k=a=b",
	};
	static const char *const bad[] = {
		"@bt ",
		"@bt seq=1",
		"@bt type=x seq=1",
		"@bt seq=0 type=x",
		"@bt seq=01 type=x",
		"@bt seq=0x1 type=x",
		"@bt seq=-1 type=x",
		"@bt seq=18446744073709551616 type=x",
		"@bt seq= type=x",
		"@bt seq=1 type=",
		"@bt seq=1 type=X",
		"@bt seq=1 type=\"x\"",
		"@bt  seq=1 type=x",
		"@bt seq=1  type=x",
		"@bt seq=1 type=x ",
		"@bt seq=1 type=x k",
		"@bt seq=1 type=x k=",
		"@bt seq=1 type=x =v",
		"@bt seq=1 type=x K=v",
		"@bt seq=1 type=x k-k=v",
		"@bt seq=1 type=x  k=v",
		"@bt seq=1 type=x\tk=v",
		"@bt seq=1 type=x k=a\"b",
		"@bt seq=1 type=x k=a\\b",
		"@bt seq=1 type=x k=\x80",
		"@bt seq=1 type=x k=\"a",
		"@bt seq=1 type=x k=\"a b\"",
		"@bt seq=1 type=x k=\"a\"b",
		"@bt seq=1 type=x k=\"\\y20\"",
		"@bt seq=1 type=x k=\"\\x2\"",
		"@bt seq=1 type=x k=\"\\x2g\"",
		"@bt seq=1 type=x k=\"\\",
		"@bt seq=1 type=x crc=00000000",
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (status_of(good[i]) != RECORD_OK)
			fail_msg("refused: %s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (status_of(bad[i]) != RECORD_SYNTAX)
			fail_msg("taken: %s", bad[i]);
}

/* What ends a line, blanks and the NULs of a cut connection may follow the CRC, and no more. */
static void what_may_follow(void **unused)
{
	static const struct {
		const char *rest;
		size_t n;
		enum record_status status;
	} after[] = {
		{"", 0, RECORD_OK},	 {"\r", 1, RECORD_OK},	   {" ", 1, RECORD_OK},
		{"\t", 1, RECORD_OK},	 {"\0\0", 2, RECORD_OK},   {"\t \r", 3, RECORD_OK},
		{"x", 1, RECORD_SYNTAX}, {" 0", 2, RECORD_SYNTAX},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
		char line[80];
		size_t n = sealed(line, sizeof(line), "@bt seq=1 type=x");

		memcpy(line + n, after[i].rest, after[i].n);
		assert_int_equal(parse_exact(line, n + after[i].n), after[i].status);
	}
}

static void refuses_a_record_that_is_too_long(void **unused)
{
	static char body[2 * RECORD_MAX];
	const size_t head = strlen("@bt seq=1 type=x k=");
	const size_t fits = RECORD_MAX - strlen(" crc=00000000");

	(void)unused;
	strcpy(body, "@bt seq=1 type=x k=");
	memset(body + head, 'v', fits - head);
	assert_int_equal(status_of(body), RECORD_OK);
	body[fits] = 'v';
	assert_int_equal(status_of(body), RECORD_SYNTAX);
}

/* A line end was lost, or two writers met: the whole record is found behind the torn one. */
static void finds_the_whole_record_in_a_line(void **unused)
{
	static struct record_view v;
	static char line[4 * RECORD_MAX];
	struct record r;
	size_t n;

	(void)unused;
	sample_record(&r);
	n = r.t.len;
	for (size_t torn = 0; torn <= n; torn++) {
		memcpy(line, r.bytes, torn);
		memcpy(line + torn, r.bytes, n);
		assert_int_equal(record_parse(line, torn + n, &v), RECORD_OK);
		assert_int_equal(v.start, torn);
	}
	/* And before a torn one: nothing may follow a CRC. */
	memcpy(line, r.bytes, n);
	memcpy(line + n, r.bytes, n - 1);
	assert_int_not_equal(record_parse(line, 2 * n - 1, &v), RECORD_OK);
}

static void a_line_of_markers_is_bounded(void **unused)
{
	static struct record_view v;
	static char line[1 << 20];

	(void)unused;
	for (size_t i = 0; i < sizeof(line); i += 4)
		memcpy(line + i, "@bt ", 4);
	memcpy(line + sizeof(line) - 13, " crc=00000000", 13);
	assert_int_equal(record_parse(line, sizeof(line), &v), RECORD_SYNTAX);
}

static struct record_field field(const char *raw)
{
	return (struct record_field){"k", 1, raw, strlen(raw)};
}

static void values_and_numbers(void **unused)
{
	struct record_field f = field("\"\\x41b\"");
	char out[2];
	u64 value = 5;

	(void)unused;
	assert_int_equal(record_value(&f, out, 2), 2);
	assert_memory_equal(out, "Ab", 2);
	assert_int_equal(record_value(&f, out, 1), -1);
	f = field("\"\"");
	assert_int_equal(record_value(&f, out, 0), 0);
	f = field("\"\\x4\"");
	assert_int_equal(record_value(&f, out, 2), -1);

	f = field("0xffffffffffffffff");
	assert_true(record_number(&f, &value));
	assert_true(value == ~0ull);
	f = field("18446744073709551615");
	assert_true(record_number(&f, &value));
	f = field("0");
	assert_true(record_number(&f, &value));
	assert_int_equal(value, 0);
	for (const char *const *bad =
		     (const char *const[]){"18446744073709551616", "0x10000000000000000", "0x", "x",
					   "-1", "1.5", "1e3", "\"1\"", "0x1g", "", NULL};
	     *bad; bad++) {
		f = field(*bad);
		if (record_number(&f, &value))
			fail_msg("taken as a number: %s", *bad);
	}
	assert_int_equal(value, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_documented_form),
		cmocka_unit_test(crc_is_the_known_one),
		cmocka_unit_test(text_holds_no_record),
		cmocka_unit_test(refuses_what_does_not_fit),
		cmocka_unit_test(refuses_too_many_fields),
		cmocka_unit_test(reads_back_what_was_written),
		cmocka_unit_test(notices_every_changed_byte),
		cmocka_unit_test(notices_every_cut_and_every_lost_byte),
		cmocka_unit_test(survives_any_body),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(grammar_is_strict),
		cmocka_unit_test(what_may_follow),
		cmocka_unit_test(refuses_a_record_that_is_too_long),
		cmocka_unit_test(finds_the_whole_record_in_a_line),
		cmocka_unit_test(a_line_of_markers_is_bounded),
		cmocka_unit_test(values_and_numbers),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
