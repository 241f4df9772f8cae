/* A text that is printed into memory: what is printed to the stream is the text. */
#ifndef AETIUS_BASE_MEMORY_TEXT_H
#define AETIUS_BASE_MEMORY_TEXT_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

struct memory_text {
    FILE *out;
    char *bytes;
    size_t size; /* without the NUL at the end */
};

/* The stream to print to; it belongs to the text. */
FILE *memory_text_open(struct memory_text *text);
/* Closes the stream and returns the text, which the caller frees; `size` is valid from here on. */
char *memory_text_take(struct memory_text *text);
/* Closes the stream, writes the text by file_write_named() and frees it. */
bool memory_text_write(struct memory_text *text, const char *path, struct error *err);

#endif
