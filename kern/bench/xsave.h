/* SPDX-License-Identifier: MIT */
/* The XSAVE suite's shapes: what is set up once, and a block of samples. */
#ifndef XSAVE_H
#define XSAVE_H

#include "bench.h"
#include "xgroup.h"
#include "xstate.h"

enum xgate { GATE_XSAVE, GATE_XSAVEOPT, GATE_XSAVEC, GATE_XGETBV1, GATE_XSAVES, XGATES };

/* How the buffer or the state before differs from the standard sweep's. */
enum xvariant {
	XVAR_PLAIN,
	XVAR_SAME,  /* saves to the image that the last XRSTOR loaded */
	XVAR_COLD,  /* the operand flushed from the caches */
	XVAR_DIRTY, /* restores with every component in use before */
	XVARIANTS
};

struct xevent {
	const char *name[XVARIANTS]; /* NULL: no such variant */
	enum seq_xop op;
	enum xgate gate;
	bool restore;
	bool compact; /* the operand is in the compacted format */
	bool super;   /* takes IA32_XSS components */
	bool legacy;  /* FXSAVE, FXRSTOR: no mask */
};

/* Bytes for any format, 64-byte aligned, with a pattern either side. */
struct xarea {
	u8 *at;
	u64 size;
};

#define XASKED	32   /* XINUSE sets asked for in one block */
#define XGROUPS 64   /* XINUSE values told apart in one block */
#define XCELLS	4096 /* rows of the table */

enum xskip_why {
	XSKIP_PRIME,  /* XRSTOR of the image, or XGETBV(1), faulted; value: vector + 1 */
	XSKIP_FAULT,  /* the timed instruction did; value: vector + 1 */
	XSKIP_CANARY, /* bytes outside the area were written */
	XSKIP_BV,     /* value: XSTATE_BV read back, not a subset of RFBM */
	XSKIP_XCOMP,  /* value: XCOMP_BV read back, not what the format asks */
};

struct xskip {
	u64 asked;
	enum xskip_why why;
	u64 value;
};

/* All samples of one event and RFBM. */
struct xblock {
	const struct xevent *event;
	enum xvariant variant;
	u64 rfbm;
	u64 asked[XASKED];
	size_t n_asked;
	bool tells_cycles; /* its rows are told in core cycles too */

	/* As measured: cell k's samples are [k * n, (k + 1) * n) of the suite's pool. */
	u64 cell_asked[XASKED], cell_bv[XASKED];
	size_t n_cells;
	struct xskip skip[XASKED];
	size_t n_skips;
	u64 overhead;
	bool overhead_stable;
	bool unstable; /* the ruler moved, or an NMI, MCE or SMI came, in every attempt */
	u64 ratio;     /* core cycles per tick x 10,000 where it held, else 0 */

	/* As grouped. */
	u64 other, backwards;
};

struct xsave {
	struct run *run;
	struct xstate layout;
	bool gate[XGATES];
	u64 xcr0, xss; /* usable: granted, and with leave */
	u64 payload;   /* those of xcr0 that the payload table can put in use */
	struct xarea prime, operand, own, probe;
	u64 n; /* samples a cell */
	u64 *ticks, *xinuse, *scratch;
	struct xcell *cell; /* the table's rows so far */
	size_t n_cells;

	u64 planned, planned_ticks;	    /* cells and time, estimated */
	u64 skipped, canaries, other, lost; /* lost: rows beyond XCELLS */
	u64 reads, mismatches;		    /* XINUSE read before saves; other than asked */
	u64 asked_any, asked_all;	    /* OR and AND of the sets asked before saves */
	u64 read_any, read_all;		    /* and of those read */
	u64 blocks, overhead_unstable, overhead_min, overhead_max, clamped, backwards, unstable;
	struct xskip first_skip;
	const char *first_skip_event;
};

static inline const char *xblock_name(const struct xblock *b)
{
	return b->event->name[b->variant];
}

/*
 * Takes the block's samples into the pool, and again up to three times if the machine was
 * disturbed. State of the caller (vector registers, PKRU, tiles) is put back.
 */
void xblock_measure(struct xsave *x, struct xblock *b);

/*
 * Areas, sample pool and rows from the arena; false, and *wanted bytes, when it cannot hold them.
 */
bool xblock_alloc(struct xsave *x, u64 area_size, u64 *wanted);

/* Ticks that one turn of the sample loop takes, priming included, with all of RFBM in use. */
u64 xblock_pilot(struct xsave *x, const struct xblock *b);

#endif
