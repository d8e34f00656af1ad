/* SPDX-License-Identifier: MIT */
/*
 * KVM's steal time: memory in which the host counts how long this vCPU was ready to run and did
 * not. Linux Documentation/virt/kvm/x86/msr.rst (MSR_KVM_STEAL_TIME), cpuid.rst
 * (KVM_FEATURE_STEAL_TIME).
 */
#ifndef STEAL_H
#define STEAL_H

#include "machine.h"

struct kvm_steal_time {
	u64 steal;   /* nanoseconds */
	u32 version; /* odd while the host writes */
	u32 flags;   /* 0 so far */
	u8 preempted;
	u8 reserved[47];
};
_Static_assert(sizeof(struct kvm_steal_time) == 64, "MSR_KVM_STEAL_TIME wants 64 bytes");

/* Is the hypervisor KVM, and does it offer the MSR? (CPUID.40000001H:EAX[5]) */
bool steal_offered(const struct machine *m, cpuid_reader *read, void *ctx);

/* False, and *ns as it was, if the host was found writing in each of a bounded number of reads. */
bool steal_read(const volatile struct kvm_steal_time *s, u64 *ns);

#endif
