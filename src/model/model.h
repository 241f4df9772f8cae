/* The staged performance model of a fragment processor predicts frames per second from a few
 * parameters. The first stage gives a maximum, which each later stage can only lower. Stages can be
 * omitted or applied in another order: "stages = base textures triangles" in the model's file.
 * Source: a dissertation of 2006, "slowdown" model. Extensions are marked as ours.
 *
 * base       rate / (cycles x fragments), where `rate` is clock times pipelines. A curve maps the
 *            nominal cycles of a program to the cycles measured. Without this curve, the formula
 *            alone applies. Without the triangle stage, both sides of a branch execute; with it,
 *            one side.
 * triangles  G / maximum of G. G is the performance as a function of fragments per triangle, with
 *            one curve for each width of the columns of fragments that branch together. Ours: the
 *            extra cost of a mixed group is scaled by the share of the program in branches.
 * textures   a ceiling: texels per second by format and size, separately for powers of two.
 * dependent  a ceiling: time per texel whose address was read before, from the misses of caches
 *            inferred from the times. Ours: adds the time to read the address if its texture is
 *            larger than in the sweep. */
#ifndef AETIUS_MODEL_MODEL_H
#define AETIUS_MODEL_MODEL_H

#include "model/row.h"
#include "model/spline.h"

extern const char *const model_stage_names[MODEL_STAGES];

struct model_curve {
    char name[64]; /* "base", "triangles 8", "coherence", "textures DXT1 powers", "... 1" */
    struct spline spline;
};

/* A number of the model: "rate", "start", "dependent.flat" ... */
struct model_factor {
    char name[64];
    double value, half; /* half: half of the 95 % interval around value; 0: value was not fitted */
};

struct model {
    char renderer[MODEL_TEXT_BYTES]; /* the measured renderer */
    VEC(struct model_curve) curves;
    VEC(struct model_factor) factors;
    /* Stages in the order in which they apply, the base first. Others are omitted. 0 stages: all,
     * in the order of enum model_stage. */
    enum model_stage order[MODEL_STAGES];
    uint32_t ordered;
};

void model_fini(struct model *model);
/* NULL: the model lacks the curve */
const struct spline *model_curve(const struct model *model, const char *name);
/* NaN: the model lacks the factor */
double model_factor(const struct model *model, const char *name);
/* Sets the order from names of stages, separated by spaces or commas. */
bool model_order_parse(struct model *model, const char *names, struct error *err);
void model_set_curve(struct model *model, const char *name, const struct spline *spline);
void model_set_factor(struct model *model, const char *name, double value, double half);

/* Writes or reads a model as a readable INI file. */
bool model_write(const struct model *model, const char *path, struct error *err);
bool model_read(struct model *model, const char *path, struct error *err);

/* ---- fitting (fit.c) ---- */

/* Selects the rows for the fit. Rows of each curve are sorted along it. The first, the last and
 * every other row are used. For dependent reads, sizes and patterns alternate as on a chessboard.
 * The caller frees the array. */
bool *model_split(const struct model_rows *rows);
/* Fits a model to the rows marked in `fitted`, or to all rows if it is NULL. All rows must be from
 * one machine, named in the model. `rate` is clock times pipelines. 0 selects the rows' rate, or
 * the slope of time over program length if the rows have none. A stage without its sweep is
 * omitted. */
bool model_fit(struct model *model, const struct model_rows *rows, const bool *fitted, double rate,
               struct error *err);
/* Name of the curve to which a row belongs; "" if there is no such curve. `along`: the row's
 * position on the curve. */
void model_curve_of(const struct model_row *row, char *name, size_t size, double *along);
/* Curve of independent reads. A fragment that reads only one texel has a separate curve. Its
 * program is short, and it may read in a different order. */
void model_ceiling_name(char *name, size_t size, const char *format, double reads, bool is_power);
/* Measured value of the row on its curve: cycles per fragment, or fragments or texels per
 * second. */
double model_measured(const struct model *model, const struct model_row *row);

/* Divisor of the row's relative error in the fit: 1 without spread of the samples. A spread of 10 %
 * of the time, the error that a stage may have, halves the weight of the squared error. The weight
 * is never below a quarter, so that the ends of a curve stay where they were measured. */
double model_doubt(const struct model_row *row);

/* ---- dependent reads (dependent.c) ---- */

/* The part of model_fit() for the sweep `dependent`. */
bool model_fit_dependent(struct model *model, const struct model_rows *rows, const bool *fitted,
                         struct error *err);
/* Bytes per texel of a format of row.def. */
double model_texel_bytes(const char *format);
/* Bytes per texel in the sweep's first row, whose format the published lines use. */
double model_dependent_bytes(const struct model_rows *rows);
struct model_dependent {
    double seconds;    /* per texel whose address was read before */
    bool extrapolated; /* the texture is larger than any measured one, or of another format */
};
/* Time from the texture's size and the pattern of addresses. Returns false if the pattern is
 * unknown or the model has no dependent reads. */
bool model_dependent_find(struct model_dependent *found, const struct model *model,
                          const struct model_row *row, struct error *err);

/* ---- dependent reads, published method (published.c) ---- */

/* Fits the published lines and stores their factors `published.*`. Stores nothing if the rows do
 * not determine the lines. */
void model_fit_published(struct model *model, const struct model_rows *rows, const bool *fitted);
/* Like model_dependent_find(), with the published lines. */
bool model_published_find(struct model_dependent *found, const struct model *model,
                          const struct model_row *row, struct error *err);

/* ---- prediction (predict.c) ---- */

/* Cycles of a call and a return on a GeForce 7800 GTX, 2 each (table 2.1 of the source). */
enum { MODEL_CALL_CYCLES = 4 };

struct model_prediction {
    struct {
        bool counts;       /* requested, and available in the model and the workload */
        bool extrapolated; /* outside the measured range */
        double alone;      /* base: seconds; triangles: slowdown; ceilings: seconds */
        double seconds;    /* per frame, with this stage and earlier ones */
    } stages[MODEL_STAGES];
    /* clock: in Hz, 0 if unknown. FPS / clock is frames per clock cycle. */
    double seconds, clock;
    uint32_t bound;                       /* the slowest stage */
    enum model_stage order[MODEL_STAGES]; /* the order in which the stages apply */
    uint32_t ordered;                     /* stages in `order` */
    /* The prediction failed because the model has no measurements of this stage. MODEL_STAGES: it
     * did not fail, or for another reason. */
    enum model_stage lacks;
};

/* Fragments per second of a program of `cycles` cycles, by the base stage alone. NaN gives NaN. */
double model_base_rate(const struct model *model, double cycles);
/* In `stages`: dependent reads by the published method. */
enum { MODEL_PUBLISHED = 1 << MODEL_STAGES };
/* `stages`: bit mask. If `model` is NULL, uses the formula alone, with the workload's rate. */
bool model_predict(struct model_prediction *prediction, const struct model *model,
                   const struct model_row *workload, uint32_t stages, struct error *err);
/* Reads a workload: either lines "name = value" with names of row.def, or the six numbers of the
 * source's file format:
 * - cycles outside branches
 * - fragments
 * - clock x pipes
 * - cost of if, else and endif
 * - cycles on the if side
 * - cycles on the else side */
bool model_workload_read(struct model_row *workload, const char *path, struct error *err);

#endif
