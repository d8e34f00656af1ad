// SPDX-License-Identifier: MIT
/* Holds the figures of a run against the histograms and lines they came from: see recompute.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "recompute_build.h"
#include "run_build.h"

/* Lines gone through in one run: a record may claim any number of them. */
#define LINES_MOST (1u << 26)

/* ---- figures and what is known of them */

static u64 name_hash(const char *stem, const char *key)
{
	char name[FIGURE_NAME];

	snprintf(name, sizeof(name), "%s", stem);
	if (key)
		figure_name_add(name, key);
	return crc64(0, name, strlen(name));
}

static void figure_count(void *ctx, const struct figure *f)
{
	struct recomputed *out = ctx;

	*VECTOR_ADD(out->figure, out->n_figures) =
		(struct covered){crc64(0, f->name, strlen(f->name)), COVER_NONE};
}

static int covered_order(const void *a, const void *b)
{
	u64 x = ((const struct covered *)a)->name, y = ((const struct covered *)b)->name;

	return x == y ? 0 : x < y ? -1 : 1;
}

static struct covered *covered_find(const struct recomputed *out, u64 name)
{
	const struct covered wanted = {.name = name};

	if (out->n_figures == 0)
		return NULL;
	return bsearch(&wanted, out->figure, out->n_figures, sizeof(wanted), covered_order);
}

enum cover recompute_cover(const struct recomputed *out, const char *figure)
{
	const struct covered *f = covered_find(out, crc64(0, figure, strlen(figure)));

	return f ? f->cover : COVER_NONE;
}

void cover(struct checking *c, const struct subject *s, const char *key, enum cover how)
{
	struct covered *f = covered_find(c->out, name_hash(s->stem, key));

	if (f && f->cover < how)
		f->cover = how;
}

void contradict(struct checking *c, const struct subject *s, const char *format, ...)
{
	struct contradiction *x;
	va_list args;
	int n;

	if (c->out->contradictions++ >= CONTRADICTIONS)
		return;
	x = VECTOR_ADD(c->out->at, c->out->n);
	*x = (struct contradiction){.seq = s->seq, .line = s->line};
	n = snprintf(x->words, sizeof(x->words), "record %llu, %s: ", (unsigned long long)s->seq,
		     s->stem);
	va_start(args, format);
	if (n > 0 && (size_t)n < sizeof(x->words))
		vsnprintf(x->words + n, sizeof(x->words) - (size_t)n, format, args);
	va_end(args);
}

void equal_u64(struct checking *c, const struct subject *s, const char *key, u64 printed,
	       u64 computed, const char *from, enum cover how)
{
	if (printed == computed)
		cover(c, s, key, how);
	else
		contradict(c, s, "%s=%llu is printed, but %s %llu", key,
			   (unsigned long long)printed, from, (unsigned long long)computed);
}

static void variance_words(char *to, size_t cap, const struct variance *v)
{
	struct text t = {.at = to, .cap = cap - 1};

	variance_fmt(&t, v);
	to[t.len] = '\0';
}

static bool variance_equal(const struct variance *a, const struct variance *b)
{
	return a->overflow == b->overflow &&
	       (a->overflow || (a->whole == b->whole && a->milli == b->milli));
}

void equal_variance(struct checking *c, const struct subject *s, const char *key,
		    const struct variance *printed, const struct variance *computed,
		    const char *from, enum cover how)
{
	char said[64], want[64];

	if (variance_equal(printed, computed)) {
		cover(c, s, key, how);
		return;
	}
	variance_words(said, sizeof(said), printed);
	variance_words(want, sizeof(want), computed);
	contradict(c, s, "%s=%s is printed, but %s %s", key, said, from, want);
}

static void bound_words(char *to, size_t cap, const struct bound *b)
{
	struct text t = {.at = to, .cap = cap - 1};

	bound_fmt(&t, b);
	to[t.len] = '\0';
}

void equal_bound(struct checking *c, const struct subject *s, const char *key,
		 const struct bound *printed, const struct bound *computed, const char *from,
		 enum cover how)
{
	char said[64], want[64];

	if (printed->lo == computed->lo && printed->hi == computed->hi) {
		cover(c, s, key, how);
		return;
	}
	bound_words(said, sizeof(said), printed);
	bound_words(want, sizeof(want), computed);
	contradict(c, s, "%s=%s is printed, but %s %s", key, said, from, want);
}

void within_u64(struct checking *c, const struct subject *s, const char *key, u64 printed, u64 low,
		u64 high, const char *from)
{
	if (printed >= low && printed <= high)
		cover(c, s, key, COVER_BOUNDED);
	else
		contradict(c, s, "%s=%llu is printed, but by %s it is in %llu..%llu", key,
			   (unsigned long long)printed, from, (unsigned long long)low,
			   (unsigned long long)high);
}

/* ---- all of it */

void recompute(const struct run *r, struct recomputed *out)
{
	struct checking *c = must(calloc(1, sizeof(*c)));

	*out = (struct recomputed){0};
	*c = (struct checking){.r = r, .out = out, .lines_left = LINES_MOST};
	run_figures(r, figure_count, out);
	if (out->n_figures)
		qsort(out->figure, out->n_figures, sizeof(*out->figure), covered_order);
	recompute_clock(c);
	recompute_series(c);
	recompute_methods(c);
	recompute_stability(c);
	recompute_gaps(c);
	recompute_xsave(c);
	recompute_lines(c);
	recompute_matrix(c);
	recompute_text(c);
	for (size_t i = 0; i < out->n_figures; i++)
		out->count[out->figure[i].cover]++;
	free(c);
}

void recompute_free(struct recomputed *out)
{
	free(out->figure);
	free(out->at);
	*out = (struct recomputed){0};
}

int recompute_usable(const struct command *c, const char *path, const struct recomputed *out)
{
	const char *name = log_name(path);

	for (size_t i = 0; i < out->n && i < RUN_SAID; i++)
		complain(c, "%s:%llu: %s", name, (unsigned long long)out->at[i].line,
			 out->at[i].words);
	if (out->contradictions > RUN_SAID)
		complain(c, "%s: and %llu more figure%s that the log contradicts", name,
			 (unsigned long long)(out->contradictions - RUN_SAID),
			 plural(out->contradictions - RUN_SAID));
	return out->contradictions ? EXIT_UNUSABLE : EXIT_FINE;
}

int run_stands(const struct command *c, const char *path, const struct run *r)
{
	int status = run_usable(c, path, r);
	struct recomputed re;

	recompute(r, &re);
	status = exit_worse(status, recompute_usable(c, path, &re));
	recompute_free(&re);
	return status;
}
