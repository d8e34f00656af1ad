/* SPDX-License-Identifier: MIT */
/* Bytes of a log on their way to people: a log may hold any, a terminal obeys some of them. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdio.h>

#include "types.h"

/*
 * Bytes of the character at at[0]: 1 for printable ASCII, 2 to 4 for other printable UTF-8 (no
 * overlong form, surrogate or control), 0 for what is neither.
 */
size_t utf8_length(const char *at, size_t n);

/* Prints what is printable as it is, any other byte as \xHH. */
void escape_print(FILE *to, const char *bytes, size_t n);
void escape_puts(FILE *to, const char *text);

/* Takes back, in place, what escape_puts() made of bytes. A text that had such an escape itself
 * comes back changed: a backslash is printed as it is. */
void escape_undo(char *text);

/* For programs: a backslash as \x5C besides, so that a reader can have the bytes back. */
void escape_exact(FILE *to, const char *bytes, size_t n);

#endif
