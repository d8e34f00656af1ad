/* SPDX-License-Identifier: MIT */
/* Crashes on purpose (option panic=), so that a test can see that a crash is seen. */
#ifndef PROVOKE_H
#define PROVOKE_H

#include "options.h"

/* Returns for PANIC_NONE alone. */
void provoke(enum panic_how how);

#endif
