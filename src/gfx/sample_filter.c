/* sample_filter(): from the bytes of blocks to the result. Within a pass texels are mixed along x,
 * then y; passes are mixed in order, each by its weight against what is there. Mixing is always
 * a + f * (b - a), so that equal texels give exactly themselves. */
#include "gfx/sample_setup.h"

#include <string.h>

struct filter {
    const struct bound_view *bound;
    uint32_t dims, channels; /* channels: 1 when comparing */
    bool shadow;
    float border[4];
};

static float
mix(float a, float b, float f)
{
    return a + f * (b - a);
}

static bool
compare(uint32_t func, float reference, float texel)
{
    switch (func) {
    case FUNC_NEVER: return false;
    case FUNC_LESS: return reference < texel;
    case FUNC_EQUAL: return reference == texel;
    case FUNC_LEQUAL: return reference <= texel;
    case FUNC_GREATER: return reference > texel;
    case FUNC_NOTEQUAL: return reference != texel;
    case FUNC_GEQUAL: return reference >= texel;
    default: return true;
    }
}

/* The border color in the range of the format. */
static void
clamp_border(const struct bound_view *bound, float border[4])
{
    float low = bound->format->is_signed ? -1.0f : 0.0f;
    memcpy(border, bound->sampler.border, 4 * sizeof *border);
    for (int c = 0; c < 4 && bound->format->is_normalized; c++) {
        border[c] = border[c] > low ? border[c] : low;
        border[c] = border[c] < 1 ? border[c] : 1;
    }
}

static void
read_texel(const struct filter *filter, const struct texel_ref *texel, const uint8_t *block,
           float reference, float rgba[4])
{
    if (block)
        filter->bound->format->unpack(block, texel->x, texel->y, rgba);
    else
        memcpy(rgba, filter->border, sizeof filter->border);
    if (filter->shadow)
        rgba[0] = compare(filter->bound->sampler.compare_func, reference, rgba[0]);
}

/* A corner of a cube has no fourth texel: the mean of the other three. */
static void
fill_corner(const struct filter *filter, const struct texel_ref texels[4],
            const uint8_t *const blocks[4], float value[4][4])
{
    for (int i = 0; i < 4; i++) {
        if (blocks[i] || texels[i].x != TEXEL_CORNER)
            continue;
        for (uint32_t c = 0; c < filter->channels; c++) {
            float sum = 0;
            for (int other = 0; other < 4; other++)
                sum += other == i ? 0 : value[other][c];
            value[i][c] = sum * (1.0f / 3.0f);
        }
    }
}

static void
filter_lane(const struct filter *filter, const struct sample_pass *pass, uint32_t lane,
            const uint8_t *const blocks[4], float reference, float rgba[4])
{
    const struct texel_ref *texels = pass->texels[lane];
    float value[4][4];
    if (!(pass->linear & 1 << lane)) {
        read_texel(filter, &texels[0], blocks[0], reference, rgba);
        return;
    }
    int count = filter->dims == 1 ? 2 : 4;
    for (int i = 0; i < count; i++)
        read_texel(filter, &texels[i], blocks[i], reference, value[i]);
    if (count == 4)
        fill_corner(filter, texels, blocks, value);
    for (uint32_t c = 0; c < filter->channels; c++) {
        float top = mix(value[0][c], value[1][c], pass->fx[lane]);
        rgba[c] = top;
        if (count == 4)
            rgba[c] = mix(top, mix(value[2][c], value[3][c], pass->fx[lane]), pass->fy[lane]);
    }
}

static float
swizzled(const float rgba[4], uint32_t swizzle)
{
    return swizzle < 4 ? rgba[swizzle] : swizzle == 5 ? 1.0f : 0.0f;
}

void
sample_filter(const struct sample_plan *plan, const uint8_t *const (*blocks)[4][4],
              float rgba[4][4])
{
    struct sample_setup setup;
    float sum[4][4] = {{0}};
    for (int lane = 0; lane < 4; lane++) {
        bool empty = (plan->mask & 1 << lane) && plan->pass_count == 0;
        for (int c = 0; c < 4; c++)
            rgba[c][lane] = empty && c == 3;
    }
    if (plan->pass_count == 0 || !sample_setup_init(&setup, plan->bound, plan->target))
        return;
    struct filter filter = {.bound = plan->bound,
                            .dims = setup.dims,
                            .channels = setup.shadow ? 1 : 4,
                            .shadow = setup.shadow};
    clamp_border(plan->bound, filter.border);
    for (uint32_t k = 0; k < plan->pass_count; k++) {
        const struct sample_pass *pass = &plan->passes[k];
        for (uint32_t lane = 0; lane < 4; lane++) {
            float value[4];
            if (!(pass->lanes & 1 << lane))
                continue;
            filter_lane(&filter, pass, lane, blocks[k][lane], plan->reference[lane], value);
            for (uint32_t c = 0; c < filter.channels; c++)
                sum[lane][c] = k ? mix(sum[lane][c], value[c], pass->weight[lane]) : value[c];
        }
    }
    for (uint32_t lane = 0; lane < 4; lane++) {
        if (!(plan->mask & 1 << lane))
            continue;
        if (setup.shadow)
            sum[lane][1] = sum[lane][2] = sum[lane][3] = sum[lane][0];
        for (uint32_t c = 0; c < 4; c++)
            rgba[c][lane] = swizzled(sum[lane], plan->bound->view.swizzle[c]);
    }
}
