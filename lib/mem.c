// SPDX-License-Identifier: MIT
/*
 * The memory functions for the kernel. A compiler recognises a plain copy, fill or length loop and
 * replaces it by a call to the very function it stands in; string instructions and the barrier in
 * each loop keep it from that.
 */
#include "mem.h"

/* Opaque to the optimiser, no instruction. */
static inline void not_an_idiom(void)
{
	asm volatile("" ::: "memory");
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	void *at = to;

	asm volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
	return to;
}

/*
 * Downwards by a loop: with DF set, an NMI handler's own string instructions would run backwards.
 */
void *memmove(void *to, const void *from, size_t n)
{
	u8 *t = to;
	const u8 *f = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return memcpy(to, from, n);
	while (n--) {
		t[n] = f[n];
		not_an_idiom();
	}
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	void *at = to;

	asm volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *x = a, *y = b;

	for (size_t i = 0; i < n; i++) {
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
		not_an_idiom();
	}
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n]) {
		n++;
		not_an_idiom();
	}
	return n;
}
