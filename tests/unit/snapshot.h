/* SPDX-License-Identifier: MIT */
/*
 * Memory captured from real boots (tests/data/NAME.snap), or made by a test, behind the reader that
 * the boot parsers take. A snapshot is EAX and EBX at entry, then pieces: u64 address, u64 length,
 * bytes; little-endian. What is in no piece is not readable. Every read gets an allocation of its
 * own of exactly the length asked for, so that the address sanitizer sees a read past it.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bootinfo.h"
#include "draw.h"
#include "findings.h"
#include "phys.h"

#define SNAPSHOT_PIECES 64

struct piece {
	u64 address;
	size_t len;
	u8 *bytes;
};

struct snapshot {
	u32 eax, ebx;
	struct piece piece[SNAPSHOT_PIECES];
	size_t n;
	void **given; /* to be freed when the parse is over */
	size_t n_given, cap_given;
	struct phys mem;
};

/* The piece that holds the whole range, or NULL. */
static inline struct piece *snapshot_find(struct snapshot *s, u64 address, u64 len)
{
	for (size_t i = 0; i < s->n; i++) {
		struct piece *p = &s->piece[i];

		if (address >= p->address && address - p->address < p->len &&
		    len <= p->len - (address - p->address))
			return p;
	}
	return NULL;
}

/* The bytes themselves, for a test to look at or to damage. */
static inline u8 *snapshot_bytes(struct snapshot *s, u64 address, u64 len)
{
	struct piece *p = snapshot_find(s, address, len);

	assert_non_null(p);
	return p->bytes + (address - p->address);
}

static inline const void *snapshot_at(void *ctx, u64 address, u64 len)
{
	struct snapshot *s = ctx;

	assert_int_not_equal(len, 0);
	assert_true(address + (len - 1) >= address);
	if (!snapshot_find(s, address, len))
		return NULL;
	if (s->n_given == s->cap_given) {
		s->cap_given = s->cap_given * 2 + 64;
		s->given = realloc(s->given, s->cap_given * sizeof(*s->given));
		assert_non_null(s->given);
	}
	void *copy = malloc(len);

	assert_non_null(copy);
	memcpy(copy, snapshot_bytes(s, address, len), len);
	return s->given[s->n_given++] = copy;
}

static inline void snapshot_release(struct snapshot *s)
{
	while (s->n_given)
		free(s->given[--s->n_given]);
}

static inline void snapshot_start(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	s->mem = (struct phys){.at = snapshot_at, .ctx = s};
}

static inline u8 *snapshot_add(struct snapshot *s, u64 address, const void *bytes, size_t len)
{
	struct piece *p = &s->piece[s->n++];

	assert_true(s->n <= SNAPSHOT_PIECES);
	*p = (struct piece){.address = address, .len = len, .bytes = malloc(len)};
	assert_non_null(p->bytes);
	if (bytes)
		memcpy(p->bytes, bytes, len);
	else
		memset(p->bytes, 0, len);
	return p->bytes;
}

static inline void snapshot_free(struct snapshot *s)
{
	snapshot_release(s);
	free(s->given);
	for (size_t i = 0; i < s->n; i++)
		free(s->piece[i].bytes);
	memset(s, 0, sizeof(*s));
}

static inline void snapshot_load(struct snapshot *s, const char *name)
{
	char path[128];
	u64 head[2];

	snapshot_start(s);
	snprintf(path, sizeof(path), "tests/data/%s.snap", name);
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("%s: not readable; run from the root of the repository", path);
	assert_int_equal(fread(&s->eax, 4, 1, f) + fread(&s->ebx, 4, 1, f), 2);
	while (fread(head, sizeof(head), 1, f) == 1) {
		assert_true(head[1] > 0 && head[1] < 1 << 20);
		u8 *to = snapshot_add(s, head[0], NULL, head[1]);

		assert_int_equal(fread(to, head[1], 1, f), 1);
	}
	fclose(f);
	assert_true(s->n > 0);
}

/* The same, and what its loader passed at entry, read. */
static inline void snapshot_boot(struct snapshot *s, const char *name, struct bootinfo *boot)
{
	snapshot_load(s, name);
	if (s->eax == MULTIBOOT2_MAGIC) {
		struct piece *p = snapshot_find(s, s->ebx, 8);

		assert_true(bootinfo_multiboot2(boot, p->bytes, p->len));
	} else {
		assert_true(bootinfo_pvh(boot, &s->mem, s->ebx));
	}
	snapshot_release(s);
}

static inline bool has_finding(const struct findings *f, const char *part)
{
	for (u32 i = 0; i < findings_kept(f); i++)
		if (strstr(f->text[i], part))
			return true;
	return false;
}

static inline void print_findings(const struct findings *f)
{
	for (u32 i = 0; i < findings_kept(f); i++)
		print_message("finding: %s\n", f->text[i]);
}

static inline void assert_finding(const struct findings *f, const char *part)
{
	if (!has_finding(f, part)) {
		print_findings(f);
		fail_msg("no finding says \"%s\"", part);
	}
}

static inline void assert_no_findings(const struct findings *f)
{
	print_findings(f);
	assert_int_equal(f->n, 0);
}

/* Terminated, printable ASCII. */
static inline void assert_text(const char *s, size_t cap)
{
	size_t n = 0;

	for (; n < cap && s[n]; n++)
		assert_in_range(s[n], ' ', '~');
	assert_true(n < cap);
}

static inline void assert_findings_sound(const struct findings *f)
{
	for (u32 i = 0; i < findings_kept(f); i++)
		assert_text(f->text[i], FINDING_TEXT);
}

/* Overwrites one to four bytes of any piece. */
static inline void snapshot_damage(struct snapshot *s)
{
	for (u64 i = draw_below(4) + 1; i; i--) {
		struct piece *p = &s->piece[draw_below(s->n)];

		p->bytes[draw_below(p->len)] = (u8)draw();
	}
}

#endif
