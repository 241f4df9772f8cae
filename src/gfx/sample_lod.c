/* First step of sampling: the bound texture, the cube face of each lane, and the levels that the
 * LOD selects.
 *
 * Anisotropy follows the example in EXT_texture_filter_anisotropic. It takes N probes along the
 * longer of the two pixel axes, with the LOD of that axis divided by N. N is the ratio of the axes,
 * rounded up. The shorter axis counts as at least one texel, because shorter axes have nothing to
 * average. The ratio is first truncated to sixteenths. Otherwise rounding errors in coordinates
 * would give some pixels of a square footprint two probes and a sharper level.
 *
 * This applies to 1D, 2D, 2D array and rectangle textures. 3D and cube textures are filtered
 * isotropically. */
#include "gfx/sample_setup.h"

#include <math.h>
#include <string.h>

struct target_shape {
    uint8_t dims;
    int8_t layer_coord;
    bool cube, rect, shadow;
};

static const struct target_shape target_shapes[] = {
    [TEX_BUFFER] = {1, -1, false, false, false},
    [TEX_1D] = {1, -1, false, false, false},
    [TEX_2D] = {2, -1, false, false, false},
    [TEX_3D] = {3, -1, false, false, false},
    [TEX_CUBE] = {2, -1, true, false, false},
    [TEX_RECT] = {2, -1, false, true, false},
    [TEX_SHADOW1D] = {1, -1, false, false, true},
    [TEX_SHADOW2D] = {2, -1, false, false, true},
    [TEX_SHADOWRECT] = {2, -1, false, true, true},
    [TEX_1D_ARRAY] = {1, 1, false, false, false},
    [TEX_2D_ARRAY] = {2, 2, false, false, false},
    [TEX_SHADOW1D_ARRAY] = {1, 1, false, false, true},
    [TEX_SHADOW2D_ARRAY] = {2, 2, false, false, true},
    [TEX_SHADOWCUBE] = {2, -1, true, false, true},
    [TEX_2D_MSAA] = {2, -1, false, false, false},
    [TEX_2D_ARRAY_MSAA] = {2, 2, false, false, false},
};

static uint32_t
at_most(uint32_t value, uint32_t limit)
{
    return value < limit ? value : limit;
}

static bool
is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Whether the texels of the view can be read from the resource's bytes with this target. */
static bool
fits(const struct bound_view *bound, uint32_t target)
{
    const struct resource *res = bound->res;
    const struct format_info *format = bound->format;
    if (!res || !format || target >= sizeof target_shapes / sizeof *target_shapes ||
        !target_shapes[target].dims)
        return false;
    if (res->desc.target == TARGET_BUFFER)
        return target == TEX_BUFFER && format->block_width == 1;
    return target != TEX_BUFFER && format->block_bytes == res->format->block_bytes &&
           format->block_width == res->format->block_width;
}

/* Clamps the levels and layers of the view to those of the resource. */
static void
setup_range(struct sample_setup *setup)
{
    const struct sampler_view *view = &setup->bound->view;
    const struct resource_desc *desc = &setup->res->desc;
    setup->layers = 1;
    if (desc->target == TARGET_BUFFER)
        return;
    setup->first_level = at_most(view->first_level, desc->last_level);
    setup->last_level = at_most(view->last_level, desc->last_level);
    if (setup->last_level < setup->first_level)
        setup->last_level = setup->first_level;
    uint32_t slices = setup->res->levels[0].slices;
    bool whole = desc->target == TARGET_3D;
    setup->first_layer = whole ? 0 : at_most(view->first_layer, slices - 1);
    uint32_t last = whole ? slices - 1 : at_most(view->last_layer, slices - 1);
    setup->layers = last < setup->first_layer ? 1 : last - setup->first_layer + 1;
}

bool
sample_setup_init(struct sample_setup *setup, const struct bound_view *bound, uint32_t target)
{
    const struct resource *res = bound->res;
    memset(setup, 0, sizeof *setup);
    if (!fits(bound, target))
        return false;
    const struct target_shape *shape = &target_shapes[target];
    setup->bound = bound;
    setup->res = res;
    setup->dims = shape->dims;
    setup->cube = shape->cube;
    setup->rect = shape->rect;
    setup->multisample = target == TEX_2D_MSAA || target == TEX_2D_ARRAY_MSAA;
    setup->layer_coord = shape->layer_coord;
    setup->shadow = shape->shadow && bound->sampler.compare && bound->format->depth_bits;
    setup->seamless = shape->cube && bound->sampler.seamless_cube;
    setup->wrap[0] = bound->sampler.wrap_s;
    setup->wrap[1] = bound->sampler.wrap_t;
    setup->wrap[2] = bound->sampler.wrap_r;
    if (shape->cube)
        setup->wrap[0] = setup->wrap[1] = WRAP_CLAMP_TO_EDGE;
    setup->power_of_two[0] = is_power_of_two(res->desc.width);
    setup->power_of_two[1] = is_power_of_two(res->desc.height);
    setup->power_of_two[2] = is_power_of_two(res->desc.depth);
    setup_range(setup);
    return true;
}

struct derivatives {
    float dx[3], dy[3];
};

static void
request_derivatives(const struct texture_request *request, uint32_t lane0, uint32_t lane,
                    uint32_t dims, struct derivatives *d)
{
    for (uint32_t c = 0; c < dims; c++) {
        const float *v = &request->coord[c][lane0];
        bool given = request->opcode == OP_TXD;
        d->dx[c] = given ? request->ddx[c][lane0 + lane] : v[1] - v[0];
        d->dy[c] = given ? request->ddy[c][lane0 + lane] : v[2] - v[0];
    }
}

/* Returns the derivatives of a cube lookup's direction along the lane's row and column. */
static void
cube_direction_derivatives(const struct texture_request *request, uint32_t lane0, uint32_t lane,
                           struct derivatives *d)
{
    for (uint32_t c = 0; c < 3; c++) {
        const float *v = &request->coord[c][lane0];
        bool given = request->opcode == OP_TXD;
        uint32_t row = lane & 2, column = lane & 1;
        d->dx[c] = given ? request->ddx[c][lane0 + lane] : v[row + 1] - v[row];
        d->dy[c] = given ? request->ddy[c][lane0 + lane] : v[column + 2] - v[column];
    }
}

/* The face that a direction hits (GL 2.1 table 3.19; for equal magnitudes z before y before x).
 * Holds the component of the major axis, and the sources of s and t. */
struct face {
    uint32_t number, major;
    uint32_t s_component, t_component;
    float s_sign, t_sign;
};

static struct face
choose_face(const float v[3])
{
    float x = absolute(v[0]), y = absolute(v[1]), z = absolute(v[2]), xy = x > y ? x : y;
    if (z >= xy) {
        float sign = signbit(v[2]) ? -1.0f : 1.0f;
        return (struct face){sign < 0 ? 5 : 4, 2, 0, 1, sign, -1};
    }
    if (x > y) {
        float sign = signbit(v[0]) ? -1.0f : 1.0f;
        return (struct face){sign < 0 ? 1 : 0, 0, 2, 1, -sign, -1};
    }
    float sign = signbit(v[1]) ? -1.0f : 1.0f;
    return (struct face){sign < 0 ? 3 : 2, 1, 0, 2, 1, sign};
}

/* Applies the quotient rule to sc / (2 |ma|), in a form that is valid for both signs of ma. */
static void
face_derivatives(const struct face *face, const float v[3], struct derivatives *d)
{
    float inverse = 1.0f / v[face->major], half = 0.5f * inverse;
    float s = v[face->s_component] * face->s_sign, t = v[face->t_component] * face->t_sign;
    float mx = d->dx[face->major] * inverse, my = d->dy[face->major] * inverse;
    struct derivatives in = *d;
    d->dx[0] = (in.dx[face->s_component] * face->s_sign - mx * s) * half;
    d->dx[1] = (in.dx[face->t_component] * face->t_sign - mx * t) * half;
    d->dy[0] = (in.dy[face->s_component] * face->s_sign - my * s) * half;
    d->dy[1] = (in.dy[face->t_component] * face->t_sign - my * t) * half;
}

/* Selects the face of a cube or the layer of an array. */
static void
choose_layer(const struct sample_setup *setup, const float v[3], struct lane_coord *coord)
{
    if (setup->cube) {
        struct face face = choose_face(v);
        float half = 0.5f / absolute(v[face.major]);
        coord->s = v[face.s_component] * face.s_sign * half + 0.5f;
        coord->t = v[face.t_component] * face.t_sign * half + 0.5f;
        coord->layer += at_most(face.number, setup->layers - 1);
    }
    if (setup->layer_coord >= 0) {
        int32_t layer = floor_int(round_even(v[setup->layer_coord]));
        layer = layer > 0 ? layer : 0;
        coord->layer += at_most((uint32_t)layer, setup->layers - 1);
    }
}

static inline void
lane_coordinates(const struct sample_setup *setup, const struct texture_request *request,
                 uint32_t lane, struct lane_coord *coord)
{
    const float v[3] = {request->coord[0][lane], request->coord[1][lane], request->coord[2][lane]};
    *coord = (struct lane_coord){v[0], v[1], v[2], setup->first_layer};
    if (setup->cube || setup->layer_coord >= 0)
        choose_layer(setup, v, coord);
}

/* Returns log2(sqrt(x)), linear between the powers of two of x. The result is always finite. */
static float
half_log2(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    int32_t exponent = (int32_t)(bits >> 23 & 255) - 128;
    bits = (bits & 0x7fffff) | 0x3f800000;
    float mantissa;
    memcpy(&mantissa, &bits, 4);
    return 0.5f * ((float)exponent + mantissa);
}

struct footprint {
    float rho_squared; /* squared length of the longer axis after its division by the probes */
    uint32_t probes;
    float axis_s, axis_t;
};

static void
set_anisotropy(struct footprint *print, float x2, float y2, const struct derivatives *d,
               uint32_t most)
{
    float longer = x2 > y2 ? x2 : y2, shorter = x2 > y2 ? y2 : x2;
    shorter = shorter > 1 ? shorter : 1;
    if (!(longer > shorter && longer < 0x1p60f))
        return;
    float ratio = floorf(sqrtf(longer / shorter) * 16.0f) / 16.0f;
    print->probes = ratio < (float)most ? (uint32_t)ratio : most;
    print->probes += print->probes < most && (float)print->probes < ratio;
    print->rho_squared = longer / ((float)print->probes * (float)print->probes);
    print->axis_s = x2 > y2 ? d->dx[0] : d->dy[0];
    print->axis_t = x2 > y2 ? d->dx[1] : d->dy[1];
}

static struct footprint
measure_footprint(const struct sample_setup *setup, const struct derivatives *d, bool explicit)
{
    const struct resource_level *level = &setup->res->levels[setup->first_level];
    float size[3] = {(float)level->width, (float)level->height, (float)level->slices};
    float x2 = 0, y2 = 0;
    for (uint32_t c = 0; c < setup->dims; c++) {
        float scale = setup->rect ? 1.0f : size[c];
        float x = d->dx[c] * scale, y = d->dy[c] * scale;
        x2 += x * x;
        y2 += y * y;
    }
    struct footprint print = {.rho_squared = x2 > y2 ? x2 : y2, .probes = 1};
    if (explicit && !(print.rho_squared < 0x1p127f))
        print.rho_squared = 0;
    uint32_t most = setup->bound->sampler.max_anisotropy;
    if (most > 1 && setup->dims <= 2 && !setup->cube) {
        struct derivatives axes = *d;
        if (setup->dims == 1)
            axes.dx[1] = axes.dy[1] = 0;
        set_anisotropy(&print, x2, y2, &axes, most < 16 ? most : 16);
    }
    return print;
}

/* Clamps the LOD, and selects levels and filter. */
static void
choose_levels(const struct sample_setup *setup, const struct footprint *print, float lod,
              struct lane_lod *out)
{
    const struct sampler_state *sampler = &setup->bound->sampler;
    lod = lod < sampler->max_lod ? lod : sampler->max_lod;
    lod = lod > sampler->min_lod ? lod : sampler->min_lod;
    bool minified = lod > 0 || print->probes > 1;
    int32_t base = (int32_t)setup->first_level, last = (int32_t)setup->last_level, level = base;
    out->linear = (minified ? sampler->min_filter : sampler->mag_filter) == FILTER_LINEAR;
    out->levels = 1;
    out->fraction = 0;
    out->probes = print->probes;
    out->axis_s = print->axis_s;
    out->axis_t = print->axis_t;
    if (minified && sampler->mip_filter == MIP_NEAREST)
        level = base + floor_int(round_even(lod));
    if (minified && sampler->mip_filter == MIP_LINEAR)
        level = base + floor_fract(lod, &out->fraction);
    if (level < base || level >= last)
        out->fraction = 0;
    level = level < base ? base : level;
    level = level > last ? last : level;
    out->level[0] = (uint32_t)level;
    if (out->fraction > 0) {
        out->level[1] = (uint32_t)level + 1;
        out->levels = 2;
    }
}

static struct footprint
lane_footprint(const struct sample_setup *setup, const struct texture_request *request,
               uint32_t lane0, uint32_t lane)
{
    struct derivatives d;
    if (setup->cube) {
        float v[3] = {request->coord[0][lane0 + lane], request->coord[1][lane0 + lane],
                      request->coord[2][lane0 + lane]};
        struct face face = choose_face(v);
        cube_direction_derivatives(request, lane0, lane, &d);
        face_derivatives(&face, v, &d);
    } else {
        request_derivatives(request, lane0, lane, setup->dims, &d);
    }
    return measure_footprint(setup, &d, request->opcode == OP_TXD);
}

static bool
is_explicit(uint32_t opcode)
{
    return opcode == OP_TXL || opcode == OP_TXL2 || opcode == OP_TEX_LZ;
}

bool
sample_quad(const struct sample_setup *setup, const struct texture_request *request, uint32_t quad,
            struct lane_coord coords[4], struct lane_lod lods[4])
{
    const struct sampler_state *sampler = &setup->bound->sampler;
    uint32_t lane0 = quad * 4;
    bool needs_lod = sampler->min_filter != sampler->mag_filter || sampler->mip_filter != MIP_NONE;
    bool given = is_explicit(request->opcode);
    bool biased = request->opcode == OP_TXB || request->opcode == OP_TXB2;
    needs_lod = needs_lod || (sampler->max_anisotropy > 1 && !given);
    /* The lanes of a quad share one footprint, except with explicit derivatives or on cube
     * faces. */
    bool per_lane = request->opcode == OP_TXD || (setup->cube && sampler->mip_filter != MIP_NONE);
    struct footprint print = {.probes = 1};
    if (needs_lod && !given)
        print = lane_footprint(setup, request, lane0, 0);
    float quad_lod = half_log2(print.rho_squared);
    for (uint32_t lane = 0; lane < 4; lane++) {
        lane_coordinates(setup, request, lane0 + lane, &coords[lane]);
        float lod = needs_lod ? quad_lod : 0;
        if (needs_lod && per_lane && !given && lane > 0) {
            print = lane_footprint(setup, request, lane0, lane);
            lod = half_log2(print.rho_squared);
        }
        if (given)
            lod = request->opcode == OP_TEX_LZ ? 0 : request->coord[4][lane0 + lane];
        if (biased)
            lod += request->coord[4][lane0 + lane];
        choose_levels(setup, &print, needs_lod ? lod + sampler->lod_bias : 0, &lods[lane]);
        if (!needs_lod) {
            lods[lane].linear = sampler->min_filter == FILTER_LINEAR;
            lods[lane].level[0] = setup->first_level;
        }
        if (!biased && !given && !per_lane && lane == 0) {
            for (uint32_t other = 1; other < 4; other++) {
                lods[other] = lods[0];
                lane_coordinates(setup, request, lane0 + other, &coords[other]);
            }
            return true;
        }
    }
    return false;
}

uint32_t
sample_missing_level(const struct sample_setup *setup, const struct texture_request *request,
                     uint32_t quad)
{
    if (is_explicit(request->opcode) || request->opcode == OP_TXF)
        return 0;
    const float lod = half_log2(lane_footprint(setup, request, quad * 4, 0).rho_squared);
    return lod >= 1 ? at_most((uint32_t)lod, RESOURCE_MAX_LEVELS) : 0;
}

void
sample_size(const struct bound_view *bound, uint32_t level, int32_t size[4])
{
    struct sample_setup setup;
    memset(size, 0, 4 * sizeof *size);
    if (bound->res && bound->res->desc.target == TARGET_BUFFER) {
        size[0] = (int32_t)view_elements(&bound->view);
        return;
    }
    if (!sample_setup_init(&setup, bound, TEX_2D))
        return;
    const struct resource_level *l =
        &setup.res->levels[at_most(setup.first_level + at_most(level, 15), setup.last_level)];
    bool layered = bound->view.target == TARGET_1D_ARRAY || bound->view.target == TARGET_2D_ARRAY;
    size[0] = (int32_t)l->width;
    size[1] = bound->view.target == TARGET_1D_ARRAY ? (int32_t)setup.layers : (int32_t)l->height;
    size[2] = layered                               ? (int32_t)setup.layers
              : setup.res->desc.target == TARGET_3D ? (int32_t)l->slices
                                                    : 1;
    size[3] = (int32_t)(setup.last_level - setup.first_level + 1);
}
