; SPDX-License-Identifier: MIT
; The stacks and the guard page below each: see stacks.h.

%macro stack 2 ; name, bytes
	global %1_guard, %1_top
%1_guard:
	resb 4096
	resb %2
%1_top:
%endmacro

section .bss.pages nobits alloc noexec write align=4096
	stack stack_main, 64 << 10
	stack stack_nmi, 4 << 10
	stack stack_df, 8 << 10
	stack stack_mc, 8 << 10
