/* SPDX-License-Identifier: MIT */
/*
 * The memory functions that a freestanding compiler may call; libc's in a process (C11 7.24). And
 * whether bytes are a text.
 */
#ifndef MEM_H
#define MEM_H

#include "types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

/* Is at[0..n) this text? */
static inline bool bytes_are(const char *at, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(at, text, n) == 0;
}

static inline bool str_is(const char *s, const char *text)
{
	return bytes_are(s, strlen(s), text);
}

#endif
