/* A profiler's file during reading: lines, cells, and the meaning of its tables.
 *
 * base/csv_reader.h cannot read these files, although both share the quoting code. Lines between
 * tables are not CSV, and some lines are joined to a record. The file may be larger than memory. A
 * line whose cells do not fit the table is also processed as text. */
#ifndef AETIUS_ANALYSIS_PROFILE_FILE_H
#define AETIUS_ANALYSIS_PROFILE_FILE_H

#include "analysis/profile.h"
#include "analysis/profile_number.h"

#include <stdio.h>

struct profile_cell {
    size_t begin, end; /* offsets in the record; after profile_file_end_cells() text[end] is NUL */
    bool has_quotes;   /* contains doubled quotes */
};

enum profile_table {
    TABLE_NONE,
    TABLE_NVPROF_LONG,
    TABLE_NVPROF_WIDE,
    TABLE_TIMES, /* nvprof: total per kernel */
    TABLE_TRACE, /* nvprof: each call */
    TABLE_NCU_LONG,
    TABLE_NCU_SUMMARY,
    TABLE_NCU_WIDE,
    TABLES
};

enum profile_role {
    ROLE_KERNEL,
    ROLE_METRIC,
    ROLE_VALUE, /* value of a metric, or time of a kernel */
    ROLE_UNIT,
    ROLE_ID,
    ROLE_PROCESS,
    ROLE_CC,
    ROLE_CC_MAJOR,
    ROLE_CC_MINOR,
    ROLE_DEVICE,
    ROLE_INVOCATIONS,
    ROLE_TYPE,
    ROLE_GRID,
    ROLES
};

struct profile_column {
    uint32_t cell;
    char *name;
    struct nvidia_metric metric;
    char unit[24];
};

/* Cache of metric names. */
struct profile_name {
    char *name; /* NULL: free entry */
    struct nvidia_metric metric;
};
enum { PROFILE_NAMES = 4096 };

/* Maps the hash of a launch's kernel and IDs to the launch. Hash 0: free entry. */
struct profile_key {
    uint64_t hash;
    uint32_t launch;
};

struct profile_file {
    const char *path;
    FILE *in;
    char *text; /* the record: one line, or several if a cell spans lines */
    size_t length, capacity;
    uint64_t line, record_line; /* last and first line of the record, counted from 1 */

    const struct nvidia_capability *given;
    VEC(struct profile *) parts; /* runs of the profiler; the last one is being filled */
    bool has_table;              /* the file has a known table */

    enum number_style style;
    uint64_t style_line; /* line of the number that determined the style; 0: style not determined */
    bool is_other_style; /* the file must be read again with the other style */
    bool is_ambiguous;

    VEC(struct profile_cell) cells;
    enum profile_table table;
    bool is_quoted, is_first_row, is_api;
    bool is_events;      /* the current table has nvprof's events, not its metrics */
    uint32_t cell_count; /* cells in the header */
    /* First and last line of the open unknown table; 0: no such table is open. */
    uint64_t other_first, other_last;
    char other_column[32];  /* first column of the unknown table */
    const char *other_page; /* description if the unknown table is a known kind of page, or NULL */
    const char *page;       /* another known kind of page in this file, or NULL */
    int32_t roles[ROLES];   /* cell index of each role; -1: no cell */
    VEC(struct profile_column) columns; /* metrics, in a wide table */
    struct profile_name *names;         /* PROFILE_NAMES entries */
    uint32_t name_count;
    struct profile_key *keys; /* launches of the part, for long tables */
    uint32_t key_slots, key_count;

    /* State for plain text. */
    enum { TEXT_NONE, TEXT_NVPROF, TEXT_NVPROF_TOTAL, TEXT_TIMES, TEXT_TRACE, TEXT_NCU } text_table;
    size_t name_column;
    uint32_t text_device;
    int64_t text_kernel; /* nvprof's current kernel; -1: none */
    int64_t text_launch; /* ncu's current launch; -1: none */
};

/* ---- lines and cells (profile_file.c) ---- */
bool profile_file_open(struct profile_file *file, const char *path, struct error *err);
void profile_file_close(struct profile_file *file);
/* Reads the next line into `text`, without its line terminator. At the end of the file, returns
 * false with an empty err->text. */
bool profile_file_line(struct profile_file *file, struct error *err);
/* Splits the record from `at` into cells. Reads more lines while a quote is open. */
bool profile_file_cells(struct profile_file *file, size_t at, struct error *err);
/* Terminates the cells with NUL and replaces doubled quotes. profile_file_cell() is valid only
 * after this call. */
void profile_file_end_cells(struct profile_file *file);
/* returns "" for cell -1 */
const char *profile_file_cell(const struct profile_file *file, int32_t cell);
/* Fails with "path:line:column: ..." for an offset in the record. */
bool profile_file_fail(const struct profile_file *file, size_t at, struct error *err,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Start of a profiler's message in the line ("==123== ...", "==PROF== ..."), or NULL. The message
 * may follow program output without a line terminator. */
const char *profile_file_banner(const struct profile_file *file);

struct profile *profile_file_part(struct profile_file *file);
/* Starts a new part: the following lines are from another run. */
void profile_file_new_part(struct profile_file *file);
struct nvidia_metric profile_file_metric(struct profile_file *file, const char *name);
/* Sets a launch's value from its printed form. `unit` may be "". Returns false if the number's
 * style differs from the file's. Then either is_other_style is set, or `err` contains a message. */
bool profile_file_value(struct profile_file *file, struct profile_launch *launch,
                        const struct nvidia_metric *metric, const char *name, const char *text,
                        const char *unit, struct error *err);
/* Removes " [123]", the launch number after a kernel's name. */
void profile_file_cut_number(char *name);

/* ---- tables of comma-separated values (profile_tables.c) ---- */
/* Sets *taken if the line belongs to a table or starts one. */
bool profile_file_table_line(struct profile_file *file, bool *taken, struct error *err);
/* Adds a note with the lines of an unknown table, if one is open. */
void profile_file_end_other(struct profile_file *file);

/* ---- plain text (profile_text.c) ---- */
bool profile_file_text_line(struct profile_file *file, struct error *err);

#endif
