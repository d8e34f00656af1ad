// SPDX-License-Identifier: MIT
/* One crash of each kind that the kernel claims to catch. */
#include "provoke.h"

#include "descriptors.h"
#include "panic.h"

#define RET 0xc3

extern u8 image_text[];

/* In assembly, since a compiler makes a loop of a recursion where it can. */
static void stack_overflow(void)
{
	asm volatile("1:\tpushq %%rax\n\tjmp 1b" ::: "memory");
}

static void data_run(void)
{
	static volatile u8 code[16];
	void (*run)(void) = (void (*)(void))(uintptr_t)code;

	code[0] = RET;
	asm volatile("call *%0" ::"r"(run) : "memory");
}

void provoke(enum panic_how how)
{
	switch (how) {
	case PANIC_NONE:
		return;
	case PANIC_TEST:
		panic("panic=test");
	case PANIC_TRIPLE:
		descriptors_drop_idt();
		asm volatile("ud2");
		break;
	case PANIC_STACK:
		stack_overflow();
		break;
	case PANIC_TEXT:
		*(volatile u8 *)image_text = 0;
		break;
	case PANIC_DATA:
		data_run();
		break;
	}
	panic("panic= did not crash: a protection is missing");
}
