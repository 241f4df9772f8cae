/* INI files, read by inih: [SECTION], NAME = VALUE, comments after ';'. */
#ifndef AETIUS_BASE_INI_FILE_H
#define AETIUS_BASE_INI_FILE_H

#include "base/error.h"

#include <stdint.h>

struct ini_entry {
    const char *path;
    uint32_t line;
    const char *section, *name, *value; /* `name` NULL: the section begins */
};
/* False, with the message, ends the reading; the file and the line are put before it. */
typedef bool ini_take_fn(void *data, const struct ini_entry *entry, struct error *err);

/* What an indented line is: more of the value before it, which its taker gets by itself under the
 * same name, or a line like others. */
enum ini_indent { INI_INDENT_GOES_ON, INI_INDENT_IS_NOTHING };
bool ini_file_read(const char *path, enum ini_indent indent, ini_take_fn *take, void *data,
                   struct error *err);

/* "machine small" of the kind "machine": "small"; NULL when the section is of another kind. */
const char *ini_section_name(const char *section, const char *kind);

#endif
