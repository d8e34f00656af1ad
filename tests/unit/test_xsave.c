// SPDX-License-Identifier: MIT
/*
 * What the XSAVE suite does around its blocks: xsave.c and xreport.c themselves, over a CPU that
 * the test makes up and blocks that give what it says.
 */
#include "insn.h"
#include "xsave.h"

static struct cpuid_regs fake_cpuid(void *ctx, u32 leaf, u32 subleaf);
static u32 fake_op(u32 op, const void *area, u64 mask);
static bool fake_xgetbv(u32 index, u64 *value);
static u64 fake_tsc(void);
#define cpuid_read	     fake_cpuid
#define xsave_safe(at, m)    fake_op(SEQX_XSAVE, at, m)
#define xsaveopt_safe(at, m) fake_op(SEQX_XSAVEOPT, at, m)
#define xsavec_safe(at, m)   fake_op(SEQX_XSAVEC, at, m)
#define xsaves_safe(at, m)   fake_op(SEQX_XSAVES, at, m)
#define xgetbv_safe	     fake_xgetbv
#define rdtsc		     fake_tsc
#include "report.c"
#include "xreport.c"
#include "xsave.c"

#include <stdio.h>

#include "arena.h"
#include "wire.h"

#define SECOND 1000000ull
#define PKRU   0x200ull
#define TILES  0x60000ull
#define CET    0x1800ull
#define ALL    (7 | PKRU | TILES)

/* ---- the CPU: x87, SSE, AVX, PKRU, tiles, and CET for supervisors */

static struct {
	u64 user, super, can; /* offered; what XSETBV takes */
	u32 features;	      /* XSAVEOPT, XSAVEC, XGETBV(1), XSAVES */
	u32 fault[SEQX_OPS];
	bool no_xgetbv1, no_tiles;
	u64 xcr0, xss;
	u32 lies, lies1; /* added to EBX of sub-leaf 0, of 1 */
	u64 firmware;	 /* what IA32_XSS is at first */
	bool overlap;	 /* PKRU lies where AVX does */
} cpu;

static u32 size_of(u32 i)
{
	return i == XSTATE_AVX				? 256
	       : i == XSTATE_TILECFG			? 64
	       : i == XSTATE_TILEDATA			? 8192
	       : i == XSTATE_PKRU			? 8
	       : i == XSTATE_CET_U || i == XSTATE_CET_S ? 16
							: 0;
}

static u32 offset_of(u32 i)
{
	return i == XSTATE_AVX	      ? 576
	       : i == XSTATE_PKRU     ? (cpu.overlap ? 576 : 2688)
	       : i == XSTATE_TILECFG  ? 2752
	       : i == XSTATE_TILEDATA ? 2816
				      : 0;
}

static u32 standard(u64 mask)
{
	u32 end = 576;

	for (u32 i = 2; i < XSTATE_MAX; i++)
		if (mask >> i & 1 && offset_of(i) + size_of(i) > end)
			end = offset_of(i) + size_of(i);
	return end;
}

static u32 compacted(u64 mask)
{
	u32 end = 576;

	for (u32 i = 2; i < XSTATE_MAX; i++)
		end += mask >> i & 1 ? size_of(i) : 0;
	return end;
}

static struct cpuid_regs fake_cpuid(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx;
	if (leaf == 0)
		return (struct cpuid_regs){.eax = 0xd};
	assert_int_equal(leaf, 0xd);
	if (subleaf == 0)
		return (struct cpuid_regs){.eax = (u32)cpu.user,
					   .ebx = standard(cpu.xcr0) + cpu.lies,
					   .ecx = standard(cpu.user)};
	if (subleaf == 1)
		return (struct cpuid_regs){.eax = cpu.features,
					   .ebx = compacted(cpu.xcr0 | cpu.xss) + cpu.lies1,
					   .ecx = (u32)cpu.super};
	if (!((cpu.user | cpu.super) >> subleaf & 1))
		return (struct cpuid_regs){0};
	return (struct cpuid_regs){.eax = size_of(subleaf),
				   .ebx = offset_of(subleaf),
				   .ecx = cpu.super >> subleaf & 1};
}

static u32 fake_op(u32 op, const void *area, u64 mask)
{
	assert_int_equal((uintptr_t)area % 64, 0);
	assert_int_equal(mask, 3);
	return cpu.fault[op];
}

static bool fake_xgetbv(u32 index, u64 *value)
{
	assert_int_equal(index, 1);
	*value = 3;
	return !cpu.no_xgetbv1;
}

u64 env_xcr0(void)
{
	return cpu.xcr0;
}

u64 env_xcr0_set(u64 wanted)
{
	if (!(wanted & ~cpu.can))
		cpu.xcr0 = wanted;
	return cpu.xcr0;
}

u64 env_xss_set(u64 wanted)
{
	return cpu.xss = wanted;
}

bool env_xstate_permit(u32 component)
{
	assert_int_equal(component, XSTATE_TILEDATA);
	return !cpu.no_tiles;
}

/* ---- the rest of the world */

static bool emulated, no_room;
static char top[80]; /* the headline */
static u64 clock_now;

u64 env_ticks_per_second(void)
{
	return SECOND;
}

u64 env_arena_left(void)
{
	return 9;
}

bool run_emulated(const struct run *run)
{
	(void)run;
	return emulated;
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	va_list args;

	(void)run;
	assert_string_equal(topic, "XSAVE");
	va_start(args, format);
	vsnprintf(top, sizeof(top), format, args);
	va_end(args);
}

static u64 fake_tsc(void)
{
	return clock_now;
}

/* ---- blocks */

static char blocks[1 << 16];				 /* "event rfbm asked ...; " of all */
static char events[512];				 /* each with a block, once */
static void (*figures)(struct xsave *, struct xblock *); /* what one comes to */

static void note(char *to, size_t cap, const char *format, ...)
{
	const size_t at = strlen(to);
	va_list args;

	va_start(args, format);
	vsnprintf(to + at, cap - at, format, args);
	va_end(args);
}

u64 xblock_pilot(struct xsave *x, const struct xblock *b)
{
	(void)x;
	return b->event->restore ? 50 : 100;
}

bool xblock_alloc(struct xsave *x, u64 area_size, u64 *wanted)
{
	const u64 pool = XASKED * x->n * sizeof(u64);

	*wanted = 1234;
	x->operand.size = area_size;
	x->ticks = env_alloc(pool, 64);
	x->xinuse = env_alloc(pool, 64);
	x->scratch = env_alloc(pool, 64);
	x->cell = env_alloc(XCELLS * sizeof(*x->cell), 64);
	return !no_room;
}

/* Is it what its name says? */
static void check_event(const struct xevent *e)
{
	const char *name = e->name[XVAR_PLAIN], *op = seq_xop_name[e->op];
	const bool compact = strcmp(name, "xrstor_compact") == 0;

	assert_int_equal(strncmp(name, op, strlen(op)), 0);
	assert_true(compact || strlen(name) == strlen(op));
	assert_int_equal(e->restore, strstr(name, "rstor") != NULL);
	assert_int_equal(e->super, e->op == SEQX_XSAVES || e->op == SEQX_XRSTORS);
	assert_int_equal(e->compact, compact || e->super || e->op == SEQX_XSAVEC);
	assert_int_equal(e->legacy, name[0] == 'f');
}

void xblock_measure(struct xsave *x, struct xblock *b)
{
	char word[32];

	check_event(b->event);
	note(blocks, sizeof(blocks), "%s%s 0x%llx:", b->tells_cycles ? "+" : "", xblock_name(b),
	     (unsigned long long)b->rfbm);
	for (size_t k = 0; k < b->n_asked; k++)
		note(blocks, sizeof(blocks), " 0x%llx", (unsigned long long)b->asked[k]);
	note(blocks, sizeof(blocks), "; ");
	snprintf(word, sizeof(word), "%s ", xblock_name(b));
	if (!strstr(events, word))
		note(events, sizeof(events), "%s", word);
	b->n_cells = b->n_asked;
	b->overhead = 30;
	b->overhead_stable = true;
	b->ratio = 20000;
	for (size_t k = 0; k < b->n_cells; k++) {
		b->cell_asked[k] = b->cell_bv[k] = b->asked[k];
		for (u64 i = 0; i < x->n; i++) {
			x->ticks[k * x->n + i] = 130 + 100 * k + (i == 7) * 5000;
			x->xinuse[k * x->n + i] = b->asked[k];
		}
	}
	if (figures)
		figures(x, b);
}

/* ---- a run of the suite */

static struct options given;
static struct machine machine;
static struct verdict verdict;
static struct run done;
static enum profile profile;

static void sweep_run(void)
{
	static struct report report;

	report = (struct report){.options = &given};
	verdict = (struct verdict){0};
	done = (struct run){.machine = &machine,
			    .options = &given,
			    .profile = profile,
			    .verdict = &verdict,
			    .report = &report};
	cpu.xcr0 = 3;
	cpu.xss = cpu.firmware;
	arena_release(NULL);
	wire_start();
	wire[0] = top[0] = blocks[0] = events[0] = '\0';
	xsave_run(&done);
}

static int setup(void **state)
{
	(void)state;
	memset(&cpu, 0, sizeof(cpu));
	cpu.user = cpu.can = ALL;
	cpu.super = CET;
	cpu.firmware = 0x800;
	cpu.features = 15;
	emulated = no_room = false;
	figures = NULL;
	profile = PROFILE_QUICK;
	clock_now = 0;
	options_default(&given);
	machine = (struct machine){.xsave = true};
	return 0;
}

static void check_is(const char *name, enum status status, const char *reason)
{
	const struct check *c = verdict_find(&verdict, name);

	if (!c)
		fail_msg("no check %s", name);
	assert_int_equal(c->status, status);
	if (reason)
		assert_string_equal(c->reason, reason);
}

static void check_block(const char *text)
{
	if (!strstr(blocks, text))
		fail_msg("no block %s", text);
}

static void check_no_block(const char *text)
{
	if (strstr(blocks, text))
		fail_msg("a block %s", text);
}

/* ---- what is swept */

static void cumulative_sets_of_each_event(void **state)
{
	(void)state;
	sweep_run();
	assert_string_equal(events, "xsave xsaveopt xsavec xsaves xrstor xrstor_compact xrstors "
				    "fxsave fxrstor ");
	check_block("xsaveopt 0x3: 0x0 0x3; "
		    "xsaveopt 0x7: 0x0 0x3 0x7; "
		    "xsaveopt 0x207: 0x0 0x3 0x7 0x207; "
		    "+xsaveopt 0x60207: 0x0 0x3 0x7 0x207 0x60207; "
		    "xsavec 0x3: 0x0 0x3; ");
	check_block("+fxsave 0x3: 0x3; +fxrstor 0x3: 0x3; ");
	assert_int_equal(cpu.xcr0, ALL);
	assert_int_equal(cpu.xss, 0);
	check_is("xsave.xcr0", STATUS_OK, "0x60207 requested, 0x60207 granted: as requested");
	check_is("xsave.layout", STATUS_OK, "");
	check_is("xsave.gate.xsaves", STATUS_OK, "");
	/* Rows of seven events with 2 + 3 + 4 + 5 and two with one. */
	check_is("xsave.cells", STATUS_OK, "100 rows measured, 0 cells skipped");
	assert_true(done.measured);
	check_silent("estimate:");
}

static void full_detail_sweeps_more(void **state)
{
	(void)state;
	given.detail = DETAIL_FULL;
	sweep_run();
	assert_string_equal(events,
			    "xsave xsave_same xsave_cold xsaveopt xsaveopt_same xsaveopt_cold "
			    "xsavec xsavec_same xsavec_cold xsaves xsaves_same xsaves_cold "
			    "xrstor xrstor_cold xrstor_dirty xrstor_compact "
			    "xrstor_compact_cold xrstor_compact_dirty xrstors xrstors_cold "
			    "xrstors_dirty fxsave fxrstor ");
	check_block("+xsave 0x60207: 0x0 0x3 0x7 0x207 0x60207 0x1 0x2 0x4 0x200 0x60000; "
		    "+xsave 0x1: 0x0 0x1; +xsave 0x2: 0x0 0x2; +xsave 0x4: 0x0 0x4; "
		    "+xsave 0x200: 0x0 0x200; ");
	check_no_block("+xsave 0x1800:");
	check_block("+xsaves 0x1800: 0x0; ");
	check_block("+xsaves 0x61a07: ");
	check_block("+xrstors_cold 0x1800: ");
	/* Supervisor state is in no image that XRSTOR loads. */
	check_no_block("+xsaves_same 0x1800:");
	check_block("+xsaves_same 0x60207:");
	check_block("+xrstors_dirty 0x61a07:");
	assert_int_equal(cpu.xss, CET);
	check_says("estimate: ");
	check_says(" compacted=9128 ");
	check_is("xsave.layout", STATUS_OK, "");
	cpu.super = 0x800;
	sweep_run();
	assert_int_equal(cpu.xss, 0x800);
}

static void picks_are_obeyed_and_bounded(void **state)
{
	(void)state;
	given.xsave_rfbm = 6;
	given.xsave_xinuse = 4;
	sweep_run();
	check_block("+xsave 0x6: 0x4; +xsaveopt 0x6: 0x4; ");
	check_block("+fxsave 0x3: 0x4; ");
	given.xsave_rfbm = 0x10;
	sweep_run();
	check_is("xsave.rfbm", STATUS_FAILED, "xsave.rfbm=0x10: expected bits of 0x60207");
	assert_string_equal(blocks, "");
	given.xsave_rfbm = OPTION_UNSET;
	given.xsave_xinuse = 0x20000;
	sweep_run();
	check_is("xsave.xinuse", STATUS_FAILED,
		 "xsave.xinuse=0x20000: expected bits of 0x60207, 0x60000 together");
	given.xsave_xinuse = TILES;
	sweep_run();
	check_is("xsave.cells", STATUS_OK, NULL);
	given.xsave_xinuse = 0x10;
	sweep_run();
	check_is("xsave.xinuse", STATUS_FAILED, NULL);
	/* With supervisor state only those that take it. */
	given.detail = DETAIL_FULL;
	given.xsave_xinuse = OPTION_UNSET;
	given.xsave_rfbm = 0x803;
	sweep_run();
	assert_string_equal(events, "xsaves xsaves_cold xrstors xrstors_cold xrstors_dirty fxsave "
				    "fxrstor ");
}

static void samples_by_profile(void **state)
{
	(void)state;
	sweep_run();
	check_says("type=xsweep rows=100 skipped=0 samples=200 reads=11400 mismatches=0 "
		   "untracked=0x0 ");
	profile = PROFILE_STANDARD;
	sweep_run();
	check_says(" samples=2000 ");
	profile = PROFILE_SOAK;
	sweep_run();
	check_says(" samples=2000 ");
}

/* 23 blocks' cells at 100 ticks a sample for saves and 50 for restores. */
static void what_is_coming_is_told(void **state)
{
	(void)state;
	given.xsave_trace = 3;
	given.xsave_rfbm = 7;
	machine.tsc_trusted = true;
	sweep_run();
	/* Four saves and three restores of 3 cells, two of one: 23; 13 saves and 10 restores. */
	check_says("estimate: 23 rows, 13 KiB, at least 0.3 s to measure\n");
	machine.tsc_trusted = false;
	sweep_run();
	check_says("estimate: 23 rows, 13 KiB, at least 360000 ticks to measure\n");
	given.xsave_trace = ~0ull - 1;
	sweep_run();
	check_says("estimate: 23 rows, 544 KiB, ");
}

/* ---- gates */

static void a_bit_that_is_not_there(void **state)
{
	(void)state;
	cpu.features = 0;
	sweep_run();
	assert_string_equal(events, "xsave xrstor fxsave fxrstor ");
	check_is("xsave.gate.xsave", STATUS_OK, "");
	check_is("xsave.gate.xsaveopt", STATUS_SKIP, "CPUID.D.1:EAX[0] is 0");
	check_is("xsave.gate.xsavec", STATUS_SKIP, "CPUID.D.1:EAX[1] is 0");
	check_is("xsave.gate.xgetbv1", STATUS_SKIP, "CPUID.D.1:EAX[2] is 0");
	check_is("xsave.gate.xsaves", STATUS_SKIP, "CPUID.D.1:EAX[3] is 0");
	check_says("type=xsave event=xsave rfbm=0x3 source=xsave ");
	cpu.features = 1;
	sweep_run();
	assert_string_equal(events, "xsave xsaveopt xrstor fxsave fxrstor ");
	cpu.features = 2;
	sweep_run();
	assert_string_equal(events, "xsave xsavec xrstor xrstor_compact fxsave fxrstor ");
	cpu.features = 8;
	sweep_run();
	assert_string_equal(events, "xsave xsaves xrstor xrstors fxsave fxrstor ");
	cpu.features = 4;
	sweep_run();
	check_says("type=xsave event=xsave rfbm=0x3 source=xgetbv1 ");
	check_says("type=xsave event=xrstor rfbm=0x3 source=image ");
	machine.xsave = false;
	sweep_run();
	check_is("xsave", STATUS_SKIP, "no XSAVE (CPUID.1:ECX[26] is 0)");
	assert_false(done.measured);
	machine.xsave_off = "off";
	sweep_run();
	check_is("xsave", STATUS_SKIP, "off");
}

static void a_bit_that_lies(void **state)
{
	static const struct {
		enum seq_xop op;
		const char *check, *bit, *events;
	} gates[] = {
		{SEQX_XSAVEOPT, "xsave.gate.xsaveopt", "CPUID.D.1:EAX[0]",
		 "xsave xsavec xsaves xrstor xrstor_compact xrstors fxsave fxrstor "},
		{SEQX_XSAVEC, "xsave.gate.xsavec", "CPUID.D.1:EAX[1]",
		 "xsave xsaveopt xsaves xrstor xrstors fxsave fxrstor "},
		{SEQX_XSAVES, "xsave.gate.xsaves", "CPUID.D.1:EAX[3]",
		 "xsave xsaveopt xsavec xrstor xrstor_compact fxsave fxrstor "},
		{SEQX_XSAVE, "xsave.gate.xsave", "CPUID.1:ECX[26]", ""},
	};
	char reason[80];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		memset(cpu.fault, 0, sizeof(cpu.fault));
		cpu.fault[gates[i].op] = INSN_FAULT_UD;
		emulated = false;
		sweep_run();
		snprintf(reason, sizeof(reason), "advertised (%s) but #UD", gates[i].bit);
		check_is(gates[i].check, STATUS_UNSTABLE, reason);
		assert_string_equal(events, gates[i].events);
		emulated = true;
		sweep_run();
		snprintf(reason, sizeof(reason), "advertised (%s) but #UD (emulated, not judged)",
			 gates[i].bit);
		check_is(gates[i].check, STATUS_SKIP, reason);
	}
	memset(cpu.fault, 0, sizeof(cpu.fault));
	emulated = false;
	cpu.no_xgetbv1 = true;
	sweep_run();
	check_is("xsave.gate.xgetbv1", STATUS_UNSTABLE, "advertised (CPUID.D.1:EAX[2]) but #GP");
	check_says(" source=xsave ");
}

static void a_process_has_no_xsaves(void **state)
{
	(void)state;
	machine.process = true;
	cpu.can = 0;
	sweep_run();
	check_is("xsave.gate.xsaves", STATUS_SKIP, "needs ring 0");
	check_is("xsave.xcr0", STATUS_OK,
		 "0x60207 requested, 0x3 granted: as the operating system set it");
	assert_string_equal(events, "xsave xsaveopt xsavec xrstor xrstor_compact fxsave fxrstor ");
	check_block("+xsave 0x3: 0x0 0x3; ");
	assert_int_equal(cpu.xss, 0x800);
}

static void names_of_faults(void **state)
{
	static const struct {
		u64 fault;
		const char *name;
	} names[] = {
		{INSN_FAULT_UD, "#UD"}, {INSN_FAULT_NM, "#NM"}, {INSN_FAULT_GP, "#GP"},
		{INSN_FAULT_PF, "#PF"}, {13, "vector 12"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char bytes[20];
		struct text t = TEXT_ON(bytes);

		xreport_fault(&t, names[i].fault);
		text_byte(&t, 0);
		assert_string_equal(bytes, names[i].name);
	}
}

/* ---- XCR0, areas */

static void xcr0_as_far_as_it_goes(void **state)
{
	(void)state;
	cpu.can = 7 | PKRU;
	sweep_run();
	check_is("xsave.xcr0", STATUS_UNSTABLE,
		 "0x60207 requested, 0x207 granted: XSETBV took no more");
	check_says("type=xcr0 offered=0x60207 requested=0x60207 granted=0x207 usable=0x207 "
		   "super=0x1800 xss=0x0 reason=");
	check_block("+xsave 0x207: 0x0 0x3 0x7 0x207; ");
	emulated = true;
	sweep_run();
	check_is("xsave.xcr0", STATUS_SKIP,
		 "0x60207 requested, 0x207 granted: XSETBV took no more "
		 "(emulated, not judged)");
	emulated = false;
	cpu.can = ALL;
	cpu.no_tiles = true;
	sweep_run();
	check_is("xsave.xcr0", STATUS_OK,
		 "0x60207 requested, 0x60207 granted: no leave to use tiles");
	check_block("+xsave 0x207: 0x0 0x3 0x7 0x207; ");
	check_no_block("0x60207");
	check_says(" granted=0x60207 usable=0x207 ");
	check_says("type=xarea bytes=11008 standard=2696 compacted=840 ");
	check_is("xsave.layout", STATUS_OK, "");
	assert_string_equal(top, "0x207 in use: xsave 400 xsaveopt 400 xsavec 400 xrstor 400");
	cpu.user = 3 | TILES | 0x400000;
	cpu.can = ~0ull;
	cpu.no_tiles = false;
	sweep_run();
	check_is("xsave.xcr0", STATUS_OK, "0x460003 requested, 0x460003 granted: as requested");
	check_says("no payload known, initial state only: bit 22\n");
	check_block("+xsave 0x460003: 0x0 0x3 0x60003; ");
	check_says("type=xlayout fault=absent component=22 ");
	given.xsave_xinuse = 0x400000;
	sweep_run();
	check_is("xsave.xinuse", STATUS_FAILED, NULL);
	given.xsave_xinuse = OPTION_UNSET;
	cpu.user = 3 | 0x20000;
	sweep_run();
	check_is("xsave.xcr0", STATUS_OK,
		 "0x3 requested, 0x3 granted: as requested; the rest lacks "
		 "what it depends on");
	check_says("type=xcr0 offered=0x20003 requested=0x3 granted=0x3 ");
}

static void names_on_lines_of_80(void **state)
{
	const char *at, *end;

	(void)state;
	cpu.user = 7 | 0xfff80000;
	cpu.can = ~0ull;
	sweep_run();
	at = strstr(wire, "usable:");
	assert_non_null(at);
	for (; *at != '@'; at = end + 1) {
		end = strchr(at, '\n');
		assert_non_null(end);
		assert_true(end - at <= 80);
	}
	check_says("bit 31\n");
}

static void the_area_is_told(void **state)
{
	(void)state;
	sweep_run();
	check_says("type=xarea bytes=11008 standard=11008 compacted=9096 ebx0=11008 ebx1=9096 ");
	check_is("xsave.area", STATUS_OK, "11008 bytes, canaries hit 0 times");
	cpu.lies = 64;
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE,
		 "leaf 0Dh contradicts itself 1 times, see type=xlayout");
	check_says("type=xlayout fault=standard-size said=11072 computed=11008 ");
	check_is("xsave.area", STATUS_OK, "11072 bytes, canaries hit 0 times");
	cpu.lies = (u32)-10000; /* what all add up to is no less for it */
	sweep_run();
	check_is("xsave.area", STATUS_OK, "11008 bytes, canaries hit 0 times");
	cpu.lies = 0;
	cpu.overlap = true;
	sweep_run();
	check_says("type=xlayout fault=overlap component=");
	cpu.overlap = false;
	cpu.lies = 64;
	emulated = true;
	sweep_run();
	check_is("xsave.layout", STATUS_SKIP, NULL);
	machine.process = true;
	emulated = false;
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE, NULL);
	cpu.lies = 0;
	no_room = true;
	sweep_run();
	check_is("xsave.area", STATUS_FAILED,
		 "areas of 11008 bytes: 1234 bytes wanted in all, 9 left");
	assert_string_equal(blocks, "");
}

/* A process sees what the system's IA32_XSS adds to the compacted size, and not what that is. */
static void a_process_believes_supervisor_state(void **state)
{
	(void)state;
	machine.process = true;
	cpu.can = 0;
	sweep_run();
	check_is("xsave.layout", STATUS_OK, "");
	cpu.firmware = CET; /* all of it */
	sweep_run();
	check_is("xsave.layout", STATUS_OK, "");
	cpu.lies1 = 1;
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE, NULL);
	cpu.lies1 = (u32)-48; /* less than user state alone */
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE, NULL);
	cpu.lies1 = 0;
	cpu.lies = 16; /* the standard format has no supervisor state */
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE, NULL);
	cpu.lies = 0;
	cpu.firmware = 0x800;
	machine.process = false;
	cpu.features = 7; /* without XSAVES nobody clears it */
	sweep_run();
	check_is("xsave.layout", STATUS_UNSTABLE, NULL);
	check_says("type=xlayout fault=compacted-size said=592 computed=576 ");
}

/* ---- rows */

static void figures_of_rows(void **state)
{
	(void)state;
	given.xsave_rfbm = 7;
	sweep_run();
	/* 200 samples, 30 off: 199 of 100 and one of 5,100. The 97% are the lowest 194. */
	check_says("type=xsave event=xsave rfbm=0x7 source=xgetbv1 overhead=30 overhead_stable=1 "
		   "unstable=0 ratio_e4=20000 xinuse=0x0,0x3,0x7 n=200 kept=194 min=100,200,300 "
		   "max=5100,5200,5300 avg=125,225,325 avg97=100,200,300 p50=100,200,300 "
		   "p99=100,200,300 clamped=0 ");
	check_says(
		"\nx86_fpu_latency_xsave           0x7   0x3     200      5200     225      200");
	check_says("ticks, overhead subtracted, 200 samples a cell\n");
	check_says("for comparison, without masks, 200 samples a cell\n");
	assert_string_equal(top, "");
	given.xsave_rfbm = OPTION_UNSET;
	sweep_run();
	assert_string_equal(top, "0x60207 in use: xsave 500 xsaveopt 500 xsavec 500 xrstor 500");
	assert_int_equal(done.step.gcd, 10);
}

static bool is_cell(const struct xblock *b, const char *event, u64 rfbm)
{
	return strcmp(xblock_name(b), event) == 0 && b->rfbm == rfbm;
}

/* Another state was in use than asked in a third of one cell's samples. */
static void other_states(struct xsave *x, struct xblock *b)
{
	if (!is_cell(b, "xsave", 7))
		return;
	for (u64 i = 0; i < 60; i++)
		x->xinuse[2 * x->n + i] = 2;
	for (u64 i = 0; i < 5; i++)
		x->ticks[2 * x->n + i] = i ? 20 + i : ~0ull - 4;
	b->cell_bv[2] = 6;
	b->tells_cycles = false;
}

static void rows_are_by_what_was_in_use(void **state)
{
	(void)state;
	figures = other_states;
	sweep_run();
	check_says("type=xsave event=xsave rfbm=0x7 source=xgetbv1 overhead=30 overhead_stable=1 "
		   "unstable=0 backwards=1 xinuse=0x0,0x2,0x3,0x7 n=200,59,200,140 "
		   "kept=194,57,194,136 min=100,0,200,300 max=5100,5300,5200,300 ");
	check_says(" clamped=0,4,0,0 xstate_bv=0x0,0x6,0x3,0x6 ");
	check_is("xsave.xinuse", STATUS_OK,
		 "60 of 11400 samples had another state in use than asked, 0 in none of 64 groups");
	check_says(" rows=101 skipped=0 samples=200 reads=11400 mismatches=60 ");
	check_is("xsave.overhead", STATUS_UNSTABLE,
		 "30..30 ticks; of 30 blocks 0 unstable, 0 disturbed; 4 samples clamped, "
		 "1 backwards");
}

/* A stray sample of one cell has another's state; all of the last ran backwards. */
static void stray(struct xsave *x, struct xblock *b)
{
	if (!is_cell(b, "xsavec", 7))
		return;
	x->xinuse[5] = 3;
	b->cell_bv[0] = 1;
	b->cell_bv[1] = 2;
	for (u64 i = 2 * x->n; i < 3 * x->n; i++)
		x->ticks[i] = ~0ull;
}

static void rows_have_the_image_of_their_cell(void **state)
{
	(void)state;
	figures = stray;
	sweep_run();
	check_says(" event=xsavec rfbm=0x7 source=xgetbv1 overhead=30 overhead_stable=1 unstable=0 "
		   "backwards=200 xinuse=0x0,0x3 n=199,201 ");
	check_says(" xstate_bv=0x1,0x2 ");
	check_says("type=xsweep rows=99 ");
}

static void each_sample_another(struct xsave *x, struct xblock *b)
{
	for (u64 i = 0; i < b->n_cells * x->n; i++)
		x->xinuse[i] = i;
}

static u32 times_said(const char *text)
{
	u32 n = 0;

	for (const char *at = wire; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void more_than_there_is_room_for(void **state)
{
	(void)state;
	figures = each_sample_another;
	given.xsave_rfbm = 3;
	sweep_run();
	/* Each block has 400 samples, those of FXSAVE and FXRSTOR 200: 64 values each are kept. */
	check_says(" event=xsave rfbm=0x3 source=xgetbv1 overhead=30 overhead_stable=1 unstable=0 "
		   "ratio_e4=20000 other=336 xinuse=0x0,0x1,");
	check_says(",0x3e,0x3f n=1 kept=1 ");
	check_says("type=xsweep rows=576 ");
	check_is("xsave.cells", STATUS_OK, NULL);
	assert_non_null(strstr(verdict_find(&verdict, "xsave.xinuse")->reason,
			       " 2624 in none of 64 groups"));
	given.xsave_rfbm = OPTION_UNSET;
	given.detail = DETAIL_FULL;
	sweep_run();
	check_is("xsave.cells", STATUS_ERROR, "4096 rows measured, 0 cells skipped");
	check_says(" rows did not fit the table's 4096\n");
}

static void one_skip_each(struct xsave *x, struct xblock *b)
{
	(void)x;
	b->skip[b->n_skips++] = (struct xskip){.asked = 7, .why = XSKIP_CANARY};
}

static void few_skips_are_shown(void **state)
{
	(void)state;
	figures = one_skip_each;
	sweep_run();
	assert_int_equal(times_said(" left out: "), 8);
	assert_int_equal(times_said("type=xskip "), 30);
}

static void reasons_of_skips(void **state)
{
	static const struct {
		struct xskip skip;
		const char *words;
	} skips[] = {
		{{.why = XSKIP_PRIME, .value = INSN_FAULT_NM}, "priming faults: #NM"},
		{{.why = XSKIP_FAULT, .value = INSN_FAULT_UD}, "the instruction faults: #UD"},
		{{.why = XSKIP_CANARY}, "it wrote outside its area"},
		{{.why = XSKIP_BV, .value = 6}, "XSTATE_BV read back as 0x6, not within RFBM"},
		{{.why = XSKIP_XCOMP, .value = 7}, "XCOMP_BV read back wrong: 0x7"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(skips); i++) {
		char bytes[80];
		struct text t = TEXT_ON(bytes);

		xreport_skip_reason(&t, &skips[i].skip);
		text_byte(&t, 0);
		assert_string_equal(bytes, skips[i].words);
	}
}

static u64 stuck_at, stuck; /* these bits of XINUSE read so, whatever was asked */

static void never_moves(struct xsave *x, struct xblock *b)
{
	for (u64 i = 0; i < b->n_cells * x->n; i++)
		x->xinuse[i] = (x->xinuse[i] & ~stuck) | (stuck_at & stuck);
}

static void untracked_states_are_named(void **state)
{
	(void)state;
	figures = never_moves;
	stuck = ~0ull;
	stuck_at = 7;
	sweep_run();
	check_is("xsave.xinuse", STATUS_SKIP, "XINUSE not tracked (always 0x7)");
	check_says(" untracked=0x60207 ");
	stuck = stuck_at = 4 | PKRU;
	sweep_run();
	check_is("xsave.xinuse", STATUS_SKIP, "XINUSE not tracked for AVX PKRU");
	check_says(" untracked=0x204 ");
	stuck_at = 4;
	sweep_run();
	check_says(" untracked=0x204 ");
	stuck = 0;
	sweep_run();
	check_is("xsave.xinuse", STATUS_OK, NULL);
	given.xsave_xinuse = 3; /* what is always asked need not move */
	sweep_run();
	check_is("xsave.xinuse", STATUS_OK, NULL);
	check_says(" untracked=0x0 ");
}

static void odd_blocks(struct xsave *x, struct xblock *b)
{
	if (is_cell(b, "xsavec", 7)) {
		b->overhead = 20;
		b->overhead_stable = false;
	}
	if (is_cell(b, "xsaves", 7)) {
		b->overhead = 44;
		b->unstable = true;
	}
	if (is_cell(b, "xsaveopt", 7) || is_cell(b, "xrstor", 7)) {
		b->skip[b->n_skips++] =
			(struct xskip){.asked = 3, .why = XSKIP_FAULT, .value = INSN_FAULT_GP};
		b->n_cells = 1;
	}
	if (is_cell(b, "fxsave", 3)) {
		b->n_cells = 0;
		b->overhead = 99;
		b->skip[b->n_skips++] = (struct xskip){.asked = 3, .why = XSKIP_CANARY};
		x->canaries++;
	}
}

static void what_went_wrong_is_told(void **state)
{
	(void)state;
	figures = odd_blocks;
	sweep_run();
	check_is("xsave.cells", STATUS_UNSTABLE,
		 "95 rows measured, 3 cells skipped; first xsaveopt "
		 "0x3: the instruction faults: #GP");
	check_is("xsave.area", STATUS_UNSTABLE, "11008 bytes, canaries hit 1 times");
	check_is("xsave.overhead", STATUS_UNSTABLE,
		 "20..44 ticks; of 29 blocks 1 unstable, 1 disturbed; 0 samples clamped, "
		 "0 backwards");
	check_says("type=xskip event=xsaveopt rfbm=0x7 asked=0x3 reason=");
	check_says("type=xsweep rows=95 skipped=3 ");
	check_says("xsaveopt RFBM 0x7 XINUSE 0x3 left out: the instruction faults: #GP\n");
	check_says("fxsave RFBM 0x3 XINUSE 0x3 left out: it wrote outside its area\n");
	check_says(
		" event=xsavec rfbm=0x7 source=xgetbv1 overhead=20 overhead_stable=0 unstable=0 ");
	check_says(
		" event=xsaves rfbm=0x7 source=xgetbv1 overhead=44 overhead_stable=1 unstable=1 ");
	emulated = true;
	sweep_run();
	check_is("xsave.cells", STATUS_SKIP, NULL);
	check_is("xsave.area", STATUS_SKIP,
		 "11008 bytes, canaries hit 1 times (emulated, not judged)");
	check_is("xsave.overhead", STATUS_SKIP, NULL);
}

static void one_unstable(struct xsave *x, struct xblock *b)
{
	(void)x;
	b->overhead_stable = !is_cell(b, "xsavec", 7);
}

static void one_disturbed(struct xsave *x, struct xblock *b)
{
	(void)x;
	b->unstable = is_cell(b, "xsavec", 7);
}

static void none_stays(struct xsave *x, struct xblock *b)
{
	(void)x;
	b->n_cells = 0;
}

static void each_makes_the_overhead_unstable(void **state)
{
	(void)state;
	sweep_run();
	check_is("xsave.overhead", STATUS_OK, NULL);
	figures = one_unstable;
	sweep_run();
	check_is("xsave.overhead", STATUS_UNSTABLE, NULL);
	figures = one_disturbed;
	sweep_run();
	check_is("xsave.overhead", STATUS_UNSTABLE, NULL);
	figures = none_stays;
	sweep_run();
	assert_null(verdict_find(&verdict, "xsave.overhead"));
	check_is("xsave.cells", STATUS_ERROR, "0 rows measured, 0 cells skipped");
	check_is("xsave.xinuse", STATUS_SKIP, "no save was measured");
}

/* ---- the trace */

static void trace_lines(void **state)
{
	(void)state;
	given.xsave_trace = 2;
	given.xsave_rfbm = 7;
	given.xsave_xinuse = 3;
	machine.tsc_trusted = true;
	machine.tsc_khz = 1000;
	machine.entry_tsc = 1000;
	clock_now = 3 * SECOND + 1042;
	sweep_run();
	check_says("# baretick unit=ticks tsc_khz=1000\n");
	check_says(
		"\n        baretick-0       [000] d..1.     3.000042: x86_fpu_latency_xsave: x86/fpu: "
		"latency:100 RFBM:0x7 XINUSE:0x3\n"
		"        baretick-0       [000] d..1.     3.000042: x86_fpu_latency_xsave: x86/fpu: "
		"latency:100 RFBM:0x7 XINUSE:0x3\n@bt ");
	check_silent("fxsave: x86/fpu");
	machine.tsc_trusted = false;
	given.xsave_trace = 300;
	sweep_run();
	check_says("# baretick unit=ticks tsc_khz=0\n");
	check_says(
		"     0.000000: x86_fpu_latency_xsave: x86/fpu: latency:5100 RFBM:0x7 XINUSE:0x3\n");
	given.xsave_trace = 0;
	sweep_run();
	check_silent("# baretick unit");
	check_silent("d..1.");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, arena_release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cumulative_sets_of_each_event),
		TEST(full_detail_sweeps_more),
		TEST(picks_are_obeyed_and_bounded),
		TEST(samples_by_profile),
		TEST(what_is_coming_is_told),
		TEST(a_bit_that_is_not_there),
		TEST(a_bit_that_lies),
		TEST(a_process_has_no_xsaves),
		TEST(names_of_faults),
		TEST(xcr0_as_far_as_it_goes),
		TEST(names_on_lines_of_80),
		TEST(the_area_is_told),
		TEST(a_process_believes_supervisor_state),
		TEST(figures_of_rows),
		TEST(rows_are_by_what_was_in_use),
		TEST(rows_have_the_image_of_their_cell),
		TEST(more_than_there_is_room_for),
		TEST(few_skips_are_shown),
		TEST(reasons_of_skips),
		TEST(untracked_states_are_named),
		TEST(what_went_wrong_is_told),
		TEST(each_makes_the_overhead_unstable),
		TEST(trace_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
