// SPDX-License-Identifier: MIT
/* `ticklog show`: a run as tables, each figure of it recomputed. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "recompute.h"
#include "run_tables.h"
#include "ticklog.h"
#include "xtable.h"

struct show {
	const struct command *command;
	const char *path;
	bool figures; /* a line a figure instead of tables */
	bool checks;  /* all of them, not only those that are not plainly ok */
	int status;
};

/* ---- who */

static void say(const char *topic, const char *value)
{
	if (!*value)
		return;
	printf("%-8s ", topic);
	escape_puts(stdout, value);
	putchar('\n');
}

static void say_pair(const char *before, const char *value)
{
	if (!*value)
		return;
	fputs(before, stdout);
	escape_puts(stdout, value);
}

static void head_print(const struct show *s, const struct run *r)
{
	fputs("== run ", stdout);
	escape_puts(stdout, *r->id.run ? r->id.run : "without a begin");
	printf(": %s, %zu record%s, lines %llu to %llu of ", run_state_name(r->state), r->n_records,
	       plural(r->n_records), (unsigned long long)r->first_line,
	       (unsigned long long)r->last_line);
	escape_puts(stdout, log_name(s->path));
	if (r->duplicates)
		printf(", %llu record%s twice", (unsigned long long)r->duplicates,
		       plural(r->duplicates));
	puts(" ==");
}

static void identity_print(const struct run *r)
{
	const struct run_identity *id = &r->id;

	say("label", id->label);
	printf("%-8s ", "build");
	escape_puts(stdout, id->build);
	say_pair(", measured code ", id->code);
	printf("\n%-8s profile=", "options");
	escape_puts(stdout, id->profile);
	say_pair("; given: ", id->options);
	printf("\n%-8s ", "cpu");
	escape_puts(stdout, id->vendor);
	say_pair(" ", id->signature);
	say_pair(", ", id->brand);
	if (strcmp(id->core_type, "0"))
		say_pair(", core type ", id->core_type);
	say_pair(", microcode ", id->microcode);
	putchar('\n');
	if (strcmp(id->hypervisor, "none"))
		say("hv", id->hypervisor);
	if (strcmp(id->emulated, "no"))
		say("emulated", id->emulated);
	say("firmware", id->firmware);
	say("board", id->board);
	say("serial", id->serial);
	say("uuid", id->uuid);
	printf("%-8s ", "boot");
	escape_puts(stdout, id->boot);
	say_pair(", ", id->loader);
	say_pair(", ", id->rtc);
	putchar('\n');
}

static void clock_print(const struct run *r)
{
	const struct run_field *source = run_field(run_find(r, "tsc", NULL), "source");

	printf("%-8s ", "tsc");
	if (r->tsc_khz)
		printf("%llu kHz", (unsigned long long)r->tsc_khz);
	else
		fputs("frequency not known", stdout);
	if (source && r->tsc_khz) {
		fputs(" (", stdout);
		escape_puts(stdout, source->value);
		putchar(')');
	}
	fputs(r->tsc_trusted ? ", trusted" : ", UNTRUSTED", stdout);
	if (r->step)
		printf(", step %llu tick%s", (unsigned long long)r->step, plural(r->step));
	putchar('\n');
}

/* Of a run that was cut: which of what follows is not all of it. */
static void parts_print(const struct run *r)
{
	for (int suite = 0; suite < RUN_SUITES; suite++) {
		const char *words = run_partial(r, (enum run_suite)suite);

		if (words)
			printf("%-8s %s\n", "partial", words);
	}
}

/* ---- tables */

static void row_print(const struct text *t)
{
	escape_print(stdout, t->at, t->len - 1);
	putchar('\n');
}

static void cycles_print(const struct run_method *m, size_t n)
{
	char bytes[2048];
	struct text t = TEXT_ON(bytes);

	for (size_t i = 0; i < n; i++)
		if (m[i].base)
			table_cycles_add(&t, &m[i].base->s);
	if (t.len) {
		text_byte(&t, '\n');
		row_print(&t);
	}
}

static void legend_print(const struct run_method *m, size_t n)
{
	char bytes[240];
	struct text t = TEXT_ON(bytes);
	bool cycles = false;

	for (size_t i = 0; i < n; i++)
		cycles |= m[i].base && !strcmp(m[i].base->s.unit, "cycles");
	table_legend(&t, cycles);
	fwrite(t.at, 1, t.len, stdout);
}

static void method_tables(const struct run *r)
{
	static void (*const head[])(struct text *) = {table_method_head, table_lines_head,
						      table_minima_head};
	struct run_method m[RUN_METHODS];
	size_t n = run_methods(r, m);

	for (size_t table = 0; n && table < ARRAY_SIZE(head); table++) {
		char bytes[400];
		struct text t = TEXT_ON(bytes);

		head[table](&t);
		putchar('\n');
		row_print(&t);
		for (size_t i = 0; i < n; i++) {
			if (table < 2 && !m[i].base)
				continue;
			t = (struct text)TEXT_ON(bytes);
			if (table == 0)
				table_method_row(&t, &m[i].base->s);
			else if (table == 1)
				table_lines_row(&t, &m[i].base->s);
			else
				table_minima_row(&t, &m[i].minima);
			row_print(&t);
		}
	}
	cycles_print(m, n);
	if (n)
		legend_print(m, n);
}

static void recommended_print(const struct run *r)
{
	const struct run_record *rec = run_find(r, "recommend", NULL);
	const struct run_field *reason = run_field(rec, "reason");
	u64 by_default = 0;

	if (!rec)
		return;
	run_number(rec, "default", &by_default);
	fputs("recommended: method ", stdout);
	escape_puts(stdout, r->recommended);
	fputs(by_default ? " (default): " : ": ", stdout);
	escape_puts(stdout, reason ? reason->value : "");
	putchar('\n');
}

static void matrix_print(const struct run *r)
{
	const struct run_record *rec = NULL;
	bool any = false;

	while ((rec = run_find(r, "matrix", rec)) != NULL) {
		const struct run_field *start = run_field(rec, "start");
		const struct run_field *end = run_field(rec, "end");
		const struct run_field *min = run_field(rec, "min"), *var = run_field(rec, "var");
		char bytes[160];
		struct text t = TEXT_ON(bytes);
		u64 unsettled = 0;

		if (!start || !end || !min || !var)
			continue;
		if (!any)
			printf("\n%-22s %-22s %9s %13s\n", "start", "end", "min", "variance");
		any = true;
		run_number(rec, "unsettled", &unsettled);
		fmt(&t, "%-22.60s %-22.60s %9.20s %13.45s%s\n", start->value, end->value,
		    min->value, var->value, unsettled ? " !" : "");
		row_print(&t);
	}
}

static void stability_print(const struct run *r)
{
	static struct hist h;
	const struct run_stability *rs = &r->stability;
	const struct stability *s = &rs->s;
	const struct run_hist *hist;
	char bytes[2048];
	struct text t = TEXT_ON(bytes);

	if (!rs->seq)
		return;
	printf("\nstability: %llu rounds, method ", (unsigned long long)s->n);
	escape_puts(stdout, s->method);
	printf(": min %llu, max %llu, spread %llu ticks (threshold %llu)\n",
	       (unsigned long long)s->min, (unsigned long long)s->max,
	       (unsigned long long)s->spread, (unsigned long long)s->threshold);
	hist = run_hist_find(r, "stability", s->method, "mem", "loop", "none");
	if (hist && !hist->torn && hist->more == 0) {
		run_hist_expand(hist, &h);
		table_decades(&t, &h);
		fwrite(bytes, 1, t.len, stdout);
	}
	printf("%llu outliers, %llu ticks in all, %llu blocks measured again, %llu never settled\n",
	       (unsigned long long)s->outliers, (unsigned long long)rs->stolen,
	       (unsigned long long)s->redone, (unsigned long long)rs->unsettled);
	for (u32 i = 0; i < s->kept; i++)
		printf("  at %llu ticks: %llu ticks\n", (unsigned long long)s->first[i].at,
		       (unsigned long long)s->first[i].length);
	if (s->period)
		printf("outliers come every %llu ticks\n", (unsigned long long)s->period);
}

/* ---- gaps */

static void causes_print(const struct run_gap_sums *a)
{
	const char *gap = " ";

	fputs("causes  ", stdout);
	for (u32 k = 0; k < GAP_CAUSES; k++) {
		if (!a->cause[k])
			continue;
		printf("%s%s %llu", gap, gap_cause_name[k], (unsigned long long)a->cause[k]);
		gap = ", ";
	}
	puts(a->n ? "" : " none");
}

static void rate_print(const char *head, u64 n, const char *what, u64 in, u64 tps)
{
	char bytes[200];
	struct text t = TEXT_ON(bytes);

	rate_fmt(&t, n, what, in, tps);
	printf("%s%.*s\n", head, (int)t.len, bytes);
}

static void watched_print(const struct run_gap_sums *a, u64 threshold)
{
	printf("watched %llu ticks", (unsigned long long)a->watched);
	printf(", %llu ticks stolen, longest %llu ticks (a gap is %llu more than usual)\n",
	       (unsigned long long)a->stolen, (unsigned long long)a->longest,
	       (unsigned long long)threshold);
}

static void gaps_print(const struct run *r)
{
	const struct run_gaps *g = &r->gaps;
	const struct run_gap_sums *a = &g->all;
	const u64 tps = run_tps(r);
	char bytes[2048];
	struct text t = TEXT_ON(bytes);

	if (!g->seq)
		return;
	rate_print("\ngaps: ", a->n, "gaps", a->watched, tps);
	watched_print(a, g->threshold);
	gap_decades_fmt(&t, &g->decades, tps);
	fwrite(bytes, 1, t.len, stdout);
	if (g->smi_counts)
		rate_print("SMI      ", a->smi, "SMI", g->wall, tps);
	causes_print(a);
	if (g->period)
		printf("gaps come every %llu ticks\n", (unsigned long long)g->period);
}

/*
 * Of a watch that was cut: what its windows add up to. Whether SMIs are counted at all only the
 * sums would say, so that a count has bounds where it is not 0.
 */
static void gaps_part_print(const struct run *r)
{
	const struct run_gap_sums *a = &r->gaps.sum;
	const u64 tps = run_tps(r);

	if (r->gaps.seq || !r->gaps.parts)
		return;
	rate_print("\ngaps (partial): ", a->n, "gaps", a->watched, tps);
	printf("%llu window%s in %llu turns, ", (unsigned long long)a->windows, plural(a->windows),
	       (unsigned long long)a->turns);
	watched_print(a, r->gaps.threshold);
	if (a->smi)
		rate_print("SMI      ", a->smi, "SMI", a->watched, tps);
	if (a->nmi)
		rate_print("NMI      ", a->nmi, "NMI", a->watched, tps);
	if (a->mce)
		rate_print("MCE      ", a->mce, "MCE", a->watched, tps);
	printf("counted  SMI %llu, NMI %llu, MCE %llu%s\n", (unsigned long long)a->smi,
	       (unsigned long long)a->nmi, (unsigned long long)a->mce,
	       a->smi ? "" : "; whether SMIs are counted here is not known");
	causes_print(a);
}

/* ---- xsave */

static void emit(void *ctx, const char *bytes, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		putchar(bytes[i] == '\n' || (bytes[i] >= ' ' && bytes[i] <= '~') ? bytes[i] : '?');
}

/* FXSAVE and FXRSTOR stand apart, as in the kernel's report: they take no mask. */
static void xsave_tables(const struct run *r)
{
	struct xcell *cell = must(calloc(r->n_xcells + 1, sizeof(*cell)));
	size_t legacy = 0, n = r->n_xcells;

	for (size_t i = 0; i < n; i++)
		cell[i] = r->xcell[i].cell;
	if (n) {
		xtable_sort(cell, n);
		while (legacy < n && cell[legacy].event[0] == 'f')
			legacy++;
		puts("\nticks, overhead subtracted");
		xtable_print(RUN_EVENT_PREFIX, cell + legacy, n - legacy, emit, NULL);
		if (legacy) {
			puts("\nfor comparison, without masks");
			xtable_print(RUN_EVENT_PREFIX, cell, legacy, emit, NULL);
		}
		xtable_cycles(cell, n, emit, NULL);
	}
	free(cell);
}

/* ---- the verdict */

static const char *const status_name[] = {"ok", "SKIP", "unstable", "failed", "error"};

static void check_print(const struct run_check *c)
{
	printf("  %-8s ", status_name[c->check.status]);
	escape_puts(stdout, c->check.name);
	say_pair(": ", c->check.reason);
	putchar('\n');
}

static void checks_print(const struct show *s, const struct run *r)
{
	u64 count[STATUS_ERROR + 1] = {0};

	for (size_t i = 0; i < r->n_checks; i++)
		count[r->checks[i].check.status]++;
	printf("\nchecks   %zu: %llu ok, %llu skipped, %llu unstable, %llu failed, %llu error\n",
	       r->n_checks, (unsigned long long)count[STATUS_OK],
	       (unsigned long long)count[STATUS_SKIP], (unsigned long long)count[STATUS_UNSTABLE],
	       (unsigned long long)count[STATUS_FAILED], (unsigned long long)count[STATUS_ERROR]);
	for (size_t i = 0; i < r->n_checks; i++)
		if (s->checks || r->checks[i].check.status >= STATUS_UNSTABLE)
			check_print(&r->checks[i]);
	if (r->ended)
		say("result", r->pass ? "pass" : "fail");
	if (!*r->trust)
		return;
	printf("%-8s ", "trust");
	escape_puts(stdout, r->trust);
	say_pair(": ", r->trust_reasons);
	putchar('\n');
}

/* Types that this tool does not know are counted, so that nothing is passed over in silence. */
static void unknown_print(const struct run *r)
{
	if (r->unknown)
		printf("%llu record%s of types that this ticklog does not know: see `ticklog "
		       "export`\n",
		       (unsigned long long)r->unknown, plural(r->unknown));
}

static void covers_print(const struct recomputed *re)
{
	printf("figures  %zu: %llu recomputed from raw data, %llu said twice and equal, %llu within "
	       "limits, %llu with nothing to hold them against; %llu contradicted\n",
	       re->n_figures, (unsigned long long)re->count[COVER_EXACT],
	       (unsigned long long)re->count[COVER_CONFIRMED],
	       (unsigned long long)re->count[COVER_BOUNDED],
	       (unsigned long long)re->count[COVER_NONE], (unsigned long long)re->contradictions);
}

/* ---- one figure a line */

static void figure_print(void *ctx, const struct figure *f)
{
	static const char *const cover_name[] = {"-", "limits", "twice", "recomputed"};
	const struct recomputed *re = ctx;
	char bytes[64];
	struct text t = TEXT_ON(bytes);

	figure_fmt(&t, f);
	printf("%s %.*s ", f->name, (int)t.len, bytes);
	escape_puts(stdout, f->unit);
	printf(" %s\n", cover_name[recompute_cover(re, f->name)]);
}

static void run_print(const struct show *s, const struct run *r, struct recomputed *re)
{
	head_print(s, r);
	if (s->figures) {
		run_figures(r, figure_print, re);
		return;
	}
	identity_print(r);
	clock_print(r);
	parts_print(r);
	matrix_print(r);
	method_tables(r);
	recommended_print(r);
	stability_print(r);
	gaps_print(r);
	gaps_part_print(r);
	xsave_tables(r);
	checks_print(s, r);
	unknown_print(r);
	covers_print(re);
}

/* A run is shown as soon as it has ended, whatever may still come. */
static void show_run(void *ctx, struct run *r)
{
	struct show *s = ctx;
	struct recomputed re;

	recompute(r, &re);
	run_print(s, r, &re);
	s->status = exit_worse(s->status, run_usable(s->command, s->path, r));
	s->status = exit_worse(s->status, recompute_usable(s->command, s->path, &re));
	putchar('\n');
	fflush(stdout);
	recompute_free(&re);
	run_free(r);
}

static int show_file(struct show *s, const char *path)
{
	struct run_totals totals;

	s->path = path;
	if (!run_read_each(s->command, path, show_run, s, &totals))
		return EXIT_UNUSABLE;
	return exit_worse(s->status, totals_usable(s->command, path, &totals));
}

static const struct option options[] = {
	{"figures", no_argument, NULL, 'f'},
	{"checks", no_argument, NULL, 'c'},
	{0},
};

static int run_show(const struct command *self, int argc, char **argv)
{
	struct show s = {.command = self};
	int option, status = EXIT_FINE;

	while ((option = getopt_long(argc, argv, ":fc", options, NULL)) != -1) {
		if (option == 'f')
			s.figures = true;
		else if (option == 'c')
			s.checks = true;
		else
			return usage_option(self, option, argv);
	}
	if (optind == argc)
		return usage_error(self, "which log? A file, or - for standard input");
	for (int i = optind; i < argc; i++)
		status = exit_worse(status, show_file(&s, argv[i]));
	return status;
}

const struct command cmd_show = {
	.name = "show",
	.doc = "print the runs of serial logs as tables, every figure recomputed",
	.run = run_show,
	.help = "usage: ticklog show [OPTION]... LOG...\n"
		"\n"
		"Prints each run of baretick in the LOGs: who ran, the tables, the checks. A LOG is what came\n"
		"over the serial line, with whatever firmware and loader wrote around it; it may hold several\n"
		"runs. - is standard input: a run is printed as soon as its end record is read, so that\n"
		"`qemu-system-x86_64 ... | ticklog show -` works while the machine goes on.\n"
		"\n"
		"A run is complete when every record from its begin to its end arrived, incomplete when some\n"
		"are missing, corrupt when a line holds a damaged record or a record makes no sense. What is\n"
		"missing or damaged is said on standard error, as FILE:LINE.\n"
		"\n"
		"Every figure is held against the rest of the log: recomputed from the histograms, the lines\n"
		"(boot option detail=lines) and the trace lines (xsave.trace=all) where they are there,\n"
		"compared with what another record or the kernel's own tables say of it, or at least with the\n"
		"limits that other figures set. One that differs in a digit is an error.\n"
		"\n"
		"  -f, --figures  one line a figure instead of tables: name, value, unit, and what it was held\n"
		"                 against: recomputed, twice (said twice and equal), limits, or - for nothing\n"
		"  -c, --checks   print every check, not only those that are not ok\n"
		"\n"
		"Exit status: 0 every run is complete and every figure stands, 2 not so, or nothing was\n"
		"measured, or a log cannot be read, 5 usage.\n",
};
