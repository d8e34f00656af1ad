/* SPDX-License-Identifier: MIT */
/* What the parts of the recomputation share: the figures it is about, and ways to hold them against
 * something. */
#ifndef RECOMPUTE_BUILD_H
#define RECOMPUTE_BUILD_H

#include "recompute.h"

/* A figure or another value of a record: its name without the key, and where it is printed. */
struct subject {
	char stem[FIGURE_NAME];
	u64 seq, line;
};

struct checking {
	const struct run *r;
	struct recomputed *out;
	struct hist hist; /* to expand one at a time in */
	u64 lines_left;	  /* how many lines of series will still be gone through */
};

void contradict(struct checking *c, const struct subject *s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The figure stem.key is known to be right as far as `cover` says; no such figure: nothing. */
void cover(struct checking *c, const struct subject *s, const char *key, enum cover how);

/* The printed value against what follows from `from`: covers, or contradicts. */
void equal_u64(struct checking *c, const struct subject *s, const char *key, u64 printed,
	       u64 computed, const char *from, enum cover how);
void equal_variance(struct checking *c, const struct subject *s, const char *key,
		    const struct variance *printed, const struct variance *computed,
		    const char *from, enum cover how);
void equal_bound(struct checking *c, const struct subject *s, const char *key,
		 const struct bound *printed, const struct bound *computed, const char *from,
		 enum cover how);
void within_u64(struct checking *c, const struct subject *s, const char *key, u64 printed, u64 low,
		u64 high, const char *from);

void subject_series(struct subject *to, const struct run_series *s);
void subject_hist(struct subject *to, const struct run_hist *h);
void subject_xcell(struct subject *to, const struct run_xcell *x);

/* ---- percentiles and histograms */

#define PERCENTILES 4

extern const struct percentile {
	const char *key;
	u32 num, den;
} percentiles[PERCENTILES];

/* Contradicts if low is above high. */
void order_check(struct checking *c, const struct subject *s, const char *low_key, u64 low,
		 const char *high_key, u64 high);

/* The first n percentiles between min and max, in order. */
void percentiles_order(struct checking *c, const struct subject *s, u64 min, u64 max,
		       const struct bound *const *b, size_t n);

/* Holds it against itself. Expands it into c->hist; false if nothing more can be said of it. */
bool hist_check(struct checking *c, const struct run_hist *h);

/* After that: figures against the histogram they are from. */
void ends_from_hist(struct checking *c, const struct subject *s, const struct run_hist *h, u64 min,
		    u64 max);
void percentiles_from_hist(struct checking *c, const struct subject *s, const struct run_hist *h,
			   const struct bound *const *b);

/* ---- text for people */

#define WORDS_MAX 24

struct word {
	const char *at;
	size_t n;
};

struct words {
	size_t n;
	struct word word[WORDS_MAX];
};

/* At blanks, up to a line end. False: more words than any line of ours has. */
bool words_split(const char *text, size_t n, struct words *w);
bool word_equal(const struct word *a, const struct word *b);

/* A number, or what a table has in its stead. */
bool word_is_figure(const struct word *w);

/* The text says another value than the record's. */
void text_contradicts(struct checking *c, const struct subject *s, const struct run_text *text,
		      const char *key, const struct word *printed, const struct word *said);

#define NUMBERS_MAX 48 /* minima in core cycles: two a method */

/* Numbers of two texts, in pairs. */
struct numbers {
	size_t n;
	struct word pair[NUMBERS_MAX][2];
};

/* Are both the same but for their numbers? */
bool shape_equal(const char *a, size_t na, const char *b, size_t nb, struct numbers *x);

/* ---- the parts */

/* The frequency in force, and the rulers. */
void recompute_clock(struct checking *c);

/* Series: from their lines and histograms. */
void recompute_series(struct checking *c);

/* The recommendation; and that each method has the same series, each histogram its own. */
void recompute_methods(struct checking *c);

/* Stability: from its histogram. */
void recompute_stability(struct checking *c);

/* Lines of series: their records against their sentences. */
void recompute_lines(struct checking *c);

/* XSAVE rows: against their samples and themselves. */
void recompute_xsave(struct checking *c);

/* Gaps: the sums against their parts and the list. */
void recompute_gaps(struct checking *c);

/* The matrix: its records against its tables. */
void recompute_matrix(struct checking *c);

/* What the tables and sentences for people say of the same figures. */
void recompute_text(struct checking *c);

#endif
