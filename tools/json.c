// SPDX-License-Identifier: MIT
/* JSON as it is written: see json.h. */
#include "json.h"

#include <string.h>

#include "escape.h"

static void quote(FILE *to, const char *bytes, size_t n)
{
	putc('"', to);
	for (size_t i = 0; i < n;) {
		size_t len = bytes[i] == '\\' ? 0 : utf8_length(bytes + i, n - i);

		if (!len) {
			fprintf(to, "\\\\x%02X", (unsigned int)(unsigned char)bytes[i++]);
			continue;
		}
		if (bytes[i] == '"')
			putc('\\', to);
		fwrite(bytes + i, 1, len, to);
		i += len;
	}
	putc('"', to);
}

static void item(struct json *j, const char *key)
{
	if (j->comma)
		putc(',', j->to);
	j->comma = true;
	if (!key)
		return;
	quote(j->to, key, strlen(key));
	putc(':', j->to);
}

void json_open(struct json *j, const char *key, char kind)
{
	item(j, key);
	putc(kind, j->to);
	j->comma = false;
}

void json_close(struct json *j, char kind)
{
	putc(kind, j->to);
	j->comma = true;
}

void json_bytes(struct json *j, const char *key, const char *bytes, size_t n)
{
	item(j, key);
	quote(j->to, bytes, n);
}

void json_word(struct json *j, const char *key, const char *text)
{
	json_bytes(j, key, text, strlen(text));
}

void json_raw(struct json *j, const char *key, const char *text, size_t n)
{
	item(j, key);
	fwrite(text, 1, n, j->to);
}

void json_u64(struct json *j, const char *key, u64 value)
{
	item(j, key);
	fprintf(j->to, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	item(j, key);
	fputs(value ? "true" : "false", j->to);
}

void json_null(struct json *j, const char *key)
{
	item(j, key);
	fputs("null", j->to);
}
