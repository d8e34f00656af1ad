// SPDX-License-Identifier: MIT
/* The boot information a Multiboot2 loader leaves (Multiboot2 specification 2.0, 3.4-3.6). */
#include "bootinfo.h"

enum tag_type {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_LOADER = 2,
	TAG_MEMINFO = 4,
	TAG_MMAP = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_EFI32 = 11,
	TAG_EFI64 = 12,
	TAG_SMBIOS = 13,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
	TAG_EFI_MMAP = 17,
	TAG_EFI_ALIVE = 18,
	TAG_EFI32_IMAGE = 19,
	TAG_EFI64_IMAGE = 20,
};

#define TAG_HEADER 8 /* type and size, both 32 bits; size counts the header */
#define INFO_START 8 /* total size and a reserved word */

/* One tag: all its bytes, header included, and where it lies in the information. */
struct tag {
	struct span bytes;
	u32 type;
	size_t at;
};

static bool tag_short(struct bootinfo *b, const struct tag *t, size_t need)
{
	if (t->bytes.len >= need)
		return false;
	bootinfo_fail(b, "multiboot2 tag %u at offset %zu: size %zu, expected at least %zu",
		      t->type, t->at, t->bytes.len, need);
	return true;
}

/* Copies a string of at most t's bytes, terminated; false if it did not fit. */
static bool copy_string(struct bootinfo *b, const struct tag *t, char *to, size_t cap, size_t *len)
{
	struct span s = span_part(t->bytes, TAG_HEADER, SIZE_MAX);
	size_t n = 0;

	while (n < s.len && s.at[n])
		n++;
	if (n == s.len)
		finding_add(&b->findings, "multiboot2 tag %u at offset %zu: string not terminated",
			    t->type, t->at);
	*len = n < cap ? n : cap - 1;
	if (*len)
		memcpy(to, s.at, *len);
	to[*len] = '\0';
	return *len == n;
}

static void read_cmdline(struct bootinfo *b, const struct tag *t)
{
	b->cmdline_cut = !copy_string(b, t, b->cmdline, sizeof(b->cmdline), &b->cmdline_len);
	if (b->cmdline_cut)
		finding_add(&b->findings, "command line cut to %zu characters", b->cmdline_len);
}

static void read_loader(struct bootinfo *b, const struct tag *t)
{
	size_t len;

	copy_string(b, t, b->loader, sizeof(b->loader), &len);
}

/* The entry size is the loader's to choose: later versions may append to an entry. */
static void read_mmap(struct bootinfo *b, const struct tag *t)
{
	if (tag_short(b, t, 16))
		return;
	u32 step = span_u32(t->bytes, 8);

	if (step < 24 || step % 8) {
		bootinfo_fail(b,
			      "multiboot2 tag %u at offset %zu: memory map entry size %u, expected "
			      "24 or more, a multiple of 8",
			      t->type, t->at, step);
		return;
	}
	size_t at = 16;

	for (; span_has(t->bytes, at, step); at += step)
		bootinfo_add_region(b, span_u64(t->bytes, at), span_u64(t->bytes, at + 8),
				    span_u32(t->bytes, at + 16));
	if (at != t->bytes.len)
		finding_add(&b->findings, "multiboot2 tag %u at offset %zu: last entry is cut",
			    t->type, t->at);
}

static void read_framebuffer(struct bootinfo *b, const struct tag *t)
{
	struct boot_framebuffer *f = &b->framebuffer;

	if (tag_short(b, t, 31))
		return;
	f->address = span_u64(t->bytes, 8);
	f->pitch = span_u32(t->bytes, 16);
	f->width = span_u32(t->bytes, 20);
	f->height = span_u32(t->bytes, 24);
	f->bpp = span_u8(t->bytes, 28);
	f->type = span_u8(t->bytes, 29);
	/*
	 * The text gives one reserved byte, its C structure and GRUB two: the fields start at 32.
	 */
	if (f->type != BOOT_FB_RGB || tag_short(b, t, 38))
		return;
	f->red = (struct boot_field){span_u8(t->bytes, 32), span_u8(t->bytes, 33)};
	f->green = (struct boot_field){span_u8(t->bytes, 34), span_u8(t->bytes, 35)};
	f->blue = (struct boot_field){span_u8(t->bytes, 36), span_u8(t->bytes, 37)};
}

static void read_smbios(struct bootinfo *b, const struct tag *t)
{
	if (tag_short(b, t, 17))
		return;
	struct span s = span_part(t->bytes, 16, BOOT_SMBIOS);

	b->smbios_major = span_u8(t->bytes, 8);
	b->smbios_minor = span_u8(t->bytes, 9);
	memcpy(b->smbios, s.at, s.len);
	b->smbios_len = (u32)s.len;
	b->smbios_cut = s.len < t->bytes.len - 16;
}

static void read_rsdp(struct bootinfo *b, const struct tag *t, u8 copy[36], u32 *len)
{
	if (tag_short(b, t, TAG_HEADER + 20))
		return;
	struct span s = span_part(t->bytes, TAG_HEADER, 36);

	memcpy(copy, s.at, s.len);
	*len = (u32)s.len;
}

static void read_efi64(struct bootinfo *b, const struct tag *t)
{
	b->efi = true;
	if (!tag_short(b, t, TAG_HEADER + 8))
		b->efi_system_table = span_u64(t->bytes, TAG_HEADER);
}

static void read_tag(struct bootinfo *b, const struct tag *t)
{
	switch (t->type) {
	case TAG_CMDLINE:
		read_cmdline(b, t);
		break;
	case TAG_LOADER:
		read_loader(b, t);
		break;
	case TAG_MMAP:
		read_mmap(b, t);
		break;
	case TAG_FRAMEBUFFER:
		read_framebuffer(b, t);
		break;
	case TAG_EFI64:
		read_efi64(b, t);
		break;
	case TAG_SMBIOS:
		read_smbios(b, t);
		break;
	case TAG_RSDP_OLD:
		read_rsdp(b, t, b->rsdp_old, &b->rsdp_old_len);
		break;
	case TAG_RSDP_NEW:
		read_rsdp(b, t, b->rsdp_new, &b->rsdp_new_len);
		break;
	case TAG_EFI_ALIVE:
		finding_add(&b->findings, "EFI boot services were not ended by the loader");
		b->efi = true;
		break;
	case TAG_EFI32:
	case TAG_EFI_MMAP:
	case TAG_EFI32_IMAGE:
	case TAG_EFI64_IMAGE:
		b->efi = true;
		break;
	default:
		break;
	}
}

/* Of a tag that comes twice the first counts: a memory map must not be added up. */
static bool tag_repeated(struct bootinfo *b, const struct tag *t, u32 *seen)
{
	if (t->type >= 32 || t->type == 3 || t->type == TAG_SMBIOS)
		return false;
	if (*seen & 1u << t->type) {
		finding_add(&b->findings, "multiboot2 tag %u at offset %zu: repeated, ignored",
			    t->type, t->at);
		return true;
	}
	*seen |= 1u << t->type;
	return false;
}

/* The tag at `at`, which has room for a header; false with the error if its size is unsound. */
static bool tag_at(struct bootinfo *b, struct span info, size_t at, struct tag *t)
{
	u32 size = span_u32(info, at + 4);

	t->type = span_u32(info, at);
	t->at = at;
	if (size < TAG_HEADER)
		return bootinfo_fail(
			b, "multiboot2 tag %u at offset %zu: size %u, expected at least 8", t->type,
			at, size);
	if (!span_has(info, at, size))
		return bootinfo_fail(
			b, "multiboot2 tag %u at offset %zu: size %u, but %zu bytes are left",
			t->type, at, size, info.len - at);
	t->bytes = span_part(info, at, size);
	return true;
}

static bool walk_tags(struct bootinfo *b, struct span info, u32 *seen, struct tag *meminfo)
{
	size_t at = INFO_START;
	struct tag t;

	while (span_has(info, at, TAG_HEADER)) {
		if (!tag_at(b, info, at, &t))
			return false;
		if (t.type == TAG_END)
			return true;
		if (!tag_repeated(b, &t, seen)) {
			if (t.type == TAG_MEMINFO)
				*meminfo = t;
			read_tag(b, &t);
		}
		at += (t.bytes.len + 7) & ~(size_t)7;
	}
	return bootinfo_fail(b, "multiboot2 information of %zu bytes: no end tag by offset %zu",
			     info.len, at);
}

/* KiB below 1 MiB and above it, up to the first hole: enough to run on (3.6.4). */
static void regions_from_meminfo(struct bootinfo *b, const struct tag *t)
{
	if (!t->bytes.len || tag_short(b, t, 16))
		return;
	finding_add(&b->findings, "no memory map: lower and upper memory taken instead");
	bootinfo_add_region(b, 0, (u64)span_u32(t->bytes, 8) << 10, BOOT_USABLE);
	bootinfo_add_region(b, 1 << 20, (u64)span_u32(t->bytes, 12) << 10, BOOT_USABLE);
}

bool bootinfo_multiboot2(struct bootinfo *out, const void *info, size_t limit)
{
	struct span s = {.at = info, .len = limit};
	struct tag meminfo = {.type = TAG_MEMINFO};
	u32 seen = 0;

	memset(out, 0, sizeof(*out));
	out->path = BOOT_MULTIBOOT2;
	if (!info || limit < INFO_START)
		return bootinfo_fail(out, "multiboot2 information: %zu bytes readable, expected 16",
				     info ? limit : 0);
	u32 total = span_u32(s, 0);

	if (total < INFO_START + TAG_HEADER)
		return bootinfo_fail(
			out, "multiboot2 information: total size %u, expected at least 16", total);
	if (total > limit)
		finding_add(&out->findings, "multiboot2 information: total size %u, readable %zu",
			    total, limit);
	walk_tags(out, span_part(s, 0, total), &seen, &meminfo);
	if (!out->n_regions)
		regions_from_meminfo(out, &meminfo);
	bootinfo_check_regions(out);
	return !out->error[0];
}
