/* Finds clears that the program does not need, because the draws after them use parts of the
 * framebuffer that still hold the value of an earlier clear (struct noted_clears). */
#include "sim/machine_internal.h"

#include <math.h>
#include <string.h>

enum { PARTS = sizeof((struct used_parts *)NULL)->items / sizeof(struct scissor_state) };

void
machine_forget_clears(struct machine *m)
{
    m->noted_clears.has_needed = m->noted_clears.has_last = false;
}

/* Only filled triangles end at the edges of the viewport. */
static bool
ends_at_viewport(const struct draw *draw)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    const uint32_t mode = draw->params.mode;
    return !draw->program[STAGE_GEOMETRY] && mode >= PRIM_TRIANGLES && mode <= PRIM_POLYGON &&
           r->fill_front == FILL_FILL && r->fill_back == FILL_FILL && !r->poly_smooth;
}

/* A bound of the viewport in pixels. Side: -1 or 1. */
static uint16_t
edge(const struct draw *draw, uint32_t axis, float side)
{
    const float at = draw->viewport.translate[axis] + side * fabsf(draw->viewport.scale[axis]);
    return (uint16_t)fminf(fmaxf(side < 0 ? floorf(at) : ceilf(at), 0), UINT16_MAX);
}

static struct scissor_state
part_of(const struct draw *draw)
{
    struct scissor_state part = draw->bounds;
    if (!ends_at_viewport(draw))
        return part;
    const struct scissor_state port = {.min_x = edge(draw, 0, -1),
                                       .min_y = edge(draw, 1, -1),
                                       .max_x = edge(draw, 0, 1),
                                       .max_y = edge(draw, 1, 1)};
    part.min_x = port.min_x > part.min_x ? port.min_x : part.min_x;
    part.min_y = port.min_y > part.min_y ? port.min_y : part.min_y;
    part.max_x = port.max_x < part.max_x ? port.max_x : part.max_x;
    part.max_y = port.max_y < part.max_y ? port.max_y : part.max_y;
    return part;
}

static void
add_part(struct used_parts *parts, const struct scissor_state *part)
{
    if (parts->count < PARTS)
        parts->items[parts->count] = *part;
    parts->count += parts->count <= PARTS;
}

static bool
are_apart(const struct used_parts *before, const struct used_parts *since)
{
    if (before->count > PARTS || since->count > PARTS)
        return false;
    for (uint32_t i = 0; i < before->count; i++)
        for (uint32_t j = 0; j < since->count; j++) {
            const struct scissor_state *a = &before->items[i], *b = &since->items[j];
            if (a->min_x < b->max_x && b->min_x < a->max_x && a->min_y < b->max_y &&
                b->min_y < a->max_y)
                return false;
        }
    return true;
}

void
machine_note_part(struct machine *m, const struct draw *draw)
{
    const struct scissor_state part = part_of(draw);
    if (m->noted_clears.has_needed)
        add_part(&m->noted_clears.since, &part);
}

/* Whether the first clear stores the values of the second in all of its buffers. */
static bool
stores_values_of(const struct gpu_cmd *first, const struct gpu_cmd *second)
{
    const uint32_t buffers = second->clear.buffers;
    const bool color = buffers & ~(uint32_t)(MASK_DEPTH | MASK_STENCIL);
    return !(buffers & ~first->clear.buffers) &&
           (!color || !memcmp(first->clear.rgba, second->clear.rgba, sizeof first->clear.rgba)) &&
           (!(buffers & MASK_DEPTH) || first->clear.depth == second->clear.depth) &&
           (!(buffers & MASK_STENCIL) || first->clear.stencil == second->clear.stencil);
}

static bool
last_is_unneeded(const struct noted_clears *noted, const struct gpu_cmd *next)
{
    return noted->since.count > 0 && !(noted->last.clear.buffers & ~next->clear.buffers) &&
           stores_values_of(&noted->needed, &noted->last) &&
           are_apart(&noted->before, &noted->since);
}

bool
machine_note_clear(struct machine *m, const struct gpu_cmd *cmd)
{
    struct noted_clears *noted = &m->noted_clears;
    const bool unneeded = noted->has_last && last_is_unneeded(noted, cmd);
    if (!noted->has_needed) {
        noted->needed = *cmd;
        noted->has_needed = true;
        noted->since.count = 0;
        return false;
    }
    if (noted->has_last && !unneeded) {
        noted->needed = noted->last;
        noted->before.count = 0;
    }
    if (!noted->has_last)
        noted->before.count = 0;
    if (noted->since.count > PARTS)
        noted->before.count = noted->since.count;
    for (uint32_t i = 0; i < noted->since.count && i < PARTS; i++)
        add_part(&noted->before, &noted->since.items[i]);
    noted->since.count = 0;
    noted->last = *cmd;
    noted->has_last = true;
    return unneeded;
}
