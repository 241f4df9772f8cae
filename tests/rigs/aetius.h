/* The path of the program under test. */
#ifndef AETIUS_TESTS_AETIUS_H
#define AETIUS_TESTS_AETIUS_H

extern const char *aetius; /* set by main() */

#endif
