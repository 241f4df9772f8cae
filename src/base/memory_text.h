/* Text that is built in memory by printing to a stream. */
#ifndef AETIUS_BASE_MEMORY_TEXT_H
#define AETIUS_BASE_MEMORY_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

struct memory_text {
    FILE *out;
    char *bytes;
    size_t size; /* excludes the final NUL */
};

/* Opens and returns the stream to print to. `text` owns the stream. */
FILE *memory_text_open(struct memory_text *text);
/* Closes the stream and returns the text, which the caller frees. `size` is valid after this
 * call. */
char *memory_text_take(struct memory_text *text);
/* Closes the stream, writes the text with file_write_named() and frees it. */
bool memory_text_write(struct memory_text *text, const char *path, struct error *err);

#endif
