// SPDX-License-Identifier: MIT
/*
 * The same suites as a Linux process: the options are the command line's words, the log is
 * standard output, the exit status is the verdict.
 */
#include "bench.h"
#include "env.h"
#include "fmt.h"
#include "hosted.h"
#include "options.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define LINE_MAX_BYTES 16384

static bool word_has(const char *word, const char *bytes)
{
	return word[strcspn(word, bytes)] != 0;
}

/*
 * One option line out of the words. The shell has taken its quotes off: a word with a blank gets
 * new ones, unless it brings its own. False if the line is too long.
 */
static bool line_join(struct text *t, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		const char *quote =
			word_has(argv[i], " \t\n") && !word_has(argv[i], "\"") ? "\"" : "";

		fmt(t, "%s%s%s%s", t->len ? " " : "", quote, argv[i], quote);
	}
	return t->cut == 0;
}

static bool help_wanted(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int help_print(void)
{
	static char bytes[16384];
	struct text t = TEXT_ON(bytes);

	fmt(&t, "usage: baretick-hosted [OPTION=VALUE]...\n\n"
		"Measures how to read the TSC on this CPU, whether it can be trusted, and what\n"
		"saving and restoring extended state costs; as a process, with interrupts on.\n"
		"Ends with 0 if no check failed, 1 if one did, 2 if nothing could be run.\n\n"
		"Options:\n");
	options_help(&t);
	fmt(&t, "\n");
	bench_help(&t);
	env_write(t.at, t.len);
	return env_finish() ? EXIT_PASSED : EXIT_FAILED;
}

/* Stays on the CPU it is on: the machine is identified on the CPU that is measured. 0 or errno. */
static int pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

/* Unswapped and ahead of others. What is refused is told, not fatal. */
static void settle(struct machine *m, int pin_error)
{
	if (pin_error)
		machine_finding(m, "process not pinned to a CPU: %s", strerror(pin_error));
	/* After the arena, and not MCL_FUTURE: a small limit would then make mappings fail. */
	if (mlockall(MCL_CURRENT))
		machine_finding(m, "memory not locked: %s", strerror(errno));
	/* Not SCHED_FIFO: its throttling would take 50 ms out of every second. */
	if (getpriority(PRIO_PROCESS, 0) > 0)
		machine_finding(m, "priority left as given: nice %d", getpriority(PRIO_PROCESS, 0));
	else if (setpriority(PRIO_PROCESS, 0, -20) && errno != EACCES && errno != EPERM)
		machine_finding(m, "priority not raised: %s", strerror(errno));
}

static void panic_asked(enum panic_how how)
{
	if (how == PANIC_TEST)
		__asm__ volatile("ud2");
}

/* What only a kernel can do is said, not passed over. */
static void options_check(struct options *o)
{
	static const char word[] = "panic=triple, stack, text or data";

	if (o->exit != EXIT_AUTO || o->baud != OPTION_UNSET || strcmp(o->console, "auto"))
		fprintf(stderr, "baretick-hosted: console=, baud= and exit= mean nothing in a "
				"process\n");
	if (o->panic != PANIC_NONE && o->panic != PANIC_TEST)
		options_problem(o, word, sizeof(word) - 1,
				"panic=test in a process; the kernel takes the others");
}

int main(int argc, char **argv)
{
	static struct options options;
	static struct machine machine;
	static char bytes[LINE_MAX_BYTES];
	struct text line = TEXT_ON(bytes);
	int pin_error;
	bool pass;

	signal(SIGPIPE, SIG_IGN); /* a reader that has gone is a write error, with words */
	options_default(&options);
	if (!line_join(&line, argc, argv)) {
		fprintf(stderr, "baretick-hosted: options are longer than %d bytes\n",
			LINE_MAX_BYTES);
		return EXIT_NO_RUN;
	}
	if (help_wanted(argc, argv))
		return help_print();
	options_parse(&options, line.at, line.len);
	if (options.help)
		return help_print();
	options_check(&options);
	if (!crash_init()) {
		fprintf(stderr, "baretick-hosted: no fault handlers: %s\n", strerror(errno));
		return EXIT_NO_RUN;
	}
	pin_error = pin();
	machine_identify(&machine, &options);
	if (!machine.has_tsc) {
		fprintf(stderr, "baretick-hosted: this CPU has no time-stamp counter\n");
		return EXIT_NO_RUN;
	}
	if (!env_start(&machine, &options))
		return EXIT_NO_RUN;
	settle(&machine, pin_error);
	panic_asked(options.panic);
	pass = bench_run(&machine, &options);
	return env_finish() && pass ? EXIT_PASSED : EXIT_FAILED;
}
