/* From the outputs of the fragment program to the inputs of later tests: colors, coverage of
 * antialiased shapes, KILL, alpha test, alpha to coverage. */
#include "gfx/fragment.h"

static const float *
output_channel(const struct exec *exec, uint32_t output, uint32_t channel, uint32_t lane)
{
    return exec->outputs + ((size_t)output * 4 + channel) * exec->lanes + lane;
}

static void
get_output(const struct exec *exec, uint32_t output, uint32_t lane, float rgba[4][4])
{
    for (uint32_t c = 0; c < 4; c++) {
        const float *value = output_channel(exec, output, c, lane);
        for (uint32_t i = 0; i < 4; i++)
            rgba[i][c] = value[i];
    }
}

bool
shaded_color(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t target,
             float rgba[4][4])
{
    if (draw->color_output[target] >= draw->program[STAGE_FRAGMENT]->output_count)
        return false;
    get_output(exec, draw->color_output[target], lane, rgba);
    return true;
}

bool
shaded_source1(const struct draw *draw, const struct exec *exec, uint32_t lane, float rgba[4][4])
{
    if (!draw->has_source1)
        return false;
    get_output(exec, (uint32_t)draw->source1_output, lane, rgba);
    return true;
}

/* Returns the alpha of the first color output. The alpha test and alpha to coverage use it even if
 * no color buffer stores it. */
static const float *
first_alpha(const struct draw *draw, const struct exec *exec, uint32_t lane)
{
    static const float opaque[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    return draw->alpha_output >= 0 ? output_channel(exec, (uint32_t)draw->alpha_output, 3, lane)
                                   : opaque;
}

uint32_t
shaded_mask(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t mask)
{
    const uint32_t killed = (uint32_t)(exec->killed >> lane & 15);
    mask &= ~mask_of_fragments(killed, draw->samples);
    if (draw->dsa.alpha_enable && mask)
        mask &= mask_of_fragments(
            alpha_test_quad(draw, mask_fragments(mask), first_alpha(draw, exec, lane)),
            draw->samples);
    if (draw->multisample && draw->blend.alpha_to_coverage && mask)
        mask = alpha_to_coverage(draw, mask, first_alpha(draw, exec, lane));
    return mask;
}

/* Returns the outputs whose color is stored in a buffer or used by the alpha test, one bit each. */
static uint64_t
color_outputs(const struct draw *draw)
{
    uint64_t outputs = draw->alpha_output >= 0 ? UINT64_C(1) << draw->alpha_output : 0;
    for (uint32_t t = 0; t < draw->color_count; t++)
        if (draw->color_output[t] < draw->program[STAGE_FRAGMENT]->output_count)
            outputs |= UINT64_C(1) << draw->color_output[t];
    return outputs;
}

void
shaded_coverage(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                uint32_t lane)
{
    const struct draw *draw = triangle->draw;
    const uint64_t outputs = color_outputs(draw);
    float coverage[4];

    smooth_quad(triangle, x, y, coverage);
    for (uint32_t output = 0; output < draw->program[STAGE_FRAGMENT]->output_count; output++) {
        float *alpha = exec->outputs + ((size_t)output * 4 + 3) * exec->lanes + lane;
        for (uint32_t i = 0; i < 4 && outputs >> output & 1; i++)
            alpha[i] *= coverage[i];
    }
}
