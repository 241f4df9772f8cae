/* The page that `aetius report` writes: one HTML file that opens from disk and asks nothing of a
 * network. Its style and script are files of report/page/, which the build puts into the program
 * (page_files.h); what it shows is one JSON object that the functions here make:
 *
 *     {"schema", "version", "runs": [...], "joins": [...], "tables": [...], ...}
 *
 * Columns of numbers are packed (page_pack.c), pictures are PNG in data: addresses. What is too
 * much is thinned, and a note in the object says how. */
#ifndef AETIUS_REPORT_PAGE_H
#define AETIUS_REPORT_PAGE_H

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "report/run/csv.h"
#include "report/draw/draws.h"

#include <cjson/cJSON.h>

enum { PAGE_MOST_RUNS = 16 };

/* What all pages begin with; the caller cJSON_Delete()s it. */
cJSON *page_create(void);
/* Run folders, as sim leaves them: the first is what the others are held against. */
bool page_add_runs(cJSON *page, const char *const *dirs, uint32_t count, struct error *err);
/* A table of anything: the first row names the columns. `facts` (or NULL; it becomes the page's)
 * may hold "note", "x", "y" (columns to plot at first), "order" (rows are in the order of time),
 * "better" (of columns: "less" or "more"). */
void page_add_table(cJSON *page, const char *name, const struct text_table *rows, cJSON *facts);
/* The file; `path` as the user named it. */
bool page_write(const cJSON *page, const char *path, struct error *err);

/* ---- between the files of the page ---- */

/* Bytes as Base64, and before that through zlib; the caller frees. */
char *page_base64(const void *bytes, size_t size);
char *page_deflate(const void *bytes, size_t size);

/* Columns of numbers and texts of one length. Whole numbers are LEB128, one column behind the other
 * in one of two packs, deflated, in Base64: what the page's views ask for, and the rest. */
enum { PAGE_PACKS = 2 };
struct page_columns {
    cJSON
        *object; /* {"rows", "columns": {NAME: {kind, pack, at, words}}, "zero": [], "packs": []} */
    uint32_t rows;
    VEC(uint8_t) packs[PAGE_PACKS];
};
/* Ended by page_columns_end(). */
void page_columns_begin(struct page_columns *columns, cJSON *parent, const char *name,
                        uint32_t rows);
void page_add_whole(struct page_columns *columns, const char *name, const uint64_t *values);
/* Eight digits behind the point are kept; NaN: none. */
void page_add_real(struct page_columns *columns, const char *name, const double *values);
void page_add_texts(struct page_columns *columns, const char *name, const char *const *values);

void page_columns_end(struct page_columns *columns);

/* Rows of a run's table; some of them, some of its columns. */
struct page_rows {
    uint32_t *first, *count; /* row i of the page is `count` rows of the table, added up */
    uint32_t rows;
    bool all_columns; /* not those alone that the page's views ask for */
};
void page_add_table_rows(struct page_columns *columns, const struct csv_table *table,
                         const struct page_rows *rows);
/* Whether the page's views ask for the column. */
bool page_wants(const char *column);
/* The instances of a unit: table `path` has them in rows of their own, `instances` for each of the
 * main table's rows; they become columns "unit[i].statistic". Nothing where there is no file. */
bool page_add_instances(struct page_columns *columns, const char *path, const char *unit,
                        const struct csv_table *main, const struct page_rows *rows,
                        struct error *err);
void page_rows_fini(struct page_rows *rows);

/* Into the frame's object: "picture", "width" and "height"; "maps" and "tiles". `reduce`: a pixel
 * of the page stands for so many each way. What is not in the folder is left out. */
bool page_add_picture(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce,
                      struct error *err);
bool page_add_maps(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce, bool tiles,
                   struct error *err);
/* Bytes that its pictures, and that table, have on disk. */
uint64_t page_picture_bytes(const char *dir, uint32_t number);
uint64_t page_tile_bytes(const char *dir, uint32_t number);

/* "machine" of the run: parameters and the preset's. */
bool page_add_machine(cJSON *run, const char *dir, struct params *params, struct error *err);
/* What the names on the page mean: "names", "units", "ideals", "parameters". */
void page_add_names(cJSON *page);

#endif
