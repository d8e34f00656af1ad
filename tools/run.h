/* SPDX-License-Identifier: MIT */
/*
 * A baretick run, read from a serial log: who ran, what of it arrived, what was measured. Lines go
 * in one by one, runs come out as they end. README "Records" has the keys.
 */
#ifndef RUN_H
#define RUN_H

#include "gaps.h"
#include "hist.h"
#include "record.h"
#include "result.h"
#include "series.h"
#include "ticklog.h"
#include "verdict.h"

#define RUN_EVENT_PREFIX "x86_fpu_latency_" /* of events in tables and trace lines */

#define RUN_SCHEMA   1	  /* of the records that are understood */
#define RUN_PROBLEMS 4096 /* kept of a run */
#define RUN_SAID     20	  /* of each kind of what is wrong with a run; more are counted */
#define RUN_TEXT_MIB 64	  /* of its text: several times what the longest report has */

/* Worst last. */
enum run_state {
	RUN_COMPLETE,	/* begin to end, every record, once or more often */
	RUN_INCOMPLETE, /* records are missing, or the end is */
	RUN_CORRUPT, /* a line with a marker has no valid record, or a valid one makes no sense */
};

const char *run_state_name(enum run_state s); /* "complete" ... */

/* Sequence numbers that did not arrive, both ends included. */
struct run_range {
	u64 from, to;
};

/* What is wrong, and where. */
struct run_problem {
	u64 line; /* in the file, from 1 */
	u64 seq;  /* of the record; 0: the line has no valid one */
	const char *text;
};

/* Values are unquoted, NUL-terminated, and may hold any byte; a NUL is a problem of the run. */
struct run_field {
	const char *key;
	const char *value;
	size_t len;
};

/* Any record, known type or not. Fields in the order of the log, without seq, type and crc. */
struct run_record {
	u64 seq, line;
	const char *type;
	size_t n;
	struct run_field *field;
};

/* Never NULL: "" stands for what the log does not say. */
struct run_identity {
	const char *run, *build; /* 16 hex digits; git describe */
	const char *code;	 /* CRC of the measured code, 8 hex digits */
	const char *profile;	 /* in force: quick, standard, soak */
	const char *options;	 /* those given */
	const char *vendor, *brand;
	const char *signature;	   /* CPUID.1:EAX, 0x hex */
	const char *core_type;	   /* CPUID.1AH:EAX[31:24], decimal */
	const char *microcode;	   /* 0x hex */
	const char *hypervisor;	   /* its signature, or "none" */
	const char *emulated;	   /* how that is known, or "no" */
	const char *boot, *loader; /* by what path */
	const char *rtc;
	const char *firmware, *board, *serial, *uuid, *label;
};

/* A word of the identity by its place in it, for tables of them. */
struct run_trait {
	const char *name;
	size_t at;
};

#define RUN_TRAIT(member)                                      \
	{                                                      \
#member, offsetof(struct run_identity, member) \
	}

static inline const char *run_trait(const struct run_identity *id, const struct run_trait *t)
{
	return *(const char *const *)(const void *)((const char *)id + t->at);
}

/* A KTAP result line. */
struct run_check {
	u64 line;
	bool ok; /* with its strictness, as printed */
	struct check check;
};

/* A series: strings of `s` live as long as the run. */
struct run_series {
	u64 seq, line;
	bool full; /* of a type=series record; else of `rows`, which has no lines, samples,
		      max_dev, spurious, var_var, p99, p999, first and warm */
	struct series s;
};

struct run_bin {
	u32 bin; /* 0 .. HIST_BINS - 1, ascending */
	u64 count;
};

/* A histogram: its parts put together. The moments are as printed, not recomputed. */
struct run_hist {
	u64 seq, line; /* of its first part */
	const char *suite, *method, *form, *work, *pre;
	u64 parts;
	u64 below;	  /* under the base */
	struct moments m; /* m.base is the base; m.overflow: sumsq is not known */
	u64 more;	  /* samples in bins that the log leaves out, all above the last given */
	size_t n;
	struct run_bin *bin;
	bool torn; /* a part did not arrive: the bins are void */
};

/* The lines of a series (type=lines), as runs of equal ones. */
struct run_lines {
	u64 seq, line; /* of its first record */
	const char *method, *form, *work, *pre;
	size_t n;
	struct line_entry *at;
	bool torn; /* some did not arrive */
};

/* One row of the XSAVE table. cell.event lives as long as the run. cell.asked is not in the log. */
struct run_xcell {
	u64 seq, line;
	struct xcell cell;
	const char *source;   /* of XINUSE: xgetbv1, xsave, image */
	u64 other, backwards; /* samples of its event and RFBM that are in no row */
};

/* A trace line of the XSAVE suite, in ticks. */
struct run_sample {
	u64 line;
	u32 event; /* index into run.events */
	u64 latency, rfbm, xinuse;
};

struct run_stability {
	u64 seq, line; /* 0: not measured */
	u64 stolen, states, unsettled;
	struct stability s;
};

/* One gap in time: at so many ticks since the suite's start. */
struct run_gap {
	u64 at, length;
	enum gap_cause cause;
};

/* Sums over a part of the time that gaps were watched, or all of it. */
struct run_gap_sums {
	u64 windows, watched, turns; /* watched: ticks */
	u64 n, stolen, longest;	     /* ticks */
	u64 smi, nmi, mce;	     /* counted meanwhile */
	u64 cause[GAP_CAUSES];
};

struct run_gaps {
	u64 seq, line; /* 0: not watched */
	struct run_gap_sums all;
	u64 threshold, inner, outer; /* see gaps.h */
	u64 most, wall, backwards, contradictions;
	u64 period;	 /* ticks, 0: none named */
	bool smi_counts; /* by a counter that is known to count */
	struct gap_decades decades;

	u64 parts;		 /* type=gap records; without type=gaps `threshold` is the last's */
	struct run_gap_sums sum; /* of them */

	size_t n_list; /* the first gaps, in order */
	struct run_gap *list;
	bool torn; /* some of the list did not arrive */
};

struct run {
	u64 first_line, last_line; /* in the file */
	u64 schema;		   /* 0: the begin record was lost */
	bool ended;		   /* the end record arrived */
	bool cut;		   /* the input ended within a record */
	bool pass;		   /* by the end record */
	u64 last_seq;		   /* the highest that arrived, or that the end record counts */
	u64 duplicates;
	enum run_state state;

	size_t n_missing; /* ranges, ascending */
	struct run_range *missing;
	u64 missing_records;

	size_t n_problems; /* kept: the first RUN_PROBLEMS */
	struct run_problem *problem;
	u64 problems; /* all */

	size_t n_records;
	struct run_record *record;
	u64 unknown; /* records whose type is not known here: kept, not interpreted */

	struct run_identity id;
	u64 tsc_khz; /* 0: not known */
	bool tsc_trusted;
	u64 step;	   /* ticks; 0: not known */
	bool measured;	   /* there is at least one figure */
	const char *trust; /* GOOD, UNKNOWN, DEGRADED, BAD, or "" */
	const char *trust_reasons;
	const char *recommended; /* method, or "" */

	size_t n_checks;
	u64 planned; /* KTAP: as many result lines as there should be, 0: no plan seen. Text has no
			CRC: lines may be lost or damaged in a complete run. */
	struct run_check *checks;

	size_t n_series;
	struct run_series *series;
	size_t n_hists;
	struct run_hist *hist;
	size_t n_lines;
	struct run_lines *lines;
	size_t n_xcells;
	struct run_xcell *xcell;
	struct run_stability stability;
	struct run_gaps gaps;
	size_t n_samples;
	struct run_sample *sample;
	u64 bad_samples, bad_sample_line; /* trace lines not used, and the first of them */
	size_t n_events;
	const char **events; /* without the prefix that all have */

	size_t n_texts; /* all other lines between begin and end */
	struct run_text *text;
	u64 text_bytes,
		texts_left; /* what they take; lines that were left out beyond RUN_TEXT_MIB */
	const char *panic;  /* "" or why the kernel stopped */

	/* In the order of their names: struct run_series, run_hist and run_lines. */
	const void **series_by_name, **hist_by_name, **lines_by_name;

	struct run_heap *heap; /* the reader's own */
};

/* A line for people, cleaned of escapes and line ends. */
struct run_text {
	u64 line;
	const char *at;
	size_t n;
};

void run_free(struct run *r);

/* First record of the type, or after `after`; NULL: there is none. */
const struct run_record *run_find(const struct run *r, const char *type,
				  const struct run_record *after);

/* NULL, or false and *value untouched: no such key, or no number. */
const struct run_field *run_field(const struct run_record *rec, const char *key);
bool run_number(const struct run_record *rec, const char *key, u64 *value);

u64 run_tps(const struct run *r); /* ticks a second; 0: not known, or not trusted */

/* The series, histogram or lines of that name, or NULL. */
const struct run_series *run_series_find(const struct run *r, const char *method, const char *form,
					 const char *work, const char *pre);
const struct run_hist *run_hist_find(const struct run *r, const char *suite, const char *method,
				     const char *form, const char *work, const char *pre);
const struct run_lines *run_lines_find(const struct run *r, const char *method, const char *form,
				       const char *work, const char *pre);

/*
 * As hist_init() and hist_add_n() would have left it, with the printed moments. What `more` leaves
 * out is in no bin: percentiles of a rank beyond the bins are void.
 */
void run_hist_expand(const struct run_hist *h, struct hist *out);

/* ---- figures: what can be compared between runs or plotted over them */

enum figure_class {
	FIGURE_FLOOR,	/* minima: the steadiest */
	FIGURE_TYPICAL, /* medians, trimmed averages */
	FIGURE_TAIL,	/* high percentiles, maxima, averages that one outlier moves */
	FIGURE_SPREAD,	/* variances */
	FIGURE_COUNT,	/* how often something happened */
};

enum figure_better { FIGURE_LOWER, FIGURE_HIGHER, FIGURE_NEITHER };

#define FIGURE_NAME 160

struct figure {
	/*
	 * Words of [a-z0-9_+-], dots between, unique in a run, the same in every run:
	 *   tsc.METHOD.FORM.WORK.PRE.KEY     key of the series record
	 *   stability.METHOD.KEY             of the stability record
	 *   ruler.WHERE.KEY
	 *   gaps.KEY
	 *   xsave.EVENT.RFBM.XINUSE.KEY      masks in 0x hex
	 *   TYPE...                          others as they come
	 */
	char name[FIGURE_NAME];
	const char *unit; /* ticks, ticks^2, cycles, cycles^2, turns (of a loop), count, ... */
	u64 value;	  /* times `scale` */
	u64 slack;	  /* the true value lies in value .. value + slack */
	u32 scale;	  /* 1, or 1000: value is in thousandths, 10000 for ratios */
	bool overflow;	  /* it did not fit: value is ~0 */
	enum figure_class class;
	enum figure_better better;
	bool unstable; /* the run itself says that the conditions did not hold */
	u64 seq, line; /* of the record it is from */
};

typedef void figure_visit(void *ctx, const struct figure *f);

/* All figures of the run in report order. */
void run_figures(const struct run *r, figure_visit *visit, void *ctx);

/* What the names of a series', a row's and a row's block's figures begin with. */
void figure_stem_series(char name[FIGURE_NAME], const struct series *s);
void figure_stem_block(char name[FIGURE_NAME], const struct xcell *x);
void figure_stem_xcell(char name[FIGURE_NAME], const struct xcell *x);

/* The name's words, joined as above: what is no byte of a name becomes '_'. */
#define figure_name(name, ...)                                       \
	figure_name_join((name), (const char *const[]){__VA_ARGS__}, \
			 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
void figure_name_join(char name[FIGURE_NAME], const char *const *words, size_t n);
void figure_name_add(char name[FIGURE_NAME], const char *word);

/* "48", "1.860", "11636..11763", "overflow". */
void figure_fmt(struct text *t, const struct figure *f);

/* ---- a run that was cut */

enum run_suite { SUITE_TSC, SUITE_STABILITY, SUITE_GAPS, SUITE_XSAVE, RUN_SUITES };

/*
 * What is there of a suite whose last records are not, in words that begin with its name; NULL if
 * there is nothing of it, or the run is complete.
 */
const char *run_partial(const struct run *r, enum run_suite suite);

/* ---- reading */

/* What was seen in a file or pipe. */
struct run_totals {
	u64 lines, bytes;
	u64 runs, complete, incomplete, corrupt;
	u64 records, duplicates;
	u64 cut;	 /* lines too long to be taken whole */
	u64 stray;	 /* lines with a marker and no valid record, in no run */
	u64 stray_first; /* line number of the first, 0: none */
};

struct run_reader;

/* A run has ended, or another began, or the input ended. The run is the callee's: run_free(). */
typedef void run_done(void *ctx, struct run *r);

struct run_reader *run_reader_new(run_done *done, void *ctx);
/* One line without its '\n', of any bytes. */
void run_reader_line(struct run_reader *rd, const char *line, size_t n);
/* The end of the input: hands out a last run, and gives the totals. Frees rd. */
void run_reader_end(struct run_reader *rd, struct run_totals *totals);

/*
 * Reads a whole file or pipe ("-"), run by run as they come. False if it could not be read, which
 * was said.
 */
bool run_read_each(const struct command *c, const char *path, run_done *done, void *ctx,
		   struct run_totals *totals);

/* All runs of a file. */
struct run_list {
	size_t n;
	struct run **at;
	struct run_totals totals;
};

/* As run_read_each(). To be freed in either case. */
bool run_list_read(const struct command *c, const char *path, struct run_list *out);
void run_list_free(struct run_list *list);

/*
 * EXIT_FINE or EXIT_UNUSABLE (not complete, or nothing measured); says why on stderr, each damaged
 * line as FILE:LINE. Figures are not recomputed: see run_stands().
 */
int run_usable(const struct command *c, const char *path, const struct run *r);

/* As above for what is in no run: no run at all, stray markers, lines cut. */
int totals_usable(const struct command *c, const char *path, const struct run_totals *t);

#endif
