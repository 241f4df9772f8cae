/* The tables of a run, per frame, draw and interval. NAME.csv.gz has one row per frame, draw or
 * interval. Its columns are all statistics, summed over the instances of a unit or queue, and the
 * metrics of metrics.def as in run.json.
 *
 * NAME.UNIT.csv.gz has the statistics of a unit with several instances, one row per instance.
 * NAME.queue.csv.gz (per frame only) has those of each queue with several instances. docs/tables.md
 * describes the tables. */
#ifndef AETIUS_REPORT_TABLE_H
#define AETIUS_REPORT_TABLE_H

#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"

#include <stdio.h>

/* Assigns statistics to files and columns, in the same way for all tables of a machine. Keeps a
 * reference to the set, but not to the params. */
struct table_layout;
struct table_layout *table_layout_create(const struct stat_set *set, const struct params *params);
void table_layout_destroy(struct table_layout *layout); /* accepts NULL */
/* Names of the statistics columns of a main file. */
const char *const *table_layout_names(const struct table_layout *layout, uint32_t *count);
/* The numbers of a main file's row for these `values` of the set. Valid until the next row or
 * call. */
const double *table_layout_numbers(const struct table_layout *layout, const uint64_t *values);

struct table {
    const struct table_layout *layout;
    struct csv **files; /* the main file, one file per unit, then the file of queues */
    uint32_t count;
    bool has_facts, has_queues;
};

struct table_kind {
    const char *key;   /* key columns, in all files: "frame" */
    const char *facts; /* further columns of the main file before the statistics, or "" */
    bool queues;       /* also write the table of queues */
};
bool table_open(struct table *table, const char *path, const struct table_kind *kind,
                const struct table_layout *layout, struct error *err);
/* Opens a table with one file and no layout. The caller appends rows to files[0]. */
bool table_open_single(struct table *table, const char *path, const char *header,
                       struct error *err);
/* Appends a row to each file. `key` and `facts`: fields separated by commas. `values`: values of
 * the layout's set. `frames`: number of frames for per-frame rates; NaN: part of a frame. */
void table_row(struct table *table, const char *key, const char *facts, const uint64_t *values,
               double frames);
/* Like the functions of csv.h. The files of a part are at `path` plus ".0", ".1" ... */
bool table_flush(struct table *table, struct error *err);
void table_commit(struct table *table);
void table_roll_back(struct table *table);
void table_redirect(struct table *table, const char *path);
void table_discard(struct table *table);
/* Also removes the appended files. */
bool table_append(struct table *table, const char *path, struct error *err);
/* If `keep` is false, drops unflushed rows like csv_abandon(). */
bool table_close(struct table *table, bool keep, struct error *err);

/* Units that may have a table, and "queue"; NULL after the last. */
const char *table_unit(uint32_t number);
/* "stats.draws.csv.gz" and "shader" give "stats.draws.shader.csv.gz". The caller frees the path. */
char *table_unit_path(const char *path, const char *unit);
/* Whether `name` is the file of the table `base` or of one of its units. */
bool table_is_file(const char *name, const char *base);

/* Prints sqlite3 commands that load all tables of a run folder: frames, draws, cycles, and tables
 * per unit such as frames_shader. The loaded tables replace tables of the same names. */
bool table_print_sql(const char *dir, FILE *out, struct error *err);
/* SQL type of a column: INTEGER, REAL or TEXT. */
const char *table_column_type(const char *column);

#endif
