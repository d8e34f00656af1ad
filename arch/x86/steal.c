// SPDX-License-Identifier: MIT
/* KVM's steal time, whether it is offered and what it says: see steal.h. */
#include "steal.h"

#define KVM_FEATURES	       0x40000001u
#define KVM_FEATURE_STEAL_TIME (1u << 5)

#define READS 64

/* An old KVM gives 0 for its highest leaf and means 40000001h. */
bool steal_offered(const struct machine *m, cpuid_reader *read, void *ctx)
{
	u32 highest;

	if (!m->hypervisor || m->hv != HV_KVM)
		return false;
	highest = read(ctx, HV_BASE_LEAF, 0).eax;
	if (highest && highest < KVM_FEATURES)
		return false;
	return read(ctx, KVM_FEATURES, 0).eax & KVM_FEATURE_STEAL_TIME;
}

static u32 version_now(const volatile struct kvm_steal_time *s)
{
	return s->version;
}

/* x86 keeps loads in order: what is needed is that the compiler does, too. */
bool steal_read(const volatile struct kvm_steal_time *s, u64 *ns)
{
	for (u32 i = 0; i < READS; i++) {
		u32 version = version_now(s);
		u64 steal = s->steal;

		if (!(version & 1) && version_now(s) == version) {
			*ns = steal;
			return true;
		}
	}
	return false;
}
