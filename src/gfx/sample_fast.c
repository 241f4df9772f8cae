/* Prepares a texture for its requests. Also contains the fast path of sample_plan() for common
 * textures, which plans four lanes at once. It performs the operations of the general path in the
 * same order, so the results are bit-identical. */
#include "gfx/sample_setup.h"

/* Finds the byte of a texel that holds channel c, by unpacking texels in which only one byte is
 * set. 5: the channel is always 1. */
static bool
byte_order(const struct format_info *format, uint8_t order[4])
{
    if (format->expanded_bytes != 4 || !format->is_normalized || format->is_srgb ||
        format->is_signed || format->depth_bits)
        return false;
    memset(order, 5, 4);
    for (uint8_t i = 0; i < 4; i++) {
        uint8_t texel[4] = {0};
        float rgba[4];
        texel[i] = 51; /* decodes to 0.2 only as 8-bit UNORM */
        if (format->unpack_expanded)
            format->unpack_expanded(texel, rgba);
        else
            format->unpack(texel, 0, 0, rgba);
        for (int c = 0; c < 4; c++)
            if (rgba[c] == 51.0f / 255.0f)
                order[c] = i;
    }
    return order[0] < 4 && order[1] < 4 && order[2] < 4 && (order[3] < 4 || format->channels == 7);
}

/* Returns whether the mode never reads the border, for any coordinate. */
static bool
wrap_stays_inside(uint32_t mode)
{
    return mode == WRAP_REPEAT || mode == WRAP_CLAMP_TO_EDGE || mode == WRAP_MIRROR_REPEAT ||
           mode == WRAP_MIRROR_CLAMP_TO_EDGE;
}

static void
lay_levels(struct sample_texture *texture)
{
    const struct resource *res = texture->setup.res;
    const uint32_t bytes = res->format->block_bytes * res->samples;
    const bool blocks = res->format->block_width > 1;
    /* Offsets in compressed formats count texels, 16 per block. */
    const uint32_t divide = blocks ? bytes : 1, times = blocks ? 16 : 1;
    for (uint32_t i = 0; i <= res->desc.last_level; i++) {
        const struct resource_level *l = &res->levels[i];
        texture->levels[i] = (struct sample_level){
            .width = (int32_t)l->width,
            .height = (int32_t)l->height,
            .first = l->offset / divide * times,
            .slice = l->slice_bytes / divide * times,
            .row = l->row_bytes / divide * times,
            .square_log2 = l->square_log2 + (blocks ? 2 : 0),
            .square_stride_log2 = (uint32_t)__builtin_ctz(l->square_bytes / divide * times),
        };
    }
}

/* The texels of a buffer follow each other. */
static void
lay_buffer(struct sample_texture *texture)
{
    const struct bound_view *bound = texture->setup.bound;
    texture->levels[0] = (struct sample_level){
        .width = (int32_t)view_elements(&bound->view),
        .height = 1,
        .first = bound->view.first_element * bound->format->block_bytes,
        .square_stride_log2 = texture->texel_stride_log2,
    };
}

static bool
plans_fast(struct sample_texture *texture)
{
    const struct sample_setup *setup = &texture->setup;
    if (setup->dims != 2 || setup->seamless || setup->res->samples != 1 ||
        setup->res->desc.target == TARGET_3D)
        return false;
    for (uint32_t c = 0; c < 2; c++) {
        texture->repeats[c] =
            setup->wrap[c] == WRAP_REPEAT && setup->power_of_two[c] && !setup->rect;
        if (!texture->repeats[c] && setup->wrap[c] != WRAP_CLAMP_TO_EDGE)
            return false;
    }
    return true;
}

static bool
filters_fast(const struct sample_texture *texture, uint8_t order[4])
{
    const struct sample_setup *setup = &texture->setup;
    return setup->dims == 2 && setup->res->desc.target != TARGET_3D && !setup->seamless &&
           !setup->shadow && wrap_stays_inside(setup->wrap[0]) &&
           wrap_stays_inside(setup->wrap[1]) && byte_order(setup->bound->format, order);
}

/* Clamps the border color to the range of the format. */
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

void
sample_texture_init(struct sample_texture *texture, const struct bound_view *bound, uint32_t target)
{
    uint8_t order[4] = {0, 1, 2, 3};
    texture->usable = sample_setup_init(&texture->setup, bound, target);
    texture->plans_fast = texture->filters_fast = false;
    texture->texel_log2 = texture->texel_stride_log2 = texture->unit_log2 = 0;
    if (!texture->usable)
        return;
    const struct format_info *format = bound->format;
    texture->plans_fast = plans_fast(texture);
    texture->filters_fast = filters_fast(texture, order);
    for (int c = 0; c < 4; c++) {
        uint32_t from = bound->view.swizzle[c];
        texture->source[c] = (uint8_t)(from >= 4               ? from
                                       : texture->filters_fast ? order[from]
                                                               : from);
    }
    texture->texel_log2 = (uint8_t)__builtin_ctz(format->expanded_bytes);
    const uint32_t element = format->block_bytes * texture->setup.res->samples;
    texture->texel_stride_log2 = format->block_width > 1 ? 0 : (uint8_t)__builtin_ctz(element);
    texture->unit_log2 = format->block_width > 1 ? texture->texel_log2 : 0;
    const uint32_t integer_one = 1;
    texture->one = 1.0f;
    if (format->is_integer)
        memcpy(&texture->one, &integer_one, sizeof integer_one);
    clamp_border(bound, texture->border);
    if (texture->setup.res->desc.target == TARGET_BUFFER)
        lay_buffer(texture);
    else
        lay_levels(texture);
}

static inline bool
all(ivec4 mask)
{
    return mask[0] & mask[1] & mask[2] & mask[3];
}

static inline vec4
select4(ivec4 mask, vec4 yes, vec4 no)
{
    return (vec4)((mask & (ivec4)yes) | (~mask & (ivec4)no));
}

static inline ivec4
at_most4(ivec4 a, int32_t limit)
{
    ivec4 above = a > limit;
    return (above & limit) | (~above & a);
}

struct lanes4 {
    ivec4 i0, i1;
    vec4 f;
};

/* Rounds down to integers. Returns false if a lane is outside the range of integers. */
static inline bool
floor4(vec4 u, struct lanes4 *out)
{
    if (!all((u > -0x1p30f) & (u < 0x1p30f)))
        return false;
    out->i0 = __builtin_convertvector(u, ivec4);
    out->i0 += u < __builtin_convertvector(out->i0, vec4);
    out->f = u - __builtin_convertvector(out->i0, vec4);
    return true;
}

static inline bool
wrap4(vec4 v, int32_t size, bool repeats, bool rect, bool linear, struct lanes4 *out)
{
    const float length = (float)size;
    vec4 u = v * (rect ? 1.0f : length);
    if (linear && !repeats) {
        u = select4(u < length, u, (vec4){0} + length);
        u = select4(u > 0, u, (vec4){0}) - 0.5f;
        u = select4(u > 0, u, (vec4){0});
    } else if (linear) {
        u -= 0.5f;
    }
    if (!floor4(u, out))
        return false;
    out->i1 = out->i0 + 1;
    if (repeats) {
        out->i0 &= size - 1;
        out->i1 &= size - 1;
        return true;
    }
    out->i0 = at_most4(out->i0, size - 1);
    out->i0 &= out->i0 > 0;
    out->i1 = at_most4(out->i1, size - 1);
    return true;
}

static inline uvec4
spread4(uvec4 x)
{
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

static inline uvec4
places_x(const struct sample_texture *texture, const struct sample_level *l, ivec4 x)
{
    uvec4 u = (uvec4)x;
    return ((u >> l->square_log2) << l->square_stride_log2) +
           (spread4(u & ((1u << l->square_log2) - 1)) << texture->texel_stride_log2);
}

static inline uvec4
places_y(const struct sample_texture *texture, const struct sample_level *l, ivec4 y)
{
    uvec4 u = (uvec4)y;
    return (u >> l->square_log2) * l->row +
           (spread4(u & ((1u << l->square_log2) - 1)) << (texture->texel_stride_log2 + 1u));
}

/* Plans one pass of all lanes. Returns false if a coordinate is too large for the fast path. */
static bool
plan_pass(const struct sample_texture *texture, uint32_t level, bool linear, vec4 s, vec4 t,
          uvec4 layer, struct sample_pass *pass)
{
    const struct sample_level *l = &texture->levels[level];
    const bool rect = texture->setup.rect;
    struct lanes4 x, y;
    if (!wrap4(s, l->width, texture->repeats[0], rect, linear, &x) ||
        !wrap4(t, l->height, texture->repeats[1], rect, linear, &y))
        return false;
    const uvec4 first = layer * l->slice + l->first;
    const uvec4 x0 = places_x(texture, l, x.i0), y0 = places_y(texture, l, y.i0) + first;
    uvec4 texels_at[4] = {x0 + y0};
    if (linear) {
        const uvec4 x1 = places_x(texture, l, x.i1), y1 = places_y(texture, l, y.i1) + first;
        texels_at[1] = x1 + y0;
        texels_at[2] = x0 + y1;
        texels_at[3] = x1 + y1;
        memcpy(pass->fx, &x.f, sizeof pass->fx);
        memcpy(pass->fy, &y.f, sizeof pass->fy);
    }
    memcpy(pass->texels_at, texels_at, sizeof pass->texels_at);
    return true;
}

bool
sample_plan_fast(struct sample_plan *plan, const struct lane_coord coords[4],
                 const struct lane_lod *lod)
{
    const struct sample_texture *texture = plan->texture;
    const vec4 s = {coords[0].s, coords[1].s, coords[2].s, coords[3].s};
    const vec4 t = {coords[0].t, coords[1].t, coords[2].t, coords[3].t};
    const uvec4 layer = {coords[0].layer, coords[1].layer, coords[2].layer, coords[3].layer};
    float total = 0;
    for (uint32_t i = 1; i <= lod->probes; i++) {
        float step = lod->probes > 1 ? (float)i / (float)(lod->probes + 1) - 0.5f : 0;
        vec4 ps = s, pt = t;
        if (lod->probes > 1) {
            ps += lod->axis_s * step;
            pt += lod->axis_t * step;
        }
        for (uint32_t k = 0; k < lod->levels; k++) {
            struct sample_pass *pass = &plan->passes[plan->pass_count];
            float weight = lod->levels == 1 ? 1 : k ? lod->fraction : 1 - lod->fraction;
            if (!plan_pass(texture, lod->level[k], lod->linear, ps, pt, layer, pass))
                return false;
            total += weight;
            weight = plan->pass_count == 0 ? 1.0f : weight / total;
            const vec4 weights = (vec4){0} + weight;
            memcpy(pass->weight, &weights, sizeof weights);
            pass->lanes = plan->mask;
            pass->linear = lod->linear ? plan->mask : 0;
            pass->texels = (uint16_t)(plan->mask * (lod->linear ? 0x1111u : 1u));
            pass->corners = 0;
            plan->pass_count++;
        }
    }
    return true;
}
