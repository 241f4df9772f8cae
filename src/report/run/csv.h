/* Tables as gzip CSV: a header that names the columns, then rows of numbers and texts without
 * commas and quotes, so no field is ever quoted. A field may be empty: it has no value.
 *
 * A file is a row of gzip members: the header, then one a flush or more, so what was flushed is
 * whole whatever happens next, and files put together are a table. It is there from the first flush
 * on. The same rows give the same bytes: no time and no name stand in a member. */
#ifndef AETIUS_REPORT_CSV_H
#define AETIUS_REPORT_CSV_H

#include "base/error.h"

#include <stdint.h>

struct csv;

/* `header`: "frame,draw,...". Creates no file yet, but checks that it can. The caller ends the
 * table with csv_destroy() or csv_abandon(). NULL: the path cannot be written. */
struct csv *csv_create(const char *path, const char *header, struct error *err);
/* What was not flushed yet, and what comes, goes to another file, without a header. */
void csv_redirect(struct csv *csv, const char *path);
/* What was not flushed yet is forgotten. */
void csv_discard(struct csv *csv);
/* Takes over what a redirected table wrote. */
bool csv_append(struct csv *csv, const char *path, struct error *err);
/* A row, field by field. */
void csv_number(struct csv *csv, uint64_t number);
void csv_real(struct csv *csv, double number);    /* four digits; NaN: empty */
void csv_text(struct csv *csv, const char *text); /* or some fields with their commas */
void csv_end_row(struct csv *csv);
/* Rows so far reach the file: at the end of a frame. */
bool csv_flush(struct csv *csv, struct error *err);
/* What reached the file so far stays; what came since is taken out of it again, when a table beside
 * this one could not be written. */
void csv_settle(struct csv *csv);
void csv_take_back(struct csv *csv);
/* Closes; what was not flushed is forgotten, and a table that never was has no file. */
void csv_abandon(struct csv *csv);
/* Flushes and closes; `csv` may be NULL in both. */
bool csv_destroy(struct csv *csv, struct error *err);

/* What the fields of a column are, by its name. */
enum csv_kind {
    CSV_TEXT,  /* "work", "label" ... : of draws, and names that are not known */
    CSV_WHOLE, /* statistics ("unit.slots") and numbers ("frame"): decimal digits */
    CSV_REAL,  /* metrics: a decimal number, or nothing */
};
enum csv_kind csv_kind_of(const char *name);
/* Whether rows of the column together have the most of theirs, not their sum. */
bool csv_is_peak(const char *name);

/* A whole table read back. Each column has a name of its own, of letters, digits and _ . [ ];
 * fields are what their column's kind says, or it is an error with its row and column. Numbers of
 * frames and draws are below 2^32 - 1. Of whole numbers only vertices and instances may be missing:
 * of what is no draw. */
struct csv_table {
    char **names; /* of the columns */
    uint32_t columns, rows;
    bool *is_number;  /* of the columns: whole numbers, none missing, and there are rows */
    uint64_t *values; /* rows x columns; of other columns, where the field stands in the text */
    char *text;       /* that names and fields stand in, each ended by a NUL */
    bool too_large;   /* why it was not read: it is whole, but for all that is known */
};
/* Reads the whole file. The caller ends the table with csv_table_fini(). false: the file is
 * missing, damaged, of a later schema or too large; the table then holds nothing but `too_large`,
 * and `err` names the file, row and column. */
bool csv_read(struct csv_table *table, const char *path, struct error *err);
/* The same for the names of the columns alone: there are no rows. */
bool csv_read_header(struct csv_table *table, const char *path, struct error *err);
void csv_table_fini(struct csv_table *table);
int32_t csv_column(const struct csv_table *table, const char *name); /* -1: there is none */
/* A field of a column that is not all numbers; "" of column -1. */
const char *csv_field(const struct csv_table *table, uint32_t row, int32_t column);
/* A field of a column of numbers; NaN when there is none, of a text, or of column -1. */
double csv_value(const struct csv_table *table, uint32_t row, int32_t column);
/* Of all rows; false, with the message: the column is none of whole numbers. `path`: for that. */
bool csv_sum(const struct csv_table *table, const char *path, const char *column, double *sum,
             struct error *err);
/* Of a file. */
bool csv_read_sum(const char *path, const char *column, double *sum, struct error *err);

#endif
