/* SPDX-License-Identifier: MIT */
/* Comma lists, as options and records hold them. An empty item is an item. */
#ifndef LIST_H
#define LIST_H

#include "types.h"

/* Steps through list[0..n): *pos starts at 0; false at the end. */
bool list_item(const char *list, size_t n, size_t *pos, const char **item, size_t *item_n);

/* The same for a NUL-terminated list, which when empty has no item. */
bool list_next(const char *list, size_t *pos, const char **item, size_t *item_n);

/* Where word[0..n) stands; false if it does not, or if the list is NULL. */
bool list_index(const char *list, const char *word, size_t n, u32 *index);

/* Is `name` in the list, or is the list "all"? */
bool list_has(const char *list, const char *name);

#endif
