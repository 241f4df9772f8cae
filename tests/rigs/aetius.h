/* The program under test. */
#ifndef AETIUS_TESTS_AETIUS_H
#define AETIUS_TESTS_AETIUS_H

extern const char *aetius; /* its path, which main() sets */

#endif
