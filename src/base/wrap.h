/* Output for a terminal: line wrapping to its width, and color. */
#ifndef AETIUS_BASE_WRAP_H
#define AETIUS_BASE_WRAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LINE_WITHOUT_END UINT32_MAX
/* Returns the line width in characters, at least 20. It is COLUMNS from the environment, else the
 * terminal width, else LINE_WITHOUT_END. */
uint32_t line_width(FILE *out);
/* Whether to print color: yes on a terminal, unless NO_COLOR is set or TERM is "dumb". */
bool has_color(FILE *out);
#define COLOR_VERDICT "\033[1;31m"
#define COLOR_FLAG    "\033[33m"
#define COLOR_STRONG  "\033[1m"
#define COLOR_END     "\033[0m"
/* Returns the escape sequence, or "" without color. */
const char *color_code(FILE *out, const char *escape);
/* Prints text in lines of at most `width` characters; only a longer word exceeds the width. The
 * first line is indented by `first` spaces, later lines by `indent`. The output ends with a
 * newline. Control characters are escaped as in print_shown(). */
void print_wrapped(FILE *out, uint32_t width, uint32_t first, uint32_t indent, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* Like print_wrapped(), for a line that already contains `at` characters. The text begins `gap`
 * spaces later, or on the next line if its first word does not fit. The output does not end with a
 * newline. */
void print_wrapped_at(FILE *out, uint32_t width, uint32_t at, uint32_t gap, uint32_t indent,
                      const char *text);

#endif
