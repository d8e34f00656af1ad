/* SPDX-License-Identifier: MIT */
/* Faults of a test's process, recovered by the table as the kernel's trap handler does it. */
#ifndef FAULTS_H
#define FAULTS_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include <cmocka.h>

#include "extable.h"

static int faults;

static inline void on_fault(int signal_number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	u64 to = extable_find((u64)r[REG_RIP]);

	(void)signal_number;
	(void)info;
	if (!to)
		abort();
	faults++;
	r[REG_R8] = r[REG_TRAPNO] + 1;
	r[REG_RIP] = (greg_t)to;
}

/* In each test: cmocka puts handlers of its own before every one of them. */
static inline void catch_faults(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	faults = 0;
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	assert_int_equal(sigaction(SIGILL, &action, NULL), 0);
}

#endif
