/* Line wrapping to the width of the terminal. */
#ifndef AETIUS_BASE_WRAP_H
#define AETIUS_BASE_WRAP_H

#include <stdint.h>
#include <stdio.h>

#define LINE_WITHOUT_END UINT32_MAX
/* Returns the line width in characters, at least 20. It is COLUMNS from the environment, else the
 * terminal width, else LINE_WITHOUT_END. */
uint32_t line_width(FILE *out);
/* Prints text in lines of at most `width` characters; only a longer word exceeds the width. The
 * first line is indented by `first` spaces, later lines by `indent`. The output ends with a
 * newline. Control characters are escaped as in print_shown(). */
void print_wrapped(FILE *out, uint32_t width, uint32_t first, uint32_t indent, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Like print_wrapped(), for a line that already contains `at` characters. The output does not end
 * with a newline. */
void print_wrapped_at(FILE *out, uint32_t width, uint32_t at, uint32_t indent, const char *text);

#endif
