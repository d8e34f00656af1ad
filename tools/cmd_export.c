// SPDX-License-Identifier: MIT
/* `ticklog export`: the records of a log as CSV or JSON Lines. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "json.h"
#include "number.h"
#include "run.h"
#include "ticklog.h"

struct export
{
	const struct command *command;
	const char *path, *name;
	bool csv, json;
	int status;
};

/* Values of these keys are text, even where they look like a number: method=5, code=12345678. */
static const char *const text_keys[] = {
	"run",	     "build",	  "given",	"code",	    "profile",	 "method",  "form",
	"work",	     "pre",	  "unit",	"suite",    "label",	 "serial",  "board",
	"uuid",	     "firmware",  "vendor",	"brand",    "loader",	 "boot",    "rtc",
	"lfence",    "source",	  "state",	"where",    "reason",	 "reasons", "trust",
	"result",    "event",	  "fault",	"trimmed",  "start",	 "end",	    "chipset",
	"signature", "microcode", "hypervisor", "emulated", "smi_state",
};

/* Values of these are lists, even where they have one item. NULL: any key of the type that is not
 * among the exceptions. */
static const struct {
	const char *type, *key;
} list_keys[] = {
	{"lines", "lines"},
	{"hist", "bins"},
	{"gap", "causes"},
	{"gaps", "causes"},
	{"gaps", "decades"},
	{"gaplist", "list"},
	{"outliers", "first"},
	{"smisources", "enabled"},
	{"smisources", "pending"},
	{"rows", "of"},
	{"rows", "n"},
	{"rows", "backwards"},
	{"rows", "min"},
	{"rows", "max"},
	{"rows", "var"},
	{"rows", "varmin"},
	{"rows", "p50"},
	{"rows", "p97"},
	{"rows", "resolution"},
	{"rows", "overhead"},
	{"rows", "unsettled"},
	{"xsave", "xinuse"},
	{"xsave", "n"},
	{"xsave", "kept"},
	{"xsave", "min"},
	{"xsave", "max"},
	{"xsave", "avg"},
	{"xsave", "avg97"},
	{"xsave", "p50"},
	{"xsave", "p99"},
	{"xsave", "clamped"},
	{"xsave", "xstate_bv"},
};

static bool is_text(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		if (!strcmp(text_keys[i], key))
			return true;
	return false;
}

static bool is_list(const char *type, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(list_keys); i++)
		if (!strcmp(list_keys[i].type, type) && !strcmp(list_keys[i].key, key))
			return true;
	return false;
}

/* A decimal that every reader of JSON keeps to the last digit: 15 of them fit a double. */
static bool is_exact(const char *at, size_t n)
{
	const char *dot = memchr(at, '.', n);
	size_t whole = dot ? (size_t)(dot - at) : n, digits = n - (dot != NULL);
	u64 unused;

	if (digits == 0 || digits > 15 || (whole > 1 && at[0] == '0') ||
	    !number_decimal(at, whole, &unused))
		return false;
	return !dot || number_decimal(dot + 1, n - whole - 1, &unused);
}

static void json_value(struct json *j, const char *key, const char *at, size_t n, bool text)
{
	if (!text && is_exact(at, n))
		json_raw(j, key, at, n);
	else
		json_bytes(j, key, at, n);
}

static void json_list(struct json *j, const char *key, const char *at, size_t n)
{
	json_open(j, key, '[');
	while (n) {
		const char *comma = memchr(at, ',', n);
		size_t len = comma ? (size_t)(comma - at) : n;

		json_value(j, NULL, at, len, false);
		at += len + (comma != NULL);
		n -= len + (comma != NULL);
	}
	json_close(j, ']');
}

/* Fields have an object of their own: a key of theirs may be `run` or `line`. */
static void record_json(const struct export *e, const struct run *r, const struct run_record *rec)
{
	struct json j = {.to = stdout};

	json_open(&j, NULL, '{');
	json_word(&j, "log", e->name);
	json_word(&j, "run", r->id.run);
	json_u64(&j, "line", rec->line);
	json_u64(&j, "seq", rec->seq);
	json_word(&j, "type", rec->type);
	json_open(&j, "fields", '{');
	for (size_t i = 0; i < rec->n; i++) {
		const struct run_field *f = &rec->field[i];

		if (is_list(rec->type, f->key))
			json_list(&j, f->key, f->value, f->len);
		else
			json_value(&j, f->key, f->value, f->len, is_text(f->key));
	}
	json_close(&j, '}');
	json_close(&j, '}');
	putchar('\n');
}

/* RFC 4180: quoted where it must be; escapes leave no line end in a value, so a line is a line. */
static void csv_bytes(const char *bytes, size_t n)
{
	bool quoted = n && (memchr(bytes, ',', n) || memchr(bytes, '"', n) || bytes[0] == ' ' ||
			    bytes[n - 1] == ' ');

	if (!quoted) {
		escape_exact(stdout, bytes, n);
		return;
	}
	putchar('"');
	for (size_t i = 0; i < n;) {
		const char *quote = memchr(bytes + i, '"', n - i);
		size_t len = quote ? (size_t)(quote - bytes) - i : n - i;

		escape_exact(stdout, bytes + i, len);
		if (quote)
			fputs("\"\"", stdout);
		i += len + (quote != NULL);
	}
	putchar('"');
}

static void csv_row(const struct export *e, const struct run *r, const struct run_record *rec,
		    const struct run_field *f)
{
	csv_bytes(e->name, strlen(e->name));
	putchar(',');
	csv_bytes(r->id.run, strlen(r->id.run));
	printf(",%llu,%llu,%s,", (unsigned long long)rec->line, (unsigned long long)rec->seq,
	       rec->type);
	if (f)
		csv_bytes(f->key, strlen(f->key));
	putchar(',');
	if (f)
		csv_bytes(f->value, f->len);
	putchar('\n');
}

static void record_csv(const struct export *e, const struct run *r, const struct run_record *rec)
{
	for (size_t i = 0; i < rec->n; i++)
		csv_row(e, r, rec, &rec->field[i]);
	if (rec->n == 0)
		csv_row(e, r, rec, NULL);
}

static void export_run(void *ctx, struct run *r)
{
	struct export *e = ctx;

	for (size_t i = 0; i < r->n_records; i++) {
		if (e->json)
			record_json(e, r, &r->record[i]);
		else
			record_csv(e, r, &r->record[i]);
	}
	e->status = exit_worse(e->status, run_usable(e->command, e->path, r));
	fflush(stdout);
	run_free(r);
}

static int export_file(struct export *e, const char *path)
{
	struct run_totals totals;

	e->path = path;
	e->name = log_name(path);
	if (!run_read_each(e->command, path, export_run, e, &totals))
		return EXIT_UNUSABLE;
	return exit_worse(e->status, totals_usable(e->command, path, &totals));
}

static const struct option options[] = {
	{"csv", no_argument, NULL, 'c'},
	{"json", no_argument, NULL, 'j'},
	{0},
};

static int run_export(const struct command *self, int argc, char **argv)
{
	struct export e = {.command = self};
	int option, status = EXIT_FINE;

	while ((option = getopt_long(argc, argv, ":cj", options, NULL)) != -1) {
		if (option == 'c')
			e.csv = true;
		else if (option == 'j')
			e.json = true;
		else
			return usage_option(self, option, argv);
	}
	if (e.csv == e.json)
		return usage_error(self, e.csv ? "--csv and --json exclude each other"
					       : "which form? --csv or --json");
	if (optind == argc)
		return usage_error(self, "which log? A file, or - for standard input");
	if (e.csv)
		puts("log,run,line,seq,type,key,value");
	for (int i = optind; i < argc; i++)
		status = exit_worse(status, export_file(&e, argv[i]));
	return status;
}

const struct command cmd_export = {
	.name = "export",
	.doc = "write the records of serial logs as CSV or JSON Lines",
	.run = run_export,
	.help = "usage: ticklog export --csv|--json LOG...\n"
		"\n"
		"Writes every record of every run in the LOGs (- is standard input) to standard output, as the\n"
		"log has them; nothing is computed. Records that come twice are written once.\n"
		"\n"
		"  -j, --json  JSON Lines, a record a line:\n"
		"              {\"log\":\"a.log\",\"run\":\"0514938a1fab86b9\",\"line\":17,\"seq\":11,\n"
		"               \"type\":\"series\",\"fields\":{\"method\":\"5\",\"min\":48,\"var\":32.859,...}}\n"
		"              Decimal values of up to 15 digits are numbers, longer ones, hexadecimal ones and\n"
		"              names (a method's too) are strings, lists are arrays.\n"
		"  -c, --csv   a field a line: log,run,line,seq,type,key,value, under a head; lists as they\n"
		"              stand, with quotes around them\n"
		"\n"
		"In both a byte that is no printable UTF-8, and each backslash, is written as \\xHH, as records\n"
		"have it: \\x5CxFF stands for the four bytes \\xFF, \\xFF for one. JSON writes its own backslash\n"
		"before that: \"\\\\xFF\".\n"
		"\n"
		"Exit status: 0 every run is complete, 2 not so, nothing was measured, or a log cannot be\n"
		"read, 5 usage. What of a damaged run arrived is written all the same.\n",
};
