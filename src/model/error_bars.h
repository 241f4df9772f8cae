/* Error bars of predictions (ours): the relative error that 9 of 10 predictions of unseen
 * measurements do not exceed. They come from measurements of the fit alone. Parts of these are left
 * out, and predicted by a model of the others. The bars are stored in the model as the factors
 * "error.base", "error.triangles", "error.textures", "error.dependent" and "frames.error". */
#ifndef AETIUS_MODEL_ERROR_BARS_H
#define AETIUS_MODEL_ERROR_BARS_H

#include "model/model.h"

#define MODEL_BAR_SHARE 0.9

struct model_miss {
    double error, weight; /* error: |measured / predicted - 1| of the frame rate */
};
struct model_misses {
    struct model_miss *items;
    size_t count, capacity;
};
/* The smallest error that at least MODEL_BAR_SHARE of the weight does not exceed. Sorts the items.
 * NaN: fewer than 10 items. */
double model_bar_of(struct model_misses *misses);

/* Sets the bars of the stages of a model that was fitted to the rows marked in `fitted` (NULL: all
 * rows). A second model is fitted to half of these rows, and predicts the other half. A stage that
 * cannot be evaluated in this way gets no bar. */
void model_fit_bars(struct model *model, const struct model_rows *rows, const bool *fitted);

/* Relative error bar of a prediction. With the limit of textures or dependent reads, it is the bar
 * of this stage, else that of base and triangles. NaN: unknown, or outside the measured range. */
double model_bar(const struct model *model, const struct model_prediction *prediction);
/* Lower end of a bar as a share of the predicted frame rate, which is not below 0. */
double model_bar_low(double bar);

#endif
