/* From the outputs of the fragment program to the tests behind it: colors, the coverage of
 * antialiased shapes, KILL, alpha test, alpha to coverage. */
#include "gfx/fragment.h"

static const float *
output_channel(const struct exec *exec, uint32_t output, uint32_t channel, uint32_t lane)
{
    return exec->outputs + ((size_t)output * 4 + channel) * exec->lanes + lane;
}

bool
shaded_color(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t target,
             float rgba[4][4])
{
    if (draw->color_output[target] >= draw->fs->output_count)
        return false;
    for (uint32_t c = 0; c < 4; c++) {
        const float *value = output_channel(exec, draw->color_output[target], c, lane);
        for (uint32_t i = 0; i < 4; i++)
            rgba[i][c] = value[i];
    }
    return true;
}

/* Alpha of the first color output, which decides on fragments and on their coverage. */
static const float *
alpha_output(const struct draw *draw, const struct exec *exec, uint32_t lane)
{
    static const float opaque[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    return draw->color_output[0] < draw->fs->output_count
               ? output_channel(exec, draw->color_output[0], 3, lane)
               : opaque;
}

uint32_t
shaded_mask(const struct draw *draw, const struct exec *exec, uint32_t lane, uint32_t mask)
{
    const uint32_t killed = (uint32_t)(exec->killed >> lane & 15);
    mask &= ~mask_of_fragments(killed, draw->samples);
    if (draw->dsa.alpha_enable && mask)
        mask &= mask_of_fragments(
            alpha_test_quad(draw, mask_fragments(mask), alpha_output(draw, exec, lane)),
            draw->samples);
    if (draw->multisample && draw->blend.alpha_to_coverage && mask)
        mask = alpha_to_coverage(draw, mask, alpha_output(draw, exec, lane));
    return mask;
}

void
shaded_coverage(const struct triangle *triangle, uint32_t x, uint32_t y, struct exec *exec,
                uint32_t lane)
{
    const struct draw *draw = triangle->draw;
    float coverage[4];
    uint64_t done = 0;

    smooth_quad(triangle, x, y, coverage);
    for (uint32_t t = 0; t < draw->color_count; t++) {
        const uint8_t output = draw->color_output[t];
        if (output >= draw->fs->output_count || done >> output & 1)
            continue;
        float *alpha = exec->outputs + ((size_t)output * 4 + 3) * exec->lanes + lane;
        for (uint32_t i = 0; i < 4; i++)
            alpha[i] = smooth_alpha(draw, alpha[i], coverage[i]);
        done |= UINT64_C(1) << output;
    }
}
