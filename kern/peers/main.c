// SPDX-License-Identifier: MIT
/* The program behind `make bench`: what to run, seed and sizes from the command line. */
#include "hosted.h"
#include "insn.h"
#include "mem.h"
#include "number.h"
#include "peers.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define MOST 100000u /* lines, samples, windows: the arena holds as many */

struct part {
	const char *name, *title;
	bool (*run)(struct run *run, const struct bench_ask *ask);
};

static const struct part part_table[] = {
	{"peers", "Readers side by side", compare_run},
	{"turn", "Cost of a sample", turn_run},
	{"alarms", "False alarms of the rule that takes windows again", alarm_run},
};

void say(const char *format, ...)
{
	char bytes[2048];
	struct text t = TEXT_ON(bytes);
	va_list args;

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	env_write(t.at, t.len);
}

/* At most one line in two seconds. */
void progress(const char *what, u64 done, u64 of)
{
	static u64 start, last;
	const u64 now = rdtsc(), rate = env_ticks_per_second();

	if (done == 0)
		start = last = now;
	if (now - last < 2 * rate)
		return;
	last = now;
	fprintf(stderr, "# %s: %llu of %llu, about %llu s left\n", what, (unsigned long long)done,
		(unsigned long long)of,
		(unsigned long long)((now - start) / rate * (of - done) / done));
}

static int usage(void)
{
	fprintf(stderr,
		"usage: baretick-bench [PART]... [seed=N] [lines=N] [samples=N] [windows=N]\n"
		"parts, all by default:\n");
	for (size_t i = 0; i < ARRAY_SIZE(part_table); i++)
		fprintf(stderr, "  %-8s %s\n", part_table[i].name, part_table[i].title);
	fprintf(stderr, "seed: the order of the readers, by default the TSC; the others: 1..%u\n",
		MOST);
	return EXIT_NO_RUN;
}

static bool number_ask(struct bench_ask *ask, const char *word)
{
	static const char *const name[] = {"seed", "lines", "samples", "windows"};
	u64 *const value[] = {&ask->seed, &ask->lines, &ask->samples, &ask->windows};
	size_t n = 0, len = strlen(word);

	while (n < len && word[n] != '=')
		n++;
	for (size_t i = 0; n < len && i < ARRAY_SIZE(name); i++)
		if (bytes_are(word, n, name[i]))
			return number_parse(word + n + 1, len - n - 1, value[i]) &&
			       (i == 0 || (*value[i] >= 1 && *value[i] <= MOST));
	return false;
}

/* The parts named, a bit each; ~0 when the words are not understood. */
static u32 words_read(struct bench_ask *ask, int argc, char **argv)
{
	u32 parts = 0;

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(part_table) && !str_is(argv[i], part_table[k].name))
			k++;
		if (k < ARRAY_SIZE(part_table)) {
			parts |= 1u << k;
		} else if (!number_ask(ask, argv[i])) {
			fprintf(stderr, "baretick-bench: %s: expected a part or NAME=NUMBER\n",
				argv[i]);
			return ~0u;
		}
	}
	return parts ? parts : (1u << ARRAY_SIZE(part_table)) - 1;
}

/* On one CPU, unswapped, ahead of others. What is refused is said. */
static void settle(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	say("pinned to CPU %d: %s", cpu,
	    sched_setaffinity(0, sizeof(set), &set) ? "refused" : "yes");
	say("; memory locked: %s", mlockall(MCL_CURRENT) ? "refused" : "yes");
	say("; priority raised: %s\n", setpriority(PRIO_PROCESS, 0, -20) ? "refused" : "yes");
}

/* A shared machine's figures mean little without it. */
static void load_print(void)
{
	FILE *f = fopen("/proc/loadavg", "r");
	char load[3][16];

	if (f && fscanf(f, "%15s %15s %15s", load[0], load[1], load[2]) == 3)
		say("load averages: %s %s %s\n", load[0], load[1], load[2]);
	if (f)
		fclose(f);
}

static void machine_print(const struct machine *m)
{
	say("%s%s(%s, signature %05x)\n", m->brand, m->brand[0] ? " " : "", m->vendor,
	    m->signature);
	say("%s%s, %u CPUs, %s\n", m->hypervisor ? "under hypervisor " : "no hypervisor",
	    m->hypervisor ? m->hv_vendor : "", m->cpus, m->loader);
	say("%s UTC; TSC %llu kHz (%s%s)\n", m->rtc, (unsigned long long)m->tsc_khz, m->tsc_source,
	    m->tsc_trusted ? "" : ", not confirmed");
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct machine machine;
	static struct seq_scratch scratch;
	struct run run = {.machine = &machine, .options = &options, .scratch = &scratch};
	struct bench_ask ask = {.seed = rdtsc()};
	u32 parts = words_read(&ask, argc, argv);

	if (parts == ~0u)
		return usage();
	options_default(&options);
	options.lines = options.samples = MOST;
	if (!crash_init())
		return EXIT_NO_RUN;
	machine_identify(&machine, &options);
	if (!machine.has_tsc || !machine.tsc_khz || !env_start(&machine, &options)) {
		fprintf(stderr, "baretick-bench: needs a TSC of known rate, and memory\n");
		return EXIT_NO_RUN;
	}
	machine_print(&machine);
	settle();
	for (size_t i = 0; i < ARRAY_SIZE(part_table); i++) {
		if (!(parts >> i & 1))
			continue;
		say("\n== %s ==\n", part_table[i].title);
		load_print();
		if (!part_table[i].run(&run, &ask)) {
			fprintf(stderr, "baretick-bench: %s: not enough memory\n",
				part_table[i].name);
			return EXIT_FAILED;
		}
	}
	return env_finish() ? EXIT_PASSED : EXIT_FAILED;
}
