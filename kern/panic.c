// SPDX-License-Identifier: MIT
/* Prints a crash from nothing but the trap frame, and ends the run as a failure. */
#include "panic.h"

#include "build.h"
#include "console.h"
#include "control.h"
#include "exit.h"
#include "fmt.h"
#include "insn.h"
#include "paging.h"
#include "stacks.h"

#define STACK_WORDS 16

/* Error code of #PF: SDM volume 3 figure 4-12. */
#define PF_PRESENT     1u
#define PF_WRITE       2u
#define PF_INSTRUCTION 16u

typedef unsigned long long ull;

static const char *step = "entry";
static const char *reason;
static u32 crashes;

void step_begin(const char *what)
{
	step = what;
}

/* A breakpoint brings every register to panic_trap() as the caller had them. */
_Noreturn void panic(const char *why)
{
	exit_mark_failure();
	reason = why;
	asm volatile("int3" ::: "memory");
	__builtin_unreachable();
}

void trap_write(const char *bytes, size_t n)
{
	console_panic_write(bytes, n);
}

/* A line at a time, so that what comes before a second crash has left. */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	char line[256];
	struct text t = TEXT_ON(line);
	va_list args;

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	console_panic_write(line, t.len);
}

static const char *page_access(u64 error)
{
	if (error & PF_INSTRUCTION)
		return "execution";
	return error & PF_WRITE ? "write" : "read";
}

static void say_page_fault(const struct trap_frame *f, u64 cr2)
{
	const struct stack *s = stack_guarding(cr2);

	if (f->vector == TRAP_PF)
		say("  %s at %016llx, %s\n", page_access(f->error), (ull)cr2,
		    f->error & PF_PRESENT ? "against the page's rights" : "not mapped");
	if (s)
		say("  CR2 is in the guard page of the %s stack: stack overflow\n", s->name);
}

static void say_registers(const struct trap_frame *f)
{
	say("  RAX %016llx  RBX %016llx  RCX %016llx\n", (ull)f->rax, (ull)f->rbx, (ull)f->rcx);
	say("  RDX %016llx  RSI %016llx  RDI %016llx\n", (ull)f->rdx, (ull)f->rsi, (ull)f->rdi);
	say("  RBP %016llx  RSP %016llx  R8  %016llx\n", (ull)f->rbp, (ull)f->rsp, (ull)f->r8);
	say("  R9  %016llx  R10 %016llx  R11 %016llx\n", (ull)f->r9, (ull)f->r10, (ull)f->r11);
	say("  R12 %016llx  R13 %016llx  R14 %016llx\n", (ull)f->r12, (ull)f->r13, (ull)f->r14);
	say("  R15 %016llx  RIP %016llx  RFLAGS %08llx\n", (ull)f->r15, (ull)f->rip,
	    (ull)f->rflags);
	say("  CS %llx SS %llx CR0 %llx CR2 %llx CR3 %llx CR4 %llx\n", (ull)f->cs, (ull)f->ss,
	    (ull)read_cr0(), (ull)read_cr2(), (ull)read_cr3(), (ull)read_cr4());
}

static void say_stack(u64 rsp)
{
	for (u64 i = 0; i < STACK_WORDS; i++) {
		u64 at = rsp + 8 * i;

		if (rsp % 8 || !paging_mapped(at, 8)) {
			say("  stack %016llx: not readable\n", (ull)at);
			return;
		}
		if (i % 3 == 0)
			say("%s  stack %016llx:", i ? "\n" : "", (ull)at);
		say(" %016llx", (ull) * (const u64 *)(uintptr_t)at);
	}
	say("\n");
}

static void say_crash(const struct trap_frame *f)
{
	bool asked = reason && f->vector == TRAP_BP;

	say("\nbaretick: PANIC: %s\n", asked ? reason : trap_name(f->vector));
	say("  vector %llu, error code %llx, during: %s\n", (ull)f->vector, (ull)f->error, step);
	say_page_fault(f, read_cr2());
	say_registers(f);
	say_stack(f->rsp);
	say("  NMIs %llu, machine checks survived %llu, stray interrupts %llu (last vector %llu)\n",
	    (ull)trap_nmi_count, (ull)trap_mce_count, (ull)trap_spurious_count,
	    (ull)trap_spurious_last);
	say("  build " BUILD_ID "\n");
}

/* So early that no console has been looked for: a second crash in there ends at once, as any. */
static void console_find(void)
{
	if (!console_describe()[0])
		console_early();
}

_Noreturn void panic_trap(const struct trap_frame *f)
{
	crashes++;
	exit_mark_failure();
	if (crashes == 1) {
		console_find();
		say_crash(f);
	}
	if (crashes <= 2)
		exit_failure();
	/* The end itself crashes. */
	for (;;)
		asm volatile("cli; hlt" ::: "memory");
}
