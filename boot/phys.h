/* SPDX-License-Identifier: MIT */
/*
 * How the parsers of this room see memory: bounded spans of bytes, little-endian, no alignment
 * assumed, and a reader that turns physical addresses into spans.
 */
#ifndef PHYS_H
#define PHYS_H

#include "mem.h"
#include "types.h"

/*
 * `at` gives a pointer to `len` readable bytes of physical memory, or NULL if they are not all
 * readable. The pointer stays valid as long as the parse. len is never 0.
 */
struct phys {
	const void *(*at)(void *ctx, u64 address, u64 len);
	void *ctx;
};

struct span {
	const u8 *at;
	size_t len;
};

/* An empty span if the address is 0, the range wraps or it is not readable. */
static inline struct span phys_span(const struct phys *mem, u64 address, u64 len)
{
	struct span s = {.at = NULL, .len = 0};

	if (!address || !len || len > SIZE_MAX || address + (len - 1) < address)
		return s;
	s.at = mem->at(mem->ctx, address, len);
	s.len = s.at ? (size_t)len : 0;
	return s;
}

static inline bool span_has(struct span s, size_t at, size_t len)
{
	return at <= s.len && len <= s.len - at;
}

/* The part from `at`, at most len bytes: shorter, or empty, where the span ends before that. */
static inline struct span span_part(struct span s, size_t at, size_t len)
{
	struct span part = {.at = NULL, .len = 0};

	if (at >= s.len)
		return part;
	part.at = s.at + at;
	part.len = len < s.len - at ? len : s.len - at;
	return part;
}

/* The n-byte number at `at`, 1 <= n <= 8; 0 if not all of it lies in the span: half is no value. */
static inline u64 span_number(struct span s, size_t at, size_t n)
{
	u64 value = 0;

	for (size_t i = 0; span_has(s, at, n) && i < n; i++)
		value |= (u64)s.at[at + i] << (8 * i);
	return value;
}

static inline u8 span_u8(struct span s, size_t at)
{
	return (u8)span_number(s, at, 1);
}

static inline u16 span_u16(struct span s, size_t at)
{
	return (u16)span_number(s, at, 2);
}

static inline u32 span_u32(struct span s, size_t at)
{
	return (u32)span_number(s, at, 4);
}

static inline u64 span_u64(struct span s, size_t at)
{
	return span_number(s, at, 8);
}

static inline bool span_starts(struct span s, const char *bytes)
{
	size_t n = strlen(bytes);

	return s.len >= n && !memcmp(s.at, bytes, n);
}

/* The checksum of every firmware table: the bytes add up to 0 modulo 256. */
static inline bool span_sums_to_zero(struct span s)
{
	u8 sum = 0;

	for (size_t i = 0; i < s.len; i++)
		sum = (u8)(sum + s.at[i]);
	return sum == 0;
}

#endif
