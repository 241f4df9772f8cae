/* Records of CSV (RFC 4180) out of a text in memory, one at a time and in place: cells become texts
 * within it that end in a NUL, so none is allocated.
 *
 *     struct csv_reader reader = csv_reader_of(text, size);
 *     while ((is = csv_reader_next(&reader)) == CSV_RECORD)
 *         use(reader.cells.items, reader.cells.count);
 *     csv_reader_fini(&reader);
 *
 * Lines end in LF or CRLF, the last one perhaps in neither. A cell that begins with a quote goes on
 * to the next single one, over commas and lines; two quotes in it are one. An empty line is a
 * record of one empty cell. A NUL outside of quotes ends the text. */
#ifndef AETIUS_BASE_CSV_READER_H
#define AETIUS_BASE_CSV_READER_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct csv_reader {
    char *at, *end;     /* what is not read yet */
    VEC(char *) cells;  /* of the record; at least one */
    uint64_t line;      /* where the record begins, from 1 */
    uint64_t next_line; /* where the next one does */
    bool is_ended;      /* the end of a line follows the record, not that of the text */
    bool has_control;   /* a cell has a character below ' ', or DEL */
};

enum csv_record {
    CSV_RECORD,
    CSV_END,
    CSV_BAD_QUOTE, /* a quote is not closed, or closed before the end of its cell */
};

/* text[size] is NUL. */
struct csv_reader csv_reader_of(char *text, size_t size);
enum csv_record csv_reader_next(struct csv_reader *reader);
void csv_reader_fini(struct csv_reader *reader);

/* For a reader with lines of its own: the quote that closes a cell, at `at` or after it; NULL:
 * there is none before `end`. *has_quotes becomes true where two quotes in the cell are one;
 * csv_unquote() makes them one. */
char *csv_closing_quote(char *at, const char *end, bool *has_quotes);
void csv_unquote(char *cell);

#endif
