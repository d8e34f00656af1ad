// SPDX-License-Identifier: MIT
/* Texts by number: see words.h. */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "run_build.h"

#define SLOTS_FIRST 64 /* a power of two */

/* FNV-1a of 64 bits, its halves folded: the low bits alone choose the slot. */
static u64 hash(const char *text)
{
	u64 h = 0xcbf29ce484222325ull;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return h ^ h >> 32;
}

/* The slot of the text, or the free one where it belongs. */
static u32 *slot_of(const struct words *w, const char *text)
{
	size_t i = hash(text) & (w->n_slots - 1);

	while (w->slot[i] && strcmp(w->at[w->slot[i] - 1], text) != 0)
		i = (i + 1) & (w->n_slots - 1);
	return &w->slot[i];
}

/* At most half of the slots are taken, so that a search ends soon. */
static void room_make(struct words *w)
{
	size_t n = w->n_slots ? 2 * w->n_slots : SLOTS_FIRST;

	if (w->n < w->n_slots / 2)
		return;
	free(w->slot);
	w->slot = must(calloc(n, sizeof(*w->slot)));
	w->n_slots = n;
	for (u32 i = 0; i < w->n; i++)
		*slot_of(w, w->at[i]) = i + 1;
}

u32 words_take(struct words *w, const char *text)
{
	u32 *slot;

	room_make(w);
	slot = slot_of(w, text);
	if (!*slot) {
		*VECTOR_ADD(w->at, w->n) = must(strdup(text));
		*slot = w->n;
	}
	return *slot - 1;
}

u32 words_find(const struct words *w, const char *text)
{
	u32 *slot = w->n ? slot_of(w, text) : NULL;

	return slot && *slot ? *slot - 1 : WORDS_NONE;
}

void words_free(struct words *w)
{
	for (u32 i = 0; i < w->n; i++)
		free(w->at[i]);
	free(w->at);
	free(w->slot);
	*w = (struct words){0};
}
