// SPDX-License-Identifier: MIT
/* The measured sequences, run in a process on the CPU that is there. */
#include <string.h>

#include "crc.h"
#include "faults.h"
#include "insn.h"
#include "seq.h"

#define SAMPLES	  200
#define UNTOUCHED 0xfeedfacecafebeefull

static u64 out[SAMPLES + 1];
static u64 xinuse[SAMPLES + 1];
static struct seq_scratch scratch;
static u8 image[8192] __attribute__((aligned(64)));
static u8 area[8192] __attribute__((aligned(64)));
static u32 have; /* NEED_ bits */

static int probe(void **state)
{
	u64 value;
	u32 aux;

	(void)state;
	catch_faults();
	have |= rdtscp_safe(&value, &aux) ? NEED_RDTSCP : 0;
	have |= serialize_safe() ? NEED_SERIALIZE : 0;
	have |= rdpmc_safe(0x40000001, &value) ? NEED_RDPMC : 0;
	return 0;
}

static bool can(u32 needs)
{
	return (needs & ~have) == 0;
}

static u64 smallest(const u64 *x, size_t n)
{
	u64 min = x[0];

	while (n--)
		if (x[n] < min)
			min = x[n];
	return min;
}

/* Runs one line; every delta must be a time, and nothing may be written past it. */
static u64 line(seq_fn *run, u64 n, u64 j)
{
	u64 i;

	for (i = 0; i <= n; i++)
		out[i] = UNTOUCHED;
	run(out, n, j, &scratch);
	assert_true(out[n] == UNTOUCHED);
	for (i = 0; i < n; i++)
		assert_in_range(out[i], 1, 1ull << 40);
	return smallest(out, n);
}

static u64 best_of(seq_fn *run, u64 n, u64 j, int lines)
{
	u64 best = line(run, n, j);

	while (--lines) {
		u64 min = line(run, n, j);

		if (min < best)
			best = min;
	}
	return best;
}

/* First of all: where they differ the tables are read beyond their ends. */
static void header_counts_what_the_assembly_made(void **state)
{
	(void)state;
	if (seq_made.methods != SEQ_METHODS)
		fail_msg("seq.asm has %llu methods, SEQ_METHODS is %d",
			 (unsigned long long)seq_made.methods, SEQ_METHODS);
	if (seq_made.starts != SEQ_STARTS)
		fail_msg("seq.asm's matrix has %llu starts, SEQ_STARTS is %d",
			 (unsigned long long)seq_made.starts, SEQ_STARTS);
	if (seq_made.ends != SEQ_ENDS)
		fail_msg("seq.asm's matrix has %llu ends, SEQ_ENDS is %d",
			 (unsigned long long)seq_made.ends, SEQ_ENDS);
}

static void every_method_measures(void **state)
{
	const struct seq_entry *e;

	(void)state;
	for (e = seq_table; e < seq_table + seq_table_n; e++)
		if (can(seq_method[e->method].needs))
			line(e->run, 50, 3);
}

static void every_cell_of_the_matrix_measures(void **state)
{
	int s, e;

	(void)state;
	for (s = 0; s < SEQ_STARTS; s++)
		for (e = 0; e < SEQ_ENDS; e++)
			if (can(seq_start[s].needs | seq_end_edge[e].needs))
				line(seq_matrix[s * SEQ_ENDS + e], 50, 0);
}

static void no_samples_write_nothing(void **state)
{
	const struct seq_entry *e;

	(void)state;
	out[0] = UNTOUCHED;
	for (e = seq_table; e < seq_table + seq_table_n; e++)
		e->run(out, 0, 5, &scratch);
	assert_true(out[0] == UNTOUCHED);
}

static void longer_loops_take_longer(void **state)
{
	u64 none, some, many;
	u32 m;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++) {
		seq_fn *run = seq_find(m, WORK_LOOP, PRE_NONE, FORM_MEM);

		assert_non_null(run);
		if (!can(seq_method[m].needs))
			continue;
		/* far apart: CPUID in a guest moves by hundreds of ticks on its own */
		none = best_of(run, SAMPLES, 0, 3);
		some = best_of(run, 50, 5000, 3);
		many = best_of(run, 20, 50000, 3);
		assert_true(none < some);
		assert_true(some < many);
	}
}

/* What the workload leaves in memory, for one sequence. */
static u64 work_after(seq_fn *run, u64 n, u64 j)
{
	memset(&scratch, 0, sizeof(scratch));
	scratch.work = UNTOUCHED;
	run(out, n, j, &scratch);
	return scratch.work;
}

static void workloads_store_what_they_say(void **state)
{
	u32 m;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++) {
		if (!can(seq_method[m].needs))
			continue;
		assert_true(work_after(seq_find(m, WORK_EMPTY, PRE_NONE, FORM_MEM), 9, 7) ==
			    UNTOUCHED);
		assert_true(scratch.start != 0 && scratch.pre == 0);
		assert_int_equal(work_after(seq_find(m, WORK_STORE, PRE_NONE, FORM_MEM), 9, 7), 7);
		assert_int_equal(work_after(seq_find(m, WORK_ADD, PRE_NONE, FORM_MEM), 9, 7), 15);
		assert_int_equal(work_after(seq_find(m, WORK_LOOP, PRE_NONE, FORM_MEM), 9, 7), 6);
		assert_true(work_after(seq_find(m, WORK_LOOP, PRE_NONE, FORM_MEM), 9, 0) ==
			    UNTOUCHED);
		assert_true(work_after(seq_find(m, WORK_EMPTY, PRE_NONE, FORM_REG), 9, 7) ==
			    UNTOUCHED);
		assert_true(scratch.start == 0 && scratch.pre == 0);
	}
}

static void preambles_read_and_work(void **state)
{
	u32 m;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++) {
		if (!can(seq_method[m].needs))
			continue;
		assert_true(work_after(seq_find(m, WORK_EMPTY, PRE_TSC, FORM_MEM), 9, 7) ==
			    UNTOUCHED);
		assert_true(scratch.pre != 0);
		if (seq_method[m].ticks)
			assert_true(scratch.pre < scratch.start);
		assert_int_equal(work_after(seq_find(m, WORK_EMPTY, PRE_TSC_WORK, FORM_MEM), 9, 7),
				 15);
		assert_int_equal(
			work_after(seq_find(m, WORK_EMPTY, PRE_TSC_WORK_LFENCE, FORM_MEM), 9, 7),
			15);
	}
}

static void table_is_complete_and_unique(void **state)
{
	u64 i, k, n = 0;
	u32 m;
	int w, p;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++)
		for (w = 0; w < WORKLOADS; w++)
			for (p = 0; p < PREAMBLES; p++, n++)
				assert_non_null(seq_find(m, w, p, FORM_MEM));
	for (m = 0; m < SEQ_METHODS; m++, n++)
		assert_non_null(seq_find(m, WORK_EMPTY, PRE_NONE, FORM_REG));
	assert_int_equal(n, seq_table_n);
	for (i = 0; i < seq_table_n; i++)
		for (k = 0; k < i; k++)
			assert_ptr_not_equal(seq_table[i].run, seq_table[k].run);
}

/* What an edge needs and what a method is follow from its text. */
static u32 needs_of(const char *text)
{
	return (strstr(text, "rdtscp") ? NEED_RDTSCP : 0) |
	       (strstr(text, "serialize") ? NEED_SERIALIZE : 0) |
	       (strstr(text, "rdpmc") ? NEED_RDPMC : 0);
}

static void needs_follow_from_the_text(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < SEQ_METHODS; i++) {
		const struct seq_method *m = &seq_method[i];

		assert_int_equal(m->needs, needs_of(m->start) | needs_of(m->end));
		assert_int_equal(m->symmetric, strcmp(m->start, m->end) == 0);
		assert_int_equal(m->ticks, !strstr(m->end, "rdpmc"));
	}
	for (i = 0; i < SEQ_STARTS; i++)
		assert_int_equal(seq_start[i].needs, needs_of(seq_start[i].text));
	for (i = 0; i < SEQ_ENDS; i++)
		assert_int_equal(seq_end_edge[i].needs, needs_of(seq_end_edge[i].text));
}

static void absent_sequences_are_null(void **state)
{
	u32 m;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++) {
		assert_null(seq_find(m, WORK_STORE, PRE_NONE, FORM_REG));
		assert_null(seq_find(m, WORK_EMPTY, PRE_TSC, FORM_REG));
	}
	assert_null(seq_find(SEQ_METHODS, WORK_EMPTY, PRE_NONE, FORM_MEM));
	assert_null(seq_find(0, WORKLOADS, PRE_NONE, FORM_MEM));
	assert_null(seq_find(0, WORK_EMPTY, PREAMBLES, FORM_MEM));
}

static void methods_are_found_by_id(void **state)
{
	int m;

	(void)state;
	for (m = 0; m < SEQ_METHODS; m++)
		assert_int_equal(seq_method_find(seq_method[m].id, strlen(seq_method[m].id)), m);
	assert_int_equal(seq_method_find("7m,5", 2), seq_method_find("7m", 2));
	assert_int_equal(seq_method_find("7m,5", 1), seq_method_find("7", 1));
	assert_int_equal(seq_method_find("", 0), -1);
	assert_int_equal(seq_method_find("1", 1), -1);
	assert_int_equal(seq_method_find("5x", 2), -1);
}

static void ruler_follows_its_length(void **state)
{
	u64 once = ~0ull, thrice = ~0ull;
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		u64 t = seq_ruler(100000);

		once = t < once ? t : once;
		t = seq_ruler(300000);
		thrice = t < thrice ? t : thrice;
	}
	/* a core does not add twice in a cycle; clocks may differ by two or so from the TSC's */
	assert_in_range(once, 100000 / 4, 100000 * 8);
	assert_true(thrice > 2 * once && thrice < 5 * once);
	assert_true(seq_ruler(0) < once);
	assert_true(seq_ruler(99) < once);
}

static void canary_measures(void **state)
{
	u64 min = ~0ull;
	int i;

	(void)state;
	for (i = 0; i < 32; i++) {
		u64 t = seq_canary();

		min = t < min ? t : min;
	}
	/* no core issues 32 NOPs a cycle */
	assert_in_range(min, 8192 / 32, 8192 * 8);
}

static void code_is_one_piece(void **state)
{
	u64 i;

	(void)state;
	assert_in_range(seq_size(), 1, 80 * 1024);
	assert_int_equal(seq_size() % 64, 0);
	for (i = 0; i < seq_table_n; i++)
		assert_in_range((u64)(uintptr_t)seq_table[i].run, (u64)(uintptr_t)seq_begin,
				(u64)(uintptr_t)seq_end - 1);
	assert_int_equal(seq_crc(), crc32(0, seq_begin, seq_size()));
	assert_int_not_equal(seq_crc(), crc32(0, seq_begin, seq_size() - 1));
}

/* Components 0..2 only: their initial values are harmless to the process. */
static u64 xcr0_low(void)
{
	u64 xcr0 = 0;

	catch_faults();
	if (!(cpuid(1, 0).ecx >> 27 & 1) || !xgetbv_safe(0, &xcr0))
		skip();
	return xcr0 & 7;
}

static bool xop_here(enum seq_xop op)
{
	u32 d1 = cpuid(0xd, 1).eax;

	switch (op) {
	case SEQX_XSAVEOPT:
		return d1 & 1;
	case SEQX_XSAVEC:
		return d1 & 2;
	case SEQX_XSAVES:
	case SEQX_XRSTORS:
		return false;
	default:
		return true;
	}
}

static void image_make(u64 bits)
{
	memset(image, 0, sizeof(image));
	memset(area, 0, sizeof(area));
	/* FCW 037Fh and MXCSR 1F80h, as a process starts with */
	image[0] = 0x7f;
	image[1] = 0x03;
	image[24] = 0x80;
	image[25] = 0x1f;
	memcpy(image + 512, &bits, sizeof(bits));
	memcpy(area, image, sizeof(area));
}

static u64 xrun(enum seq_xop op, const struct seq_xargs *args)
{
	u64 i;

	for (i = 0; i <= SAMPLES; i++)
		out[i] = xinuse[i] = UNTOUCHED;
	assert_int_equal(seq_xtable[op](args), 0);
	assert_true(out[args->n] == UNTOUCHED && xinuse[args->n] == UNTOUCHED);
	for (i = 0; i < args->n; i++)
		assert_in_range(out[i], 1, 1ull << 40);
	return smallest(out, args->n);
}

static void xsave_family_runs(void **state)
{
	u64 rfbm = xcr0_low(), empty, min;
	struct seq_xargs args = {out, NULL, SAMPLES, image, rfbm, area, rfbm, 0};
	enum seq_xop op;

	(void)state;
	image_make(rfbm);
	empty = xrun(SEQX_EMPTY, &args);
	for (op = SEQX_XSAVE; op < SEQX_OPS; op++) {
		if (!xop_here(op))
			continue;
		image_make(rfbm);
		min = xrun(op, &args);
		assert_true(min > empty);
	}
}

/* A cold area costs more, and priming decides what is in use. */
static void xsave_options_are_obeyed(void **state)
{
	u64 rfbm = xcr0_low(), hot, bits;
	struct seq_xargs args = {out, NULL, SAMPLES, image, rfbm, area, rfbm, 0};

	(void)state;
	image_make(rfbm);
	hot = xrun(SEQX_XSAVE, &args);
	args.flush = 1024;
	assert_true(xrun(SEQX_XSAVE, &args) > hot);

	args.flush = 0;
	args.image = NULL;
	xrun(SEQX_XSAVE, &args);
	if (!(cpuid(0xd, 1).eax & 4))
		return;
	args.image = image;
	args.xinuse = xinuse;
	for (bits = 0; bits <= 2; bits += 2) {
		image_make(bits);
		if (bits)
			memset(image + 160, 0x5a, 256);
		xrun(SEQX_EMPTY, &args);
		/* x87 may read as in use when it is not; SSE follows the image */
		assert_int_equal(xinuse[0] & 2, bits);
		assert_int_equal(xinuse[SAMPLES - 1] & 2, bits);
	}
}

static void xsave_saves_by_mask(void **state)
{
	u64 rfbm = xcr0_low(), saved;
	struct seq_xargs args = {out, NULL, 1, image, rfbm, area, 2, 0};
	size_t i;

	(void)state;
	image_make(rfbm);
	memset(image + 160, 0x5a, 256);
	memset(area, 0xee, 160);
	xrun(SEQX_XSAVE, &args);
	memcpy(&saved, area + 512, sizeof(saved));
	assert_int_equal(saved & 2, 2);
	for (i = 160; i < 416; i++)
		assert_int_equal(area[i], 0x5a);
	/* x87 was not asked for: FCW is as it was */
	assert_int_equal(area[0], 0xee);
}

static void xsave_fault_is_returned(void **state)
{
	u64 rfbm = xcr0_low();
	struct seq_xargs args = {out, NULL, 3, image, rfbm, area + 8, rfbm, 0};
	u32 d1 = cpuid(0xd, 1).eax;

	(void)state;
	image_make(rfbm);
	out[0] = UNTOUCHED;
	assert_int_equal(seq_xtable[SEQX_XSAVE](&args), INSN_FAULT_GP);
	assert_true(out[0] == UNTOUCHED);
	args.area = area;
	/* XSAVES is for ring 0 */
	assert_int_equal(seq_xtable[SEQX_XSAVES](&args), d1 & 8 ? INSN_FAULT_GP : INSN_FAULT_UD);
	/* a reserved byte of the header: priming fails */
	image[512 + 16] = 1;
	assert_int_equal(seq_xtable[SEQX_EMPTY](&args), INSN_FAULT_GP);
	args.n = 0;
	assert_int_equal(seq_xtable[SEQX_EMPTY](&args), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_counts_what_the_assembly_made),
		cmocka_unit_test(every_method_measures),
		cmocka_unit_test(every_cell_of_the_matrix_measures),
		cmocka_unit_test(no_samples_write_nothing),
		cmocka_unit_test(longer_loops_take_longer),
		cmocka_unit_test(workloads_store_what_they_say),
		cmocka_unit_test(preambles_read_and_work),
		cmocka_unit_test(table_is_complete_and_unique),
		cmocka_unit_test(needs_follow_from_the_text),
		cmocka_unit_test(absent_sequences_are_null),
		cmocka_unit_test(methods_are_found_by_id),
		cmocka_unit_test(ruler_follows_its_length),
		cmocka_unit_test(canary_measures),
		cmocka_unit_test(code_is_one_piece),
		cmocka_unit_test(xsave_family_runs),
		cmocka_unit_test(xsave_options_are_obeyed),
		cmocka_unit_test(xsave_saves_by_mask),
		cmocka_unit_test(xsave_fault_is_returned),
	};

	return cmocka_run_group_tests(tests, probe, NULL);
}
