// SPDX-License-Identifier: MIT
/* Samples by what was in use: see xgroup.h. */
#include "xgroup.h"

size_t xgroup_find(const u64 *xinuse, size_t n, struct xgroup *group, size_t cap, u64 *other)
{
	size_t groups = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		while (at < groups && group[at].xinuse < xinuse[i])
			at++;
		if (at < groups && group[at].xinuse == xinuse[i]) {
			group[at].n++;
		} else if (groups == cap) {
			++*other;
		} else {
			for (size_t k = groups++; k > at; k--)
				group[k] = group[k - 1];
			group[at] = (struct xgroup){.xinuse = xinuse[i], .n = 1, .first = i};
		}
	}
	return groups;
}

size_t xgroup_take(const u64 *x, const u64 *xinuse, size_t n, u64 which, u64 *out)
{
	size_t taken = 0;

	for (size_t i = 0; i < n; i++)
		if (xinuse[i] == which)
			out[taken++] = x[i];
	return taken;
}
