// SPDX-License-Identifier: MIT
/*
 * A block of the XSAVE suite: xblock.c itself, over instructions that write what the test says.
 * What cannot be right is left out with its reason, and the next cell is measured as if nothing had
 * been.
 */
#include "insn.h"
#include "xsave.h"

static seq_xfn *fake_table[SEQX_OPS];
static u32 fake_xsave(void *area, u64 mask);
static u32 fake_xrstor(void *area, u64 mask);
static bool fake_tilerelease(void);
static u64 fake_tsc(void);
#define seq_xtable	 fake_table
#define xsave_safe	 fake_xsave
#define xrstor_safe	 fake_xrstor
#define tilerelease_safe fake_tilerelease
#define rdtsc		 fake_tsc
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

static u64 tsc, ticks_per_second;

u64 env_ticks_per_second(void)
{
	return ticks_per_second;
}

static u64 fake_tsc(void)
{
	return tsc;
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

/* ---- instructions: one that works, and what is wrong with it for one XINUSE asked */

static struct {
	u64 at; /* the XSTATE_BV that is primed from */
	u32 prime, fault;
	bool before, behind; /* writes outside its area */
	bool image;	     /* writes behind the image that it was primed from */
	bool late;	     /* all that only when many samples are taken */
	u64 bv, xcomp;	     /* XORed to what it must write */
} wrong;

static bool writes_compact;
static size_t area_size;
static u64 twin_ticks, twin_drift;
static u64 twin_late;  /* added to the twin's once a sample was taken */
static u64 twin_image; /* XSTATE_BV of what the twin was last primed from */

/* What is in use, by the plain instructions; the first area saved to, the last restored from. */
static u64 in_use;
static const void *saved_to, *restored_from;
static u64 restored_mask;
static u32 released;
static struct {
	u32 warm; /* calls of 16 samples */
	u64 flush, image, operand, operand_xcomp;
	bool reads, from_image;
} seen[8]; /* of the measured call of each cell */
static size_t n_seen;
static u32 warm_calls;

static u64 image_bv(const void *image)
{
	u64 bv;

	memcpy(&bv, (const u8 *)image + HEADER, sizeof(bv));
	return bv;
}

static u64 image_xcomp(const void *image)
{
	return image_bv((const u8 *)image + 8);
}

static u32 fake_xsave(void *area, u64 mask)
{
	u64 bv = in_use & mask;

	if (!saved_to)
		saved_to = area;
	memcpy((u8 *)area + HEADER, &bv, sizeof(bv));
	return 0;
}

static u32 fake_xrstor(void *area, u64 mask)
{
	restored_from = area;
	restored_mask = mask;
	in_use = image_bv(area) & mask;
	return 0;
}

static bool fake_tilerelease(void)
{
	released++;
	return true;
}

static u32 twin(const struct seq_xargs *a)
{
	if (wrong.prime && image_bv(a->image) == wrong.at)
		return wrong.prime;
	twin_image = image_bv(a->image);
	for (u64 i = 0; i < a->n; i++)
		a->out[i] = twin_ticks + i % 2 + (n_seen ? twin_late : 0);
	twin_ticks += twin_drift;
	return 0;
}

/* How it was called: once to try, some times of 16 to warm up, once for all the samples. */
static void call_note(const struct seq_xargs *a)
{
	if (a->n == 1)
		warm_calls = 0;
	if (a->n == WARM_SAMPLES) {
		warm_calls++;
		tsc += 1000;
	}
	if (a->n != SAMPLES)
		return;
	seen[n_seen % ARRAY_SIZE(seen)].warm = warm_calls;
	seen[n_seen % ARRAY_SIZE(seen)].flush = a->flush;
	seen[n_seen % ARRAY_SIZE(seen)].image = image_bv(a->image);
	seen[n_seen % ARRAY_SIZE(seen)].operand = image_bv(a->area);
	seen[n_seen % ARRAY_SIZE(seen)].operand_xcomp = image_xcomp(a->area);
	seen[n_seen % ARRAY_SIZE(seen)].reads = a->xinuse;
	seen[n_seen++ % ARRAY_SIZE(seen)].from_image = a->area == a->image;
}

/* What is wrong with this call; a fault, or 0. */
static u32 go_wrong(const struct seq_xargs *a)
{
	if (image_bv(a->image) != wrong.at || (wrong.late && a->n != SAMPLES))
		return 0;
	((u8 *)a->area)[-1] ^= wrong.before;
	((u8 *)a->area)[area_size] ^= wrong.behind;
	((u8 *)a->image)[area_size] ^= wrong.image;
	return wrong.fault;
}

static void samples_write(const struct seq_xargs *a, u64 primed)
{
	for (u64 i = 0; i < a->n; i++) {
		a->out[i] = 100 + (u64)__builtin_popcountll(primed);
		if (a->xinuse)
			a->xinuse[i] = primed;
	}
}

/* 100 ticks and one for each component; XINUSE is what it was primed to. */
static u32 save(const struct seq_xargs *a)
{
	u64 primed = image_bv(a->image), bv = primed & a->rfbm;
	u64 xcomp = writes_compact ? a->rfbm | 1ull << 63 : 0;
	u8 *at = a->area;
	u32 fault = go_wrong(a);

	/* Nothing is left of the cell before. */
	if (a->n == 1 && at != a->image)
		assert_int_equal(image_bv(at) | image_xcomp(at), 0);
	if (fault)
		return fault;
	if (primed == wrong.at && (!wrong.late || a->n == SAMPLES)) {
		bv ^= wrong.bv;
		xcomp ^= wrong.xcomp;
	}
	if (at == a->image)
		bv |= primed;
	memcpy(at + HEADER, &bv, sizeof(bv));
	memcpy(at + HEADER + 8, &xcomp, sizeof(xcomp));
	call_note(a);
	samples_write(a, primed);
	return 0;
}

static u32 restore(const struct seq_xargs *a)
{
	u32 fault = go_wrong(a);

	if (fault)
		return fault;
	call_note(a);
	samples_write(a, image_bv(a->area));
	return 0;
}

/* ---- a block of three cells: nothing, x87 and SSE, and AVX too in use */

static const struct xevent save_event = {.name = {"xsave", "xsave_same", "xsave_cold"},
					 .op = SEQX_XSAVE};
static const struct xevent restore_event = {
	.name = {"xrstor", NULL, NULL, "xrstor_dirty"}, .op = SEQX_XRSTOR, .restore = true};
static const struct xevent compact_restore_event = {
	.name = {"xrstor_compact"}, .op = SEQX_XRSTOR, .restore = true, .compact = true};
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
		fake_table[i] = i == SEQX_EMPTY ? twin : i == SEQX_XRSTOR ? restore : save;
	wrong.at = ~0ull;
	wrong.prime = wrong.fault = 0;
	wrong.before = wrong.behind = wrong.image = wrong.late = false;
	wrong.bv = wrong.xcomp = 0;
	writes_compact = false;
	looks = 0;
	moved_at = 0;
	twin_ticks = 30;
	twin_drift = twin_late = 0;
	in_use = 0;
	saved_to = restored_from = NULL;
	released = warm_calls = 0;
	n_seen = 0;
	tsc = 0;
	ticks_per_second = 1000;
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
	assert_int_equal(n_seen, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(seen[i].image, b.asked[i]);
		assert_int_equal(seen[i].warm, 1);
		assert_int_equal(seen[i].flush, 0);
		assert_true(seen[i].reads);
		assert_false(seen[i].from_image);
	}
	/* The last overhead's image is the first's. */
	assert_int_equal(twin_image, 0);
	assert_int_equal(released, 0);
}

/* What was in use before all this is again. */
static void state_is_put_back(void **state)
{
	(void)state;
	in_use = 5;
	xblock_measure(&x, &b);
	assert_ptr_equal(saved_to, x.own.at);
	assert_ptr_equal(restored_from, x.own.at);
	assert_int_equal(restored_mask, 7);
	assert_int_equal(in_use, 5);
}

/* Tiles are given up after each cell: left in use, they would slow what comes. */
static void tiles_are_given_up(void **state)
{
	(void)state;
	x.xcr0 |= 1ull << XSTATE_TILECFG;
	xblock_measure(&x, &b);
	assert_int_equal(released, 3);
}

/* 60 us at 1 GHz where more than x87 and SSE is touched, at 1000 ticks a call. */
static void wide_units_are_woken(void **state)
{
	(void)state;
	ticks_per_second = 1000000000;
	xblock_measure(&x, &b);
	assert_int_equal(seen[2].warm, 60);

	arena_release(NULL);
	setup(NULL);
	ticks_per_second = 1000000000;
	b.rfbm = x.payload = 3;
	b.n_asked = 2;
	xblock_measure(&x, &b);
	assert_int_equal(seen[1].warm, 1);
}

/* To the buffer that was restored from last, and what is not in RFBM stays in its header. */
static void the_same_buffer(void **state)
{
	(void)state;
	b.variant = XVAR_SAME;
	b.rfbm = 3;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	assert_true(seen[2].from_image);
	assert_int_equal(b.cell_bv[2], 7);
}

/* From a cold operand: as much is flushed as the instruction can touch. */
static void a_cold_buffer(void **state)
{
	(void)state;
	b.variant = XVAR_COLD;
	xblock_measure(&x, &b);
	assert_int_equal(seen[2].flush, 832);
	b.rfbm = 3;
	xblock_measure(&x, &b);
	assert_int_equal(seen[5].flush, 576);
}

/* A restore's XINUSE is its image's XSTATE_BV, beyond RFBM too, and nothing is read back. */
static void restores_go_by_the_image(void **state)
{
	(void)state;
	b.event = &restore_event;
	b.rfbm = 3;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(b.cell_bv[k], b.asked[k]);
		assert_int_equal(x.xinuse[k * SAMPLES], b.asked[k]);
		assert_int_equal(seen[k].operand, b.asked[k]);
		assert_int_equal(seen[k].operand_xcomp, 0);
		assert_false(seen[k].reads);
	}
}

/* With everything in use before; the image restored from is as asked. */
static void a_dirty_restore(void **state)
{
	(void)state;
	b.event = &restore_event;
	b.variant = XVAR_DIRTY;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(seen[k].image, 7);
		assert_int_equal(seen[k].operand, b.asked[k]);
		assert_int_equal(x.xinuse[k * SAMPLES], b.asked[k]);
	}
}

/* A compacted image has room for what it holds, whatever of it is asked for. */
static void a_compacted_restore(void **state)
{
	(void)state;
	b.event = &compact_restore_event;
	b.rfbm = 3;
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	assert_int_equal(seen[0].operand_xcomp, 1ull << 63 | 3);
	assert_int_equal(seen[2].operand, 7);
	assert_int_equal(seen[2].operand_xcomp, 1ull << 63 | 7);
}

static void instruction_faults(void **state)
{
	(void)state;
	wrong.fault = FAULT_GP;
	middle_skipped(XSKIP_FAULT, FAULT_GP);
}

static void instruction_faults_in_the_end(void **state)
{
	(void)state;
	wrong.fault = FAULT_GP;
	wrong.late = true;
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

static void write_behind_the_image(void **state)
{
	(void)state;
	wrong.image = true;
	middle_skipped(XSKIP_CANARY, 0);
	assert_int_equal(x.canaries, 1);
}

static void write_behind_the_area_in_the_end(void **state)
{
	(void)state;
	wrong.behind = wrong.late = true;
	middle_skipped(XSKIP_CANARY, 0);
	assert_int_equal(x.canaries, 1);
}

static void xcomp_bv_in_the_end(void **state)
{
	(void)state;
	wrong.xcomp = 1;
	wrong.late = true;
	middle_skipped(XSKIP_XCOMP, 1);
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

/* Without XGETBV(1) the XINUSE is what a plain save of everything writes after the same priming. */
static void without_xgetbv1(void **state)
{
	(void)state;
	x.gate[GATE_XGETBV1] = false;
	b.rfbm = 3;
	in_use = 4;
	memset(x.xinuse, 0xff, SAMPLES * sizeof(u64));
	xblock_measure(&x, &b);
	assert_int_equal(b.n_cells, 3);
	for (u64 i = 0; i < 3 * SAMPLES; i++)
		assert_int_equal(x.xinuse[i], b.asked[i / SAMPLES]);
	assert_false(seen[0].reads);
}

/* The overhead is the lower of before and after, and stable within one step. */
static void overhead_drifts(void **state)
{
	(void)state;
	/* One call to warm up and the one that counts; a trial for each of three cells; two more.
	 */
	twin_drift = 1;
	xblock_measure(&x, &b);
	assert_int_equal(b.overhead, 31);
	assert_false(b.overhead_stable);

	arena_release(NULL);
	setup(NULL);
	twin_drift = -1ull;
	xblock_measure(&x, &b);
	assert_int_equal(b.overhead, 24);
	assert_false(b.overhead_stable);
}

static void overhead_a_step_apart(void **state)
{
	(void)state;
	for (u64 step = 0; step <= 2; step++) {
		for (u64 apart = 0; apart <= 3; apart++) {
			arena_release(NULL);
			setup(NULL);
			run.step = (struct step){.gcd = step, .known = step != 0};
			twin_late = apart;
			xblock_measure(&x, &b);
			assert_int_equal(b.overhead, 30);
			assert_int_equal(b.overhead_stable, apart <= (step ? step : 1));
		}
	}
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
		TEST(state_is_put_back),
		TEST(tiles_are_given_up),
		TEST(wide_units_are_woken),
		TEST(the_same_buffer),
		TEST(a_cold_buffer),
		TEST(restores_go_by_the_image),
		TEST(a_dirty_restore),
		TEST(a_compacted_restore),
		TEST(instruction_faults),
		TEST(instruction_faults_in_the_end),
		TEST(priming_faults),
		TEST(write_before_the_area),
		TEST(write_behind_the_area),
		TEST(write_behind_the_image),
		TEST(write_behind_the_area_in_the_end),
		TEST(xcomp_bv_in_the_end),
		TEST(xstate_bv_beyond_rfbm),
		TEST(xcomp_bv_of_the_standard_format),
		TEST(xcomp_bv_of_the_compacted_format),
		TEST(without_xgetbv1),
		TEST(overhead_drifts),
		TEST(overhead_a_step_apart),
		TEST(disturbed_once),
		TEST(disturbed_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
