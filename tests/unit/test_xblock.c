// SPDX-License-Identifier: MIT
/*
 * A block of the XSAVE suite: xblock.c itself, over instructions that write what the test says.
 * What cannot be right is left out with its reason, and the next cell is measured as if nothing had
 * been.
 */
#include "insn.h"
#include "xsave.h"

static seq_xfn *fake_table[SEQX_OPS];
static u32 fake_instruction(void *area, u64 mask);
#define seq_xtable  fake_table
#define xsave_safe  fake_instruction
#define xrstor_safe fake_instruction
#include "xblock.c"

#include "arena.h"

#define SAMPLES	 64
#define RFBM	 7ull
#define HEADER	 XSAVE_LEGACY
#define FAULT_GP INSN_FAULT_GP

/* ---- the world that xblock.c asks for */

static u32 looks;    /* at the conditions, so far */
static u64 moved_at; /* bit i: they have moved at look i */

u64 env_arena_left(void)
{
	return ~0ull;
}

void env_quiet(void)
{
}

u64 env_ticks_per_second(void)
{
	return 1000;
}

void conditions_take(const struct run *run, struct conditions *c)
{
	(void)run;
	c->ruler.adds_ticks = 83334;
}

bool conditions_moved(const struct run *run, const struct conditions *a, const struct conditions *b)
{
	(void)run, (void)a, (void)b;
	return moved_at >> looks++ & 1;
}

static u32 fake_instruction(void *area, u64 mask)
{
	(void)area, (void)mask;
	return 0;
}

/* ---- instructions: one that works, and what is wrong with it for one XINUSE asked */

static struct {
	u64 at; /* the XSTATE_BV that is primed from */
	u32 prime, fault;
	bool before, behind; /* writes outside its area */
	u64 bv, xcomp;	     /* XORed to what it must write */
} wrong;

static bool writes_compact;
static size_t area_size;
static u64 twin_ticks, twin_drift;

static u64 image_bv(const void *image)
{
	u64 bv;

	memcpy(&bv, (const u8 *)image + HEADER, sizeof(bv));
	return bv;
}

static u32 twin(const struct seq_xargs *a)
{
	if (wrong.prime && image_bv(a->image) == wrong.at)
		return wrong.prime;
	for (u64 i = 0; i < a->n; i++)
		a->out[i] = twin_ticks + i % 2;
	twin_ticks += twin_drift;
	return 0;
}

/* 100 ticks and one for each component; XINUSE is what it was primed to. */
static u32 save(const struct seq_xargs *a)
{
	u64 in_use = image_bv(a->image), bv = in_use & a->rfbm;
	u64 xcomp = writes_compact ? a->rfbm | 1ull << 63 : 0;
	u8 *at = a->area;

	if (in_use == wrong.at) {
		if (wrong.fault)
			return wrong.fault;
		at[-1] ^= wrong.before;
		at[area_size] ^= wrong.behind;
		bv ^= wrong.bv;
		xcomp ^= wrong.xcomp;
	}
	memcpy(at + HEADER, &bv, sizeof(bv));
	memcpy(at + HEADER + 8, &xcomp, sizeof(xcomp));
	for (u64 i = 0; i < a->n; i++) {
		a->out[i] = 100 + (u64)__builtin_popcountll(in_use);
		if (a->xinuse)
			a->xinuse[i] = in_use;
	}
	return 0;
}

/* ---- a block of three cells: nothing, x87 and SSE, and AVX too in use */

static const struct xevent save_event = {.name = {"xsave", "xsave_same"}, .op = SEQX_XSAVE};
static const struct xevent compact_event = {.name = {"xsavec"}, .op = SEQX_XSAVEC, .compact = true};
static struct run run;
static struct xsave x;
static struct xblock b;

static int setup(void **state)
{
	u64 wanted;

	(void)state;
	run = (struct run){.step = {.gcd = 1, .known = true}};
	x = (struct xsave){.run = &run, .n = SAMPLES, .xcr0 = 7, .payload = 7};
	x.gate[GATE_XGETBV1] = true;
	x.layout.user = 7;
	x.layout.c[XSTATE_X87] = (struct xcomponent){.size = 160};
	x.layout.c[XSTATE_SSE] = (struct xcomponent){.size = 256, .offset = 160};
	x.layout.c[XSTATE_AVX] = (struct xcomponent){.size = 256, .offset = 576};
	area_size = 832;
	for (size_t i = 0; i < SEQX_OPS; i++)
		fake_table[i] = i == SEQX_EMPTY ? twin : save;
	wrong.at = ~0ull;
	wrong.prime = wrong.fault = 0;
	wrong.before = wrong.behind = false;
	wrong.bv = wrong.xcomp = 0;
	writes_compact = false;
	looks = 0;
	moved_at = 0;
	twin_ticks = 30;
	twin_drift = 0;
	assert_true(xblock_alloc(&x, area_size, &wanted));
	b = (struct xblock){.event = &save_event, .rfbm = RFBM, .asked = {0, 3, 7}, .n_asked = 3};
	return 0;
}

static void cell_is(size_t k, u64 asked)
{
	assert_int_equal(b.cell_asked[k], asked);
	assert_int_equal(b.cell_bv[k], asked & b.rfbm);
	for (u64 i = k * SAMPLES; i < (k + 1) * SAMPLES; i++) {
		assert_int_equal(x.ticks[i], 100 + __builtin_popcountll(asked));
		assert_int_equal(x.xinuse[i], asked);
	}
}

/* The middle cell is left out for this reason; the others stand, each in its place. */
static void middle_skipped(enum xskip_why why, u64 value)
{
	wrong.at = 3;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 2);
	cell_is(0, 0);
	cell_is(1, 7);
	assert_int_equal(b.n_skips, 1);
	assert_int_equal(b.skip[0].asked, 3);
	assert_int_equal(b.skip[0].why, why);
	assert_int_equal(b.skip[0].value, value);
}

static void all_cells(void **state)
{
	(void)state;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	assert_int_equal(b.n_skips, 0);
	cell_is(0, 0);
	cell_is(1, 3);
	cell_is(2, 7);
	assert_int_equal(b.overhead, 30);
	assert_true(b.overhead_stable);
	assert_false(b.unstable);
	assert_int_equal(x.canaries, 0);
}

static void instruction_faults(void **state)
{
	(void)state;
	wrong.fault = FAULT_GP;
	middle_skipped(XSKIP_FAULT, FAULT_GP);
}

static void priming_faults(void **state)
{
	(void)state;
	wrong.prime = FAULT_GP;
	middle_skipped(XSKIP_PRIME, FAULT_GP);
}

static void write_before_the_area(void **state)
{
	(void)state;
	wrong.before = true;
	middle_skipped(XSKIP_CANARY, 0);
	assert_int_equal(x.canaries, 1);
}

static void write_behind_the_area(void **state)
{
	(void)state;
	wrong.behind = true;
	middle_skipped(XSKIP_CANARY, 0);
	assert_int_equal(x.canaries, 1);
}

static void xstate_bv_beyond_rfbm(void **state)
{
	(void)state;
	b.rfbm = 3;
	wrong.bv = 4;
	wrong.at = 3;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_skips, 1);
	assert_int_equal(b.skip[0].why, XSKIP_BV);
	assert_int_equal(b.skip[0].value, 7);
}

static void xcomp_bv_of_the_standard_format(void **state)
{
	(void)state;
	wrong.xcomp = 1ull << 63;
	middle_skipped(XSKIP_XCOMP, 1ull << 63);
}

static void xcomp_bv_of_the_compacted_format(void **state)
{
	(void)state;
	b.event = &compact_event;
	writes_compact = true;
	wrong.xcomp = 2;
	middle_skipped(XSKIP_XCOMP, 1ull << 63 | (RFBM ^ 2));
}

/* Without XGETBV(1) the XINUSE is what a plain save writes; here that is nothing. */
static void without_xgetbv1(void **state)
{
	(void)state;
	x.gate[GATE_XGETBV1] = false;
	memset(x.xinuse, 0xff, SAMPLES * sizeof(u64));
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	for (u64 i = 0; i < 3 * SAMPLES; i++)
		assert_int_equal(x.xinuse[i], 0);
}

/* The overhead is the lower of before and after, and stable within one step. */
static void overhead_drifts(void **state)
{
	(void)state;
	/* 16 to 1000 warming calls and the one that counts, twice. */
	twin_drift = 1;
	xblock_measure(&x, &b);
	assert_true(b.overhead > 30);
	assert_false(b.overhead_stable);
}

static void disturbed_once(void **state)
{
	(void)state;
	moved_at = 1;
	xblock_measure(&x, &b);
	assert_int_equal(looks, 2);
	assert_false(b.unstable);
	assert_int_equal(b.ratio, 12000);
	assert_int_equal(b.n_cells, 3);
	cell_is(1, 3);
}

static void disturbed_every_time(void **state)
{
	(void)state;
	moved_at = ~0ull;
	wrong.fault = FAULT_GP;
	middle_skipped(XSKIP_FAULT, FAULT_GP);
	assert_int_equal(looks, 4);
	assert_true(b.unstable);
	assert_int_equal(b.ratio, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_cells),
		TEST(instruction_faults),
		TEST(priming_faults),
		TEST(write_before_the_area),
		TEST(write_behind_the_area),
		TEST(xstate_bv_beyond_rfbm),
		TEST(xcomp_bv_of_the_standard_format),
		TEST(xcomp_bv_of_the_compacted_format),
		TEST(without_xgetbv1),
		TEST(overhead_drifts),
		TEST(disturbed_once),
		TEST(disturbed_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
