/* The program itself, run in a process of its own with its output kept. A test sets `aetius` to its
 * path and calls RUN(said, "info", ...). */
#ifndef AETIUS_TESTS_COMMAND_H
#define AETIUS_TESTS_COMMAND_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *aetius;

struct said {
    int status;
    long rss_kb; /* its memory at most */
    char out[1 << 20], err[4096];
};

static inline void
command_take(char *text, size_t size, int file)
{
    size_t n = 0;
    for (ssize_t got; n + 1 < size && (got = read(file, text + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    text[n] = '\0';
    close(file);
}

/* The longest line of a text, but for single words, and for a command to copy ("  ncu ..."). */
static inline size_t
longest_line(const char *text)
{
    size_t longest = 0;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, "\n"), indent = strspn(at, " ");
        const bool is_word = strcspn(at + indent, " \n") == n - indent;
        const bool is_command = !strncmp(at, "  ncu ", 6) || !strncmp(at, "  nvprof ", 9);
        if (n > longest && !is_word && !is_command)
            longest = n;
        at += n + (at[n] == '\n');
    }
    return longest;
}

/* aetius in a process of its own; no file of it grows above `file_bytes` (0: as they like). */
static inline void
run_within(struct said *said, rlim_t file_bytes, const char *const *words)
{
    char out[] = "/tmp/aetius-out-XXXXXX", err[] = "/tmp/aetius-err-XXXXXX";
    const char *all[32] = {aetius};
    int outs = mkstemp(out), errs = mkstemp(err);
    for (size_t i = 0; words[i]; i++)
        all[i + 1] = words[i];
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {file_bytes, file_bytes};
        signal(SIGXFSZ, SIG_IGN);
        if (file_bytes)
            setrlimit(RLIMIT_FSIZE, &limit);
        dup2(outs, STDOUT_FILENO);
        dup2(errs, STDERR_FILENO);
        execv(aetius, (char *const *)all);
        _exit(127);
    }
    assert_true(child > 0);
    struct rusage usage;
    wait4(child, &said->status, 0, &usage);
    said->rss_kb = usage.ru_maxrss;
    said->status = WIFEXITED(said->status) ? WEXITSTATUS(said->status) : 128;
    lseek(outs, 0, SEEK_SET);
    lseek(errs, 0, SEEK_SET);
    command_take(said->out, sizeof said->out, outs);
    command_take(said->err, sizeof said->err, errs);
    unlink(out);
    unlink(err);
}
#define RUN(said, ...)         run_within(said, 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_WITHIN(bytes, ...) run_within(said, bytes, (const char *const[]){__VA_ARGS__, NULL})

#endif
