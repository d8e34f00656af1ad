// SPDX-License-Identifier: MIT
/*
 * The schema of a store, version 1. All tables are STRICT. SQLite's integers are signed: columns
 * that hold unsigned 64-bit values (masks, values of figures) hold the same 64 bits, so that one
 * that reads as negative stands for itself + 2^64. Text is as in the log, save that bytes that are
 * no printable UTF-8 are written as \xHH; `bytes` of records are exact.
 */
#include "store_schema.h"

const char store_schema[] =
	/* A run and who ran. As in the records of the types begin, options, machine and board. */
	"CREATE TABLE run ("
	" id INTEGER PRIMARY KEY,"
	" run TEXT NOT NULL UNIQUE," /* 16 hex digits */
	" source TEXT NOT NULL,"     /* the log, as it was named */
	" imported TEXT NOT NULL,"   /* UTC */
	" build TEXT NOT NULL, code TEXT NOT NULL, profile TEXT NOT NULL, options TEXT NOT NULL,"
	" vendor TEXT NOT NULL, brand TEXT NOT NULL, signature TEXT NOT NULL,"
	" core_type TEXT NOT NULL, microcode TEXT NOT NULL, hypervisor TEXT NOT NULL,"
	" emulated TEXT NOT NULL, boot TEXT NOT NULL, loader TEXT NOT NULL, rtc TEXT NOT NULL,"
	" firmware TEXT NOT NULL, board TEXT NOT NULL, serial TEXT NOT NULL, uuid TEXT NOT NULL,"
	" label TEXT NOT NULL,"
	" tsc_khz INTEGER NOT NULL," /* 0: not known */
	" tsc_trusted INTEGER NOT NULL,"
	" step INTEGER NOT NULL," /* ticks, 0: not known */
	" pass INTEGER NOT NULL,"
	" trust TEXT NOT NULL, trust_reasons TEXT NOT NULL, recommended TEXT NOT NULL,"
	" planned INTEGER NOT NULL" /* result lines there should be */
	") STRICT;"
	/* Each record as it was printed. */
	"CREATE TABLE record ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" seq INTEGER NOT NULL, type TEXT NOT NULL, bytes TEXT NOT NULL,"
	" PRIMARY KEY (run, seq)) STRICT, WITHOUT ROWID;"
	/* Each result line: status is ok, skip, unstable, failed or error. */
	"CREATE TABLE result ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" number INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER NOT NULL,"
	" status TEXT NOT NULL, reason TEXT NOT NULL,"
	" PRIMARY KEY (run, number)) STRICT, WITHOUT ROWID;"
	/* Each figure: value / scale in `unit`; it lies in value .. value + slack. */
	"CREATE TABLE figure ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" name TEXT NOT NULL, unit TEXT NOT NULL, scale INTEGER NOT NULL,"
	" value INTEGER NOT NULL, slack INTEGER NOT NULL, overflow INTEGER NOT NULL,"
	" class TEXT NOT NULL,"	 /* floor, typical, tail, spread, count */
	" better TEXT NOT NULL," /* lower, higher, neither */
	" seq INTEGER NOT NULL," /* of its record */
	" PRIMARY KEY (run, name)) STRICT, WITHOUT ROWID;"
	/* Each row of the XSAVE table, in ticks. */
	"CREATE TABLE xsave ("
	" run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,"
	" event TEXT NOT NULL, rfbm INTEGER NOT NULL, xinuse INTEGER NOT NULL,"
	" n INTEGER NOT NULL, kept INTEGER NOT NULL, min INTEGER NOT NULL, max INTEGER NOT NULL,"
	" avg INTEGER NOT NULL, avg97 INTEGER NOT NULL, p50 INTEGER NOT NULL,"
	" p99 INTEGER NOT NULL, overhead INTEGER NOT NULL,"
	" PRIMARY KEY (run, event, rfbm, xinuse)) STRICT, WITHOUT ROWID;";

const char store_insert_run[] =
	"INSERT INTO run VALUES (NULL, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'),"
	" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const char store_insert_record[] = "INSERT INTO record VALUES (?, ?, ?, ?)";
const char store_insert_result[] = "INSERT INTO result VALUES (?, ?, ?, ?, ?, ?)";
/* Names are unique in a run; should a log repeat one, its records still have both. */
const char store_insert_figure[] =
	"INSERT OR IGNORE INTO figure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const char store_insert_xsave[] =
	"INSERT OR IGNORE INTO xsave VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
