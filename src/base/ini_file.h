/* INI files that a person wrote: [SECTION], NAME = VALUE, comments after ';'. An indented line goes
 * on with the value before it: its taker is called again with the same names. */
#ifndef AETIUS_BASE_INI_FILE_H
#define AETIUS_BASE_INI_FILE_H

#include "base/error.h"

/* `name` NULL: the section begins. False, with the message, ends the reading; the file and the line
 * are put before it. */
typedef bool ini_take_fn(void *data, const char *section, const char *name, const char *value,
                         struct error *err);
bool ini_file_read(const char *path, ini_take_fn *take, void *data, struct error *err);

/* "machine small" of the kind "machine": "small"; NULL when the section is of another kind. */
const char *ini_section_name(const char *section, const char *kind);

#endif
