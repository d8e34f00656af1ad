// SPDX-License-Identifier: MIT
/*
 * The process's counterpart of the kernel's trap handler: faults that the exception table knows are
 * recovered, all others print the registers and end as failure. signal(7), sigaltstack(2).
 */
#include "hosted.h"

#include "env.h"
#include "extable.h"
#include "fmt.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

#define CRASH_STACK 65536 /* besides the frame, which holds all of the state in use */

static const struct {
	const char *name;
	int reg;
} crash_regs[] = {
	{"rax", REG_RAX}, {"rbx", REG_RBX}, {"rcx", REG_RCX},	  {"rdx", REG_RDX},
	{"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP},	  {"rsp", REG_RSP},
	{"r8", REG_R8},	  {"r9", REG_R9},   {"r10", REG_R10},	  {"r11", REG_R11},
	{"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14},	  {"r15", REG_R15},
	{"rip", REG_RIP}, {"rfl", REG_EFL}, {"trap", REG_TRAPNO}, {"err", REG_ERR},
	{"cr2", REG_CR2},
};

static const char *signal_text(int number)
{
	switch (number) {
	case SIGSEGV:
		return "SIGSEGV";
	case SIGILL:
		return "SIGILL";
	case SIGBUS:
		return "SIGBUS";
	case SIGFPE:
		return "SIGFPE";
	}
	return "signal";
}

static _Noreturn void crash(int number, const greg_t *reg)
{
	char bytes[1536];
	struct text t = TEXT_ON(bytes);
	size_t i;

	fmt(&t, "\npanic: %s at %016llx\n", signal_text(number), (unsigned long long)reg[REG_RIP]);
	for (i = 0; i < ARRAY_SIZE(crash_regs); i++)
		fmt(&t, "%4s %016llx%s", crash_regs[i].name,
		    (unsigned long long)reg[crash_regs[i].reg],
		    i % 3 == 2 || i + 1 == ARRAY_SIZE(crash_regs) ? "\n" : "  ");
	env_write(t.at, t.len);
	_exit(EXIT_FAILED);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	u64 fixup = info->si_code > 0 ? extable_find((u64)reg[REG_RIP]) : 0;

	/* A code of 0 or less: sent by a process, not by an instruction. */
	if (!fixup)
		crash(number, reg);
	reg[REG_R8] = reg[REG_TRAPNO] + 1;
	reg[REG_RIP] = (greg_t)fixup;
}

bool crash_init(void)
{
	static const int faults[] = {SIGSEGV, SIGILL, SIGBUS, SIGFPE};
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_size = getauxval(AT_MINSIGSTKSZ) + CRASH_STACK};
	size_t i;

	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL))
		return false;
	sigemptyset(&act.sa_mask);
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (sigaction(faults[i], &act, NULL))
			return false;
	return true;
}
