/* SPDX-License-Identifier: MIT */
/*
 * Records: `@bt seq=N type=T key=value ... crc=XXXXXXXX`, one a line, at most RECORD_MAX bytes.
 * The CRC-32 covers the bytes from '@' up to and excluding the last " crc=". A value with a byte
 * outside [!-~], a quote or a backslash is quoted, such bytes as \xHH; the empty value is "".
 * This file is the only owner of the format, both ways.
 */
#ifndef RECORD_H
#define RECORD_H

#include "fmt.h"
#include "hist.h"
#include "stats.h"
#include "types.h"

#define RECORD_MAX    1024
#define RECORD_FIELDS 96

struct record {
	struct text t;
	size_t fields; /* after type; more than RECORD_FIELDS do not fit */
	char bytes[RECORD_MAX];
};

/* `type` and keys match [a-z0-9_.]+; the key "crc" is taken. */
void record_start(struct record *r, u64 seq, const char *type);
void record_str(struct record *r, const char *key, const char *value, size_t n);
void record_word(struct record *r, const char *key, const char *value); /* NUL-terminated */
void record_u64(struct record *r, const char *key, u64 value);
void record_hex(struct record *r, const char *key, u64 value); /* 0x1f */
void record_variance(struct record *r, const char *key, const struct variance *v);
void record_bound(struct record *r, const char *key, const struct bound *b);

/* A comma list: record_list_start, then any fmt() on r->t, no blanks. */
void record_key(struct record *r, const char *key);

/* How many bytes of values still fit before the CRC. */
size_t record_room(const struct record *r);

/*
 * Closes with the CRC; returns the length in bytes, no line end. 0 if the record did not fit: then
 * nothing may be sent, and the caller must split.
 */
size_t record_finish(struct record *r);

/*
 * Text that stands around records: what a reader would take for the begin of one (a firmware string
 * may hold anything) is so no longer, its '@' becomes '?'.
 */
void record_defuse(char *text, size_t n);

enum record_status {
	RECORD_OK,
	RECORD_NONE,   /* no "@bt " in the bytes */
	RECORD_CUT,    /* no crc field after it */
	RECORD_CRC,    /* CRC does not match */
	RECORD_SYNTAX, /* grammar wrong, longer than RECORD_MAX, or something follows the CRC */
};

struct record_field {
	const char *key;
	size_t key_len;
	const char *raw; /* as it stands, quotes included */
	size_t raw_len;
};

struct record_view {
	size_t start, len; /* where in the given bytes the record stands */
	u32 crc;
	u64 seq;
	const char *type;
	size_t type_len;
	size_t n_fields; /* after type, before crc */
	struct record_field field[RECORD_FIELDS];
};

/*
 * Finds and checks the first whole record in a line (bytes without its '\n'). Anything may stand
 * before it, and only '\r', NUL or blanks after its CRC, so that a damaged line end is noticed.
 * With no whole record, says what is wrong with the first marker. v points into `line`.
 */
enum record_status record_parse(const char *line, size_t n, struct record_view *v);

const struct record_field *record_find(const struct record_view *v, const char *key);

/*
 * Unquotes into out (cap bytes, no terminator); returns the length, or -1 if it is malformed or
 * does not fit.
 */
int record_value(const struct record_field *f, char *out, size_t cap);

/* Steps through a comma list, quoted or not: *pos starts at 0; false at the end. */
bool record_item(const struct record_field *f, size_t *pos, const char **item, size_t *n);

/* Decimal or 0x hex; false if it is not a number or does not fit. */
bool record_number(const struct record_field *f, u64 *value);

#endif
