/* SPDX-License-Identifier: MIT */
/* JSON (RFC 8259) as it is written: commas and quotes are seen to, one line, nothing is kept. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "types.h"

struct json {
	FILE *to;
	bool comma; /* something stands before in this object or array */
};

/* `key` is NULL in an array and outside of all. kind: '{' or '['. */
void json_open(struct json *j, const char *key, char kind);
void json_close(struct json *j, char kind); /* '}' or ']' */

/* Bytes of any value: what is no printable UTF-8, and a backslash, is written as the text \xHH. */
void json_bytes(struct json *j, const char *key, const char *bytes, size_t n);
void json_word(struct json *j, const char *key, const char *text); /* NUL-terminated */
void json_u64(struct json *j, const char *key, u64 value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

/* What is already a JSON value, such as a decimal number. */
void json_raw(struct json *j, const char *key, const char *text, size_t n);

#endif
