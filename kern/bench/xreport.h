/* SPDX-License-Identifier: MIT */
/*
 * The XSAVE suite's text and records. Keys, masks in 0x hex, times in ticks:
 *
 * type=xcr0     masks: offered requested granted usable (user state), super (offered supervisor
 *               state), xss (IA32_XSS as set); reason: why it is not more.
 * type=xarea    bytes of an area; standard, compacted: as computed; ebx0, ebx1: as leaf 0Dh says.
 * type=xlayout  a contradiction in leaf 0Dh: fault=standard-size|compacted-size (said, computed:
 *               bytes) or fault=overlap|absent (component: its bit).
 * type=xsave    one event and RFBM; lists in parallel, a column a row of the table, split over
 *               several records where 1024 bytes are not enough. A list whose values are all the
 *               same is given as that one value. event, rfbm; source of XINUSE: xgetbv1 (read
 *               before every sample), xsave (XSTATE_BV of a plain save after the same priming),
 *               image (restores); overhead, overhead_stable (1: before and after agree within one
 *               step); unstable (1: ruler, NMI, MCE or SMI came in between); only where it held,
 * and without detail=full for the last RFBM only, ratio_e4 (core cycles per tick x 10,000); only
 * where there are any, backwards: samples dropped, other: samples of further XINUSE values. Lists:
 *               xinuse; n; kept (by the 97% average); min max avg avg97 p50 p99, overhead
 *               subtracted; clamped (would be negative, kept as 0); xstate_bv, read back from the
 *               saved image, left out where it equals xinuse in every row.
 * type=xskip    a cell left out: event, rfbm, asked (XINUSE), reason.
 * type=xsweep   rows, skipped; samples asked a cell; reads of XINUSE before saves, mismatches (not
 *               as asked), untracked: the components whose XINUSE never moved, though asked to.
 */
#ifndef XREPORT_H
#define XREPORT_H

#include "xsave.h"

void xreport_xcr0(struct xsave *x, u64 requested, u64 granted, const char *reason);
void xreport_area(struct xsave *x, u64 size);
void xreport_finding(struct xsave *x, const struct xstate_finding *f);
void xreport_block(struct xsave *x, const struct xblock *b, const struct xcell *cell, size_t n);
void xreport_sweep(struct xsave *x, u64 untracked);
void xreport_table(struct xsave *x);

/* The line that gives the trace its unit, and one line a sample of the cell. */
void xreport_trace_head(struct xsave *x);
void xreport_trace(struct xsave *x, const struct xcell *cell, const u64 *ticks, size_t n);

/* "#UD", "#NM", "#GP", "#PF", or "vector N"; fault is the vector + 1. */
void xreport_fault(struct text *t, u64 fault);
/* Why a cell was left out, in words. */
void xreport_skip_reason(struct text *t, const struct xskip *skip);
/* "x87 SSE AVX"; unnamed components as their bit. */
void xreport_names(struct text *t, u64 mask);

#endif
