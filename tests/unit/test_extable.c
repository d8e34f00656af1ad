// SPDX-License-Identifier: MIT
/*
 * Recovery from faulting instructions: the table is searched by a signal handler as by the kernel's
 * trap handler, on instructions that a user process may not execute.
 */
#include <string.h>

#include "faults.h"
#include "insn.h"

static u8 area[8192] __attribute__((aligned(64)));

static void unknown_address_is_a_crash(void **state)
{
	(void)state;
	assert_true(extable_find(0) == 0);
	assert_true(extable_find((u64)(uintptr_t)&faults) == 0);
	assert_true(extable_find(~0ull) == 0);
}

static void privileged_instructions_fail_and_go_on(void **state)
{
	u64 value = 0x1234;

	(void)state;
	catch_faults();
	assert_false(rdmsr_safe(0x10, &value));
	assert_int_equal(value, 0x1234);
	assert_false(wrmsr_safe(0x10, value));
	assert_false(xsetbv_safe(0, 1));
	assert_int_equal(faults, 3);
}

static void permitted_instructions_give_values(void **state)
{
	u64 tsc = 0, xcr0 = 0;
	u32 aux;

	(void)state;
	catch_faults();
	assert_int_equal(rdtscp_safe(&tsc, &aux), cpuid(0x80000001, 0).edx >> 27 & 1);
	assert_true(!tsc == !(cpuid(0x80000001, 0).edx >> 27 & 1));
	assert_int_equal(xgetbv_safe(0, &xcr0), cpuid(1, 0).ecx >> 27 & 1);
	assert_true(!xcr0 == !(cpuid(1, 0).ecx >> 27 & 1));
	assert_int_equal(serialize_safe(), cpuid(7, 0).edx >> 14 & 1);
}

static void xgetbv_of_no_register_faults(void **state)
{
	u64 value = 7;

	(void)state;
	catch_faults();
	assert_false(xgetbv_safe(0x7fffffff, &value));
	assert_int_equal(value, 7);
}

/* The caller names the fault by its vector. */
static void state_instructions_return_the_vector(void **state)
{
	(void)state;
	catch_faults();
	memset(area, 0, sizeof(area));
	if (!(cpuid(1, 0).ecx >> 27 & 1)) {
		assert_int_equal(xsave_safe(area, 3), INSN_FAULT_UD);
		return;
	}
	assert_int_equal(xsave_safe(area, 3), 0);
	assert_int_equal(xsave_safe(area + 8, 3), INSN_FAULT_GP);
	assert_int_equal(xrstor_safe(area, 3), 0);
	area[512 + 16] = 1;
	assert_int_equal(xrstor_safe(area, 3), INSN_FAULT_GP);
	if (cpuid(0xd, 1).eax & 8) {
		assert_int_equal(xsaves_safe(area, 3), INSN_FAULT_GP);
		assert_int_equal(xrstors_safe(area, 3), INSN_FAULT_GP);
	} else {
		assert_int_equal(xsaves_safe(area, 3), INSN_FAULT_UD);
		assert_int_equal(xrstors_safe(area, 3), INSN_FAULT_UD);
	}
	assert_int_equal(xsaveopt_safe(area, 3), cpuid(0xd, 1).eax & 1 ? 0 : INSN_FAULT_UD);
	assert_int_equal(xsavec_safe(area, 3), cpuid(0xd, 1).eax & 2 ? 0 : INSN_FAULT_UD);
}

static void legacy_state_goes_out_and_back(void **state)
{
	(void)state;
	catch_faults();
	memset(area, 0, sizeof(area));
	assert_int_equal(fxsave_safe(area), 0);
	assert_int_not_equal(area[24] | area[25], 0);
	assert_int_equal(fxrstor_safe(area), 0);
	/* a reserved bit of MXCSR */
	area[27] = 0x80;
	assert_int_equal(fxrstor_safe(area), INSN_FAULT_GP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_address_is_a_crash),
		cmocka_unit_test(privileged_instructions_fail_and_go_on),
		cmocka_unit_test(permitted_instructions_give_values),
		cmocka_unit_test(xgetbv_of_no_register_faults),
		cmocka_unit_test(state_instructions_return_the_vector),
		cmocka_unit_test(legacy_state_goes_out_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
