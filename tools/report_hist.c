// SPDX-License-Identifier: MIT
/* Histograms on the page: the bulk of the samples on plain axes, all of them on logarithmic ones.
 */
#include <string.h>

#include "html.h"
#include "report.h"

#define BARS 110 /* of the bulk, at most */
#define WIDE 20	 /* times the least value: from there on an axis is logarithmic */
#define PART 16	 /* bars of the whole are this part of their value wide */
#define MOST 60	 /* histograms of other methods: a plot each */

/* ---- bars */

/* count samples of from .. from + width - 1 */
struct bar {
	u64 from, width, count;
};

struct bars {
	struct plot *plot;
	struct bar now;
	u64 most; /* count of a bar */
};

static void bar_end(struct bars *b)
{
	if (!b->now.count)
		return;
	plot_line(b->plot, "%llu %llu %llu", (ull)b->now.from, (ull)b->now.width,
		  (ull)b->now.count);
	b->most = b->now.count > b->most ? b->now.count : b->most;
}

/* Values ascend. Bars of equal width, from b->now.from on. */
static void bar_add_even(struct bars *b, u64 value, u64 count)
{
	u64 skip = (value - b->now.from) / b->now.width;

	if (skip) {
		bar_end(b);
		b->now.from += skip * b->now.width;
		b->now.count = 0;
	}
	b->now.count += count;
}

/* Bars that widen with their value, from b->now.from on. */
static void bar_add_wide(struct bars *b, u64 value, u64 count)
{
	while (value - b->now.from >= b->now.width) {
		bar_end(b);
		b->now.from = plot_beyond(b->now.from, b->now.width);
		b->now.width = b->now.from / PART ? b->now.from / PART : 1;
		b->now.count = 0;
	}
	b->now.count += count;
}

/* The values of the histogram's i-th bin that has any. */
static struct bound bin_values(const struct run_hist *h, size_t i)
{
	static struct hist at;

	at.m.base = h->m.base;
	return hist_bin_range(&at, h->bin[i].bin);
}

/* ---- axes */

static void axes(struct plot *p)
{
	plot_line(p, "set xlabel 'ticks' textcolor rgb '#000002'");
	plot_line(p, "set ylabel 'samples' textcolor rgb '#000002'");
	plot_line(p, "set style fill solid 0.85 noborder");
}

static void marks_put(struct plot *p, const struct report_marks *m)
{
	if (m->p50)
		plot_mark(p, m->p50, INK_2);
	if (m->p999)
		plot_mark(p, m->p999, INK_3);
}

/* Only those that are on the axis. */
static struct report_marks marks_within(const struct report_marks *m, u64 end)
{
	return (struct report_marks){m->p50 <= end ? m->p50 : 0, m->p999 <= end ? m->p999 : 0};
}

/* What the bars do not show, in words. */
static void rest_fmt(struct text *t, const struct run_hist *h)
{
	fmt(t, "%llu samples, largest %llu.", (ull)h->m.n, (ull)h->m.max);
	if (h->below)
		fmt(t, " %llu below %llu are not drawn.", (ull)h->below, (ull)h->m.base);
	if (h->more)
		fmt(t,
		    " %llu above the last bar are not in the log one by one (detail=full has "
		    "them).",
		    (ull)h->more);
}

static void draw(struct report *rep, struct plot *p, const struct run_hist *h, const char *title,
		 const struct report_marks *marks)
{
	struct legend legend[3] = {{INK_FIRST, "samples"}};
	char note[300];
	struct text t = {.at = note, .cap = sizeof(note) - 1};
	size_t n = 1;

	if (marks->p50)
		legend[n++] = (struct legend){INK_FIRST + 1, "p50"};
	if (marks->p999)
		legend[n++] = (struct legend){INK_FIRST + 2, "p99.9"};
	rest_fmt(&t, h);
	note[t.len] = '\0';
	report_plot(rep, p,
		    &(struct report_figure){
			    .title = title,
			    .note = note,
			    .legend = legend,
			    .n_legend = n,
		    });
}

/* ---- the two views */

/* The last value of the bulk: that of rank 999 in 1000, if its bin is exact. */
static u64 bulk_end(const struct run_hist *h)
{
	u64 rank = stats_rank(h->m.n, 999, 1000), seen = h->below, end = 0;

	for (size_t i = 0; i < h->n && h->bin[i].bin < HIST_EXACT; i++) {
		end = bin_values(h, i).lo;
		seen += h->bin[i].count;
		if (seen >= rank)
			break;
	}
	return end;
}

/* Bars are steps of the TSC wide, or several: else every other one would be empty. */
static u64 bulk_width(const struct run *r, u64 from, u64 end)
{
	u64 step = r->step ? r->step : 1, width = (end - from) / BARS + 1;

	width = (width + step - 1) / step * step;
	return width > plot_grain(end) ? width : plot_grain(end);
}

/* Room for half a bar on both sides, also on that of nothing. */
static void bulk_axis(struct plot *p, u64 from, u64 end, u64 width)
{
	plot_axis(p, 'x', from > width ? from - width : 0, plot_beyond(end, width), 1);
	if (from < width)
		plot_line(p, "set xrange [-%llu.0/2:]", (ull)width);
}

static void bulk(struct report *rep, const struct run *r, const struct run_hist *h,
		 const char *title, const struct report_marks *marks)
{
	u64 from = bin_values(h, 0).lo, end = bulk_end(h);
	struct plot p;
	struct bars bars = {.plot = &p, .now = {.from = from}};
	const struct report_marks in = marks_within(marks, end);

	bars.now.width = bulk_width(r, from, end);
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	axes(&p);
	plot_data(&p, "d");
	for (size_t i = 0; i < h->n && bin_values(h, i).lo <= end; i++)
		bar_add_even(&bars, bin_values(h, i).lo, h->bin[i].count);
	bar_end(&bars);
	plot_data_end(&p);
	bulk_axis(&p, from, end, bars.now.width);
	plot_axis(&p, 'y', 0, bars.most, 1);
	marks_put(&p, &in);
	/* A tick is drawn as wide as it is, about its value. */
	plot_line(&p, "plot $d using 1:3:($1-%llu/2.0):($1+%llu/2.0):(0):3 with boxxyerror " INK_1,
		  (ull)bars.now.width, (ull)bars.now.width);
	draw(rep, &p, h, title, &in);
}

static bool is_drawable(const struct run_hist *h)
{
	u64 count = 0;

	for (size_t i = 0; i < h->n && !count; i++)
		count = h->bin[i].count;
	return count && !h->torn;
}

/* A logarithmic axis where the values reach far, on which the bar of 0 begins at 0.5. */
static void value_axes(struct plot *p, u64 lo, u64 hi, bool logarithmic)
{
	const u64 beside = (hi - lo) / 8;

	plot_line(p, logarithmic ? "set logscale xy" : "set logscale y");
	plot_line(p, "set format y '%%.0s%%c'");
	plot_line(p, "set yrange [0.5:]");
	if (!logarithmic)
		plot_axis(p, 'x', lo > beside ? lo - beside : 0, plot_beyond(hi, beside), 1);
	else
		plot_line(p, "set xrange [%llu.0/%d*0.8:%llu.0*1.1]\nset format x '%%.0s%%c'",
			  (ull)(lo ? lo : 1), lo ? 1 : 2, (ull)hi);
}

void report_histogram_whole(struct report *rep, const struct run_hist *h, const char *title,
			    const struct report_marks *marks)
{
	struct plot p;
	struct bars bars = {.plot = &p, .now = {.width = 1}};
	struct report_marks in;
	bool logarithmic;
	u64 lo, hi;

	if (!is_drawable(h)) {
		report_missing(rep, "%s: no sample in the log, or its records did not all arrive.",
			       title);
		return;
	}
	bars.now.from = bin_values(h, 0).lo;
	bars.now.width = bars.now.from / PART ? bars.now.from / PART : 1;
	in = marks_within(marks, bin_values(h, h->n - 1).hi);
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	axes(&p);
	plot_data(&p, "d");
	for (size_t i = 0; i < h->n; i++)
		bar_add_wide(&bars, bin_values(h, i).lo, h->bin[i].count);
	bar_end(&bars);
	plot_data_end(&p);
	lo = bin_values(h, 0).lo;
	hi = plot_beyond(bars.now.from, bars.now.width);
	logarithmic = hi / WIDE > lo;
	value_axes(&p, lo, hi, logarithmic);
	marks_put(&p, &in);
	plot_line(&p,
		  "plot $d using ($1+0.5):3:($1>0?$1:%s):($1+$2):(0.5):3 with boxxyerror " INK_1,
		  logarithmic ? "0.5" : "0");
	draw(rep, &p, h, title, &in);
}

/* ---- which of them */

static bool is_base(const struct run_hist *h)
{
	return !strcmp(h->suite, "tsc") && !strcmp(h->form, "mem") && !strcmp(h->work, "empty") &&
	       !strcmp(h->pre, "none");
}

static struct report_marks marks_of(const struct run *r, const struct run_hist *h)
{
	const struct run_series *s = run_series_find(r, h->method, h->form, h->work, h->pre);

	if (!s || !s->full)
		return (struct report_marks){0};
	return (struct report_marks){s->s.p50.lo, s->s.p999.lo};
}

static const struct run_hist *main_hist(const struct run *r)
{
	const struct run_hist *h = run_hist_find(r, "tsc", r->recommended, "mem", "empty", "none");

	for (size_t i = 0; i < r->n_hists && !h; i++)
		if (is_base(&r->hist[i]))
			h = &r->hist[i];
	return h;
}

static void main_plots(struct report *rep, const struct run *r, const struct run_hist *h)
{
	const struct report_marks marks = marks_of(r, h);
	char title[100];

	if (!is_drawable(h)) {
		report_missing(rep,
			       "The histogram of method %s has no sample, or did not arrive whole.",
			       h->method);
		return;
	}
	fputs("<div class=pair>\n", rep->to);
	if (h->bin[0].bin < HIST_EXACT) {
		snprintf(title, sizeof(title), "Method %.40s: the bulk", h->method);
		bulk(rep, r, h, title, &marks);
	} else {
		report_missing(rep,
			       "No plot of the bulk of method %s: no sample lies within %d ticks "
			       "from %llu on, where each value has a bin of its own.",
			       h->method, HIST_EXACT, (ull)h->m.base);
	}
	snprintf(title, sizeof(title), "Method %.40s: all samples, logarithmic", h->method);
	report_histogram_whole(rep, h, title, &marks);
	fputs("</div>\n", rep->to);
}

static bool is_other(const struct run_hist *h, const struct run_hist *but)
{
	return h != but && !strcmp(h->suite, "tsc");
}

static void other_plot(struct report *rep, const struct run *r, const struct run_hist *h)
{
	const struct report_marks marks = marks_of(r, h);
	char title[200];

	if (is_base(h))
		snprintf(title, sizeof(title), "Method %.40s", h->method);
	else
		snprintf(title, sizeof(title), "Method %.40s, %.100s, %.40s", h->method, h->work,
			 h->pre);
	report_histogram_whole(rep, h, title, &marks);
}

static void other_plots(struct report *rep, const struct run *r, const struct run_hist *but)
{
	size_t n = 0, left, shown;

	for (size_t i = 0; i < r->n_hists; i++)
		n += is_other(&r->hist[i], but);
	if (!n)
		return;
	left = shown = report_room(rep, n, MOST);
	fputs("<details><summary>Histograms of the other methods</summary>\n", rep->to);
	if (shown < n)
		report_cut(rep, "%zu of %zu histograms", shown, n);
	fputs("<div class=pair>\n", rep->to);
	for (size_t i = 0; i < r->n_hists && left; i++) {
		if (!is_other(&r->hist[i], but))
			continue;
		other_plot(rep, r, &r->hist[i]);
		left--;
	}
	fputs("</div></details>\n", rep->to);
}

void report_histograms(struct report *rep, const struct run *r)
{
	const struct run_hist *h = main_hist(r);

	if (!r->n_series)
		return;
	fputs("<h3>Samples</h3>\n", rep->to);
	if (!h) {
		report_missing(rep, "The log has no histogram of the tsc suite.");
		return;
	}
	main_plots(rep, r, h);
	other_plots(rep, r, h);
}
