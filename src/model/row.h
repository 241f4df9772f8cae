/* Measurements made by benchmarks/gl/model and read by `aetius model`. Measurements of a real GPU
 * come from its CSV file. Those of the simulated GPU come from labels of draws ("model sweep=length
 * cycles=12 ..."). */
#ifndef AETIUS_MODEL_ROW_H
#define AETIUS_MODEL_ROW_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>

enum { MODEL_TEXT_BYTES = 256 };

struct model_row {
#define MODEL_TEXT(name, doc)         char name[MODEL_TEXT_BYTES];
#define MODEL_NUMBER(name, unit, doc) double name;
#include "model/row.def"
#undef MODEL_TEXT
#undef MODEL_NUMBER
};

struct model_rows {
    struct model_row *items;
    size_t count, capacity;
};

/* Points without a time. */
struct model_missing {
    struct model_point {
        const char *path; /* as given to model_rows_read_some() */
        uint32_t line;    /* in its file, from 1 */
        struct model_row row;
    } * items;
    size_t count, capacity;
};

/* Whether a texture side is a power of two. The model treats such sides separately. */
bool model_is_power_of_two(double size);

enum model_stage { MODEL_BASE, MODEL_TRIANGLES, MODEL_TEXTURES, MODEL_DEPENDENT, MODEL_STAGES };

enum model_sweep {
#define MODEL_SWEEP(name, ...) MODEL_SWEEP_##name,
#include "model/sweeps.def"
#undef MODEL_SWEEP
    MODEL_SWEEPS
};
enum { MODEL_SWEEP_COLUMNS = 4 };
extern const struct model_sweep_info {
    const char *name;
    enum model_stage stage; /* stage that the sweep tests; MODEL_STAGES: all stages */
    const char *chart;      /* title of its chart; "": no chart */
    const char *columns[MODEL_SWEEP_COLUMNS]; /* columns required in each row; NULL ends the list */
} model_sweeps[MODEL_SWEEPS];
/* Returns MODEL_SWEEPS if no sweep has that name. */
enum model_sweep model_sweep_find(const char *name);
/* Returns false if no sweep has that name. The message lists the sweeps. */
bool model_sweep_check(const char *name, struct error *err);
bool model_row_is_of(const struct model_row *row, enum model_sweep sweep);

/* Sets a field of a row. `value` is the text after "name=". */
bool model_row_set(struct model_row *row, const char *name, const char *value, struct error *err);
/* Label for a draw of the row, without measured values; at most 255 bytes. */
void model_row_label(const struct model_row *row, char *label, size_t size);
/* Returns false if the label is not that of a row. Accepts nested groups: "model a=1 /b=2". */
bool model_row_from_label(struct model_row *row, const char *label);

/* CSV output, one row at a time. A benchmark writes each row as soon as it is measured. */
void model_rows_header(FILE *out);
void model_row_print(const struct model_row *row, FILE *out);
void model_rows_print(const struct model_rows *rows, FILE *out); /* including the header */
/* Adds the rows of a CSV file. The first line names the columns, which are fields of row.def in any
 * order. Required columns are sweep, fragments, seconds or fps, and the columns of the row's sweep.
 * All numbers must be finite and nonnegative. Fragments and seconds must be positive. A row without
 * a time is added to `missing`; with NULL, it is an error. */
bool model_rows_read(struct model_rows *rows, const char *path, struct error *err);
bool model_rows_read_some(struct model_rows *rows, struct model_missing *missing, const char *path,
                          struct error *err);

#endif
