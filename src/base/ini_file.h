/* Reads INI files of at most FILE_MOST_TEXT bytes, in UTF-8 with or without a byte order mark. A
 * NUL byte is an error. Lines end in LF or CRLF; the last line may lack both. The kinds of lines
 * are:
 *
 *     [SECTION]       begins a section; its name contains neither ']' nor ';'
 *     NAME = VALUE    or NAME: VALUE; the value may be empty, and may contain '=' and ':'
 *     ; comment       or # comment, or an empty line
 *
 * Spaces around names and values are removed. A comment that begins with ';' may follow a section,
 * or a value and a space. Continuation lines have no comments. Quotes have no meaning. */
#ifndef AETIUS_BASE_INI_FILE_H
#define AETIUS_BASE_INI_FILE_H

#include "base/error.h"

#include <stdint.h>

struct ini_entry {
    const char *path;
    uint32_t line; /* from 1 */
    /* Strings of any length, valid until ini_file_read() returns. A NULL `name` reports the start
     * of a section. `section` is "" before the first section. */
    const char *section, *name, *value;
};
/* Returns false with an error to stop the reading; the reader prefixes the file and the line. */
typedef bool ini_take_fn(void *data, const struct ini_entry *entry, struct error *err);

/* Meaning of an indented line. INI_INDENT_GOES_ON: it continues the previous value, and the
 * callback receives it as another entry with the same name. INI_INDENT_IS_NOTHING: it is a line
 * like others. */
enum ini_indent { INI_INDENT_GOES_ON, INI_INDENT_IS_NOTHING };
bool ini_file_read(const char *path, enum ini_indent indent, ini_take_fn *take, void *data,
                   struct error *err);

/* Returns "small" for the section "machine small" and the kind "machine". Returns NULL if the
 * section has another kind. */
const char *ini_section_name(const char *section, const char *kind);

#endif
