// SPDX-License-Identifier: MIT
/*
 * What CPUID tells of the machine (SDM volume 2, CPUID; APM volume 3, appendix E) and which claim
 * about the TSC's frequency to believe (SDM volume 3, 18.7.3). Every leaf is guarded by the highest
 * one: an Intel CPU answers a leaf beyond it with the data of the highest basic leaf.
 */
#include "machine.h"

#include "fmt.h"
#include "insn.h"
#include "mem.h"

#define KHZ_LOWEST  1000u     /* 1 MHz: slower is no TSC, not even an emulated one */
#define KHZ_HIGHEST 20000000u /* 20 GHz */
#define AGREE_PPM   500u
#define CRYSTAL_PPM 15000u /* the rounding of leaf 16h, well under the 4% from 24 to 25 MHz */
#define HV_TSC_LEAF 0x40000010u

static bool bit(u32 value, u32 n)
{
	return value >> n & 1;
}

/* Twelve bytes of a name. What a terminal could take for a command does not get through. */
static void name_put(char *to, u32 a, u32 b, u32 c)
{
	const u32 word[3] = {a, b, c};
	u32 i;

	for (i = 0; i < 12; i++) {
		char byte = (char)(word[i / 4] >> (i % 4 * 8));

		to[i] = byte == 0 || (byte >= ' ' && byte <= '~') ? byte : '?';
	}
	to[12] = 0;
}

static void probe_vendor(struct machine *m, struct cpuid_regs leaf0)
{
	name_put(m->vendor, leaf0.ebx, leaf0.edx, leaf0.ecx);
	m->intel = str_is(m->vendor, "GenuineIntel");
	m->amd = str_is(m->vendor, "AuthenticAMD") || str_is(m->vendor, "HygonGenuine");
	m->max_leaf = leaf0.eax;
}

static void probe_signature(struct machine *m, u32 eax)
{
	u32 family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;

	m->signature = eax;
	m->stepping = eax & 0xf;
	m->family = family == 0xf ? family + (eax >> 20 & 0xff) : family;
	m->model = family == 0xf || family == 6 ? model + (eax >> 16 & 0xf) * 16 : model;
}

static void probe_hypervisor(struct machine *m, cpuid_reader *read, void *ctx)
{
	static const struct {
		const char *name;
		enum hypervisor hv;
	} known[] = {
		{"TCGTCGTCGTCG", HV_TCG},    {"KVMKVMKVM", HV_KVM},    {"Microsoft Hv", HV_HYPERV},
		{"VMwareVMware", HV_VMWARE}, {"XenVMMXenVMM", HV_XEN},
	};
	struct cpuid_regs r;
	size_t i;

	if (!m->hypervisor)
		return;
	r = read(ctx, HV_BASE_LEAF, 0);
	name_put(m->hv_vendor, r.ebx, r.ecx, r.edx);
	m->hv = HV_OTHER;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (str_is(m->hv_vendor, known[i].name))
			m->hv = known[i].hv;
	if (m->hv == HV_TCG) {
		m->emulated = true;
		m->emulated_why = "hypervisor leaf says TCG";
	}
}

/* Leaves 80000002h..4h: 48 bytes, padded with blanks on either side by some. */
static void probe_brand(struct machine *m, cpuid_reader *read, void *ctx)
{
	char raw[49];
	u32 i, from = 0, to = 0;

	for (i = 0; i < 3; i++) {
		struct cpuid_regs r = read(ctx, 0x80000002u + i, 0);
		char half[13];
		u32 k;

		name_put(half, r.eax, r.ebx, r.ecx);
		for (k = 0; k < 12; k++)
			raw[i * 16 + k] = half[k];
		name_put(half, r.edx, 0, 0);
		for (k = 0; k < 4; k++)
			raw[i * 16 + 12 + k] = half[k];
	}
	raw[48] = 0;
	while (raw[from] == ' ')
		from++;
	while (raw[to])
		to++;
	while (to > from && raw[to - 1] == ' ')
		to--;
	for (i = 0; from + i < to; i++)
		m->brand[i] = raw[from + i];
}

static void probe_basic(struct machine *m, cpuid_reader *read, void *ctx)
{
	struct cpuid_regs r;

	if (m->max_leaf >= 1) {
		r = read(ctx, 1, 0);
		probe_signature(m, r.eax);
		m->apic_id = r.ebx >> 24;
		m->has_tsc = bit(r.edx, 4);
		m->xsave = bit(r.ecx, 26);
		m->hypervisor = bit(r.ecx, 31);
	}
	if (m->max_leaf >= 7) {
		r = read(ctx, 7, 0);
		m->serialize = bit(r.edx, 14);
		if (bit(r.edx, 15) && m->max_leaf >= 0x1a)
			m->core_type = read(ctx, 0x1a, 0).eax >> 24;
	}
	if (m->max_leaf >= 0xa)
		m->pmu = (read(ctx, 0xa, 0).eax & 0xff) > 0;
	if (m->max_leaf >= 0xb) {
		r = read(ctx, 0xb, 0);
		/* EBX 0: the leaf is in range but not there, and EDX means nothing. */
		if (r.ebx & 0xffff)
			m->apic_id = r.edx;
	}
}

static void probe_extended(struct machine *m, cpuid_reader *read, void *ctx)
{
	u32 max = read(ctx, 0x80000000u, 0).eax;

	/* A CPU without extended leaves answers with something else. */
	m->max_ext = max >> 16 == 0x8000 ? max : 0;
	if (m->max_ext >= 0x80000001u)
		m->rdtscp = bit(read(ctx, 0x80000001u, 0).edx, 27);
	if (m->max_ext >= 0x80000004u)
		probe_brand(m, read, ctx);
	if (m->max_ext >= 0x80000007u)
		m->invariant_tsc = bit(read(ctx, 0x80000007u, 0).edx, 8);
	if (m->max_ext >= 0x80000021u && m->amd)
		m->lfence_ext = bit(read(ctx, 0x80000021u, 0).eax, 2);
}

void machine_probe_cpuid(struct machine *m, cpuid_reader *read, void *ctx)
{
	*m = (struct machine){.boot_path = "", .loader = "", .tsc_source = ""};
	probe_vendor(m, read(ctx, 0, 0));
	probe_basic(m, read, ctx);
	probe_extended(m, read, ctx);
	probe_hypervisor(m, read, ctx);
	m->metal = !m->hypervisor && !m->emulated;
	m->lfence = m->intel || (m->amd && m->lfence_ext) ? "yes" : "unknown";
}

static bool plausible(u64 khz)
{
	return khz >= KHZ_LOWEST && khz <= KHZ_HIGHEST;
}

void machine_clock_add(struct machine *m, const char *name, u64 khz, const char *state)
{
	struct clock_candidate *c;

	if (m->n_clocks >= CLOCK_CANDIDATES)
		return;
	c = &m->clock[m->n_clocks++];
	*c = (struct clock_candidate){.name = name, .state = state};
	if (!str_is(state, "ok"))
		return;
	if (plausible(khz))
		c->khz = khz;
	else
		c->state = "implausible";
}

void machine_clock_spread(struct machine *m, u64 open, u64 ticks)
{
	struct clock_candidate *c;

	if (!m->n_clocks || !ticks)
		return;
	c = &m->clock[m->n_clocks - 1];
	c->spread = open / ticks * 1000000 + open % ticks * 1000000 / ticks;
}

/* num / den rounded half up. */
static u64 div_round(u64 num, u64 den)
{
	return num / den + (num % den >= den - num % den);
}

static bool agree(u64 low, u64 high, u32 ppm)
{
	return high - low <= low / 1000000 * ppm + low % 1000000 * ppm / 1000000;
}

/* The crystal where leaf 15h leaves it out, by model: SDM volume 3, table 18-85. */
static u64 crystal_of_model(const struct machine *m)
{
	if (!m->intel || m->family != 6)
		return 0;
	switch (m->model) {
	case 0x4e: /* Skylake and Kaby Lake clients */
	case 0x5e:
	case 0x8e:
	case 0x9e:
		return 24000000;
	case 0x55: /* Skylake servers, Goldmont servers */
	case 0x5f:
		return 25000000;
	case 0x5c: /* Goldmont */
		return 19200000;
	}
	return 0;
}

/* ... or the known one that makes the ratio come near the base frequency of leaf 16h. */
static u64 crystal_of_base(u32 num, u32 den, u64 base_mhz)
{
	static const u64 known[] = {19200, 24000, 25000, 38400};
	u64 near = base_mhz * 1000 * den / num; /* kHz: in Hz it might not fit */
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		u64 low = near < known[i] ? near : known[i];
		u64 high = near < known[i] ? known[i] : near;

		if (agree(low, high, CRYSTAL_PPM))
			return known[i] * 1000;
	}
	return 0;
}

static void clock_15h(struct machine *m, struct cpuid_regs r, u64 base_mhz)
{
	u64 crystal = r.ecx;

	if (r.eax == 0 || r.ebx == 0) {
		machine_clock_add(m, "cpuid.15h", 0, "absent");
		return;
	}
	if (crystal == 0)
		crystal = crystal_of_model(m);
	if (crystal == 0 && base_mhz)
		crystal = crystal_of_base(r.ebx, r.eax, base_mhz);
	if (crystal == 0)
		machine_clock_add(m, "cpuid.15h", 0, "absent");
	else
		machine_clock_add(m, "cpuid.15h", div_round(crystal * r.ebx, (u64)r.eax * 1000),
				  "ok");
}

void machine_clock_cpuid(struct machine *m, cpuid_reader *read, void *ctx)
{
	u64 base_mhz = m->max_leaf >= 0x16 ? read(ctx, 0x16, 0).eax & 0xffff : 0;
	u64 khz = 0;

	if (m->max_leaf >= 0x15)
		clock_15h(m, read(ctx, 0x15, 0), base_mhz);
	else
		machine_clock_add(m, "cpuid.15h", 0, "absent");
	machine_clock_add(m, "cpuid.16h", base_mhz * 1000, base_mhz ? "ok" : "absent");
	if (!m->hypervisor)
		return;
	if (read(ctx, HV_BASE_LEAF, 0).eax >= HV_TSC_LEAF)
		khz = read(ctx, HV_TSC_LEAF, 0).eax;
	machine_clock_add(m, "hypervisor.40000010h", khz, khz ? "ok" : "absent");
}

static bool same_source(const char *a, const char *b)
{
	while (*a && *a != '.' && *a == *b)
		a++, b++;
	return (*a == 0 || *a == '.') && (*b == 0 || *b == '.');
}

/* Candidates that count, by frequency. */
struct ballot {
	struct clock_candidate *c[CLOCK_CANDIDATES];
	u32 n;
};

/* The candidates first .. first + n - 1 of a ballot: they agree pairwise. */
struct party {
	u32 first, n, sources;
	u64 spread;
};

static void ballot_collect(struct ballot *b, struct machine *m)
{
	u32 i, k;

	b->n = 0;
	for (i = 0; i < m->n_clocks; i++) {
		struct clock_candidate *c = &m->clock[i];

		if (str_is(c->state, "outvoted"))
			c->state = "ok"; /* by an earlier choice, among fewer */
		if (!str_is(c->state, "ok"))
			continue;
		if (!plausible(c->khz)) {
			c->khz = 0;
			c->state = "implausible";
			continue;
		}
		for (k = b->n++; k > 0 && b->c[k - 1]->khz > c->khz; k--)
			b->c[k] = b->c[k - 1];
		b->c[k] = c;
	}
}

static struct party party_from(const struct ballot *b, u32 first)
{
	struct party p = {.first = first};
	u32 i, k;

	for (i = first; i < b->n && agree(b->c[first]->khz, b->c[i]->khz, AGREE_PPM); i++) {
		for (k = first; k < i && !same_source(b->c[k]->name, b->c[i]->name); k++)
			;
		p.sources += k == i;
		p.n++;
		p.spread = b->c[i]->khz - b->c[first]->khz;
	}
	return p;
}

/* More independent sources, then more members. */
static int party_compare(const struct party *a, const struct party *b)
{
	if (a->sources != b->sources)
		return a->sources > b->sources ? 1 : -1;
	if (a->n != b->n)
		return a->n > b->n ? 1 : -1;
	return 0;
}

/*
 * The largest party. Of two equal ones that share a member the closer is taken; if they share none
 * there is no majority, and *tied says so.
 */
static struct party party_largest(const struct ballot *b, bool *tied)
{
	struct party best = party_from(b, 0);
	u32 i;

	*tied = false;
	for (i = 1; i < b->n; i++) {
		struct party p = party_from(b, i);
		int c = party_compare(&p, &best);

		if (c == 0 && p.first >= best.first + best.n)
			*tied = true;
		if (c > 0)
			*tied = false;
		if (c > 0 || (c == 0 && !*tied && p.spread < best.spread))
			best = p;
	}
	return best;
}

void machine_choose_clock(struct machine *m)
{
	struct ballot b;
	struct party p;
	bool tied;
	u32 i;

	m->tsc_khz = 0;
	m->tsc_trusted = false;
	m->tsc_source = "";
	ballot_collect(&b, m);
	if (b.n == 0)
		return;
	p = party_largest(&b, &tied);
	m->tsc_trusted = p.sources >= 2 && !tied;
	/* One claim alone is better than none; of contradicting ones, none is. */
	if (!m->tsc_trusted && p.n != b.n)
		return;
	m->tsc_khz = b.c[p.first + (p.n - 1) / 2]->khz;
	m->tsc_source = b.c[p.first + (p.n - 1) / 2]->name;
	for (i = 0; i < b.n; i++)
		if (i < p.first || i >= p.first + p.n)
			b.c[i]->state = "outvoted";
}

void machine_finding(struct machine *m, const char *format, ...)
{
	struct text t;
	va_list args;

	if (m->n_findings >= MACHINE_FINDINGS)
		return;
	t = (struct text){.at = m->finding[m->n_findings++], .cap = MACHINE_FINDING - 1};
	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	t.at[t.len] = 0;
}

void machine_try(struct machine *m)
{
	u64 tsc;
	u32 aux;

	if (m->rdtscp && !rdtscp_safe(&tsc, &aux)) {
		m->rdtscp = false;
		machine_finding(m, "CPUID advertises RDTSCP, but it faults");
	}
	if (m->serialize && !serialize_safe()) {
		m->serialize = false;
		machine_finding(m, "CPUID advertises SERIALIZE, but it faults");
	}
}
