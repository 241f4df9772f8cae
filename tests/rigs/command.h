/* The program itself, run in a process of its own with its output kept. A test sets `aetius` to its
 * path and calls RUN(said, "info", ...). */
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

struct said {
    int status;
    long rss_kb; /* its memory at most */
    char out[1 << 20], err[4096];
};

/* The longest line of a text, but for single words, and for a command to copy ("  ncu ..."). */
size_t longest_line(const char *text);

/* aetius in a process of its own; no file of it grows above `file_bytes` (0: as they like). */
void run_within(struct said *said, rlim_t file_bytes, const char *const *words);
#define RUN(said, ...)         run_within(said, 0, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_WITHIN(bytes, ...) run_within(said, bytes, (const char *const[]){__VA_ARGS__, NULL})

#endif
