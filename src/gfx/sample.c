/* sample_plan(): finds the texels that the lanes of a quad need, pass by pass. Pass k holds the
 * k-th sub-sample of each lane: one bilinear or nearest sample of one level, slice and probe. Lanes
 * with fewer sub-samples take no part in the last passes. */
#include "gfx/sample_setup.h"

#include <string.h>

/* Neighbors across the edges of cube faces (0..5: +x, -x, +y, -y, +z, -z), for the edges s low, s
 * high, t low and t high. Each entry has the adjacent face and the sources of the two coordinates.
 * A source is 0, the largest index, the coordinate along the edge, or that coordinate reversed. */
enum { ZERO, MAX, SAME, FLIP };
struct cube_edge {
    uint8_t face, x, y;
};
static const struct cube_edge cube_edges[6][4] = {
    {{4, MAX, SAME}, {5, ZERO, SAME}, {2, MAX, FLIP}, {3, MAX, SAME}},
    {{5, MAX, SAME}, {4, ZERO, SAME}, {2, ZERO, SAME}, {3, ZERO, FLIP}},
    {{1, SAME, ZERO}, {0, FLIP, ZERO}, {5, FLIP, ZERO}, {4, SAME, ZERO}},
    {{1, FLIP, MAX}, {0, SAME, MAX}, {4, SAME, MAX}, {5, FLIP, MAX}},
    {{1, MAX, SAME}, {0, ZERO, SAME}, {2, SAME, MAX}, {3, SAME, ZERO}},
    {{0, MAX, SAME}, {1, ZERO, SAME}, {2, FLIP, ZERO}, {3, FLIP, MAX}},
};

static int32_t
edge_coordinate(uint32_t rule, int32_t along, int32_t max)
{
    switch (rule) {
    case ZERO: return 0;
    case MAX: return max;
    case SAME: return along;
    default: return max - along;
    }
}

/* Maps a texel one step outside a face to the adjacent face. Returns false at a corner, where three
 * faces meet. */
static bool
cross_edge(uint32_t *face, int32_t *x, int32_t *y, int32_t size)
{
    int32_t max = size - 1;
    bool out_x = *x < 0 || *x > max, out_y = *y < 0 || *y > max;
    if (out_x && out_y)
        return false;
    if (!out_x && !out_y)
        return true;
    uint32_t side = out_x ? (*x < 0 ? 0 : 1) : (*y < 0 ? 2 : 3);
    const struct cube_edge *edge = &cube_edges[*face][side];
    int32_t along = out_x ? *y : *x;
    *face = edge->face;
    *x = edge_coordinate(edge->x, along, max);
    *y = edge_coordinate(edge->y, along, max);
    return true;
}

/* Sets texel `i` of the lane. */
static void
set_texel(const struct sample_texture *texture, uint32_t level, int32_t x, int32_t y, uint32_t z,
          struct sample_pass *pass, uint32_t lane, uint32_t i)
{
    const struct sample_level *l = &texture->levels[level];
    if ((uint32_t)x >= (uint32_t)l->width || (uint32_t)y >= (uint32_t)l->height ||
        z >= texture->setup.res->levels[level].slices)
        return;
    pass->texels |= (uint16_t)(1 << (4 * i + lane));
    pass->texels_at[i][lane] = texel_address(texture, level, (uint32_t)x, (uint32_t)y, z);
}

static void
plan_linear(const struct sample_texture *texture, uint32_t level, const struct lane_coord *coord,
            uint32_t z, struct sample_pass *pass, uint32_t lane)
{
    const struct sample_setup *setup = &texture->setup;
    const struct sample_level *l = &texture->levels[level];
    struct wrapped s =
        wrap_linear(setup->wrap[0], coord->s, l->width, setup->power_of_two[0], !setup->rect);
    struct wrapped t = {0, 0, 0};
    if (setup->dims > 1)
        t = wrap_linear(setup->wrap[1], coord->t, l->height, setup->power_of_two[1], !setup->rect);
    pass->fx[lane] = s.f;
    pass->fy[lane] = t.f;
    set_texel(texture, level, s.i0, t.i0, z, pass, lane, 0);
    set_texel(texture, level, s.i1, t.i0, z, pass, lane, 1);
    if (setup->dims == 1)
        return;
    set_texel(texture, level, s.i0, t.i1, z, pass, lane, 2);
    set_texel(texture, level, s.i1, t.i1, z, pass, lane, 3);
}

static void
plan_seamless(const struct sample_texture *texture, uint32_t level, const struct lane_coord *coord,
              struct sample_pass *pass, uint32_t lane)
{
    const struct sample_setup *setup = &texture->setup;
    int32_t size = texture->levels[level].width;
    float s = coord->s > 0 ? coord->s : 0, t = coord->t > 0 ? coord->t : 0;
    s = s < 1 ? s : 1;
    t = t < 1 ? t : 1;
    int32_t x0 = floor_fract(s * (float)size - 0.5f, &pass->fx[lane]);
    int32_t y0 = floor_fract(t * (float)size - 0.5f, &pass->fy[lane]);
    for (uint32_t i = 0; i < 4; i++) {
        int32_t x = x0 + (int32_t)(i & 1), y = y0 + (int32_t)(i >> 1);
        uint32_t face = coord->layer - setup->first_layer;
        if (face < 6 && cross_edge(&face, &x, &y, size))
            set_texel(texture, level, x, y, setup->first_layer + face, pass, lane, i);
        else
            pass->corners |= (uint16_t)(1 << (4 * i + lane));
    }
}

static void
plan_nearest(const struct sample_texture *texture, uint32_t level, const struct lane_coord *coord,
             uint32_t z, struct sample_pass *pass, uint32_t lane)
{
    const struct sample_setup *setup = &texture->setup;
    const struct sample_level *l = &texture->levels[level];
    int32_t x =
        wrap_nearest(setup->wrap[0], coord->s, l->width, setup->power_of_two[0], !setup->rect);
    int32_t y = 0;
    if (setup->dims > 1)
        y = wrap_nearest(setup->wrap[1], coord->t, l->height, setup->power_of_two[1], !setup->rect);
    set_texel(texture, level, x, y, z, pass, lane, 0);
}

/* Position of one lane in the plan. The first lane that reaches a pass creates it. */
struct lane_plan {
    struct sample_plan *plan;
    uint32_t lane, next;
    float total; /* sum of the weights so far */
};

static struct sample_pass *
next_pass(struct lane_plan *at, bool linear, float weight)
{
    struct sample_plan *plan = at->plan;
    struct sample_pass *pass = &plan->passes[at->next];
    if (at->next == plan->pass_count) {
        plan->pass_count++;
        memset(pass, 0, sizeof *pass);
    }
    pass->lanes |= (uint8_t)(1 << at->lane);
    pass->linear |= (uint8_t)(linear << at->lane);
    at->total += weight;
    pass->weight[at->lane] = at->next == 0 ? 1.0f : weight / at->total;
    at->next++;
    return pass;
}

/* Applies the offset, in texels of the level, before wrapping. */
static struct lane_coord
move_by_texels(const struct sample_texture *texture, const int8_t offset[3], uint32_t level,
               const struct lane_coord *coord)
{
    const struct sample_level *l = &texture->levels[level];
    const bool rect = texture->setup.rect;
    struct lane_coord moved = *coord;
    moved.s += (float)offset[0] / (rect ? 1.0f : (float)l->width);
    moved.t += (float)offset[1] / (rect ? 1.0f : (float)l->height);
    moved.r += (float)offset[2] / (float)texture->setup.res->levels[level].slices;
    return moved;
}

static bool
has_offset(const struct sample_plan *plan)
{
    return plan->offset[0] || plan->offset[1] || plan->offset[2];
}

/* Plans one level of one probe: one pass, or two passes for linear 3D filtering. */
static void
plan_level(const struct sample_texture *texture, struct lane_plan *at, uint32_t level, bool linear,
           const struct lane_coord *coord, float weight)
{
    const struct sample_setup *setup = &texture->setup;
    const struct resource_level *l = &setup->res->levels[level];
    struct lane_coord moved;
    if (has_offset(at->plan)) {
        moved = move_by_texels(texture, at->plan->offset, level, coord);
        coord = &moved;
    }
    if (setup->dims == 3 && linear) {
        struct wrapped r =
            wrap_linear(setup->wrap[2], coord->r, (int32_t)l->slices, setup->power_of_two[2], true);
        plan_linear(texture, level, coord, (uint32_t)r.i0, next_pass(at, true, weight * (1 - r.f)),
                    at->lane);
        if (r.f > 0)
            plan_linear(texture, level, coord, (uint32_t)r.i1, next_pass(at, true, weight * r.f),
                        at->lane);
        return;
    }
    uint32_t z = coord->layer;
    if (setup->dims == 3)
        z = (uint32_t)wrap_nearest(setup->wrap[2], coord->r, (int32_t)l->slices,
                                   setup->power_of_two[2], true);
    struct sample_pass *pass = next_pass(at, linear, weight);
    if (!linear)
        plan_nearest(texture, level, coord, z, pass, at->lane);
    else if (setup->seamless)
        plan_seamless(texture, level, coord, pass, at->lane);
    else
        plan_linear(texture, level, coord, z, pass, at->lane);
}

static void
plan_lane(const struct sample_texture *texture, struct lane_plan *at, const struct lane_lod *lod,
          const struct lane_coord *center)
{
    for (uint32_t i = 1; i <= lod->probes; i++) {
        struct lane_coord coord = *center;
        if (lod->probes > 1) {
            float step = (float)i / (float)(lod->probes + 1) - 0.5f;
            coord.s += lod->axis_s * step;
            coord.t += lod->axis_t * step;
        }
        if (lod->levels == 1) {
            plan_level(texture, at, lod->level[0], lod->linear, &coord, 1);
            continue;
        }
        plan_level(texture, at, lod->level[0], lod->linear, &coord, 1 - lod->fraction);
        plan_level(texture, at, lod->level[1], lod->linear, &coord, lod->fraction);
    }
}

static int32_t
clamp_index(int64_t index, uint32_t count)
{
    return index < 0 ? 0 : index < count ? (int32_t)index : (int32_t)count - 1;
}

/* Plans a texel fetch, whose integer coordinates select a texel and a level. GLSL leaves
 * coordinates outside the texture undefined; they read the nearest texel here. */
static void
plan_fetch(struct lane_plan *at, const struct texture_request *request, uint32_t lane)
{
    const struct sample_texture *texture = at->plan->texture;
    const struct sample_setup *setup = &texture->setup;
    int32_t v[3], level;
    for (uint32_t c = 0; c < 3; c++)
        memcpy(&v[c], &request->coord[c][lane], sizeof v[c]);
    memcpy(&level, &request->coord[4][lane], sizeof level);
    const uint32_t levels = setup->multisample ? 1 : setup->last_level - setup->first_level + 1;
    const uint32_t at_level = setup->first_level + (uint32_t)clamp_index(level, levels);
    const struct sample_level *l = &texture->levels[at_level];
    uint32_t z = setup->first_layer;
    if (setup->layer_coord >= 0)
        z += (uint32_t)clamp_index(v[setup->layer_coord], setup->layers);
    if (setup->dims == 3)
        z = (uint32_t)clamp_index((int64_t)v[2] + request->offset[2],
                                  setup->res->levels[at_level].slices);
    const int32_t x = clamp_index((int64_t)v[0] + request->offset[0], (uint32_t)l->width);
    int32_t y = 0;
    if (setup->dims > 1)
        y = clamp_index((int64_t)v[1] + request->offset[1], (uint32_t)l->height);
    struct sample_pass *pass = next_pass(at, false, 1);
    set_texel(texture, at_level, x, y, z, pass, at->lane, 0);
    if (setup->multisample)
        pass->texels_at[0][at->lane] +=
            (uint32_t)clamp_index(level, setup->res->samples) * setup->res->format->block_bytes;
}

static void
plan_fetches(struct sample_plan *plan, const struct texture_request *request, uint32_t quad)
{
    plan->probes = plan->levels = 1;
    for (uint32_t lane = 0; lane < 4; lane++) {
        struct lane_plan at = {.plan = plan, .lane = lane};
        if (plan->mask >> lane & 1)
            plan_fetch(&at, request, quad * 4 + lane);
    }
}

static float
clamped_reference(const struct bound_view *bound, float reference)
{
    if (bound->format->is_float)
        return reference;
    reference = reference > 0 ? reference : 0;
    return reference < 1 ? reference : 1;
}

void
sample_plan(struct sample_plan *plan, const struct sample_texture *texture,
            const struct texture_request *request, uint32_t quad)
{
    plan->texture = texture;
    plan->mask = (uint8_t)(request->mask >> (4 * quad) & 15);
    plan->pass_count = plan->probes = plan->levels = 0;
    if (!texture->usable || !plan->mask)
        return;
    memcpy(plan->offset, request->offset, sizeof plan->offset);
    if (request->opcode == OP_TXF) {
        plan_fetches(plan, request, quad);
        return;
    }
    struct lane_coord coords[4];
    struct lane_lod lods[4];
    bool same_lod = sample_quad(&texture->setup, request, quad, coords, lods);
    for (uint32_t lane = 0; lane < 4 && texture->setup.shadow; lane++)
        plan->reference[lane] =
            clamped_reference(texture->setup.bound, request->coord[3][quad * 4 + lane]);
    plan->probes = lods[0].probes;
    plan->levels = lods[0].levels;
    if (same_lod && texture->plans_fast && !has_offset(plan) &&
        sample_plan_fast(plan, coords, &lods[0]))
        return;
    plan->pass_count = 0;
    for (uint32_t lane = 0; lane < 4; lane++) {
        if (!(plan->mask & 1 << lane))
            continue;
        struct lane_plan at = {.plan = plan, .lane = lane};
        plan_lane(texture, &at, &lods[lane], &coords[lane]);
    }
}
