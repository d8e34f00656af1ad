// SPDX-License-Identifier: MIT
/* Text, records and trace lines of the XSAVE suite: see xreport.h. */
#include "xreport.h"

#include "xrecord.h"
#include "xtable.h"

#define PREFIX	    "x86_fpu_latency_"
#define SKIPS_SHOWN 8

void xreport_names(struct text *t, u64 mask)
{
	const char *gap = "";

	for (u32 i = 0; i < XSTATE_MAX; i++) {
		if (!(mask >> i & 1))
			continue;
		if (xstate_name(i))
			fmt(t, "%s%s", gap, xstate_name(i));
		else
			fmt(t, "%sbit %u", gap, i);
		gap = " ";
	}
}

void xreport_fault(struct text *t, u64 fault)
{
	switch (fault) {
	case INSN_FAULT_UD:
		text_str(t, "#UD");
		break;
	case INSN_FAULT_NM:
		text_str(t, "#NM");
		break;
	case INSN_FAULT_GP:
		text_str(t, "#GP");
		break;
	case INSN_FAULT_PF:
		text_str(t, "#PF");
		break;
	default:
		fmt(t, "vector %llu", (unsigned long long)fault - 1);
	}
}

void xreport_skip_reason(struct text *t, const struct xskip *skip)
{
	switch (skip->why) {
	case XSKIP_PRIME:
		text_str(t, "priming faults: ");
		xreport_fault(t, skip->value);
		break;
	case XSKIP_FAULT:
		text_str(t, "the instruction faults: ");
		xreport_fault(t, skip->value);
		break;
	case XSKIP_CANARY:
		text_str(t, "it wrote outside its area");
		break;
	case XSKIP_BV:
		fmt(t, "XSTATE_BV read back as 0x%llx, not within RFBM",
		    (unsigned long long)skip->value);
		break;
	case XSKIP_XCOMP:
		fmt(t, "XCOMP_BV read back wrong: 0x%llx", (unsigned long long)skip->value);
		break;
	}
}

/* The names on as many lines as 80 columns need. */
static void names_lines(struct xsave *x, const char *head, u64 mask)
{
	char bytes[600];
	struct text t = TEXT_ON(bytes);
	size_t line = 0;

	text_str(&t, head);
	for (u32 i = 0; i < XSTATE_MAX; i++) {
		if (!(mask >> i & 1))
			continue;
		if (t.len - line > 68) {
			text_str(&t, "\n ");
			line = t.len;
		}
		text_byte(&t, ' ');
		xreport_names(&t, 1ull << i);
	}
	text_byte(&t, '\n');
	report_lines(x->run->report, &t);
}

void xreport_xcr0(struct xsave *x, u64 requested, u64 granted, const char *reason)
{
	struct record *r = report_record(x->run->report, "xcr0");

	record_hex(r, "offered", x->layout.user);
	record_hex(r, "requested", requested);
	record_hex(r, "granted", granted);
	record_hex(r, "usable", x->xcr0);
	record_hex(r, "super", x->layout.super);
	record_hex(r, "xss", x->xss);
	record_word(r, "reason", reason);
	report_send(x->run->report);
	report_text(x->run->report, "XCR0 offered 0x%llx, requested 0x%llx, granted 0x%llx\n  %s\n",
		    (unsigned long long)x->layout.user, (unsigned long long)requested,
		    (unsigned long long)granted, reason);
	names_lines(x, "usable:", x->xcr0);
	if (x->xcr0 & ~x->payload)
		names_lines(x, "no payload known, initial state only:", x->xcr0 & ~x->payload);
}

void xreport_area(struct xsave *x, u64 size)
{
	struct record *r = report_record(x->run->report, "xarea");

	record_u64(r, "bytes", size);
	record_u64(r, "standard", xstate_standard_size(&x->layout, x->xcr0));
	record_u64(r, "compacted", xstate_compacted_size(&x->layout, x->xcr0 | x->xss));
	record_u64(r, "ebx0", x->layout.ebx0);
	record_u64(r, "ebx1", x->layout.ebx1);
	report_send(x->run->report);
}

void xreport_finding(struct xsave *x, const struct xstate_finding *f)
{
	static const char *const name[XSTATE_FAULTS] = {"", "standard-size", "compacted-size",
							"overlap", "absent"};
	struct record *r = report_record(x->run->report, "xlayout");

	record_word(r, "fault", name[f->fault]);
	if (f->fault == XSTATE_STANDARD_SIZE || f->fault == XSTATE_COMPACTED_SIZE) {
		record_u64(r, "said", f->said);
		record_u64(r, "computed", f->computed);
	} else {
		record_u64(r, "component", f->component);
	}
	report_send(x->run->report);
}

static const char *block_source(const struct xsave *x, const struct xblock *b)
{
	if (b->event->restore)
		return "image";
	return x->gate[GATE_XGETBV1] ? "xgetbv1" : "xsave";
}

static struct record *block_record(struct xsave *x, const struct xblock *b,
				   const struct xcell *cell, size_t n)
{
	struct record *r = report_record(x->run->report, "xsave");

	record_word(r, "event", xblock_name(b));
	record_hex(r, "rfbm", b->rfbm);
	record_word(r, "source", block_source(x, b));
	record_u64(r, "overhead", b->overhead);
	record_u64(r, "overhead_stable", b->overhead_stable);
	record_u64(r, "unstable", b->unstable);
	if (cell->ratio)
		record_u64(r, "ratio_e4", cell->ratio);
	if (b->backwards)
		record_u64(r, "backwards", b->backwards);
	if (b->other)
		record_u64(r, "other", b->other);
	xcells_record(r, cell, n);
	return r;
}

static void block_skips(struct xsave *x, const struct xblock *b)
{
	for (size_t i = 0; i < b->n_skips; i++) {
		struct record *r = report_record(x->run->report, "xskip");
		char bytes[100];
		struct text reason = TEXT_ON(bytes);

		xreport_skip_reason(&reason, &b->skip[i]);
		record_word(r, "event", xblock_name(b));
		record_hex(r, "rfbm", b->rfbm);
		record_hex(r, "asked", b->skip[i].asked);
		record_str(r, "reason", bytes, reason.len);
		report_send(x->run->report);
		if (x->skipped + i < SKIPS_SHOWN)
			report_text(x->run->report, "%s RFBM 0x%llx XINUSE 0x%llx left out: %.*s\n",
				    xblock_name(b), (unsigned long long)b->rfbm,
				    (unsigned long long)b->skip[i].asked, (int)reason.len, bytes);
	}
}

void xreport_block(struct xsave *x, const struct xblock *b, const struct xcell *cell, size_t n)
{
	block_skips(x, b);
	while (n) {
		size_t part = n;

		while (part > 1 && block_record(x, b, cell, part)->t.cut)
			part--;
		block_record(x, b, cell, part);
		report_send(x->run->report);
		cell += part;
		n -= part;
	}
}

void xreport_sweep(struct xsave *x, u64 untracked)
{
	struct record *r = report_record(x->run->report, "xsweep");

	record_u64(r, "rows", x->n_cells);
	record_u64(r, "skipped", x->skipped);
	record_u64(r, "samples", x->n);
	record_u64(r, "reads", x->reads);
	record_u64(r, "mismatches", x->mismatches);
	record_hex(r, "untracked", untracked);
	report_send(x->run->report);
}

struct line {
	struct report *report;
	struct text t;
	char bytes[512];
};

static void emit_line(void *ctx, const char *bytes, size_t n)
{
	struct line *l = ctx;

	text_bytes(&l->t, bytes, n);
	if (n == 0 || bytes[n - 1] != '\n')
		return;
	report_lines(l->report, &l->t);
	l->t.len = 0;
}

static void table_part(struct xsave *x, const char *title, const struct xcell *cell, size_t n)
{
	struct line l = {.report = x->run->report};

	if (n == 0)
		return;
	l.t = (struct text)TEXT_ON(l.bytes);
	report_text(l.report, "\n%s, %llu samples a cell\n", title, (unsigned long long)x->n);
	xtable_print(PREFIX, cell, n, emit_line, &l);
}

static void cycles_part(struct xsave *x)
{
	struct line l = {.report = x->run->report};

	l.t = (struct text)TEXT_ON(l.bytes);
	xtable_cycles(x->cell, x->n_cells, emit_line, &l);
}

/*
 * FXSAVE and FXRSTOR stand apart: they have no trace lines, and the table is what the lines give,
 * to the width of its columns.
 */
void xreport_table(struct xsave *x)
{
	size_t legacy = 0;

	xtable_sort(x->cell, x->n_cells);
	while (legacy < x->n_cells && x->cell[legacy].event[0] == 'f')
		legacy++;
	table_part(x, "ticks, overhead subtracted", x->cell + legacy, x->n_cells - legacy);
	table_part(x, "for comparison, without masks", x->cell, legacy);
	cycles_part(x);
}

void xreport_trace_head(struct xsave *x)
{
	const struct machine *m = x->run->machine;

	report_text(x->run->report, "# baretick unit=ticks tsc_khz=%llu\n",
		    m->tsc_trusted ? (unsigned long long)m->tsc_khz : 0ull);
}

/*
 * The stamp is the time of printing since entry: the samples have none of their own. Without a
 * frequency there is no time to tell, and all are 0.
 */
void xreport_trace(struct xsave *x, const struct xcell *cell, const u64 *ticks, size_t n)
{
	const u64 rate = env_ticks_per_second();

	for (size_t i = 0; i < n; i++) {
		u64 now = x->run->machine->tsc_trusted ? rdtsc() - x->run->machine->entry_tsc : 0;

		report_text(x->run->report,
			    "%16s-%-7d [000] d..1. %5llu.%06llu: " PREFIX
			    "%s: x86/fpu: latency:%llu RFBM:0x%llx XINUSE:0x%llx\n",
			    "baretick", 0, (unsigned long long)(now / rate),
			    (unsigned long long)(now % rate * 1000000 / rate), cell->event,
			    (unsigned long long)ticks[i], (unsigned long long)cell->rfbm,
			    (unsigned long long)cell->xinuse);
	}
}
