// SPDX-License-Identifier: MIT
/*
 * The cost of XSAVE, XRSTOR and their kin for each RFBM and XINUSE: which instructions and
 * components there are, the sweep over them, the verdict. SDM volume 1, chapter 13.
 */
#include "xsave.h"

#include "insn.h"
#include "mem.h"
#include "suites.h"
#include "xreport.h"

#define SAMPLES_QUICK	 200
#define SAMPLES_STANDARD 2000

#define LEGACY_MASK 3ull
#define TILE_MASK   (3ull << XSTATE_TILECFG)
#define XSS_WANTED  (3ull << XSTATE_CET_U)

#define RFBMS 64

/* Report order is the table's, by name. */
static const struct xevent event_table[] = {
	{.name = {"xsave", "xsave_same", "xsave_cold"}, .op = SEQX_XSAVE, .gate = GATE_XSAVE},
	{.name = {"xsaveopt", "xsaveopt_same", "xsaveopt_cold"},
	 .op = SEQX_XSAVEOPT,
	 .gate = GATE_XSAVEOPT},
	{.name = {"xsavec", "xsavec_same", "xsavec_cold"},
	 .op = SEQX_XSAVEC,
	 .gate = GATE_XSAVEC,
	 .compact = true},
	{.name = {"xsaves", "xsaves_same", "xsaves_cold"},
	 .op = SEQX_XSAVES,
	 .gate = GATE_XSAVES,
	 .compact = true,
	 .super = true},
	{.name = {"xrstor", NULL, "xrstor_cold", "xrstor_dirty"},
	 .op = SEQX_XRSTOR,
	 .gate = GATE_XSAVE,
	 .restore = true},
	{.name = {"xrstor_compact", NULL, "xrstor_compact_cold", "xrstor_compact_dirty"},
	 .op = SEQX_XRSTOR,
	 .gate = GATE_XSAVEC,
	 .restore = true,
	 .compact = true},
	{.name = {"xrstors", NULL, "xrstors_cold", "xrstors_dirty"},
	 .op = SEQX_XRSTORS,
	 .gate = GATE_XSAVES,
	 .restore = true,
	 .compact = true,
	 .super = true},
	{.name = {"fxsave"}, .op = SEQX_FXSAVE, .gate = GATE_XSAVE, .legacy = true},
	{.name = {"fxrstor"},
	 .op = SEQX_FXRSTOR,
	 .gate = GATE_XSAVE,
	 .restore = true,
	 .legacy = true},
};

/* An emulator is described, not judged. */
static enum status judged(const struct xsave *x, enum status s)
{
	return run_emulated(x->run) ? STATUS_SKIP : s;
}

static const char *unjudged(const struct xsave *x)
{
	return run_emulated(x->run) ? " (emulated, not judged)" : "";
}

/* x87 and SSE fit any area, whatever the leaf says. */
static u32 gate_trial(enum xgate gate)
{
	static u8 area[XSAVE_LEGACY + XSAVE_HEADER] __attribute__((aligned(64)));
	u64 xinuse;

	switch (gate) {
	case GATE_XSAVE:
		return xsave_safe(area, LEGACY_MASK);
	case GATE_XSAVEOPT:
		return xsaveopt_safe(area, LEGACY_MASK);
	case GATE_XSAVEC:
		return xsavec_safe(area, LEGACY_MASK);
	case GATE_XGETBV1:
		return xgetbv_safe(1, &xinuse) ? 0 : INSN_FAULT_GP;
	default:
		return xsaves_safe(area, LEGACY_MASK);
	}
}

static void gate_check(struct xsave *x, enum xgate gate)
{
	static const struct {
		const char *check, *bit;
	} gates[XGATES] = {
		[GATE_XSAVE] = {"xsave.gate.xsave", "CPUID.1:ECX[26]"},
		[GATE_XSAVEOPT] = {"xsave.gate.xsaveopt", "CPUID.D.1:EAX[0]"},
		[GATE_XSAVEC] = {"xsave.gate.xsavec", "CPUID.D.1:EAX[1]"},
		[GATE_XGETBV1] = {"xsave.gate.xgetbv1", "CPUID.D.1:EAX[2]"},
		[GATE_XSAVES] = {"xsave.gate.xsaves", "CPUID.D.1:EAX[3]"},
	};
	const bool bit[XGATES] = {x->run->machine->xsave, x->layout.xsaveopt, x->layout.xsavec,
				  x->layout.xgetbv1, x->layout.xsaves};
	struct verdict *v = x->run->verdict;
	char bytes[16];
	struct text fault = TEXT_ON(bytes);
	u32 f;

	if (!bit[gate]) {
		verdict_add(v, gates[gate].check, STATUS_SKIP, "%s is 0", gates[gate].bit);
		return;
	}
	if (gate == GATE_XSAVES && x->run->machine->process) {
		verdict_add(v, gates[gate].check, STATUS_SKIP, "needs ring 0");
		return;
	}
	f = gate_trial(gate);
	x->gate[gate] = f == 0;
	xreport_fault(&fault, f);
	if (f)
		verdict_add(v, gates[gate].check, judged(x, STATUS_UNSTABLE),
			    "advertised (%s) but %.*s%s", gates[gate].bit, (int)fault.len, bytes,
			    unjudged(x));
	else
		verdict_add(v, gates[gate].check, STATUS_OK, "%s", "");
}

/* Asks for everything offered, then for less, group by group, until the CPU takes it. */
static u64 xcr0_raise(const struct xsave *x, u64 requested)
{
	u64 set[XSTATE_MAX], granted = 0;
	size_t n = xstate_cumulative(requested, set);

	while (n--) {
		granted = env_xcr0_set(set[n]);
		if (granted == set[n] || x->run->machine->process)
			break;
	}
	return granted;
}

static const char *xcr0_reason(const struct xsave *x, u64 requested, u64 granted)
{
	if (x->run->machine->process)
		return "as the operating system set it";
	if (granted != requested)
		return "XSETBV took no more";
	if (requested != x->layout.user)
		return "as requested; the rest lacks what it depends on";
	return "as requested";
}

static void xcr0_setup(struct xsave *x)
{
	u64 requested = xcr0_close(x->layout.user);
	u64 granted = xcr0_raise(x, requested);
	const char *reason = xcr0_reason(x, requested, granted);
	bool as_asked = granted == requested || x->run->machine->process;

	x->xcr0 = granted;
	if (granted & TILE_MASK && !env_xstate_permit(XSTATE_TILEDATA)) {
		x->xcr0 &= ~TILE_MASK;
		reason = "no leave to use tiles";
	}
	/* Whatever firmware left in IA32_XSS would be restored by XRSTORS too. */
	if (x->gate[GATE_XSAVES])
		x->xss = env_xss_set(run_detail_full(x->run) ? x->layout.super & XSS_WANTED : 0);
	xstate_read(&x->layout, cpuid_read, NULL);
	x->payload = xstate_payload_set(&x->layout, x->xcr0);
	xreport_xcr0(x, requested, granted, reason);
	verdict_add(x->run->verdict, "xsave.xcr0",
		    as_asked ? STATUS_OK : judged(x, STATUS_UNSTABLE),
		    "0x%llx requested, 0x%llx granted: %s%s", (unsigned long long)requested,
		    (unsigned long long)granted, reason, as_asked ? "" : unjudged(x));
}

/* A process cannot see IA32_XSS: any sum that some supervisor set makes is believed. */
static bool finding_believed(const struct xsave *x, const struct xstate_finding *f)
{
	const struct xstate *l = &x->layout;

	return x->run->machine->process && f->fault == XSTATE_COMPACTED_SIZE &&
	       f->said > f->computed && f->said <= xstate_compacted_size(l, env_xcr0() | l->super);
}

static void layout_check(struct xsave *x)
{
	struct xstate_finding f[16];
	size_t found = 0, n;

	n = xstate_check(&x->layout, env_xcr0(), x->xss, f, ARRAY_SIZE(f));
	for (size_t i = 0; i < n && i < ARRAY_SIZE(f); i++) {
		if (finding_believed(x, &f[i]))
			continue;
		xreport_finding(x, &f[i]);
		found++;
	}
	if (found)
		verdict_add(x->run->verdict, "xsave.layout", judged(x, STATUS_UNSTABLE),
			    "leaf 0Dh contradicts itself %zu times, see type=xlayout%s", found,
			    unjudged(x));
	else
		verdict_add(x->run->verdict, "xsave.layout", STATUS_OK, "%s", "");
}

static bool area_setup(struct xsave *x)
{
	u64 size = xstate_area_size(&x->layout, env_xcr0(), x->xss), wanted = 0;

	xreport_area(x, size);
	if (xblock_alloc(x, size, &wanted))
		return true;
	verdict_add(x->run->verdict, "xsave.area", judged(x, STATUS_FAILED),
		    "areas of %llu bytes: %llu bytes wanted in all, %llu left%s",
		    (unsigned long long)size, (unsigned long long)wanted,
		    (unsigned long long)env_arena_left(), unjudged(x));
	return false;
}

struct masks {
	u64 at[RFBMS];
	size_t n;
};

static void mask_add(struct masks *m, u64 mask, size_t cap)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i] == mask)
			return;
	if (m->n < cap)
		m->at[m->n++] = mask;
}

static void sweep_rfbms(const struct xsave *x, const struct xevent *e, struct masks *m)
{
	u64 set[XSTATE_MAX];
	size_t n = xstate_cumulative(x->xcr0, set);

	m->n = 0;
	if (e->legacy) {
		mask_add(m, LEGACY_MASK, RFBMS);
		return;
	}
	if (x->run->options->xsave_rfbm != OPTION_UNSET) {
		if (e->super || !(x->run->options->xsave_rfbm & x->xss))
			mask_add(m, x->run->options->xsave_rfbm, RFBMS);
		return;
	}
	for (size_t i = 0; i < n; i++)
		mask_add(m, set[i], RFBMS);
	if (!run_detail_full(x->run))
		return;
	for (u32 i = 0; i < XSTATE_MAX; i++)
		if (x->xcr0 >> i & 1)
			mask_add(m, 1ull << i, RFBMS);
	if (e->super && x->xss) {
		mask_add(m, x->xss, RFBMS);
		mask_add(m, x->xcr0 | x->xss, RFBMS);
	}
}

/* XINUSE sets for one RFBM; the tile pair is only ever in use together. */
static void sweep_asked(const struct xsave *x, struct xblock *b)
{
	u64 set[XSTATE_MAX];
	size_t n = xstate_cumulative(x->xcr0, set);
	struct masks m = {.n = 0};

	if (x->run->options->xsave_xinuse != OPTION_UNSET) {
		mask_add(&m, x->run->options->xsave_xinuse, XASKED);
	} else if (b->event->legacy) {
		mask_add(&m, LEGACY_MASK, XASKED);
	} else {
		mask_add(&m, 0, XASKED);
		for (size_t i = 0; i < n; i++)
			if (!(set[i] & ~b->rfbm))
				mask_add(&m, set[i] & x->payload, XASKED);
		for (u32 i = 0; run_detail_full(x->run) && i < XSTATE_MAX; i++)
			if (x->payload & b->rfbm & 1ull << i)
				mask_add(&m, (TILE_MASK >> i & 1) ? TILE_MASK : 1ull << i, XASKED);
	}
	memcpy(b->asked, m.at, m.n * sizeof(m.at[0]));
	b->n_asked = m.n;
}

static void count_reads(struct xsave *x, const struct xblock *b)
{
	if (b->event->restore)
		return;
	for (size_t k = 0; k < b->n_cells; k++) {
		const u64 asked = b->cell_asked[k];

		if (x->reads == 0)
			x->asked_all = x->read_all = ~0ull;
		x->asked_any |= asked;
		x->asked_all &= asked;
		for (u64 i = k * x->n; i < (k + 1) * x->n; i++) {
			x->read_any |= x->xinuse[i];
			x->read_all &= x->xinuse[i];
			x->mismatches += x->xinuse[i] != asked;
			x->reads++;
		}
	}
}

static void count_block(struct xsave *x, const struct xblock *b)
{
	if (x->skipped == 0 && b->n_skips) {
		x->first_skip = b->skip[0];
		x->first_skip_event = xblock_name(b);
	}
	x->skipped += b->n_skips;
	x->other += b->other;
	x->backwards += b->backwards;
	if (b->n_cells == 0)
		return;
	if (x->blocks == 0 || b->overhead < x->overhead_min)
		x->overhead_min = b->overhead;
	if (b->overhead > x->overhead_max)
		x->overhead_max = b->overhead;
	x->overhead_unstable += !b->overhead_stable;
	x->unstable += b->unstable;
	x->blocks++;
}

/* The cell that was meant to give this XINUSE, else the one that happened to first. */
static size_t group_cell(const struct xsave *x, const struct xblock *b, const struct xgroup *g)
{
	for (size_t k = 0; k < b->n_cells; k++)
		if (b->cell_asked[k] == g->xinuse)
			return k;
	return g->first / x->n;
}

/* The samples of one XINUSE become one row. */
static void cell_finish(struct xsave *x, struct xblock *b, const struct xgroup *g,
			struct xcell *cell)
{
	const u64 most = x->run->options->xsave_trace;
	const size_t k = group_cell(x, b, g);
	size_t n = xgroup_take(x->ticks, x->xinuse, b->n_cells * x->n, g->xinuse, x->scratch);

	n = stats_drop_backwards(x->scratch, n, &b->backwards);
	step_add(&x->run->step, x->scratch, n);
	*cell = (struct xcell){
		.event = xblock_name(b),
		.rfbm = b->rfbm,
		.xinuse = g->xinuse,
		.xstate_bv = b->cell_bv[k],
		.overhead = b->overhead,
		.overhead_stable = b->overhead_stable,
		.unstable = b->unstable,
		.ratio = b->tells_cycles ? b->ratio : 0,
		.clamped = stats_subtract(x->scratch, n, b->overhead),
	};
	x->clamped += cell->clamped;
	/* Before the sort, so that a trace shows the order of time. */
	if (!b->event->legacy)
		xreport_trace(x, cell, x->scratch, n < most ? n : most);
	stats_latency(x->scratch, n, &cell->lat);
}

static void block_finish(struct xsave *x, struct xblock *b)
{
	/* Too large for the stack of a kernel. */
	static struct xgroup group[XGROUPS];
	static struct xcell cell[XGROUPS];
	size_t n, kept = 0;

	n = xgroup_find(x->xinuse, b->n_cells * x->n, group, XGROUPS, &b->other);
	for (size_t i = 0; i < n; i++) {
		cell_finish(x, b, &group[i], &cell[kept]);
		kept += cell[kept].lat.n > 0;
	}
	count_reads(x, b);
	xreport_block(x, b, cell, kept);
	count_block(x, b);
	for (size_t i = 0; i < kept; i++) {
		if (x->n_cells < XCELLS)
			x->cell[x->n_cells++] = cell[i];
		else
			x->lost++;
	}
}

typedef void block_visit(struct xsave *x, struct xblock *b);

static void sweep(struct xsave *x, block_visit *visit)
{
	static struct xblock b;
	static struct masks rfbm;
	const enum xvariant variants = run_detail_full(x->run) ? XVARIANTS : XVAR_PLAIN + 1;

	for (size_t e = 0; e < ARRAY_SIZE(event_table); e++) {
		if (!x->gate[event_table[e].gate])
			continue;
		sweep_rfbms(x, &event_table[e], &rfbm);
		for (enum xvariant v = XVAR_PLAIN; v < variants; v++) {
			if (!event_table[e].name[v])
				continue;
			for (size_t i = 0; i < rfbm.n; i++) {
				b = (struct xblock){
					.event = &event_table[e],
					.variant = v,
					.rfbm = rfbm.at[i],
					.tells_cycles = run_detail_full(x->run) || i + 1 == rfbm.n,
				};
				sweep_asked(x, &b);
				visit(x, &b);
			}
		}
	}
}

static void visit_count(struct xsave *x, struct xblock *b)
{
	x->planned += b->n_asked;
	x->planned_ticks += b->n_asked * x->n * xblock_pilot(x, b);
}

static void visit_measure(struct xsave *x, struct xblock *b)
{
	/* XRSTOR of a compacted image takes no supervisor state, and the same buffer needs one. */
	if (b->variant == XVAR_SAME && b->rfbm & x->xss)
		return;
	xblock_measure(x, b);
	block_finish(x, b);
}

/* A row is about 90 bytes of table and 90 of records; a trace line about 120. */
static void estimate(struct xsave *x)
{
	const u64 trace = x->run->options->xsave_trace;
	char least[40];
	struct text t = TEXT_ON(least);
	u64 tenths, bytes;

	sweep(x, visit_count);
	tenths = x->planned_ticks / (env_ticks_per_second() / 10 + 1);
	if (x->run->machine->tsc_trusted)
		fmt(&t, "%llu.%llu s", (unsigned long long)(tenths / 10),
		    (unsigned long long)(tenths % 10));
	else
		fmt(&t, "%llu ticks", (unsigned long long)x->planned_ticks);
	bytes = x->planned * (180 + 120 * (trace < x->n ? trace : x->n));
	report_text(x->run->report, "estimate: %llu rows, %llu KiB, at least %.*s to measure\n",
		    (unsigned long long)x->planned, (unsigned long long)(bytes / 1024 + 1),
		    (int)t.len, least);
}

/* What was asked for must be there: bits that the CPU ignores would make a false row. */
static bool picks_valid(struct xsave *x)
{
	const struct options *o = x->run->options;
	bool ok = true;

	if (o->xsave_rfbm != OPTION_UNSET && o->xsave_rfbm & ~(x->xcr0 | x->xss)) {
		verdict_add(x->run->verdict, "xsave.rfbm", STATUS_FAILED,
			    "xsave.rfbm=0x%llx: expected bits of 0x%llx",
			    (unsigned long long)o->xsave_rfbm,
			    (unsigned long long)(x->xcr0 | x->xss));
		ok = false;
	}
	if (o->xsave_xinuse != OPTION_UNSET &&
	    (o->xsave_xinuse & ~x->payload ||
	     (o->xsave_xinuse & TILE_MASK && (o->xsave_xinuse & TILE_MASK) != TILE_MASK))) {
		verdict_add(x->run->verdict, "xsave.xinuse", STATUS_FAILED,
			    "xsave.xinuse=0x%llx: expected bits of 0x%llx%s",
			    (unsigned long long)o->xsave_xinuse, (unsigned long long)x->payload,
			    x->payload & TILE_MASK ? ", 0x60000 together" : "");
		ok = false;
	}
	return ok;
}

static void check_cells(struct xsave *x)
{
	char bytes[120];
	struct text reason = TEXT_ON(bytes);
	enum status s = STATUS_OK;

	if (x->skipped) {
		s = judged(x, STATUS_UNSTABLE);
		fmt(&reason, "; first %s 0x%llx: ", x->first_skip_event,
		    (unsigned long long)x->first_skip.asked);
		xreport_skip_reason(&reason, &x->first_skip);
	}
	if (x->n_cells == 0 || x->lost)
		s = STATUS_ERROR;
	verdict_add(x->run->verdict, "xsave.cells", s,
		    "%zu rows measured, %llu cells skipped%.*s%s", x->n_cells,
		    (unsigned long long)x->skipped, (int)reason.len, bytes,
		    x->skipped ? unjudged(x) : "");
	if (x->lost)
		report_text(x->run->report, "%llu rows did not fit the table's %u\n",
			    (unsigned long long)x->lost, XCELLS);
	verdict_add(x->run->verdict, "xsave.area",
		    x->canaries ? judged(x, STATUS_UNSTABLE) : STATUS_OK,
		    "%llu bytes, canaries hit %llu times%s", (unsigned long long)x->operand.size,
		    (unsigned long long)x->canaries, x->canaries ? unjudged(x) : "");
}

/* Components asked both in use and not, and never read but as the one. */
static u64 untracked(const struct xsave *x)
{
	return (x->asked_any & ~x->asked_all) & ~(x->read_any & ~x->read_all);
}

static void check_xinuse(struct xsave *x)
{
	struct verdict *v = x->run->verdict;
	char bytes[100];
	struct text names = TEXT_ON(bytes);

	xreport_names(&names, untracked(x));
	if (x->reads == 0)
		verdict_add(v, "xsave.xinuse", STATUS_SKIP, "no save was measured");
	else if (untracked(x) && x->read_any == x->read_all)
		verdict_add(v, "xsave.xinuse", STATUS_SKIP, "XINUSE not tracked (always 0x%llx)",
			    (unsigned long long)x->read_any);
	else if (untracked(x))
		verdict_add(v, "xsave.xinuse", STATUS_SKIP, "XINUSE not tracked for %.*s",
			    (int)names.len, bytes);
	else
		verdict_add(v, "xsave.xinuse", STATUS_OK,
			    "%llu of %llu samples had another state in use than asked, %llu in "
			    "none of %u groups",
			    (unsigned long long)x->mismatches, (unsigned long long)x->reads,
			    (unsigned long long)x->other, XGROUPS);
}

static void check_overhead(struct xsave *x)
{
	enum status s = STATUS_OK;

	if (x->blocks == 0)
		return;
	if (x->overhead_unstable || x->unstable || x->backwards)
		s = judged(x, STATUS_UNSTABLE);
	verdict_add(x->run->verdict, "xsave.overhead", s,
		    "%llu..%llu ticks; of %llu blocks %llu unstable, %llu disturbed; %llu samples "
		    "clamped, %llu backwards%s",
		    (unsigned long long)x->overhead_min, (unsigned long long)x->overhead_max,
		    (unsigned long long)x->blocks, (unsigned long long)x->overhead_unstable,
		    (unsigned long long)x->unstable, (unsigned long long)x->clamped,
		    (unsigned long long)x->backwards, s == STATUS_SKIP ? unjudged(x) : "");
}

/* The dearest case, which is what a context switch of a busy program costs. */
static void headline(struct xsave *x)
{
	static const char *const shown[] = {"xsave", "xsaveopt", "xsavec", "xrstor"};
	char bytes[60];
	struct text t = TEXT_ON(bytes);

	for (size_t e = 0; e < ARRAY_SIZE(shown); e++)
		for (size_t i = 0; i < x->n_cells; i++)
			if (x->cell[i].rfbm == x->xcr0 && x->cell[i].xinuse == x->payload &&
			    str_is(x->cell[i].event, shown[e]))
				fmt(&t, " %s %llu", shown[e],
				    (unsigned long long)x->cell[i].lat.min);
	if (t.len)
		run_headline(x->run, "XSAVE", "0x%llx in use:%.*s", (unsigned long long)x->payload,
			     (int)t.len, bytes);
}

static void xsave_sweep(struct xsave *x)
{
	if (run_detail_full(x->run) || x->run->options->xsave_trace)
		estimate(x);
	if (x->run->options->xsave_trace)
		xreport_trace_head(x);
	sweep(x, visit_measure);
	xreport_sweep(x, untracked(x));
	xreport_table(x);
	headline(x);
	check_cells(x);
	check_xinuse(x);
	check_overhead(x);
}

static void xsave_run(struct run *run)
{
	static struct xsave x;

	x = (struct xsave){.run = run};
	x.n = run->profile == PROFILE_QUICK ? SAMPLES_QUICK : SAMPLES_STANDARD;
	if (!run->machine->xsave) {
		verdict_add(run->verdict, "xsave", STATUS_SKIP, "%s",
			    run->machine->xsave_off ? run->machine->xsave_off
						    : "no XSAVE (CPUID.1:ECX[26] is 0)");
		return;
	}
	run->measured = true;
	xstate_read(&x.layout, cpuid_read, NULL);
	for (enum xgate gate = 0; gate < XGATES; gate++) {
		gate_check(&x, gate);
		if (!x.gate[GATE_XSAVE])
			return; /* nothing to build the other trials on */
	}
	xcr0_setup(&x);
	layout_check(&x);
	if (area_setup(&x) && picks_valid(&x))
		xsave_sweep(&x);
}

const struct bench xsave_bench = {
	.name = "xsave",
	.doc = "XSAVE, XRSTOR and kin by components asked and in use",
	.run = xsave_run,
};
