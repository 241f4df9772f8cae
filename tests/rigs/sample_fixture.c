/* Random textures, and the path of a sample through a Texture Unit. */
#include "rigs/sample_fixture.h"

static uint32_t random_state = 1;

uint32_t
fixture_random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * n >> 32);
}

float
fixture_random_float(double low, double high)
{
    return (float)(low + (high - low) * fixture_random_below(1 << 24) / (1 << 24));
}

void
fixture_init(struct fixture *f, const struct resource_desc *desc)
{
    memset(f, 0, sizeof *f);
    assert_true(resource_init(&f->res, desc, NULL));
    uint32_t square_log2 = fixture_random_below(9); /* the layout is random, too */
    if (square_log2 < 8 && desc->samples <= 1)
        resource_tile(&f->res, square_log2);
    f->res.address = 512;
    f->memory.size_bytes = 512 + f->res.size_bytes;
    f->memory.bytes = mem_alloc(f->memory.size_bytes);
    for (uint32_t i = 0; i < f->memory.size_bytes; i++)
        f->memory.bytes[i] = (uint8_t)fixture_random_below(256);
    f->bound = (struct bound_view){.res = &f->res, .format = f->res.format};
    f->bound.view = (struct sampler_view){.last_level = desc->last_level,
                                          .last_layer = f->res.levels[0].slices - 1,
                                          .swizzle = {0, 1, 2, 3},
                                          .target = desc->target};
    f->bound.sampler.max_lod = 1000;
    f->bound.sampler.mip_filter = MIP_NONE;
    f->request.opcode = OP_TEX;
    f->request.mask = 15;
}

void
fixture_fini(struct fixture *f)
{
    free(f->memory.bytes);
}

/* Fetches the texels of a pass as a cache does. Expands blocks and assigns cache locations. */
static void
fetch_pass(const struct fixture *f, struct sample_pass *pass, uint8_t texels[16][16])
{
    const struct format_info *format = f->bound.format;
    const uint8_t *bytes = f->memory.bytes + f->res.address;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t texels_at = pass->texels_at[i / 4][i % 4];
        if (!(pass->texels >> i & 1))
            continue;
        assert_true(pass->lanes >> i % 4 & 1);
        if (format->expand) {
            uint32_t offset = texels_at / 16 * format->block_bytes;
            assert_true(offset + format->block_bytes <= f->res.size_bytes);
            format->expand(bytes + offset, (texels_at & 1) | (texels_at >> 1 & 2),
                           (texels_at >> 1 & 1) | (texels_at >> 2 & 2), texels[i]);
        } else {
            assert_true(texels_at + format->block_bytes <= f->res.size_bytes);
            memcpy(texels[i], bytes + texels_at, format->block_bytes);
        }
        pass->texels_at[i / 4][i % 4] = i * 16;
    }
}

void
fixture_plan(const struct fixture *f, struct sample_texture *texture, struct sample_plan *plan)
{
    sample_texture_init(texture, &f->bound, f->request.target);
    if (f->long_way) {
        texture->plans_fast = texture->filters_fast = false;
        memcpy(texture->source, f->bound.view.swizzle, sizeof texture->source);
    }
    sample_plan(plan, texture, &f->request, 0);
}

void
sample_planned(const struct fixture *f, float rgba[4][4])
{
    struct sample_texture texture;
    struct sample_plan plan_of;
    sample_value sum[4], value[4];
    uint8_t texels[16][16];
    fixture_plan(f, &texture, &plan_of);
    for (uint32_t k = 0; k < plan_of.pass_count; k++) {
        fetch_pass(f, &plan_of.passes[k], texels);
        sample_pass_filter(&texture, &plan_of.passes[k], texels[0], plan_of.reference, value);
        sample_add(sum, &plan_of.passes[k], k == 0, (const sample_value *)value);
    }
    sample_result(&texture, plan_of.mask, plan_of.pass_count, (const sample_value *)sum, rgba);
}

void
face_direction(uint32_t face, double s, double t, double d[3])
{
    double table[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t},
                          {s, -1, -t}, {s, -t, 1},  {-s, -t, -1}};
    memcpy(d, table[face], 3 * sizeof *d);
}
