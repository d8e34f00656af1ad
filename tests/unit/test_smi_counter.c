// SPDX-License-Identifier: MIT
/* Which counter of SMIs is chosen on which machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "smi_counter.h"

static struct cpuid_regs read_features(void *ctx, u32 leaf, u32 subleaf)
{
	assert_int_equal(leaf, 0x80000001u);
	assert_int_equal(subleaf, 0);
	return (struct cpuid_regs){.ecx = *(u32 *)ctx};
}

static enum smi_counter choose(struct machine m, u32 ecx)
{
	return smi_counter_choose(&m, read_features, &ecx);
}

static const struct machine zen = {.amd = true, .family = 0x17, .max_ext = 0x80000021u};

static void intel_has_an_msr(void **unused)
{
	(void)unused;
	assert_int_equal(choose((struct machine){.intel = true}, 0), SMI_COUNTER_INTEL_MSR);
	assert_int_equal(choose((struct machine){.intel = true, .hypervisor = true}, 0),
			 SMI_COUNTER_INTEL_MSR);
}

static void amd_has_an_event_from_family_17h_on(void **unused)
{
	struct machine m = zen;

	(void)unused;
	assert_int_equal(choose(m, 1u << 23), SMI_COUNTER_AMD_PMC);
	m.family = 0x1a;
	assert_int_equal(choose(m, ~0u), SMI_COUNTER_AMD_PMC);
	m.family = 0x16;
	assert_int_equal(choose(m, ~0u), SMI_COUNTER_NONE);
	assert_int_equal(choose(zen, ~(1u << 23)), SMI_COUNTER_NONE);
	m = zen;
	m.max_ext = 0x80000000u;
	assert_int_equal(choose(m, ~0u), SMI_COUNTER_NONE);
}

static void a_hypervisor_would_make_it_up(void **unused)
{
	struct machine m = zen;

	(void)unused;
	m.hypervisor = true;
	assert_int_equal(choose(m, ~0u), SMI_COUNTER_NONE);
}

static void a_process_and_others_have_none(void **unused)
{
	(void)unused;
	assert_int_equal(choose((struct machine){.intel = true, .process = true}, 0),
			 SMI_COUNTER_NONE);
	assert_int_equal(choose((struct machine){.family = 0x17, .max_ext = 0x80000021u}, ~0u),
			 SMI_COUNTER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intel_has_an_msr),
		cmocka_unit_test(amd_has_an_event_from_family_17h_on),
		cmocka_unit_test(a_hypervisor_would_make_it_up),
		cmocka_unit_test(a_process_and_others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
