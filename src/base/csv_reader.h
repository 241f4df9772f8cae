/* Reads CSV records (RFC 4180) from a text in memory, one record at a time. The reader modifies the
 * text in place: each cell becomes a NUL-terminated string within it. Cells need no allocation.
 *
 *     struct csv_reader reader = csv_reader_of(text, size);
 *     while ((is = csv_reader_next(&reader)) == CSV_RECORD)
 *         use(reader.cells.items, reader.cells.count);
 *     csv_reader_fini(&reader);
 *
 * Lines end in LF or CRLF, which is optional after the last line. A quoted cell may contain commas
 * and line ends, and two quotes for each literal quote. An empty line is a record with one empty
 * cell. A NUL outside of quotes ends the text. */
#ifndef AETIUS_BASE_CSV_READER_H
#define AETIUS_BASE_CSV_READER_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct csv_reader {
    char *at, *end;     /* unread text */
    VEC(char *) cells;  /* cells of the current record, at least one */
    uint64_t line;      /* first line of the record, from 1 */
    uint64_t next_line; /* first line of the next record */
    bool is_ended;      /* the record ends at a line end, not at the end of the text */
    bool has_control;   /* a cell contains a control character (below ' ', or DEL) */
};

enum csv_record {
    CSV_RECORD,
    CSV_END,
    CSV_BAD_QUOTE, /* a quoted cell has no closing quote, or more text after it */
};

/* text[size] must be NUL. The caller owns `text` and keeps it valid until csv_reader_fini(). */
struct csv_reader csv_reader_of(char *text, size_t size);
enum csv_record csv_reader_next(struct csv_reader *reader);
void csv_reader_fini(struct csv_reader *reader);

/* For parsers that split lines themselves. Returns the closing quote of the cell, searched from
 * `at`; NULL if there is none before `end`. Sets *has_quotes if the cell contains doubled quotes.
 * csv_unquote() reduces each pair to one quote. */
char *csv_closing_quote(char *at, const char *end, bool *has_quotes);
void csv_unquote(char *cell);

#endif
