// SPDX-License-Identifier: MIT
/* The suites in report order. */
#include "bench.h"

#include "suites.h"

/* Not built: the help and a run say so. */
static const struct bench sync_bench = {
	.name = "sync", .doc = "do the CPUs' TSCs agree: warps, offsets, TSC_ADJUST"};
static const struct bench percore_bench = {.name = "percore",
					   .doc = "the tsc suite on each CPU, core types apart"};
static const struct bench interfere_bench = {.name = "interfere",
					     .doc = "back-to-back reads while another CPU works"};
static const struct bench idle_bench = {.name = "idle", .doc = "wake latency per C-state"};
static const struct bench msr_bench = {.name = "msr", .doc = "cost of RDMSR and WRMSR of one MSR"};
static const struct bench exits_bench = {
	.name = "exits", .doc = "cost of what leaves a guest: CPUID, RDMSR, port I/O"};

const struct bench *const bench_list[] = {
	&tsc_bench,	&stability_bench, &gaps_bench, &xsave_bench, &sync_bench,
	&percore_bench, &interfere_bench, &idle_bench, &msr_bench,   &exits_bench,
};
const size_t bench_list_n = ARRAY_SIZE(bench_list);
