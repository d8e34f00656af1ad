/* SPDX-License-Identifier: MIT */
/* What machine this is, at the head of every log, and the checks that identity alone decides. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "bench.h"

/* Text and the records machine, clock (one a candidate) and options. */
void identity_report(struct run *run);

/*
 * tsc.invariant, tsc.frequency, machine.cpus; machine.findings, gravest first, where there are any.
 */
void identity_checks(struct run *run);

#endif
