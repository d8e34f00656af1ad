/* SPDX-License-Identifier: MIT */
/*
 * The history of runs: one SQLite file. What is kept are a run's records and result lines; the
 * other tables are made of them, for queries. Schema and meaning are in store_schema.c.
 */
#ifndef STORE_H
#define STORE_H

#include "run.h"

#define STORE_APPLICATION 0x746b6c67 /* "tklg" in the file's header */
#define STORE_VERSION	  1	     /* of the schema; user_version */

struct store;

/* By its header alone: is that file a store, of whatever version? */
bool store_is(const char *path);

/*
 * NULL, which was said, if the file is not a store, is newer, or cannot be opened. To read there
 * must be a file; to import it is made where there is none, or an empty one, by store_begin().
 */
struct store *store_open_read(const struct command *c, const char *path);
struct store *store_open_import(const struct command *c, const char *path);
void store_close(struct store *s);

/*
 * All that is added between these lands or nothing does. Another import is waited for. False, which
 * was said, if it failed; then nothing landed. store_close() without a commit takes all back.
 */
bool store_begin(struct store *s);
bool store_commit(struct store *s);

enum store_added {
	STORE_ADDED,
	STORE_THERE,  /* a run of this id with the same content was there, which was said */
	STORE_OTHER,  /* a run of this id with other content was there, which was said */
	STORE_FAILED, /* which was said */
};

/* `source` is where the run came from, for people. */
enum store_added store_add(struct store *s, const struct run *r, const char *source);

/* A row of the table `run`, as far as lists show it. Strings live until the next row. */
struct store_row {
	u64 id;
	const char *run, *source, *imported;
	const char *rtc, *label, *board, *serial, *signature, *microcode, *profile, *trust;
	bool pass;
	u64 records, figures;
};

/* In the order of import. False, which was said, if reading failed. */
bool store_list(struct store *s, void (*row)(void *ctx, const struct store_row *row), void *ctx);

/*
 * Each run read back from its records, and where it came from; the run is the callee's. A stored
 * run that is not complete comes too: it is damaged. False, which was said, if reading failed.
 */
typedef void store_run(void *ctx, struct run *r, const char *source);
bool store_each(struct store *s, store_run *take, void *ctx);

#endif
