/* SPDX-License-Identifier: MIT */
/*
 * The page of `ticklog report`: HTML that needs nothing but itself. Its parts write to one stream,
 * in the order of the page; nothing of a log gets there but through html.h and svg.h.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "party.h"
#include "plot.h"
#include "recompute.h"
#include "run.h"

/* Points: what a phone shows of them is readable, and two fit beside each other on a desk. */
#define REPORT_WIDTH  520
#define REPORT_HEIGHT 300

struct report_run {
	const struct run *run;
	const struct party *party; /* the same run, with its figures */
	const char *path;	   /* as given */
	struct recomputed re;
	unsigned int number;  /* on the page, from 1 */
	unsigned int group;   /* from 0; those of one group may be compared: party.h */
	unsigned int same_as; /* number of an earlier run that is the same, or 0 */
};

/* A log of which not all came onto the page, with the reason. */
struct report_loss {
	const char *path;
	char words[160];
};

struct report {
	const struct command *command;
	FILE *to;
	struct plotter plots;
	size_t n;
	struct report_run *run;
	size_t n_losses;
	struct report_loss *loss;
	size_t detailed; /* so many runs, the last ones, have a section with all there is */
};

/* The whole page. */
void report_write(struct report *rep, FILE *to);

extern const char report_style[]; /* the style sheet */

/* ---- parts of it */

void report_over_runs(struct report *rep); /* for two runs or more */
void report_all_figures(struct report *rep, const struct report_run *rr);
void report_verdict(struct report *rep, const struct report_run *rr);
void report_reasons_short(FILE *to, const struct run *r); /* the names of its reasons */
void report_identity(struct report *rep, const struct report_run *rr);
void report_checks(struct report *rep, const struct report_run *rr);
void report_methods(struct report *rep, const struct run *r);
void report_histograms(struct report *rep, const struct run *r);
void report_staircase(struct report *rep, const struct run *r);
void report_stability(struct report *rep, const struct run *r);
void report_gaps(struct report *rep, const struct run *r);
void report_xsave(struct report *rep, const struct run *r);
void report_matrix(struct report *rep, const struct run *r);

/* ---- what several parts need */

struct legend {
	unsigned int ink; /* of the page's colours: INK_FIRST.. */
	const char *text;
};

struct report_figure {
	const char *title; /* may quote a log */
	const char *note;  /* below it, or NULL; may quote a log */
	const struct legend *legend;
	size_t n_legend;
};

/* The plot with its title, legend and note. Takes the plot. */
void report_plot(struct report *rep, struct plot *p, const struct report_figure *f);

/* What should be here and is not in the log, and how it gets there. */
void report_missing(struct report *rep, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Vertical lines in a histogram; 0: none. */
struct report_marks {
	u64 p50, p999;
};

/* The whole of a histogram on two logarithmic axes, from a tick to a second. */
void report_histogram_whole(struct report *rep, const struct run_hist *h, const char *title,
			    const struct report_marks *marks);

bool run_is_emulated(const struct run *r);
u64 run_tps(const struct run *r); /* ticks a second; 0: not known, or not trusted */

#endif
