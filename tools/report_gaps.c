// SPDX-License-Identifier: MIT
/* Stability and gaps on the page: what stole time, when, and how much. */
#include <string.h>

#include "html.h"
#include "report.h"
#include "u128.h"

#define GAPS_MOST 500 /* on the time line */
#define BARS_MOST 400 /* of the whole watch */

static void text_put(FILE *to, const struct text *t)
{
	html_bytes(to, t->at, t->len);
}

static void with_time(FILE *to, u64 ticks, u64 tps)
{
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	fprintf(to, "%llu ticks", (ull)ticks);
	if (!tps)
		return;
	duration_fmt(&t, ticks, tps);
	fputs(" (", to);
	text_put(to, &t);
	fputc(')', to);
}

/* ---- stability */

static void bound_pair(FILE *to, const char *term, const struct bound *b)
{
	char bytes[64];
	struct text t = {.at = bytes, .cap = sizeof(bytes) - 1};

	bound_fmt(&t, b);
	bytes[t.len] = '\0';
	html_pair(to, term, bytes);
}

static void number_pair(FILE *to, const char *term, u64 value)
{
	fprintf(to, "<dt>%s</dt><dd>%llu</dd>\n", term, (ull)value);
}

static void outliers_write(FILE *to, const struct stability *s, u64 tps)
{
	if (!s->kept)
		return;
	fprintf(to, "<dt>the first %u</dt><dd class=note>", s->kept);
	for (u32 i = 0; i < s->kept; i++)
		fprintf(to, "%s%llu at %llu", i ? ", " : "", (ull)s->first[i].length,
			(ull)s->first[i].at);
	fputs("</dd>\n", to);
	if (!s->period)
		return;
	fputs("<dt>outliers come every</dt><dd>", to);
	with_time(to, s->period, tps);
	fputs("</dd>\n", to);
}

static void stability_numbers(FILE *to, const struct run_stability *rs, u64 tps)
{
	const struct stability *s = &rs->s;

	fputs("<dl class=card>\n", to);
	fprintf(to, "<dt>rounds</dt><dd>%llu, by method ", (ull)s->n);
	html_puts(to, s->method);
	fputs("</dd>\n", to);
	number_pair(to, "min", s->min);
	bound_pair(to, "p50", &s->p50);
	bound_pair(to, "p97", &s->p97);
	bound_pair(to, "p99", &s->p99);
	bound_pair(to, "p99.9", &s->p999);
	number_pair(to, "max", s->max);
	fprintf(to, "<dt>spread</dt><dd>%llu, threshold %llu</dd>\n", (ull)s->spread,
		(ull)s->threshold);
	fprintf(to, "<dt>outliers</dt><dd>%llu, %llu of %llu ticks</dd>\n", (ull)s->outliers,
		(ull)rs->stolen, (ull)s->duration);
	outliers_write(to, s, tps);
	number_pair(to, "backwards", s->backwards);
	fprintf(to,
		"<dt>core clock</dt><dd>%llu state%s, %llu blocks measured again, %llu never "
		"settled</dd>\n",
		(ull)rs->states, rs->states == 1 ? "" : "s", (ull)s->redone, (ull)rs->unsettled);
	fputs("</dl>\n", to);
}

void report_stability(struct report *rep, const struct run *r)
{
	const struct run_stability *rs = &r->stability;
	const struct run_hist *h;

	if (!rs->seq)
		return;
	fputs("<h3>Stability</h3>\n", rep->to);
	report_partial(rep, r, SUITE_STABILITY);
	fputs("<div class=pair>\n", rep->to);
	stability_numbers(rep->to, rs, run_tps(r));
	h = run_hist_find(r, "stability", rs->s.method, "mem", "loop", "none");
	if (h)
		report_histogram_whole(rep, h,
				       "A read, 500 stores, a read: all rounds, logarithmic",
				       &(struct report_marks){rs->s.p50.lo, rs->s.p999.lo});
	fputs("</div>\n", rep->to);
}

/* ---- gaps on a time line */

/* Ticks on an axis: as time where the frequency is trusted. */
struct axis {
	const char *label;
	u64 unit; /* ticks */
};

static struct axis axis_along(u64 tps)
{
	return tps ? (struct axis){"seconds", tps} : (struct axis){"million ticks", 1000000};
}

static struct axis axis_length(u64 tps)
{
	return tps >= 1000000 ? (struct axis){"microseconds", tps / 1000000}
			      : (struct axis){"ticks", 1};
}

/* Ticks since the start of the suite. */
static void time_axis(struct plot *p, const struct axis *along, u64 from, u64 end)
{
	const u64 grain = plot_grain(end);

	if (end - from <= grain) {
		from -= grain;
		end = plot_beyond(end, grain ? grain : 1);
	}
	plot_line(p, "set xlabel '%s since the start of the suite' textcolor rgb '#000002'",
		  along->label);
	plot_line(p, "set xrange [%llu.0/%llu.0:%llu.0/%llu.0]", (ull)from, (ull)along->unit,
		  (ull)end, (ull)along->unit);
}

/* Nothing stands at 0 on a logarithmic axis. */
static void length_number(char bytes[32], u64 length)
{
	if (length)
		snprintf(bytes, 32, "%llu.0", (ull)length);
	else
		snprintf(bytes, 32, "0.5");
}

static void gaps_data(struct plot *p, const struct run_gaps *g, size_t n)
{
	char length[32];

	plot_data(p, "gap");
	for (size_t i = 0; i < n; i++) {
		length_number(length, g->list[i].length);
		plot_line(p, "%llu %s %d", (ull)g->list[i].at, length,
			  INK_FIRST + (int)g->list[i].cause);
	}
	plot_data_end(p);
}

static bool is_listed(const struct run_gaps *g, size_t n, unsigned int cause)
{
	for (size_t i = 0; i < n; i++)
		if (g->list[i].cause == cause)
			return true;
	return false;
}

/* From the least to the largest, with room on both sides: they may all be one. */
static void length_axis(struct plot *p, const struct run_gaps *g, size_t n, u64 unit)
{
	u64 lo = ~0ull, hi = 1;
	char from[32];

	for (size_t i = 0; i < n; i++) {
		lo = g->list[i].length < lo ? g->list[i].length : lo;
		hi = g->list[i].length > hi ? g->list[i].length : hi;
	}
	plot_line(p, "set logscale y");
	plot_line(p, "set format y '%%.0s%%c'");
	length_number(from, lo);
	plot_line(p, "set yrange [%s/%llu.0*0.7:%llu.0/%llu.0*1.4]", from, (ull)unit, (ull)hi,
		  (ull)unit);
}

/* Where the time line ends: with the watch, or with the last of the gaps if there were more. */
static u64 line_end(const struct run_gaps *g, size_t n, u64 all)
{
	u64 end = n == all && g->wall ? g->wall : 1;

	for (size_t i = 0; i < n; i++)
		end = g->list[i].at > end ? g->list[i].at : end;
	return end;
}

static void list_plot(struct report *rep, const struct run_gaps *g, u64 tps)
{
	const struct axis along = axis_along(tps), length = axis_length(tps);
	size_t n = report_room(rep, g->n_list, GAPS_MOST), n_legend = 0;
	const u64 all = g->all.n > g->n_list ? g->all.n : g->n_list;
	struct legend legend[GAP_CAUSES];
	char title[80];
	struct plot p;

	for (unsigned int k = 0; k < GAP_CAUSES; k++)
		if (is_listed(g, n, k))
			legend[n_legend++] = (struct legend){INK_FIRST + k, gap_cause_name[k]};
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	time_axis(&p, &along, 0, line_end(g, n, all));
	plot_line(&p, "set ylabel '%s' textcolor rgb '#000002'", length.label);
	length_axis(&p, g, n, length.unit);
	gaps_data(&p, g, n);
	plot_line(&p,
		  "plot $gap using ($1/%llu.0):($2/%llu.0):3 with impulses lw 1.5 lc rgb variable, "
		  "$gap using ($1/%llu.0):($2/%llu.0):3 with points pt 7 ps 0.5 lc rgb variable",
		  (ull)along.unit, (ull)length.unit, (ull)along.unit, (ull)length.unit);
	snprintf(title, sizeof(title), "%s%zu of %llu gaps, by length and cause",
		 n < all ? "The first " : "", n, (ull)all);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = title,
			    .note = g->torn ? "Some of the list did not arrive." : NULL,
			    .legend = legend,
			    .n_legend = n_legend,
		    });
}

/* A part of the time watched, of one record type=gap or several. */
struct part {
	u64 at, watched, stolen;
};

static bool part_read(const struct run_record *rec, struct part *out)
{
	return run_number(rec, "at", &out->at) && run_number(rec, "watched", &out->watched) &&
	       run_number(rec, "stolen", &out->stolen) && out->watched;
}

/* Both as one; false if together they watched longer than a number can say. */
static bool part_join(struct part *x, const struct part *y)
{
	if (x->watched > ~0ull - y->watched || x->stolen > ~0ull - y->stolen)
		return false;
	x->watched += y->watched;
	x->stolen += y->stolen;
	return true;
}

/* Parts in a million stolen; more than all is possible in a log only. */
static u64 stolen_ppm(const struct part *x)
{
	u128 ppm = u128_div((u128)x->stolen * 1000000, x->watched, NULL);

	return ppm > ~0u ? ~0u : (u64)ppm;
}

struct watch {
	struct plot *plot;
	size_t join; /* so many records are one bar */
	struct part now;
	size_t n; /* records in it */
	u64 most; /* stolen_ppm() of a bar */
	u64 from, end;
};

static void bar_end(struct watch *w)
{
	u64 ppm = w->n ? stolen_ppm(&w->now) : 0;

	if (w->n)
		plot_line(w->plot, "%llu %llu %llu", (ull)w->now.at, (ull)w->now.watched, (ull)ppm);
	w->most = ppm > w->most ? ppm : w->most;
	w->n = 0;
}

static void part_take(struct watch *w, const struct part *x)
{
	const u64 end = plot_beyond(x->at, x->watched);

	if (w->n == w->join || (w->n && !part_join(&w->now, x)))
		bar_end(w);
	if (!w->n)
		w->now = *x;
	w->n++;
	w->from = x->at < w->from ? x->at : w->from;
	w->end = end > w->end ? end : w->end;
}

static size_t parts_count(const struct run *r)
{
	const struct run_record *rec = NULL;
	struct part x;
	size_t n = 0;

	while ((rec = run_find(r, "gap", rec)) != NULL)
		n += part_read(rec, &x);
	return n;
}

static void parts_plot(struct report *rep, const struct run *r, u64 tps)
{
	const struct axis along = axis_along(tps);
	const struct run_record *rec = NULL;
	size_t n = parts_count(r);
	struct plot p;
	struct watch w = {
		.plot = &p,
		.join = rep->all ? 1 : (n + BARS_MOST - 1) / BARS_MOST,
		.from = ~0ull,
	};
	char note[100];
	struct part x;

	if (!n)
		return;
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	plot_line(&p, "set ylabel 'parts per million stolen' textcolor rgb '#000002'");
	plot_data(&p, "part");
	while ((rec = run_find(r, "gap", rec)) != NULL)
		if (part_read(rec, &x))
			part_take(&w, &x);
	bar_end(&w);
	plot_data_end(&p);
	time_axis(&p, &along, w.from, w.end);
	plot_axis(&p, 'y', 0, w.most ? w.most : 1, 1);
	plot_line(&p,
		  "plot $part using (($1+$2/2)/%llu.0):3:($1/%llu.0):(($1+$2)/%llu.0):(0):3 with "
		  "boxxyerror fs solid 0.85 noborder " INK_1,
		  (ull)along.unit, (ull)along.unit, (ull)along.unit);
	if (w.join > 1)
		snprintf(note, sizeof(note), "A bar %zu records type=gap, as wide as they watched.",
			 w.join);
	else
		snprintf(note, sizeof(note), "A bar a record type=gap, as wide as it watched.");
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = "Stolen time over the whole watch",
			    .note = note,
		    });
}

static void decades_write(FILE *to, const struct gap_decades *d, u64 tps)
{
	char bytes[2048];
	struct text t = TEXT_ON(bytes);

	gap_decades_fmt(&t, d, tps);
	if (!t.len)
		return;
	fputs("<pre>", to);
	for (size_t from = 0, i = 0; i < t.len; i++) {
		if (bytes[i] != '\n')
			continue;
		html_bytes(to, bytes + from, i - from);
		fputc('\n', to);
		from = i + 1;
	}
	fputs("</pre>\n", to);
}

static void rate_pair(FILE *to, const char *term, u64 n, const char *what, u64 in, u64 tps)
{
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	rate_fmt(&t, n, what, in, tps);
	fprintf(to, "<dt>%s</dt><dd>", term);
	text_put(to, &t);
	fputs("</dd>\n", to);
}

static void causes_pair(FILE *to, const struct run_gap_sums *a)
{
	const char *between = "";

	fputs("<dt>causes</dt><dd>", to);
	for (u32 k = 0; k < GAP_CAUSES; k++) {
		if (!a->cause[k])
			continue;
		fprintf(to, "%s%s %llu", between, gap_cause_name[k], (ull)a->cause[k]);
		between = ", ";
	}
	fputs(*between ? "</dd>\n" : "none</dd>\n", to);
}

/* What a watch that was cut counted: a count of 0 may be one of nothing that is counted here. */
static void counted_pairs(FILE *to, const struct run_gap_sums *a, u64 tps)
{
	const struct {
		const char *what;
		u64 n;
	} counted[] = {{"SMI", a->smi}, {"NMI", a->nmi}, {"MCE", a->mce}};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		if (counted[i].n)
			rate_pair(to, counted[i].what, counted[i].n, counted[i].what, a->watched,
				  tps);
}

/* Of all, or of the windows that arrived. */
static void gaps_numbers(FILE *to, const struct run_gaps *g, u64 tps)
{
	const struct run_gap_sums *a = g->seq ? &g->all : &g->sum;

	fputs("<dl class=card>\n", to);
	rate_pair(to, "gaps", a->n, "gaps", a->watched, tps);
	fputs("<dt>watched</dt><dd>", to);
	with_time(to, a->watched, tps);
	fputs("</dd>\n<dt>stolen</dt><dd>", to);
	with_time(to, a->stolen, tps);
	fputs("</dd>\n<dt>longest</dt><dd>", to);
	with_time(to, a->n || !g->seq ? a->longest : g->most, tps);
	fprintf(to, "</dd>\n<dt>a gap is</dt><dd>%llu ticks more than usual</dd>\n",
		(ull)g->threshold);
	causes_pair(to, a);
	if (!g->seq)
		counted_pairs(to, a, tps);
	else if (g->smi_counts)
		rate_pair(to, "SMI", a->smi, "SMI", g->wall, tps);
	if (g->period) {
		fputs("<dt>gaps come every</dt><dd>", to);
		with_time(to, g->period, tps);
		fputs("</dd>\n", to);
	}
	if (g->contradictions)
		number_pair(to, "windows whose counts do not explain each other",
			    g->contradictions);
	fputs("</dl>\n", to);
}

void report_gaps(struct report *rep, const struct run *r)
{
	const struct run_gaps *g = &r->gaps;
	const u64 tps = run_tps(r);

	if (!g->seq && !g->parts)
		return;
	fputs("<h3>Gaps</h3>\n", rep->to);
	report_partial(rep, r, SUITE_GAPS);
	gaps_numbers(rep->to, g, tps);
	decades_write(rep->to, &g->decades, tps);
	fputs("<div class=pair>\n", rep->to);
	if (g->n_list)
		list_plot(rep, g, tps);
	else if (g->seq && !g->all.n)
		report_missing(rep, "No time line: there was no gap.");
	parts_plot(rep, r, tps);
	fputs("</div>\n", rep->to);
}
