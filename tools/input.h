/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a log, a line at a time: from a file, or from a pipe as they come in. Both are read
 * the same way, so that a file that shrinks or grows meanwhile does no harm.
 */
#ifndef INPUT_H
#define INPUT_H

#include "ticklog.h"

#define INPUT_LINE_MAX (1u << 20)

struct input {
	const struct command *command; /* speaks in messages */
	const char *name;	       /* for messages; "standard input" for - */
	u64 line_no;		       /* of the line last given, from 1 */
	u64 bytes;		       /* read so far */
	u64 cut; /* lines longer than INPUT_LINE_MAX: their first INPUT_LINE_MAX bytes were given */
	/* What follows is input.c's own. */
	int fd;
	bool skipping; /* the rest of a line that was cut */
	bool ended;
	bool failed;
	bool shows; /* progress stands on the terminal */
	u64 size;   /* of a regular file, else 0 */
	u64 next_show;
	char *buf, *at, *end;
	size_t cap;
};

/* `path` - is standard input. Says what is wrong and returns false if it cannot be read. */
bool input_open(struct input *in, const struct command *c, const char *path);

/*
 * The next line without its '\n', valid until the next call; a last line need not have one. False
 * at the end, or when reading failed, which is said.
 */
bool input_line(struct input *in, const char **line, size_t *n);

/* False if reading failed. */
bool input_close(struct input *in);

/*
 * A break on a serial line reads as a NUL, and a capture in UTF-16 is half of them: copies the
 * bytes without them, returns how many those are.
 */
size_t input_plain(char *to, const char *line, size_t n);

#endif
