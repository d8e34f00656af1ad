// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any answers of CPUID, as the machine's identity, its claims about the TSC and the
 * layout of its XSAVE state. The input is XCR0, IA32_XSS, wanted XCR0, then four words for each
 * leaf, in the order asked, from the begin again at its end. Aborts where what was read breaks the
 * headers' word.
 */
#include "machine.h"
#include "memory.h"
#include "xstate.h"

#define AREA_MOST (1u << 20)

struct answers {
	const u8 *data;
	size_t size, at;
};

static struct cpuid_regs answer(void *ctx, u32 leaf, u32 subleaf)
{
	struct answers *a = ctx;
	struct cpuid_regs r = {0};

	(void)leaf;
	(void)subleaf;
	if (a->size < sizeof(r))
		return r;
	if (a->at + sizeof(r) > a->size)
		a->at = 0;
	memcpy(&r, a->data + a->at, sizeof(r));
	a->at += sizeof(r);
	return r;
}

static void machine_read(struct answers *a)
{
	static struct machine m;

	machine_probe_cpuid(&m, answer, a);
	is_printable(m.vendor, sizeof(m.vendor));
	is_printable(m.hv_vendor, sizeof(m.hv_vendor));
	is_printable(m.brand, sizeof(m.brand));
	machine_clock_cpuid(&m, answer, a);
	machine_clock_add(&m, "pit", 2000000, "ok");
	machine_choose_clock(&m);
	must(m.n_clocks <= CLOCK_CANDIDATES);
	must(!m.tsc_trusted || (m.tsc_khz >= 1000 && m.tsc_khz <= 20000000));
}

static void sets_sound(u64 mask)
{
	u64 set[XSTATE_MAX];
	size_t n = xstate_cumulative(mask, set);

	must(n <= XSTATE_MAX);
	for (size_t i = 1; i < n; i++)
		must((set[i - 1] & ~set[i]) == 0 && set[i - 1] != set[i]);
	if (n)
		must((set[n - 1] & ~mask) == 0);
}

/* An image stays in its area, and has no bit that was not asked for. */
static void image_sound(const struct xstate *x, u64 bytes, u64 bits, u64 compact)
{
	u8 *area = malloc(bytes);
	u64 bv;

	must(area != NULL);
	xstate_image(x, area, bytes, bits, compact);
	memcpy(&bv, area + 512, sizeof(bv));
	must((bv & ~bits) == 0);
	free(area);
}

static void layout_read(struct answers *a, u64 xcr0, u64 xss)
{
	static struct xstate x;
	struct xstate_finding f[8];
	u64 bytes;

	xstate_read(&x, answer, a);
	must((x.user & x.super) == 0 && !((x.user | x.super) >> 63));
	xstate_check(&x, xcr0, xss, f, ARRAY_SIZE(f));
	bytes = xstate_area_size(&x, xcr0, xss);
	must(bytes % 64 == 0 && bytes >= 576);
	must(bytes >= xstate_standard_size(&x, xcr0) || bytes > AREA_MOST);
	sets_sound(xcr0);
	sets_sound(x.user);
	if (bytes > AREA_MOST)
		return;
	image_sound(&x, bytes, xstate_payload_set(&x, xcr0), 0);
	image_sound(&x, bytes, xcr0, xcr0 | xss);
	image_sound(&x, 576, ~0ull, ~0ull);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 head[3];
	struct answers a;

	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	a = (struct answers){.data = data + sizeof(head), .size = size - sizeof(head)};
	must((xcr0_close(head[2]) & ~(head[2] | 1)) == 0);
	must(xcr0_close(xcr0_close(head[2])) == xcr0_close(head[2]));
	machine_read(&a);
	a.at = 0;
	layout_read(&a, head[0], head[1]);
	return 0;
}
