// SPDX-License-Identifier: MIT
/* The chipsets whose SMI registers are known, and the names of their bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "smi_sources.h"

static struct smi_sources s;

static const struct smi_source *source(const char *name)
{
	for (u32 i = 0; i < s.n; i++)
		if (!strcmp(s.source[i].name, name))
			return &s.source[i];
	return NULL;
}

static void assert_source(const char *name, bool enabled, bool pending)
{
	const struct smi_source *found = source(name);

	if (!found)
		fail_msg("%s is not there", name);
	assert_int_equal(found->enabled, enabled);
	assert_int_equal(found->pending, pending);
}

static void chipsets_by_id(void **state)
{
	static const struct {
		u32 id;
		const char *name;
	} lpc[] = {
		{0x29188086, "ICH9"},	       {0x27b98086, "ICH7"},
		{0x3a188086, "ICH10"},	       {0x3b078086, "5 series"},
		{0x1c448086, "6 series"},      {0x1e478086, "7 series"},
		{0x8c448086, "8 series"},      {0x9c438086, "8 series LP"},
		{0x8d448086, "C610"},	       {0x8cc48086, "9 series"},
		{0xa1458086, "100 series"},    {0xa1c18086, "C620"},
		{0xa2c58086, "200 series"},    {0xa3058086, "300 series"},
		{0x02848086, "400 series LP"}, {0x43858086, "500 series"},
		{0xa0828086, "500 series LP"}, {0x7a848086, "600 series"},
		{0x51828086, "600 series LP"}, {0x7a048086, "700 series"},
		{0x29108086, "ICH9"},	       {0x291f8086, "ICH9"},
		{0x1c408086, "6 series"},      {0x1c5f8086, "6 series"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lpc) / sizeof(lpc[0]); i++) {
		assert_non_null(smi_chipset(lpc[i].id));
		assert_string_equal(smi_chipset(lpc[i].id), lpc[i].name);
	}
}

/* PIIX4, a FCH, other vendors with an Intel device id, nothing there, ends of ranges. */
static void no_other_chipset(void **state)
{
	static const u32 id[] = {0x70008086, 0x71108086, 0x790e1022, 0x29181022, 0xffffffff, 0,
				 0x290f8086, 0x29208086, 0x1c608086, 0x1c3f8086, 0x9c488086};

	(void)state;
	for (size_t i = 0; i < sizeof(id) / sizeof(id[0]); i++)
		assert_null(smi_chipset(id[i]));
}

static void families_do_not_meet(void **state)
{
	const char *last = NULL;
	u32 edges = 0;

	(void)state;
	for (u32 device = 0; device <= 0xffff; device++) {
		const char *name = smi_chipset(device << 16 | 0x8086);

		edges += name != last;
		last = name;
	}
	assert_in_range(edges, 30, 58); /* 29 ranges, some side by side */
}

static void seabios_on_q35(void **state)
{
	(void)state;
	smi_sources_decode(&s, 0x21, 0);
	assert_true(s.global);
	assert_int_equal(s.enable, 0x21);
	assert_int_equal(s.n, 1);
	assert_source("apm", true, false);
}

/* What a board with USB legacy emulation, watchdog and periodic SMIs would read. */
static void sources_on_metal(void **state)
{
	(void)state;
	smi_sources_decode(&s, 0x8002602b, 0x00002008);
	assert_true(s.global);
	assert_int_equal(s.n, 6);
	assert_source("legacy_usb", true, true);
	assert_source("legacy_usb2", true, false);
	assert_source("apm", true, false);
	assert_source("tco", true, true);
	assert_source("periodic", true, false);
	assert_source("xhci", true, false);
}

static void nothing_without_leave(void **state)
{
	(void)state;
	smi_sources_decode(&s, 0x00002002, 0);
	assert_false(s.global);
	assert_source("tco", true, false);
	smi_sources_decode(&s, 0, 0);
	assert_int_equal(s.n, 0);
}

/* EOS and BIOS_RLS are no sources; bits of SMI_EN that are reserved enable nothing. */
static void each_bit_alone(void **state)
{
	static const u32 enables = 0xd806687c, statuses = 0xdc37ff7c;

	(void)state;
	for (u32 at = 0; at < 32; at++) {
		smi_sources_decode(&s, 1u << at, 0);
		assert_int_equal(s.n, enables >> at & 1);
		assert_int_equal(s.global, at == 0);
		if (s.n)
			assert_true(s.source[0].enabled && !s.source[0].pending);
		smi_sources_decode(&s, 0, 1u << at);
		assert_int_equal(s.n, statuses >> at & 1);
		if (s.n)
			assert_true(!s.source[0].enabled && s.source[0].pending);
	}
}

static void all_at_once(void **state)
{
	(void)state;
	smi_sources_decode(&s, ~0u, ~0u);
	assert_in_range(s.n, 20, SMI_SOURCES);
	for (u32 i = 0; i < s.n; i++) {
		assert_true(s.source[i].name[0] && s.source[i].what[0]);
		assert_ptr_equal(source(s.source[i].name), &s.source[i]); /* no name twice */
		assert_int_equal(strspn(s.source[i].name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(s.source[i].name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chipsets_by_id),	cmocka_unit_test(no_other_chipset),
		cmocka_unit_test(families_do_not_meet), cmocka_unit_test(seabios_on_q35),
		cmocka_unit_test(sources_on_metal),	cmocka_unit_test(nothing_without_leave),
		cmocka_unit_test(each_bit_alone),	cmocka_unit_test(all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
