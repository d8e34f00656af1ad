; SPDX-License-Identifier: MIT
; Both ways in, multiboot2 and PVH, and the way from 32-bit protected mode to one C call in long
; mode. Multiboot2 specification 2.0 chapter 3, Xen docs/misc/pvh, SDM volume 3 section 9.8.5.

MULTIBOOT2_HEADER equ 0xe85250d6
MULTIBOOT2_I386   equ 0
PVH_MAGIC         equ 0x336ec578 ; boot/bootinfo.h
PHYS32_ENTRY      equ 18         ; XEN_ELFNOTE_PHYS32_ENTRY

CR0_PE   equ 1 << 0
CR0_PG   equ 1 << 31
CR4_PAE  equ 1 << 5
MSR_EFER equ 0xc0000080
EFER_LME equ 1 << 8

PAGE_P  equ 1 << 0
PAGE_RW equ 1 << 1
PAGE_PS equ 1 << 7

COM1       equ 0x3f8
COM1_LCR   equ COM1 + 3
COM1_LSR   equ COM1 + 5
LCR_8N1    equ 3
LSR_THRE   equ 1 << 5
DEBUG_EXIT equ 0xf4
EXIT_FAIL  equ 0x11 ; kern/exit.h

	extern kernel_main
	extern stack_main_top
	extern image_bss
	extern image_bss_end

section .multiboot2 progbits alloc noexec nowrite align=8
header:
	dd MULTIBOOT2_HEADER
	dd MULTIBOOT2_I386
	dd header_end - header
	dd -(MULTIBOOT2_HEADER + MULTIBOOT2_I386 + (header_end - header)) & 0xffffffff

	; A framebuffer, if there is one to be had. A tag that requires a console makes UEFI refuse.
	dw 5, 1
	dd 20
	dd 1024, 768, 32
	align 8, db 0

	dw 0, 0
	dd 8
header_end:

; The descriptor is eight bytes wide: there are loaders that read as many from a 64-bit file.
section .note.pvh note alloc noexec nowrite align=4
	dd .name_end - .name, 8, PHYS32_ENTRY
.name:	db "Xen", 0
.name_end:
	dq entry_pvh

section .text.entry progbits alloc exec nowrite align=16
bits 32

; In: EBX = hvm_start_info. Flat segments, paging off.
global entry_pvh
entry_pvh:
	mov eax, PVH_MAGIC

; In: EAX = what the loader says it is, EBX = its information. Flat segments, paging off.
global entry_multiboot2
entry_multiboot2:
	cli
	cld
	; Firmware that runs after the loader may have used what the loader had zeroed.
	mov ebp, eax
	mov edi, image_bss
	mov ecx, image_bss_end
	sub ecx, edi
	xor eax, eax
	rep stosb
	mov edi, ebp
	mov esi, ebx
	mov esp, stack_main_top
	push 0
	popfd
	call cpu_check
	call tables_fill

	mov eax, CR4_PAE
	mov cr4, eax
	mov eax, boot_pml4
	mov cr3, eax
	mov ecx, MSR_EFER
	rdmsr
	or eax, EFER_LME
	wrmsr
	mov eax, cr0
	or eax, CR0_PG | CR0_PE
	mov cr0, eax
	lgdt [gdt_pointer]
	jmp gdt_code - gdt:long_mode

; Returns if this CPU has long mode. Keeps EDI, ESI.
cpu_check:
	; A CPU without CPUID cannot flip EFLAGS.ID.
	pushfd
	xor dword [esp], 1 << 21
	mov eax, [esp]
	popfd
	pushfd
	pop ecx
	xor eax, ecx
	test eax, 1 << 21
	jnz .no_cpuid
	mov eax, 0x80000000
	cpuid
	cmp eax, 0x80000001
	jb .no_long_mode
	mov eax, 0x80000001
	cpuid
	test edx, 1 << 29
	jz .no_long_mode
	ret
.no_cpuid:
	mov esi, text_no_long_mode
	call say
	jmp stop
.no_long_mode:
	mov esi, text_no_long_mode
	call say
	; The debug exit is tried only where a hypervisor says it is one and the port reads 0.
	mov eax, 1
	cpuid
	test ecx, 1 << 31
	jz stop
	in al, DEBUG_EXIT
	test al, al
	jnz stop
	mov al, EXIT_FAIL
	out DEBUG_EXIT, al
stop:
	cli
	hlt
	jmp stop

; Sends the zero-terminated text at ESI to COM1. Each wait is bounded; an absent port reads FFh.
; Firmware and loader may have left the word length at five bits.
say:
	mov dx, COM1_LCR
	mov al, LCR_8N1
	out dx, al
.byte:
	mov dx, COM1_LSR
	mov ecx, 1 << 16
.wait:
	in al, dx
	cmp al, 0xff
	je .done
	test al, LSR_THRE
	loopz .wait
	lodsb
	test al, al
	jz .done
	mov dx, COM1
	out dx, al
	jmp .byte
.done:
	ret

; The first 4 GiB mapped to themselves by 2 MiB pages, until paging.c has better tables.
tables_fill:
	mov dword [boot_pml4], boot_pdpt + (PAGE_P | PAGE_RW)
	mov eax, boot_pd + (PAGE_P | PAGE_RW)
	mov ebx, boot_pdpt
.pdpt:
	mov [ebx], eax
	add ebx, 8
	add eax, 4096
	cmp eax, boot_pd_end
	jb .pdpt
	mov eax, PAGE_P | PAGE_RW | PAGE_PS
	mov ebx, boot_pd
.pd:
	mov [ebx], eax
	add ebx, 8
	add eax, 2 << 20
	cmp ebx, boot_pd_end
	jb .pd
	ret

bits 64
long_mode:
	mov eax, gdt_data - gdt
	mov ss, eax
	mov ds, eax
	mov es, eax
	xor eax, eax
	mov fs, eax
	mov gs, eax
	; The upper halves are undefined after the switch.
	mov rsp, stack_main_top
	mov edi, edi
	mov esi, esi
	xor ebp, ebp
	call kernel_main
	ud2

section .rodata.entry progbits alloc noexec nowrite align=8
; Accessed already: loading a segment writes nothing here.
gdt:
	dq 0
gdt_code:
	dq 0x00af9b000000ffff
gdt_data:
	dq 0x00cf93000000ffff
gdt_end:
gdt_pointer:
	dw gdt_end - gdt - 1
	dd gdt

text_no_long_mode:
	db "baretick: this CPU has no 64-bit mode (CPUID 80000001h, EDX bit 29): cannot run", 13, 10, 0

section .bss.pages nobits alloc noexec write align=4096
boot_pml4:
	resb 4096
boot_pdpt:
	resb 4096
boot_pd:
	resb 4 * 4096
boot_pd_end:
