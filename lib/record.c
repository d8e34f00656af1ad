// SPDX-License-Identifier: MIT
/*
 * The record format, both ways. Everything here works on bytes and lengths: a log holds anything.
 */
#include "record.h"

#include "crc.h"
#include "list.h"
#include "mem.h"
#include "number.h"

#define MARKER	     "@bt "
#define MARKER_LEN   4
#define CRC_MARK     " crc="
#define CRC_MARK_LEN 5
#define CRC_DIGITS   8
#define CRC_LEN	     (CRC_MARK_LEN + CRC_DIGITS)

static bool byte_is_plain(char c)
{
	return c >= '!' && c <= '~' && c != '"' && c != '\\';
}

static bool byte_is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* The CRC's room is kept back from the start, so that closing a record can never fail half way. */
void record_start(struct record *r, u64 seq, const char *type)
{
	r->t = (struct text){.at = r->bytes, .cap = RECORD_MAX - CRC_LEN};
	r->fields = 0;
	fmt(&r->t, MARKER "seq=%llu type=%s", (unsigned long long)seq, type);
}

void record_key(struct record *r, const char *key)
{
	r->fields++;
	fmt(&r->t, " %s=", key);
}

static bool value_is_plain(const char *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!byte_is_plain(value[i]))
			return false;
	return n > 0;
}

void record_str(struct record *r, const char *key, const char *value, size_t n)
{
	record_key(r, key);
	if (value_is_plain(value, n)) {
		text_bytes(&r->t, value, n);
		return;
	}
	text_byte(&r->t, '"');
	for (size_t i = 0; i < n; i++) {
		if (byte_is_plain(value[i]))
			text_byte(&r->t, value[i]);
		else
			fmt(&r->t, "\\x%02X", (unsigned int)(u8)value[i]);
	}
	text_byte(&r->t, '"');
}

void record_word(struct record *r, const char *key, const char *value)
{
	record_str(r, key, value, strlen(value));
}

void record_u64(struct record *r, const char *key, u64 value)
{
	record_key(r, key);
	fmt(&r->t, "%llu", (unsigned long long)value);
}

void record_hex(struct record *r, const char *key, u64 value)
{
	record_key(r, key);
	fmt(&r->t, "0x%llx", (unsigned long long)value);
}

void record_variance(struct record *r, const char *key, const struct variance *v)
{
	record_key(r, key);
	variance_fmt(&r->t, v);
}

void record_bound(struct record *r, const char *key, const struct bound *b)
{
	record_key(r, key);
	bound_fmt(&r->t, b);
}

size_t record_room(const struct record *r)
{
	return r->t.cap - r->t.len;
}

size_t record_finish(struct record *r)
{
	u32 crc;

	if (r->t.cut > 0 || r->fields > RECORD_FIELDS)
		return 0;
	crc = crc32(0, r->bytes, r->t.len);
	r->t.cap = RECORD_MAX;
	fmt(&r->t, CRC_MARK "%08X", (unsigned int)crc);
	return r->t.len;
}

void record_defuse(char *text, size_t n)
{
	const size_t marker = sizeof(MARKER) - 1;

	for (size_t i = 0; i + marker <= n; i++)
		if (memcmp(text + i, MARKER, marker) == 0)
			text[i] = '?';
}

static bool find_forward(const char *line, size_t from, size_t n, size_t *at)
{
	for (size_t i = from; i + MARKER_LEN <= n; i++) {
		if (line[i] == '@' && memcmp(line + i, MARKER, MARKER_LEN) == 0) {
			*at = i;
			return true;
		}
	}
	return false;
}

/* The last " crc=" that stands in line[from..n). */
static bool find_crc(const char *line, size_t from, size_t n, size_t *at)
{
	for (size_t i = n; i >= from + CRC_MARK_LEN; i--) {
		if (line[i - 1] == '=' &&
		    memcmp(line + i - CRC_MARK_LEN, CRC_MARK, CRC_MARK_LEN) == 0) {
			*at = i - CRC_MARK_LEN;
			return true;
		}
	}
	return false;
}

/* Upper case only: otherwise a flipped bit 5 in a digit would go unnoticed. */
static bool crc_digits(const char *digits, u32 *crc)
{
	*crc = 0;
	for (size_t i = 0; i < CRC_DIGITS; i++) {
		int digit = number_hex_digit(digits[i]);

		if (digit < 0 || (digits[i] >= 'a' && digits[i] <= 'f'))
			return false;
		*crc = *crc << 4 | (u32)digit;
	}
	return true;
}

static bool only_line_end(const char *line, size_t from, size_t n)
{
	for (size_t i = from; i < n; i++)
		if (line[i] != '\r' && line[i] != '\0' && line[i] != ' ' && line[i] != '\t')
			return false;
	return true;
}

static size_t name_length(const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && byte_is_name(at[i]))
		i++;
	return i;
}

/* Bytes of the quoted value at at[0], both quotes included; 0 if it is malformed. */
static size_t quoted_length(const char *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (at[i] == '"')
			return i + 1;
		if (at[i] == '\\') {
			if (i + 3 >= n || at[i + 1] != 'x' || number_hex_digit(at[i + 2]) < 0 ||
			    number_hex_digit(at[i + 3]) < 0)
				return 0;
			i += 3;
		} else if (!byte_is_plain(at[i])) {
			return 0;
		}
	}
	return 0;
}

static size_t raw_length(const char *at, size_t n)
{
	size_t i = 0;

	if (n > 0 && at[0] == '"')
		return quoted_length(at, n);
	while (i < n && byte_is_plain(at[i]))
		i++;
	return i;
}

/* Takes one `key=value` off the front of at[0..n); returns its length, 0 if it is malformed. */
static size_t field_take(const char *at, size_t n, struct record_field *f)
{
	size_t key = name_length(at, n);
	size_t raw;

	if (key == 0 || key == n || at[key] != '=')
		return 0;
	raw = raw_length(at + key + 1, n - key - 1);
	*f = (struct record_field){at, key, at + key + 1, raw};
	return raw ? key + 1 + raw : 0;
}

static bool key_is(const struct record_field *f, const char *key)
{
	return bytes_are(f->key, f->key_len, key);
}

/* The `index`-th field of a record: seq, type, then what the type brings. */
static bool field_place(struct record_view *v, size_t index, const struct record_field *f)
{
	if (index == 0)
		return key_is(f, "seq") && f->raw[0] != '0' &&
		       number_decimal(f->raw, f->raw_len, &v->seq);
	if (index == 1) {
		v->type = f->raw;
		v->type_len = f->raw_len;
		return key_is(f, "type") && name_length(f->raw, f->raw_len) == f->raw_len;
	}
	if (v->n_fields == RECORD_FIELDS || key_is(f, "crc"))
		return false;
	v->field[v->n_fields++] = *f;
	return true;
}

static bool grammar_parse(const char *at, size_t n, struct record_view *v)
{
	size_t index = 0;

	for (size_t i = 0;; i++, index++) {
		struct record_field f;
		size_t taken = field_take(at + i, n - i, &f);

		if (taken == 0 || !field_place(v, index, &f))
			return false;
		i += taken;
		if (i == n)
			return index >= 1;
		if (at[i] != ' ')
			return false;
	}
}

/* The record whose '@' is at `start` and whose " crc=" is at `crc_at`. */
static enum record_status record_check(const char *line, size_t n, size_t start, size_t crc_at,
				       struct record_view *v)
{
	size_t end = crc_at + CRC_LEN;
	u32 crc;

	if (end > n)
		return RECORD_CUT;
	/* Bounds the work, too, on a line that is nothing but markers. */
	if (end - start > RECORD_MAX)
		return RECORD_SYNTAX;
	if (!crc_digits(line + crc_at + CRC_MARK_LEN, &crc) ||
	    crc32(0, line + start, crc_at - start) != crc)
		return RECORD_CRC;
	if (!only_line_end(line, end, n))
		return RECORD_SYNTAX;
	v->start = start;
	v->len = end - start;
	v->crc = crc;
	v->n_fields = 0;
	if (!grammar_parse(line + start + MARKER_LEN, crc_at - start - MARKER_LEN, v))
		return RECORD_SYNTAX;
	return RECORD_OK;
}

/*
 * A lost line end can leave a torn record before a whole one in the same line, so every marker is
 * tried. When none checks out, the first one's status is the line's.
 */
enum record_status record_parse(const char *line, size_t n, struct record_view *v)
{
	enum record_status first = RECORD_NONE;
	size_t start = 0, crc_at = 0;

	if (!find_forward(line, 0, n, &start))
		return RECORD_NONE;
	if (!find_crc(line, start + MARKER_LEN, n, &crc_at))
		return RECORD_CUT;
	do {
		enum record_status s;

		s = start + MARKER_LEN > crc_at ? RECORD_CUT
						: record_check(line, n, start, crc_at, v);
		if (s == RECORD_OK)
			return RECORD_OK;
		if (first == RECORD_NONE)
			first = s;
	} while (find_forward(line, start + 1, n, &start));
	return first;
}

const struct record_field *record_find(const struct record_view *v, const char *key)
{
	for (size_t i = 0; i < v->n_fields; i++)
		if (key_is(&v->field[i], key))
			return &v->field[i];
	return NULL;
}

/* One byte of a quoted value whose form has been checked; returns how many raw bytes it took. */
static size_t byte_unquote(const char *raw, char *out)
{
	if (raw[0] != '\\') {
		*out = raw[0];
		return 1;
	}
	*out = (char)(number_hex_digit(raw[2]) << 4 | number_hex_digit(raw[3]));
	return 4;
}

int record_value(const struct record_field *f, char *out, size_t cap)
{
	bool quoted = f->raw_len > 0 && f->raw[0] == '"';
	size_t end = quoted ? f->raw_len - 1 : f->raw_len;
	size_t n = 0;

	if (f->raw_len == 0 || raw_length(f->raw, f->raw_len) != f->raw_len)
		return -1;
	for (size_t i = quoted; i < end;) {
		char byte;

		i += byte_unquote(f->raw + i, &byte);
		if (n == cap)
			return -1;
		out[n++] = byte;
	}
	return (int)n;
}

bool record_item(const struct record_field *f, size_t *pos, const char **item, size_t *n)
{
	bool quoted = f->raw_len >= 2 && f->raw[0] == '"';
	size_t len = f->raw_len - 2 * quoted;

	return len && list_item(f->raw + quoted, len, pos, item, n);
}

bool record_number(const struct record_field *f, u64 *value)
{
	return number_parse(f->raw, f->raw_len, value);
}
