/* SPDX-License-Identifier: MIT */
/*
 * The page of `ticklog report`: HTML that needs nothing but itself. Its parts write to one stream,
 * in the order of the page; nothing of a log gets there but through html.h and svg.h. What there is
 * too much of is cut, counted and told, so that a page can be opened whatever went in.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "courses.h"
#include "party.h"
#include "plot.h"
#include "recompute.h"
#include "run.h"
#include "words.h"

/* Points: what a phone shows of them is readable, and two fit beside each other on a desk. */
#define REPORT_WIDTH  520
#define REPORT_HEIGHT 300

typedef unsigned long long ull; /* for printf() */

/* What a page holds at most, unless more was asked for. */
#define REPORT_DETAILED 12	     /* runs with all there is */
#define REPORT_LISTED	200	     /* runs with their verdict */
#define REPORT_BYTES	(2700 << 10) /* no further run with all there is goes beyond these */

/* What identifies a run beyond its date and id. */
#define REPORT_IDENTITY 18
const char *report_identity_term(size_t i);

struct report_run {
	/* Of a run that is listed; of all others only what is below is kept. */
	const struct run *run; /* or NULL */
	struct side own;       /* that run alone, or nothing */
	struct recomputed re;

	const char *path;     /* as given */
	unsigned int number;  /* on the page, from 1 */
	unsigned int group;   /* from 0; those of one group may be compared: party.h */
	unsigned int same_as; /* number of an earlier run that is the same, or 0 */
	bool emulated, broken;
	u64 contradictions;
	/* Words: see struct report. The methods: that recommended, and that of stability. */
	u32 identity[REPORT_IDENTITY], trust, recommended, stability;
};

/* A log of which not all came onto the page, with the reason. */
struct report_loss {
	const char *path;
	char words[160];
};

struct report {
	const struct command *command;
	size_t detailed; /* so many runs, the last ones, have all there is on the page */
	bool asked;	 /* that number was given, and is kept to */
	bool all;	 /* nothing is left out */

	size_t n;
	struct report_run *run;
	struct courses courses; /* figures over all runs */
	struct words words;	/* what runs call things */
	struct words groups;	/* by what has to agree in them */
	struct words contents;	/* runs, each content once */
	size_t n_first;
	unsigned int *first; /* the first run of each content */
	size_t n_losses;
	struct report_loss *loss;

	FILE *to;
	struct plotter plots;
	bool cut; /* something is left out */
};

/* The run is the report's from now on, and the last one. */
const struct report_run *report_take(struct report *rep, struct run *r, const char *path);
void report_free(struct report *rep);

/* The whole page. */
void report_write(struct report *rep, FILE *to);

extern const char report_style[]; /* the style sheet */

/* ---- parts of it */

void report_runs(struct report *rep);	   /* for two runs or more: which, and how they differ */
void report_over_runs(struct report *rep); /* their figures, side by side */
void report_figures(struct report *rep);   /* every figure of all runs */
void report_verdict(struct report *rep, const struct report_run *rr, bool detailed);
void report_reasons_short(FILE *to, const struct run *r); /* the names of its reasons */
void report_identity(struct report *rep, const struct report_run *rr);
void report_checks(struct report *rep, const struct run *r);
void report_summary(struct report *rep, const struct run *r);
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

/* The same of a suite of which the log has a part. */
void report_partial(struct report *rep, const struct run *r, enum run_suite suite);

/* How many of n are shown: `most`, unless nothing is left out. Whoever leaves out says it. */
size_t report_room(struct report *rep, size_t n, size_t most);

/* "Shown: " and this, which names how many of how many. */
void report_cut(struct report *rep, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs by number, in their order: "1, 3 to 9 and 17 more"; with links to those that are listed. */
struct report_numbers {
	struct report *rep;
	const struct report_run *from, *to; /* not written yet */
	size_t ranges, left_out;
};

void report_number(struct report_numbers *list, const struct report_run *rr);
void report_numbers_end(struct report_numbers *list);

/* Vertical lines in a histogram; 0: none. */
struct report_marks {
	u64 p50, p999;
};

/* The whole of a histogram on two logarithmic axes, from a tick to a second. */
void report_histogram_whole(struct report *rep, const struct run_hist *h, const char *title,
			    const struct report_marks *marks);

bool run_is_emulated(const struct run *r);

#endif
