/* SPDX-License-Identifier: MIT */
/* How a run is put together: what run.c, which follows the log, and run_results.c, which makes
 * results of its records, share. */
#ifndef RUN_BUILD_H
#define RUN_BUILD_H

#include "run.h"

/* Memory that lives as long as the run. */
void *run_alloc(struct run *r, size_t n);
const char *run_copy(struct run *r, const char *bytes, size_t n); /* NUL-terminated */

/* Room for one more item behind `n` of them. The vector itself is plain malloc's. */
void *vector_room(void *at, size_t n, size_t size);

#define VECTOR_ADD(at, n) ((at) = vector_room((at), (n), sizeof(*(at))), &(at)[(n)++])

/* Something of the run that makes no sense. */
void run_problem_add(struct run *r, u64 line, u64 seq, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A record as it comes in: into the typed results, if the type is known. */
void run_result_take(struct run *r, const struct run_record *rec, const struct record_view *v);

/* After the last record: what only shows when all are here. */
void run_results_finish(struct run *r);

#endif
