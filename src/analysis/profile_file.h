/* One file of a profiler while it is read: lines, cells, and what the tables in it mean.
 *
 * It has lines of its own, not those of base/csv_reader.h, whose quotes it shares: between tables
 * stand lines that are no CSV, some glued to a record; the file may be larger than memory; and a
 * line is looked at as text again when its cells turn out to be none of the table. */
#ifndef AETIUS_ANALYSIS_PROFILE_FILE_H
#define AETIUS_ANALYSIS_PROFILE_FILE_H

#include "analysis/profile.h"
#include "analysis/profile_number.h"

#include <stdio.h>

struct profile_cell {
    size_t begin, end; /* in the record; after profile_file_cells() text[end] is NUL */
    bool has_quotes;   /* doubled ones */
};

enum profile_table {
    TABLE_NONE,
    TABLE_NVPROF_LONG,
    TABLE_NVPROF_WIDE,
    TABLE_TIMES, /* nvprof: all calls of a kernel */
    TABLE_TRACE, /* nvprof: each call */
    TABLE_NCU_LONG,
    TABLE_NCU_SUMMARY,
    TABLE_NCU_WIDE,
    TABLES
};

enum profile_role {
    ROLE_KERNEL,
    ROLE_METRIC,
    ROLE_VALUE, /* of a metric; of a kernel the time */
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

/* A name of a metric met before. */
struct profile_name {
    char *name; /* NULL: a free place */
    struct nvidia_metric metric;
};
enum { PROFILE_NAMES = 4096 };

/* A launch by the hash of its kernel and IDs; 0: a free place. */
struct profile_key {
    uint64_t hash;
    uint32_t launch;
};

struct profile_file {
    const char *path;
    FILE *in;
    char *text; /* the record: a line, or more where a cell goes on */
    size_t length, capacity;
    uint64_t line, record_line; /* where it ends, where it begins; from 1 */

    const struct nvidia_capability *given;
    VEC(struct profile *) parts; /* runs of a profiler; the last is being filled */
    bool has_table;              /* the file holds something known */

    enum number_style style;
    uint64_t told_line;  /* where a number told it; 0: none yet */
    bool is_other_style; /* found out: read again in the other */
    bool is_ambiguous;

    VEC(struct profile_cell) cells;
    enum profile_table table;
    bool is_quoted, is_first_row, is_api;
    uint32_t cell_count;                /* of the header */
    uint64_t other_first, other_last;   /* lines of a table of another tool; 0: none is open */
    char other_column[32];              /* its first column */
    const char *other_page;             /* what it is, if it is a known page; or NULL */
    const char *page;                   /* what else of NVIDIA's tools the file holds, or NULL */
    int32_t roles[ROLES];               /* cells; -1: none */
    VEC(struct profile_column) columns; /* of metrics, in a wide table */
    struct profile_name *names;         /* PROFILE_NAMES places */
    uint32_t name_count;
    struct profile_key *keys; /* launches of the part, in long tables */
    uint32_t key_slots, key_count;

    /* plain text */
    enum { TEXT_NONE, TEXT_NVPROF, TEXT_NVPROF_TOTAL, TEXT_TIMES, TEXT_TRACE, TEXT_NCU } text_table;
    size_t name_column;
    uint32_t text_device;
    int64_t text_kernel; /* of nvprof; -1: none */
    int64_t text_launch; /* of ncu; -1: none */
};

/* ---- lines and cells (profile_file.c) ---- */
bool profile_file_open(struct profile_file *file, const char *path, struct error *err);
void profile_file_close(struct profile_file *file);
/* The next line into `text`, without its end. false with err->text "" at the end of the file. */
bool profile_file_line(struct profile_file *file, struct error *err);
/* Splits the record from `at` on into cells, reading on while a quote is open. */
bool profile_file_cells(struct profile_file *file, size_t at, struct error *err);
/* Ends the cells with NULs and takes doubled quotes apart; then profile_file_cell() gives text. */
void profile_file_end_cells(struct profile_file *file);
const char *profile_file_cell(const struct profile_file *file, int32_t cell); /* "" when -1 */
/* Fails with "path:line:column: ..." of an offset in the record. */
bool profile_file_fail(const struct profile_file *file, size_t at, struct error *err,
                       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Where in the line a profiler speaks of itself ("==123== ...", "==PROF== ..."): at its start, or
 * after what the program printed without an end of line. NULL: nowhere. */
const char *profile_file_banner(const struct profile_file *file);

struct profile *profile_file_part(struct profile_file *file);
/* What follows is of another run. */
void profile_file_new_part(struct profile_file *file);
struct nvidia_metric profile_file_metric(struct profile_file *file, const char *name);
/* Gives a launch a value as it is printed; `unit` may be "". false: its style of numbers is not
 * that of the file (is_other_style, or with a message). */
bool profile_file_value(struct profile_file *file, struct profile_launch *launch,
                        const struct nvidia_metric *metric, const char *name, const char *text,
                        const char *unit, struct error *err);
/* Cuts off " [123]", a launch's number behind its kernel's name. */
void profile_file_cut_number(char *name);

/* ---- tables of comma-separated values (profile_tables.c) ---- */
/* Takes the line when it belongs to a table or begins one. */
bool profile_file_table_line(struct profile_file *file, bool *taken, struct error *err);
/* Notes which lines a table of another tool had, if one is open. */
void profile_file_end_other(struct profile_file *file);

/* ---- plain text (profile_text.c) ---- */
bool profile_file_text_line(struct profile_file *file, struct error *err);

#endif
