/* INI files of at most FILE_MOST_TEXT bytes, UTF-8 with or without a byte order mark, without NUL
 * bytes. A line ends in LF or CRLF, the last one perhaps in neither. A line is
 *
 *     [SECTION]       the section of the lines after it; neither ']' nor ';' is in its name
 *     NAME = VALUE    or NAME: VALUE; the value may be empty, and may hold '=' and ':'
 *     ; comment       or # comment; or it is empty
 *
 * White space around names and values is no part of them. A comment may follow a section, or
 * white space after a value, and begins with ';'; an indented line that goes on has none. Quotes
 * have no meaning here. */
#ifndef AETIUS_BASE_INI_FILE_H
#define AETIUS_BASE_INI_FILE_H

#include "base/error.h"

#include <stdint.h>

struct ini_entry {
    const char *path;
    uint32_t line; /* from 1 */
    /* Of any length, until the reading ends. `name` NULL: the section begins; section "": none has
     * begun yet. */
    const char *section, *name, *value;
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
