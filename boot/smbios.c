// SPDX-License-Identifier: MIT
/* SMBIOS entry points and the structures of types 0, 1 and 2 (DSP0134 3.6, chapters 5 to 7). */
#include "smbios.h"

#include "efi.h"
#include "fmt.h"

#define ENTRY_BYTES    31 /* of the 32-bit entry point */
#define ENTRY_64_BYTES 24
#define TABLE_MAX      (1u << 20)
#define STRUCTURES_MAX 4096

enum structure_type { TYPE_FIRMWARE = 0, TYPE_SYSTEM = 1, TYPE_BOARD = 2, TYPE_END = 127 };

/* Where the structures lie, as an entry point says. */
struct entry {
	u64 table;
	u32 len; /* of a 64-bit entry point an upper limit */
	u8 major, minor;
};

/* One structure: its formatted area, header included, and the strings behind it. */
struct structure {
	struct span area, strings;
	u8 type;
};

static bool read_entry(struct span s, struct entry *e)
{
	size_t len = span_u8(s, 5);

	if (!span_starts(s, "_SM_") || len < ENTRY_BYTES - 1 || len > s.len)
		return false;
	/* One version of the specification gave the length as 1Eh by mistake (5.2.1). */
	if (!span_starts(span_part(s, 16, 15), "_DMI_") ||
	    !span_sums_to_zero(span_part(s, 0, len)) || !span_sums_to_zero(span_part(s, 16, 15)))
		return false;
	*e = (struct entry){
		.table = span_u32(s, 24),
		.len = span_u16(s, 22),
		.major = span_u8(s, 6),
		.minor = span_u8(s, 7),
	};
	return true;
}

static bool read_entry_64(struct span s, struct entry *e)
{
	size_t len = span_u8(s, 6);

	if (!span_starts(s, "_SM3_") || len < ENTRY_64_BYTES || len > s.len ||
	    !span_sums_to_zero(span_part(s, 0, len)))
		return false;
	*e = (struct entry){
		.table = span_u64(s, 16),
		.len = span_u32(s, 12),
		.major = span_u8(s, 7),
		.minor = span_u8(s, 8),
	};
	return true;
}

/* The formatted area at `at`, then strings up to two NULs; false at a length that is unsound. */
static bool structure_at(struct span table, size_t at, struct structure *st, size_t *next)
{
	size_t len = span_u8(table, at + 1);

	if (len < 4 || !span_has(table, at, len))
		return false;
	st->type = span_u8(table, at);
	st->area = span_part(table, at, len);

	size_t end = at + len;

	while (span_has(table, end, 2) && (table.at[end] || table.at[end + 1]))
		end++;
	if (!span_has(table, end, 2))
		end = table.len; /* not terminated: the strings end with the table */
	st->strings = span_part(table, at + len, end - (at + len));
	*next = end + 2;
	return true;
}

/* String `index`, counted from 1; empty for 0 and for an index that is not there. */
static struct span string_at(const struct structure *st, u8 index)
{
	struct span none = {.at = NULL, .len = 0};
	size_t at = 0;

	if (!index)
		return none;
	for (u8 i = 1;; i++) {
		size_t n = 0;

		while (at + n < st->strings.len && st->strings.at[at + n])
			n++;
		if (i == index)
			return span_part(st->strings, at, n);
		at += n + 1;
	}
}

static struct span trim(struct span s)
{
	while (s.len && s.at[0] <= ' ')
		s = span_part(s, 1, SIZE_MAX);
	while (s.len && s.at[s.len - 1] <= ' ')
		s.len--;
	return s;
}

/* Appends the string whose index is in the area at `at`, after a blank. */
static void add_string(struct text *t, const struct structure *st, size_t at)
{
	struct span s = trim(string_at(st, span_u8(st->area, at)));

	if (s.len && t->len)
		text_byte(t, ' ');
	for (size_t i = 0; i < s.len; i++)
		text_byte(t, s.at[i] >= ' ' && s.at[i] < 0x7f ? (char)s.at[i] : '?');
}

/* The strings at up to three places of the area, 0 for none: place 0 is the type. */
static void join_strings(char *to, size_t cap, const struct structure *st, size_t a, size_t b,
			 size_t c)
{
	struct text t = {.at = to, .cap = cap - 1};

	add_string(&t, st, a);
	if (b)
		add_string(&t, st, b);
	if (c)
		add_string(&t, st, c);
	/* A cut can leave a blank at the end. */
	while (t.len && to[t.len - 1] == ' ')
		t.len--;
	to[t.len] = '\0';
}

static bool all_bytes(struct span s, u8 byte)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] != byte)
			return false;
	return true;
}

/* From version 2.6 on the first three fields are little-endian (7.2.1). */
static void read_uuid(struct smbios_info *out, struct span area)
{
	static const u8 order[2][16] = {
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15},
	};
	bool little = out->major > 2 || (out->major == 2 && out->minor >= 6);
	struct text t = {.at = out->uuid, .cap = sizeof(out->uuid) - 1};
	struct span s = span_part(area, 8, 16);

	if (s.len < 16 || all_bytes(s, 0) || all_bytes(s, 0xff))
		return;
	for (size_t i = 0; i < 16; i++)
		fmt(&t, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
		    s.at[order[little][i]]);
	out->uuid[t.len] = '\0';
}

static void read_structure(struct smbios_info *out, const struct structure *st)
{
	switch (st->type) {
	case TYPE_FIRMWARE:
		join_strings(out->firmware, sizeof(out->firmware), st, 4, 5, 8);
		break;
	case TYPE_SYSTEM:
		join_strings(out->system, sizeof(out->system), st, 4, 5, 0);
		join_strings(out->serial, sizeof(out->serial), st, 7, 0, 0);
		read_uuid(out, st->area);
		break;
	case TYPE_BOARD:
		join_strings(out->board, sizeof(out->board), st, 4, 5, 0);
		break;
	default:
		break;
	}
}

/* Of each type the first counts: a blade may list more boards. */
static bool walk_structures(struct smbios_info *out, struct span table)
{
	struct structure st;
	u32 seen = 0;
	size_t at = 0;

	for (u32 n = 0; n < STRUCTURES_MAX && span_has(table, at, 4); n++) {
		size_t next;

		if (!structure_at(table, at, &st, &next)) {
			finding_add(&out->findings,
				    "SMBIOS: structure of type %u at offset %zu of %zu: length %u",
				    span_u8(table, at), at, table.len, span_u8(table, at + 1));
			break;
		}
		if (st.type == TYPE_END)
			break;
		if (st.type <= TYPE_BOARD && !(seen & 1u << st.type)) {
			seen |= 1u << st.type;
			read_structure(out, &st);
		}
		at = next;
	}
	return seen != 0;
}

bool smbios_read_table(struct smbios_info *out, struct span table, u8 major, u8 minor)
{
	out->major = major;
	out->minor = minor;
	if (!walk_structures(out, table))
		return false;
	if (!out->board[0])
		memcpy(out->board, out->system, sizeof(out->board));
	return true;
}

/* The limit of a 64-bit entry point may run past what can be read: halve until it can. */
static struct span map_table(const struct phys *mem, const struct entry *e)
{
	struct span s = {.at = NULL, .len = 0};

	for (u32 len = e->len < TABLE_MAX ? e->len : TABLE_MAX; len >= 4 && !s.len; len /= 2)
		s = phys_span(mem, e->table, len);
	return s;
}

/* An entry point of either kind in the first bytes of s. */
static bool try_entry(struct smbios_info *out, const struct phys *mem, struct span s,
		      const char *source)
{
	struct entry e;

	if (!read_entry_64(s, &e) && !read_entry(s, &e))
		return false;
	struct span table = map_table(mem, &e);

	if (table.len < e.len && table.len < TABLE_MAX)
		finding_add(&out->findings, "SMBIOS from %s: %u bytes at 0x%llx, %zu readable",
			    source, e.len, (unsigned long long)e.table, table.len);
	if (!smbios_read_table(out, table, e.major, e.minor))
		return false;
	out->source = source;
	return true;
}

static bool try_tag(struct smbios_info *out, const struct phys *mem, const struct bootinfo *boot)
{
	struct span s = {.at = boot->smbios, .len = boot->smbios_len};

	if (!s.len)
		return false;
	if (try_entry(out, mem, s, "tag 13"))
		return true;
	if (span_starts(s, "_SM_") || span_starts(s, "_SM3_") ||
	    !smbios_read_table(out, s, boot->smbios_major, boot->smbios_minor)) {
		finding_add(&out->findings, "SMBIOS from tag 13: not understood");
		return false;
	}
	out->source = "tag 13";
	return true;
}

static struct span entry_at(const struct phys *mem, u64 address)
{
	struct span s = phys_span(mem, address, ENTRY_BYTES);

	return s.len ? s : phys_span(mem, address, ENTRY_64_BYTES);
}

static bool try_efi(struct smbios_info *out, const struct phys *mem, const struct bootinfo *boot)
{
	u64 table = boot->efi_system_table;

	return try_entry(out, mem, entry_at(mem, efi_find_table(mem, table, EFI_SMBIOS3)), "efi") ||
	       try_entry(out, mem, entry_at(mem, efi_find_table(mem, table, EFI_SMBIOS)), "efi");
}

/* The 64-bit entry point first, wherever both are (5.2). */
static bool scan_bios(struct smbios_info *out, const struct phys *mem, const char *anchor)
{
	for (u64 at = 0xf0000; at < 0x100000; at += 16) {
		struct span s = entry_at(mem, at);

		if (span_starts(s, anchor) && try_entry(out, mem, s, "bios scan"))
			return true;
	}
	return false;
}

bool smbios_read(struct smbios_info *out, const struct phys *mem, const struct bootinfo *boot)
{
	memset(out, 0, sizeof(*out));
	out->source = "";
	out->found = try_tag(out, mem, boot) || try_efi(out, mem, boot);
	if (!out->found && !boot->efi)
		out->found = scan_bios(out, mem, "_SM3_") || scan_bios(out, mem, "_SM_");
	if (!out->found)
		finding_add(&out->findings, "no SMBIOS table");
	return out->found;
}
