/* sample_direct(): sampling without time. Most texels of real programs are 8-bit RGBA on 2D
 * textures without border; they take a short way here, four channels at once, with
 * the same operations in the same order as the planned one, so the bits are the same. */
#include "gfx/sample_setup.h"

#include <string.h>

typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t ivec4 __attribute__((vector_size(16)));

/* A level as the short way sees it. */
struct fast_level {
    const uint8_t *bytes;
    int32_t width, height;
    uint32_t row_bytes; /* a row of tiles */
};

struct fast {
    const struct sample_setup *setup;
    bool repeats;      /* both axes, and powers of two: the usual case, without choices */
    uint8_t source[4]; /* byte that each result channel comes from; 4: zero, 5: one */
    struct fast_level levels[RESOURCE_MAX_LEVELS];
};

/* Which byte of a texel is channel c: found by unpacking texels with one byte set; 5: always 1. */
static bool
byte_order(const struct format_info *format, uint8_t order[4])
{
    if (format->block_bytes != 4 || format->block_width != 1 || !format->is_normalized ||
        format->is_srgb || format->is_signed || format->depth_bits)
        return false;
    memset(order, 5, 4);
    for (uint8_t i = 0; i < 4; i++) {
        uint8_t texel[4] = {0};
        float rgba[4];
        texel[i] = 51; /* 0.2 in 8 bits, in no other packing */
        format->unpack(texel, 0, 0, rgba);
        for (int c = 0; c < 4; c++)
            if (rgba[c] == 51.0f / 255.0f)
                order[c] = i;
    }
    return order[0] < 4 && order[1] < 4 && order[2] < 4 && (order[3] < 4 || format->channels == 7);
}

/* Modes that never read the border, whatever the coordinate. */
static bool
wrap_stays_inside(uint32_t mode)
{
    return mode == WRAP_REPEAT || mode == WRAP_CLAMP_TO_EDGE || mode == WRAP_MIRROR_REPEAT ||
           mode == WRAP_MIRROR_CLAMP_TO_EDGE;
}

static bool
fast_init(struct fast *fast, const struct sample_setup *setup, const struct gpu_memory *memory)
{
    const struct resource *res = setup->res;
    const struct sampler_view *view = &setup->bound->view;
    uint8_t order[4];
    fast->setup = setup;
    fast->repeats = setup->wrap[0] == WRAP_REPEAT && setup->wrap[1] == WRAP_REPEAT &&
                    setup->power_of_two[0] && setup->power_of_two[1] && !setup->rect;
    if (setup->dims != 2 || setup->cube || res->samples != 1 || res->desc.target == TARGET_3D ||
        setup->shadow || !wrap_stays_inside(setup->wrap[0]) || !wrap_stays_inside(setup->wrap[1]) ||
        !byte_order(setup->bound->format, order))
        return false;
    for (int c = 0; c < 4; c++)
        fast->source[c] = view->swizzle[c] < 4 ? order[view->swizzle[c]] : view->swizzle[c];
    for (uint32_t i = setup->first_level; i <= setup->last_level; i++) {
        const struct resource_level *l = &res->levels[i];
        fast->levels[i] = (struct fast_level){
            .bytes = memory->bytes + res->address + l->offset,
            .width = (int32_t)l->width,
            .height = (int32_t)l->height,
            .row_bytes = l->tiles_x * 256,
        };
    }
    return true;
}

static inline uint32_t
offset_x(int32_t x)
{
    static const uint8_t spread[8] = {0, 4, 16, 20, 64, 68, 80, 84};
    return (uint32_t)x / TILE_SIZE * 256 + spread[x & 7];
}

static inline uint32_t
offset_y(int32_t y, uint32_t row_bytes)
{
    static const uint8_t spread[8] = {0, 8, 32, 40, 128, 136, 160, 168};
    return (uint32_t)y / TILE_SIZE * row_bytes + spread[y & 7];
}

/* Bytes are converted where they lie in the word: a power of two too large, which changes no bit of
 * the quotient. */
static inline vec4
decode8(const uint8_t *texel)
{
    uint32_t word;
    memcpy(&word, texel, 4);
    int32_t low = (int32_t)(word & 0xffffff);
    ivec4 bytes = {low, low, low, (int32_t)(word >> 8)};
    bytes &= (ivec4){0xff, 0xff00, 0xff0000, 0xff0000};
    return __builtin_convertvector(bytes, vec4) /
           (vec4){255.0f, 255.0f * 0x1p8f, 255.0f * 0x1p16f, 255.0f * 0x1p16f};
}

static inline vec4
mix(vec4 a, vec4 b, float f)
{
    return a + f * (b - a);
}

static inline vec4
gather(const uint8_t *slice, const struct wrapped *s, const struct wrapped *t, uint32_t row_bytes)
{
    uint32_t x0 = offset_x(s->i0), x1 = offset_x(s->i1);
    uint32_t y0 = offset_y(t->i0, row_bytes), y1 = offset_y(t->i1, row_bytes);
    vec4 top = mix(decode8(slice + y0 + x0), decode8(slice + y0 + x1), s->f);
    vec4 bottom = mix(decode8(slice + y1 + x0), decode8(slice + y1 + x1), s->f);
    return mix(top, bottom, t->f);
}

static inline vec4
fast_linear(const struct fast *fast, const struct fast_level *level, const struct lane_coord *coord,
            const uint8_t *slice)
{
    const struct sample_setup *setup = fast->setup;
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
    return gather(slice, &s, &t, level->row_bytes);
}

static inline vec4
fast_nearest(const struct fast *fast, const struct fast_level *level,
             const struct lane_coord *coord, const uint8_t *slice)
{
    const struct sample_setup *setup = fast->setup;
    int32_t x =
        wrap_nearest(setup->wrap[0], coord->s, level->width, setup->power_of_two[0], !setup->rect);
    int32_t y =
        wrap_nearest(setup->wrap[1], coord->t, level->height, setup->power_of_two[1], !setup->rect);
    return decode8(slice + offset_y(y, level->row_bytes) + offset_x(x));
}

static inline vec4
fast_sample(const struct fast *fast, const struct lane_coord *coord, const struct lane_lod *lod,
            uint32_t number)
{
    const struct fast_level *level = &fast->levels[number];
    const uint8_t *slice =
        level->bytes + (size_t)coord->layer * fast->setup->res->levels[number].slice_bytes;
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
            sum = first ? value : mix(sum, value, weight / total);
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
        sum = mix(sum, fast_sample(fast, coord, lod, lod->level[1]), lod->fraction);
    return sum;
}

static void
direct_fast(const struct fast *fast, const struct texture_request *request, uint32_t quad,
            float (*rgba)[EXEC_MAX_LANES])
{
    struct lane_coord coords[4];
    struct lane_lod lods[4];
    sample_quad(fast->setup, request, quad, coords, lods);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t lane = quad * 4 + i;
        if (!(request->mask >> lane & 1))
            continue;
        float bytes[6] = {[5] = 1.0f};
        vec4 value = fast_lane(fast, &coords[i], &lods[i]);
        memcpy(bytes, &value, sizeof value);
        for (int c = 0; c < 4; c++)
            rgba[c][lane] = bytes[fast->source[c]];
    }
}

static void
planned_quad(const struct bound_view *bound, const struct gpu_memory *memory,
             const struct texture_request *request, uint32_t quad, float (*rgba)[EXEC_MAX_LANES])
{
    struct sample_plan plan;
    const uint8_t *blocks[SAMPLE_MAX_PASSES][4][4];
    float result[4][4];
    sample_plan(&plan, bound, request, quad);
    for (uint32_t k = 0; k < plan.pass_count; k++)
        for (uint32_t lane = 0; lane < 4; lane++)
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t address = plan.passes[k].texels[lane][i].address;
                blocks[k][lane][i] = address == TEXEL_BORDER ? NULL : memory->bytes + address;
            }
    sample_filter(&plan, (const uint8_t *const(*)[4][4])blocks, result);
    for (uint32_t lane = 0; lane < 4; lane++)
        for (int c = 0; c < 4 && plan.mask >> lane & 1; c++)
            rgba[c][quad * 4 + lane] = result[c][lane];
}

static void
direct_planned(const struct bound_view *bound, const struct gpu_memory *memory,
               const struct texture_request *request, uint32_t lanes, float (*rgba)[EXEC_MAX_LANES])
{
    for (uint32_t quad = 0; quad < lanes / 4; quad++)
        if (request->mask >> (4 * quad) & 15)
            planned_quad(bound, memory, request, quad, rgba);
}

void
sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
              const struct texture_request *request, uint32_t lanes, float (*rgba)[EXEC_MAX_LANES])
{
    struct sample_setup setup;
    struct fast fast;
    if (!sample_setup_init(&setup, bound, request->target) || !fast_init(&fast, &setup, memory)) {
        direct_planned(bound, memory, request, lanes, rgba);
        return;
    }
    for (uint32_t quad = 0; quad < lanes / 4; quad++)
        if (request->mask >> (4 * quad) & 15)
            direct_fast(&fast, request, quad, rgba);
}
