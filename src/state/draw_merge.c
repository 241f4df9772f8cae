/* Changes that a program could make to its draws without changing the picture: draws that one draw
 * could render, and draws whose triangles could have another order. */
#include "state/draw_run.h"

#include <string.h>

#define SAME(a, b, member) (!memcmp(&(a)->member, &(b)->member, sizeof(a)->member))

static bool
fills(const struct draw *draw)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    return r->fill_front == FILL_FILL && r->fill_back == FILL_FILL && !r->poly_smooth;
}

/* Edges matter only to triangles that are not filled. A line stipple continues along a strip. */
enum primitive
draw_list_mode(const struct draw *draw)
{
    switch ((enum primitive)draw->params.mode) {
    case PRIM_POINTS:
    case PRIM_LINES:
    case PRIM_TRIANGLES: return draw->params.mode;
    case PRIM_LINE_LOOP:
    case PRIM_LINE_STRIP: return draw->rasterizer.line_stipple ? PRIM_COUNT : PRIM_LINES;
    case PRIM_TRIANGLE_STRIP:
    case PRIM_TRIANGLE_FAN:
    case PRIM_QUADS:
    case PRIM_QUAD_STRIP:
    case PRIM_POLYGON: return fills(draw) ? PRIM_TRIANGLES : PRIM_COUNT;
    default: return PRIM_COUNT;
    }
}

/* Merging changes vertex, primitive and instance IDs, so no program may read them. */
static bool
can_be_joined(const struct draw *draw)
{
    const struct draw_params *p = &draw->params;
    bool ok = draw_list_mode(draw) != PRIM_COUNT && p->instance_count == 1 && !p->start_instance &&
              !p->count_from_so && !draw->streams_out && !draw->program[STAGE_GEOMETRY] &&
              !draw->program[STAGE_VERTEX]->system_count;
    for (uint32_t i = 0; i < draw->varying_count; i++)
        ok &= draw->varyings[i].source != VARYING_PRIMITIVE_ID;
    for (uint32_t i = 0; i < draw->attribute_count; i++) {
        const struct bound_attribute *a = &draw->attributes[i];
        ok &= !a->format || (!a->divisor && a->address && a->address < a->end);
    }
    return ok;
}

static bool
same_surface(const struct bound_surface *a, const struct bound_surface *b)
{
    return a->res == b->res && a->format == b->format && a->level == b->level &&
           a->layer == b->layer && a->layers == b->layers;
}

static bool
same_targets(const struct draw *a, const struct draw *b)
{
    bool same = a->color_count == b->color_count && same_surface(&a->depth, &b->depth);
    for (uint32_t i = 0; i < a->color_count && same; i++)
        same = same_surface(&a->color[i], &b->color[i]);
    return same;
}

/* The machine fills the constants of uniform blocks later, so their buffers are compared. */
static bool
same_blocks(const struct draw *a, const struct draw *b)
{
    for (uint32_t s = 0; s < STAGE_COUNT; s++)
        if (draw_has_blocks(b, s) && memcmp(&a->uniforms[s][1], &b->uniforms[s][1],
                                            sizeof a->uniforms[s] - sizeof a->uniforms[s][0]) != 0)
            return false;
    return true;
}

/* Whether the channels that the program reads are equal. */
static bool
same_constant(const struct draw *a, const struct draw *b, uint32_t stage, uint32_t constant)
{
    const struct program *program = b->program[stage];
    for (uint32_t c = 0; c < 4; c++)
        if ((program->indirect_constants || program->constant_channels[constant] >> c & 1) &&
            memcmp(&a->constants[stage][constant][c], &b->constants[stage][constant][c],
                   sizeof(float)) != 0)
            return false;
    return true;
}

/* Adds the constants in which the draw differs from the first one of the run. */
static void
add_differing(const struct draw_run *run, const struct draw *draw, uint32_t stage,
              struct constant_set *set)
{
    const uint32_t count = draw->program[stage]->constant_buffers[0].count;
    if (!count || !memcmp(run->first->constants[stage], draw->constants[stage],
                          count * sizeof *draw->constants[stage]))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (constant_set_has(set, i) || same_constant(run->first, draw, stage, i))
            continue;
        set->bits[i / 64] |= 1ull << i % 64;
        set->count++;
    }
}

/* Whether a table can supply the constants that differ. */
static enum draw_join
check_table(const struct draw *draw, uint32_t draws, const struct constant_set *vertex,
            const struct constant_set *fragment)
{
    const struct program *vs = draw->program[STAGE_VERTEX], *fs = draw->program[STAGE_FRAGMENT];
    const uint64_t row = vertex->count + fragment->count;
    if (!row)
        return DRAW_JOINS;
    if ((vertex->count && vs->indirect_constants) || (fragment->count && fs->indirect_constants))
        return DRAW_ADDRESSED;
    if (draw->attribute_count == MAX_ATTRIBUTES || vs->address_count == MAX_ADDRESSES)
        return DRAW_ATTRIBUTES;
    if (fragment->count && (vs->output_count + fragment->count > MAX_VARYINGS ||
                            fs->input_count + fragment->count > MAX_VARYINGS))
        return DRAW_VARYINGS;
    return vs->constant_buffers[0].count + draws * row > OFFERED_CONSTANTS ? DRAW_LONG_TABLE
                                                                           : DRAW_JOINS;
}

/* The attributes may come from different places of memory. */
static bool
same_attributes(const struct draw *a, const struct draw *b)
{
    bool same = a->attribute_count == b->attribute_count;
    for (uint32_t i = 0; i < a->attribute_count && same; i++)
        same = a->attributes[i].format == b->attributes[i].format;
    return same;
}

/* Edges inside polygons matter only if they are drawn. Those of a polygon depend on the place of
 * a triangle in the draw. */
static bool
same_edges(const struct draw *a, const struct draw *b)
{
    return fills(b) || (a->inner_edges == b->inner_edges && a->inner_edges != INNER_POLYGON);
}

static bool
same_state(const struct draw *a, const struct draw *b)
{
    return a->client == b->client && SAME(a, b, program) && can_be_joined(a) && can_be_joined(b) &&
           SAME(a, b, rasterizer) && draw_list_mode(a) == draw_list_mode(b) && same_edges(a, b) &&
           a->query == b->query && same_targets(a, b) && same_attributes(a, b) &&
           SAME(a, b, viewport) && SAME(a, b, dsa) && SAME(a, b, blend) &&
           SAME(a, b, blend_color) && SAME(a, b, stencil_ref) && SAME(a, b, clip_planes) &&
           SAME(a, b, stipple) && SAME(a, b, bounds) && a->sample_mask == b->sample_mask &&
           SAME(a, b, views) && same_blocks(a, b);
}

/* Number of vertices of a primitive. */
static uint32_t
corners_of(enum primitive mode)
{
    return mode == PRIM_POINTS ? 1 : mode <= PRIM_LINE_STRIP ? 2 : 3;
}

/* Number of points, lines or triangles. */
static uint64_t
primitives_of(enum primitive mode, uint32_t count)
{
    switch (mode) {
    case PRIM_LINES: return count / 2;
    case PRIM_LINE_STRIP: return count > 1 ? count - 1 : 0;
    case PRIM_TRIANGLES: return count / 3;
    case PRIM_TRIANGLE_STRIP:
    case PRIM_TRIANGLE_FAN:
    case PRIM_POLYGON: return count > 2 ? count - 2 : 0;
    case PRIM_QUADS: return count / 4 * 2;
    case PRIM_QUAD_STRIP: return count > 3 ? count / 2 * 2 - 2 : 0;
    default: return count;
    }
}

/* Whether the primitives of a draw of this kind depend on where the draw begins. */
static bool
is_connected(enum primitive mode, uint32_t count)
{
    switch (mode) {
    case PRIM_POINTS: return false;
    case PRIM_LINES: return count % 2;
    case PRIM_TRIANGLES: return count % 3;
    case PRIM_QUADS: return count % 4;
    default: return true;
    }
}

bool
draw_needs_restart(const struct draw *draw)
{
    return draw->params.primitive_restart || is_connected(draw->params.mode, draw->params.count);
}

void
draw_form_add(uint64_t indices[FORM_COUNT], enum primitive first, enum primitive mode,
              uint32_t count)
{
    const uint64_t primitives = primitives_of(mode, count), corners = corners_of(mode);
    const bool strip = mode == PRIM_TRIANGLE_STRIP || mode == PRIM_LINE_STRIP;
    indices[FORM_LIST] += primitives * corners;
    indices[FORM_STRIP] += strip ? count + 1 : primitives * (corners + 1);
    if (mode != first)
        indices[FORM_SAME] = UINT64_MAX;
    if (indices[FORM_SAME] != UINT64_MAX)
        indices[FORM_SAME] += count + is_connected(mode, count);
}

enum draw_form
draw_form_best(const uint64_t indices[FORM_COUNT])
{
    enum draw_form best = FORM_LIST;
    for (enum draw_form form = FORM_SAME; form < FORM_COUNT; form++)
        if (indices[form] < indices[best])
            best = form;
    return best;
}

enum primitive
draw_run_mode(const struct draw_run *run, enum draw_form form)
{
    const enum primitive list = draw_list_mode(run->first);
    if (form == FORM_SAME)
        return run->first->params.mode;
    if (form == FORM_LIST || list == PRIM_POINTS)
        return list;
    return list == PRIM_LINES ? PRIM_LINE_STRIP : PRIM_TRIANGLE_STRIP;
}

static void
count_draw(struct draw_run *run, const struct draw *draw)
{
    draw_form_add(run->indices, run->first->params.mode, draw->params.mode, draw->params.count);
    run->last = draw;
    run->count++;
}

void
draw_run_begin(struct draw_run *run, const struct draw *draw)
{
    for (uint32_t stage = 0; stage <= STAGE_FRAGMENT; stage++) {
        const uint32_t constants = draw->program[stage]->constant_buffers[0].count;
        run->differing[stage].count = 0;
        memset(run->differing[stage].bits, 0, (constants + 63) / 64 * sizeof(uint64_t));
    }
    memset(run->indices, 0, sizeof run->indices);
    run->count = 0;
    run->first = draw;
    count_draw(run, draw);
}

enum draw_join
draw_run_add(struct draw_run *run, const struct draw *draw)
{
    if (!same_state(run->first, draw))
        return DRAW_OTHER_STATE;
    struct constant_set vertex = run->differing[STAGE_VERTEX];
    struct constant_set fragment = run->differing[STAGE_FRAGMENT];
    add_differing(run, draw, STAGE_VERTEX, &vertex);
    add_differing(run, draw, STAGE_FRAGMENT, &fragment);
    const enum draw_join join = check_table(draw, run->count + 1, &vertex, &fragment);
    if (join != DRAW_JOINS)
        return join;
    run->differing[STAGE_VERTEX] = vertex;
    run->differing[STAGE_FRAGMENT] = fragment;
    count_draw(run, draw);
    return DRAW_JOINS;
}

bool
draw_reorders(const struct draw *draw)
{
    const struct draw_params *p = &draw->params;
    bool ok = p->mode == PRIM_TRIANGLES && !p->primitive_restart && p->count >= 6 &&
              !draw->streams_out && !draw->program[STAGE_GEOMETRY] &&
              !draw->program[STAGE_VERTEX]->system_count && !draw->stencil_write &&
              draw->rasterizer.fill_front == FILL_FILL && draw->rasterizer.fill_back == FILL_FILL;
    for (uint32_t i = 0; i < draw->varying_count; i++)
        ok &= draw->varyings[i].source != VARYING_PRIMITIVE_ID;
    for (uint32_t i = 0; i < draw->color_count; i++)
        ok &= !draw->color[i].res || !draw_reads_color(draw, i);
    return ok;
}
