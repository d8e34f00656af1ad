// SPDX-License-Identifier: MIT
/* Names for the stacks of stacks.asm, and who owns a guard page. */
#include "stacks.h"

extern const u8 stack_main_guard[], stack_main_top[];
extern const u8 stack_nmi_guard[], stack_nmi_top[];
extern const u8 stack_df_guard[], stack_df_top[];
extern const u8 stack_mc_guard[], stack_mc_top[];

const struct stack stack_list[STACKS] = {
	{"main", stack_main_guard, stack_main_top},
	{"NMI", stack_nmi_guard, stack_nmi_top},
	{"#DF", stack_df_guard, stack_df_top},
	{"#MC", stack_mc_guard, stack_mc_top},
};

const struct stack *stack_guarding(u64 address)
{
	for (size_t i = 0; i < STACKS; i++)
		if (address - (u64)(uintptr_t)stack_list[i].guard < 4096)
			return &stack_list[i];
	return NULL;
}
