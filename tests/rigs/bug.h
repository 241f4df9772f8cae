/* Runs a function in a child process and returns its message. The function must end in a BUG(). */
#ifndef AETIUS_TESTS_BUG_H
#define AETIUS_TESTS_BUG_H

#include <stddef.h>

enum { BUG_TEXT_BYTES = 2048 };

/* Fails the test unless `act` ends in a BUG(). Stores the start of its standard error in `text`. */
void bug_of(void (*act)(void *data), void *data, char text[BUG_TEXT_BYTES]);
/* Does the same for a violated invariant. The message must name `owner` and contain `condition`. */
void assert_invariant(void (*act)(void *data), void *data, const char *owner,
                      const char *condition);

#endif
