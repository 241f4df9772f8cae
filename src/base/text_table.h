/* Tables of text: rows of cells, written for a person, as Markdown, or as CSV.
 *
 *     struct text_table table = {0};
 *     text_table_cells(&table, "codec|ratio");
 *     text_table_end_row(&table);
 *     text_table_cell(&table, "%s", name);
 *     text_table_cell(&table, "%.3f", ratio);
 *     text_table_end_row(&table);
 *     text_table_put(&table, TEXT_TABLE_TEXT, stdout);
 *
 * The first row holds the names of the columns, where they have names. Columns are aligned to the
 * right, except the first one and those with a cell of text_table_left(). */
#ifndef AETIUS_BASE_TEXT_TABLE_H
#define AETIUS_BASE_TEXT_TABLE_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>

enum text_table_style {
    TEXT_TABLE_TEXT,     /* indented, columns two spaces apart; a last column that is aligned to the
                          * left is wrapped to line_width() */
    TEXT_TABLE_MARKDOWN, /* the same widths in all rows, so that it reads as text too */
    TEXT_TABLE_CSV,      /* cells with a comma or a quote in quotes */
};

/* What TEXT_TABLE_TEXT adds to a row; the other styles leave it out. */
struct text_table_note {
    size_t row;
    char *line;        /* above the row; NULL: none */
    const char *color; /* the terminal's escape for the row's color; NULL: none */
};

struct text_table {
    VEC(char *) cells;
    VEC(struct text_table_note) notes; /* in the order of rows */
    uint32_t columns;                  /* 0: the first row is not ended */
    uint64_t left;                     /* bit C: column C is aligned to the left */
};

/* Reads a file of at most FILE_MOST_TEXT bytes as text_table_read_csv() does. */
bool text_table_read(struct text_table *table, const char *path, struct error *err);
/* The cell of a row (0 names the columns), and the column of a name; -1: there is none. */
const char *text_table_at(const struct text_table *table, size_t row, uint32_t column);
int32_t text_table_column(const struct text_table *table, const char *name);
size_t text_table_rows(const struct text_table *table); /* with the first */

void text_table_cell(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, and aligns the column to the left. */
void text_table_left(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A cell per name; | separates the names. */
void text_table_cells(struct text_table *table, const char *names);
void text_table_end_row(struct text_table *table);
/* A line above the next row, or below the last one; and a color of the next row. The caller keeps
 * the escape for as long as the table. */
void text_table_line(struct text_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void text_table_color(struct text_table *table, const char *escape);
/* Makes it fit as TEXT_TABLE_TEXT into lines of `width` characters: leaves the columns of `spare`
 * out, one after the other, until it does with `name` (a column that stays) of 16 characters, then
 * cuts the cells of that. Returns how many were left out; it may still be too wide. */
uint32_t text_table_fit(struct text_table *table, uint32_t width, uint32_t name,
                        const uint32_t *spare, uint32_t count);
void text_table_write(const struct text_table *table, enum text_table_style style, FILE *out);
/* Writes it, and then text_table_fini(). */
void text_table_put(struct text_table *table, enum text_table_style style, FILE *out);
/* Reads CSV (RFC 4180; lines end in LF or CRLF), whose first line names the columns. All rows have
 * as many cells as the first; a cell may be empty. The caller owns the table: text_table_fini(). On
 * failure the table is empty, and `err` says `name`, the row and what is wrong with it. */
bool text_table_read_csv(struct text_table *table, const char *text, const char *name,
                         struct error *err);
/* The rows whose first cell is `value`, without that column, into an empty table; the columns'
 * names come along. Returns the first such row. */
size_t text_table_split(const struct text_table *table, const char *value, struct text_table *part);
/* From rows of keys, the name of a series and its value to rows of keys and a column for each name,
 * into an empty table; rows and columns in the order in which they appear, what has no value is
 * empty. False: there are not two columns. */
bool text_table_widen(const struct text_table *table, struct text_table *wide);
void text_table_fini(struct text_table *table);

#endif
