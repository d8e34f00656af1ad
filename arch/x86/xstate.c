// SPDX-License-Identifier: MIT
/*
 * XSAVE state from CPUID leaf 0Dh: sizes, offsets, contradictions, and the images that put a state
 * in use. SDM volume 1 chapter 13, volume 2 CPUID.
 */
#include "xstate.h"

#include "mem.h"

#define LEAF 0xd

#define LEGACY_MASK   3ull
#define AVX512_MASK   (7ull << XSTATE_OPMASK)
#define BND_MASK      (3ull << XSTATE_BNDREGS)
#define TILE_MASK     (3ull << XSTATE_TILECFG)
#define COMPACTED_BIT (1ull << XSTATE_MAX)

#define AREA_MIN (XSAVE_LEGACY + XSAVE_HEADER)

/* In the legacy region, as FXSAVE lays it out. */
#define AT_FCW	 0
#define AT_FSW	 2
#define AT_FTW	 4
#define AT_MXCSR 24
#define AT_ST0	 32
#define AT_XMM	 160
#define XMM_SIZE 256

#define AT_XSTATE_BV XSAVE_LEGACY
#define AT_XCOMP_BV  (XSAVE_LEGACY + 8)

static bool has(u64 mask, u32 component)
{
	return mask >> component & 1;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static void store(u8 *at, u64 value, u32 bytes)
{
	while (bytes--) {
		*at++ = (u8)value;
		value >>= 8;
	}
}

static u64 mask_of(u32 lo, u32 hi)
{
	return ((u64)hi << 32 | lo) & ~COMPACTED_BIT;
}

static void component_read(struct xstate *x, u32 i, cpuid_reader *read, void *ctx)
{
	struct xcomponent *c = &x->c[i];
	struct cpuid_regs r = read(ctx, LEAF, i);

	c->size = r.eax;
	c->supervisor = !has(x->user, i);
	c->offset = c->supervisor ? 0 : r.ebx;
	c->align64 = r.ecx & 2;
	c->xfd = r.ecx & 4;
}

void xstate_read(struct xstate *x, cpuid_reader *read, void *ctx)
{
	struct cpuid_regs r;

	*x = (struct xstate){0};
	/* Above its highest leaf an Intel CPU answers with that leaf's data, not with zeroes. */
	if (read(ctx, 0, 0).eax < LEAF)
		return;
	r = read(ctx, LEAF, 0);
	x->user = mask_of(r.eax, r.edx);
	x->ebx0 = r.ebx;
	x->ecx0 = r.ecx;
	r = read(ctx, LEAF, 1);
	x->super = mask_of(r.ecx, r.edx) & ~x->user;
	x->xsaveopt = r.eax & 1;
	x->xsavec = r.eax & 2;
	x->xgetbv1 = r.eax & 4;
	x->xsaves = r.eax & 8;
	x->xfd = r.eax & 16;
	x->ebx1 = r.ebx;

	x->c[XSTATE_X87].size = has(x->user, XSTATE_X87) ? AT_XMM : 0;
	x->c[XSTATE_SSE].size = has(x->user, XSTATE_SSE) ? XMM_SIZE : 0;
	x->c[XSTATE_SSE].offset = AT_XMM;
	/* By position: the masks have holes, and counting set bits would shift every sub-leaf. */
	for (u32 i = 2; i < XSTATE_MAX; i++)
		if (has(x->user | x->super, i))
			component_read(x, i, read, ctx);
}

static u64 component_end(const struct xcomponent *c)
{
	return (u64)c->offset + c->size;
}

u64 xstate_standard_size(const struct xstate *x, u64 mask)
{
	u64 size = AREA_MIN;

	for (u32 i = 2; i < XSTATE_MAX; i++)
		if (has(mask, i) && x->c[i].size && !x->c[i].supervisor)
			size = larger(size, component_end(&x->c[i]));
	return size;
}

/* Where the next component would start after those of `mask` below `limit`. */
static u64 compacted_end(const struct xstate *x, u64 mask, u32 limit)
{
	u64 at = AREA_MIN;

	for (u32 i = 2; i < limit; i++) {
		if (!has(mask, i))
			continue;
		if (x->c[i].align64)
			at = (at + 63) & ~63ull;
		at += x->c[i].size;
	}
	return at;
}

u64 xstate_compacted_size(const struct xstate *x, u64 mask)
{
	return compacted_end(x, mask, XSTATE_MAX);
}

u64 xstate_compacted_offset(const struct xstate *x, u64 mask, u32 component)
{
	u64 at;

	if (component >= XSTATE_MAX)
		return 0;
	if (component < 2)
		return x->c[component].offset;
	at = compacted_end(x, mask, component);
	return x->c[component].align64 ? (at + 63) & ~63ull : at;
}

/* Clears the whole group unless all of it and of its ground is there. */
static u64 close_group(u64 mask, u64 group, u64 ground)
{
	u64 need = group | ground;

	return (mask & need) == need ? mask : mask & ~group;
}

u64 xcr0_close(u64 wanted)
{
	u64 mask = (wanted & ~COMPACTED_BIT) | 1ull << XSTATE_X87;

	mask = close_group(mask, 1ull << XSTATE_AVX, 1ull << XSTATE_SSE);
	mask = close_group(mask, AVX512_MASK, 1ull << XSTATE_AVX);
	mask = close_group(mask, BND_MASK, 0);
	return close_group(mask, TILE_MASK, 0);
}

struct findings {
	struct xstate_finding *at;
	size_t cap, n;
};

static void find(struct findings *f, enum xstate_fault fault, u32 component, u64 said, u64 computed)
{
	if (f->n < f->cap)
		f->at[f->n] = (struct xstate_finding){fault, component, said, computed};
	f->n++;
}

/* Does component i lie in the legacy region or header, or on a component before it? */
static bool component_overlaps(const struct xstate *x, u32 i)
{
	const struct xcomponent *c = &x->c[i];

	if (c->offset < AREA_MIN)
		return true;
	for (u32 k = 2; k < i; k++) {
		const struct xcomponent *other = &x->c[k];

		if (!other->size || other->supervisor)
			continue;
		if (c->offset < component_end(other) && other->offset < component_end(c))
			return true;
	}
	return false;
}

size_t xstate_check(const struct xstate *x, u64 xcr0, u64 xss, struct xstate_finding *f, size_t cap)
{
	struct findings all = {f, cap, 0};
	u64 standard = xstate_standard_size(x, xcr0);
	u64 compacted = xstate_compacted_size(x, xcr0 | xss);

	if (x->ebx0 != standard)
		find(&all, XSTATE_STANDARD_SIZE, 0, x->ebx0, standard);
	if ((x->xsavec || x->xsaves) && x->ebx1 != compacted)
		find(&all, XSTATE_COMPACTED_SIZE, 0, x->ebx1, compacted);
	for (u32 i = 2; i < XSTATE_MAX; i++) {
		if (x->c[i].size && !x->c[i].supervisor && component_overlaps(x, i))
			find(&all, XSTATE_OVERLAP, i, 0, 0);
		if (has(xcr0 | xss, i) && !x->c[i].size)
			find(&all, XSTATE_ABSENT, i, 0, 0);
	}
	return all.n;
}

u64 xstate_area_size(const struct xstate *x, u64 xcr0, u64 xss)
{
	u64 said = larger(x->ebx0, x->ebx1);
	u64 computed = larger(xstate_standard_size(x, xcr0), xstate_compacted_size(x, xcr0 | xss));

	return (larger(said, computed) + 63) & ~63ull;
}

size_t xstate_cumulative(u64 mask, u64 set[XSTATE_MAX])
{
	static const u64 together[] = {
		LEGACY_MASK, 1ull << XSTATE_AVX,  BND_MASK,
		AVX512_MASK, 1ull << XSTATE_PKRU, TILE_MASK,
	};
	u64 sum = 0;
	size_t n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(together) + XSTATE_MAX; i++) {
		u64 next =
			i < ARRAY_SIZE(together) ? together[i] : 1ull << (i - ARRAY_SIZE(together));

		if (!(mask & next & ~sum))
			continue;
		sum |= mask & next;
		set[n++] = sum;
	}
	return n;
}

const char *xstate_name(u32 component)
{
	static const char *const name[] = {
		"x87",	    "SSE", "AVX",  "BNDREGS", "BNDCSR",	  "opmask", "ZMM_Hi256",
		"Hi16_ZMM", "PT",  "PKRU", "PASID",   "CET_U",	  "CET_S",  "HDC",
		"UINTR",    "LBR", "HWP",  "TILECFG", "TILEDATA",
	};

	return component < ARRAY_SIZE(name) ? name[component] : NULL;
}

/* No byte is zero, so no register a state holds is. */
static void fill_nonzero(u8 *at, u32 n)
{
	for (u32 i = 0; i < n; i++)
		at[i] = (u8)(i % 255 + 1);
}

/* ST0 = 1.0 as physical register 7: TOP = 7, and only its tag says valid. */
static void write_x87(u8 *legacy)
{
	store(legacy + AT_FCW, 0x037f, 2);
	store(legacy + AT_FSW, 7 << 11, 2);
	store(legacy + AT_FTW, 0x80, 1);
	store(legacy + AT_ST0, 1ull << 63, 8);
	store(legacy + AT_ST0 + 8, 0x3fff, 2);
}

static void write_sse(u8 *legacy)
{
	store(legacy + AT_MXCSR, 0x1f80, 4);
	fill_nonzero(legacy + AT_XMM, XMM_SIZE);
}

/*
 * BNDPRESERVE without EN: enabled, every plain branch would reset the bound registers and take
 * BNDREGS out of use again.
 */
static void write_bndcsr(u8 *at)
{
	store(at, 2, 8);
	store(at + 8, 0, 8);
}

/* Key 0 stays allowed: every page has it. */
static void write_pkru(u8 *at)
{
	store(at, 0x55555554, 8);
}

/* Palette 1, eight tiles of 16 rows of 64 bytes. A set reserved byte makes XRSTOR fault. */
static void write_tilecfg(u8 *at)
{
	memset(at, 0, 64);
	at[0] = 1;
	for (u32 tile = 0; tile < 8; tile++) {
		store(at + 16 + 2 * tile, 64, 2);
		at[48 + tile] = 16;
	}
}

static const struct payload {
	u32 size;	       /* what is written; a component said to be smaller is refused */
	void (*write)(u8 *at); /* NULL: any bytes are valid */
} payload_table[XSTATE_TILEDATA + 1] = {
	[XSTATE_X87] = {AT_XMM, write_x87},   [XSTATE_SSE] = {XMM_SIZE, write_sse},
	[XSTATE_AVX] = {256, NULL},	      [XSTATE_BNDREGS] = {64, NULL},
	[XSTATE_BNDCSR] = {16, write_bndcsr}, [XSTATE_OPMASK] = {64, NULL},
	[XSTATE_ZMM_HI256] = {512, NULL},     [XSTATE_HI16_ZMM] = {1024, NULL},
	[XSTATE_PKRU] = {8, write_pkru},      [XSTATE_TILECFG] = {64, write_tilecfg},
	[XSTATE_TILEDATA] = {8192, NULL},
};

static const struct payload *payload_of(u32 component, u32 size)
{
	const struct payload *p;

	if (component >= ARRAY_SIZE(payload_table))
		return NULL;
	p = &payload_table[component];
	return p->size && size >= p->size ? p : NULL;
}

bool xstate_payload(u32 component, u8 *at, u32 size)
{
	const struct payload *p = payload_of(component, size);

	if (!p)
		return false;
	if (p->write)
		p->write(at);
	else
		fill_nonzero(at, p->size);
	return true;
}

u64 xstate_payload_set(const struct xstate *x, u64 mask)
{
	u64 set = 0;

	for (u32 i = 0; i < XSTATE_MAX; i++)
		if (has(mask, i) && payload_of(i, x->c[i].size))
			set |= 1ull << i;
	return set;
}

/* Has component i a place in the image, and where? */
static bool image_place(const struct xstate *x, u64 area_size, u64 compact, u32 i, u64 *at)
{
	if (compact && !has(compact, i))
		return false;
	*at = 0;
	if (i < 2)
		return true;
	*at = compact ? xstate_compacted_offset(x, compact, i) : x->c[i].offset;
	return !x->c[i].supervisor && *at >= AREA_MIN && *at + x->c[i].size <= area_size;
}

void xstate_image(const struct xstate *x, u8 *area, u64 area_size, u64 bits, u64 compact)
{
	u64 at, bv = 0;

	memset(area, 0, area_size);
	store(area + AT_FCW, 0x037f, 2);
	store(area + AT_MXCSR, 0x1f80, 4);
	for (u32 i = 0; i < XSTATE_MAX; i++)
		if (has(bits, i) && image_place(x, area_size, compact, i, &at) &&
		    xstate_payload(i, area + at, x->c[i].size))
			bv |= 1ull << i;
	store(area + AT_XSTATE_BV, bv, 8);
	store(area + AT_XCOMP_BV, compact ? compact | COMPACTED_BIT : 0, 8);
}
