/* Measurements, as benchmarks/gl/model makes them and `aetius model` reads them: of a real GPU from
 * its CSV, of the simulated one from the label of the draw ("model sweep=length cycles=12 ..."). */
#ifndef AETIUS_MODEL_ROW_H
#define AETIUS_MODEL_ROW_H

#include "base/error.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>

enum { MODEL_TEXT_BYTES = 96 };

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

/* The sides of textures whose width is a power of two are a case of their own. */
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
    enum model_stage stage;                   /* that it is about; MODEL_STAGES: all */
    const char *chart;                        /* "": it has none */
    const char *columns[MODEL_SWEEP_COLUMNS]; /* that each row must have; NULL: no more */
} model_sweeps[MODEL_SWEEPS];
/* MODEL_SWEEPS: there is none of that name. */
enum model_sweep model_sweep_find(const char *name);
/* False, with the message that lists them: there is none of that name. */
bool model_sweep_check(const char *name, struct error *err);
bool model_row_is_of(const struct model_row *row, enum model_sweep sweep);

/* "name=value" into the row. */
bool model_row_set(struct model_row *row, const char *name, const char *value, struct error *err);
/* What a draw of it is called, without what was measured; at most 255 bytes. */
void model_row_label(const struct model_row *row, char *label, size_t size);
/* False: the label is no row's. It may come as groups in groups, "model a=1 /b=2". */
bool model_row_from_label(struct model_row *row, const char *label);

/* As CSV, a row at a time: a benchmark writes each row when it has measured it. */
void model_rows_header(FILE *out);
void model_row_print(const struct model_row *row, FILE *out);
void model_rows_print(const struct model_rows *rows, FILE *out); /* with the header */
/* Adds the rows of a CSV file: the first line names the columns, each of them one of row.def, in
 * any order; there must be sweep, fragments, and seconds or fps, and all numbers finite, none
 * negative, fragments and seconds above 0; a row has what its sweep is about. */
bool model_rows_read(struct model_rows *rows, const char *path, struct error *err);

#endif
