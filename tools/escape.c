// SPDX-License-Identifier: MIT
/* Bytes of a log on their way to people: see escape.h. */
#include "escape.h"

#include <string.h>

/* Length and lowest code point by the first byte (RFC 3629). */
static size_t utf8_head(unsigned char c, u32 *code, u32 *least)
{
	if (c >= 0xc2 && c <= 0xdf) {
		*code = c & 0x1f;
		*least = 0xa0; /* below are the C1 controls */
		return 2;
	}
	if (c >= 0xe0 && c <= 0xef) {
		*code = c & 0x0f;
		*least = 0x800;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*code = c & 0x07;
		*least = 0x10000;
		return 4;
	}
	return 0;
}

/* Line separators, marks that turn the direction of text, and surrogates are no plain text. */
static bool code_is_plain(u32 code)
{
	return !(code >= 0xd800 && code <= 0xdfff) && !(code >= 0x200b && code <= 0x200f) &&
	       !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2060 && code <= 0x206f) &&
	       code != 0xfeff && code <= 0x10ffff;
}

size_t utf8_length(const char *at, size_t n)
{
	u32 code, least;
	size_t len;

	if (n == 0)
		return 0;
	if (at[0] >= ' ' && at[0] <= '~')
		return 1;
	len = utf8_head((unsigned char)at[0], &code, &least);
	if (len == 0 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	}
	return code >= least && code_is_plain(code) ? len : 0;
}

static void print_all(FILE *to, const char *bytes, size_t n, bool exact)
{
	for (size_t i = 0; i < n;) {
		size_t len = exact && bytes[i] == '\\' ? 0 : utf8_length(bytes + i, n - i);

		if (len) {
			fwrite(bytes + i, 1, len, to);
			i += len;
		} else {
			fprintf(to, "\\x%02X", (unsigned int)(unsigned char)bytes[i++]);
		}
	}
}

void escape_print(FILE *to, const char *bytes, size_t n)
{
	print_all(to, bytes, n, false);
}

void escape_exact(FILE *to, const char *bytes, size_t n)
{
	print_all(to, bytes, n, true);
}

void escape_puts(FILE *to, const char *text)
{
	escape_print(to, text, strlen(text));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void escape_undo(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		int high = at[0] == '\\' && at[1] == 'x' ? hex_digit(at[2]) : -1;
		int low = high >= 0 ? hex_digit(at[3]) : -1;
		char byte = (char)(high * 16 + low);

		if (low < 0 || (byte >= ' ' && byte <= '~') || !byte) {
			*to = *at++;
		} else {
			*to = byte;
			at += 4;
		}
	}
	*to = '\0';
}
