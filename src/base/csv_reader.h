/* Reads CSV records (RFC 4180) from a text in memory, one record at a time. The reader changes the
 * text in place: each cell becomes a NUL-terminated string within it, without an allocation.
 *
 *     struct csv_reader reader = csv_reader_of(text, size);
 *     while ((is = csv_reader_next(&reader)) == CSV_RECORD)
 *         use(reader.cells.items, reader.cells.count);
 *     csv_reader_fini(&reader);
 *
 * Lines end in LF or CRLF; the last line may lack both. A quoted cell ends at the next single quote
 * and may contain commas and line ends. Two quotes in a quoted cell represent one. An empty line is
 * a record of one empty cell. A NUL outside of quotes ends the text. */
#ifndef AETIUS_BASE_CSV_READER_H
#define AETIUS_BASE_CSV_READER_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct csv_reader {
    char *at, *end;     /* the text not yet read */
    VEC(char *) cells;  /* cells of the current record, at least one */
    uint64_t line;      /* line on which the record begins, from 1 */
    uint64_t next_line; /* line on which the next record begins */
    bool is_ended;      /* a line end follows the record, not the end of the text */
    bool has_control;   /* a cell contains a control character (below ' ', or DEL) */
};

enum csv_record {
    CSV_RECORD,
    CSV_END,
    CSV_BAD_QUOTE, /* a quote is unclosed, or is closed before the end of its cell */
};

/* `text` must have a NUL at text[size]. The caller owns it and keeps it until csv_reader_fini(). */
struct csv_reader csv_reader_of(char *text, size_t size);
enum csv_record csv_reader_next(struct csv_reader *reader);
void csv_reader_fini(struct csv_reader *reader);

/* For parsers that split lines themselves. Returns the quote that closes the cell, at or after
 * `at`; NULL if there is none before `end`. Sets *has_quotes if the cell contains doubled quotes,
 * which csv_unquote() then reduces to one each. */
char *csv_closing_quote(char *at, const char *end, bool *has_quotes);
void csv_unquote(char *cell);

#endif
