// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any memory at entry and its SMBIOS tables, then the same bytes as a structure table.
 * With an input of odd length checksums are put right. Aborts where a name is not fit to be
 * printed.
 */
#include "memory.h"
#include "smbios.h"

static void name_sound(const char *name, size_t cap)
{
	size_t n = strnlen(name, cap);

	is_printable(name, cap);
	if (n)
		must(name[0] != ' ' && name[n - 1] != ' ');
}

static void info_sound(const struct smbios_info *s)
{
	name_sound(s->firmware, sizeof(s->firmware));
	name_sound(s->system, sizeof(s->system));
	name_sound(s->board, sizeof(s->board));
	name_sound(s->serial, sizeof(s->serial));
	name_sound(s->uuid, sizeof(s->uuid));
	must(s->uuid[0] == '\0' || strlen(s->uuid) == 36);
	findings_sound(&s->findings);
}

static void table_read(const u8 *data, size_t size)
{
	static struct smbios_info s;
	u8 *copy = malloc(size ? size : 1);

	must(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	memset(&s, 0, sizeof(s));
	smbios_read_table(&s, (struct span){.at = copy, .len = size}, 2, size & 2 ? 8 : 4);
	info_sound(&s);
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct bootinfo b;
	static struct smbios_info s;
	static struct memory m;

	table_read(data, size);
	if (!memory_start(&m, data, size))
		return 0;
	m.sums = size & 1;
	memory_boot(&m, &b);
	must(smbios_read(&s, &m.phys, &b) == s.found);
	must(s.source != NULL);
	info_sound(&s);
	memory_end(&m);
	return 0;
}
