/* SPDX-License-Identifier: MIT */
/*
 * The columns of a `type=xsave` record, both ways: lists in parallel, an item a row of the table. A
 * list whose items are all the same is given as that one item.
 *
 * xinuse n kept min max avg avg97 p50 p99 clamped xstate_bv: members of struct xcell; masks in hex.
 * xstate_bv is left out where it equals xinuse in every row.
 */
#ifndef XRECORD_H
#define XRECORD_H

#include "record.h"
#include "result.h"
#include "types.h"

/* Look at r->t.cut for whether n rows were too many for one record. */
void xcells_record(struct record *r, const struct xcell *cell, size_t n);

/*
 * Its inverse: *n rows, at most cap. Of a cell what the columns hold is set. NULL, or the key that
 * is missing or holds what it cannot.
 */
const char *xcells_parse(const struct record_view *v, struct xcell *cell, size_t cap, size_t *n);

#endif
