/* SPDX-License-Identifier: MIT */
/* The model-specific registers that ring 0 code names. SDM volume 4, APM volume 2 appendix A. */
#ifndef MSR_H
#define MSR_H

#define MSR_IA32_APIC_BASE    0x1b
#define MSR_SMI_COUNT	      0x34 /* Intel */
#define MSR_IA32_BIOS_SIGN_ID 0x8b /* microcode revision in the upper half */
#define MSR_IA32_XFD	      0x1c4
#define MSR_IA32_XSS	      0xda0
#define MSR_AMD_PATCH_LEVEL   0x8b
#define MSR_EFER	      0xc0000080
#define MSR_AMD_DE_CFG	      0xc0011029 /* bit 1: LFENCE is dispatch-serialising */
#define MSR_KVM_STEAL_TIME    0x4b564d03 /* address of struct kvm_steal_time, bit 0: enable */
#define MSR_X2APIC	      0x800	 /* + (xAPIC offset >> 4) */

#define EFER_NXE		    (1ull << 11)
#define APIC_BASE_ENABLE	    0x800u
#define APIC_BASE_EXTD		    0x400u
#define AMD_DE_CFG_LFENCE_SERIALIZE 0x2u

#endif
