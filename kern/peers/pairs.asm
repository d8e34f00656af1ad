; SPDX-License-Identifier: MIT
; The pairs of reads that others use, in the sample loop of our own methods, and that loop with one
; read and with none. Not part of the measured section: its CRC stands for the product's code only.
; The two halves of the start wait in registers, as a compiler would keep them.

bits 64
default rel

%include "../../arch/x86/edge.inc"
%include "../../arch/x86/method.inc"

; end of a loop that does not read again: what the start left is taken for the time
%macro op_take 0
%endmacro
%define READS_take

%define START_tsc	rdtsc
%define END_tsc		rdtsc
%define START_lf	lfence, rdtsc
%define END_lf		lfence, rdtsc
%define START_tscplf	rdtscp, lfence
%define END_tscplf	rdtscp, lfence
%define START_mf	mfence, rdtsc
%define END_mf		mfence, rdtsc
%define START_mflf	mfence, lfence, rdtsc
%define END_mflf	mfence, lfence, rdtsc
%define START_cpuid	cpuid, rdtsc
%define END_cpuid	cpuid, rdtsc
%define START_read	lfence, rdtsc
%define START_bare	nothing
%define END_take	take

; pair NAME: pair_NAME_empty and pair_NAME_loop, both a seq_fn
%macro pair 1
global pair_%1_empty, pair_%1_loop
	sequence pair_%1_empty, %1, %1, empty, none, reg
	sequence pair_%1_loop, %1, %1, loop, none, reg
%endmacro

section .text align=64
seq_begin:
	pair	tsc
	pair	lf
	pair	tscplf
	pair	mf
	pair	mflf
	pair	cpuid

; Method 5's loop without its end's read, and without both.
global turn_read, turn_bare
	sequence turn_read, read, take, empty, none, mem
	sequence turn_bare, bare, take, empty, none, mem

section .note.GNU-stack noalloc noexec nowrite progbits
