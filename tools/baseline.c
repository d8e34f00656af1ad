// SPDX-License-Identifier: MIT
/* Where the runs of a baseline come from: see baseline.h. */
#include "baseline.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "recompute.h"
#include "store.h"

struct source {
	struct baseline *baseline;
	const struct command *command;
	const char *name;   /* of the log, for messages */
	const char *within; /* the store it is in, or NULL */
};

static void take(const struct source *from, struct run *r)
{
	struct baseline *b = from->baseline;

	if (run_stands(from->command, from->name, r) != EXIT_FINE) {
		complain(from->command, "%s: that run is left out of the baseline", from->name);
		b->unusable++;
		run_free(r);
		return;
	}
	side_add(&b->runs, r, from->name, from->within);
	b->repeated += side_drop_repeated(&b->runs);
}

static void take_logged(void *ctx, struct run *r)
{
	take(ctx, r);
}

/* How many runs the file holds; 0 too if it cannot be read. */
static u64 read_log(struct baseline *b, const struct command *c, const char *path,
		    struct run_totals *totals)
{
	struct source from = {.baseline = b, .command = c, .name = path};

	if (!run_read_each(c, path, take_logged, &from, totals))
		b->failed = true;
	return totals->runs;
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void read_directory(struct baseline *b, const struct command *c)
{
	struct dirent **entry;
	struct run_totals totals;
	int n = scandir(b->path, &entry, is_visible, alphasort);

	if (n < 0) {
		complain(c, "%s: %s", b->path, strerror(errno));
		b->failed = true;
		return;
	}
	for (int i = 0; i < n; i++) {
		char *path = must_print("%s/%s", b->path, entry[i]->d_name);

		if (is_file(path) && !read_log(b, c, path, &totals))
			b->others++;
		free(path);
		free(entry[i]);
	}
	free(entry);
}

static void take_stored(void *ctx, struct run *r, const char *source)
{
	struct source *from = ctx;

	from->name = source;
	take(from, r);
}

static void read_store(struct baseline *b, const struct command *c)
{
	struct source from = {.baseline = b, .command = c, .within = b->path};
	struct store *s = store_open_read(c, b->path);

	if (!s || !store_each(s, take_stored, &from))
		b->failed = true;
	if (s)
		store_close(s);
}

static void read_one_log(struct baseline *b, const struct command *c)
{
	struct run_totals totals;

	if (!read_log(b, c, b->path, &totals) && !b->failed)
		complain(c, "%s: neither a log with a run, nor a directory of logs, nor a store",
			 b->path);
}

void baseline_read(struct baseline *b, const struct command *c, const char *path)
{
	struct stat st;

	*b = (struct baseline){.path = path};
	if (stat(path, &st) != 0 && strcmp(path, "-") != 0) {
		complain(c, "%s: %s", path, strerror(errno));
		b->failed = true;
	} else if (strcmp(path, "-") != 0 && S_ISDIR(st.st_mode)) {
		read_directory(b, c);
	} else if (store_is(path)) {
		read_store(b, c);
	} else {
		read_one_log(b, c);
	}
}

void baseline_free(struct baseline *b)
{
	side_free(&b->runs);
}
