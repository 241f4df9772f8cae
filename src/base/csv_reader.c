#include "base/csv_reader.h"

#include <string.h>

/* All control characters, and the characters that may end an unquoted cell. */
static const bool is_special[256] = {
    [0 ... ' ' - 1] = true,
    [','] = true,
    [0x7f] = true,
};

struct csv_reader
csv_reader_of(char *text, size_t size)
{
    return (struct csv_reader){.at = text, .end = text + size, .next_line = 1};
}

void
csv_reader_fini(struct csv_reader *reader)
{
    VEC_FREE(&reader->cells);
}

char *
csv_closing_quote(char *at, const char *end, bool *has_quotes)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) && at + 1 < end && at[1] == '"') {
        *has_quotes = true;
        at += 2;
    }
    return at;
}

void
csv_unquote(char *cell)
{
    char *to = cell;
    for (const char *from = cell; *from; from += from[0] == '"' && from[1] == '"' ? 2 : 1)
        *to++ = *from;
    *to = '\0';
}

static bool
is_line_end(const char *at)
{
    return *at == '\n' || !*at || (*at == '\r' && (at[1] == '\n' || !at[1]));
}

/* Returns the end of an unquoted cell. */
static char *
end_of_plain(struct csv_reader *reader, char *at)
{
    for (;; at++) {
        while (!is_special[(unsigned char)*at])
            at++;
        if (*at == ',' || is_line_end(at))
            return at;
        reader->has_control = true;
    }
}

/* Terminates and unquotes a quoted cell. Returns the position after the closing quote, or NULL if
 * there is none. */
static char *
end_of_quoted(struct csv_reader *reader, char *cell)
{
    bool has_quotes = false;
    char *quote = csv_closing_quote(cell, reader->end, &has_quotes);
    if (!quote || (quote[1] != ',' && !is_line_end(quote + 1)))
        return NULL;
    for (const char *at = cell; at < quote; at++) {
        reader->has_control |= is_special[(unsigned char)*at] && *at != ',';
        reader->next_line += *at == '\n';
    }
    *quote = '\0';
    if (has_quotes)
        csv_unquote(cell);
    return quote + 1;
}

enum csv_record
csv_reader_next(struct csv_reader *reader)
{
    char *at = reader->at;
    if (!*at)
        return CSV_END;
    reader->cells.count = 0;
    reader->has_control = false;
    reader->line = reader->next_line;
    for (bool goes_on = true; goes_on;) {
        const bool quoted = *at == '"';
        char *cell = at + quoted;
        at = quoted ? end_of_quoted(reader, cell) : end_of_plain(reader, cell);
        if (!at)
            return CSV_BAD_QUOTE;
        VEC_PUSH(&reader->cells, cell);
        goes_on = *at == ',';
        if (goes_on)
            *at++ = '\0';
    }
    char *end = at;
    at += *at == '\r';
    reader->is_ended = *at == '\n';
    reader->next_line += reader->is_ended;
    reader->at = at + reader->is_ended;
    *end = '\0';
    return CSV_RECORD;
}
