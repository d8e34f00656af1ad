// SPDX-License-Identifier: MIT
/*
 * What holds interrupts off: the 8259A pair and the local APIC in both its modes, over registers of
 * the test's making. Entries that deliver NMIs and SMIs stay; those that are not there are not
 * touched.
 */
#include "insn.h"

#include "../../arch/x86/ring0/io.h"
#include "../../arch/x86/ring0/paging.h"

static struct cpuid_regs fake_cpuid(u32 leaf, u32 subleaf);
static bool fake_rdmsr(u32 index, u64 *value);
static bool fake_wrmsr(u32 index, u64 value);
static void *fake_map(u64 at, u64 bytes);
static void fake_outb(u16 port, u8 v);
static void fake_delay(void);
#define cpuid		fake_cpuid
#define rdmsr_safe	fake_rdmsr
#define wrmsr_safe	fake_wrmsr
#define paging_map_mmio fake_map
#define outb		fake_outb
#define io_delay	fake_delay
#include "../../arch/x86/ring0/lapic.c"
#include "../../arch/x86/ring0/pic.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BASE 0xfee00000ull

static u32 regs[1024]; /* by offset / 4 */
static u64 apic_base;
static bool apic_there, x2;
static u32 touched[64]; /* registers written, in order */
static u32 n_touched, delays;
static char ports[256];

static struct cpuid_regs fake_cpuid(u32 leaf, u32 subleaf)
{
	(void)subleaf;
	assert_int_equal(leaf, 1);
	return (struct cpuid_regs){.edx = apic_there ? 1u << 9 : ~(1u << 9)};
}

/* Is there such a register? The x2APIC faults on others. */
static bool is_there(u32 reg)
{
	static const u32 lvt[] = {0x320, 0x350, 0x360, 0x370, 0x340, 0x330, 0x2f0};
	const u32 n = (regs[APIC_VERSION / 4] >> 16 & 0xff) + 1;

	for (u32 i = 0; i < ARRAY_SIZE(lvt); i++)
		if (lvt[i] == reg)
			return i < n;
	return reg == 0x30 || reg == 0xb0 || (reg >= 0x100 && reg < 0x180) ||
	       (reg >= 0x200 && reg < 0x280);
}

static bool fake_rdmsr(u32 index, u64 *value)
{
	if (index == 0x1b) {
		*value = apic_base;
		return true;
	}
	assert_true(x2);
	assert_true(index >= 0x800 && index < 0x840);
	assert_true(is_there((index - 0x800) << 4));
	*value = regs[(index - 0x800) << 2];
	return true;
}

static bool fake_wrmsr(u32 index, u64 value)
{
	assert_true(x2);
	assert_true(is_there((index - 0x800) << 4));
	assert_true(n_touched < ARRAY_SIZE(touched));
	touched[n_touched++] = (index - 0x800) << 4;
	regs[(index - 0x800) << 2] = (u32)value;
	return true;
}

static void *fake_map(u64 at, u64 bytes)
{
	assert_int_equal(at, BASE);
	assert_int_equal(bytes, 4096);
	return regs;
}

static void fake_outb(u16 port, u8 v)
{
	const size_t at = strlen(ports);

	snprintf(ports + at, sizeof(ports) - at, "%x=%02x ", port, v);
}

static void fake_delay(void)
{
	delays++;
}

/* Each entry with a vector of its own, none masked. */
static int setup(void **state)
{
	static const u32 lvt[] = {0x320, 0x350, 0x360, 0x370, 0x340, 0x330, 0x2f0};

	(void)state;
	memset(regs, 0, sizeof(regs));
	for (u32 i = 0; i < ARRAY_SIZE(lvt); i++)
		regs[lvt[i] / 4] = 0x40 + i;
	regs[0x30 / 4] = 6u << 16 | 0x14;
	apic_base = BASE | 0x900;
	apic_there = true;
	x2 = false;
	n_touched = delays = 0;
	ports[0] = '\0';
	known = false;
	return 0;
}

static void there_or_not(void **state)
{
	(void)state;
	assert_true(lapic_start());
	apic_there = false;
	assert_false(lapic_start());
	apic_there = true;
	apic_base = BASE | 0x100; /* switched off */
	assert_false(lapic_start());
	lapic_mask();
	assert_int_equal(regs[0x320 / 4], 0x40);
	assert_false(lapic_busy());
	assert_true(lapic_drain(0));
}

static void all_entries_are_masked(void **state)
{
	(void)state;
	assert_true(lapic_start());
	regs[0x360 / 4] |= 0x400; /* NMI */
	regs[0x330 / 4] |= 0x200; /* SMI */
	regs[0x350 / 4] |= 0x700; /* the PIC's, as of a PC at its start */
	lapic_mask();
	assert_int_equal(regs[0x320 / 4], 0x10040);
	assert_int_equal(regs[0x350 / 4], 0x10741);
	assert_int_equal(regs[0x360 / 4], 0x442);
	assert_int_equal(regs[0x370 / 4], 0x10043);
	assert_int_equal(regs[0x340 / 4], 0x10044);
	assert_int_equal(regs[0x330 / 4], 0x245);
	assert_int_equal(regs[0x2f0 / 4], 0x10046);
}

/* The highest entry's number says which there are; x2APIC faults on others. */
static void entries_that_are_there(void **state)
{
	(void)state;
	x2 = true;
	apic_base = BASE | 0xc00;
	for (u32 highest = 3; highest < 7; highest++) {
		regs[0x30 / 4] = highest << 16 | 0x14;
		n_touched = 0;
		for (u32 i = 0; i < 7; i++)
			regs[(const u32[]){0x320, 0x350, 0x360, 0x370, 0x340, 0x330, 0x2f0}[i] /
			     4] = 0x40;
		assert_true(lapic_start());
		lapic_mask();
		assert_int_equal(n_touched, highest + 1);
		n_touched = 0;
		lapic_mask(); /* what is masked is not written again */
		assert_int_equal(n_touched, 0);
	}
}

static void any_bit_waits(void **state)
{
	(void)state;
	assert_true(lapic_start());
	assert_false(lapic_busy());
	assert_true(lapic_drain(0));
	for (u32 i = 0; i < 8; i++) {
		for (u32 reg = 0x100; reg <= 0x200; reg += 0x100) {
			regs[(reg + i * 0x10) / 4] = 1u << i * 4;
			assert_true(lapic_busy());
			assert_false(lapic_drain(0));
			regs[(reg + i * 0x10) / 4] = 0;
		}
	}
	regs[0x180 / 4] = 1; /* TMR: how, not whether */
	assert_false(lapic_busy());
}

static void the_pair_is_started_once(void **state)
{
	(void)state;
	pic_mask();
	assert_string_equal(ports, "21=ff a1=ff 20=11 a0=11 21=20 a1=28 21=04 a1=02 21=01 a1=01 "
				   "21=ff a1=ff ");
	assert_int_equal(delays, 10);
	ports[0] = '\0';
	pic_mask();
	assert_string_equal(ports, "21=ff a1=ff ");
}

#define TEST(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_or_not),  TEST(all_entries_are_masked),   TEST(entries_that_are_there),
		TEST(any_bit_waits), TEST(the_pair_is_started_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
