/* Filters the bytes of texels to the result. A pass interpolates along x, then along y. Passes are
 * combined in order, each with its weight relative to the earlier ones. Every interpolation has the
 * form a + f * (b - a), so that equal texels give exactly their value. */
#include "gfx/compare.h"
#include "gfx/sample_setup.h"

#include <string.h>

static float
mix(float a, float b, float f)
{
    return a + f * (b - a);
}

/* Reads texel i of the lane. */
static void
read_texel(const struct sample_texture *texture, const struct sample_pass *pass, uint32_t i,
           uint32_t lane, const uint8_t *texels, float reference, float rgba[4])
{
    const struct format_info *format = texture->setup.bound->format;
    if (!(pass->texels >> (4 * i + lane) & 1))
        memcpy(rgba, texture->border, sizeof texture->border);
    else if (format->unpack_expanded)
        format->unpack_expanded(texels + pass->texels_at[i][lane], rgba);
    else
        format->unpack(texels + pass->texels_at[i][lane], 0, 0, rgba);
    if (texture->setup.shadow)
        rgba[0] = compare_values(texture->setup.bound->sampler.compare_func, reference, rgba[0]);
}

/* The corner of a cube has no fourth texel. It gets the average of the other three. */
static void
fill_corner(uint32_t channels, const struct sample_pass *pass, uint32_t lane, float value[4][4])
{
    for (uint32_t i = 0; i < 4; i++) {
        if (!(pass->corners >> (4 * i + lane) & 1))
            continue;
        for (uint32_t c = 0; c < channels; c++) {
            float sum = 0;
            for (uint32_t other = 0; other < 4; other++)
                sum += other == i ? 0 : value[other][c];
            value[i][c] = sum * (1.0f / 3.0f);
        }
    }
}

static void
filter_lane(const struct sample_texture *texture, const struct sample_pass *pass, uint32_t lane,
            const uint8_t *texels, float reference, float rgba[4])
{
    const uint32_t channels = texture->setup.shadow ? 1 : 4;
    float value[4][4];
    if (!(pass->linear & 1 << lane)) {
        read_texel(texture, pass, 0, lane, texels, reference, rgba);
        return;
    }
    uint32_t count = texture->setup.dims == 1 ? 2 : 4;
    for (uint32_t i = 0; i < count; i++)
        read_texel(texture, pass, i, lane, texels, reference, value[i]);
    if (count == 4)
        fill_corner(channels, pass, lane, value);
    for (uint32_t c = 0; c < channels; c++) {
        float top = mix(value[0][c], value[1][c], pass->fx[lane]);
        rgba[c] = top;
        if (count == 4)
            rgba[c] = mix(top, mix(value[2][c], value[3][c], pass->fx[lane]), pass->fy[lane]);
    }
}

static inline vec4
filter_fast(const struct sample_pass *pass, uint32_t lane, const uint8_t *texels)
{
    vec4 texel = decode8(texels + pass->texels_at[0][lane]);
    if (!(pass->linear >> lane & 1))
        return texel;
    vec4 top = mix4(texel, decode8(texels + pass->texels_at[1][lane]), pass->fx[lane]);
    vec4 bottom = mix4(decode8(texels + pass->texels_at[2][lane]),
                       decode8(texels + pass->texels_at[3][lane]), pass->fx[lane]);
    return mix4(top, bottom, pass->fy[lane]);
}

void
sample_pass_filter(const struct sample_texture *texture, const struct sample_pass *pass,
                   const uint8_t *texels, const float reference[4], sample_value value[4])
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        if (!(pass->lanes >> lane & 1))
            continue;
        if (texture->filters_fast) {
            vec4 filtered = filter_fast(pass, lane, texels);
            memcpy(value[lane], &filtered, sizeof filtered);
        } else {
            float filtered[4] = {0};
            filter_lane(texture, pass, lane, texels, reference[lane], filtered);
            memcpy(value[lane], filtered, sizeof filtered);
        }
    }
}

void
sample_add(sample_value sum[4], const struct sample_pass *pass, bool is_first,
           const sample_value value[4])
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        vec4 a, b;
        if (!(pass->lanes >> lane & 1))
            continue;
        memcpy(&a, sum[lane], sizeof a);
        memcpy(&b, value[lane], sizeof b);
        a = is_first ? b : mix4(a, b, pass->weight[lane]);
        memcpy(sum[lane], &a, sizeof a);
    }
}

void
sample_result(const struct sample_texture *texture, uint32_t mask, uint32_t passes,
              const sample_value sum[4], float rgba[4][4])
{
    for (uint32_t lane = 0; lane < 4; lane++) {
        float channels[6] = {[5] = texture->one};
        bool wanted = mask >> lane & 1;
        if (!wanted || passes == 0) {
            for (uint32_t c = 0; c < 4; c++)
                rgba[c][lane] = wanted && c == 3;
            continue;
        }
        memcpy(channels, sum[lane], sizeof sum[lane]);
        if (texture->setup.shadow)
            channels[1] = channels[2] = channels[3] = channels[0];
        for (uint32_t c = 0; c < 4; c++)
            rgba[c][lane] = channels[texture->source[c] < 6 ? texture->source[c] : 4];
    }
}
