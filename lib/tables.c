// SPDX-License-Identifier: MIT
/* Tables for people: see tables.h. Nothing here computes a figure. */
#include "tables.h"

#include "mem.h"

/* Builds one cell in a scratch text and puts it right-aligned, a blank before it. */
struct cell {
	char bytes[48];
	struct text t;
};

static struct text *cell_open(struct cell *c)
{
	c->t = (struct text){.at = c->bytes, .cap = sizeof(c->bytes)};
	return &c->t;
}

static void cell_put(struct text *t, struct cell *c, int width)
{
	fmt(t, " %*.*s", width, (int)c->t.len, c->bytes);
}

static void put_u64(struct text *t, int width, u64 v)
{
	fmt(t, " %*llu", width, (unsigned long long)v);
}

/* ~0 is "not measured". */
static void put_u64_or_dash(struct text *t, int width, u64 v)
{
	if (v == ~0ull)
		fmt(t, " %*s", width, "-");
	else
		put_u64(t, width, v);
}

static void put_variance(struct text *t, int width, const struct variance *v)
{
	struct cell c;

	variance_fmt(cell_open(&c), v);
	cell_put(t, &c, width);
}

static void put_bound(struct text *t, int width, const struct bound *b)
{
	struct cell c;

	bound_fmt(cell_open(&c), b);
	cell_put(t, &c, width);
}

void table_method_head(struct text *t)
{
	fmt(t, "%-6s %7s %13s %9s %7s %7s %7s %9s %6s\n", "method", "min", "variance", "max dev",
	    "p50", "p97", "p99", "p99.9", "lines");
}

void table_method_row(struct text *t, const struct series *s)
{
	fmt(t, "%-6s", s->method);
	put_u64(t, 7, s->min);
	put_variance(t, 13, &s->mean_var);
	put_u64(t, 9, s->max_dev);
	put_bound(t, 7, &s->p50);
	put_bound(t, 7, &s->p97);
	put_bound(t, 7, &s->p99);
	put_bound(t, 9, &s->p999);
	put_u64(t, 6, s->lines);
	fmt(t, "%s%s\n", s->trimmed ? " *" : "", s->unsettled ? " !" : "");
}

void table_lines_head(struct text *t)
{
	fmt(t, "%-6s %16s %10s %8s %9s %7s %9s %8s\n", "method", "var(variance)", "var(min)",
	    "spurious", "backwards", "first", "warm", "samples");
}

void table_lines_row(struct text *t, const struct series *s)
{
	fmt(t, "%-6s", s->method);
	put_variance(t, 16, &s->var_var);
	put_variance(t, 10, &s->var_min);
	put_u64(t, 8, s->spurious);
	put_u64(t, 9, s->backwards);
	put_u64(t, 7, s->first);
	put_u64(t, 9, s->warm);
	put_u64(t, 8, s->samples);
	fmt(t, "\n");
}

void table_minima_head(struct text *t)
{
	fmt(t, "%-6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %7s\n", "method", "none", "tsc", "+work",
	    "+fence", "reg", "store", "add", "loop", "ovrhd", "resol.");
}

void table_minima_row(struct text *t, const struct minima_row *row)
{
	fmt(t, "%-6s", row->method);
	for (int i = 0; i < TABLE_MINIMA; i++)
		put_u64_or_dash(t, 6, row->min[i]);
	if (row->resolution == 0)
		fmt(t, " %7s", "unknown");
	else
		put_u64_or_dash(t, 7, row->resolution);
	fmt(t, "%s\n", row->overhead_stable ? "" : " ~");
}

void table_cycles_add(struct text *t, const struct series *s)
{
	if (!s->ratio || !str_is(s->unit, "ticks"))
		return;
	text_str(t, t->len ? ", " : "min in core cycles, where the ratio held: ");
	text_str(t, s->method);
	text_str(t, ": ");
	fmt(t, "%llu", (unsigned long long)ruler_cycles(s->min, s->ratio));
}

void table_legend(struct text *t, bool cycles)
{
	fmt(t,
	    "all in TSC ticks%s; `*`: fewer samples, by the time budget; `!`: the core clock or the\n"
	    "sibling's load moved and did not settle; `~`: overhead moved\n",
	    cycles ? ", method 9 in core cycles" : "");
}

void table_line(struct text *t, const char *series, u64 from, u64 to, const struct variance *var,
		u64 max_dev, u64 min)
{
	fmt(t, "%s loop_size:%llu", series, (unsigned long long)from);
	if (to != from)
		fmt(t, "..%llu", (unsigned long long)to);
	fmt(t, " >>>> variance(ticks): ");
	variance_fmt(t, var);
	fmt(t, "; max_deviation: %llu; min time: %llu\n", (unsigned long long)max_dev,
	    (unsigned long long)min);
}

void table_decades(struct text *t, const struct hist *h)
{
	u64 from = 0, to = 10, count = h->below;

	for (size_t i = 0; i < HIST_BINS; i++) {
		/* A bin belongs to the decade its lower end is in; the last decade is open. */
		while (to && hist_bin_range(h, i).lo >= h->m.min &&
		       hist_bin_range(h, i).lo - h->m.min >= to) {
			if (count)
				fmt(t, "  min + %-20llu.. %llu\n", (unsigned long long)from,
				    (unsigned long long)count);
			count = 0;
			from = to;
			to = to > ~0ull / 10 ? 0 : to * 10;
		}
		count += h->bin[i];
	}
	if (count)
		fmt(t, "  min + %-20llu.. %llu\n", (unsigned long long)from,
		    (unsigned long long)count);
}
