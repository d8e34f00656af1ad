/* SPDX-License-Identifier: MIT */
/*
 * Takes a plot over from gnuplot's SVG: its shapes and words and nothing else, in the colours of
 * the page, so that a plot follows the reader's light or dark and cannot bring anything along.
 */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

#include "types.h"

/* Stands in a plot for a text of a log: gnuplot sees the word only. */
struct svg_word {
	const char *word, *text;
};

/*
 * Writes the plot of svg[0..n) to `to` as one <svg> element. Colour rgb(0, 0, N) becomes the
 * classes sN (stroke) and fN (fill). False if that is no plot as gnuplot writes it: what was
 * written is void.
 */
bool svg_take(FILE *to, const char *svg, size_t n, const char *title, const struct svg_word *words,
	      size_t n_words);

#endif
