/* SPDX-License-Identifier: MIT */
/*
 * The layout of XSAVE state from CPUID leaf 0Dh. SDM volume 1 chapter 13. A pure parser: it asks
 * through a reader passed in, so tests feed it recorded and contradictory dumps.
 */
#ifndef XSTATE_H
#define XSTATE_H

#include "insn.h"
#include "types.h"

#define XSTATE_X87	 0
#define XSTATE_SSE	 1
#define XSTATE_AVX	 2
#define XSTATE_BNDREGS	 3
#define XSTATE_BNDCSR	 4
#define XSTATE_OPMASK	 5
#define XSTATE_ZMM_HI256 6
#define XSTATE_HI16_ZMM	 7
#define XSTATE_PT	 8
#define XSTATE_PKRU	 9
#define XSTATE_PASID	 10
#define XSTATE_CET_U	 11
#define XSTATE_CET_S	 12
#define XSTATE_HDC	 13
#define XSTATE_UINTR	 14
#define XSTATE_LBR	 15
#define XSTATE_HWP	 16
#define XSTATE_TILECFG	 17
#define XSTATE_TILEDATA	 18
#define XSTATE_MAX	 63 /* bits 2..62 are walked; 63 means compacted */

#define XSAVE_LEGACY 512
#define XSAVE_HEADER 64

struct xcomponent {
	u32 size;   /* bytes; 0: not offered */
	u32 offset; /* in the standard format; 0 for supervisor components */
	bool supervisor;
	bool align64; /* in the compacted format */
	bool xfd;
};

struct xstate {
	u64 user, super; /* XCR0 and IA32_XSS bits offered */
	bool xsaveopt, xsavec, xgetbv1, xsaves, xfd;
	u32 ebx0, ecx0; /* sub-leaf 0: size for XCR0 as it is, for all offered */
	u32 ebx1;	/* sub-leaf 1: compacted size for XCR0 | XSS as they are */
	struct xcomponent c[XSTATE_MAX];
};

/*
 * Reads the leaf; all zero when CPUID does not reach it. Bit 63 of the masks is no component and is
 * dropped. A component in both masks counts as user state. Call again after XSETBV, since EBX of
 * sub-leaves 0 and 1 follow XCR0 and XSS.
 */
void xstate_read(struct xstate *x, cpuid_reader *read, void *ctx);

/* Bytes of an area holding the components in mask; at least 576. */
u64 xstate_standard_size(const struct xstate *x, u64 mask);
u64 xstate_compacted_size(const struct xstate *x, u64 mask);

/* Offset of a component in a compacted image with XCOMP_BV bits `mask`; 0 for bit 63 and above. */
u64 xstate_compacted_offset(const struct xstate *x, u64 mask, u32 component);

/*
 * Closes a wanted XCR0 under the dependency rules by dropping what lacks its ground: bit 0 always,
 * AVX needs SSE, AVX-512's three go together and need AVX, BND pair, tile pair.
 */
u64 xcr0_close(u64 wanted);

/* Contradictions in the leaf. */
enum xstate_fault {
	XSTATE_FINE,
	XSTATE_STANDARD_SIZE,  /* sub-leaf 0 EBX is not what the sub-leaves add up to */
	XSTATE_COMPACTED_SIZE, /* sub-leaf 1 EBX likewise; only asked with XSAVEC or XSAVES */
	XSTATE_OVERLAP,	       /* two components share bytes, or one lies in the legacy region */
	XSTATE_ABSENT,	       /* XCR0 holds a component whose sub-leaf is empty */
};
#define XSTATE_FAULTS 5

struct xstate_finding {
	enum xstate_fault fault;
	u32 component;	    /* for OVERLAP and ABSENT */
	u64 said, computed; /* bytes, for the sizes */
};

/* Returns how many findings there are, storing at most cap of them. xcr0, xss: as now set. */
size_t xstate_check(const struct xstate *x, u64 xcr0, u64 xss, struct xstate_finding *f,
		    size_t cap);

/*
 * Bytes to reserve for any format: the larger of all that is said and computed, rounded up to 64.
 */
u64 xstate_area_size(const struct xstate *x, u64 xcr0, u64 xss);

/*
 * The sweep's cumulative sets of the components in mask, smallest first: {x87, SSE}, then AVX, the
 * bound registers, AVX-512's three, PKRU, the tile pair, then each other component by bit. The last
 * one is mask itself. Returns how many; at most XSTATE_MAX.
 */
size_t xstate_cumulative(u64 mask, u64 set[XSTATE_MAX]);

/* "SSE", "ZMM_Hi256", ...; NULL for one without a name in the manual. */
const char *xstate_name(u32 component);

/*
 * The one payload table: writes a valid, harmless, non-initial value of the component at `at`
 * (its size bytes) and returns true; false: not in the table, init-state cells only.
 * Legacy components (0, 1) write into the legacy region given as `at`.
 */
bool xstate_payload(u32 component, u8 *at, u32 size);

/* The components of mask that the table can write at the sizes the leaf gives. */
u64 xstate_payload_set(const struct xstate *x, u64 mask);

/*
 * Makes an image: legacy region, header with XSTATE_BV = bits, XCOMP_BV = 0 or
 * compact mask | 1 << 63, payloads of `bits`. area is zeroed first (area_size bytes, at least 576).
 * A bit whose payload cannot be written (not in the table, outside `compact`, beyond the area) is
 * left out of XSTATE_BV. FCW and MXCSR hold their initial values in every image: XRSTOR loads MXCSR
 * whenever RFBM has SSE or AVX, and FXRSTOR loads both.
 */
void xstate_image(const struct xstate *x, u8 *area, u64 area_size, u64 bits, u64 compact);

#endif
