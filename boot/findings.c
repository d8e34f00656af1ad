// SPDX-License-Identifier: MIT
/* The list of findings. */
#include "findings.h"

#include "fmt.h"

void finding_add(struct findings *f, const char *format, ...)
{
	u32 i = f->n++;
	va_list args;

	if (i >= FINDINGS_KEPT)
		return;
	struct text t = {.at = f->text[i], .cap = FINDING_TEXT - 1};

	va_start(args, format);
	fmt_v(&t, format, args);
	va_end(args);
	f->text[i][t.len] = '\0';
}
