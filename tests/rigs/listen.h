/* What a test's own process says on standard error. */
#ifndef AETIUS_TESTS_LISTEN_H
#define AETIUS_TESTS_LISTEN_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct listener {
    int file, own; /* what is said; standard error as it was */
    char said[8192];
};

void listen_begin(struct listener *listener);

/* Fills `said`, and returns it. */
const char *listen_end(struct listener *listener);

#endif
