/* sample_direct(): sampling without time. Most texels of real programs are 8-bit RGBA on 2D
 * textures without border; they take a short way here, four channels at once, with
 * the same operations in the same order as the planned one, so the bits are the same. */
#include "gfx/sample_setup.h"

#include <string.h>

struct fast {
    const struct sample_texture *texture;
    const uint8_t *bytes; /* of the resource */
    bool repeats;         /* both axes, and powers of two: the usual case, without choices */
};

static inline uint32_t
place_x(const struct sample_level *l, int32_t x)
{
    const uint32_t u = (uint32_t)x, k = l->square_log2;
    return ((u >> k) << l->square_place_log2) + (morton_spread(u & ((1u << k) - 1)) << 2);
}

static inline uint32_t
place_y(const struct sample_level *l, int32_t y)
{
    const uint32_t u = (uint32_t)y, k = l->square_log2;
    return (u >> k) * l->row + (morton_spread(u & ((1u << k) - 1)) << 3);
}

static inline vec4
gather(const uint8_t *slice, const struct wrapped *s, const struct wrapped *t,
       const struct sample_level *l)
{
    uint32_t x0 = place_x(l, s->i0), x1 = place_x(l, s->i1);
    uint32_t y0 = place_y(l, t->i0), y1 = place_y(l, t->i1);
    vec4 top = mix4(decode8(slice + y0 + x0), decode8(slice + y0 + x1), s->f);
    vec4 bottom = mix4(decode8(slice + y1 + x0), decode8(slice + y1 + x1), s->f);
    return mix4(top, bottom, t->f);
}

static inline vec4
fast_linear(const struct fast *fast, const struct sample_level *level,
            const struct lane_coord *coord, const uint8_t *slice)
{
    const struct sample_setup *setup = &fast->texture->setup;
    struct wrapped s, t;
    if (fast->repeats) {
        s = repeat_linear(coord->s, level->width, true);
        t = repeat_linear(coord->t, level->height, true);
    } else {
        s = wrap_linear(setup->wrap[0], coord->s, level->width, setup->power_of_two[0],
                        !setup->rect);
        t = wrap_linear(setup->wrap[1], coord->t, level->height, setup->power_of_two[1],
                        !setup->rect);
    }
    return gather(slice, &s, &t, level);
}

static inline vec4
fast_nearest(const struct fast *fast, const struct sample_level *level,
             const struct lane_coord *coord, const uint8_t *slice)
{
    const struct sample_setup *setup = &fast->texture->setup;
    int32_t x =
        wrap_nearest(setup->wrap[0], coord->s, level->width, setup->power_of_two[0], !setup->rect);
    int32_t y =
        wrap_nearest(setup->wrap[1], coord->t, level->height, setup->power_of_two[1], !setup->rect);
    return decode8(slice + place_y(level, y) + place_x(level, x));
}

static inline vec4
fast_sample(const struct fast *fast, const struct lane_coord *coord, const struct lane_lod *lod,
            uint32_t number)
{
    const struct sample_level *level = &fast->texture->levels[number];
    const uint8_t *slice = fast->bytes + level->first + (size_t)coord->layer * level->slice;
    return lod->linear ? fast_linear(fast, level, coord, slice)
                       : fast_nearest(fast, level, coord, slice);
}

/* Probes along the axis of anisotropy, weighted as plan_lane() and next_pass() do it. */
static vec4
fast_probes(const struct fast *fast, const struct lane_coord *center, const struct lane_lod *lod)
{
    vec4 sum = {0};
    float total = 0;
    for (uint32_t i = 1; i <= lod->probes; i++) {
        struct lane_coord coord = *center;
        float step = (float)i / (float)(lod->probes + 1) - 0.5f;
        coord.s += lod->axis_s * step;
        coord.t += lod->axis_t * step;
        for (uint32_t l = 0; l < lod->levels; l++) {
            float weight = lod->levels == 1 ? 1 : l ? lod->fraction : 1 - lod->fraction;
            vec4 value = fast_sample(fast, &coord, lod, lod->level[l]);
            bool first = i == 1 && l == 0;
            total += weight;
            sum = first ? value : mix4(sum, value, weight / total);
        }
    }
    return sum;
}

static vec4
fast_lane(const struct fast *fast, const struct lane_coord *coord, const struct lane_lod *lod)
{
    if (lod->probes > 1)
        return fast_probes(fast, coord, lod);
    vec4 sum = fast_sample(fast, coord, lod, lod->level[0]);
    if (lod->levels > 1)
        sum = mix4(sum, fast_sample(fast, coord, lod, lod->level[1]), lod->fraction);
    return sum;
}

static void
direct_fast(const struct fast *fast, const struct texture_request *request, uint32_t quad,
            float (*rgba)[EXEC_MAX_LANES])
{
    struct lane_coord coords[4];
    struct lane_lod lods[4];
    sample_quad(&fast->texture->setup, request, quad, coords, lods);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t lane = quad * 4 + i;
        if (!(request->mask >> lane & 1))
            continue;
        float bytes[6] = {[5] = 1.0f};
        vec4 value = fast_lane(fast, &coords[i], &lods[i]);
        memcpy(bytes, &value, sizeof value);
        for (int c = 0; c < 4; c++)
            rgba[c][lane] = bytes[fast->texture->source[c]];
    }
}

/* The texels of compressed blocks, expanded one after another; the pass is to find them there. */
static void
expand_texels(const struct sample_texture *texture, const uint8_t *blocks, struct sample_pass *pass,
              uint8_t texels[16 * 4])
{
    const struct format_info *format = texture->setup.bound->format;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t place = pass->place[i / 4][i % 4];
        if (!(pass->texels >> i & 1))
            continue;
        format->expand(blocks + (size_t)(place / 16) * format->block_bytes,
                       (place & 1) | (place >> 1 & 2), (place >> 1 & 1) | (place >> 2 & 2),
                       texels + i * 4);
        pass->place[i / 4][i % 4] = i * 4;
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

void
sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
              const struct texture_request *request, uint32_t lanes, float (*rgba)[EXEC_MAX_LANES])
{
    struct sample_texture texture;
    sample_texture_init(&texture, bound, request->target);
    const struct sample_setup *setup = &texture.setup;
    const uint8_t *bytes = texture.usable ? memory->bytes + setup->res->address : NULL;
    const struct fast fast = {
        .texture = &texture,
        .bytes = bytes,
        .repeats = setup->wrap[0] == WRAP_REPEAT && setup->wrap[1] == WRAP_REPEAT &&
                   setup->power_of_two[0] && setup->power_of_two[1] && !setup->rect,
    };
    const bool is_fast = texture.usable && texture.filters_fast && setup->res->samples == 1 &&
                         setup->res->desc.target != TARGET_3D && !setup->cube &&
                         setup->res->format->block_width == 1;
    for (uint32_t quad = 0; quad < lanes / 4; quad++) {
        if (!(request->mask >> (4 * quad) & 15))
            continue;
        if (is_fast)
            direct_fast(&fast, request, quad, rgba);
        else
            planned_quad(&texture, bytes, request, quad, rgba);
    }
}
