/* SPDX-License-Identifier: MIT */
/* One crash of each kind that the kernel claims to catch. */
#include "provoke.h"

#include "descriptors.h"
#include "panic.h"

#define RET 0xc3

extern u8 image_text[];

/* Each call leaves a page on the stack; the guard page stops it long before the depth does. */
static __attribute__((noinline)) u64 stack_overflow(u64 depth)
{
	volatile u8 page[4096];

	page[0] = (u8)depth;
	return depth ? page[0] + stack_overflow(depth - 1) + page[0] : 0;
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
		stack_overflow(1000);
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
