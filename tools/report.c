// SPDX-License-Identifier: MIT
/* The page as a whole: see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "html.h"

#define LOSSES_MOST 20

/* ---- what several parts need */

static void legend_write(FILE *to, const struct report_figure *f)
{
	if (!f->n_legend)
		return;
	fputs("<ul class=legend>", to);
	for (size_t i = 0; i < f->n_legend; i++) {
		fprintf(to, "<li><i class=k%u></i>", f->legend[i].ink);
		html_puts(to, f->legend[i].text);
	}
	fputs("</ul>", to);
}

void report_plot(struct report *rep, struct plot *p, const struct report_figure *f)
{
	FILE *to = rep->to;

	fputs("<figure>", to);
	html_element(to, "h4", "%s", f->title);
	if (plot_draw(&rep->plots, p, f->title, to))
		legend_write(to, f);
	else
		html_element(to, "p class=note", "No plot: %s.", rep->plots.why);
	if (f->note)
		html_element(to, "figcaption", "%s", f->note);
	fputs("</figure>\n", to);
}

void report_missing(struct report *rep, const char *format, ...)
{
	va_list args;

	fputs("<p class=\"card note\">", rep->to);
	va_start(args, format);
	html_say_v(rep->to, format, args);
	va_end(args);
	fputs("</p>\n", rep->to);
}

void report_partial(struct report *rep, const struct run *r, enum run_suite suite)
{
	const char *words = run_partial(r, suite);

	if (words)
		report_missing(rep, "In part only: %s.", words);
}

size_t report_room(struct report *rep, size_t n, size_t most)
{
	if (rep->all || n <= most)
		return n;
	rep->cut = true;
	return most;
}

void report_cut(struct report *rep, const char *format, ...)
{
	va_list args;

	fputs("<p class=note>Shown: ", rep->to);
	va_start(args, format);
	html_say_v(rep->to, format, args);
	va_end(args);
	fputs(".</p>\n", rep->to);
	rep->cut = true;
}

/* ---- what must not be overlooked */

static bool is_emulated(const struct report_run *rr)
{
	return rr->emulated;
}

static bool is_broken(const struct report_run *rr)
{
	return rr->broken;
}

static bool is_contradicted(const struct report_run *rr)
{
	return rr->contradictions != 0;
}

static size_t count(const struct report *rep, bool (*is)(const struct report_run *rr))
{
	size_t n = 0;

	for (size_t i = 0; i < rep->n; i++)
		n += is(&rep->run[i]);
	return n;
}

/* "Run 2" or "Runs 2, 3", or nothing where there is one alone. */
static void which_write(struct report *rep, bool (*is)(const struct report_run *rr))
{
	struct report_numbers list = {.rep = rep};

	if (rep->n == 1)
		return;
	fputs(count(rep, is) == 1 ? " Run " : " Runs ", rep->to);
	for (size_t i = 0; i < rep->n; i++)
		if (is(&rep->run[i]))
			report_number(&list, &rep->run[i]);
	report_numbers_end(&list);
	fputc('.', rep->to);
}

static void emulated_banner(struct report *rep)
{
	if (!count(rep, is_emulated))
		return;
	fputs("<p class=banner><b>Emulated", rep->to);
	if (rep->n == 1) {
		fputs(" (", rep->to);
		html_puts(rep->to, rep->run[0].run->id.emulated);
		fputc(')', rep->to);
	}
	fputs(".</b> These numbers are an emulator\342\200\231s, not hardware\342\200\231s: printed, never "
	      "judged, and no baseline for a machine.",
	      rep->to);
	which_write(rep, is_emulated);
	fputs("</p>\n", rep->to);
}

static void broken_banner(struct report *rep)
{
	if (!count(rep, is_broken))
		return;
	fputs("<p class=\"banner bad\"><b>Not all of it is here.</b> ", rep->to);
	if (rep->n == 1)
		fprintf(rep->to, "The run is %s; below stands what arrived and what is missing.",
			rep->run[0].run->measured ? run_state_name(rep->run[0].run->state)
						  : "without a figure");
	else
		fputs("What is missing stands with the run.", rep->to);
	which_write(rep, is_broken);
	fputs("</p>\n", rep->to);
}

static void contradicted_banner(struct report *rep)
{
	u64 n = 0;

	for (size_t i = 0; i < rep->n; i++)
		n += rep->run[i].contradictions;
	if (!n)
		return;
	fprintf(rep->to,
		"<p class=\"banner bad\"><b>%llu figure%s contradicted</b> by the rest of the log.",
		(ull)n, n == 1 ? " is" : "s are");
	which_write(rep, is_contradicted);
	fputs("</p>\n", rep->to);
}

static void losses_banner(struct report *rep)
{
	size_t shown = report_room(rep, rep->n_losses, LOSSES_MOST);

	if (!rep->n_losses)
		return;
	fputs("<div class=\"banner bad\"><b>Logs that are not or not all on this page</b><ul>",
	      rep->to);
	for (size_t i = 0; i < shown; i++)
		html_element(rep->to, "li", "%s: %s", log_name(rep->loss[i].path),
			     rep->loss[i].words);
	if (shown < rep->n_losses)
		fprintf(rep->to, "<li>and %zu more", rep->n_losses - shown);
	fputs("</ul></div>\n", rep->to);
}

static void cut_banner(const struct report *rep)
{
	if (rep->cut)
		fputs("<p class=banner><b>Not all is shown,</b> so that the page is of use. Each place says "
		      "what it leaves out; <code>ticklog report --all</code> leaves out nothing, "
		      "<code>ticklog show --figures</code> prints every figure.</p>\n",
		      rep->to);
}

static void plots_banner(const struct report *rep)
{
	const struct plotter *pl = &rep->plots;
	char words[64];

	if (pl->missing) {
		plotter_missing(pl, words);
		html_element(rep->to, "div class=\"banner bad\"", "This page is without %s. %s.",
			     words, pl->first);
		fputc('\n', rep->to);
	}
	if (pl->odd) {
		html_element(rep->to, "div class=banner",
			     "gnuplot drew %llu plot%s with a word about it. The first: %s.",
			     (ull)pl->odd, plural(pl->odd), pl->odd_was);
		fputc('\n', rep->to);
	}
}

/* ---- a run */

static void run_section(struct report *rep, const struct report_run *rr)
{
	const struct run *r = rr->run;

	report_identity(rep, rr);
	report_matrix(rep, r);
	report_methods(rep, r);
	report_histograms(rep, r);
	report_staircase(rep, r);
	report_stability(rep, r);
	report_gaps(rep, r);
	report_xsave(rep, r);
	fputs("<h3>Checks and figures</h3>\n", rep->to);
	report_checks(rep, r);
	report_summary(rep, r);
	if (rep->n == 1)
		report_figures(rep);
}

static const char *name_of(const struct run *r)
{
	if (*r->id.label)
		return r->id.label;
	if (*r->id.brand)
		return r->id.brand;
	return *r->id.vendor ? r->id.vendor : "a machine that the log does not name";
}

/* Bytes of the page, in memory of their own. */
struct section {
	char *bytes;
	size_t n;
};

static FILE *section_open(struct section *s)
{
	*s = (struct section){0};
	return must(open_memstream(&s->bytes, &s->n));
}

static void section_put(FILE *to, struct section *s)
{
	fwrite(s->bytes, 1, s->n, to);
	free(s->bytes);
}

/* rep->to is afterwards what it was before. */
static struct section section_make(struct report *rep, const struct report_run *rr, bool detailed)
{
	FILE *page = rep->to;
	struct section s;

	rep->to = section_open(&s);
	fprintf(rep->to, "<section id=\"run-%u\">\n", rr->number);
	if (rep->n > 1)
		html_element(rep->to, "h2", "Run %u: %s", rr->number, name_of(rr->run));
	report_verdict(rep, rr, detailed);
	if (detailed)
		run_section(rep, rr);
	fputs("</section>\n", rep->to);
	memory_close(rep->to);
	rep->to = page;
	return s;
}

/* Those with all their details are the last ones, as many as were asked for or fit the page. */
static void sections_write(struct report *rep)
{
	struct section *s = must(calloc(rep->n + 1, sizeof(*s)));
	size_t first = rep->n, detailed = 0, bytes = (size_t)ftell(rep->to), last = 0;

	while (first > 0 && rep->run[first - 1].run) {
		bool fits = rep->all || rep->asked || bytes + last <= REPORT_BYTES;
		bool full = fits && detailed < rep->detailed && rep->n - first == detailed;

		first--;
		s[first] = section_make(rep, &rep->run[first], full);
		last = full ? s[first].n : last;
		bytes += s[first].n;
		detailed += full;
	}
	if (detailed < rep->n)
		report_cut(rep,
			   "all details of the last %zu of %zu runs, which --sections N changes",
			   detailed, rep->n);
	for (size_t i = first; i < rep->n; i++)
		section_put(rep->to, &s[i]);
	free(s);
}

/* ---- the page */

static void head_write(const struct report *rep)
{
	FILE *to = rep->to;

	fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
	      "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=color-scheme content=\"light dark\">\n"
	      "<meta http-equiv=Content-Security-Policy "
	      "content=\"default-src 'none';style-src 'unsafe-inline';img-src data:\">\n"
	      "<meta name=generator content=\"ticklog " BUILD_ID "\">\n"
	      "<link rel=icon href=\"data:,\">\n<title>",
	      to);
	if (rep->n == 1)
		html_say(to, "baretick: %s", name_of(rep->run[0].run));
	else
		html_say(to, "baretick: %zu runs", rep->n);
	fputs("</title>\n<style>\n", to);
	fputs(report_style, to);
	fputs("</style>\n</head>\n<body>\n", to);
}

static void header_write(struct report *rep)
{
	FILE *to = rep->to;

	fputs("<header>\n", to);
	if (rep->n == 1) {
		const struct report_run *rr = &rep->run[0];

		html_element(to, "h1", "%s", name_of(rr->run));
		html_element(to, "p class=sub", "baretick, profile %s, %s",
			     *rr->run->id.profile ? rr->run->id.profile : "not known",
			     *rr->run->id.rtc ? rr->run->id.rtc : "date not known");
	} else {
		html_element(to, "h1", rep->n ? "%zu runs of baretick" : "No run of baretick",
			     rep->n);
	}
	emulated_banner(rep);
	broken_banner(rep);
	contradicted_banner(rep);
	losses_banner(rep);
	plots_banner(rep);
	cut_banner(rep);
	fputs("</header>\n", to);
}

static void footer_write(const struct report *rep)
{
	fputs("<footer><p>Times are TSC ticks unless a unit stands beside them. Made by ticklog " BUILD_ID
	      ".</p></footer>\n</body>\n</html>\n",
	      rep->to);
}

/* What is missing is only known at the end, and stands at the top. */
void report_write(struct report *rep, FILE *to)
{
	struct section body;

	rep->to = section_open(&body);
	if (rep->n > 1) {
		report_runs(rep);
		report_over_runs(rep);
		report_figures(rep);
	}
	sections_write(rep);
	memory_close(rep->to);
	plotter_end(&rep->plots);

	rep->to = to;
	head_write(rep);
	header_write(rep);
	fputs("<main>\n", to);
	section_put(to, &body);
	fputs("</main>\n", to);
	footer_write(rep);
}
