// SPDX-License-Identifier: MIT
/*
 * env.h as a Linux process: the log goes to standard output, memory is one locked mapping,
 * interrupts stay on and there are no MSRs.
 */
#include "env.h"

#include "hosted.h"
#include "insn.h"
#include "options.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef ARCH_REQ_XCOMP_PERM
#define ARCH_REQ_XCOMP_PERM 0x1023
#endif

#define MIB		    (1ull << 20)
#define ARENA_LEAST	    (64 * MIB)
#define BYTES_A_SAMPLE	    64	/* several buffers of eight bytes, with room */
#define BYTES_A_LINE	    256 /* a line's figures, for several series at once */
#define CPUID_1_ECX_OSXSAVE (1u << 27)

static struct {
	u8 *at;
	u64 size, used;
} arena;

static u64 ticks_per_second = 1000000000;

/* Running on for minutes with nowhere to put the log would help nobody. */
static _Noreturn void log_lost(void)
{
	fprintf(stderr, "baretick-hosted: log could not be written: %s\n", strerror(errno));
	_exit(EXIT_FAILED);
}

void env_write(const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = write(STDOUT_FILENO, bytes, n);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent == 0)
			errno = EIO;
		if (sent <= 0)
			log_lost();
		bytes += sent;
		n -= (size_t)sent;
	}
}

/* Nothing is kept back: write() has handed everything to the system. */
void env_flush(void)
{
}

bool env_finish(void)
{
	/* A full disk behind a network shows here at the earliest. */
	if (close(STDOUT_FILENO) == 0 || errno == EINTR)
		return true;
	fprintf(stderr, "baretick-hosted: log could not be written: %s\n", strerror(errno));
	return false;
}

static u64 arena_need(const struct options *o)
{
	u64 samples = o->samples == OPTION_UNSET ? 0 : o->samples;
	u64 lines = o->lines == OPTION_UNSET ? 0 : o->lines;
	u64 most = (~0ull - ARENA_LEAST) / (BYTES_A_SAMPLE + BYTES_A_LINE);

	if (samples > most || lines > most)
		return ~0ull;
	return ARENA_LEAST + samples * BYTES_A_SAMPLE + lines * BYTES_A_LINE;
}

/* What the system could still give, in bytes; ~0 if it does not say. */
static u64 memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	unsigned long long kib;
	u64 bytes = ~0ull;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			bytes = kib * 1024;
	if (f)
		fclose(f);
	return bytes;
}

bool env_start(const struct machine *m, const struct options *o)
{
	u64 need = arena_need(o), available = memory_available();
	void *at = MAP_FAILED;

	if (m->tsc_trusted)
		ticks_per_second = m->tsc_khz * 1000;
	/* Asking for more than there is would be answered by a kill, not by an error. */
	if (need <= available)
		at = mmap(NULL, need, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (at == MAP_FAILED) {
		fprintf(stderr,
			"baretick-hosted: %llu MiB of memory needed (samples= decides), %llu MiB "
			"are available%s%s\n",
			(unsigned long long)(need / MIB), (unsigned long long)(available / MIB),
			need <= available ? ", but: " : "",
			need <= available ? strerror(errno) : "");
		return false;
	}
	memset(at, 0, need); /* every page is ours and writable before anything is timed */
	arena.at = at;
	arena.size = need;
	return true;
}

void *env_alloc(u64 bytes, u64 align)
{
	u64 start;

	if (align == 0)
		align = 1;
	start = (arena.used + align - 1) & ~(align - 1);
	if (start < arena.used || start > arena.size || bytes > arena.size - start)
		return NULL;
	arena.used = start + bytes;
	return arena.at + start;
}

u64 env_arena_used(void)
{
	return arena.used;
}

u64 env_arena_left(void)
{
	return arena.size - arena.used;
}

/* Gives the rest of the time slice up, so that a series begins with a fresh one. */
void env_quiet(void)
{
	sched_yield();
}

bool env_interrupts_off(void)
{
	return false;
}

void env_evidence(struct evidence *e)
{
	*e = (struct evidence){.smi_state = VALUE_ABSENT, .steal_state = VALUE_ABSENT};
}

u32 env_silent_errors(void)
{
	return 0;
}

bool env_smi_command(struct smi_command *c, const char **why_not)
{
	(void)c;
	*why_not = "a process may not write ports";
	return false;
}

bool env_smi_handler(u64 ticks, const char **why_not)
{
	(void)ticks;
	*why_not = "a process cannot reach SMRAM";
	return false;
}

const struct smi_truth *env_smi_truth(u64 *n)
{
	*n = 0;
	return NULL;
}

void env_smi_sources(struct smi_sources *s)
{
	*s = (struct smi_sources){.why_not = "a process may not read ports"};
}

bool env_rdmsr(u32 msr, u64 *value)
{
	(void)msr, (void)value;
	return false;
}

bool env_wrmsr(u32 msr, u64 value)
{
	(void)msr, (void)value;
	return false;
}

u64 env_xcr0(void)
{
	u64 value = 0;

	if (cpuid(1, 0).ecx & CPUID_1_ECX_OSXSAVE)
		xgetbv_safe(0, &value);
	return value;
}

/* XSETBV is for ring 0: what the system chose stays. */
u64 env_xcr0_set(u64 wanted)
{
	(void)wanted;
	return env_xcr0();
}

u64 env_xss_set(u64 wanted)
{
	(void)wanted;
	return 0;
}

bool env_xstate_permit(u32 component)
{
	if (component >= XSTATE_MAX || !(env_xcr0() >> component & 1))
		return false;
	/*
	 * Only tile data is kept back until a process asks; Linux refuses to be asked for others.
	 */
	if (component != XSTATE_TILEDATA)
		return true;
	return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, component) == 0;
}

u64 env_ticks_per_second(void)
{
	return ticks_per_second;
}
