/* Tables of text: rows of cells, written for a person, as Markdown, or as CSV.
 *
 *     struct sheet table = {0};
 *     sheet_cell(&table, "codec"); sheet_cell(&table, "ratio"); sheet_end_row(&table);
 *     sheet_cell(&table, "%s", name); sheet_cell(&table, "%.3f", ratio); sheet_end_row(&table);
 *     sheet_write(&table, SHEET_TEXT, stdout);
 *     sheet_fini(&table);
 *
 * The first row names the columns. But for the first, columns stand to the right. */
#ifndef AETIUS_BASE_SHEET_H
#define AETIUS_BASE_SHEET_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>

enum sheet_style {
    SHEET_TEXT,     /* indented, columns two spaces apart */
    SHEET_MARKDOWN, /* the same widths in all rows, so that it reads as text too */
    SHEET_CSV,      /* cells with a comma or a quote in quotes */
};

struct sheet {
    VEC(char *) cells;
    uint32_t columns; /* 0: the first row is not ended */
};

/* Reads a file of at most FILE_MOST_TEXT bytes as sheet_read_csv() does. */
bool sheet_read(struct sheet *table, const char *path, struct error *err);
/* The cell of a row (0 names the columns), and the column of a name; -1: there is none. */
const char *sheet_at(const struct sheet *table, size_t row, uint32_t column);
int32_t sheet_column(const struct sheet *table, const char *name);
size_t sheet_rows(const struct sheet *table); /* with the first */

void sheet_cell(struct sheet *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sheet_end_row(struct sheet *table);
/* Makes it fit as SHEET_TEXT into lines of `width` characters: leaves the columns of `spare` out,
 * one after the other, until it does with `name` (a column that stays) of 16 characters, then cuts
 * the cells of that. Returns how many were left out; it may still be too wide. */
uint32_t sheet_fit(struct sheet *table, uint32_t width, uint32_t name, const uint32_t *spare,
                   uint32_t count);
void sheet_write(const struct sheet *table, enum sheet_style style, FILE *out);
/* Reads CSV (RFC 4180; lines end in LF or CRLF), whose first line names the columns. All rows have
 * as many cells as the first; a cell may be empty. The caller owns the table: sheet_fini(). On
 * failure the table is empty, and `err` says `name`, the row and what is wrong with it. */
bool sheet_read_csv(struct sheet *table, const char *text, const char *name, struct error *err);
/* The rows whose first cell is `value`, without that column, into an empty table; the columns'
 * names come along. Returns the first such row. */
size_t sheet_split(const struct sheet *table, const char *value, struct sheet *part);
/* From rows of keys, the name of a series and its value to rows of keys and a column for each name,
 * into an empty table; rows and columns in the order in which they appear, what has no value is
 * empty. False: there are not two columns. */
bool sheet_widen(const struct sheet *table, struct sheet *wide);
void sheet_fini(struct sheet *table);

#endif
