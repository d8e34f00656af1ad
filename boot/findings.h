/* SPDX-License-Identifier: MIT */
/* What a parser noticed and went on from: a short list of texts for the log. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "types.h"

#define FINDINGS_KEPT 12
#define FINDING_TEXT  112

struct findings {
	u32 n; /* all of them; the first FINDINGS_KEPT are kept */
	char text[FINDINGS_KEPT][FINDING_TEXT];
};

/* How many of f->text[] are there to print. */
static inline u32 findings_kept(const struct findings *f)
{
	return f->n < FINDINGS_KEPT ? f->n : FINDINGS_KEPT;
}

/* lib/fmt.h's conversions; the text is cut to fit and terminated. */
void finding_add(struct findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
