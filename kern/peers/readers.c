// SPDX-License-Identifier: MIT
/*
 * The readers: ours out of the measured object, the others out of pairs.asm, and the C library's.
 */
#include "insn.h"
#include "mem.h"
#include "peers.h"

#include <time.h>

extern seq_fn pair_tsc_empty, pair_lf_empty, pair_tscplf_empty, pair_mf_empty, pair_mflf_empty,
	pair_cpuid_empty;
extern seq_fn pair_tsc_loop, pair_lf_loop, pair_tscplf_loop, pair_mf_loop, pair_mflf_loop,
	pair_cpuid_loop;

static u64 clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void clock_empty(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	(void)j, (void)scratch;
	for (u64 i = 0; i < n; i++) {
		u64 start = clock_ns();

		out[i] = clock_ns() - start;
	}
}

static void clock_loop(u64 *out, u64 n, u64 j, struct seq_scratch *scratch)
{
	volatile u64 *work = &scratch->work;

	for (u64 i = 0; i < n; i++) {
		u64 start = clock_ns();

		for (u64 k = 0; k < j; k++)
			*work = k;
		out[i] = clock_ns() - start;
	}
}

struct reader reader_table[READERS] = {
	{.name = "method 5", .method = "5"},
	{.name = "method 6", .method = "6"},
	{.name = "method 5 into a matrix", .method = "5", .matrix = true},
	{.name = "rdtsc", .empty = pair_tsc_empty, .loop = pair_tsc_loop},
	{.name = "lfence; rdtsc", .empty = pair_lf_empty, .loop = pair_lf_loop},
	{.name = "rdtscp; lfence",
	 .empty = pair_tscplf_empty,
	 .loop = pair_tscplf_loop,
	 .needs = NEED_RDTSCP},
	{.name = "mfence; rdtsc", .empty = pair_mf_empty, .loop = pair_mf_loop},
	{.name = "mfence; lfence; rdtsc", .empty = pair_mflf_empty, .loop = pair_mflf_loop},
	{.name = "cpuid; rdtsc", .empty = pair_cpuid_empty, .loop = pair_cpuid_loop},
	{.name = "clock_gettime (ns)", .empty = clock_empty, .loop = clock_loop, .ns = true},
};

void readers_open(void)
{
	for (struct reader *r = reader_table; r < reader_table + READERS; r++) {
		u32 method;

		if (!r->method)
			continue;
		method = (u32)seq_method_find(r->method, strlen(r->method));
		r->empty = seq_find(method, WORK_EMPTY, PRE_NONE, FORM_MEM);
		r->loop = seq_find(method, WORK_LOOP, PRE_NONE, FORM_MEM);
	}
}

u64 line_take(seq_fn *code, u64 *out, u64 n, u64 j, struct seq_scratch *scratch, u64 *prelude)
{
	u64 start;

	trial_settle();
	code(prelude, TRIAL_PRELUDE, j, scratch);
	start = rdtsc_ordered();
	code(out, n, j, scratch);
	return (rdtsc_ordered() - start) * 100 / n;
}
