/* The tables of a run, by frame, by draw and by interval: NAME.csv.gz has a row for each, with
 * every statistic (the instances of a unit or queue together) and the rates of metrics.def, as
 * run.json has them. NAME.UNIT.csv.gz has the statistics of a unit that is there several times in a
 * row for each of its instances, NAME.queue.csv.gz (by frame alone) those of each queue that is.
 * docs/tables.md is about them. */
#ifndef AETIUS_REPORT_TABLE_H
#define AETIUS_REPORT_TABLE_H

#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"

#include <stdio.h>

/* Which statistics go where: the same for all tables of a machine. Keeps the set, not the params.
 */
struct table_layout;
struct table_layout *table_layout_create(const struct stat_set *set, const struct params *params);
void table_layout_destroy(struct table_layout *layout); /* NULL: nothing */
/* The columns of statistics of a main file. */
const char *const *table_layout_names(const struct table_layout *layout, uint32_t *count);
/* What a row of these `values` of the set has in them; lives until the next row or call. */
const double *table_layout_numbers(const struct table_layout *layout, const uint64_t *values);

struct table {
    const struct table_layout *layout;
    struct csv **files; /* the main one, then one a unit, then that of queues */
    uint32_t count;
    bool has_facts, has_queues;
};

struct table_kind {
    const char *key;   /* columns of which each row has other fields, in all files: "frame" */
    const char *facts; /* more of the main one's, before the statistics, or "" */
    bool queues;       /* with the table of queues */
};
bool table_open(struct table *table, const char *path, const struct table_kind *kind,
                const struct table_layout *layout, struct error *err);
/* A row in each file: the fields of key and facts with their commas; `values` of the layout's set;
 * `frames`: how many these are (NaN: part of one), for rates a frame. */
void table_row(struct table *table, const char *key, const char *facts, const uint64_t *values,
               double frames);
/* As those of csv.h. The files of a part are at `path` with ".0", ".1" ... behind it. */
bool table_flush(struct table *table, struct error *err);
void table_settle(struct table *table);
void table_take_back(struct table *table);
void table_redirect(struct table *table, const char *path);
void table_discard(struct table *table);
bool table_append(struct table *table, const char *path, struct error *err); /* and removes them */
bool table_close(struct table *table, bool keep, struct error *err); /* else: csv_abandon() */

/* The units that may have a table, and "queue"; NULL behind the last. */
const char *table_unit(uint32_t number);
/* "stats.draws.csv.gz" and "shader": "stats.draws.shader.csv.gz"; the caller's to free. */
char *table_unit_path(const char *path, const char *unit);
/* Whether `name` is that of a table called `base`, or of one of its units'. */
bool table_is_file(const char *name, const char *base);

/* Commands for sqlite3 that load all tables of a run's folder, as tables frames, draws, cycles and,
 * of units, frames_shader and so on, in place of those of these names. */
bool table_print_sql(const char *dir, FILE *out, struct error *err);
/* What SQL calls the values of a column: INTEGER, REAL or TEXT. */
const char *table_column_type(const char *column);

#endif
