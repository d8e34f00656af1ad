; SPDX-License-Identifier: MIT
; One stub of 8 bytes a vector, then the common way to trap_dispatch() and back. SDM volume 3
; section 6.12, table 6-1 for which exceptions push an error code.

bits 64
default rel

%define VECTOR_NMI 2
; #DF #TS #NP #SS #GP #PF #AC #CP #VC #SX
%define WITH_ERROR ((1 << 8) | (0x1f << 10) | (1 << 17) | (1 << 21) | (1 << 29) | (1 << 30))

	extern trap_dispatch
	extern trap_nmi_count

section .text.traps progbits alloc exec nowrite align=64

global trap_stubs
trap_stubs:
%assign vector 0
%rep 256
  %if vector == VECTOR_NMI
	jmp near trap_nmi
  %else
	db 0x6a, vector ; push byte, sign-extended: trap_all takes the low byte
    %if vector < 32 && (WITH_ERROR >> vector) & 1
	jmp near trap_all
    %else
	jmp near trap_without_error
    %endif
  %endif
	align 8, db 0xcc
  %assign vector vector + 1
%endrep
	times -(($ - trap_stubs) != 256 * 8) db 0 ; descriptors.c counts on 8 bytes a stub

; Counting needs no stack and no C, so that an NMI takes as little as it can from what it hit, and
; one inside another does no harm.
trap_nmi:
	lock inc qword [trap_nmi_count]
	iretq

; In: the vector on the stack. A zero goes above it, where the others have their error code.
trap_without_error:
	push qword [rsp]
	mov qword [rsp + 8], 0

; In: vector and error code on the stack. Completes struct trap_frame (traps.h); RSP is then a
; multiple of 16, since the CPU aligned it before its five words and this makes 22.
trap_all:
	push rax
	push rcx
	push rdx
	push rbx
	push rbp
	push rsi
	push rdi
	push r8
	push r9
	push r10
	push r11
	push r12
	push r13
	push r14
	push r15
	movzx eax, byte [rsp + 15 * 8]
	mov [rsp + 15 * 8], rax
	cld
	mov rdi, rsp
	call trap_dispatch
	pop r15
	pop r14
	pop r13
	pop r12
	pop r11
	pop r10
	pop r9
	pop r8
	pop rdi
	pop rsi
	pop rbp
	pop rbx
	pop rdx
	pop rcx
	pop rax
	add rsp, 16
	iretq
