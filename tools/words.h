/* SPDX-License-Identifier: MIT */
/* Texts, each of them once, by number: what many runs say alike is kept and compared as a number.
 */
#ifndef WORDS_H
#define WORDS_H

#include "types.h"

#define WORDS_NONE ~0u

struct words {
	u32 n;
	char **at; /* in the order in which they came */
	u32 *slot; /* hash table of numbers + 1 */
	size_t n_slots;
};

/* The text's number, from 0; a text that is new gets the next. */
u32 words_take(struct words *w, const char *text);

/* WORDS_NONE if it never came. */
u32 words_find(const struct words *w, const char *text);

void words_free(struct words *w);

#endif
