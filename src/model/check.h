/* Error of a model against measurements, per stage and in total (docs/design/model.md, Fit and
 * check). Errors are relative (0.1 is 10 %). Times are in seconds per frame. */
#ifndef AETIUS_MODEL_CHECK_H
#define AETIUS_MODEL_CHECK_H

#include "model/model.h"

/* Error budget of the source: 10 % per stage, so 1.1^3 - 1 = 33 % for three stages in series. */
#define MODEL_STAGE_BUDGET 0.10
double model_budget(uint32_t stages);

struct model_errors { /* relative: |predicted / measured - 1| */
    uint32_t count;
    double mean, worst;
    size_t worst_row;
};

struct model_check {
    struct {
        struct model_errors fitted, held_out; /* errors of the stage alone */
    } stages[MODEL_STAGES];
    struct model_errors fitted, held_out; /* total error of frames per second */
    struct model_errors large;            /* base stage, held-out rows above 900,000 fragments */
    uint32_t barred, inside;        /* held-out rows with an error bar, and of these within it */
    struct model_errors springs[3]; /* total error, by number of stages used */
    double *predicted; /* seconds, one per row; NaN: the model lacks a stage of the row */
    double *error;     /* signed error of frames per second, or NaN */
    bool *is_fitted;
    /* Rows without a prediction, by the stage that the model lacks. */
    struct {
        uint32_t rows;
        size_t first_row;
    } lacking[MODEL_STAGES];
};

/* Stage that a sweep tests. MODEL_STAGES: all stages (springs). */
enum model_stage model_stage_of(const char *sweep);

/* `stages`: bit mask of the stages to use. Rows with a stage that the model lacks have no total
 * error; the error of their other stages is still measured. A row is held out if model_split()
 * excluded it from the fit. If the fit used all rows, no row is held out. All rows are held out if
 * they are from a renderer other than the model's, or if `all_held` is set. Set `all_held` for the
 * rows of another run. */
bool model_check_rows(struct model_check *check, const struct model *model,
                      const struct model_rows *rows, uint32_t stages, bool all_held,
                      struct error *err);
/* Fails if the model lacks a stage of a row. */
bool model_check_is_complete(const struct model_check *check, const struct model_rows *rows,
                             struct error *err);
/* Frees the three arrays, which have one entry per row. Call it only after success. */
void model_check_fini(struct model_check *check);

#endif
