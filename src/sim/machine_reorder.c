/* Sends opaque draws front to back, as if the program had sorted them (`aetius whatif
 * --front-to-back`), or merges draws with the same state (`--merge-draws`). Draws are held until a
 * command depends on their order. Only opaque draws (state/draw.h) are sorted, by the mean depth of
 * their vertices. With both changes, only opaque draws are merged. */
#include "sim/machine_internal.h"

#include "sim/functional_draw.h"

#include <stdlib.h>

static bool
same_targets(const struct draw *a, const struct draw *b)
{
    bool same = a->color_count == b->color_count && a->depth.res == b->depth.res &&
                a->depth.level == b->depth.level && a->depth.layer == b->depth.layer;
    for (uint32_t i = 0; i < a->color_count && same; i++)
        same = a->color[i].res == b->color[i].res && a->color[i].level == b->color[i].level &&
               a->color[i].layer == b->color[i].layer;
    return same;
}

static int
compare_depth(const void *a, const void *b)
{
    const struct held_draw *first = a, *second = b;
    if (first->depth != second->depth)
        return first->depth < second->depth ? -1 : 1;
    return first->draw->number < second->draw->number ? -1 : 1;
}

bool
machine_await_uploads(struct machine *m, const struct draw *draw, struct error *err)
{
    for (uint64_t upload; (upload = hazards_before_draw(&m->hazards, draw));)
        if (!machine_run_until(m, CMDPROC_TRANSFER, upload, err))
            return false;
    return true;
}

static bool
sort_held(struct machine *m, struct held_draw *held, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!machine_await_uploads(m, held[i].draw, err) ||
            !functional_draw_depth(m->functional, held[i].draw, &held[i].depth, err))
            return false;
    qsort(held, count, sizeof *held, compare_depth);
    return true;
}

/* Sends the first draw, merged with those that continue it. Sets *sent to their number. */
static bool
send_merged(struct machine *m, const struct held_draw *held, size_t count, size_t *sent,
            struct error *err)
{
    VEC(const struct draw *) draws = {0};
    const struct draw *merged = held[0].draw;
    struct draw_run run;
    enum draw_join join = DRAW_OTHER_STATE;
    bool ok = true;
    draw_run_begin(&run, held[0].draw);
    VEC_PUSH(&draws, held[0].draw);
    for (size_t i = 1; m->merge_draws && i < count; i++) {
        join = draw_run_add(&run, held[i].draw);
        if (join != DRAW_JOINS)
            break;
        VEC_PUSH(&draws, held[i].draw);
    }
    if (draws.count < count)
        m->unmerged[join]++;
    for (size_t i = 0; i < draws.count && draws.count > 1 && ok; i++)
        ok = machine_await_uploads(m, draws.items[i], err);
    if (ok && draws.count > 1)
        ok = machine_merge(m, &run, draws.items, &merged, err);
    *sent = draws.count;
    VEC_FREE(&draws);
    return ok && machine_place_draw(m, merged, err);
}

bool
machine_send_held(struct machine *m, struct error *err)
{
    const size_t count = m->held.count;
    size_t sent = 0;
    bool ok = true;
    if (!count)
        return true;
    m->held.count = 0;
    if (m->front_to_back && count > 1)
        ok = sort_held(m, m->held.items, count, err);
    for (size_t i = 0; i < count && ok; i += sent)
        ok = send_merged(m, m->held.items + i, count - i, &sent, err);
    gpu_device_release(m->device);
    return ok;
}

/* Whether the draw may wait together with those that are held. */
static bool
joins_held(struct machine *m, const struct draw *draw)
{
    if (m->front_to_back)
        return draw->opaque && same_targets(m->held.items[0].draw, draw);
    const enum draw_join join = draw_run_add(&m->held_run, draw);
    m->unmerged[join]++;
    return join == DRAW_JOINS;
}

bool
machine_hold_draw(struct machine *m, const struct draw *draw, struct error *err)
{
    if (m->held.count && !joins_held(m, draw) && !machine_send_held(m, err))
        return false;
    if (m->front_to_back && !draw->opaque)
        return machine_place_draw(m, draw, err);
    if (!m->held.count) {
        gpu_device_hold(m->device);
        draw_run_begin(&m->held_run, draw);
    }
    VEC_PUSH(&m->held, (struct held_draw){.draw = draw});
    return true;
}

/* Vertices that the draw reads: all numbers below *end. Returns false if they are not known. */
static bool
vertices_of(const struct draw *draw, uint64_t *first, uint64_t *end)
{
    const struct draw_params *params = &draw->params;
    const int64_t least = (int64_t)params->min_index + params->index_bias;
    *first = params->start;
    *end = (uint64_t)params->start + params->count;
    if (!params->indexed)
        return true;
    *first = (uint64_t)least;
    *end = (uint64_t)(least + params->max_index - params->min_index + 1);
    return least >= 0 && params->max_index != UINT32_MAX && params->max_index >= params->min_index;
}

/* Whether the draw fetches bytes from `first` up to `end` of memory. */
static bool
fetches(const struct draw *draw, uint64_t first, uint64_t end)
{
    const uint64_t indices = draw->index_address;
    uint64_t from, to;
    const bool known = vertices_of(draw, &from, &to);
    for (uint32_t i = 0; i < draw->attribute_count; i++) {
        const struct bound_attribute *a = &draw->attributes[i];
        const bool whole = !known || a->divisor;
        const uint64_t begins = a->address + (whole ? 0 : from * a->stride);
        uint64_t ends = a->end;
        if (a->format && !whole && to > from)
            ends = a->address + (to - 1) * a->stride + a->format->block_bytes;
        if (a->format && begins < end && first < ends)
            return true;
    }
    return draw->params.indexed && indices < end &&
           first < indices + (uint64_t)draw->params.count * draw->index_bytes;
}

/* An upload may pass the held draws if none of them uses the range that it writes. Streamed
 * vertices share a buffer, so the ranges of buffers are exact. */
static bool
upload_passes(const struct machine *m, const struct gpu_cmd *cmd, const struct held_draw *held,
              size_t count)
{
    const struct resource *res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
    const struct box *box = &cmd->transfer.box;
    for (size_t i = 0; res && i < count; i++) {
        const struct draw *draw = held[i].draw;
        const uint64_t first = (uint64_t)res->address + (uint32_t)box->x;
        const uint64_t end = first + (uint32_t)box->width;
        if (res->desc.target == TARGET_BUFFER
                ? fetches(draw, first, end) ||
                      hazard_draw_samples(draw, hazard_range_of(res, box)) ||
                      hazard_reads_blocks(draw, hazard_range_of(res, box))
                : hazard_draw_uses(draw, hazard_range_of_all(res)))
            return false;
    }
    return true;
}

static bool
passes(const struct machine *m, const struct gpu_cmd *cmd, const struct held_draw *held,
       size_t count)
{
    switch (cmd->op) {
    case GPU_DRAW: return true;
    case GPU_PUT: return upload_passes(m, cmd, held, count);
    case GPU_CREATE_OBJECT: return cmd->create.type != OBJECT_SURFACE;
    case GPU_BIND_OBJECT:
    case GPU_DESTROY_OBJECT:
    case GPU_BIND_SHADER:
    case GPU_SET_VIEWPORT:
    case GPU_SET_VERTEX_BUFFERS:
    case GPU_SET_INDEX_BUFFER:
    case GPU_SET_CONSTANT_BUFFER:
    case GPU_SET_UNIFORM_BUFFER:
    case GPU_SET_SAMPLER_VIEWS:
    case GPU_BIND_SAMPLER_STATES:
    case GPU_SET_STENCIL_REF:
    case GPU_SET_BLEND_COLOR:
    case GPU_SET_SCISSOR:
    case GPU_SET_POLYGON_STIPPLE:
    case GPU_SET_CLIP:
    case GPU_SET_SAMPLE_MASK:
    case GPU_SET_MIN_SAMPLES:
    case GPU_SET_LABEL: return true;
    default: return false;
    }
}

bool
machine_passes_held(const struct machine *m, const struct gpu_cmd *cmd)
{
    return passes(m, cmd, m->held.items, m->held.count);
}

/* Whether the draw reads buffers other than by fetching vertices and indices. */
static bool
reads_buffers(const struct draw *draw)
{
    bool any = false;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        any |= draw_has_blocks(draw, stage);
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++) {
            const struct resource *res = draw->views[stage][i].res;
            any |= res && res->desc.target == TARGET_BUFFER;
        }
    }
    return any;
}

void
machine_note_continued(struct machine *m, struct draw *draw)
{
    struct draw_run *run = &m->continued;
    draw->merges = MERGES_NOT;
    if (run->first && draw_run_add(run, draw) == DRAW_JOINS)
        draw->merges = draw_run_row(run) ? MERGES_CONSTANTS : MERGES;
    else
        draw_run_begin(run, draw);
    if (reads_buffers(draw))
        run->first = NULL;
}

/* The objects that the draws used may have been deleted, so only their addresses are read. A new
 * program may have the address of an old one. */
void
machine_end_continued(struct machine *m, const struct gpu_cmd *cmd)
{
    struct draw_run *run = &m->continued;
    const struct resource *res;
    bool stays = run->first && passes(m, cmd, NULL, 0) && cmd->op != GPU_DESTROY_OBJECT &&
                 !(cmd->op == GPU_CREATE_OBJECT && cmd->create.type == OBJECT_SHADER);
    if (stays && cmd->op == GPU_PUT) {
        res = gpu_resource(m->device, cmd->client, cmd->transfer.resource);
        const uint64_t first = res ? (uint64_t)res->address + (uint32_t)cmd->transfer.box.x : 0;
        const uint64_t end = first + (uint32_t)cmd->transfer.box.width;
        stays = res && res->desc.target == TARGET_BUFFER && !fetches(run->first, first, end) &&
                !fetches(run->last, first, end);
    }
    if (!stays)
        run->first = NULL;
}
