/* sample_direct(): sampling without timing. It uses the same plan that the Texture Unit executes
 * with timing. */
#include "gfx/sample_setup.h"

#include <string.h>

/* Expands the texels that a pass reads from compressed blocks into `texels`, and updates their
 * offsets. */
static void
expand_texels(const struct sample_texture *texture, const uint8_t *blocks, struct sample_pass *pass,
              uint8_t texels[16 * 4])
{
    const struct format_info *format = texture->setup.bound->format;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t texels_at = pass->texels_at[i / 4][i % 4];
        if (!(pass->texels >> i & 1))
            continue;
        format->expand(blocks + (size_t)(texels_at / 16) * format->block_bytes,
                       (texels_at & 1) | (texels_at >> 1 & 2),
                       (texels_at >> 1 & 1) | (texels_at >> 2 & 2), texels + i * 4);
        pass->texels_at[i / 4][i % 4] = i * 4;
    }
}

static void
planned_quad(const struct sample_texture *texture, const uint8_t *bytes,
             const struct texture_request *request, uint32_t quad, float (*rgba)[EXEC_MAX_LANES])
{
    struct sample_plan plan;
    sample_value sum[4], value[4];
    uint8_t texels[16 * 4];
    float result[4][4];
    sample_plan(&plan, texture, request, quad);
    for (uint32_t k = 0; k < plan.pass_count; k++) {
        const bool blocks = texture->setup.bound->format->expand;
        if (blocks)
            expand_texels(texture, bytes, &plan.passes[k], texels);
        sample_pass_filter(texture, &plan.passes[k], blocks ? texels : bytes, plan.reference,
                           value);
        sample_add(sum, &plan.passes[k], k == 0, (const sample_value *)value);
    }
    sample_result(texture, plan.mask, plan.pass_count, (const sample_value *)sum, result);
    for (uint32_t lane = 0; lane < 4; lane++)
        for (int c = 0; c < 4 && plan.mask >> lane & 1; c++)
            rgba[c][quad * 4 + lane] = result[c][lane];
}

static void
answer_size(const struct bound_view *bound, const struct texture_request *request, uint32_t lane,
            float (*rgba)[EXEC_MAX_LANES])
{
    uint32_t level;
    int32_t size[4];
    memcpy(&level, &request->coord[4][lane], sizeof level);
    sample_size(bound, level, size);
    for (uint32_t c = 0; c < 4; c++)
        memcpy(&rgba[c][lane], &size[c], sizeof size[c]);
}

void
sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
              const struct texture_request *request, uint32_t lanes, float (*rgba)[EXEC_MAX_LANES])
{
    struct sample_texture texture;
    for (uint32_t lane = 0; lane < lanes && request->opcode == OP_TXQ; lane++)
        answer_size(bound, request, lane, rgba);
    if (request->opcode == OP_TXQ)
        return;
    sample_texture_init(&texture, bound, request->target);
    const uint8_t *bytes = texture.usable ? memory->bytes + texture.setup.res->address : NULL;
    for (uint32_t quad = 0; quad < lanes / 4; quad++)
        if (request->mask >> (4 * quad) & 15)
            planned_quad(&texture, bytes, request, quad, rgba);
}
