// SPDX-License-Identifier: MIT
/*
 * Names and needs of the sequences in seq.asm. Order is the contract: the assembly counts methods,
 * workloads, preambles, forms and edges in the order of these tables.
 */
#include "seq.h"

#include "crc.h"
#include "mem.h"

const struct seq_method seq_method[SEQ_METHODS] = {
	{"0", "cpuid; rdtsc", "cpuid; rdtscp", NEED_RDTSCP, false, true},
	{"1c", "cpuid; rdtsc", "rdtscp; cpuid", NEED_RDTSCP, false, true},
	{"1l", "cpuid; rdtsc", "rdtscp; lfence", NEED_RDTSCP, false, true},
	{"2c", "lfence; rdtsc", "rdtscp; cpuid", NEED_RDTSCP, false, true},
	{"2l", "lfence; rdtsc", "rdtscp; lfence", NEED_RDTSCP, false, true},
	{"3c", "rdtscp", "rdtscp; cpuid", NEED_RDTSCP, false, true},
	{"3l", "rdtscp", "rdtscp; lfence", NEED_RDTSCP, false, true},
	{"4", "rdtscp", "rdtscp", NEED_RDTSCP, true, true},
	{"5", "lfence; rdtsc", "lfence; rdtsc", 0, true, true},
	{"6", "lfence; rdtsc; lfence", "lfence; rdtsc; lfence", 0, true, true},
	{"7", "mfence; lfence; rdtsc", "mfence; lfence; rdtsc", 0, true, true},
	{"7m", "mfence; rdtsc", "mfence; rdtsc", 0, true, true},
	{"8", "serialize; rdtsc", "serialize; rdtsc", NEED_SERIALIZE, true, true},
	{"9", "lfence; rdpmc; lfence", "lfence; rdpmc; lfence", NEED_RDPMC, true, false},
};

const struct seq_edge seq_start[SEQ_STARTS] = {
	{"cpuid; rdtsc", 0},
	{"lfence; rdtsc", 0},
	{"rdtscp", NEED_RDTSCP},
	{"lfence; rdtsc; lfence", 0},
	{"mfence; lfence; rdtsc", 0},
	{"mfence; rdtsc", 0},
	{"serialize; rdtsc", NEED_SERIALIZE},
};

const struct seq_edge seq_end_edge[SEQ_ENDS] = {
	{"cpuid; rdtscp", NEED_RDTSCP},
	{"rdtscp; cpuid", NEED_RDTSCP},
	{"rdtscp; lfence", NEED_RDTSCP},
	{"rdtscp", NEED_RDTSCP},
	{"lfence; rdtsc", 0},
	{"lfence; rdtsc; lfence", 0},
	{"mfence; lfence; rdtsc", 0},
	{"mfence; rdtsc", 0},
	{"serialize; rdtsc", NEED_SERIALIZE},
	{"lfence; rdtscp", NEED_RDTSCP},
};

const char *const seq_workload_name[WORKLOADS] = {"empty", "store", "add", "loop"};
const char *const seq_preamble_name[PREAMBLES] = {"none", "tsc", "tsc+work", "tsc+work+lfence"};
const char *const seq_form_name[FORMS] = {"mem", "reg"};
const char *const seq_xop_name[SEQX_OPS] = {"empty",  "xsave",	 "xsaveopt", "xsavec", "xsaves",
					    "xrstor", "xrstors", "fxsave",   "fxrstor"};

seq_fn *seq_find(u32 method, enum seq_workload w, enum seq_preamble p, enum seq_form f)
{
	const struct seq_entry *e;

	for (e = seq_table; e < seq_table + seq_table_n; e++)
		if (e->method == method && e->workload == w && e->preamble == p && e->form == f)
			return e->run;
	return NULL;
}

int seq_method_find(const char *id, size_t n)
{
	int i;

	for (i = 0; i < SEQ_METHODS; i++)
		if (bytes_are(id, n, seq_method[i].id))
			return i;
	return -1;
}

size_t seq_size(void)
{
	return (uintptr_t)seq_end - (uintptr_t)seq_begin;
}

u32 seq_crc(void)
{
	return crc32(0, seq_begin, seq_size());
}
