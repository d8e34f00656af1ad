; SPDX-License-Identifier: MIT
; The code that runs in SMM at A8000h: real mode addressing, data segments at 0 without a limit, all
; registers restored by RSM. SDM volume 3 sections 32.4 and 32.5.

%define SMI_TRUTHS 1024 ; smi_truth.h
%define HANDLER_BYTES 128 ; smm.c

; struct smm_mailbox
%define TICKS	0
%define COUNT	8
%define AT	16

section .rodata.smm progbits alloc noexec nowrite align=16

bits 16

; Copied, so only the mailbox is named by address, and jumps are relative. Few instructions stand
; before the first and behind the last TSC read: they belong to the gap but not to what is noted.
;	ESI, EDI entry; EBX mailbox, then the entry to write; EBP:ECX when to leave.
global smm_handler
smm_handler:
	rdtsc
	mov	esi, eax
	mov	edi, edx
	mov	ebx, smm_mailbox
	mov	ecx, eax
	mov	ebp, edx
	add	ecx, [ebx + TICKS]
	adc	ebp, [ebx + TICKS + 4]
	mov	eax, [ebx + COUNT]
	inc	dword [ebx + COUNT]
	cmp	eax, SMI_TRUTHS
	jb	.room
	mov	eax, SMI_TRUTHS
.room:
	shl	eax, 4
	lea	ebx, [ebx + eax + AT]
	mov	[ebx], esi
	mov	[ebx + 4], edi
.stay:
	rdtsc
	cmp	eax, ecx
	mov	edi, edx
	sbb	edi, ebp
	jc	.stay
	mov	[ebx + 8], eax
	mov	[ebx + 12], edx
	rsm
	times HANDLER_BYTES - ($ - smm_handler) db 0xf4

global smm_mailbox
section .bss.smm nobits alloc noexec write align=64
smm_mailbox:
	resb	AT + 16 * (SMI_TRUTHS + 1)
