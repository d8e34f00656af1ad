/* SPDX-License-Identifier: MIT */
/*
 * HTML as it is written. What a log says may hold any byte, and none of it becomes markup: it goes
 * through these, while markup is printed as it stands.
 */
#ifndef HTML_H
#define HTML_H

#include <stdarg.h>
#include <stdio.h>

#include "types.h"

/* Text or the inside of a quoted attribute. What is no printable UTF-8 is shown as \xHH. */
void html_bytes(FILE *to, const char *bytes, size_t n);
void html_puts(FILE *to, const char *text);
void html_say(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_say_v(FILE *to, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* <TAG>text</TAG>; tag may have attributes: "td class=n". */
void html_element(FILE *to, const char *tag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A row of a <dl>; none if there is no value. */
void html_pair(FILE *to, const char *term, const char *value);

#endif
