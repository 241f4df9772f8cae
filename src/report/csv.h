/* Tables of statistics as gzip CSV: stats.frames.csv.gz and its like. The header names the first
 * columns ("frame"; or "frame" and "cycle"; or "frame", "batch" and "work") and then the statistics
 * of a set.
 *
 * A file is a row of gzip members: the header, then one a flush or more, so what was flushed is
 * whole whatever happens next, and files put together are a table. It is there from the first flush
 * on. The same rows give the same bytes: no
 * time and no name stand in a member. */
#ifndef AETIUS_REPORT_CSV_H
#define AETIUS_REPORT_CSV_H

#include "base/error.h"
#include "kernel/stats.h"

struct csv;

/* `first` is "frame" or "frame,cycle"; `set` must outlive the table and keep its entries. */
struct csv *csv_create(const char *path, const char *first, const struct stat_set *set,
                       struct error *err);
/* What was not flushed yet, and what comes, goes to another file, without a header. */
void csv_redirect(struct csv *csv, const char *path);
/* What was not flushed yet is forgotten. */
void csv_discard(struct csv *csv);
/* Takes over what a redirected table wrote. */
bool csv_append(struct csv *csv, const char *path, struct error *err);
/* A row: the first columns as text ("3,17,upload"), then a value for every entry of the set. */
void csv_row(struct csv *csv, const char *first, const uint64_t *values);
/* Rows so far reach the file: at the end of a frame. */
bool csv_flush(struct csv *csv, struct error *err);
/* Closes; what was not flushed is forgotten, and a table that never was has no file. */
void csv_abandon(struct csv *csv);
/* Flushes and closes; `csv` may be NULL in both. */
bool csv_destroy(struct csv *csv, struct error *err);

/* A whole table read back. */
struct csv_table {
    char **names; /* columns, the first ones too */
    uint32_t columns, rows;
    uint64_t *values; /* rows x columns; of a word, where it stands in the text */
    char *text;       /* that names and words stand in, each ended by a NUL */
};
bool csv_read(struct csv_table *table, const char *path, struct error *err);
void csv_table_fini(struct csv_table *table);
int32_t csv_column(const struct csv_table *table, const char *name); /* -1: there is none */

#endif
