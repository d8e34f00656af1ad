// SPDX-License-Identifier: MIT
/* Sorted runs in a temporary file: see spill.h. */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All buffers for reading runs together, and the least of one. */
#define BUFFERS	     (8u << 20)
#define BUFFER_LEAST (16u << 10)
#define BUFFER_MOST  (256u << 10)

struct spill_run {
	u64 at, left; /* bytes in the file still to be read */
	struct pair *buf, *next, *end;
	bool owned; /* buf is ours */
};

int pair_compare(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	if (p->group != q->group)
		return p->group < q->group ? -1 : 1;
	return p->value < q->value ? -1 : p->value > q->value;
}

void spill_init(struct spill *r)
{
	*r = (struct spill){.fd = -1};
}

void spill_free(struct spill *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->run[i].owned)
			free(r->run[i].buf);
	free(r->run);
	free(r->heap);
	if (r->fd >= 0)
		close(r->fd);
}

u64 spill_bytes(const struct spill *r)
{
	return r->bytes;
}

bool spill_failed(const struct spill *r)
{
	if (r->error)
		errno = r->error;
	return r->error != 0;
}

/* A file that vanishes with the process, whatever ends it. */
static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	char *path;
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Not every file system knows files without a name. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd;
	if (asprintf(&path, "%s/ticklog-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		p += done;
		n -= (size_t)done;
	}
	return true;
}

static struct spill_run *add_run(struct spill *r)
{
	struct spill_run *longer = realloc(r->run, (r->n + 1) * sizeof(*longer));

	if (!longer)
		return NULL;
	r->run = longer;
	longer[r->n] = (struct spill_run){0};
	return &longer[r->n++];
}

bool spill_write(struct spill *r, const struct pair *p, size_t n)
{
	struct spill_run *run;

	if (r->fd < 0 && (r->fd = temporary_file()) < 0)
		return false;
	if (!write_all(r->fd, (const char *)p, n * sizeof(*p)) || !(run = add_run(r)))
		return false;
	run->at = r->bytes;
	run->left = n * sizeof(*p);
	r->bytes += run->left;
	return true;
}

/* Reads more of a run; false at its end or on an error. */
static bool refill(struct spill *r, struct spill_run *run)
{
	size_t want = run->left < r->buffer ? run->left : r->buffer, got = 0;

	while (got < want) {
		ssize_t n =
			pread(r->fd, (char *)run->buf + got, want - got, (off_t)(run->at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			r->error = n < 0 ? errno : EIO;
			return false;
		}
		got += (size_t)n;
	}
	run->at += want;
	run->left -= want;
	run->next = run->buf;
	run->end = run->buf + want / sizeof(*run->buf);
	return want > 0;
}

/* A whole number of pairs. */
static size_t buffer_size(const struct spill *r)
{
	size_t size = BUFFERS / (r->n + 1);

	size = size < BUFFER_LEAST ? BUFFER_LEAST : size > BUFFER_MOST ? BUFFER_MOST : size;
	return size / sizeof(struct pair) * sizeof(struct pair);
}

static bool before(const struct spill *r, size_t a, size_t b)
{
	return pair_compare(r->run[r->heap[a]].next, r->run[r->heap[b]].next) < 0;
}

static void sift_down(struct spill *r, size_t i)
{
	for (;;) {
		size_t least = i, kid = 2 * i + 1, held;

		if (kid < r->n_heap && before(r, kid, least))
			least = kid;
		if (kid + 1 < r->n_heap && before(r, kid + 1, least))
			least = kid + 1;
		if (least == i)
			return;
		held = r->heap[i];
		r->heap[i] = r->heap[least];
		r->heap[least] = held;
		i = least;
	}
}

bool spill_merge(struct spill *r, struct pair *p, size_t n)
{
	struct spill_run *run;

	r->buffer = buffer_size(r);
	for (size_t i = 0; i < r->n; i++) {
		run = &r->run[i];
		run->buf = malloc(r->buffer);
		run->owned = true;
		if (!run->buf)
			return false;
	}
	run = add_run(r);
	r->heap = malloc(r->n * sizeof(*r->heap));
	if (!run || !r->heap)
		return false;
	*run = (struct spill_run){.buf = p, .next = p, .end = n ? p + n : p};
	for (size_t i = 0; i < r->n; i++)
		if (r->run[i].owned ? refill(r, &r->run[i]) : n > 0)
			r->heap[r->n_heap++] = i;
	for (size_t i = r->n_heap; i-- > 0;)
		sift_down(r, i);
	return true;
}

bool spill_next(struct spill *r, struct pair *p)
{
	struct spill_run *run;

	if (!r->n_heap || r->error)
		return false;
	run = &r->run[r->heap[0]];
	*p = *run->next++;
	if (run->next == run->end && (!run->owned || !refill(r, run))) {
		if (r->error)
			return false;
		r->heap[0] = r->heap[--r->n_heap];
	}
	if (r->n_heap > 1)
		sift_down(r, 0);
	return true;
}
