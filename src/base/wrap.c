#include "base/wrap.h"

#include "base/error.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST = 20 };

uint32_t
line_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;
    if (width <= 0 && isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size))
        width = size.ws_col;
    if (width <= 0 || width >= LINE_WITHOUT_END)
        return LINE_WITHOUT_END;
    return (uint32_t)(width < LEAST ? LEAST : width);
}

bool
has_color(FILE *out)
{
    const char *const plain = getenv("NO_COLOR"), *const term = getenv("TERM");
    return isatty(fileno(out)) && (!plain || !*plain) && (!term || strcmp(term, "dumb") != 0);
}

const char *
color_code(FILE *out, const char *escape)
{
    return has_color(out) ? escape : "";
}

/* Begins the text of print_wrapped_at(). Returns the column. */
static size_t
begin_text(FILE *out, uint32_t width, uint32_t at, uint32_t gap, uint32_t indent, const char *text)
{
    const bool fits = at + gap + strcspn(text, " ") <= width || at + gap <= indent;
    if (!fits && at)
        fputc('\n', out);
    fprintf(out, "%*s", (int)(fits ? gap : indent), "");
    return fits ? at + gap : indent;
}

void
print_wrapped_at(FILE *out, uint32_t width, uint32_t at, uint32_t gap, uint32_t indent,
                 const char *text)
{
    char *shown = mem_printable(text);
    const char *first = shown + strspn(shown, " ");
    size_t column = *first ? begin_text(out, width, at, gap, indent, first) : at;
    bool begun = false; /* the line contains a word */
    for (const char *word = first; *(word += strspn(word, " "));) {
        const size_t n = strcspn(word, " ");
        if (begun && column + 1 + n > width) {
            column = (size_t)fprintf(out, "\n%*s", (int)indent, "") - 1;
            begun = false;
        }
        column += (size_t)fprintf(out, begun ? " %.*s" : "%.*s", (int)n, word);
        begun = true;
        word += n;
    }
    free(shown);
}

void
print_wrapped(FILE *out, uint32_t width, uint32_t first, uint32_t indent, const char *fmt, ...)
{
    char *text;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        mem_exhausted("line");
    va_end(args);
    print_wrapped_at(out, width, 0, first, indent, text);
    fputc('\n', out);
    free(text);
}
