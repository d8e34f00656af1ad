/* SPDX-License-Identifier: MIT */
/*
 * Exception table: self-relative pairs (faulting instruction, where to go on) in section `extable`.
 * Searched by the kernel's trap handler and by the process's signal handler.
 */
#ifndef EXTABLE_H
#define EXTABLE_H

#include "types.h"

/*
 * For inline assembly: "1: insn\n2:\n" EXTABLE(1b, 2b). After a fault at 1 the handler sets R8 to
 * the vector + 1 and goes on at 2; so clear R8 before 1, as an early-clobber output, and 0 means no
 * fault.
 */
#define EXTABLE(insn, fixup)                     \
	".pushsection extable,\"a\",@progbits\n" \
	".balign 4\n"                            \
	".long " #insn " - ., " #fixup " - .\n"  \
	".popsection\n"

/* The address to go on at after a fault at `ip`, or 0: then it is a crash. */
u64 extable_find(u64 ip);

#endif
