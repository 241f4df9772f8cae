/* Programs that a test needs and that need not be installed. */
#ifndef AETIUS_TESTS_NEEDS_H
#define AETIUS_TESTS_NEEDS_H

#include <stdbool.h>

/* Whether PATH has such a program. */
bool has_program(const char *name);

/* Skips the test without it. */
void needs_program(const char *name);

#endif
