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
	bool off;      /* no more plots: it is not here, or it hung */
	char why[200]; /* there is no plot, or no last one */
	u64 drawn, failed;
	bool shows; /* progress stands on the terminal */
	u64 start;  /* of the first plot, ms */
};

void plotter_init(struct plotter *pl, const struct command *c);
void plotter_end(struct plotter *pl); /* takes progress off the terminal */

struct plot {
	FILE *script;
	char *bytes;
	size_t n;
	size_t n_words;
	struct svg_word word[PLOT_WORDS];
	char token[PLOT_WORDS][PLOT_WORD];
	char text[PLOT_WORDS][PLOT_WORD];
};

/* Points of the page, of which a phone shows 360. Ends in plot_draw() or plot_drop(). */
void plot_start(struct plot *p, unsigned int width, unsigned int height);

/* A line of gnuplot: constant words and numbers. */
void plot_line(struct plot *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The word that stands for a text of the log in a command, where it needs quotes around it. */
const char *plot_word(struct plot *p, const char *text);

/* "$NAME << END"; lines of numbers follow by plot_line(), then plot_data_end(). */
void plot_data(struct plot *p, const char *name);
void plot_data_end(struct plot *p);

/*
 * An axis, 'x' or 'y', from lo to hi, which are times `scale`, both rounded to the next of a few
 * round numbers along it; with k, M, G where that loses nothing.
 */
void plot_axis(struct plot *p, char axis, u64 lo, u64 hi, u32 scale);

/* Writes the plot as an <svg>. False, and nothing written, if there is none: pl->why. */
bool plot_draw(struct plotter *pl, struct plot *p, const char *title, FILE *to);
void plot_drop(struct plot *p);

#endif
