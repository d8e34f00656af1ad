// SPDX-License-Identifier: MIT
/* Plots by gnuplot: see plot.h. */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

#define SVG_MOST (32u << 20) /* bytes of one plot */
#define END	 "END"
#define TRIES	 3 /* as many plots missing and none drawn: there will be none */

void plotter_init(struct plotter *pl, const struct command *c)
{
	*pl = (struct plotter){.command = c};
}

/* ---- the script */

void plot_start(struct plot *p, unsigned int width, unsigned int height)
{
	*p = (struct plot){0};
	p->script = must(open_memstream(&p->bytes, &p->n));
	plot_line(p, "set terminal svg size %u,%u noenhanced font 'sans,14'", width, height);
	plot_line(p, "set border 3 " INK_AXIS);
	plot_line(p, "set tics nomirror out scale 0.6,0.3 textcolor rgb '#000002'");
	plot_line(p, "set grid xtics ytics lc rgb '#000003' lw 1 dt solid");
	plot_line(p, "set key off");
	plot_line(p, "set samples 2");
}

void plot_line(struct plot *p, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(p->script, format, args);
	va_end(args);
	fputc('\n', p->script);
}

/* Whole characters, as many as fit. */
static void text_keep(char to[PLOT_WORD], const char *text)
{
	size_t n = 0, left = strlen(text), len;

	for (; left; text += len, left -= len) {
		len = utf8_length(text, left);
		if (n + (len ? len : 1) >= PLOT_WORD)
			break;
		if (len)
			memcpy(to + n, text, len);
		else
			to[n] = '?';
		n += len ? len : 1;
		len = len ? len : 1;
	}
	to[n] = '\0';
}

/* As wide as the text, so that gnuplot leaves the room. No constant here looks like it. */
const char *plot_word(struct plot *p, const char *text)
{
	char *token;
	size_t n;

	if (p->n_words == PLOT_WORDS)
		return "";
	token = p->token[p->n_words];
	text_keep(p->text[p->n_words], text);
	n = strlen(p->text[p->n_words]);
	snprintf(token, PLOT_WORD, "Q%c%c", (char)('A' + p->n_words / 26),
		 (char)('A' + p->n_words % 26));
	for (size_t i = 3; i < n; i++)
		token[i] = 'x';
	p->word[p->n_words] = (struct svg_word){token, p->text[p->n_words]};
	p->n_words++;
	return token;
}

void plot_data(struct plot *p, const char *name)
{
	plot_line(p, "$%s << " END, name);
}

void plot_data_end(struct plot *p)
{
	plot_line(p, END);
}

#define TICS_MOST 6

/* The least of 1, 2, 5, 10, 20 ... that cuts the span into few enough parts. */
static u64 tic_step(u64 span)
{
	u64 ten = 1;

	for (;; ten *= 10) {
		if (span / TICS_MOST < ten)
			return ten;
		if (span / TICS_MOST / 2 < ten)
			return ten * 2;
		if (span / TICS_MOST / 5 < ten || ten > ~0ull / 100)
			return ten * 5;
	}
}

/* Both in the units of the axis. */
static const char *tic_format(u64 step, u64 hi)
{
	u64 unit = 1;

	while (hi / unit >= 1000)
		unit *= 1000;
	if (hi < 100000 || (step * 10) % unit != 0)
		return "%.12g";
	return step % unit ? "%.1s%c" : "%.0s%c";
}

u64 plot_grain(u64 value)
{
	return value >> 40;
}

u64 plot_beyond(u64 value, u64 by)
{
	return value > ~0ull - by ? ~0ull : value + by;
}

/* Left to itself gnuplot widens the range of a constant, and a step that is too small fills it. */
void plot_axis(struct plot *p, char axis, u64 lo, u64 hi, u32 scale)
{
	const u64 grain = plot_grain(hi);
	u64 step, from, to;

	if (hi - lo < grain) {
		lo -= grain;
		hi = plot_beyond(hi, grain);
	}
	step = tic_step(hi > lo ? hi - lo : 1);
	from = lo / step;
	to = hi / step + (hi % step != 0);
	if (from == to) {
		from -= from > 0;
		to++;
	}
	plot_line(p, "set %crange [%llu.0*%llu.0/%u:%llu.0*%llu.0/%u]", axis,
		  (unsigned long long)from, (unsigned long long)step, scale, (unsigned long long)to,
		  (unsigned long long)step, scale);
	plot_line(p, "set %ctics %llu.0/%u", axis, (unsigned long long)step, scale);
	plot_line(p, "set format %c '%s'", axis,
		  step < scale ? "%.12g" : tic_format(step / scale, hi / scale));
}

void plot_mark(struct plot *p, u64 x, const char *ink)
{
	plot_line(p,
		  "set arrow from first %llu.0, graph 0 to first %llu.0, graph 1 nohead front "
		  "dt 2 lw 1.5 %s",
		  (unsigned long long)x, (unsigned long long)x, ink);
}

static void plot_drop(struct plot *p)
{
	fclose(p->script);
	free(p->bytes);
	*p = (struct plot){0};
}

/* ---- running it */

struct gnuplot {
	pid_t pid;
	int out, err; /* -1: closed */
	u64 deadline;
	char *svg;
	size_t n, cap;
	char said[600]; /* on its stderr, the beginning, runs of blanks as one */
	size_t n_said;
	bool between; /* what was said last is a blank */
};

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The script as a file without a name: no pipe that could fill up while gnuplot's output waits. */
static int script_file(const struct plot *p)
{
	int fd = memfd_create("plot", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < p->n) {
		ssize_t n = write(fd, p->bytes + done, p->n - done);

		if (n <= 0)
			close_fd(&fd);
		else
			done += (size_t)n;
	}
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) != 0)
		close_fd(&fd);
	return fd;
}

/* The child's part. A group of its own, so that all of it can be ended; and it ends with us. */
static void __attribute__((noreturn))
gnuplot_become(pid_t parent, const int stream[3], volatile int *failed)
{
	static char *const argv[] = {(char *)"gnuplot", (char *)"-d", NULL};
	static char *const env[] = {(char *)"LC_ALL=C", NULL};
	bool good = !setpgid(0, 0) && !prctl(PR_SET_PDEATHSIG, SIGKILL);

	/* A parent that was gone before the kernel knew of the wish will not end again. */
	if (good && getppid() != parent)
		_exit(127);
	for (int fd = 0; fd < 3 && good; fd++)
		good = dup2(stream[fd], fd) == fd;
	if (good)
		execvpe(argv[0], argv, env);
	*failed = errno;
	_exit(127);
}

/*
 * An errno, or 0. vfork(): the page tables of all that was read would take longer to copy than a
 * plot takes to draw, and a child that can ask for PR_SET_PDEATHSIG is none of posix_spawn()'s.
 */
static int gnuplot_spawn(struct gnuplot *g, const int stream[3])
{
	const pid_t us = getpid();
	volatile int failed = 0;
	pid_t pid = vfork();

	if (pid == 0)
		gnuplot_become(us, stream, &failed);
	if (pid < 0)
		return errno;
	if (failed)
		waitpid(pid, NULL, 0);
	g->pid = pid;
	return failed;
}

static int gnuplot_start(struct gnuplot *g, const struct plot *p)
{
	int in = script_file(p), out[2] = {-1, -1}, err[2] = {-1, -1}, failed;

	if (in < 0 || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		failed = errno;
	else
		failed = gnuplot_spawn(g, (const int[]){in, out[1], err[1]});
	close_fd(&in);
	close_fd(&out[1]);
	close_fd(&err[1]);
	g->out = out[0];
	g->err = err[0];
	return failed;
}

static bool svg_room(struct gnuplot *g)
{
	size_t cap = g->cap ? g->cap * 2 : 1u << 16;
	char *more;

	if (g->n < g->cap)
		return true;
	more = g->cap < SVG_MOST ? realloc(g->svg, cap) : NULL;
	if (!more)
		return false;
	g->svg = more;
	g->cap = cap;
	return true;
}

static bool out_take(struct gnuplot *g)
{
	ssize_t n;

	if (!svg_room(g))
		return false;
	n = read(g->out, g->svg + g->n, g->cap - g->n);
	if (n > 0)
		g->n += (size_t)n;
	else
		close_fd(&g->out);
	return true;
}

static void err_take(struct gnuplot *g)
{
	char bytes[512];
	ssize_t n = read(g->err, bytes, sizeof(bytes));

	if (n <= 0)
		close_fd(&g->err);
	for (ssize_t i = 0; i < n && g->n_said + 2 < sizeof(g->said); i++) {
		bool blank = bytes[i] <= ' ' || bytes[i] > '~';

		if (!blank && g->between)
			g->said[g->n_said++] = ' ';
		if (!blank)
			g->said[g->n_said++] = bytes[i];
		g->between = blank && g->n_said;
	}
	g->said[g->n_said] = '\0';
}

static int time_left(const struct gnuplot *g)
{
	u64 now = now_ms();

	return now < g->deadline ? (int)(g->deadline - now) : 0;
}

/* False if it writes without end or does not end in time. */
static bool gnuplot_read(struct gnuplot *g)
{
	while (g->out >= 0 || g->err >= 0) {
		struct pollfd fd[2] = {{.fd = g->out, .events = POLLIN},
				       {.fd = g->err, .events = POLLIN}};

		if (!time_left(g) || (poll(fd, 2, time_left(g)) < 0 && errno != EINTR))
			return false;
		if (fd[0].revents && !out_take(g))
			return false;
		if (fd[1].revents)
			err_take(g);
	}
	return true;
}

#define ENDED	-1 /* by us: it was not done in time */
#define CRASHED -2

/* Its exit status, or one of these. */
static int gnuplot_end(struct gnuplot *g, bool good)
{
	int status = 0;

	while (good && waitpid(g->pid, &status, WNOHANG) == 0) {
		good = time_left(g) > 0;
		poll(NULL, 0, 1);
	}
	if (!good) {
		kill(-g->pid, SIGKILL);
		waitpid(g->pid, &status, 0);
	}
	close_fd(&g->out);
	close_fd(&g->err);
	if (!good)
		return ENDED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : CRASHED;
}

/* gnuplot repeats the command before it says what is wrong with it. */
static const char *complaint(const struct gnuplot *g)
{
	const char *at = strstr(g->said, " line ");

	if (!g->n_said)
		return "gnuplot failed and does not say why";
	return at ? at + 1 : g->said;
}

/* ---- progress, where plots take more than a second */

static void progress_wipe(struct plotter *pl)
{
	if (pl->shows)
		fputs("\r\033[K", stderr);
	pl->shows = false;
}

static void progress(struct plotter *pl)
{
	if (!pl->start)
		pl->start = now_ms();
	if (now_ms() - pl->start < 1000 || !isatty(STDERR_FILENO))
		return;
	pl->shows = true;
	fprintf(stderr, "\r%llu plots", (unsigned long long)pl->drawn);
}

/* ---- what came of it */

/*
 * "plot 'TITLE': words", or the words if it is no matter of that plot. The title may quote a log:
 * nothing in it may move a terminal's cursor.
 */
static void plot_named(char out[PLOT_SAID], const char *title, const char *words)
{
	char name[120];
	size_t n = 0;

	if (!title) {
		snprintf(out, PLOT_SAID, "%s", words);
		return;
	}
	for (; title[n] && n + 1 < sizeof(name); n++)
		name[n] = title[n] < ' ' || title[n] > '~' ? '?' : title[n];
	name[n] = '\0';
	snprintf(out, PLOT_SAID, "plot '%s': %s", name, words);
}

/* A plot is missing. */
static void miss(struct plotter *pl, const char *title, const char *why)
{
	snprintf(pl->why, sizeof(pl->why), "%.*s", (int)sizeof(pl->why) - 1, why);
	if (!pl->missing++)
		plot_named(pl->first, title, pl->why);
	pl->off |= pl->missing == TRIES && !pl->drawn;
}

/* gnuplot did not start. */
static void miss_all(struct plotter *pl, int error)
{
	char why[120];

	snprintf(why, sizeof(why), "gnuplot cannot be started: %s", strerror(error));
	miss(pl, NULL, error == ENOENT ? "gnuplot is not here (package gnuplot-nox)" : why);
	pl->off = true;
}

/* It would be so with the next, and each takes its time. */
static void miss_slow(struct plotter *pl, const char *title)
{
	char why[80];

	snprintf(why, sizeof(why), "gnuplot was not done within %d s and %u MiB", PLOT_SECONDS,
		 SVG_MOST >> 20);
	miss(pl, title, why);
	pl->off = true;
}

void plotter_missing(const struct plotter *pl, char words[64])
{
	unsigned long long missing = pl->missing, all = pl->missing + pl->drawn;

	if (missing < all)
		snprintf(words, 64, "%llu of its %llu plots", missing, all);
	else if (all > 1)
		snprintf(words, 64, "its %llu plots", all);
	else
		snprintf(words, 64, "its plot");
}

void plotter_end(struct plotter *pl)
{
	char words[64];

	progress_wipe(pl);
	plotter_missing(pl, words);
	if (pl->missing)
		complain(pl->command, "%s; the page is made without %s", pl->first, words);
	if (pl->odd)
		complain(pl->command, "gnuplot drew %llu plot%s with a word about it, first %s",
			 (unsigned long long)pl->odd, plural(pl->odd), pl->odd_was);
}

/* gnuplot's SVG, or nothing, which was said. */
static bool gnuplot_run(struct plotter *pl, const struct plot *p, const char *title,
			struct gnuplot *g)
{
	int failed, status;
	bool good;

	g->deadline = now_ms() + PLOT_SECONDS * 1000;
	failed = gnuplot_start(g, p);
	if (failed) {
		close_fd(&g->out);
		close_fd(&g->err);
		miss_all(pl, failed);
		return false;
	}
	good = gnuplot_read(g);
	status = gnuplot_end(g, good);
	if (status > 0)
		miss(pl, title, complaint(g));
	else if (status == CRASHED)
		miss(pl, title, "gnuplot crashed");
	else if (status == ENDED)
		miss_slow(pl, title);
	return status == 0;
}

static bool take(struct plotter *pl, const struct plot *p, const char *title,
		 const struct gnuplot *g, FILE *to)
{
	char *svg = NULL;
	size_t n = 0;
	FILE *page = must(open_memstream(&svg, &n));
	bool good = svg_take(page, g->svg, g->n, title, p->word, p->n_words);

	memory_close(page);
	if (good)
		fwrite(svg, 1, n, to);
	else
		miss(pl, title, g->n_said ? complaint(g) : "what gnuplot wrote is not understood");
	if (good && g->n_said && !pl->odd++)
		plot_named(pl->odd_was, title, complaint(g));
	pl->drawn += good;
	free(svg);
	return good;
}

bool plot_draw(struct plotter *pl, struct plot *p, const char *title, FILE *to)
{
	struct gnuplot g = {.out = -1, .err = -1};
	bool good = false;

	if (fflush(p->script) || ferror(p->script))
		out_of_memory();
	progress(pl);
	if (pl->off)
		pl->missing++;
	else
		good = gnuplot_run(pl, p, title, &g) && take(pl, p, title, &g, to);
	free(g.svg);
	plot_drop(p);
	return good;
}
