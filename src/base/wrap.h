/* Lines for a terminal, as wide as it is. */
#ifndef AETIUS_BASE_WRAP_H
#define AETIUS_BASE_WRAP_H

#include <stdint.h>
#include <stdio.h>

#define LINE_WITHOUT_END UINT32_MAX
/* In characters, 20 at least: the environment's COLUMNS, else the terminal's, else
 * LINE_WITHOUT_END. */
uint32_t line_width(FILE *out);
/* Words in lines of at most `width` characters where they fit; the first line begins with `first`
 * spaces, those after it with `indent`. With a newline at the end. Bytes that a terminal could obey
 * are shown as by print_shown(). */
void print_wrapped(FILE *out, uint32_t width, uint32_t first, uint32_t indent, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The same after `at` characters that are on the line already, without the newline. */
void print_wrapped_at(FILE *out, uint32_t width, uint32_t at, uint32_t indent, const char *text);

#endif
