/* A text built in memory by printing to a stream. */
#ifndef AETIUS_BASE_MEMORY_TEXT_H
#define AETIUS_BASE_MEMORY_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

struct memory_text {
    FILE *out;
    char *bytes;
    size_t size; /* without the final NUL */
};

/* Opens the stream to print to. The text owns the stream. */
FILE *memory_text_open(struct memory_text *text);
/* Closes the stream and returns the text, which the caller frees. After the call `size` is
 * valid. */
char *memory_text_take(struct memory_text *text);
/* Closes the stream, writes the text with file_write_named() and frees it. */
bool memory_text_write(struct memory_text *text, const char *path, struct error *err);

#endif
