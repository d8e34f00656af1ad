; SPDX-License-Identifier: MIT
; The measured code: every sequence of seq.h, in one section that has no relocations, so that its
; bytes and their CRC-32 are the same in the kernel, in the process and in every build. Memory is
; reached through argument registers only. The tables are made by the macros that make the code.

bits 64
default rel

section seqtext progbits alloc exec nowrite align=64
section .rodata

%include "edge.inc"
%include "method.inc"
%include "xseq.inc"

global seq_begin, seq_end, seq_table, seq_table_n, seq_matrix, seq_made, seq_xtable
global seq_ruler, seq_canary, seq_gaps

section seqtext
seq_begin:
%include "ruler.inc"

; enum seq_xop, in its order
section .rodata
	align	8
seq_xtable:
	xentry	empty, nothing
	xentry	xsave, xsave64
	xentry	xsaveopt, xsaveopt64
	xentry	xsavec, xsavec64
	xentry	xsaves, xsaves64
	xentry	xrstor, xrstor64
	xentry	xrstors, xrstors64
	xentry	fxsave, fxsave64
	xentry	fxrstor, fxrstor64

; seq_method[], in its order
%assign seq_entries 0
%assign seq_method_n 0
section .rodata
	align	16
seq_table:
	method	0, 0, 0
	method	1c, 0, 1
	method	1l, 0, 2
	method	2c, 1, 1
	method	2l, 1, 2
	method	3c, 2, 1
	method	3l, 2, 2
	method	4, 2, 3
	method	5, 1, 4
	method	6, 3, 5
	method	7, 4, 6
	method	7m, 5, 7
	method	8, 6, 8
	method	9, P, P

section .rodata
seq_table_n:
	dq	seq_entries

seq_matrix:
%assign seq_s 0
%rep 7
%assign seq_e 0
%rep 10
	cell	seq_s, seq_e
%assign seq_e seq_e + 1
%endrep
%assign seq_s seq_s + 1
%endrep
seq_made:
	dq	seq_method_n, seq_s, seq_e

section seqtext
%include "gaps.inc"
	align	64
seq_end:

; without it the linker takes the stack for executable
section .note.GNU-stack noalloc noexec nowrite progbits
