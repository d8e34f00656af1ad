// SPDX-License-Identifier: MIT
/* Steal time: where it may be asked for, and that a value being written is never taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "steal.h"

/* What the hypervisor leaves say, and that nobody asked for one that is not theirs. */
struct leaves {
	u32 highest, features, asked;
};

static struct cpuid_regs read_leaf(void *ctx, u32 leaf, u32 subleaf)
{
	struct leaves *l = ctx;

	assert_int_equal(subleaf, 0);
	l->asked++;
	if (leaf == 0x40000000u)
		return (struct cpuid_regs){.eax = l->highest};
	assert_int_equal(leaf, 0x40000001u);
	return (struct cpuid_regs){.eax = l->features};
}

static bool offered(enum hypervisor hv, u32 highest, u32 features)
{
	struct machine m = {.hypervisor = hv != HV_NONE, .hv = hv};
	struct leaves l = {highest, features, 0};
	bool yes = steal_offered(&m, read_leaf, &l);

	if (hv != HV_KVM)
		assert_int_equal(l.asked, 0);
	return yes;
}

static void only_kvm_is_asked(void **unused)
{
	(void)unused;
	assert_true(offered(HV_KVM, 0x40000001u, 1u << 5));
	assert_true(offered(HV_KVM, 0x40000010u, ~0u));
	assert_true(offered(HV_KVM, 0, 1u << 5));
	assert_false(offered(HV_KVM, 0x40000001u, ~(1u << 5)));
	assert_false(offered(HV_KVM, 0x40000000u, ~0u));
	for (enum hypervisor hv = HV_NONE; hv <= HV_OTHER; hv++)
		if (hv != HV_KVM)
			assert_false(offered(hv, 0x40000001u, ~0u));
}

static void even_versions_are_taken(void **unused)
{
	struct kvm_steal_time s = {.steal = 0x123456789abcdef0u, .version = 4};
	u64 ns = 7;

	(void)unused;
	assert_true(steal_read(&s, &ns));
	assert_true(ns == 0x123456789abcdef0u);
	s.version = 0xfffffffeu;
	s.steal = 1;
	assert_true(steal_read(&s, &ns));
	assert_int_equal(ns, 1);
}

/* It comes back although the version stays odd for ever, and leaves what was there. */
static void odd_versions_are_not(void **unused)
{
	struct kvm_steal_time s = {.steal = 5, .version = 3};
	u64 ns = 7;

	(void)unused;
	assert_false(steal_read(&s, &ns));
	assert_int_equal(ns, 7);
}

static void the_layout_is_kvms(void **unused)
{
	(void)unused;
	assert_int_equal(offsetof(struct kvm_steal_time, version), 8);
	assert_int_equal(offsetof(struct kvm_steal_time, flags), 12);
	assert_int_equal(offsetof(struct kvm_steal_time, preempted), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_kvm_is_asked),
		cmocka_unit_test(even_versions_are_taken),
		cmocka_unit_test(odd_versions_are_not),
		cmocka_unit_test(the_layout_is_kvms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
