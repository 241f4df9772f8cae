/* Redirects standard error to a file and restores it. */
#include "rigs/listen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void
listen_begin(struct listener *listener)
{
    char path[] = "/tmp/aetius-listen-XXXXXX";
    listener->file = mkstemp(path);
    listener->own = dup(STDERR_FILENO);
    assert_true(listener->file >= 0 && listener->own >= 0);
    unlink(path);
    fflush(stderr);
    dup2(listener->file, STDERR_FILENO);
}

const char *
listen_end(struct listener *listener)
{
    fflush(stderr);
    dup2(listener->own, STDERR_FILENO);
    const ssize_t bytes = pread(listener->file, listener->text, sizeof listener->text - 1, 0);
    assert_true(bytes >= 0);
    listener->text[bytes] = '\0';
    close(listener->file);
    close(listener->own);
    return listener->text;
}
