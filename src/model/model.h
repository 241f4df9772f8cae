/* The staged performance model of a fragment processor: frames a second from a few parameters. A
 * stage gives a maximum, each later one can only lower it; stages can be left out. Source: a
 * dissertation of 2006, "slowdown" model; what is ours is said.
 *
 * base       rate / (cycles x fragments), where `rate` is clock times pipelines; how many cycles a
 *            program of so many takes in truth is a curve (the formula alone where there is none).
 *            Without the next stage every block of a branch is executed, with it one side.
 * triangles  G / its maximum: performance against fragments a triangle, a curve for each width of
 *            the columns of fragments that branch together. Ours: what a mixed group adds is scaled
 *            by how much of the program is in branches.
 * textures   a ceiling: texels a second by format and size, powers of two and other sizes apart.
 * dependent  a ceiling: time a texel whose address was read before, from the misses of caches that
 *            the times tell; ours: with what its address takes, of a texture larger than that of
 *            the sweep. */
#ifndef AETIUS_MODEL_MODEL_H
#define AETIUS_MODEL_MODEL_H

#include "model/row.h"
#include "model/spline.h"

extern const char *const model_stage_names[MODEL_STAGES];

struct model_curve {
    char name[64]; /* "base", "triangles 8", "coherence", "textures DXT1 powers" */
    struct spline spline;
};

/* One number of the fit: "rate", "start", "dependent.flat" ... */
struct model_factor {
    char name[64];
    double value, half; /* value - half to value + half in 95 %; 0: not from a fit */
};

struct model {
    char renderer[MODEL_TEXT_BYTES]; /* whose it is */
    VEC(struct model_curve) curves;
    VEC(struct model_factor) factors;
};

void model_fini(struct model *model);
const struct spline *model_curve(const struct model *model, const char *name); /* or NULL */
double model_factor(const struct model *model, const char *name);              /* NaN: none */
void model_set_curve(struct model *model, const char *name, const struct spline *spline);
void model_set_factor(struct model *model, const char *name, double value, double half);

/* An INI file that people can read. */
bool model_write(const struct model *model, const char *path, struct error *err);
bool model_read(struct model *model, const char *path, struct error *err);

/* ---- fitting (fit.c) ---- */

/* Which rows the fit may look at: each curve's rows in order of what it goes along, and of these
 * the first, the last and every other; of dependent reads, sizes and patterns in turn, as on a
 * chessboard. The caller frees. */
bool *model_split(const struct model_rows *rows);
/* From these rows (NULL: from all, of which the model tells), of one machine. `rate`: clock times
 * pipelines, or 0: as the rows say, or from the slope of the time over the length of the program.
 * Sweeps that are not there leave their stages out. */
bool model_fit(struct model *model, const struct model_rows *rows, const bool *fitted, double rate,
               struct error *err);
/* What curve a row belongs to; "" none. `along`: where on it. */
void model_curve_of(const struct model_row *row, char *name, size_t size, double *along);
/* What the curve says at that place, measured: cycles a fragment, fragments or texels a second. */
double model_measured(const struct model *model, const struct model_row *row);

/* ---- dependent reads (dependent.c) ---- */

/* The part of model_fit() for the sweep `dependent`. */
bool model_fit_dependent(struct model *model, const struct model_rows *rows, const bool *fitted,
                         struct error *err);
/* Of a texel whose address was read before, by the size of the texture and the pattern of
 * addresses; false: the pattern is not known, or the model says nothing of dependent reads.
 * `extrapolated`: the texture is larger than any that was measured. */
bool model_dependent_seconds(const struct model *model, const struct model_row *row,
                             double *seconds, bool *extrapolated, struct error *err);

/* ---- predicting (predict.c) ---- */

struct model_prediction {
    struct {
        bool counts;       /* it was asked for, and the model and the workload have it */
        bool extrapolated; /* outside of what was measured */
        double alone;      /* base: seconds; triangles: slowdown; ceilings: seconds */
        double seconds;    /* of a frame, with this stage and those before it */
    } stages[MODEL_STAGES];
    double seconds, clock; /* clock: Hz, 0 where nobody said it; FPS / clock: frames a clock */
    uint32_t bound;        /* the stage that took the most */
};

/* Fragments a second of a program of so many cycles, by the base alone; NaN of NaN. */
double model_base_rate(const struct model *model, double cycles);
/* `stages`: a bit each. `model` NULL: the formula alone, with the workload's rate. */
bool model_predict(struct model_prediction *prediction, const struct model *model,
                   const struct model_row *workload, uint32_t stages, struct error *err);
/* A workload: lines "name = value" of row.def, or the six numbers of the source's file: cycles
 * outside of branches; fragments; clock x pipes; cost of the if with its else and endif; cycles on
 * the if's side; cycles on the else's. */
bool model_workload_read(struct model_row *workload, const char *path, struct error *err);

#endif
