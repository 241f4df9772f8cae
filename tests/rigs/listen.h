/* Captures the standard error of the test process. */
#ifndef AETIUS_TESTS_LISTEN_H
#define AETIUS_TESTS_LISTEN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct listener {
    int file, own; /* the captured output, and a duplicate of the original standard error */
    char text[8192];
};

void listen_begin(struct listener *listener);

/* Restores standard error. Returns the text captured since listen_begin(). */
const char *listen_end(struct listener *listener);

#endif
