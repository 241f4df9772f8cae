/* Tables of text cells, written as aligned text, Markdown or CSV.
 *
 *     struct text_table table = {0};
 *     text_table_cells(&table, "codec|ratio");
 *     text_table_end_row(&table);
 *     text_table_cell(&table, "%s", name);
 *     text_table_cell(&table, "%.3f", ratio);
 *     text_table_end_row(&table);
 *     text_table_put(&table, TEXT_TABLE_TEXT, stdout);
 *
 * If the columns have names, the first row contains them. Columns are right-aligned, except the
 * first column and columns with a cell of text_table_left(). */
#ifndef AETIUS_BASE_TEXT_TABLE_H
#define AETIUS_BASE_TEXT_TABLE_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>

enum text_table_style {
    /* indented, columns two spaces apart; wraps notes and a left-aligned last column to
     * line_width() */
    TEXT_TABLE_TEXT,
    TEXT_TABLE_MARKDOWN, /* pads columns to equal width, so that the source is readable too */
    TEXT_TABLE_CSV,      /* quotes cells with a comma, a quote or a line end */
};

/* Extras of a row, which only TEXT_TABLE_TEXT prints. */
struct text_table_note {
    size_t row;
    char *line;        /* line above the row; NULL: none */
    const char *color; /* terminal escape sequence for the row's color; NULL: none */
};

struct text_table {
    VEC(char *) cells;
    VEC(struct text_table_note) notes; /* in row order */
    uint32_t columns;                  /* 0 until the first row is complete */
    uint64_t left;                     /* bit C: column C is left-aligned, for C below 64 */
};

/* Like text_table_read_csv(), for a file of at most FILE_MOST_TEXT bytes. */
bool text_table_read(struct text_table *table, const char *path, struct error *err);
/* text_table_at() returns a cell; row 0 contains the column names. text_table_column() returns the
 * column with a name, or -1 if there is none. */
const char *text_table_at(const struct text_table *table, size_t row, uint32_t column);
int32_t text_table_column(const struct text_table *table, const char *name);
size_t text_table_rows(const struct text_table *table); /* including the first row */

void text_table_cell(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a cell and left-aligns its column. */
void text_table_left(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds several cells, separated by | in `names`. */
void text_table_cells(struct text_table *table, const char *names);
void text_table_end_row(struct text_table *table);
/* text_table_line() adds a line above the next row, or below the last row if none follows.
 * text_table_color() sets the color of the next row. The caller keeps the escape sequence valid
 * while the table exists. */
void text_table_line(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void text_table_color(struct text_table *table, const char *escape);
/* Shrinks the table to `width` characters for TEXT_TABLE_TEXT. Removes the columns listed in
 * `spare`, in order, until the table fits with 16 characters for the column `name`. Then truncates
 * the cells of that column. Returns the number of removed columns. The table may still be too
 * wide. */
uint32_t text_table_fit(struct text_table *table, uint32_t width, uint32_t name,
                        const uint32_t *spare, uint32_t count);
void text_table_write(const struct text_table *table, enum text_table_style style, FILE *out);
/* Writes the table, then frees it with text_table_fini(). */
void text_table_put(struct text_table *table, enum text_table_style style, FILE *out);
/* Reads CSV (RFC 4180; lines end in LF or CRLF). The first line contains the column names. All rows
 * must have the same number of cells; a cell may be empty. The caller frees the table with
 * text_table_fini(). On failure the table is empty, and `err` contains `name`, the row and the
 * cause. */
bool text_table_read_csv(struct text_table *table, const char *text, const char *name,
                         struct error *err);
/* Copies the rows whose first cell is `value` into the empty table `part`, with the column names
 * but without the first column. Returns the index of the first such row. */
size_t text_table_split(const struct text_table *table, const char *value, struct text_table *part);
/* Converts a table in long format to the empty table `wide` in wide format. The last two columns of
 * `table` are the name of a series and its value; the other columns are keys. `wide` has one row
 * per key and one column per series, in order of first appearance. Missing values become empty
 * cells. Returns false if `table` has fewer than two columns. */
bool text_table_widen(const struct text_table *table, struct text_table *wide);
void text_table_fini(struct text_table *table);

#endif
