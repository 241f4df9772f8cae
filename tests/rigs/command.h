/* Runs the program in a child process and captures its output. A test sets `aetius` to the path of
 * the program and calls RUN(&cmd, "info", ...). */
#ifndef AETIUS_TESTS_COMMAND_H
#define AETIUS_TESTS_COMMAND_H

#include "rigs/aetius.h"

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

struct command_result {
    int status;
    long rss_kb; /* peak resident memory */
    char out[1 << 20], err[4096];
};

/* Returns the length of the longest line of a text. Lines of a single word and lines for the user
 * to copy ("  ncu ...", "next: ...") do not count. */
size_t longest_line(const char *text);

/* Runs aetius in a child process that cannot write files of more than `file_bytes` (0: no limit).
 */
void run_within(struct command_result *cmd, rlim_t file_bytes, const char *const *words);
#define RUN(cmd, ...)          run_within(cmd, 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_WITHIN(bytes, ...) run_within(cmd, bytes, (const char *const[]){__VA_ARGS__, NULL})

/* Runs a shell command, which must succeed. */
void run_shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
