/* Error of a model against measurements, by stage and in all (docs/design/model.md, Fit and check).
 * Errors are relative, 0.1 is 10 %; times are seconds per frame. */
#ifndef AETIUS_MODEL_CHECK_H
#define AETIUS_MODEL_CHECK_H

#include "model/model.h"

/* The source's budget: 10 % a stage, and so 1.1^3 - 1 = 33 % for three in series. */
#define MODEL_STAGE_BUDGET 0.10
double model_budget(uint32_t stages);

struct model_errors { /* relative: |predicted / measured - 1| */
    uint32_t count;
    double mean, worst;
    size_t worst_row;
};

struct model_check {
    struct {
        struct model_errors fitted, held_out; /* of the stage by itself */
    } stages[MODEL_STAGES];
    struct model_errors fitted, held_out; /* in all: frames a second */
    struct model_errors large;            /* of the base, held out, above 900,000 fragments */
    struct model_errors springs[3];       /* by how many stages were used, in all */
    double *predicted; /* seconds, a row each; NaN: what it was can not be told */
    double *error;     /* signed; of frames a second */
    bool *is_fitted;
};

/* The stage that a sweep is about; MODEL_STAGES: all (springs). */
enum model_stage model_stage_of(const char *sweep);

/* `stages`: a bit each, those that may be used. Rows count as held out where the fit did not look
 * at them (model_split): none, where it looked at all; all, where they are of another renderer than
 * the model's, or with `all_held`: another run's. */
bool model_check_rows(struct model_check *check, const struct model *model,
                      const struct model_rows *rows, uint32_t stages, bool all_held,
                      struct error *err);
/* Frees the three arrays, which have one entry per row. Needed after success only. */
void model_check_fini(struct model_check *check);

#endif
