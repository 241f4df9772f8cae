/* Optional programs that some tests need. */
#ifndef AETIUS_TESTS_NEEDS_H
#define AETIUS_TESTS_NEEDS_H

#include <stdbool.h>

/* Returns whether a folder of PATH contains the program. */
bool has_program(const char *name);

/* Skips the test if the program is not installed. */
void needs_program(const char *name);

#endif
