// SPDX-License-Identifier: MIT
/*
 * How many bytes the XSAVE suite puts on the wire where its sweep is widest: a recorded AMX machine
 * with every instruction there, figures of five digits. The sweep and its report are the suite's
 * own sources, compiled in here; only the measuring is made up.
 */
#include "report.c"
#include "xreport.c"
#include "xsave.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "amx.h"

/* ---- the world that the suite asks for */

static u64 wire, last_line, longest; /* bytes with CR LF; of the line under way; of any line */

void env_write(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		wire += bytes[i] == '\n' ? 2 : 1;
		last_line = bytes[i] == '\n' ? 0 : last_line + 1;
		longest = last_line > longest ? last_line : longest;
	}
}

u64 env_ticks_per_second(void)
{
	return 1000000000;
}

u64 env_arena_left(void)
{
	return 0;
}

static u64 xcr0;

u64 env_xcr0(void)
{
	return xcr0;
}

u64 env_xcr0_set(u64 wanted)
{
	return xcr0 = wanted;
}

u64 env_xss_set(u64 wanted)
{
	return wanted;
}

bool env_xstate_permit(u32 component)
{
	return component < XSTATE_MAX;
}

bool run_emulated(const struct run *run)
{
	return run->icount;
}

void run_headline(struct run *run, const char *topic, const char *format, ...)
{
	(void)run, (void)topic, (void)format;
}

bool xblock_alloc(struct xsave *x, u64 area_size, u64 *wanted)
{
	(void)x;
	*wanted = area_size;
	return false;
}

u64 xblock_pilot(struct xsave *x, const struct xblock *b)
{
	(void)x, (void)b;
	return 0;
}

void xblock_measure(struct xsave *x, struct xblock *b)
{
	(void)x, (void)b;
}

/* ---- the machine: one with AMX */

static struct cpuid_regs amx(void *ctx, u32 leaf, u32 subleaf)
{
	static const struct cpuid_regs sub[] = AMX_LEAF_D;

	(void)ctx;
	if (leaf == 0)
		return (struct cpuid_regs){.eax = 0x20};
	return subleaf < ARRAY_SIZE(sub) ? sub[subleaf] : (struct cpuid_regs){0};
}

/* No two neighbours equal, so that no list shrinks to one value. */
static struct xcell cell_made_up(const struct xblock *b, u64 asked, u64 salt)
{
	const u64 t = 80000 + salt * 37 % 10000;
	/* Saves whose XINUSE was another than asked leave their row; restores cannot. */
	const u64 lost = b->event->restore ? 0 : salt % 3;

	return (struct xcell){
		.event = xblock_name(b),
		.rfbm = b->rfbm,
		.xinuse = asked,
		.xstate_bv = asked & b->rfbm,
		.lat = {.n = 2000 - lost,
			.kept = 1940 - lost,
			.min = t,
			.max = t + 9000,
			.avg = t + 300,
			.avg97 = t + 200,
			.p50 = t + 100,
			.p99 = t + 900},
		.overhead = 100,
		.clamped = salt % 2,
		.ratio = b->tells_cycles ? 19999 : 0,
	};
}

static void visit_made_up(struct xsave *x, struct xblock *b)
{
	struct xcell cell[XASKED];

	b->overhead = 100;
	b->unstable = true;
	for (size_t i = 0; i < b->n_asked; i++)
		cell[i] = cell_made_up(b, b->asked[i], x->n_cells + i);
	xreport_block(x, b, cell, b->n_asked);
	for (size_t i = 0; i < b->n_asked; i++)
		x->cell[x->n_cells++] = cell[i];
}

static void test_amx(void **state)
{
	static struct xcell rows[XCELLS];
	static struct options options;
	static struct report report = {.options = &options};
	static struct machine machine = {.xsave = true};
	static struct run run = {.report = &report, .options = &options, .machine = &machine};
	static struct xsave x = {.run = &run, .cell = rows, .n = SAMPLES_STANDARD};

	(void)state;
	options_default(&options);
	xstate_read(&x.layout, amx, NULL);
	for (enum xgate gate = 0; gate < XGATES; gate++)
		x.gate[gate] = true;
	x.xcr0 = xcr0_close(x.layout.user);
	x.payload = xstate_payload_set(&x.layout, x.xcr0);
	assert_int_equal(x.xcr0, 0x602e7);
	assert_int_equal(x.payload, 0x602e7);

	xreport_xcr0(&x, x.xcr0, x.xcr0, "as requested");
	xreport_area(&x, 11008);
	sweep(&x, visit_made_up);
	xreport_sweep(&x, 0);
	xreport_table(&x);

	/* Seven instructions by five sets of RFBM by init and those sets within it; and FXSAVE's
	 * two. */
	assert_int_equal(x.n_cells, 7 * (2 + 3 + 4 + 5 + 6) + 2);
	assert_int_equal(report.lost, 0);
	assert_true(longest <= RECORD_MAX);
	/* Read by tests/report-size.t. */
	print_message("report-size: xsave %llu bytes, %zu rows\n", (unsigned long long)wire,
		      x.n_cells);
	assert_in_range(wire, x.n_cells * 100, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_amx)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
