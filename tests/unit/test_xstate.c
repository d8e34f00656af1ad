// SPDX-License-Identifier: MIT
/* Leaf 0Dh, recorded and contradictory; XCR0 closure; payloads and images. */
#include "amx.h"
#include "draw.h"
#include "xstate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A machine's leaf 0Dh: sub-leaves by number; `max` is the highest basic leaf. */
struct dump {
	u32 max;
	struct cpuid_regs sub[63];
};

static struct cpuid_regs dump_read(void *ctx, u32 leaf, u32 subleaf)
{
	const struct dump *d = ctx;

	if (leaf == 0)
		return (struct cpuid_regs){.eax = d->max};
	assert_int_equal(leaf, 0xd);
	assert_true(subleaf < 63);
	return d->sub[subleaf];
}

static struct xstate load(const struct dump *d)
{
	struct xstate x;

	memset(&x, 0xee, sizeof(x));
	xstate_read(&x, dump_read, (void *)d);
	return x;
}

static const struct dump amx = {0x20, AMX_LEAF_D};

/* QEMU 7.2 TCG, each after XSETBV of all that is offered. */
static const struct dump qemu_max = {
	0xd,
	{[0] = {0x21f, 0xa88, 0xa88, 0},
	 [1] = {5, 0x3c8, 0, 0},
	 [2] = {0x100, 0x240, 0, 0},
	 [3] = {0x40, 0x3c0, 0, 0},
	 [4] = {0x40, 0x400, 0, 0},
	 [9] = {8, 0xa80, 0, 0}},
};

static const struct dump skylake_server_v5 = {
	0xd,
	{[0] = {0x2e7, 0xa88, 0xa88, 0},
	 [1] = {5, 0x988, 0, 0},
	 [2] = {0x100, 0x240, 0, 0},
	 [5] = {0x40, 0x440, 0, 0},
	 [6] = {0x200, 0x480, 0, 0},
	 [7] = {0x400, 0x680, 0, 0},
	 [9] = {8, 0xa80, 0, 0}},
};

static const struct dump epyc_milan = {
	0xd,
	{[0] = {0x207, 0xa88, 0xa88, 0},
	 [1] = {5, 0x348, 0, 0},
	 [2] = {0x100, 0x240, 0, 0},
	 [9] = {8, 0xa80, 0, 0}},
};

static const struct dump epyc_rome = {
	0xd,
	{[0] = {7, 0x340, 0x340, 0}, [1] = {5, 0x340, 0, 0}, [2] = {0x100, 0x240, 0, 0}},
};

static const struct dump haswell = {
	0xd,
	{[0] = {7, 0x340, 0x340, 0}, [1] = {1, 0x340, 0, 0}, [2] = {0x100, 0x240, 0, 0}},
};

static const struct dump denverton = {
	0x15,
	{[0] = {3, 0x240, 0x240, 0}, [1] = {5, 0x240, 0, 0}},
};

static void test_recorded(void **state)
{
	static const struct {
		const struct dump *d;
		u64 user, standard, compacted;
	} row[] = {
		{&amx, 0x602e7, 11008, 10752},
		{&qemu_max, 0x21f, 2696, 968},
		{&skylake_server_v5, 0x2e7, 2696, 2440},
		{&epyc_milan, 0x207, 2696, 840},
		{&epyc_rome, 7, 832, 832},
		{&haswell, 7, 832, 832},
		{&denverton, 3, 576, 576},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct xstate x = load(row[i].d);
		struct xstate_finding f[4];

		assert_int_equal(x.user, row[i].user);
		assert_int_equal(xstate_standard_size(&x, x.user), row[i].standard);
		assert_int_equal(xstate_compacted_size(&x, x.user), row[i].compacted);
		assert_int_equal(xstate_check(&x, x.user, 0, f, ARRAY_SIZE(f)), 0);
		assert_int_equal(xcr0_close(x.user), x.user);
		assert_int_equal(xstate_area_size(&x, x.user, 0), (row[i].standard + 63) & ~63ull);
	}
}

static void test_amx(void **state)
{
	struct xstate x = load(&amx);

	(void)state;
	assert_true(x.xsaveopt && x.xsavec && x.xgetbv1 && x.xsaves && x.xfd);
	assert_int_equal(x.super, 0x1800);
	assert_true(x.c[XSTATE_CET_U].supervisor && !x.c[XSTATE_TILECFG].supervisor);
	assert_true(x.c[XSTATE_TILEDATA].xfd && x.c[XSTATE_TILEDATA].align64);
	assert_true(x.c[XSTATE_TILECFG].align64 && !x.c[XSTATE_TILECFG].xfd);
	assert_int_equal(xstate_compacted_size(&x, x.user | x.super), 0x2a00);
	/* Alone, a component stands right after the header. */
	assert_int_equal(xstate_compacted_offset(&x, 1ull << XSTATE_TILEDATA, XSTATE_TILEDATA),
			 576);
	/* PKRU ends at 2440; the tiles are aligned. */
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_PKRU), 2432);
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_TILECFG), 2496);
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_TILEDATA), 2560);
	/* Between components that are not in the image there is nothing. */
	assert_int_equal(xstate_compacted_offset(&x, 0x200, XSTATE_PKRU), 576);
}

static void test_gates(void **state)
{
	struct xstate x = load(&haswell);

	(void)state;
	assert_true(x.xsaveopt);
	assert_false(x.xsavec || x.xgetbv1 || x.xsaves || x.xfd);
}

/* A CPU without the leaf; Intel ones would answer with another leaf's data. */
static void test_unreached(void **state)
{
	struct dump d = amx;
	struct xstate x, zero = {0};

	(void)state;
	d.max = 0xc;
	x = load(&d);
	assert_memory_equal(&x, &zero, sizeof(x));
}

static struct cpuid_regs all_ones(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx, (void)leaf, (void)subleaf;
	return (struct cpuid_regs){~0u, ~0u, ~0u, ~0u};
}

/* Bit 63 is no component; a sum of 4 GiB offsets and sizes must not wrap. */
static void test_all_ones(void **state)
{
	struct xstate_finding f[8];
	struct xstate x;
	u8 area[1024];

	(void)state;
	xstate_read(&x, all_ones, NULL);
	assert_int_equal(x.user, ~0ull >> 1);
	assert_int_equal(x.super, 0);
	assert_int_equal(xstate_standard_size(&x, ~0ull), 2 * 0xffffffffull);
	assert_true(xstate_compacted_size(&x, ~0ull) >= 61 * 0xffffffffull);
	assert_true(xstate_area_size(&x, ~0ull, 0) >= 61 * 0xffffffffull);
	assert_true(xstate_check(&x, x.user, 0, f, ARRAY_SIZE(f)) > ARRAY_SIZE(f));
	/* Nothing of it fits: only the legacy components are written. */
	xstate_image(&x, area, sizeof(area), ~0ull, 0);
	assert_int_equal(area[512], 3);
	for (int i = 513; i < 1024; i++)
		assert_int_equal(area[i], 0);
}

static size_t check(const struct dump *d, u64 xcr0, u64 xss, struct xstate_finding f[8])
{
	struct xstate x = load(d);

	memset(f, 0, 8 * sizeof(*f));
	return xstate_check(&x, xcr0, xss, f, 8);
}

/* Seen under a hypervisor that masks tiles in one sub-leaf and not in the other. */
static void test_contradiction(void **state)
{
	struct xstate_finding f[8];
	struct dump d = amx;

	(void)state;
	d.sub[0].eax = 0x600e7;
	d.sub[0].ebx = d.sub[0].ecx = 0x2b00;
	d.sub[1].ebx = 0x29d0;
	d.sub[9] = (struct cpuid_regs){0};
	assert_int_equal(check(&d, 0x600e7, 0, f), 1);
	assert_int_equal(f[0].fault, XSTATE_COMPACTED_SIZE);
	assert_int_equal(f[0].said, 0x29d0);
	assert_int_equal(f[0].computed, 0x2a00 - 64);
}

static void test_sizes(void **state)
{
	struct xstate_finding f[8];
	struct dump d = amx;

	(void)state;
	/* EBX that does not follow XCR0. */
	assert_int_equal(check(&d, 7, 0, f), 2);
	assert_int_equal(f[0].fault, XSTATE_STANDARD_SIZE);
	assert_int_equal(f[0].said, 11008);
	assert_int_equal(f[0].computed, 832);
	assert_int_equal(f[1].fault, XSTATE_COMPACTED_SIZE);
	/* Without XSAVEC and XSAVES nobody asks what sub-leaf 1 says. */
	d.sub[1].eax = 5;
	d.sub[1].ebx = 1;
	assert_int_equal(check(&d, 0x602e7, 0, f), 0);
	/* Either of the two is enough. */
	for (u32 bit = 2; bit <= 8; bit += 6) {
		d.sub[1].eax = bit;
		assert_int_equal(check(&d, 0x602e7, 0, f), 1);
		assert_int_equal(f[0].fault, XSTATE_COMPACTED_SIZE);
	}
	/* The larger of what is said and computed is reserved, in whole lines. */
	struct xstate x = load(&d);
	x.ebx0 = 1;
	assert_int_equal(xstate_area_size(&x, 0x602e7, 0), 11008);
	x.ebx1 = 20001;
	assert_int_equal(xstate_area_size(&x, 0x602e7, 0), 20032);
	x = load(&qemu_max);
	assert_int_equal(xstate_area_size(&x, 0x21f, 0), 2752);
}

/* What is aligned begins on a line; where it ends is not rounded, nor what follows it. */
static void test_alignment(void **state)
{
	struct dump d = amx;
	struct xstate x;

	(void)state;
	d.sub[9].ecx = 2; /* PKRU, 8 bytes */
	x = load(&d);
	assert_int_equal(xstate_compacted_size(&x, 7), 832);
	assert_int_equal(xstate_compacted_offset(&x, 0x1a07, XSTATE_PKRU), 832);
	assert_int_equal(xstate_compacted_offset(&x, 0x1a07, XSTATE_CET_U), 840);
	assert_int_equal(xstate_compacted_offset(&x, 0x1a07, XSTATE_CET_S), 856);
	assert_int_equal(xstate_compacted_size(&x, 0x1a07), 880);
	d.sub[11].ecx |= 2;
	x = load(&d);
	assert_int_equal(xstate_compacted_offset(&x, 0x1a07, XSTATE_CET_U), 896);
	assert_int_equal(xstate_compacted_offset(&x, 0x1a07, XSTATE_CET_S), 912);
	assert_int_equal(xstate_compacted_size(&x, 0x1a07), 936);
}

static void test_overlap(void **state)
{
	struct xstate_finding f[8];
	struct dump d = amx;

	(void)state;
	d.sub[9].ebx = 0x680; /* on Hi16_ZMM */
	assert_int_equal(check(&d, 0x602e7, 0, f), 1);
	assert_int_equal(f[0].fault, XSTATE_OVERLAP);
	assert_int_equal(f[0].component, XSTATE_PKRU);
	d = amx;
	d.sub[2].ebx = 0x23f; /* in the header */
	assert_int_equal(check(&d, 0x602e7, 0, f), 1);
	assert_int_equal(f[0].component, XSTATE_AVX);
	/* Just touching is none; ending past 4 GiB must not wrap into one. */
	d = epyc_milan;
	d.sub[9].ebx = 0xfffffff8;
	d.sub[9].eax = 0x10;
	d.sub[0].ebx = d.sub[0].ecx = 0;
	assert_int_equal(check(&d, 0x207, 0, f), 1);
	assert_int_equal(f[0].fault, XSTATE_STANDARD_SIZE);
	assert_int_equal(f[0].computed, 0x100000008);
	/* Far beyond any buffer, but consistent. */
	d = epyc_milan;
	d.sub[9].ebx = 0x100000;
	d.sub[0].ebx = 0x100008;
	assert_int_equal(check(&d, 0x207, 0, f), 0);
}

static void test_absent(void **state)
{
	struct xstate_finding f[8];
	struct dump d = skylake_server_v5;

	(void)state;
	d.sub[9] = (struct cpuid_regs){0};
	assert_int_equal(check(&d, 0x2e7, 0, f), 2);
	assert_int_equal(f[0].fault, XSTATE_STANDARD_SIZE);
	assert_int_equal(f[1].fault, XSTATE_ABSENT);
	assert_int_equal(f[1].component, XSTATE_PKRU);
	/* XCR0 with what leaf 0Dh does not offer at all. */
	assert_int_equal(check(&denverton, 7, 0, f), 1);
	assert_int_equal(f[0].fault, XSTATE_ABSENT);
	assert_int_equal(f[0].component, XSTATE_AVX);
	/* A size of 0 with an offset adds nothing. */
	d.sub[9].ebx = 0x8000;
	struct xstate x = load(&d);
	assert_int_equal(xstate_standard_size(&x, 0x2e7), 2688);
	assert_int_equal(xstate_payload_set(&x, 0x2e7), 0xe7);
}

/* Supervisor components have no place in the standard format, whatever EBX says. */
static void test_supervisor(void **state)
{
	struct xstate_finding f[8];
	struct dump d = amx;
	struct xstate x;

	(void)state;
	d.sub[11].ebx = 0x240;
	d.sub[12].ebx = 0xfffff000;
	x = load(&d);
	assert_int_equal(x.c[XSTATE_CET_U].offset, 0);
	assert_int_equal(xstate_standard_size(&x, ~0ull), 11008);
	assert_int_equal(check(&d, 0x602e7, 0x1800, f), 0);
	/* It counts in the compacted format: CET's 16 and 24 bytes behind AVX. */
	d.sub[0].ebx = 832;
	d.sub[1].ebx = 872;
	assert_int_equal(check(&d, 7, 0x1800, f), 0);
	assert_int_equal(check(&d, 7, 0, f), 1);
	assert_int_equal(f[0].fault, XSTATE_COMPACTED_SIZE);
	/* LBR's is longer than the least area, and adds nothing to a standard one. */
	d.sub[1].ecx |= 1u << XSTATE_LBR;
	d.sub[15] = (struct cpuid_regs){0x328, 0, 1, 0};
	x = load(&d);
	assert_int_equal(xstate_standard_size(&x, 3 | 1ull << XSTATE_LBR), 576);
	/* In both masks: user state. */
	d = amx;
	d.sub[1].ecx = 0x1804;
	x = load(&d);
	assert_int_equal(x.super, 0x1800);
	assert_false(x.c[XSTATE_AVX].supervisor);
}

static void test_findings_bounded(void **state)
{
	struct xstate_finding one[2] = {{0}, {XSTATE_FINE, 77, 0, 0}};
	struct xstate x = load(&amx);

	(void)state;
	assert_int_equal(xstate_check(&x, 7, 0, one, 1), 2);
	assert_int_equal(one[1].component, 77);
	assert_int_equal(xstate_check(&x, 7, 0, NULL, 0), 2);
}

static void test_close(void **state)
{
	static const struct {
		u64 wanted, closed;
	} row[] = {
		{0, 1},
		{1, 1},
		{2, 3},
		{4, 1},
		{5, 1},
		{6, 7},
		{0xe7, 0xe7},
		{0x67, 7},
		{0xa7, 7},
		{0xc7, 7},
		{0xe3, 3},
		{0xe5, 1},
		{0xf, 7},
		{0x17, 7},
		{0x1f, 0x1f},
		{0x18, 0x19},
		{0x200, 0x201},
		{0x40007, 7},
		{0x20007, 7},
		{0x60000, 0x60001},
		{0x602e7, 0x602e7},
		{1ull << 63 | 7, 7},
		{1ull << 62 | 3, 1ull << 62 | 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		assert_int_equal(xcr0_close(row[i].wanted), row[i].closed);
	/* Closing takes away only, but for x87, and once is enough. */
	for (int i = 0; i < 10000; i++) {
		u64 wanted = draw(), closed = xcr0_close(wanted);

		assert_int_equal(closed & ~(wanted | 1), 0);
		assert_int_equal(xcr0_close(closed), closed);
	}
}

static void test_cumulative(void **state)
{
	static const u64 all_amx[] = {3, 7, 0xe7, 0x2e7, 0x602e7};
	static const u64 all_max[] = {3, 7, 0x1f, 0x21f};
	u64 set[XSTATE_MAX];

	(void)state;
	assert_int_equal(xstate_cumulative(0x602e7, set), 5);
	assert_memory_equal(set, all_amx, sizeof(all_amx));
	assert_int_equal(xstate_cumulative(0x21f, set), 4);
	assert_memory_equal(set, all_max, sizeof(all_max));
	assert_int_equal(xstate_cumulative(0, set), 0);
	assert_int_equal(xstate_cumulative(1, set), 1);
	/* What has no group of its own follows by bit. */
	assert_int_equal(xstate_cumulative(1ull << 19 | 1ull << 62 | 7, set), 4);
	assert_int_equal(set[2], 1ull << 19 | 7);
	for (int i = 0; i < 1000; i++) {
		u64 mask = draw() & ~0ull >> 1;
		size_t n = xstate_cumulative(mask, set);

		assert_true(n > 0 && n <= XSTATE_MAX);
		assert_int_equal(set[n - 1], mask);
		for (size_t k = 1; k < n; k++)
			assert_true((set[k - 1] & ~set[k]) == 0 && set[k] != set[k - 1]);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(xstate_name(0), "x87");
	assert_string_equal(xstate_name(XSTATE_PKRU), "PKRU");
	assert_string_equal(xstate_name(XSTATE_TILEDATA), "TILEDATA");
	assert_null(xstate_name(19));
	assert_null(xstate_name(~0u));
}

static u64 u64_at(const u8 *at)
{
	u64 v;

	memcpy(&v, at, 8);
	return v;
}

static bool any_nonzero(const u8 *at, size_t n)
{
	while (n--)
		if (at[n])
			return true;
	return false;
}

/* What the manual reserves stays zero, and every state differs from its initial one. */
static void test_payload(void **state)
{
	u8 at[8192 + 64];

	(void)state;
	memset(at, 0, sizeof(at));
	assert_true(xstate_payload(XSTATE_X87, at, 160));
	assert_int_equal(at[0] | at[1] << 8, 0x37f);
	assert_int_equal(at[4], 0x80); /* ST0 is physical register TOP = 7 */
	assert_int_equal((at[2] | at[3] << 8) >> 11 & 7, 7);
	assert_int_equal(u64_at(at + 32) >> 63, 1); /* a normal number has its integer bit */
	assert_true(xstate_payload(XSTATE_SSE, at, 256));
	assert_int_equal(u64_at(at + 24) & 0xffffffff, 0x1f80);
	for (int i = 0; i < 16; i++)
		assert_true(any_nonzero(at + 160 + 16 * i, 16));

	memset(at, 0xee, sizeof(at));
	assert_true(xstate_payload(XSTATE_PKRU, at, 8));
	assert_int_equal(u64_at(at), 0x55555554);
	assert_int_equal(at[8], 0xee);
	assert_true(xstate_payload(XSTATE_BNDCSR, at, 64));
	assert_int_equal(u64_at(at) & ~2ull, 0); /* not enabled, no base, no reserved bit */
	assert_true(any_nonzero(at, 8));
	assert_int_equal(u64_at(at + 8), 0);

	memset(at, 0xee, sizeof(at));
	assert_true(xstate_payload(XSTATE_TILECFG, at, 64));
	assert_int_equal(at[0], 1);
	assert_false(any_nonzero(at + 1, 15));
	for (int i = 0; i < 16; i++) {
		u32 colsb = at[16 + 2 * i] | at[17 + 2 * i] << 8, rows = at[48 + i];

		assert_true(i < 8 ? colsb <= 64 && colsb && rows && rows <= 16 : !colsb && !rows);
	}
	assert_int_equal(at[64], 0xee);
}

static void test_payload_bounds(void **state)
{
	u8 at[8192 + 64];

	(void)state;
	for (u32 i = 0; i < 70; i++) {
		struct xstate x = {0};
		bool known = (0x602ffull >> (i < 64 ? i : 63)) & 1;

		memset(at, 0xee, sizeof(at));
		assert_int_equal(xstate_payload(i, at, 8192), known);
		assert_int_equal(at[8192], 0xee);
		if (i >= XSTATE_MAX)
			continue;
		x.c[i].size = 8192;
		assert_int_equal(xstate_payload_set(&x, ~0ull), known ? 1ull << i : 0);
		x.c[i].size = 7; /* too small for any of them */
		assert_int_equal(xstate_payload_set(&x, ~0ull), 0);
		assert_false(xstate_payload(i, at, 7));
	}
}

static void test_image_standard(void **state)
{
	struct xstate x = load(&amx);
	static u8 area[11008 + 64];

	(void)state;
	memset(area, 0xee, sizeof(area));
	xstate_image(&x, area, 11008, 0x602e7, 0);
	assert_int_equal(u64_at(area + 512), 0x602e7);
	assert_false(any_nonzero(area + 520, 56));
	assert_int_equal(u64_at(area + 0xa80), 0x55555554);
	assert_int_equal(area[0xac0], 1);
	assert_true(any_nonzero(area + 0xb00, 8192));
	assert_int_equal(area[11008], 0xee);
	/* Nothing in use, but loadable: MXCSR 0 would unmask every exception. */
	xstate_image(&x, area, 11008, 0, 0);
	assert_int_equal(u64_at(area + 512), 0);
	assert_int_equal(u64_at(area + 24) & 0xffffffff, 0x1f80);
	assert_int_equal(area[0] | area[1] << 8, 0x37f);
	/* A supervisor component, one without payload, one beyond the area. */
	xstate_image(&x, area, 0xa80, 0x602e7 | 0x1800 | 1ull << 40, 0);
	assert_int_equal(u64_at(area + 512), 0xe7);
}

static void test_image_compact(void **state)
{
	struct xstate x = load(&amx);
	static u8 area[11008];

	(void)state;
	xstate_image(&x, area, sizeof(area), 0x202, 0x202 | 4);
	assert_int_equal(u64_at(area + 512), 0x202);
	assert_int_equal(u64_at(area + 520), 1ull << 63 | 0x206);
	assert_false(any_nonzero(area + 528, 48));
	assert_int_equal(u64_at(area + 576 + 256), 0x55555554);
	/* XSTATE_BV outside XCOMP_BV would fault. */
	xstate_image(&x, area, sizeof(area), 0x2e7, 0x4);
	assert_int_equal(u64_at(area + 512), 0x4);
	xstate_image(&x, area, sizeof(area), 0x602e7, 0x602e7 | 0x1800);
	assert_int_equal(u64_at(area + 512), 0x602e7);
	assert_int_equal(area[0x9c0], 1);
}

/* Any leaf whatever: nothing is written outside the area, no size wraps below the minimum. */
static void test_random(void **state)
{
	static u8 area[4096 + 64];

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct dump d = {.max = 0xd};
		struct xstate_finding f[4];
		struct xstate x;
		u64 size = 576 + draw_below(4096 - 576);

		for (u32 i = 0; i < 63; i++)
			d.sub[i] = (struct cpuid_regs){(u32)draw_wide(), (u32)draw_wide(),
						       (u32)draw(), (u32)draw()};
		x = load(&d);
		assert_true(xstate_standard_size(&x, draw()) >= 576);
		assert_true(xstate_area_size(&x, x.user, x.super) % 64 == 0);
		xstate_check(&x, draw(), draw(), f, ARRAY_SIZE(f));
		memset(area, 0xee, sizeof(area));
		xstate_image(&x, area, size, draw(), draw_below(2) ? draw() : 0);
		for (u64 i = size; i < size + 64; i++)
			assert_int_equal(area[i], 0xee);
	}
}

/* Supervisor state has no place in the standard format, however large it is. */
static void supervisor_state_overlaps_nothing(void **state)
{
	struct xstate x = {.user = 3 | 1ull << XSTATE_TILECFG, .super = 1ull << XSTATE_CET_U};
	struct xstate_finding f[4];

	(void)state;
	x.c[XSTATE_CET_U] = (struct xcomponent){.size = 4000, .supervisor = true};
	x.c[XSTATE_TILECFG] = (struct xcomponent){.size = 64, .offset = 2752};
	x.ebx0 = 2816;
	assert_int_equal(xstate_check(&x, x.user, 0, f, 4), 0);
	x.c[XSTATE_SSE].offset = 160;
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_X87), 0);
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_SSE), 160);
	assert_int_equal(xstate_compacted_offset(&x, x.user, XSTATE_TILECFG), 576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(supervisor_state_overlaps_nothing),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_amx),
		cmocka_unit_test(test_gates),
		cmocka_unit_test(test_unreached),
		cmocka_unit_test(test_all_ones),
		cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_supervisor),
		cmocka_unit_test(test_findings_bounded),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_cumulative),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_payload),
		cmocka_unit_test(test_payload_bounds),
		cmocka_unit_test(test_image_standard),
		cmocka_unit_test(test_image_compact),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, draw_start, NULL);
}
