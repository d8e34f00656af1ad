/* SPDX-License-Identifier: MIT */
/*
 * Plots by gnuplot. A script is made of constant commands and of numbers; what a log calls things
 * goes past gnuplot: svg.h. There is no shell and no start-up file, and the time is bounded.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdio.h>

#include "svg.h"
#include "ticklog.h"

#define PLOT_SECONDS 10	 /* for one plot */
#define PLOT_WORDS   128 /* texts of a log in one plot */
#define PLOT_WORD    40	 /* bytes of a text in a plot, at most, with the end */
#define PLOT_SAID    340 /* of what is said of a plot */

/* Colours are the page's: numbers that its style sheet knows. */
#define INK_AXIS  "lc rgb '#000001'"
#define INK_FAINT "lc rgb '#00000a'"
#define INK_1	  "lc rgb '#000004'" /* up to 6 at #000009 */
#define INK_2	  "lc rgb '#000005'"
#define INK_3	  "lc rgb '#000006'"
#define INK_FIRST 4
#define INKS_MOST 6

/* gnuplot, as far as this page is concerned. */
struct plotter {
	const struct command *command;
	bool off; /* no more plots: it is not here, hung, or draws none */
	u64 drawn, missing;
	char why[200];		 /* the last missing one is, and */
	char first[PLOT_SAID];	 /* which was the first, and why */
	u64 odd;		 /* drawn, but not without a word */
	char odd_was[PLOT_SAID]; /* which was the first of these, and what was said */
	bool shows;		 /* progress stands on the terminal */
	u64 start;		 /* of the first plot, ms */
};

void plotter_init(struct plotter *pl, const struct command *c);

/* After the last plot: says once, on stderr, what went wrong with how many. */
void plotter_end(struct plotter *pl);

/* How many are missing, in words: "its plot", "its 14 plots", "3 of its 14 plots". */
void plotter_missing(const struct plotter *pl, char words[64]);

struct plot {
	FILE *script;
	char *bytes;
	size_t n;
	size_t n_words;
	struct svg_word word[PLOT_WORDS];
	char token[PLOT_WORDS][PLOT_WORD];
	char text[PLOT_WORDS][PLOT_WORD];
};

/* Points of the page, of which a phone shows 360. Ends in plot_draw(). */
void plot_start(struct plot *p, unsigned int width, unsigned int height);

/* A line of gnuplot: constant words and numbers. */
void plot_line(struct plot *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The word that stands for a text of the log in a command, where it needs quotes around it. */
const char *plot_word(struct plot *p, const char *text);

/* "$NAME << END"; lines of numbers follow by plot_line(), then plot_data_end(). */
void plot_data(struct plot *p, const char *name);
void plot_data_end(struct plot *p);

/* gnuplot's numbers are doubles: on an axis that ends at this value less than that is no distance.
 */
u64 plot_grain(u64 value);

/* value + by, as far as numbers go. */
u64 plot_beyond(u64 value, u64 by);

/*
 * An axis, 'x' or 'y', from lo to hi, which are times `scale`, both rounded to the next of a few
 * round numbers along it; with k, M, G where that loses nothing.
 */
void plot_axis(struct plot *p, char axis, u64 lo, u64 hi, u32 scale);

/* A broken line from the bottom to the top at that value of x, in one of the inks. */
void plot_mark(struct plot *p, u64 x, const char *ink);

/* Writes the plot as an <svg>, and frees it. False, and nothing written, if there is none: pl->why.
 */
bool plot_draw(struct plotter *pl, struct plot *p, const char *title, FILE *to);

#endif
