// SPDX-License-Identifier: MIT
/* Every start with every end: see matrix.h. */
#include "matrix.h"

#include "mem.h"
#include "needs.h"

/* Enough for the floor of each of 70 cells; lines= and samples= say otherwise. */
#define MATRIX_LINES   32
#define MATRIX_SAMPLES 500

/* ~0 where the CPU lacks an instruction. */
struct matrix {
	u64 min[SEQ_STARTS][SEQ_ENDS];
	struct variance var[SEQ_STARTS][SEQ_ENDS];
	u64 unsettled[SEQ_STARTS][SEQ_ENDS]; /* spans of lines */
	u64 backwards;
	u32 empty; /* cells that were measured and kept no sample */
};

static void cell_measure(struct run *run, const struct bench_buffers *b, struct hist *hist,
			 struct disturbance *d, struct matrix *x, u32 start, u32 end)
{
	static struct trial t;
	const struct options *o = run->options;

	t.code = seq_matrix[start * SEQ_ENDS + end];
	t.twin = NULL;
	t.acc.hist = hist;
	t.s = (struct series){
		.method = "matrix",
		.form = seq_form_name[FORM_MEM],
		.workload = seq_start[start].text,
		.preamble = seq_end_edge[end].text,
		.unit = "ticks",
		.lines = o->lines != OPTION_UNSET ? o->lines : MATRIX_LINES,
		.samples = o->samples != OPTION_UNSET	 ? o->samples
			   : b->samples < MATRIX_SAMPLES ? b->samples
							 : MATRIX_SAMPLES,
	};
	trial_measure(run, b, &t, 1, d);
	x->empty += t.s.n == 0;
	x->backwards += t.s.backwards;
	x->min[start][end] = t.s.min;
	x->var[start][end] = t.s.mean_var;
	x->unsettled[start][end] = t.s.unsettled;
}

static void ends_report(struct run *run)
{
	report_text(run->report, "`!`: while one of the row was measured the core clock or the "
				 "sibling's load moved\n");
	for (u32 e = 0; e < SEQ_ENDS; e++)
		report_text(run->report, "  %c  .. %s\n", 'a' + (int)e, seq_end_edge[e].text);
}

static bool row_unsettled(const struct matrix *x, u32 start)
{
	for (u32 e = 0; e < SEQ_ENDS; e++)
		if (x->unsettled[start][e])
			return true;
	return false;
}

static void table_report(struct run *run, const struct matrix *x, bool variance)
{
	report_text(run->report, "\n%-22s", variance ? "variance (ticks^2)" : "min (ticks)");
	for (u32 e = 0; e < SEQ_ENDS; e++)
		report_text(run->report, " %*c", variance ? 9 : 5, 'a' + (int)e);
	for (u32 s = 0; s < SEQ_STARTS; s++) {
		report_text(run->report, "\n%-22s", seq_start[s].text);
		for (u32 e = 0; e < SEQ_ENDS; e++) {
			char bytes[48];
			struct text t = TEXT_ON(bytes);

			if (x->min[s][e] == ~0ull)
				text_str(&t, "-");
			else if (variance)
				variance_fmt(&t, &x->var[s][e]);
			else
				fmt(&t, "%llu", (unsigned long long)x->min[s][e]);
			report_text(run->report, " %*.*s", variance ? 9 : 5, (int)t.len, bytes);
		}
		if (row_unsettled(x, s))
			report_text(run->report, " !");
	}
	report_text(run->report, "\n");
}

static void cells_record(struct run *run, const struct matrix *x)
{
	for (u32 s = 0; s < SEQ_STARTS; s++) {
		for (u32 e = 0; e < SEQ_ENDS; e++) {
			struct record *r;

			if (x->min[s][e] == ~0ull)
				continue;
			r = report_record(run->report, "matrix");
			record_word(r, "start", seq_start[s].text);
			record_word(r, "end", seq_end_edge[e].text);
			record_u64(r, "min", x->min[s][e]);
			record_variance(r, "var", &x->var[s][e]);
			record_u64(r, "unsettled", x->unsettled[s][e]);
			report_send(run->report);
		}
	}
}

u64 matrix_run(struct run *run, const struct bench_buffers *b, struct hist *hist, u64 redo,
	       struct disturbance *d)
{
	static struct matrix x;

	memset(&x, 0, sizeof(x));
	for (u32 s = 0; s < SEQ_STARTS; s++) {
		report_text(run->report, "# matrix: start %u of %u\n", s + 1, SEQ_STARTS);
		run->redo_left += redo / SEQ_STARTS;
		for (u32 e = 0; e < SEQ_ENDS; e++) {
			x.min[s][e] = ~0ull;
			if (!needs_missing(run->machine, seq_start[s].needs | seq_end_edge[e].needs,
					   NULL))
				cell_measure(run, b, hist, d, &x, s, e);
		}
	}
	table_report(run, &x, false);
	table_report(run, &x, true);
	ends_report(run);
	cells_record(run, &x);
	if (x.empty)
		verdict_add(run->verdict, "tsc.matrix", STATUS_ERROR,
			    "no sample stayed in %u cells", x.empty);
	else
		verdict_add(run->verdict, "tsc.matrix", STATUS_OK, "%s", "");
	return x.backwards;
}
