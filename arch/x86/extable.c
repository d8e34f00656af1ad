// SPDX-License-Identifier: MIT
/* Looks a faulting instruction up in the exception table that the linker gathered. */
#include "extable.h"

/* Both self-relative: an offset from the field's own address, so that no relocation is needed. */
struct extable_entry {
	int32_t insn;
	int32_t fixup;
};
_Static_assert(sizeof(struct extable_entry) == 8, "EXTABLE() writes these");

/* Weak: an image without a guarded instruction has no such section, and both are null. */
extern const struct extable_entry __start_extable[] __attribute__((weak));
extern const struct extable_entry __stop_extable[] __attribute__((weak));

static u64 extable_address(const int32_t *field)
{
	return (u64)(uintptr_t)field + (u64)(i64)*field;
}

/* A few dozen entries, searched only after a fault: no order is assumed. */
u64 extable_find(u64 ip)
{
	const struct extable_entry *e;

	for (e = __start_extable; (uintptr_t)e < (uintptr_t)__stop_extable; e++)
		if (extable_address(&e->insn) == ip)
			return extable_address(&e->fixup);
	return 0;
}
