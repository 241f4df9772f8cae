/* Changes that a program could make to its draws without changing the picture: draws that one draw
 * could render, and draws whose triangles could have another order. */
#include "state/draw.h"

#include <string.h>

#define SAME(a, b, member) (!memcmp(&(a)->member, &(b)->member, sizeof(a)->member))

/* Only lists of primitives can be joined. Joining changes the numbers of vertices, primitives and
 * instances, so no program may read them. */
static bool
can_be_joined(const struct draw *draw)
{
    const struct draw_params *p = &draw->params;
    const bool is_list =
        p->mode == PRIM_POINTS || p->mode == PRIM_LINES || p->mode == PRIM_TRIANGLES;
    bool ok = is_list && p->instance_count == 1 && !p->start_instance && !p->primitive_restart &&
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
same_constants(const struct draw *a, const struct draw *b)
{
    for (uint32_t s = 0; s < STAGE_COUNT; s++) {
        const uint32_t count = b->program[s] ? b->program[s]->constant_buffers[0].count : 0;
        if (count && memcmp(a->constants[s], b->constants[s], count * sizeof *a->constants[s]) != 0)
            return false;
        if (draw_has_blocks(b, s) && memcmp(&a->uniforms[s][1], &b->uniforms[s][1],
                                            sizeof a->uniforms[s] - sizeof a->uniforms[s][0]) != 0)
            return false;
    }
    return true;
}

/* The attributes may come from different places of memory. */
static bool
same_attributes(const struct draw *a, const struct draw *b)
{
    bool same = a->attribute_count == b->attribute_count;
    for (uint32_t i = 0; i < a->attribute_count && same; i++) {
        const struct bound_attribute *x = &a->attributes[i], *y = &b->attributes[i];
        same = x->format == y->format && x->stride == y->stride && x->divisor == y->divisor &&
               x->buffer == y->buffer && x->offset == y->offset;
    }
    return same;
}

bool
draw_merges(const struct draw *last, const struct draw *draw)
{
    return last->client == draw->client && last->params.mode == draw->params.mode &&
           SAME(last, draw, program) && can_be_joined(last) && can_be_joined(draw) &&
           last->inner_edges == draw->inner_edges && last->query == draw->query &&
           same_targets(last, draw) && same_attributes(last, draw) &&
           SAME(last, draw, rasterizer) && SAME(last, draw, viewport) && SAME(last, draw, dsa) &&
           SAME(last, draw, blend) && SAME(last, draw, blend_color) &&
           SAME(last, draw, stencil_ref) && SAME(last, draw, clip_planes) &&
           SAME(last, draw, stipple) && SAME(last, draw, bounds) &&
           last->sample_mask == draw->sample_mask && SAME(last, draw, views) &&
           same_constants(last, draw);
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
