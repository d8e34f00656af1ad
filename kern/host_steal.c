// SPDX-License-Identifier: MIT
/* MSR_KVM_STEAL_TIME in ring 0. Not seen at work: written by KVM's documentation. */
#include "host_steal.h"

#include "insn.h"
#include "msr.h"
#include "steal.h"

#define STEAL_ENABLE 1u

/* The kernel runs where it lies, so this address is the physical one that the MSR wants. */
static struct kvm_steal_time counted __attribute__((aligned(64)));
static enum value_state state = VALUE_ABSENT;

/* A host that takes the write but does not keep it counts nothing. */
void steal_start(const struct machine *m)
{
	const u64 wanted = (u64)(uintptr_t)&counted | STEAL_ENABLE;
	u64 v;

	if (!steal_offered(m, cpuid_read, NULL))
		return;
	state = VALUE_FAULT;
	if (!wrmsr_safe(MSR_KVM_STEAL_TIME, wanted))
		return;
	if (rdmsr_safe(MSR_KVM_STEAL_TIME, &v) && v == wanted)
		state = VALUE_READ;
	else
		wrmsr_safe(MSR_KVM_STEAL_TIME, 0);
}

void steal_end(void)
{
	if (state == VALUE_READ)
		wrmsr_safe(MSR_KVM_STEAL_TIME, 0);
	state = VALUE_ABSENT;
}

enum value_state steal_now(u64 *ns)
{
	static u64 last;

	*ns = 0;
	if (state != VALUE_READ)
		return state;
	/* Caught in the middle of a write each time: the value of before is the best there is. */
	steal_read(&counted, &last);
	*ns = last;
	return VALUE_READ;
}
