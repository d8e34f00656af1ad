// SPDX-License-Identifier: MIT
/*
 * Samples of the XSAVE family: a block is one instruction, variant and RFBM over every XINUSE asked
 * for. SDM volume 1, chapter 13.
 */
#include "xsave.h"

#include "insn.h"
#include "mem.h"
#include "ruler.h"

#define CANARY	      64
#define CANARY_BYTE   0xa5
#define WARM_SAMPLES  16
#define WARM_ROUNDS   1000 /* bounds the wait should the TSC stand still */
#define OVERHEAD_MOST 500
#define PILOT_SAMPLES 16
#define COMPACTED_BIT (1ull << XSTATE_MAX)

static void area_arm(const struct xarea *a)
{
	memset(a->at - CANARY, CANARY_BYTE, CANARY);
	memset(a->at + a->size, CANARY_BYTE, CANARY);
}

static bool area_intact(const struct xarea *a)
{
	for (size_t i = 0; i < CANARY; i++)
		if (a->at[-1 - (i64)i] != CANARY_BYTE || a->at[a->size + i] != CANARY_BYTE)
			return false;
	return true;
}

static bool area_alloc(struct xarea *a, u64 size)
{
	u8 *at = env_alloc(size + 2 * CANARY, 64);

	if (!at)
		return false;
	*a = (struct xarea){at + CANARY, size};
	area_arm(a);
	return true;
}

static u64 area_bv(const struct xarea *a)
{
	u64 bv;

	memcpy(&bv, a->at + XSAVE_LEGACY, sizeof(bv));
	return bv;
}

static u64 area_xcomp(const struct xarea *a)
{
	u64 xcomp;

	memcpy(&xcomp, a->at + XSAVE_LEGACY + sizeof(u64), sizeof(xcomp));
	return xcomp;
}

bool xblock_alloc(struct xsave *x, u64 area_size, u64 *wanted)
{
	const u64 pool = XASKED * x->n * sizeof(u64);

	*wanted = 3 * pool + XCELLS * sizeof(*x->cell) + 4 * (area_size + 3 * CANARY);
	if (*wanted > env_arena_left())
		return false;
	x->ticks = env_alloc(pool, 64);
	x->xinuse = env_alloc(pool, 64);
	x->scratch = env_alloc(pool, 64);
	x->cell = env_alloc(XCELLS * sizeof(*x->cell), 64);
	return x->ticks && x->xinuse && x->scratch && x->cell && area_alloc(&x->prime, area_size) &&
	       area_alloc(&x->operand, area_size) && area_alloc(&x->own, area_size) &&
	       area_alloc(&x->probe, area_size);
}

/* XCOMP_BV of a compacted operand: XSTATE_BV must lie within it. */
static u64 cell_compact(const struct xblock *b, u64 asked)
{
	return b->event->compact ? b->rfbm | asked : 0;
}

/*
 * The image primed from and the operand. XSAVES only looks for unmodified state if the last XRSTOR
 * was from a compacted image of the same components; XRSTOR takes none with supervisor state.
 */
static void cell_build(struct xsave *x, const struct xblock *b, u64 asked)
{
	u64 bits = b->variant == XVAR_DIRTY ? x->payload : asked;
	u64 compact = b->variant == XVAR_SAME ? cell_compact(b, asked) & x->xcr0 : 0;

	xstate_image(&x->layout, x->prime.at, x->prime.size, bits, compact);
	if (b->event->restore)
		xstate_image(&x->layout, x->operand.at, x->operand.size, asked,
			     cell_compact(b, asked));
	else
		memset(x->operand.at, 0, x->operand.size);
}

static const struct xarea *cell_operand(const struct xsave *x, const struct xblock *b)
{
	return b->variant == XVAR_SAME ? &x->prime : &x->operand;
}

/* Restores count by the image, and CPUs without XGETBV(1) cannot be asked. */
static bool cell_reads_xinuse(const struct xsave *x, const struct xblock *b)
{
	return !b->event->restore && x->gate[GATE_XGETBV1];
}

/* What the instruction can touch of its operand. */
static u64 cell_bytes(const struct xsave *x, const struct xblock *b)
{
	return b->event->compact ? xstate_compacted_size(&x->layout, b->rfbm)
				 : xstate_standard_size(&x->layout, b->rfbm);
}

/* Samples to throw away: the pool keeps what was measured before. */
static struct seq_xargs cell_args(const struct xsave *x, const struct xblock *b, u64 n)
{
	const struct xarea *operand = cell_operand(x, b);

	return (struct seq_xargs){
		.out = x->scratch,
		.xinuse = cell_reads_xinuse(x, b) ? x->scratch + x->n : NULL,
		.n = n,
		.image = x->prime.at,
		.prime = x->xcr0,
		.area = operand->at,
		.rfbm = b->rfbm,
		.flush = b->variant == XVAR_COLD ? cell_bytes(x, b) : 0,
	};
}

static bool cell_skip(struct xblock *b, u64 asked, enum xskip_why why, u64 value)
{
	b->skip[b->n_skips++] = (struct xskip){asked, why, value};
	return false;
}

/* A canary is repaired after it was hit, so that each row answers for itself. */
static bool cell_canaries(struct xsave *x, struct xblock *b, u64 asked)
{
	if (area_intact(&x->prime) && area_intact(&x->operand))
		return true;
	area_arm(&x->prime);
	area_arm(&x->operand);
	x->canaries++;
	return cell_skip(b, asked, XSKIP_CANARY, 0);
}

/* Does the header of what was saved say what the instruction must write there? */
static bool cell_readback(struct xsave *x, struct xblock *b, u64 asked)
{
	const struct xarea *a = cell_operand(x, b);
	u64 xcomp = b->event->compact ? b->rfbm | COMPACTED_BIT : 0;

	if (b->event->restore || b->event->legacy)
		return true;
	if (area_bv(a) & ~b->rfbm && b->variant != XVAR_SAME)
		return cell_skip(b, asked, XSKIP_BV, area_bv(a));
	if (area_xcomp(a) != xcomp)
		return cell_skip(b, asked, XSKIP_XCOMP, area_xcomp(a));
	return true;
}

/* One sample with the row's own operands, under fault recovery. */
static bool cell_trial(struct xsave *x, struct xblock *b, u64 asked)
{
	struct seq_xargs a = cell_args(x, b, 1);
	u32 fault = seq_xtable[SEQX_EMPTY](&a);

	if (fault)
		return cell_skip(b, asked, XSKIP_PRIME, fault);
	fault = seq_xtable[b->event->op](&a);
	if (fault)
		return cell_skip(b, asked, XSKIP_FAULT, fault);
	return cell_canaries(x, b, asked) && cell_readback(x, b, asked);
}

/* Vector units take 10-20 us to power up; they must be busy for longer than that. */
static void cell_warm(struct xsave *x, const struct xblock *b, enum seq_xop op)
{
	struct seq_xargs a = cell_args(x, b, WARM_SAMPLES);
	u64 enough = env_ticks_per_second() / 1000000 * 60;
	u64 start = rdtsc();

	if (!((b->rfbm | x->payload) & ~3ull))
		enough = 0;
	for (u32 i = 0; i < WARM_ROUNDS; i++) {
		seq_xtable[op](&a);
		if (rdtsc() - start >= enough)
			break;
	}
}

/* What a plain save writes after the same priming stands in for XGETBV(1). */
static void cell_fill_xinuse(struct xsave *x, const struct xblock *b)
{
	u64 *at = x->xinuse + b->n_cells * x->n, value;

	if (cell_reads_xinuse(x, b))
		return;
	if (b->event->restore && !b->event->legacy) {
		value = area_bv(&x->operand);
	} else if (b->event->restore) {
		value = b->rfbm; /* FXRSTOR loads both, whatever the image holds */
	} else {
		memset(x->probe.at, 0, x->probe.size);
		xrstor_safe(x->prime.at, x->xcr0);
		xsave_safe(x->probe.at, x->xcr0);
		value = area_bv(&x->probe);
	}
	for (u64 i = 0; i < x->n; i++)
		at[i] = value;
}

static bool cell_measure(struct xsave *x, struct xblock *b, u64 asked)
{
	struct seq_xargs a;
	u32 fault;

	cell_build(x, b, asked);
	if (!cell_trial(x, b, asked))
		return false;
	cell_fill_xinuse(x, b);
	cell_warm(x, b, b->event->op);
	a = cell_args(x, b, x->n);
	a.out = x->ticks + b->n_cells * x->n;
	if (a.xinuse)
		a.xinuse = x->xinuse + b->n_cells * x->n;
	fault = seq_xtable[b->event->op](&a);
	if (fault)
		return cell_skip(b, asked, XSKIP_FAULT, fault);
	if (!cell_canaries(x, b, asked) || !cell_readback(x, b, asked))
		return false;
	b->cell_asked[b->n_cells] = asked;
	b->cell_bv[b->n_cells] = b->event->legacy ? b->rfbm : area_bv(cell_operand(x, b));
	b->n_cells++;
	return true;
}

/* Minimum of the twin's samples under the arguments of the cell built last. */
static u64 overhead_take(struct xsave *x, const struct xblock *b)
{
	struct seq_xargs a = cell_args(x, b, x->n < OVERHEAD_MOST ? x->n : OVERHEAD_MOST);
	u64 backwards = 0, min = ~0ull;
	size_t n;

	cell_warm(x, b, SEQX_EMPTY);
	if (seq_xtable[SEQX_EMPTY](&a))
		return 0;
	n = stats_drop_backwards(x->scratch, a.n, &backwards);
	for (size_t i = 0; i < n; i++)
		if (x->scratch[i] < min)
			min = x->scratch[i];
	return n ? min : 0;
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static void block_pass(struct xsave *x, struct xblock *b)
{
	u64 before, after, step = step_value(&x->run->step);

	b->n_cells = 0;
	b->n_skips = 0;
	cell_build(x, b, b->asked[0]);
	before = overhead_take(x, b);
	for (size_t i = 0; i < b->n_asked; i++) {
		cell_measure(x, b, b->asked[i]);
		if (x->xcr0 >> XSTATE_TILECFG & 1)
			tilerelease_safe();
	}
	/* Both times under the same image: what was saved over it may not even be restorable. */
	cell_build(x, b, b->asked[0]);
	after = overhead_take(x, b);
	b->overhead = before < after ? before : after;
	b->overhead_stable = distance(before, after) <= (step ? step : 1);
}

static bool block_settled(struct xsave *x, struct xblock *b)
{
	struct conditions before = {0}, after = {0};

	conditions_take(x->run, &before);
	block_pass(x, b);
	conditions_take(x->run, &after);
	if (conditions_moved(x->run, &before, &after))
		return false;
	b->ratio = ruler_ratio(&after.ruler);
	return true;
}

void xblock_measure(struct xsave *x, struct xblock *b)
{
	env_quiet();
	xsave_safe(x->own.at, x->xcr0);
	b->unstable = true;
	for (int i = 0; i <= CONDITIONS_REDO && b->unstable; i++)
		b->unstable = !block_settled(x, b);
	xrstor_safe(x->own.at, x->xcr0);
}

u64 xblock_pilot(struct xsave *x, const struct xblock *b)
{
	struct seq_xargs a;
	u64 start, ticks;

	xsave_safe(x->own.at, x->xcr0);
	cell_build(x, b, x->payload & b->rfbm);
	a = cell_args(x, b, PILOT_SAMPLES);
	seq_xtable[b->event->op](&a);
	start = rdtsc();
	seq_xtable[b->event->op](&a);
	ticks = rdtsc() - start;
	xrstor_safe(x->own.at, x->xcr0);
	return ticks / PILOT_SAMPLES;
}
