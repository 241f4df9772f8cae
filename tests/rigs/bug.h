/* Runs a function that must end in a BUG() in a child process, and returns its message. */
#ifndef AETIUS_TESTS_BUG_H
#define AETIUS_TESTS_BUG_H

#include <stddef.h>

enum { BUG_TEXT_BYTES = 2048 };

/* Fails the test unless `act` ends in a BUG(). `text`: the start of its standard error. */
void bug_of(void (*act)(void *data), void *data, char text[BUG_TEXT_BYTES]);
/* The same for a violated invariant: the message must name `owner` and contain `condition`. */
void assert_invariant(void (*act)(void *data), void *data, const char *owner,
                      const char *condition);

#endif
