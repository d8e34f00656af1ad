/* SPDX-License-Identifier: MIT */
/* The memory functions that a freestanding compiler may call; libc's in a process (C11 7.24). */
#ifndef MEM_H
#define MEM_H

#include "types.h"

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);

#endif
