/* The page that `aetius report` writes: one HTML file that needs no network. The build embeds its
 * style and script from report/page/ (page_files.h). The page's data is one JSON object, which
 * these functions create:
 *
 * {"schema", "version", "runs": [...], "joins": [...], "tables": [...], ...}
 *
 * Columns of numbers are packed (page_pack.c). Pictures are PNG files in data: addresses. Data
 * beyond the limits is reduced, and a note in the object states the reduction. */
#ifndef AETIUS_REPORT_PAGE_H
#define AETIUS_REPORT_PAGE_H

#include "base/file.h"
#include "base/mem.h"
#include "base/text_table.h"
#include "report/run/csv.h"
#include "report/draw/draws.h"

#include <cjson/cJSON.h>

enum { PAGE_MOST_RUNS = 16 };

/* Creates the object with the fields of every page. The caller frees it with cJSON_Delete(). */
cJSON *page_create(void);
/* Adds run folders as `aetius sim` writes them. All runs are compared with the first one. */
bool page_add_runs(cJSON *page, const char *const *dirs, uint32_t count, struct error *err);
/* Adds a table of any content. Its first row contains the column names. The page takes ownership of
 * `facts`, which may be NULL. `facts` may contain "note", "x", "y" (columns to plot first), "order"
 * (rows are in time order), and "better" (per column: "less" or "more"). */
void page_add_table(cJSON *page, const char *name, const struct text_table *rows, cJSON *facts);
/* Writes the file. `path` is the path as the user named it. */
bool page_write(const cJSON *page, const char *path, struct error *err);

/* ---- internal to the page's files ---- */

/* Base64 of the bytes. page_deflate() first compresses them with zlib. The caller frees the
 * results. */
char *page_base64(const void *bytes, size_t size);
char *page_deflate(const void *bytes, size_t size);

/* Columns of numbers and texts of equal length. Whole numbers are encoded as LEB128, one column
 * after another. There are two packs: columns that the page's views use, and all others. Each pack
 * is deflated and Base64-encoded. */
enum { PAGE_PACKS = 2 };
struct page_columns {
    /* {"rows", "columns": {NAME: {kind, pack, at, words}}, "zero": [], "packs": []} */
    cJSON *object;
    uint32_t rows;
    VEC(uint8_t) packs[PAGE_PACKS];
};
/* Begins an object of columns. page_columns_end() ends it. */
void page_columns_begin(struct page_columns *columns, cJSON *parent, const char *name,
                        uint32_t rows);
void page_add_whole(struct page_columns *columns, const char *name, const uint64_t *values);
/* Keeps eight decimal places. NaN: no value. */
void page_add_real(struct page_columns *columns, const char *name, const double *values);
void page_add_texts(struct page_columns *columns, const char *name, const char *const *values);

void page_columns_end(struct page_columns *columns);

/* A selection of rows and columns of a run's table. */
struct page_rows {
    /* Row i of the page is the sum of `count[i]` rows of the table, starting with row
     * `first[i]`. */
    uint32_t *first, *count;
    uint32_t rows;
    bool all_columns; /* all columns, not only those that the page's views use */
};
void page_add_table_rows(struct page_columns *columns, const struct csv_table *table,
                         const struct page_rows *rows);
/* Whether the page's views use the column. */
bool page_wants(const char *column);
/* Adds the instances of a unit as columns "unit[i].statistic". For each row of the main table, the
 * table `path` has one row per instance. Adds nothing if the file does not exist. */
bool page_add_instances(struct page_columns *columns, const char *path, const char *unit,
                        const struct csv_table *main, const struct page_rows *rows,
                        struct error *err);
void page_rows_fini(struct page_rows *rows);

/* page_add_picture() adds "picture", "width" and "height" to the frame's object; page_add_maps()
 * adds "maps" and "tiles". `reduce`: scale divisor per axis. Files missing in the folder are
 * omitted. */
bool page_add_picture(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce,
                      struct error *err);
bool page_add_maps(cJSON *frame, const char *dir, uint32_t number, uint32_t reduce, bool tiles,
                   struct error *err);
/* Sizes on disk of a frame's pictures, and of its table of draws per tile. */
uint64_t page_picture_bytes(const char *dir, uint32_t number);
uint64_t page_tile_bytes(const char *dir, uint32_t number);

/* Adds "machine" to the run: its parameters and those of its preset. */
bool page_add_machine(cJSON *run, const char *dir, struct params *params, struct error *err);
/* Adds the descriptions of names: "names", "units", "ideals", "parameters". */
void page_add_names(cJSON *page);

#endif
