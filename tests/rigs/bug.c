#include "rigs/bug.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void
bug_of(void (*act)(void *data), void *data, char text[BUG_TEXT_BYTES])
{
    int ends[2], status;
    size_t used = 0;
    char rest[256];
    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        setvbuf(stderr, NULL, _IONBF, 0); /* other tests may have set a buffer */
        act(data);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], text + used, BUG_TEXT_BYTES - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    while (read(ends[0], rest, sizeof rest) > 0) /* drain the pipe, so that the child can end */
        ;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
        fail_msg("no BUG ended it: status %#x, said: %s", (unsigned)status, text);
}

void
assert_invariant(void (*act)(void *data), void *data, const char *owner, const char *condition)
{
    char text[BUG_TEXT_BYTES], begin[128];
    bug_of(act, data, text);
    text[strcspn(text, "\n")] = '\0';
    snprintf(begin, sizeof begin, ": %s, cycle ", owner);
    if (!strstr(text, begin) || !strstr(text, condition))
        fail_msg("expected '%s' and '%s' in: %s", begin, condition, text);
}
