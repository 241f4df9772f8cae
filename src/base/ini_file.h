/* Reads INI files of at most FILE_MOST_TEXT bytes, in UTF-8 with or without a byte order mark. A
 * NUL byte is an error. Lines end in LF or CRLF, which is optional after the last line. A line has
 * one of these forms:
 *
 *     [SECTION]       begins a section; its name contains neither ']' nor ';'
 *     NAME = VALUE    or NAME: VALUE; the value may be empty, and may contain '=' and ':'
 *     ; comment       or # comment, or an empty line
 *
 * The reader trims spaces around names and values. A comment that begins with ';' may also follow a
 * section header, or a value and a space. Continuation lines cannot contain comments. Quotes have
 * no special meaning. */
#ifndef AETIUS_BASE_INI_FILE_H
#define AETIUS_BASE_INI_FILE_H

#include "base/error.h"

#include <stdint.h>

struct ini_entry {
    const char *path;
    uint32_t line; /* from 1 */
    /* Strings of any length, valid only during the callback. A NULL `name` reports the start of a
     * section. `section` is "" before the first section. */
    const char *section, *name, *value;
};
/* Callback. It returns false with an error to stop reading. The reader then prefixes the error with
 * the file and the line. */
typedef bool ini_take_fn(void *data, const struct ini_entry *entry, struct error *err);

/* Meaning of an indented line. INI_INDENT_GOES_ON: the line continues the previous value, and the
 * callback receives it as another entry with the same name. INI_INDENT_IS_NOTHING: indentation is
 * ignored. */
enum ini_indent { INI_INDENT_GOES_ON, INI_INDENT_IS_NOTHING };
bool ini_file_read(const char *path, enum ini_indent indent, ini_take_fn *take, void *data,
                   struct error *err);

/* Returns the name of a section of the given kind: "small" for "machine small" and the kind
 * "machine". Returns NULL for a section of another kind. */
const char *ini_section_name(const char *section, const char *kind);

#endif
