/* SPDX-License-Identifier: MIT */
/*
 * The input as the memory of a machine at entry: EAX, EBX (u32 each), then pieces: u64 address, u64
 * length, bytes; little-endian, as in tests/data/NAME.snap. Every read gets an allocation of its
 * own of exactly the length asked for, so that the address sanitizer sees a read past it.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "bootinfo.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define MEMORY_GIVEN 4096 /* reads; a parser that needs more has lost its bound */

struct memory {
	const u8 *data;
	size_t size;
	u32 eax, ebx;
	bool sums; /* checksums are put right in what is read: a fuzzer does not find them */
	void *given[MEMORY_GIVEN];
	size_t n_given;
	struct phys phys;
};

static inline void must(bool holds)
{
	if (!holds)
		abort();
}

/* The bytes at an address, as many as their piece has; NULL if none has it. */
static inline const u8 *memory_find(const struct memory *m, u64 address, u64 *left)
{
	u64 head[2];

	for (size_t at = 8; at + sizeof(head) < m->size;) {
		memcpy(head, m->data + at, sizeof(head));
		at += sizeof(head);
		if (head[1] > m->size - at)
			head[1] = m->size - at;
		if (address >= head[0] && address - head[0] < head[1]) {
			*left = head[1] - (address - head[0]);
			return m->data + at + (address - head[0]);
		}
		at += head[1];
	}
	return NULL;
}

static inline void sum_fix(u8 *bytes, size_t n, size_t at)
{
	u8 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bytes[i];
	if (at < n)
		bytes[at] -= sum;
}

static inline void entry_fix(u8 *b, size_t n)
{
	if (n >= 20 && !memcmp(b, "RSD PTR ", 8)) {
		sum_fix(b, 20, 8);
		if (n >= 36)
			sum_fix(b, 36, 32);
	} else if (n >= 31 && !memcmp(b, "_SM_", 4)) {
		sum_fix(b + 16, 15, 5);
		sum_fix(b, b[5] <= n ? b[5] : n, 4);
	} else if (n >= 24 && !memcmp(b, "_SM3_", 5)) {
		sum_fix(b, b[6] <= n ? b[6] : n, 5);
	}
}

static inline void sums_fix(u8 *b, size_t n)
{
	u32 len = 0;

	for (size_t i = 0; i < n; i += 16)
		entry_fix(b + i, n - i);
	if (n >= 36)
		memcpy(&len, b + 4, 4);
	if (len == n)
		sum_fix(b, n, 9);
}

static inline const void *memory_at(void *ctx, u64 address, u64 len)
{
	struct memory *m = ctx;
	u64 left;
	const u8 *from = memory_find(m, address, &left);
	u8 *copy;

	must(len != 0 && address + (len - 1) >= address);
	if (!from || len > left || m->n_given == MEMORY_GIVEN)
		return NULL;
	copy = malloc(len);
	must(copy != NULL);
	memcpy(copy, from, len);
	if (m->sums)
		sums_fix(copy, len);
	return m->given[m->n_given++] = copy;
}

static inline bool memory_start(struct memory *m, const u8 *data, size_t size)
{
	*m = (struct memory){.data = data, .size = size};
	m->phys = (struct phys){.at = memory_at, .ctx = m};
	if (size < 8)
		return false;
	memcpy(&m->eax, data, 4);
	memcpy(&m->ebx, data + 4, 4);
	return true;
}

static inline void memory_end(struct memory *m)
{
	while (m->n_given)
		free(m->given[--m->n_given]);
}

/* As the kernel does at entry; an EAX that is neither magic decides by its lowest bit. */
static inline bool memory_boot(struct memory *m, struct bootinfo *b)
{
	bool pvh = m->eax == PVH_MAGIC || (m->eax != MULTIBOOT2_MAGIC && m->eax & 1);
	u64 left = 0;
	const u8 *info = memory_find(m, m->ebx, &left);
	bool good;
	u8 *copy;

	if (pvh)
		return bootinfo_pvh(b, &m->phys, m->ebx);
	copy = malloc(left ? left : 1);
	must(copy != NULL);
	if (left)
		memcpy(copy, info, left);
	good = bootinfo_multiboot2(b, copy, left);
	free(copy);
	return good;
}

/* Terminated, and nothing that a terminal could take for a command. */
static inline void is_printable(const char *text, size_t cap)
{
	size_t n = strnlen(text, cap);

	must(n < cap);
	for (size_t i = 0; i < n; i++)
		must(text[i] >= ' ' && text[i] <= '~');
}

static inline void findings_sound(const struct findings *f)
{
	for (u32 i = 0; i < findings_kept(f); i++)
		must(strnlen(f->text[i], FINDING_TEXT) < FINDING_TEXT);
}

#endif
