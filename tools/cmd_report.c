// SPDX-License-Identifier: MIT
/* `ticklog report`: the runs of serial logs as one page for a browser. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number.h"
#include "report.h"
#include "run_build.h"

struct job {
	struct report rep;
	const char *out;
	const char *path; /* of the log that is being read */
	char *page;
	size_t size;
	int status;
};

/* ---- what is read */

static void run_take(void *ctx, struct run *r)
{
	struct job *j = ctx;
	const struct report_run *rr = report_take(&j->rep, r, j->path);

	j->status = exit_worse(j->status, run_usable(j->rep.command, j->path, r));
	j->status = exit_worse(j->status, recompute_usable(j->rep.command, j->path, &rr->re));
}

static void loss_add(struct job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void loss_add(struct job *j, const char *format, ...)
{
	struct report_loss *loss = VECTOR_ADD(j->rep.loss, j->rep.n_losses);
	va_list args;

	loss->path = j->path;
	va_start(args, format);
	vsnprintf(loss->words, sizeof(loss->words), format, args);
	va_end(args);
}

static void log_read(struct job *j, const char *path)
{
	struct run_totals totals;

	j->path = path;
	if (!run_read_each(j->rep.command, path, run_take, j, &totals)) {
		loss_add(j, "could not be read to its end");
		j->status = exit_worse(j->status, EXIT_UNUSABLE);
		return;
	}
	if (totals.runs == 0)
		loss_add(j, "no run of baretick in its %llu line%s", (ull)totals.lines,
			 plural(totals.lines));
	if (totals.stray)
		loss_add(j, "%llu damaged record%s outside of any run", (ull)totals.stray,
			 plural(totals.stray));
	if (totals.cut)
		loss_add(j, "%llu line%s longer than a mebibyte and not taken whole",
			 (ull)totals.cut, totals.cut == 1 ? " is" : "s are");
	j->status = exit_worse(j->status, totals_usable(j->rep.command, path, &totals));
}

/* ---- where it goes */

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* Nothing but a page is written over: a log that stands where the page should go stays. */
static bool may_replace(const struct command *c, const char *path)
{
	static const char first[] = "<!DOCTYPE html>";
	char bytes[sizeof(first) - 1];
	struct stat st;
	size_t n = 0;
	FILE *f;

	if (is_stdout(path) || stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size == 0)
		return true;
	f = fopen(path, "re");
	if (f) {
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
	}
	if (n == sizeof(bytes) && !memcmp(bytes, first, n))
		return true;
	complain(c, "%s is there and is no page of mine: it is left as it is", path);
	return false;
}

static int write_failed(const struct job *j)
{
	complain(j->rep.command, "%s: %s", j->out, strerror(errno));
	return EXIT_UNUSABLE;
}

static bool file_done(FILE *f)
{
	bool good = !fflush(f) && !ferror(f);
	int error = errno;

	if (fclose(f) && good) {
		error = errno;
		good = false;
	}
	errno = error;
	return good;
}

/* A pipe or a device: there is nothing to put into place. */
static int write_through(struct job *j)
{
	FILE *f = fopen(j->out, "we");

	if (!f)
		return write_failed(j);
	fwrite(j->page, 1, j->size, f);
	return file_done(f) ? EXIT_FINE : write_failed(j);
}

static FILE *temporary(char *path)
{
	mode_t mask = umask(0);
	int fd = mkostemp(path, O_CLOEXEC);
	FILE *f;

	umask(mask);
	if (fd < 0)
		return NULL;
	/* mkostemp() makes it for its owner alone. */
	f = fchmod(fd, 0666 & ~mask) ? NULL : fdopen(fd, "w");
	if (!f) {
		close(fd);
		unlink(path);
	}
	return f;
}

/* Written beside its place and moved there whole: who looks meanwhile sees the old page. */
static int write_replacing(struct job *j)
{
	char *path = must_print("%s.XXXXXX", j->out);
	FILE *f = temporary(path);
	int status = EXIT_FINE;

	if (!f) {
		status = write_failed(j);
		free(path);
		return status;
	}
	fwrite(j->page, 1, j->size, f);
	if (!file_done(f) || rename(path, j->out)) {
		status = write_failed(j);
		unlink(path);
	}
	free(path);
	return status;
}

static int page_write(struct job *j)
{
	struct stat st;

	if (is_stdout(j->out)) {
		fwrite(j->page, 1, j->size, stdout);
		return EXIT_FINE; /* whether it arrived is seen to for all commands */
	}
	if (!stat(j->out, &st) && !S_ISREG(st.st_mode))
		return write_through(j);
	return write_replacing(j);
}

/* All of it is made before a file is touched: that takes a moment, during which one may be ended.
 */
static int page_make(struct job *j)
{
	FILE *f = must(open_memstream(&j->page, &j->size));

	report_write(&j->rep, f);
	memory_close(f);
	return page_write(j);
}

/* ---- the command line */

static const struct option options[] = {
	{"output", required_argument, NULL, 'o'},
	{"sections", required_argument, NULL, 'n'},
	{"all", no_argument, NULL, 'a'},
	{0},
};

static int options_read(struct job *j, int argc, char **argv)
{
	const struct command *c = j->rep.command;
	int option;
	u64 n;

	while ((option = getopt_long(argc, argv, ":o:n:a", options, NULL)) != -1) {
		if (option == 'o') {
			j->out = optarg;
		} else if (option == 'n') {
			if (!number_decimal(optarg, strlen(optarg), &n) || n > 100000)
				return usage_error(
					c, "--sections takes a number from 0 to 100000, not '%s'",
					optarg);
			j->rep.detailed = (size_t)n;
			j->rep.asked = true;
		} else if (option == 'a') {
			j->rep.all = true;
		} else {
			return usage_option(c, option, argv);
		}
	}
	if (j->rep.all && !j->rep.asked)
		j->rep.detailed = ~(size_t)0;
	if (!j->out || !*j->out)
		return usage_error(c, "where to? -o PAGE.html, or -o - for standard output");
	if (optind == argc)
		return usage_error(c, "which log? A file, or - for standard input");
	return may_replace(c, j->out) ? EXIT_FINE : EXIT_USAGE;
}

static int run_report(const struct command *self, int argc, char **argv)
{
	struct job j = {.rep = {.command = self, .detailed = REPORT_DETAILED}};
	int status = options_read(&j, argc, argv);

	if (status != EXIT_FINE)
		return status;
	plotter_init(&j.rep.plots, self);
	for (int i = optind; i < argc; i++)
		log_read(&j, argv[i]);
	status = exit_worse(j.status, page_make(&j));
	report_free(&j.rep);
	free(j.page);
	return status;
}

const struct command cmd_report = {
	.name = "report",
	.doc = "make one self-contained HTML page with plots",
	.run = run_report,
	.help = "usage: ticklog report [OPTION]... LOG... -o PAGE.html\n"
		"\n"
		"Makes one page of all runs in the LOGs: the verdict and its reasons, who ran, the methods\n"
		"side by side, histograms of the samples, the resolution staircase, stability, gaps on a time\n"
		"line, heat maps of XSAVE and XRSTOR by RFBM and XINUSE, checks, and every figure. With several\n"
		"runs, in the order given, each figure over runs comes first.\n"
		"\n"
		"The page is one file: plots are inline SVG, and nothing is loaded from elsewhere. It has no\n"
		"scripts, follows the reader's light or dark, and fits a phone.\n"
		"\n"
		"A log that is incomplete or corrupt is shown as far as it arrived, with what is missing. What\n"
		"an emulator measured is marked as such. The staircase needs the boot option detail=lines or\n"
		"detail=full; without it the page says so. - is standard input.\n"
		"\n"
		"Plots are drawn by gnuplot (package gnuplot-nox). Where it is not there, fails or does not come to\n"
		"an end, the page is made without the plots that are missing and says so, as does one message\n"
		"with their number; the exit status does not change by that.\n"
		"\n"
		"  -o, --output FILE  where the page goes, - for standard output. It is put into place when it\n"
		"                     is whole; a file that is there and is no HTML page is left as it is\n"
		"  -n, --sections N   the last N runs have all their details on the page. Without it the last 12,\n"
		"                     or as many as fit a page that is still of use\n"
		"  -a, --all          leave nothing out, however large the page becomes. Without it of very many\n"
		"                     runs, figures or plots a part is shown, and the page says how many of how\n"
		"                     many; what is shown of figures over runs is always of all runs\n"
		"\n"
		"Exit status: 0 done, 2 done, but a run is not complete, a figure is contradicted or nothing was\n"
		"measured, or a log cannot be read, or the page cannot be written, 5 usage.\n",
};
