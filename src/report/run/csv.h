/* Tables as gzip-compressed CSV: a header with the column names, followed by rows. A field is a
 * number, a text without commas and quotes, or empty (no value). Fields are never quoted.
 *
 * A file is a sequence of gzip members: one for the header, then at least one per flush. So flushed
 * data stays readable after a crash, and concatenated files form one table. The first flush creates
 * the file. Equal rows give equal bytes, because a member contains neither a time nor a name. */
#ifndef AETIUS_REPORT_CSV_H
#define AETIUS_REPORT_CSV_H

#include "base/error.h"

#include <stdint.h>

struct csv;

/* `header`: "frame,draw,...". Checks that `path` is writable, but does not yet create a file. The
 * caller ends the table with csv_destroy() or csv_abandon(). Returns NULL with `err` if the path
 * cannot be written. */
struct csv *csv_create(const char *path, const char *header, struct error *err);
/* Writes unflushed and all later rows to another file, without a header. */
void csv_redirect(struct csv *csv, const char *path);
/* Drops the unflushed rows. */
void csv_discard(struct csv *csv);
/* Appends the file of a redirected table. */
bool csv_append(struct csv *csv, const char *path, struct error *err);
/* Functions that append the fields of a row, one by one. */
void csv_number(struct csv *csv, uint64_t number);
void csv_real(struct csv *csv, double number); /* four digits; NaN: an empty field */
/* may contain several fields, separated by commas */
void csv_text(struct csv *csv, const char *text);
void csv_end_row(struct csv *csv);
/* Writes the rows so far to the file. Called at the end of a frame. */
bool csv_flush(struct csv *csv, struct error *err);
/* Writes the rows that are already compressed, at least a MiB of text each time. For tables that
 * may exceed memory. */
bool csv_write(struct csv *csv, struct error *err);
/* csv_commit() confirms everything written to the file so far. csv_roll_back() removes everything
 * written after the last csv_commit(), for example if another table of the frame failed. */
void csv_commit(struct csv *csv);
void csv_roll_back(struct csv *csv);
/* Closes the table and drops unflushed rows. A table that was never flushed has no file. */
void csv_abandon(struct csv *csv);
/* Flushes and closes the table. csv_destroy() and csv_abandon() accept NULL. */
bool csv_destroy(struct csv *csv, struct error *err);

/* Type of a column's fields, derived from its name. */
enum csv_kind {
    CSV_TEXT,  /* "work", "label" and other facts of draws; also unknown names */
    CSV_WHOLE, /* statistics ("unit.slots") and numbers ("frame"): decimal digits */
    CSV_REAL,  /* metrics: a decimal number, or empty */
};
enum csv_kind csv_kind_of(const char *name);
/* Whether rows of the column combine by maximum instead of sum. */
bool csv_is_peak(const char *name);

/* A whole table in memory. Column names are unique and consist of letters, digits and _ . [ ]. Each
 * field has its column's type. A mismatch is an error that names row and column. Frame and draw
 * numbers are below 2^32 - 1. Among whole numbers, only vertices and instances may be missing, in
 * rows that are not draws. */
struct csv_table {
    char **names; /* column names */
    uint32_t columns, rows;
    /* Per column: all fields are whole numbers, no field is missing, and the table has rows. */
    bool *is_number;
    /* rows x columns; for columns that are not all numbers, the offset of the field in `text` */
    uint64_t *values;
    char *text;     /* contains names and fields, each terminated by NUL */
    bool too_large; /* csv_read() failed because of the size; the file may be intact */
};
/* Reads the whole file. The caller frees the table with csv_table_fini(). Returns false if the file
 * is missing, damaged, of a later schema or too large. `err` then names the file, row and column,
 * and only `too_large` is valid in the table. */
bool csv_read(struct csv_table *table, const char *path, struct error *err);
/* Like csv_read(), but reads only the column names: `rows` is 0. */
bool csv_read_header(struct csv_table *table, const char *path, struct error *err);
void csv_table_fini(struct csv_table *table);
int32_t csv_column(const struct csv_table *table, const char *name); /* -1: no such column */
/* A field of a column that is not all numbers; "" for column -1. */
const char *csv_field(const struct csv_table *table, uint32_t row, int32_t column);
/* A field of a numeric column. NaN if the field is missing, the column has text, or the column is
 * -1. */
double csv_value(const struct csv_table *table, uint32_t row, int32_t column);
/* Sums a column over all rows. Returns false with `err` if the column does not contain whole
 * numbers. `path` is for that message. */
bool csv_sum(const struct csv_table *table, const char *path, const char *column, double *sum,
             struct error *err);
/* Like csv_sum(), for a file. */
bool csv_read_sum(const char *path, const char *column, double *sum, struct error *err);

#endif
