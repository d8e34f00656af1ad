// SPDX-License-Identifier: MIT
/* Comma lists: see list.h. */
#include "list.h"

#include "mem.h"

bool list_item(const char *list, size_t n, size_t *pos, const char **item, size_t *item_n)
{
	size_t end = *pos;

	if (*pos > n)
		return false;
	while (end < n && list[end] != ',')
		end++;
	*item = list + *pos;
	*item_n = end - *pos;
	*pos = end + 1; /* n + 1 is behind the last */
	return true;
}

bool list_next(const char *list, size_t *pos, const char **item, size_t *item_n)
{
	return list[0] && list_item(list, strlen(list), pos, item, item_n);
}

bool list_index(const char *list, const char *word, size_t n, u32 *index)
{
	const char *item;
	size_t pos = 0, item_n;

	for (u32 i = 0; list && list_next(list, &pos, &item, &item_n); i++) {
		if (item_n == n && memcmp(item, word, n) == 0) {
			*index = i;
			return true;
		}
	}
	return false;
}

bool list_has(const char *list, const char *name)
{
	u32 index;

	return str_is(list, "all") || list_index(list, name, strlen(name), &index);
}
