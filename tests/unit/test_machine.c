// SPDX-License-Identifier: MIT
/* CPUID dumps, real and hostile, into struct machine; and elections among clock candidates. */
#include "extable.h"
#include "insn.h"
#include "machine.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

struct leaf {
	u32 leaf, subleaf;
	struct cpuid_regs r;
};

/* A CPU: its leaves, ended by one without registers; others read as the machine does. */
struct cpu {
	const struct leaf *leaf;
	size_t n;
	bool intel_fallback; /* beyond the range: the highest basic leaf */
	u32 highest_asked;   /* among the basic ones */
};

static const struct leaf *leaf_find(const struct cpu *c, u32 leaf, u32 subleaf)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->leaf[i].leaf == leaf && c->leaf[i].subleaf == subleaf)
			return &c->leaf[i];
	return NULL;
}

static struct cpuid_regs cpu_read(void *ctx, u32 leaf, u32 subleaf)
{
	struct cpu *c = ctx;
	const struct leaf *l = leaf_find(c, leaf, subleaf);

	if (leaf < 0x40000000 && leaf > c->highest_asked)
		c->highest_asked = leaf;
	if (!l && c->intel_fallback)
		l = leaf_find(c, leaf_find(c, 0, 0)->r.eax, 0);
	return l ? l->r : (struct cpuid_regs){0};
}

static struct cpuid_regs ones_read(void *ctx, u32 leaf, u32 subleaf)
{
	(void)ctx, (void)leaf, (void)subleaf;
	return (struct cpuid_regs){~0u, ~0u, ~0u, ~0u};
}

#define CPU(leaves) ((struct cpu){.leaf = (leaves), .n = ARRAY_SIZE(leaves)})

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD   0x68747541, 0x444d4163, 0x69746e65

/* A Skylake-SP guest of KVM: 06_55H stepping 4, leaf 15h without the crystal. */
static const struct leaf skylake_kvm[] = {
	{0x0, 0, {0x16, INTEL}},
	{0x1, 0, {0x00050654, 0x03100800, 0xfffa3203, 0x1f8bfbff}},
	{0x7, 0, {0, 0xd19f4fbb, 0, 0xbc000400}},
	{0xa, 0, {0x07300802, 0, 0, 0x603}},
	{0xb, 0, {1, 2, 0x100, 0x13}},
	{0x15, 0, {2, 168, 0, 0}},
	{0x16, 0, {2100, 3700, 100, 0}},
	{0x40000000, 0, {0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d}},
	{0x40000010, 0, {2099998, 1000000, 0, 0}},
	{0x80000000, 0, {0x80000008, 0, 0, 0}},
	{0x80000001, 0, {0, 0, 0x121, 0x2c100800}},
	/* "  Intel(R) Xeon(R)" padded with blanks */
	{0x80000002, 0, {0x6e492020, 0x286c6574, 0x58202952, 0x286e6f65}},
	{0x80000003, 0, {0x20202952, 0x20202020, 0x20202020, 0x20202020}},
	{0x80000004, 0, {0x20202020, 0x20202020, 0x20202020, 0x00202020}},
	{0x80000007, 0, {0, 0, 0, 0x100}},
};

static void test_probe_intel(void **state)
{
	struct cpu c = CPU(skylake_kvm);
	struct machine m;

	(void)state;
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_string_equal(m.vendor, "GenuineIntel");
	assert_true(m.intel && !m.amd);
	assert_int_equal(m.signature, 0x50654);
	assert_int_equal(m.family, 6);
	assert_int_equal(m.model, 0x55);
	assert_int_equal(m.stepping, 4);
	assert_string_equal(m.brand, "Intel(R) Xeon(R)");
	assert_true(m.hypervisor && m.hv == HV_KVM && !m.emulated && !m.metal);
	assert_string_equal(m.hv_vendor, "KVMKVMKVM");
	assert_true(m.has_tsc && m.rdtscp && m.xsave && m.pmu && m.invariant_tsc);
	assert_true(!m.serialize && !m.lfence_ext);
	assert_string_equal(m.lfence, "yes");
	assert_int_equal(m.core_type, 0);
	assert_int_equal(m.apic_id, 0x13);
	assert_int_equal(m.max_leaf, 0x16);
	assert_int_equal(m.max_ext, 0x80000008);
	assert_false(m.process);
}

/* A hybrid part with SERIALIZE, seen from an efficient core; leaf 0Bh in range, but empty. */
static const struct leaf hybrid[] = {
	{0x0, 0, {0x20, INTEL}},
	{0x1, 0, {0x000906a3, 0x42000000, 0x04000000, 0x10}},
	{0x7, 0, {2, 0, 0, 0x0000c000}},
	{0x1a, 0, {0x20000001, 0, 0, 0}},
};

static void test_probe_hybrid(void **state)
{
	struct leaf plain[ARRAY_SIZE(hybrid)];
	struct cpu c = CPU(hybrid);
	struct machine m;

	(void)state;
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.model, 0x9a);
	assert_true(m.serialize && m.metal && m.hv == HV_NONE);
	assert_int_equal(m.core_type, 0x20);
	assert_int_equal(m.apic_id, 0x42);
	assert_int_equal(m.max_ext, 0);
	assert_string_equal(m.brand, "");

	/* Without the hybrid bit the leaf tells of no core. */
	memcpy(plain, hybrid, sizeof(plain));
	plain[2].r.edx &= ~(1u << 15);
	c = CPU(plain);
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.core_type, 0);
}

static const struct leaf zen1[] = {
	{0x0, 0, {0xd, AMD}},
	{0x1, 0, {0x00800f11, 0x05000000, 0x04000000, 0x10}},
	{0x80000000, 0, {0x8000001f, AMD}},
	{0x80000001, 0, {0, 0, 0, 0x08000000}},
	{0x80000021, 0, {4, 0, 0, 0}}, /* beyond 8000001fh: not to be believed */
};
static const struct leaf zen3[] = {
	{0x0, 0, {0x10, AMD}},
	{0x1, 0, {0x00a20f12, 0x05000000, 0x04000000, 0x10}},
	{0x80000000, 0, {0x80000023, AMD}},
	{0x80000021, 0, {4, 0, 0, 0}},
};

static void test_probe_amd(void **state)
{
	struct leaf hygon[ARRAY_SIZE(zen3)];
	struct cpu c = CPU(zen1);
	struct machine m;

	(void)state;
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_true(m.amd && !m.intel && m.rdtscp);
	assert_int_equal(m.family, 0x17);
	assert_int_equal(m.model, 0x01);
	assert_int_equal(m.stepping, 1);
	assert_false(m.lfence_ext);
	assert_string_equal(m.lfence, "unknown");

	c = CPU(zen3);
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.family, 0x19);
	assert_int_equal(m.model, 0x21);
	assert_true(m.lfence_ext);
	assert_string_equal(m.lfence, "yes");

	/* Hygon's are AMD's by another name. */
	memcpy(hygon, zen3, sizeof(hygon));
	memcpy(&hygon[0].r.ebx, "Hygo", 4);
	memcpy(&hygon[0].r.edx, "nGen", 4);
	memcpy(&hygon[0].r.ecx, "uine", 4);
	c = CPU(hygon);
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_string_equal(m.vendor, "HygonGenuine");
	assert_true(m.amd && m.lfence_ext);
}

/* Old: the highest leaf is 1, and every leaf beyond reads as leaf 1, TSC bit and all. */
static const struct leaf old[] = {
	{0x0, 0, {1, INTEL}},
	{0x1, 0, {0x0000068a, 0x00000002, 0xffffffff & ~(1u << 31), 0xffffffff}},
};

static void test_probe_old(void **state)
{
	struct cpu c = CPU(old);
	struct machine m;

	(void)state;
	c.intel_fallback = true;
	machine_probe_cpuid(&m, cpu_read, &c);
	machine_clock_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.family, 6);
	assert_int_equal(m.model, 8);
	assert_true(m.has_tsc && m.xsave);
	assert_true(!m.rdtscp && !m.serialize && !m.pmu && !m.invariant_tsc && !m.lfence_ext);
	assert_int_equal(m.core_type, 0);
	assert_int_equal(m.max_ext, 0);
	assert_string_equal(m.brand, "");
	assert_int_equal(c.highest_asked, 1);
	assert_int_equal(m.n_clocks, 2);
	assert_string_equal(m.clock[0].state, "absent");
	assert_string_equal(m.clock[1].state, "absent");
}

static void test_probe_hypervisors(void **state)
{
	static const struct {
		const char name[13];
		enum hypervisor hv;
	} known[] = {
		{"TCGTCGTCGTCG", HV_TCG},    {"KVMKVMKVM\0\0\0", HV_KVM},
		{"Microsoft Hv", HV_HYPERV}, {"VMwareVMware", HV_VMWARE},
		{"XenVMMXenVMM", HV_XEN},    {"bhyve bhyve ", HV_OTHER},
		{"KVMKVMKVMKVM", HV_OTHER},  {"", HV_OTHER},
	};
	struct leaf leaves[] = {
		{0x0, 0, {1, AMD}}, {0x1, 0, {0, 0, 1u << 31, 0}}, {0x40000000, 0, {0, 0, 0, 0}}};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct cpu c = CPU(leaves);
		struct machine m;

		memcpy(&leaves[2].r.ebx, known[i].name, 12);
		machine_probe_cpuid(&m, cpu_read, &c);
		assert_int_equal(m.hv, known[i].hv);
		assert_string_equal(m.hv_vendor, known[i].name);
		assert_int_equal(m.emulated, known[i].hv == HV_TCG);
		assert_false(m.metal);
		if (m.emulated)
			assert_string_equal(m.emulated_why, "hypervisor leaf says TCG");
	}
	/* Without the bit the leaf is not asked: it would read as some basic leaf. */
	leaves[1].r.ecx = 0;
	memcpy(&leaves[2].r.ebx, "TCGTCGTCGTCG", 12);
	{
		struct cpu c = CPU(leaves);
		struct machine m;

		machine_probe_cpuid(&m, cpu_read, &c);
		assert_int_equal(m.hv, HV_NONE);
		assert_true(m.metal && !m.emulated);
	}
}

static void test_probe_hostile(void **state)
{
	struct cpu c = {0};
	struct machine m;

	(void)state;
	memset(&m, 0x5a, sizeof(m));
	machine_probe_cpuid(&m, ones_read, NULL);
	assert_string_equal(m.vendor, "????????????");
	assert_string_equal(m.hv_vendor, "????????????");
	assert_int_equal(m.max_ext, 0); /* ffffffffh is no extended leaf */
	assert_int_equal(m.n_findings, 0);
	machine_clock_cpuid(&m, ones_read, NULL);
	assert_int_equal(m.n_clocks, 3);
	machine_choose_clock(&m);
	assert_false(m.tsc_trusted);

	memset(&m, 0x5a, sizeof(m));
	machine_probe_cpuid(&m, cpu_read, &c); /* all zero */
	assert_string_equal(m.vendor, "");
	assert_string_equal(m.lfence, "unknown");
	assert_false(m.has_tsc);
	assert_non_null(m.loader);
	assert_non_null(m.boot_path);
	machine_choose_clock(&m);
	assert_int_equal(m.tsc_khz, 0);
}

/* Leaves 15h and 16h and the hypervisor's, and what they must come to. */
static const struct claim {
	u32 model; /* signature of an Intel CPU */
	u32 den, num, crystal, base;
	u32 hv_max, hv_khz;
	const char *state15, *state16, *state_hv;
	u64 khz15;
} claims[] = {
	/* Alder Lake: a crystal of 38.4 MHz, 2.496 GHz. */
	{0x906a3, 2, 130, 38400000, 2500, 0, 0, "ok", "ok", "absent", 2496000},
	/* Not a whole kHz: 2,146,428.57. */
	{0x906a3, 7, 601, 25000000, 0, 0, 0, "ok", "absent", "absent", 2146429},
	/* Skylake client: no crystal told, 24 MHz by model, though 2.7 GHz would make it 23.89. */
	{0x506e3, 2, 226, 0, 2700, 0, 0, "ok", "ok", "absent", 2712000},
	/* Goldmont: 19.2 MHz by model, leaf 16h empty. */
	{0x506c9, 3, 171, 0, 0, 0, 0, "ok", "absent", "absent", 1094400},
	/* A model not in the table: the crystal by the base frequency. */
	{0xb0671, 2, 226, 0, 2700, 0, 0, "ok", "ok", "absent", 2712000},
	{0xb0671, 2, 168, 0, 2100, 0, 0, "ok", "ok", "absent", 2100000},
	/* ... and one that no known crystal fits. */
	{0xb0671, 2, 100, 0, 2700, 0, 0, "absent", "ok", "absent", 0},
	{0xb0671, 2, 168, 0, 0, 0, 0, "absent", "absent", "absent", 0},
	/* Empty or half empty. */
	{0x506e3, 0, 0, 0, 0, 0, 0, "absent", "absent", "absent", 0},
	{0x506e3, 0, 226, 24000000, 2700, 0, 0, "absent", "ok", "absent", 0},
	{0x506e3, 2, 0, 24000000, 2700, 0, 0, "absent", "ok", "absent", 0},
	/* More than 32 bits on the way: 4.294 GHz times a ratio of 1 by large terms. */
	{0x906a3, 4000000000u, 4000000000u, 4000000000u, 0, 0, 0, "ok", "absent", "absent",
	 4000000},
	{0x906a3, 1, ~0u, ~0u, 0xffff, 0x40000010, ~0u, "implausible", "implausible", "implausible",
	 0},
	{0x906a3, ~0u, 1, 1, 0xffff0000, 0, 0, "implausible", "absent", "absent", 0},
	{0xb0671, ~0u, 1, 0, 0xffff, 0, 0, "absent", "implausible", "absent", 0},
	/* The hypervisor's leaf: in range and beyond. */
	{0x506e3, 0, 0, 0, 0, 0x40000010, 1995312, "absent", "absent", "ok", 0},
	{0x506e3, 0, 0, 0, 0, 0x40000010, 0, "absent", "absent", "absent", 0},
	{0x506e3, 0, 0, 0, 0, 0x40000001, 1995312, "absent", "absent", "absent", 0},
};

static void test_clock_cpuid(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(claims); i++) {
		const struct claim *w = &claims[i];
		const struct leaf leaves[] = {
			{0x0, 0, {0x16, INTEL}},
			{0x1, 0, {w->model, 0, 1u << 31, 0x10}},
			{0x15, 0, {w->den, w->num, w->crystal, 0}},
			{0x16, 0, {w->base, 0, 0, 0}},
			{0x40000000, 0, {w->hv_max, 0, 0, 0}},
			{0x40000010, 0, {w->hv_khz, 0, 0, 0}},
		};
		struct cpu c = CPU(leaves);
		struct machine m;

		machine_probe_cpuid(&m, cpu_read, &c);
		machine_clock_cpuid(&m, cpu_read, &c);
		print_message("# claim %zu\n", i);
		assert_int_equal(m.n_clocks, 3);
		assert_string_equal(m.clock[0].name, "cpuid.15h");
		assert_string_equal(m.clock[1].name, "cpuid.16h");
		assert_string_equal(m.clock[2].name, "hypervisor.40000010h");
		assert_string_equal(m.clock[0].state, w->state15);
		assert_string_equal(m.clock[1].state, w->state16);
		assert_string_equal(m.clock[2].state, w->state_hv);
		assert_int_equal(m.clock[0].khz, w->khz15);
		assert_int_equal(m.clock[1].khz, strcmp(w->state16, "ok") ? 0 : w->base * 1000);
		assert_int_equal(m.clock[2].khz, strcmp(w->state_hv, "ok") ? 0 : w->hv_khz);
	}
}

/* Elections: candidates in, the chosen rate out; a '-' marks those that must be outvoted. */
struct vote {
	const char *name;
	u64 khz;
	const char *state;
};

static const struct election {
	const char *what;
	struct vote vote[6];
	u64 khz;
	bool trusted;
	const char *source;
	const char *outvoted; /* '-' for each candidate outvoted */
} elections[] = {
	{"nobody", {{0}}, 0, false, "", ""},
	{"one", {{"pit", 2000000, "ok"}}, 2000000, false, "pit", "."},
	{"three of two sources against two",
	 {{"cpuid.15h", 2000000, "ok"},
	  {"cpuid.16h", 2000000, "ok"},
	  {"pit", 2000100, "ok"},
	  {"hpet", 2100000, "ok"},
	  {"pmtimer", 2100000, "ok"}},
	 2000000,
	 true,
	 "cpuid.16h",
	 "...--"},
	{"one among failures",
	 {{"pit", 0, "stuck"}, {"hpet", 0, "absent"}, {"pmtimer", 1995000, "ok"}},
	 1995000,
	 false,
	 "pmtimer",
	 "..."},
	{"two at 500 ppm",
	 {{"pit", 2000000, "ok"}, {"hpet", 2001000, "ok"}},
	 2000000,
	 true,
	 "pit",
	 ".."},
	{"two beyond 500 ppm",
	 {{"pit", 2000000, "ok"}, {"hpet", 2001001, "ok"}},
	 0,
	 false,
	 "",
	 ".."},
	{"two of one source",
	 {{"cpuid.15h", 2000000, "ok"}, {"cpuid.16h", 2000000, "ok"}},
	 2000000,
	 false,
	 "cpuid.15h",
	 ".."},
	{"one source against a measurement",
	 {{"cpuid.15h", 3500000, "ok"}, {"cpuid.16h", 3500000, "ok"}, {"pit", 50000, "ok"}},
	 0,
	 false,
	 "",
	 "..."},
	{"two sources outvote one with two claims",
	 {{"cpuid.15h", 3500000, "ok"},
	  {"cpuid.16h", 3500000, "ok"},
	  {"pit", 50000, "ok"},
	  {"pmtimer", 50001, "ok"}},
	 50000,
	 true,
	 "pit",
	 "--.."},
	{"a majority",
	 {{"cpuid.16h", 2100000, "ok"},
	  {"kernel", 1995312, "ok"},
	  {"hypervisor.40000010h", 1995310, "ok"}},
	 1995310,
	 true,
	 "hypervisor.40000010h",
	 "-.."},
	{"median of three",
	 {{"pmtimer", 2000300, "ok"}, {"pit", 2000100, "ok"}, {"hpet", 2000200, "ok"}},
	 2000200,
	 true,
	 "hpet",
	 "..."},
	{"a chain: the closer pair",
	 {{"pit", 2000000, "ok"}, {"hpet", 2000900, "ok"}, {"pmtimer", 2001500, "ok"}},
	 2000900,
	 true,
	 "hpet",
	 "-.."},
	{"two pairs: no majority",
	 {{"pit", 2000000, "ok"},
	  {"hpet", 2000001, "ok"},
	  {"pmtimer", 3000000, "ok"},
	  {"kernel", 3000000, "ok"}},
	 0,
	 false,
	 "",
	 "...."},
	{"three against two",
	 {{"pit", 2000000, "ok"},
	  {"hpet", 2000001, "ok"},
	  {"pmtimer", 3000000, "ok"},
	  {"kernel", 3000000, "ok"},
	  {"cpuid.15h", 3000000, "ok"}},
	 3000000,
	 true,
	 "kernel",
	 "--..."},
	{"hostile",
	 {{"pit", ~0ull, "ok"}, {"hpet", ~0ull, "ok"}, {"kernel", 0, "ok"}},
	 0,
	 false,
	 "",
	 "iii"},
	{"hostile beside good",
	 {{"pit", ~0ull, "ok"},
	  {"hpet", 999, "ok"},
	  {"kernel", 1000, "ok"},
	  {"pmtimer", 1000, "ok"}},
	 1000,
	 true,
	 "kernel",
	 "ii.."},
	{"upper end",
	 {{"pit", 20000000, "ok"}, {"hpet", 20000001, "ok"}},
	 20000000,
	 false,
	 "pit",
	 ".i"},
	{"names that begin alike",
	 {{"pit", 2000000, "ok"}, {"pit2", 2000000, "ok"}},
	 2000000,
	 true,
	 "pit",
	 ".."},
};

static void election_check(const struct election *e, const struct machine *m)
{
	u32 i;

	assert_int_equal(m->tsc_khz, e->khz);
	assert_int_equal(m->tsc_trusted, e->trusted);
	assert_string_equal(m->tsc_source, e->source);
	for (i = 0; i < m->n_clocks; i++) {
		const struct clock_candidate *c = &m->clock[i];
		const char *want = e->outvoted[i] == '-'   ? "outvoted"
				   : e->outvoted[i] == 'i' ? "implausible"
							   : e->vote[i].state;

		assert_string_equal(c->state, want);
		assert_int_equal(c->khz, !strcmp(want, "ok") || !strcmp(want, "outvoted")
						 ? e->vote[i].khz
						 : 0);
	}
}

static void test_choose_clock(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(elections); i++) {
		const struct election *e = &elections[i];
		struct machine m = {0};

		print_message("# election: %s\n", e->what);
		for (k = 0; k < ARRAY_SIZE(e->vote) && e->vote[k].name; k++)
			machine_clock_add(&m, e->vote[k].name, e->vote[k].khz, e->vote[k].state);
		machine_choose_clock(&m);
		election_check(e, &m);
		machine_choose_clock(&m); /* the same again */
		election_check(e, &m);
	}
}

/* One who was outvoted among few may win among many. */
static void test_choose_again(void **state)
{
	struct machine m = {0};

	(void)state;
	machine_clock_add(&m, "pit", 2000000, "ok");
	machine_clock_add(&m, "hpet", 2000000, "ok");
	machine_clock_add(&m, "pmtimer", 3000000, "ok");
	machine_choose_clock(&m);
	assert_string_equal(m.clock[2].state, "outvoted");
	machine_clock_add(&m, "kernel", 3000000, "ok");
	machine_clock_add(&m, "cpuid.15h", 3000000, "ok");
	machine_choose_clock(&m);
	assert_int_equal(m.tsc_khz, 3000000);
	assert_string_equal(m.clock[0].state, "outvoted");
	assert_string_equal(m.clock[2].state, "ok");
}

/* A field filled behind machine_clock_add()'s back is judged as well. */
static void test_choose_implausible(void **state)
{
	struct machine m = {.n_clocks = 1, .clock = {{.name = "pit", .khz = 5, .state = "ok"}}};

	(void)state;
	machine_choose_clock(&m);
	assert_int_equal(m.tsc_khz, 0);
	assert_string_equal(m.clock[0].state, "implausible");
	assert_int_equal(m.clock[0].khz, 0);
}

/* In parts per million of the time between the two looks, of the candidate added last. */
static void test_clock_spread(void **state)
{
	struct machine m = {0};

	(void)state;
	machine_clock_spread(&m, 1, 1000);
	machine_clock_add(&m, "pit", 2000000, "ok");
	machine_clock_add(&m, "hpet", 2000000, "ok");
	machine_clock_spread(&m, 4000, 20000000);
	assert_int_equal(m.clock[0].spread, 0);
	assert_int_equal(m.clock[1].spread, 200);
	machine_clock_spread(&m, 50000000, 20000000);
	assert_int_equal(m.clock[1].spread, 2500000);
	machine_clock_spread(&m, 1, 0);
	assert_int_equal(m.clock[1].spread, 2500000);
}

static void test_bounds(void **state)
{
	struct machine m = {0};
	u32 i;

	(void)state;
	for (i = 0; i < CLOCK_CANDIDATES + 3; i++)
		machine_clock_add(&m, "pit", 2000000 + i, "ok");
	assert_int_equal(m.n_clocks, CLOCK_CANDIDATES);
	assert_int_equal(m.clock[CLOCK_CANDIDATES - 1].khz, 2000000 + CLOCK_CANDIDATES - 1);
	for (i = 0; i < MACHINE_FINDINGS + 3; i++)
		machine_finding(&m, "%u %0200u", i, 0u);
	assert_int_equal(m.n_findings, MACHINE_FINDINGS);
	for (i = 0; i < MACHINE_FINDINGS; i++)
		assert_int_equal(strlen(m.finding[i]), MACHINE_FINDING - 1);
	assert_memory_equal(m.finding[7], "7 000", 5);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	u64 fixup = extable_find((u64)reg[REG_RIP]);

	(void)info;
	if (!fixup) {
		signal(number, SIG_DFL);
		return;
	}
	reg[REG_R8] = reg[REG_TRAPNO] + 1;
	reg[REG_RIP] = (greg_t)fixup;
}

/* On the CPU that runs the test: a claim that holds stays, one that does not goes. */
static void test_try(void **state)
{
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, was;
	bool has_rdtscp = cpuid(0x80000001, 0).edx >> 27 & 1;
	bool has_serialize = cpuid(0, 0).eax >= 7 && (cpuid(7, 0).edx >> 14 & 1);
	struct machine m = {.rdtscp = true, .serialize = true};

	(void)state;
	assert_int_equal(sigaction(SIGILL, &act, &was), 0);
	machine_try(&m);
	assert_int_equal(m.rdtscp, has_rdtscp);
	assert_int_equal(m.serialize, has_serialize);
	assert_int_equal(m.n_findings, !has_rdtscp + !has_serialize);
	if (!has_serialize)
		assert_string_equal(m.finding[m.n_findings - 1],
				    "CPUID advertises SERIALIZE, but it faults");

	/* Not advertised: not tried. */
	m = (struct machine){0};
	machine_try(&m);
	assert_true(!m.rdtscp && !m.serialize && m.n_findings == 0);
	sigaction(SIGILL, &was, NULL);
}

/* All leaves are there, and one bit of them is set: it is one fact and no other. */
static void test_each_bit(void **state)
{
	static const struct {
		u32 leaf, reg, bit, fact;
	} bits[] = {
		{1, 3, 4, 0},		{1, 2, 26, 1},	       {1, 2, 31, 2},	      {7, 3, 14, 3},
		{0x80000001, 3, 27, 4}, {0x80000007, 3, 8, 5}, {0x80000021, 0, 2, 6},
	};
	static const u32 leaves[] = {1, 7, 0x80000001, 0x80000007, 0x80000021};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(leaves) * 4 * 32; i++) {
		const u32 leaf = leaves[i / 128], reg = i / 32 % 4, bit = i % 32;
		struct leaf one[] = {{0, 0, {0xd, AMD}},
				     {0x80000000, 0, {0x80000021, 0, 0, 0}},
				     {leaf, 0, {0, 0, 0, 0}}};
		u32 *const at[] = {&one[2].r.eax, &one[2].r.ebx, &one[2].r.ecx, &one[2].r.edx};
		struct cpu c;
		struct machine m;
		u32 facts, want = 0;

		*at[reg] = 1u << bit;
		c = CPU(one);
		machine_probe_cpuid(&m, cpu_read, &c);
		facts = (u32)m.has_tsc | (u32)m.xsave << 1 | (u32)m.hypervisor << 2 |
			(u32)m.serialize << 3 | (u32)m.rdtscp << 4 | (u32)m.invariant_tsc << 5 |
			(u32)m.lfence_ext << 6;
		for (size_t k = 0; k < ARRAY_SIZE(bits); k++)
			if (bits[k].leaf == leaf && bits[k].reg == reg && bits[k].bit == bit)
				want = 1u << bits[k].fact;
		assert_int_equal(facts, want);
	}
}

/* Fields at their widest, and leaves that only some CPUs have. */
static void test_fields(void **state)
{
	struct leaf one[] = {
		{0, 0, {0x10, INTEL}},
		{1, 0, {0x0fff0fff, 0xff000000, 0, 0}},
		{7, 0, {0, 0, 0, 0x8000}},
		{0xa, 0, {1, 0, 0, 0}},
		{0x1a, 0, {0x40000000, 0, 0, 0}},
		{0x80000000, 0, {0x80000021, 0, 0, 0}},
		{0x80000021, 0, {4, 0, 0, 0}},
	};
	struct cpu c = CPU(one);
	struct machine m;

	(void)state;
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.family, 0xf + 0xff);
	assert_int_equal(m.model, 0xff);
	assert_int_equal(m.stepping, 0xf);
	assert_int_equal(m.apic_id, 0xff);
	assert_true(m.pmu);		  /* of version 1 */
	assert_int_equal(m.core_type, 0); /* leaf 1Ah is beyond the last */
	assert_false(m.lfence_ext);	  /* AMD's alone */
	one[0].r.eax = 0x1a;
	one[3].r.eax = 0x100;
	machine_probe_cpuid(&m, cpu_read, &c);
	assert_int_equal(m.core_type, 0x40);
	assert_false(m.pmu);
}

/* The crystal of each model that has one of its own, and of no other family's. */
static void test_crystals(void **state)
{
	static const struct {
		u32 signature;
		u64 khz;
	} known[] = {
		{0x406e0, 48000}, {0x506e0, 48000}, {0x806e0, 48000}, {0x906e0, 48000},
		{0x50650, 50000}, {0x506f0, 50000}, {0x506c0, 38400}, {0x506d0, 0},
		{0x50f50, 0},	  {0x50750, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct leaf one[] = {{0, 0, {0x15, INTEL}},
				     {1, 0, {known[i].signature, 0, 0, 0}},
				     {0x15, 0, {1, 2, 0, 0}}};
		struct cpu c = CPU(one);
		struct machine m;

		machine_probe_cpuid(&m, cpu_read, &c);
		machine_clock_cpuid(&m, cpu_read, &c);
		assert_int_equal(m.clock[0].khz, known[i].khz);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_probe_intel),
		cmocka_unit_test(test_probe_hybrid),
		cmocka_unit_test(test_probe_amd),
		cmocka_unit_test(test_probe_old),
		cmocka_unit_test(test_probe_hypervisors),
		cmocka_unit_test(test_probe_hostile),
		cmocka_unit_test(test_each_bit),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_crystals),
		cmocka_unit_test(test_clock_cpuid),
		cmocka_unit_test(test_choose_clock),
		cmocka_unit_test(test_choose_again),
		cmocka_unit_test(test_choose_implausible),
		cmocka_unit_test(test_clock_spread),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
