/* Parameters set by words. */
#ifndef AETIUS_TESTS_SETTINGS_H
#define AETIUS_TESTS_SETTINGS_H

#include "params/params.h"

/* "SECTION.NAME=VALUE ...", single spaces between them; without a section: of `section` (NULL: none
 * may be so). */
void settings_apply(struct params *params, const char *section, const char *words);

/* Such words, printed; good until the next call. */
const char *settings(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
