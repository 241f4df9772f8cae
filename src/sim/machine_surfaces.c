/* Tracks the bound surfaces and the surfaces with block states. Implements the order of flushes and
 * resolves in docs/design/machine.md, Order and hazards.
 *
 * A surface gets block states when a frame first binds it. When the surface is unbound, the ROPs
 * write back dirty lines and the surface keeps its states, which readers of memory use. A block
 * becomes raw when something other than the ROPs changes its bytes. All blocks of a surface become
 * raw when other surfaces need its states. */
#include "sim/machine_internal.h"

#include <string.h>

/* Unbinds all surfaces. Memory then holds their contents in the form that the block states give.
 * Textures may share that memory, so the texture caches are invalidated. */
bool
machine_leave_surfaces(struct machine *m, struct error *err)
{
    if (!m->color_count && !m->depth.res)
        return true;
    machine_add_control(m, CONTROL_FLUSH, STEP_ZSTENCIL | STEP_COLOR);
    machine_invalidate_textures(m);
    m->color_count = 0;
    m->depth.res = NULL;
    m->is_dirty = false;
    return machine_run_work(m, WORK_FLUSH, CMDPROC_SENT, err);
}

bool
machine_is_live(const struct machine *m, const struct resource *res)
{
    bool live = m->depth.res == res;
    for (uint32_t i = 0; i < m->color_count; i++)
        live |= m->color[i].res == res;
    return live;
}

static bool
same_place(const struct bound_surface *a, const struct bound_surface *b)
{
    return a->res == b->res && a->level == b->level && a->layer == b->layer;
}

static bool
same_surface(const struct bound_surface *a, const struct bound_surface *b)
{
    return a->res == b->res &&
           (!a->res || (same_place(a, b) && a->format == b->format && a->layers == b->layers));
}

static bool
same_surfaces(const struct machine *m, const struct bound_surface *color, uint32_t count,
              const struct bound_surface *depth)
{
    bool same = count == m->color_count && same_surface(depth, &m->depth);
    for (uint32_t i = 0; i < count && same; i++)
        same = same_surface(&color[i], &m->color[i]);
    return same;
}

struct blocks *
machine_blocks(struct machine *m, bool color)
{
    return color ? &m->color_blocks : &m->depth_blocks;
}

bool
machine_write_back(struct machine *m, const struct resource *res, struct error *err)
{
    if (!machine_is_live(m, res) || !m->is_dirty)
        return true;
    machine_add_control(m, CONTROL_FLUSH, STEP_ZSTENCIL | STEP_COLOR);
    m->is_dirty = false;
    return machine_run_work(m, WORK_FLUSH, CMDPROC_SENT, err);
}

bool
machine_resolve_surface(struct machine *m, bool color, const struct block_surface *surface,
                        const uint8_t *parts, struct error *err)
{
    struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
    step->targets = color ? STEP_COLOR : STEP_ZSTENCIL;
    step->control.kind = CONTROL_RESOLVE;
    step->control.surface = surface->bound;
    step->control.parts = parts;
    return machine_run_work(m, WORK_FLUSH, CMDPROC_SENT, err);
}

/* Makes all blocks of a surface raw and removes its states. If the surface is bound, the caller
 * must unbind it next. */
static bool
end_surface(struct machine *m, bool color, struct block_surface *surface, struct error *err)
{
    if (!machine_resolve_surface(m, color, surface, NULL, err))
        return false;
    blocks_remove(machine_blocks(m, color), surface);
    return true;
}

bool
machine_resolve_surfaces(struct machine *m, struct error *err)
{
    for (int color = 0; color < 2; color++) {
        struct blocks *blocks = machine_blocks(m, color);
        for (uint32_t s = blocks->surface_count; s-- > 0;)
            if (!end_surface(m, color, &blocks->surfaces[s], err))
                return false;
    }
    return machine_leave_surfaces(m, err);
}

void
machine_sync_surfaces(struct machine *m, const struct resource *res)
{
    for (int color = 0; color < 2; color++) {
        struct blocks *blocks = machine_blocks(m, color);
        for (uint32_t s = 0; s < blocks->surface_count; s++)
            if (blocks->surfaces[s].bound.res == res)
                blocks_sync(blocks, &blocks->surfaces[s], &m->device->memory);
    }
}

/* Lines in the ROP caches are clean, because the surface is not bound. */
bool
machine_discard_surfaces(struct machine *m, const struct resource *res, struct error *err)
{
    if (machine_is_live(m, res) && !machine_leave_surfaces(m, err))
        return false;
    for (int color = 0; color < 2; color++) {
        struct blocks *blocks = machine_blocks(m, color);
        for (uint32_t s = blocks->surface_count; s-- > 0;) {
            if (blocks->surfaces[s].bound.res != res)
                continue;
            for (uint32_t r = 0; r < m->rops; r++)
                rop_discard(color ? &m->colorwrite[r].rop : &m->zstencil[r].rop,
                            &blocks->surfaces[s]);
            blocks_remove(blocks, &blocks->surfaces[s]);
        }
    }
    return true;
}

uint32_t
machine_surfaces_of(struct machine *m, const struct resource *res)
{
    uint32_t count = 0;
    for (int color = 0; color < 2; color++)
        for (uint32_t s = 0; s < machine_blocks(m, color)->surface_count; s++)
            count += machine_blocks(m, color)->surfaces[s].bound.res == res;
    return count;
}

static bool
is_layer_of(const struct bound_surface *surface, const struct bound_surface *bound)
{
    return surface->res == bound->res && surface->level == bound->level &&
           surface->layer - bound->layer < bound->layers;
}

static bool
is_bound(const struct machine *m, const struct bound_surface *surface)
{
    bool bound = is_layer_of(surface, &m->depth);
    for (uint32_t i = 0; i < m->color_count; i++)
        bound |= is_layer_of(surface, &m->color[i]);
    return bound;
}

/* Least recently bound surface that is not bound now; NULL: all surfaces are bound. */
static struct block_surface *
oldest_unbound(const struct machine *m, struct blocks *blocks)
{
    struct block_surface *oldest = NULL;
    for (uint32_t s = 0; s < blocks->surface_count; s++) {
        struct block_surface *surface = &blocks->surfaces[s];
        if (!is_bound(m, &surface->bound) && (!oldest || surface->used < oldest->used))
            oldest = surface;
    }
    return oldest;
}

/* Frees block states for a surface by resolving the least recently bound surfaces. */
static bool
make_room(struct machine *m, const struct bound_surface *bound, bool color, struct error *err)
{
    struct blocks *blocks = machine_blocks(m, color);
    struct block_surface *victim;
    while (!blocks_have_room(blocks, bound) && (victim = oldest_unbound(m, blocks)))
        if (!end_surface(m, color, victim, err))
            return false;
    return true;
}

/* Assigns block states to a surface that is about to be used, and resolves other surfaces if there
 * is no room. Blocks start as cleared if the surface has not changed since its clear, else as
 * raw. */
bool
machine_begin_surface(struct machine *m, const struct bound_surface *bound, bool color,
                      struct error *err)
{
    struct blocks *blocks = machine_blocks(m, color);
    const struct resource *res = bound->res;
    struct block_surface *surface;
    if (!res)
        return true;
    if (!(surface = blocks_find(blocks, bound))) {
        if (!make_room(m, bound, color, err))
            return false;
        if (blocks->surface_count == BLOCKS_MAX_SURFACES)
            return fail(err, "this machine does not render to more than %u layers at once",
                        BLOCKS_MAX_SURFACES);
        surface = blocks_add(blocks, bound);
        if (bound->cleared) {
            const struct resource_level *level = &res->levels[bound->level];
            struct cmdproc_step *step = cmdproc_add(m->cmdproc, STEP_CONTROL);
            step->targets = color ? STEP_COLOR : STEP_ZSTENCIL;
            step->control.kind = CONTROL_BEGIN;
            step->control.surface = *bound;
            step->control.line = m->device->memory.bytes + res->address + level->offset +
                                 (size_t)bound->layer * level->slice_bytes;
        }
    }
    blocks_touch(blocks, surface);
    return true;
}

/* Begins all layers of a surface. Each has its own block states. */
static bool
begin_layers(struct machine *m, const struct bound_surface *bound, bool color, struct error *err)
{
    struct bound_surface layer = *bound;
    for (uint32_t left = bound->res ? bound->layers : 0; left; left--) {
        if (!machine_begin_surface(m, &layer, color, err))
            return false;
        layer.layer++;
        layer.cleared = false;
    }
    return true;
}

/* Unbinds the previous surfaces and binds those of the next work. */
bool
machine_use_surfaces(struct machine *m, const struct bound_surface *color, uint32_t count,
                     const struct bound_surface *depth, struct error *err)
{
    if (same_surfaces(m, color, count, depth))
        return true;
    if (!machine_leave_surfaces(m, err))
        return false;
    memcpy(m->color, color, count * sizeof *color);
    m->color_count = count;
    m->depth = *depth;
    for (uint32_t i = 0; i < count; i++)
        if (!begin_layers(m, &color[i], true, err))
            return false;
    return begin_layers(m, depth, false, err);
}

void
machine_forget_surfaces(struct machine *m)
{
    for (int color = 0; color < 2; color++) {
        struct blocks *blocks = machine_blocks(m, color);
        while (blocks->surface_count) {
            blocks_sync(blocks, &blocks->surfaces[0], &m->device->memory);
            blocks_remove(blocks, &blocks->surfaces[0]);
        }
    }
}
