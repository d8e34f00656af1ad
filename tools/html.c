// SPDX-License-Identifier: MIT
/* HTML as it is written: see html.h. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "ticklog.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_bytes(FILE *to, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_length(bytes + i, n - i);
		const char *name = entity(bytes[i]);

		if (name)
			fputs(name, to);
		else if (len)
			fwrite(bytes + i, 1, len, to);
		else
			fprintf(to, "\\x%02X", (unsigned int)(unsigned char)bytes[i]);
		i += len ? len : 1;
	}
}

void html_puts(FILE *to, const char *text)
{
	html_bytes(to, text, strlen(text));
}

void html_say_v(FILE *to, const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		out_of_memory();
	html_puts(to, text);
	free(text);
}

void html_say(FILE *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	html_say_v(to, format, args);
	va_end(args);
}

void html_element(FILE *to, const char *tag, const char *format, ...)
{
	va_list args;

	fprintf(to, "<%s>", tag);
	va_start(args, format);
	html_say_v(to, format, args);
	va_end(args);
	fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void html_pair(FILE *to, const char *term, const char *value)
{
	if (!*value)
		return;
	html_element(to, "dt", "%s", term);
	html_element(to, "dd", "%s", value);
	fputc('\n', to);
}
