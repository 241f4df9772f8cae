/* Whole numbers in text. */
#ifndef AETIUS_BASE_WHOLE_NUMBER_H
#define AETIUS_BASE_WHOLE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a whole number at *at and moves *at past it: decimal digits, also with a power of ten
 * (1e3), or hexadecimal digits after 0x. Returns false, with *at unchanged, if there is none or if
 * it exceeds 64 bits. */
bool whole_number_read(const char **at, uint64_t *number);
/* Parses text that consists only of such a number. */
bool whole_number_parse(const char *text, uint64_t *number);

#endif
