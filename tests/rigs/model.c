/* Predictions, misses, noise and frame factors for tests of the staged model. */
#include "rigs/model.h"

#include "model/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

double
predict_fps(const struct model *model, const struct model_row *row, uint32_t stages)
{
    struct model_prediction prediction;
    struct error err = {""};
    if (!model_predict(&prediction, model, row, stages, &err))
        fail_msg("%s", err.text);
    return 1 / prediction.seconds;
}

double
channel_misses_of(const char *name, uint32_t side, struct cache_shape shape, uint32_t log2_channels)
{
    struct pattern pattern;
    struct cache_reads reads;
    struct error err = {""};
    assert_true(pattern_make(&pattern, name, &err));
    cache_reads_find(&reads, &pattern, side, 16);
    struct cache_misses misses;
    cache_misses(&shape, &reads, &misses);
    cache_reads_fini(&reads);
    pattern_fini(&pattern);
    return misses.by_channels[log2_channels];
}

double
misses_of(const char *name, uint32_t side, struct cache_shape shape)
{
    return channel_misses_of(name, side, shape, 0);
}

double
noise(uint64_t *state)
{
    double sum = 0;
    for (uint32_t i = 0; i < 12; i++) { /* about normal, with standard deviation 1 */
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 40) / (1 << 24);
    }
    return sum - 6;
}

struct model_row *
add_row(struct model_rows *rows, const char *sweep, double fragments, double cycles)
{
    struct model_row row = {.fragments = fragments, .cycles = cycles, .triangles = 2};
    strcpy(row.sweep, sweep);
    strcpy(row.renderer, "made up");
    VEC_PUSH(rows, row);
    return &rows->items[rows->count - 1];
}

const struct frame_factor_value frame_factors[FRAME_FACTORS] = {
    {"texture", 1.3}, {"color", 0.5}, {"z", 0.3},    {"attribute", 1.2}, {"memory", 1.25},
    {"rop", 1.5},     {"fetch", 1.4}, {"vertex", 3}, {"depth", 1.5},     {"overlap", 1},
    {"drain", 80},    {"pipe", 40},   {"miss", 30},  {"bus", 1.1},       {"stream", 1.2},
    {"swap", 0.9},    {"flush", 2},   {"show", 500}, {"blit", 1}};

void
set_frame_factors(struct model *model)
{
    model_set_factor(model, "rate", 8e9, 0);
    model_set_factor(model, "start", 0, 0);
    model_set_factor(model, "clock", 500e6, 0);
    for (size_t k = 0; k < FRAME_FACTORS; k++) {
        char name[32];
        snprintf(name, sizeof name, "frames.%s", frame_factors[k].name);
        model_set_factor(model, name, frame_factors[k].value, 0);
    }
}
