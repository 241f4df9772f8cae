/* Parameters of machines: set by words, and of a memory that is easy to reckon with. */
#ifndef AETIUS_TESTS_SETTINGS_H
#define AETIUS_TESTS_SETTINGS_H

#include "params/params.h"

/* "SECTION.NAME=VALUE ...", single spaces between them; without a section: of `section` (NULL: none
 * may be so). */
void settings_apply(struct params *params, const char *section, const char *words);

/* Such words, printed; good until the next call. */
const char *settings(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One channel of the simple model: 64 bits, bursts of 8 transfers (4 cycles), reads 10, writes 5,
 * write to read 5, no pages. */
struct params simple_memory(void);

#endif
