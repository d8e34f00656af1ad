// SPDX-License-Identifier: MIT
/* The page as a whole: see report.h. */
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "html.h"

bool run_is_emulated(const struct run *r)
{
	return *r->id.emulated && strcmp(r->id.emulated, "no") != 0;
}

u64 run_tps(const struct run *r)
{
	return r->tsc_trusted && r->tsc_khz <= ~0ull / 1000 ? r->tsc_khz * 1000 : 0;
}

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
	char words[400];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	html_element(rep->to, "p class=\"card note\"", "%s", words);
	fputc('\n', rep->to);
}

/* ---- what must not be overlooked */

/* Runs by number, for a list: "1, 3, 4". */
struct numbers {
	FILE *to;
	unsigned int n;
};

static void number_write(struct numbers *list, const struct report_run *rr)
{
	fprintf(list->to, "%s<a href=\"#run-%u\">%u</a>", list->n++ ? ", " : "", rr->number,
		rr->number);
}

static unsigned int count(const struct report *rep, bool (*is)(const struct run *r))
{
	unsigned int n = 0;

	for (size_t i = 0; i < rep->n; i++)
		n += is(rep->run[i].run);
	return n;
}

static bool is_broken(const struct run *r)
{
	return r->state != RUN_COMPLETE || !r->measured;
}

/* "Run 2" or "Runs 2, 3", or nothing where there is one alone. */
static void which_write(const struct report *rep, bool (*is)(const struct run *r))
{
	struct numbers list = {.to = rep->to};

	if (rep->n == 1)
		return;
	fputs(count(rep, is) == 1 ? " Run " : " Runs ", rep->to);
	for (size_t i = 0; i < rep->n; i++)
		if (is(rep->run[i].run))
			number_write(&list, &rep->run[i]);
	fputc('.', rep->to);
}

static void emulated_banner(const struct report *rep)
{
	if (!count(rep, run_is_emulated))
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
	which_write(rep, run_is_emulated);
	fputs("</p>\n", rep->to);
}

static void broken_banner(const struct report *rep)
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

static void contradicted_banner(const struct report *rep)
{
	struct numbers list = {.to = rep->to};
	u64 n = 0;

	for (size_t i = 0; i < rep->n; i++)
		n += rep->run[i].re.contradictions;
	if (!n)
		return;
	fprintf(rep->to,
		"<p class=\"banner bad\"><b>%llu figure%s contradicted</b> by the rest of the log: "
		"run ",
		(unsigned long long)n, n == 1 ? " is" : "s are");
	for (size_t i = 0; i < rep->n; i++)
		if (rep->run[i].re.contradictions)
			number_write(&list, &rep->run[i]);
	fputs(".</p>\n", rep->to);
}

static void losses_banner(const struct report *rep)
{
	if (!rep->n_losses)
		return;
	fputs("<div class=\"banner bad\"><b>Logs that are not or not all on this page</b><ul>",
	      rep->to);
	for (size_t i = 0; i < rep->n_losses; i++)
		html_element(rep->to, "li", "%s: %s", rep->loss[i].path, rep->loss[i].words);
	fputs("</ul></div>\n", rep->to);
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
			     (unsigned long long)pl->odd, pl->odd == 1 ? "" : "s", pl->odd_was);
		fputc('\n', rep->to);
	}
}

/* ---- several runs */

static void group_write(FILE *to, unsigned int group)
{
	fprintf(to, "<td>%c", (char)('A' + group % 26));
	if (group >= 26)
		fprintf(to, "%u", group / 26);
	fputs("</td>", to);
}

static void runs_row(const struct report *rep, const struct report_run *rr)
{
	const struct run_identity *id = &rr->run->id;
	const bool emulated = run_is_emulated(rr->run);
	FILE *to = rep->to;

	fprintf(to, "<tr><th><a href=\"#run-%u\">%u</a></th>", rr->number, rr->number);
	group_write(to, rr->group);
	html_element(to, "td class=w", "%s", id->label);
	html_element(to, "td class=w", "%s", *rr->run->trust ? rr->run->trust : "no verdict");
	html_element(to, "td class=w", "%s%s%s", run_state_name(rr->run->state),
		     rr->run->measured ? "" : ", nothing measured",
		     rr->re.contradictions ? ", contradicted" : "");
	html_element(to, "td", "%s", rr->run->recommended);
	html_element(to, "td class=w", "%s%s%s", id->brand, emulated && *id->brand ? ", " : "",
		     emulated ? "emulated" : "");
	html_element(to, "td class=w", "%s", id->rtc);
	html_element(to, "td class=w", "%s", strcmp(rr->path, "-") ? rr->path : "standard input");
	if (rr->same_as)
		html_element(to, "td class=w", "the same run as %u", rr->same_as);
	else
		fputs("<td></td>", to);
	fputs("<td class=r>", to);
	report_reasons_short(to, rr->run);
	fputs("</td></tr>\n", to);
}

/* What identifies a run beyond its date and id. */
static const struct {
	const char *term;
	size_t at;
} identity[] = {
	{"label", offsetof(struct run_identity, label)},
	{"vendor", offsetof(struct run_identity, vendor)},
	{"CPU", offsetof(struct run_identity, brand)},
	{"signature", offsetof(struct run_identity, signature)},
	{"core type", offsetof(struct run_identity, core_type)},
	{"microcode", offsetof(struct run_identity, microcode)},
	{"hypervisor", offsetof(struct run_identity, hypervisor)},
	{"emulated", offsetof(struct run_identity, emulated)},
	{"board", offsetof(struct run_identity, board)},
	{"firmware", offsetof(struct run_identity, firmware)},
	{"serial", offsetof(struct run_identity, serial)},
	{"UUID", offsetof(struct run_identity, uuid)},
	{"boot", offsetof(struct run_identity, boot)},
	{"loader", offsetof(struct run_identity, loader)},
	{"profile", offsetof(struct run_identity, profile)},
	{"options given", offsetof(struct run_identity, options)},
	{"build", offsetof(struct run_identity, build)},
	{"measured code", offsetof(struct run_identity, code)},
};

static const char *value_at(const struct report_run *rr, size_t at)
{
	return *(const char *const *)((const char *)&rr->run->id + at);
}

/* Each value, and the runs that have it. */
static void difference_write(const struct report *rep, const char *term, size_t at)
{
	FILE *to = rep->to;

	html_element(to, "dt", "%s", term);
	fputs("<dd>", to);
	for (size_t i = 0; i < rep->n; i++) {
		struct numbers list = {.to = to};
		const char *value = value_at(&rep->run[i], at);
		bool seen = false;

		for (size_t k = 0; k < i && !seen; k++)
			seen = !strcmp(value_at(&rep->run[k], at), value);
		if (seen)
			continue;
		fputs(i ? "; " : "", to);
		html_say(to, "%s: ", *value ? value : "none");
		for (size_t k = i; k < rep->n; k++)
			if (!strcmp(value_at(&rep->run[k], at), value))
				number_write(&list, &rep->run[k]);
	}
	fputs("</dd>\n", to);
}

static bool differs(const struct report *rep, size_t at)
{
	for (size_t i = 1; i < rep->n; i++)
		if (strcmp(value_at(&rep->run[i], at), value_at(&rep->run[0], at)) != 0)
			return true;
	return false;
}

static void differences_write(const struct report *rep)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(identity); i++) {
		if (!differs(rep, identity[i].at))
			continue;
		if (!any)
			fputs("<h4 class=up>What differs between the runs</h4>\n<dl class=card>\n",
			      rep->to);
		any = true;
		difference_write(rep, identity[i].term, identity[i].at);
	}
	if (any)
		fputs("</dl>\n", rep->to);
}

static void runs_table(const struct report *rep)
{
	fputs("<h2>Runs</h2>\n<div class=\"card scroll\"><table><thead><tr><th>run</th>"
	      "<th>group</th><th class=w>label</th><th class=w>TRUST</th><th class=w>the log is"
	      "</th><th>method</th><th class=w>CPU</th><th class=w>date</th>"
	      "<th class=w>log</th><th></th><th class=w>reasons</th></tr></thead><tbody>\n",
	      rep->to);
	for (size_t i = 0; i < rep->n; i++)
		runs_row(rep, &rep->run[i]);
	fputs("</tbody></table></div>\n<p class=note>Runs of one group measured the same thing: "
	      "vendor, CPU signature, core type, hypervisor, measured code, profile and the options "
	      "that bear on figures agree. No line of a plot connects two groups. Whether anything changed is judged by "
	      "<code>ticklog check</code>.</p>\n",
	      rep->to);
	differences_write(rep);
}

/* ---- a run */

static void summary_write(const struct report *rep, const struct run *r)
{
	bool on = false;

	for (size_t i = 0; i < r->n_texts; i++) {
		const struct run_text *t = &r->text[i];

		if (!on && t->n == 13 && !memcmp(t->at, "== summary ==", 13)) {
			fputs("<details><summary>The log\342\200\231s own summary</summary>"
			      "<p class=note>Text of the log, without a checksum.</p><pre>",
			      rep->to);
			on = true;
		} else if (on) {
			html_bytes(rep->to, t->at, t->n);
			fputc('\n', rep->to);
		}
	}
	if (on)
		fputs("</pre></details>\n", rep->to);
}

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
	report_checks(rep, rr);
	summary_write(rep, r);
	report_all_figures(rep, rr);
}

static const char *name_of(const struct run *r)
{
	if (*r->id.label)
		return r->id.label;
	if (*r->id.brand)
		return r->id.brand;
	return *r->id.vendor ? r->id.vendor : "a machine that the log does not name";
}

static void runs_write(struct report *rep)
{
	for (size_t i = 0; i < rep->n; i++) {
		const struct report_run *rr = &rep->run[i];

		fprintf(rep->to, "<section id=\"run-%u\">\n", rr->number);
		if (rep->n > 1)
			html_element(rep->to, "h2", "Run %u: %s", rr->number, name_of(rr->run));
		report_verdict(rep, rr);
		if (rep->n - i <= rep->detailed)
			run_section(rep, rr);
		fputs("</section>\n", rep->to);
	}
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

static void header_write(const struct report *rep)
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
	char *body = NULL;
	size_t n = 0;

	rep->to = open_memstream(&body, &n);
	if (!rep->to) {
		complain(rep->command, "no memory for the page");
		exit(EXIT_UNUSABLE);
	}
	if (rep->n > 1) {
		runs_table(rep);
		report_over_runs(rep);
	}
	runs_write(rep);
	fclose(rep->to);
	plotter_end(&rep->plots);

	rep->to = to;
	head_write(rep);
	header_write(rep);
	fputs("<main>\n", to);
	fwrite(body, 1, n, to);
	fputs("</main>\n", to);
	footer_write(rep);
	free(body);
}
