/* SPDX-License-Identifier: MIT */
/*
 * What a run says, whatever stood around it: its records in the one form that the kernel prints
 * them in. Two logs of the same run have the same content, by whatever way they were taken.
 */
#ifndef CONTENT_H
#define CONTENT_H

#include "record.h"
#include "run.h"

/* The record's bytes are out->bytes; returns their number, 0 if it does not fit in RECORD_MAX. */
size_t content_record(struct record *out, const struct run_record *rec);

/* CRC-64 of all records in the order of their numbers. */
u64 content_crc(const struct run *r);

#endif
