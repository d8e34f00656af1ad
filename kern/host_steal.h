/* SPDX-License-Identifier: MIT */
/* The host's count of the time it took from this vCPU, where the host is KVM and offers it. */
#ifndef HOST_STEAL_H
#define HOST_STEAL_H

#include "machine.h"

/* Gives the host a place to count in; nothing is touched where none is offered. */
void steal_start(const struct machine *m);

/* Takes it away again; harmless before steal_start() and when called again. */
void steal_end(void);

/* Absent, fault (the MSR was refused), or read: then *ns since steal_start() or before. */
enum value_state steal_now(u64 *ns);

#endif
