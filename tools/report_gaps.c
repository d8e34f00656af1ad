// SPDX-License-Identifier: MIT
/* Stability and gaps on the page: what stole time, when, and how much. */
#include <string.h>

#include "html.h"
#include "report.h"
#include "u128.h"

typedef unsigned long long ull;

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
	fputs("<h3>Stability</h3>\n<div class=pair>\n", rep->to);
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

static void time_axis(struct plot *p, const struct axis *along)
{
	plot_line(p, "set xlabel '%s since the start of the suite' textcolor rgb '#000002'",
		  along->label);
}

static void gaps_data(struct plot *p, const struct run_gaps *g)
{
	plot_data(p, "gap");
	for (size_t i = 0; i < g->n_list; i++)
		plot_line(p, "%llu %llu %d", (ull)g->list[i].at, (ull)g->list[i].length,
			  INK_FIRST + (int)g->list[i].cause);
	plot_data_end(p);
}

static bool is_listed(const struct run_gaps *g, unsigned int cause)
{
	for (size_t i = 0; i < g->n_list; i++)
		if (g->list[i].cause == cause)
			return true;
	return false;
}

static void list_plot(struct report *rep, const struct run_gaps *g, u64 tps)
{
	const struct axis along = axis_along(tps), length = axis_length(tps);
	struct legend legend[GAP_CAUSES];
	char title[80];
	size_t n = 0;
	struct plot p;

	for (unsigned int k = 0; k < GAP_CAUSES; k++)
		if (is_listed(g, k))
			legend[n++] = (struct legend){INK_FIRST + k, gap_cause_name[k]};
	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	time_axis(&p, &along);
	plot_line(&p, "set ylabel '%s' textcolor rgb '#000002'", length.label);
	plot_line(&p, "set logscale y");
	plot_line(&p, "set format y '%%.0s%%c'");
	gaps_data(&p, g);
	plot_line(&p,
		  "plot $gap using ($1/%llu.0):($2/%llu.0):3 with impulses lw 1.5 lc rgb variable, "
		  "$gap using ($1/%llu.0):($2/%llu.0):3 with points pt 7 ps 0.5 lc rgb variable",
		  (ull)along.unit, (ull)length.unit, (ull)along.unit, (ull)length.unit);
	snprintf(title, sizeof(title), "%s%zu of %llu gaps, by length and cause",
		 g->n_list < g->all.n ? "The first " : "", g->n_list, (ull)g->all.n);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = title,
			    .note = g->torn ? "Some of the list did not arrive." : NULL,
			    .legend = legend,
			    .n_legend = n,
		    });
}

/* A part of the time watched: type=gap. */
struct part {
	u64 at, watched, stolen, longest;
};

static bool part_read(const struct run_record *rec, struct part *out)
{
	return run_number(rec, "at", &out->at) && run_number(rec, "watched", &out->watched) &&
	       run_number(rec, "stolen", &out->stolen) &&
	       run_number(rec, "longest", &out->longest) && out->watched;
}

/* Parts in a million stolen; more than all is possible in a log only. */
static u64 stolen_ppm(const struct part *x)
{
	u128 ppm = u128_div((u128)x->stolen * 1000000, x->watched, NULL);

	return ppm > ~0u ? ~0u : (u64)ppm;
}

static void parts_plot(struct report *rep, const struct run *r, u64 tps)
{
	const struct axis along = axis_along(tps);
	const struct run_record *rec = NULL;
	u64 most = 1;
	struct part x;
	struct plot p;
	size_t n = 0;

	plot_start(&p, REPORT_WIDTH, REPORT_HEIGHT);
	time_axis(&p, &along);
	plot_line(&p, "set ylabel 'parts per million stolen' textcolor rgb '#000002'");
	plot_data(&p, "part");
	while ((rec = run_find(r, "gap", rec)) != NULL) {
		if (!part_read(rec, &x))
			continue;
		plot_line(&p, "%llu %llu %llu", (ull)x.at, (ull)x.watched, (ull)stolen_ppm(&x));
		most = stolen_ppm(&x) > most ? stolen_ppm(&x) : most;
		n++;
	}
	plot_data_end(&p);
	if (!n) {
		plot_drop(&p);
		return;
	}
	plot_axis(&p, 'y', 0, most, 1);
	plot_line(&p,
		  "plot $part using (($1+$2/2)/%llu.0):3:($1/%llu.0):(($1+$2)/%llu.0):(0):3 with "
		  "boxxyerror fs solid 0.85 noborder " INK_1,
		  (ull)along.unit, (ull)along.unit, (ull)along.unit);
	report_plot(rep, &p,
		    &(struct report_figure){
			    .title = "Stolen time over the whole watch",
			    .note = "A bar a record type=gap, as wide as it watched.",
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

static void gaps_numbers(FILE *to, const struct run_gaps *g, u64 tps)
{
	const struct run_gap_sums *a = &g->all;

	fputs("<dl class=card>\n", to);
	rate_pair(to, "gaps", a->n, "gaps", a->watched, tps);
	fputs("<dt>watched</dt><dd>", to);
	with_time(to, a->watched, tps);
	fputs("</dd>\n<dt>stolen</dt><dd>", to);
	with_time(to, a->stolen, tps);
	fputs("</dd>\n<dt>longest</dt><dd>", to);
	with_time(to, a->n ? a->longest : g->most, tps);
	fprintf(to, "</dd>\n<dt>a gap is</dt><dd>%llu ticks more than usual</dd>\n",
		(ull)g->threshold);
	causes_pair(to, a);
	if (g->smi_counts)
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
	if (g->seq) {
		gaps_numbers(rep->to, g, tps);
		decades_write(rep->to, &g->decades, tps);
	} else {
		report_missing(rep, "The sums of the gaps suite (record type=gaps) did not "
				    "arrive.");
	}
	fputs("<div class=pair>\n", rep->to);
	if (g->n_list)
		list_plot(rep, g, tps);
	else if (g->seq && !g->all.n)
		report_missing(rep, "No time line: there was no gap.");
	parts_plot(rep, r, tps);
	fputs("</div>\n", rep->to);
}
