// SPDX-License-Identifier: MIT
/* The suites in report order: the one place to add a line when adding a suite. */
#include "bench.h"

#include "suites.h"

static const struct bench sync_bench = {
	"sync", "do the CPUs' TSCs agree: warps, offsets, TSC_ADJUST", "ticks", NULL};
static const struct bench percore_bench = {"percore", "the tsc suite on each CPU, core types apart",
					   "ticks", NULL};
static const struct bench interfere_bench = {
	"interfere", "back-to-back reads while another CPU works", "ticks", NULL};
static const struct bench idle_bench = {"idle", "wake latency per C-state", "ticks", NULL};
static const struct bench msr_bench = {"msr", "cost of RDMSR and WRMSR of one MSR", "ticks", NULL};
static const struct bench exits_bench = {
	"exits", "cost of what leaves a guest: CPUID, RDMSR, port I/O", "ticks", NULL};

const struct bench *const bench_list[] = {
	&tsc_bench,	&stability_bench, &gaps_bench, &xsave_bench, &sync_bench,
	&percore_bench, &interfere_bench, &idle_bench, &msr_bench,   &exits_bench,
};
const size_t bench_list_n = ARRAY_SIZE(bench_list);
