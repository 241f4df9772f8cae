/* What a test's own process says on standard error. Behind cmocka.h. */
#ifndef AETIUS_TESTS_LISTEN_H
#define AETIUS_TESTS_LISTEN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct listener {
    int file, own; /* what is said; standard error as it was */
    char said[8192];
};

static inline void
listen_begin(struct listener *listener)
{
    char path[] = "/tmp/aetius-said-XXXXXX";
    listener->file = mkstemp(path);
    listener->own = dup(STDERR_FILENO);
    assert_true(listener->file >= 0 && listener->own >= 0);
    unlink(path);
    fflush(stderr);
    dup2(listener->file, STDERR_FILENO);
}

/* Fills `said`, and returns it. */
static inline const char *
listen_end(struct listener *listener)
{
    fflush(stderr);
    dup2(listener->own, STDERR_FILENO);
    const ssize_t bytes = pread(listener->file, listener->said, sizeof listener->said - 1, 0);
    assert_true(bytes >= 0);
    listener->said[bytes] = '\0';
    close(listener->file);
    close(listener->own);
    return listener->said;
}

#endif
