// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a serial log, to runs, their figures and the recomputation. The first
 * byte chooses whether sequence numbers and CRCs are put right first, so that what is behind them
 * is reached too. Aborts where a run does not add up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "recompute.h"
#include "run_tables.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define FIX_CRC 1
#define FIX_SEQ 2

#define LINE_MAX 4096

static void holds(bool does)
{
	if (!does)
		abort();
}

static void figure_check(void *ctx, const struct figure *f)
{
	u64 *n = ctx;
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	holds(f->name[0] && strlen(f->name) < FIGURE_NAME);
	holds(f->unit && f->seq && f->line);
	holds(f->scale == 1 || f->scale == 1000 || f->scale == 10000);
	holds(f->value + f->slack >= f->value);
	figure_fmt(&t, f);
	holds(t.len > 0 && t.cut == 0);
	++*n;
}

static void missing_check(const struct run *r)
{
	for (size_t i = 0; i < r->n_missing; i++) {
		holds(r->missing[i].from <= r->missing[i].to);
		holds(i == 0 || r->missing[i].from > r->missing[i - 1].to);
	}
}

static void state_check(const struct run *r)
{
	holds(r->first_line <= r->last_line);
	holds(r->state != RUN_COMPLETE ||
	      (r->ended && r->n_missing == 0 && r->problems == 0 && r->schema == RUN_SCHEMA));
	holds(r->n_problems <= r->problems);
	if (r->state == RUN_COMPLETE)
		holds(r->n_records == r->last_seq);
}

static void run_check(void *ctx, struct run *r)
{
	static struct hist h;
	struct run_method m[RUN_METHODS];
	struct recomputed re;
	u64 figures = 0, counted = 0;

	(void)ctx;
	missing_check(r);
	state_check(r);
	run_figures(r, figure_check, &figures);
	recompute(r, &re);
	for (int i = 0; i < COVERS; i++)
		counted += re.count[i];
	holds(re.n_figures == figures && counted == figures);
	for (size_t i = 0; i < r->n_hists; i++)
		run_hist_expand(&r->hist[i], &h);
	holds(run_methods(r, m) <= RUN_METHODS);
	recompute_free(&re);
	run_free(r);
}

/* The number behind the marker, as the sequence wants it. */
static size_t seq_fix(char *line, size_t n, const char *marker, u64 seq)
{
	const char *at = marker + strlen("@bt seq="), *rest = at, *end = line + n;
	char number[24];
	int digits = snprintf(number, sizeof(number), "%llu", (unsigned long long)seq);
	size_t before = (size_t)(at - line);

	while (rest < end && *rest >= '0' && *rest <= '9')
		rest++;
	memmove(line + before + digits, rest, (size_t)(end - rest));
	memcpy(line + before, number, (size_t)digits);
	return before + (size_t)digits + (size_t)(end - rest);
}

static void crc_fix(char *line, size_t n)
{
	const char *marker = memmem(line, n, "@bt ", 4);
	char crc[16];

	for (size_t i = n; marker && i-- > (size_t)(marker - line);) {
		if (n - i < 13 || memcmp(line + i, " crc=", 5))
			continue;
		snprintf(crc, sizeof(crc), "%08X",
			 (unsigned int)crc32(0, marker, i - (size_t)(marker - line)));
		memcpy(line + i + 5, crc, 8);
		return;
	}
}

/* line has room for the longest number besides. */
static size_t line_fix(char *line, size_t n, u8 how, u64 *seq)
{
	const char *marker = memmem(line, n, "@bt seq=", strlen("@bt seq="));

	if (!marker)
		return n;
	if (memmem(line, n, " type=begin ", strlen(" type=begin ")))
		*seq = 0;
	if (how & FIX_SEQ)
		n = seq_fix(line, n, marker, ++*seq);
	if (how & FIX_CRC)
		crc_fix(line, n);
	return n;
}

static void line_feed(struct run_reader *rd, const char *at, size_t n, u8 how, u64 *seq)
{
	/* Of the exact size, so that a read beyond it is noticed. */
	char *line = malloc(n + 24), *exact;

	holds(line != NULL);
	memcpy(line, at, n);
	n = n < LINE_MAX ? line_fix(line, n, how, seq) : n;
	exact = malloc(n ? n : 1);
	holds(exact != NULL);
	memcpy(exact, line, n);
	run_reader_line(rd, exact, n);
	free(exact);
	free(line);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const char *at = (const char *)data + 1, *end = (const char *)data + size;
	struct run_totals totals;
	struct run_reader *rd;
	u64 seq = 0, lines = 0;

	if (size == 0)
		return 0;
	rd = run_reader_new(run_check, NULL);
	for (; at < end; lines++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));

		line_feed(rd, at, (size_t)((nl ? nl : end) - at), data[0], &seq);
		at = nl ? nl + 1 : end;
	}
	run_reader_end(rd, &totals);
	holds(totals.lines == lines);
	holds(totals.runs == totals.complete + totals.incomplete + totals.corrupt);
	return 0;
}
