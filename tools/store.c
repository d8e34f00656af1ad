// SPDX-License-Identifier: MIT
/* Runs in and out of one SQLite file: see store.h. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "content.h"
#include "escape.h"
#include "run_build.h"
#include "store_schema.h"

#define WAIT_MS 30000 /* for another import to end */

/* In the header of an SQLite file (https://www.sqlite.org/fileformat.html), big-endian. */
#define HEADER		   100
#define HEADER_MAGIC	   "SQLite format 3"
#define HEADER_VERSION	   60
#define HEADER_APPLICATION 68
#define JOURNAL_MAGIC	   "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

struct store {
	const struct command *command;
	const char *path;
	sqlite3 *db;
	sqlite3_stmt *insert_run, *insert_record, *insert_result, *insert_figure, *insert_xsave;
	sqlite3_stmt *find_run, *records, *results;
	bool begun; /* a transaction, and it did not end */
};

/* ---- what kind of file it is, before SQLite may touch it */

enum kind { KIND_ABSENT, KIND_EMPTY, KIND_STORE, KIND_OTHER_DATABASE, KIND_OTHER, KIND_ERROR };

static u32 big_endian(const unsigned char *at)
{
	return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | at[3];
}

/* Of a new file whose import was killed: all is in the journal that SQLite will play back. */
static bool is_unfinished(const char *path, const unsigned char *header)
{
	char journal[4096], magic[8];
	bool found = false;
	int fd, n = snprintf(journal, sizeof(journal), "%s-journal", path);

	for (size_t i = 0; i < HEADER; i++)
		if (header[i])
			return false;
	if (n < 0 || (size_t)n >= sizeof(journal))
		return false;
	fd = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	found = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		!memcmp(magic, JOURNAL_MAGIC, sizeof(magic));
	close(fd);
	return found;
}

static enum kind kind_of_header(const char *path, const unsigned char *header, size_t n,
				u32 *version)
{
	if (n < HEADER || memcmp(header, HEADER_MAGIC, sizeof(HEADER_MAGIC)))
		return n == HEADER && is_unfinished(path, header) ? KIND_EMPTY : KIND_OTHER;
	*version = big_endian(header + HEADER_VERSION);
	return big_endian(header + HEADER_APPLICATION) == STORE_APPLICATION ? KIND_STORE
									    : KIND_OTHER_DATABASE;
}

/* With KIND_ERROR errno says why. */
static enum kind kind_of(const char *path, u32 *version)
{
	unsigned char header[HEADER];
	enum kind kind = KIND_OTHER;
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*version = 0;
	if (fd < 0)
		return errno == ENOENT ? KIND_ABSENT : KIND_ERROR;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		n = pread(fd, header, sizeof(header), 0);
		if (n < 0)
			kind = KIND_ERROR;
		else if (n == 0)
			kind = KIND_EMPTY;
		else
			kind = kind_of_header(path, header, (size_t)n, version);
	}
	close(fd);
	return kind;
}

bool store_is(const char *path)
{
	u32 version;

	return kind_of(path, &version) == KIND_STORE;
}

/* ---- opening */

static bool fail(struct store *s, const char *what)
{
	int code = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM;
	int error = s->db ? sqlite3_system_errno(s->db) : 0;

	if ((code & 0xff) == SQLITE_BUSY)
		complain(s->command, "%s: %s: another program has kept it locked for %d s", s->path,
			 what, WAIT_MS / 1000);
	else if (error && (code & 0xff) != SQLITE_CORRUPT && (code & 0xff) != SQLITE_NOTADB)
		complain(s->command, "%s: %s: %s: %s", s->path, what, sqlite3_errstr(code & 0xff),
			 strerror(error));
	else
		complain(s->command, "%s: %s: %s", s->path, what,
			 s->db ? sqlite3_errmsg(s->db) : "out of memory");
	return false;
}

static bool run_sql(struct store *s, const char *what, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(s, what);
}

static bool prepare(struct store *s, sqlite3_stmt **statement, const char *sql)
{
	return sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) ==
		       SQLITE_OK ||
	       fail(s, "this is no store, or a damaged one");
}

/* A name such as ":memory:" would mean something else to SQLite. */
static bool open_database(struct store *s, int flags)
{
	char *name = sqlite3_mprintf("%s%s", s->path[0] == '/' ? "" : "./", s->path);
	int code = name ? sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL)
			: SQLITE_NOMEM;

	sqlite3_free(name);
	if (code != SQLITE_OK)
		return fail(s, "opening it");
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, WAIT_MS);
	/* What a file's schema says must not run: it may be anybody's. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return true;
}

static struct store *store_open(const struct command *c, const char *path, int flags)
{
	struct store *s = must(calloc(1, sizeof(*s)));

	s->command = c;
	s->path = path;
	if (open_database(s, flags))
		return s;
	store_close(s);
	return NULL;
}

/* After a failed write SQLite leaves the journal to whoever opens the file next: that is us. */
static void take_back(struct store *s)
{
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

void store_close(struct store *s)
{
	sqlite3_stmt *statement;

	while (s->db && (statement = sqlite3_next_stmt(s->db, NULL)) != NULL)
		sqlite3_finalize(statement);
	if (s->begun)
		take_back(s);
	sqlite3_close(s->db);
	free(s);
}

/* Says what is wrong with a file that is no store. */
static bool is_ours(const struct command *c, const char *path, enum kind kind, u32 version)
{
	if (kind == KIND_ERROR)
		complain(c, "%s: %s", path, strerror(errno));
	else if (kind == KIND_ABSENT)
		complain(c, "%s: there is no such file; expected a store made by ticklog import",
			 path);
	else if (kind == KIND_EMPTY)
		complain(c, "%s: it is empty; expected a store made by ticklog import", path);
	else if (kind == KIND_OTHER_DATABASE)
		complain(c, "%s: an SQLite file of another program; it was not touched", path);
	else if (kind == KIND_OTHER)
		complain(c, "%s: this is no store of ticklog; it was not touched", path);
	else if (version > STORE_VERSION)
		complain(c, "%s: a store of version %u; this ticklog knows versions up to %d", path,
			 version, STORE_VERSION);
	return kind == KIND_STORE && version <= STORE_VERSION;
}

static bool can_read(struct store *s)
{
	return prepare(s, &s->records, "SELECT bytes FROM record WHERE run = ? ORDER BY seq") &&
	       prepare(s, &s->results,
		       "SELECT name, ok, status, reason FROM result WHERE run = ? ORDER BY number");
}

struct store *store_open_read(const struct command *c, const char *path)
{
	struct store *s;
	u32 version;
	enum kind kind = kind_of(path, &version);

	if (!is_ours(c, path, kind, version))
		return NULL;
	/* What a killed import left must be taken back first, which is a write. */
	s = store_open(c, path, SQLITE_OPEN_READWRITE);
	if (!s || (run_sql(s, "setting it up", "PRAGMA query_only = ON") && can_read(s)))
		return s;
	store_close(s);
	return NULL;
}

struct store *store_open_import(const struct command *c, const char *path)
{
	u32 version;
	enum kind kind = kind_of(path, &version);

	if (kind != KIND_ABSENT && kind != KIND_EMPTY && !is_ours(c, path, kind, version))
		return NULL;
	/* Beyond a limit on a file's size a write shall fail, and the import be taken back. */
	signal(SIGXFSZ, SIG_IGN);
	return store_open(c, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

/* ---- transactions */

static bool pragma_number(struct store *s, const char *sql, i64 *value)
{
	sqlite3_stmt *statement;
	bool ok;

	if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return fail(s, "reading it");
	ok = sqlite3_step(statement) == SQLITE_ROW;
	*value = ok ? sqlite3_column_int64(statement, 0) : 0;
	if (!ok)
		fail(s, "reading it");
	sqlite3_finalize(statement);
	return ok;
}

/* The file may have been made or changed by another since its header was looked at. */
static bool schema_settle(struct store *s)
{
	i64 application, version, objects;
	char sql[96];

	if (!pragma_number(s, "PRAGMA application_id", &application) ||
	    !pragma_number(s, "PRAGMA user_version", &version) ||
	    !pragma_number(s, "SELECT count(*) FROM sqlite_schema", &objects))
		return false;
	if (application || version || objects)
		return is_ours(s->command, s->path,
			       application == STORE_APPLICATION ? KIND_STORE : KIND_OTHER_DATABASE,
			       (u32)version);
	snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 STORE_APPLICATION, STORE_VERSION);
	return run_sql(s, "making its tables", store_schema) &&
	       run_sql(s, "making its tables", sql);
}

static bool can_import(struct store *s)
{
	return can_read(s) &&
	       prepare(s, &s->find_run, "SELECT id, source FROM run WHERE run = ?") &&
	       prepare(s, &s->insert_run, store_insert_run) &&
	       prepare(s, &s->insert_record, store_insert_record) &&
	       prepare(s, &s->insert_result, store_insert_result) &&
	       prepare(s, &s->insert_figure, store_insert_figure) &&
	       prepare(s, &s->insert_xsave, store_insert_xsave);
}

bool store_begin(struct store *s)
{
	if (!run_sql(s, "setting it up", "PRAGMA foreign_keys = ON") ||
	    !run_sql(s, "starting the import", "BEGIN IMMEDIATE"))
		return false;
	s->begun = true;
	return schema_settle(s) && can_import(s);
}

bool store_commit(struct store *s)
{
	if (!run_sql(s, "ending the import", "COMMIT"))
		return false;
	s->begun = false;
	return true;
}

/* ---- in */

struct binder {
	sqlite3_stmt *statement;
	int at;
	bool ok;
};

static void bind_u64(struct binder *b, u64 value)
{
	b->ok &= sqlite3_bind_int64(b->statement, ++b->at, (sqlite3_int64)value) == SQLITE_OK;
}

static void bind_bytes(struct binder *b, const char *bytes, size_t n)
{
	b->ok &= sqlite3_bind_text64(b->statement, ++b->at, bytes, n, SQLITE_TRANSIENT,
				     SQLITE_UTF8) == SQLITE_OK;
}

/* A log may hold bytes that are no text; a TEXT column may not. */
static void bind_text(struct binder *b, const char *text)
{
	char *plain = NULL;
	size_t n;
	FILE *to = must(open_memstream(&plain, &n));

	escape_puts(to, text);
	memory_close(to);
	bind_bytes(b, plain, n);
	free(plain);
}

static struct binder binder_on(sqlite3_stmt *statement)
{
	sqlite3_reset(statement);
	return (struct binder){.statement = statement, .ok = true};
}

static bool insert(struct store *s, struct binder *b)
{
	bool ok = b->ok && sqlite3_step(b->statement) == SQLITE_DONE;

	if (!ok)
		fail(s, "writing a run");
	sqlite3_reset(b->statement);
	return ok;
}

static bool add_run(struct store *s, const struct run *r, const char *source)
{
	const struct run_identity *id = &r->id;
	const char *const words[] = {
		id->run,       source,	       id->build,    id->code,	    id->profile,
		id->options,   id->vendor,     id->brand,    id->signature, id->core_type,
		id->microcode, id->hypervisor, id->emulated, id->boot,	    id->loader,
		id->rtc,       id->firmware,   id->board,    id->serial,    id->uuid,
		id->label,
	};
	struct binder b = binder_on(s->insert_run);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		bind_text(&b, words[i]);
	bind_u64(&b, r->tsc_khz);
	bind_u64(&b, r->tsc_trusted);
	bind_u64(&b, r->step);
	bind_u64(&b, r->pass);
	bind_text(&b, r->trust);
	bind_text(&b, r->trust_reasons);
	bind_text(&b, r->recommended);
	bind_u64(&b, r->planned);
	return insert(s, &b);
}

static bool add_records(struct store *s, const struct run *r, u64 id)
{
	for (size_t i = 0; i < r->n_records; i++) {
		const struct run_record *from = &r->record[i];
		struct binder b = binder_on(s->insert_record);
		struct record rec;
		size_t n = content_record(&rec, from);

		if (n == 0) {
			complain(s->command, "run %s: record %llu does not fit in %d bytes",
				 r->id.run, (unsigned long long)from->seq, RECORD_MAX);
			return false;
		}
		bind_u64(&b, id);
		bind_u64(&b, from->seq);
		bind_text(&b, from->type);
		bind_bytes(&b, rec.bytes, n);
		if (!insert(s, &b))
			return false;
	}
	return true;
}

static const char *const statuses[] = {
	[STATUS_OK] = "ok",	    [STATUS_SKIP] = "skip",   [STATUS_UNSTABLE] = "unstable",
	[STATUS_FAILED] = "failed", [STATUS_ERROR] = "error",
};

static bool add_results(struct store *s, const struct run *r, u64 id)
{
	for (size_t i = 0; i < r->n_checks; i++) {
		const struct run_check *from = &r->checks[i];
		struct binder b = binder_on(s->insert_result);

		bind_u64(&b, id);
		bind_u64(&b, i + 1);
		bind_text(&b, from->check.name);
		bind_u64(&b, from->ok);
		bind_text(&b, statuses[from->check.status]);
		bind_text(&b, from->check.reason);
		if (!insert(s, &b))
			return false;
	}
	return true;
}

struct figures_in {
	struct store *store;
	u64 run;
	bool ok;
};

static void add_figure(void *ctx, const struct figure *f)
{
	static const char *const classes[] = {"floor", "typical", "tail", "spread", "count"};
	static const char *const betters[] = {"lower", "higher", "neither"};
	struct figures_in *in = ctx;
	struct binder b = binder_on(in->store->insert_figure);

	if (!in->ok)
		return;
	bind_u64(&b, in->run);
	bind_text(&b, f->name);
	bind_text(&b, f->unit);
	bind_u64(&b, f->scale);
	bind_u64(&b, f->value);
	bind_u64(&b, f->slack);
	bind_u64(&b, f->overflow);
	bind_text(&b, classes[f->class]);
	bind_text(&b, betters[f->better]);
	bind_u64(&b, f->seq);
	in->ok = insert(in->store, &b);
}

static bool add_xsave(struct store *s, const struct run *r, u64 id)
{
	for (size_t i = 0; i < r->n_xcells; i++) {
		const struct xcell *x = &r->xcell[i].cell;
		const u64 numbers[] = {x->rfbm,	   x->xinuse,  x->lat.n,   x->lat.kept,
				       x->lat.min, x->lat.max, x->lat.avg, x->lat.avg97,
				       x->lat.p50, x->lat.p99, x->overhead};
		struct binder b = binder_on(s->insert_xsave);

		bind_u64(&b, id);
		bind_text(&b, x->event);
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
			bind_u64(&b, numbers[k]);
		if (!insert(s, &b))
			return false;
	}
	return true;
}

/* The text of a column, never NULL: a damaged file may hold anything. */
static const char *column(sqlite3_stmt *statement, int i)
{
	const char *text = (const char *)sqlite3_column_text(statement, i);

	return text ? text : "";
}

/* True if the stored records are those of r; else *differs is the first that is not. */
static bool same_content(struct store *s, const struct run *r, u64 id, u64 *differs)
{
	struct record rec;
	size_t i = 0;
	bool same = true;

	sqlite3_reset(s->records);
	sqlite3_bind_int64(s->records, 1, (sqlite3_int64)id);
	while (same && sqlite3_step(s->records) == SQLITE_ROW) {
		size_t n = i < r->n_records ? content_record(&rec, &r->record[i]) : 0;

		same = n && n == (size_t)sqlite3_column_bytes(s->records, 0) &&
		       !memcmp(rec.bytes, column(s->records, 0), n);
		i += same;
	}
	same = same && i == r->n_records;
	*differs = i < r->n_records ? r->record[i].seq : i + 1;
	sqlite3_reset(s->records);
	return same;
}

/* STORE_ADDED: there is none of this id yet. */
static enum store_added look_for(struct store *s, const struct run *r, const char *source)
{
	struct binder b = binder_on(s->find_run);
	enum store_added found = STORE_ADDED;
	u64 differs;
	int code;

	bind_text(&b, r->id.run);
	code = sqlite3_step(s->find_run);
	if (code == SQLITE_ROW) {
		u64 id = (u64)sqlite3_column_int64(s->find_run, 0);

		found = same_content(s, r, id, &differs) ? STORE_THERE : STORE_OTHER;
		if (found == STORE_THERE)
			complain(s->command, "%s: run %s is refused: %s has it already, from %s",
				 source, r->id.run, s->path, column(s->find_run, 1));
		else
			complain(
				s->command,
				"%s: run %s is in %s with other content, from record %llu on; it came "
				"from %s",
				source, r->id.run, s->path, (unsigned long long)differs,
				column(s->find_run, 1));
	} else if (code != SQLITE_DONE) {
		fail(s, "looking for a run");
		found = STORE_FAILED;
	}
	sqlite3_reset(s->find_run);
	return found;
}

enum store_added store_add(struct store *s, const struct run *r, const char *source)
{
	struct figures_in in = {.store = s, .ok = true};
	enum store_added found = look_for(s, r, source);

	if (found != STORE_ADDED)
		return found;
	if (!add_run(s, r, source))
		return STORE_FAILED;
	in.run = (u64)sqlite3_last_insert_rowid(s->db);
	if (!add_records(s, r, in.run) || !add_results(s, r, in.run) || !add_xsave(s, r, in.run))
		return STORE_FAILED;
	run_figures(r, add_figure, &in);
	return in.ok ? STORE_ADDED : STORE_FAILED;
}

/* ---- out */

bool store_list(struct store *s, void (*give)(void *ctx, const struct store_row *row), void *ctx)
{
	sqlite3_stmt *q;
	int code;

	if (!prepare(s, &q,
		     "SELECT id, run, source, imported, rtc, label, board, serial, signature,"
		     " microcode, profile, trust, pass,"
		     " (SELECT count(*) FROM record WHERE record.run = run.id),"
		     " (SELECT count(*) FROM figure WHERE figure.run = run.id)"
		     " FROM run ORDER BY id"))
		return false;
	while ((code = sqlite3_step(q)) == SQLITE_ROW) {
		const struct store_row row = {
			.id = (u64)sqlite3_column_int64(q, 0),
			.run = column(q, 1),
			.source = column(q, 2),
			.imported = column(q, 3),
			.rtc = column(q, 4),
			.label = column(q, 5),
			.board = column(q, 6),
			.serial = column(q, 7),
			.signature = column(q, 8),
			.microcode = column(q, 9),
			.profile = column(q, 10),
			.trust = column(q, 11),
			.pass = sqlite3_column_int(q, 12) != 0,
			.records = (u64)sqlite3_column_int64(q, 13),
			.figures = (u64)sqlite3_column_int64(q, 14),
		};

		give(ctx, &row);
	}
	if (code != SQLITE_DONE)
		fail(s, "reading its runs");
	sqlite3_finalize(q);
	return code == SQLITE_DONE;
}

struct kept {
	struct run *run; /* the last of those that the records make: there should be one */
};

static void keep(void *ctx, struct run *r)
{
	struct kept *k = ctx;

	if (k->run)
		run_free(k->run);
	k->run = r;
}

static enum status status_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		if (!strcmp(word, statuses[i]))
			return (enum status)i;
	return STATUS_ERROR;
}

/* As the log had it, not as a column of text does. */
static void column_copy(sqlite3_stmt *statement, int i, char *to, size_t cap)
{
	char *text = must(strdup(column(statement, i)));

	escape_undo(text);
	snprintf(to, cap, "%s", text);
	free(text);
}

/* Result lines are text for people, so not among the records. */
static bool read_results(struct store *s, u64 id, struct run *r)
{
	int code;

	sqlite3_reset(s->results);
	sqlite3_bind_int64(s->results, 1, (sqlite3_int64)id);
	while ((code = sqlite3_step(s->results)) == SQLITE_ROW) {
		struct run_check *c = VECTOR_ADD(r->checks, r->n_checks);

		*c = (struct run_check){.ok = sqlite3_column_int(s->results, 1) != 0};
		c->check.status = status_of(column(s->results, 2));
		column_copy(s->results, 0, c->check.name, sizeof(c->check.name));
		column_copy(s->results, 3, c->check.reason, sizeof(c->check.reason));
	}
	sqlite3_reset(s->results);
	return code == SQLITE_DONE;
}

/* NULL if its records make no run at all, or reading failed. */
static struct run *read_run(struct store *s, u64 id, bool *ok)
{
	struct kept k = {0};
	struct run_totals totals;
	struct run_reader *rd = run_reader_new(keep, &k);
	int code;

	sqlite3_reset(s->records);
	sqlite3_bind_int64(s->records, 1, (sqlite3_int64)id);
	while ((code = sqlite3_step(s->records)) == SQLITE_ROW)
		run_reader_line(rd, column(s->records, 0),
				(size_t)sqlite3_column_bytes(s->records, 0));
	run_reader_end(rd, &totals);
	sqlite3_reset(s->records);
	*ok = code == SQLITE_DONE && (!k.run || read_results(s, id, k.run));
	return k.run;
}

bool store_each(struct store *s, store_run *take, void *ctx)
{
	sqlite3_stmt *q;
	bool ok = true;
	int code;

	if (!prepare(s, &q, "SELECT id, source, planned, run FROM run ORDER BY id"))
		return false;
	while (ok && (code = sqlite3_step(q)) == SQLITE_ROW) {
		struct run *r = read_run(s, (u64)sqlite3_column_int64(q, 0), &ok);

		if (!r) {
			complain(s->command, "%s: run %s has no records", s->path, column(q, 3));
			continue;
		}
		r->planned = (u64)sqlite3_column_int64(q, 2);
		take(ctx, r, column(q, 1));
	}
	ok = ok && code == SQLITE_DONE;
	if (!ok)
		fail(s, "reading its runs");
	sqlite3_finalize(q);
	return ok;
}
