/* Source of quads for the shader units.
 *
 * With TiledShaderDistribution, quads are assigned to units by tile, in Morton order of tiles.
 * Otherwise each unit in turn gets ShaderInputBatchSize fragments. Each ROP has a ring of quads in
 * order of arrival. Quads leave the ring in that order, to Color Write or to the late z test. This
 * reorder point keeps API order per pixel. The end of a draw is added to every ring. A quad that
 * has no fragment left is released here. ShadedStampsPerCycle quads move in and out per
 * cycle. */
#include "unit/shader/thread_source.h"

#include "unit/watch.h"

#include <string.h>

static void
quads_load(struct group *group)
{
    const struct program *program = group->program;
    for (uint32_t q = 0; q < group->count; q++) {
        const struct quad *quad = group->quads[q];
        struct exec *exec = group_block(group, q);
        const uint32_t lane = q % QUADS_IN_BLOCK * 4;
        exec->helpers |= (uint64_t)(~mask_fragments(quad->mask) & 15) << lane;
        for (uint32_t c = 0; c < program->input_count * 4; c++)
            memcpy(exec->inputs + (size_t)c * exec->lanes + lane, quad->inputs + c * 4,
                   4 * sizeof(float));
        for (uint32_t c = 0; c < program->system_count * 4; c++)
            memcpy(exec->systems + (size_t)c * exec->lanes + lane, quad->systems + c * 4,
                   4 * sizeof(float));
    }
}

/* Stores the program's outputs into the quads: colors, and depth if the program replaces it. */
static void
store(struct group *group, struct shader_stats *stats)
{
    const struct draw *draw = group->draw;
    for (uint32_t q = 0; q < group->count; q++) {
        struct quad *quad = group->quads[q];
        struct exec *exec = group_block(group, q);
        const uint32_t lane = q % QUADS_IN_BLOCK * 4;
        const struct triangle *triangle = &quad->triangle->triangle;
        uint32_t before = quad_fragments(quad->mask), mask_before = quad->mask;
        if (triangle->smooth.shape != SMOOTH_NONE)
            shaded_coverage(triangle, quad->x, quad->y, exec, lane);
        quad->mask = shaded_mask(draw, exec, lane, quad->mask);
        WATCH_SHADED(quad, mask_before);
        for (uint32_t t = 0; t < draw->color_count; t++)
            shaded_color(draw, exec, lane, t, quad->color[t]);
        shaded_source1(draw, exec, lane, quad->color[SOURCE1]);
        if (draw->depth_output >= 0)
            for (uint32_t s = 0; s < draw->samples; s++)
                memcpy(quad->z[s],
                       exec->outputs + ((size_t)draw->depth_output * 4 + 2) * exec->lanes + lane,
                       sizeof quad->z[s]);
        uint32_t left = quad_fragments(quad->mask);
        stats->fragments_out += left;
        stats->fragments_killed += before - left;
    }
}

/* The unit for which the group was filled, or -1 if that unit is full. */
static int32_t
assign(struct sched *sched, const struct group *group, uint64_t now)
{
    const struct shader_role *role = &sched->roles[group->stage];
    const uint32_t unit = group->unit;
    if (sched->outstanding[unit] >= role->group_limit || !queue_space(sched->to_shader[unit], now))
        return -1;
    if (!sched->tiled) {
        sched->rr_threads += role->group_threads;
        if (sched->rr_threads >= sched->batch_threads) {
            sched->rr_unit = (sched->rr_unit + 1) % role->unit_count;
            sched->rr_threads = 0;
        }
    }
    return (int32_t)unit;
}

static bool
is_busy(const struct sched *sched, const struct group *group)
{
    return sched->outstanding[group->unit] >= sched->busy_groups;
}

static void
add_to_ring(struct sched *sched, struct reorder *reorder, const struct quad_item *item)
{
    reorder->entries[ring_push(&reorder->ring)] =
        (struct reordered){*item, {sched->module.stage.cp_ref, sched->module.clock->now}};
}

/* Adds the end of a draw to every ring. The first one carries the number of samples that passed. */
static bool
take_end(struct sched *sched, struct quad_item end)
{
    for (uint32_t r = 0; r < sched->rops; r++)
        if (ring_is_full(&sched->reorder[r].ring))
            return false;
    for (uint32_t r = 0; r < sched->rops; r++) {
        add_to_ring(sched, &sched->reorder[r], &end);
        end.samples_passed = 0;
    }
    return true;
}

/* Index of the unit that runs a quad. */
static uint32_t
unit_of(const struct sched *sched, const struct shader_role *role, const struct quad *quad)
{
    const uint32_t x = quad->x / TILE_SIZE, y = quad->y / TILE_SIZE;
    if (!sched->tiled)
        return role->first_unit + sched->rr_unit;
    return role->first_unit + (morton8(x, y) + 64 * morton8(x / 8, y / 8)) % role->unit_count;
}

static bool
take_quad(struct sched *sched, const struct quad_item *item, uint64_t now)
{
    const struct quad *quad = item->quad;
    const struct shader_role *role = &sched->roles[STAGE_FRAGMENT];
    const uint32_t unit = unit_of(sched, role, quad), full = sched->full[THREADS_quads];
    struct group **group = &sched->quad_group[unit];
    struct reorder *reorder =
        &sched->reorder[rop_of_tile(quad->x / TILE_SIZE, quad->y / TILE_SIZE, sched->rops)];
    if (ring_is_full(&reorder->ring) || (*group && (*group)->count == full)) {
        sched->dispatch_blocked = true;
        return false;
    }
    sched_unblock(sched, now);
    if (!*group) {
        *group =
            sched_new_group(sched, &thread_quads, item->draw, item->draw->program[STAGE_FRAGMENT]);
        (*group)->unit = unit;
    }
    add_to_ring(sched, reorder, item);
    (*group)->quads[(*group)->count++] = item->quad;
    sched->quad_since[unit] = now;
    sched->stats.quads++;
    if ((*group)->count == full)
        sched_dispatch(sched, group, now);
    return true;
}

/* Sends all groups of quads that are being filled, because a group belongs to one draw. Returns
 * false if a group cannot be sent. */
static bool
send_quad_groups(struct sched *sched, uint64_t now)
{
    bool all = true;
    for (uint32_t s = 0; s < sched->shaders; s++)
        if (sched->quad_group[s])
            all &= sched_dispatch(sched, &sched->quad_group[s], now);
    return all;
}

static bool
thread_quads_take(struct sched *sched, uint64_t now)
{
    bool worked = false;
    for (uint32_t i = 0; i < sched->quads_cycle; i++) {
        const struct quad_item *item = queue_front(sched->quads_in, now);
        if (!item)
            break;
        if (item->kind == ITEM_END ? !send_quad_groups(sched, now) || !take_end(sched, *item)
                                   : !take_quad(sched, item, now))
            break;
        queue_pop(sched->quads_in, now);
        worked = true;
    }
    for (uint32_t s = 0; s < sched->shaders; s++)
        if (sched->quad_group[s])
            worked |= sched_send_if_due(sched, &sched->quad_group[s], sched->quad_since[s], now);
    return worked;
}

static bool
quads_finish(struct sched *sched, const struct group *group)
{
    (void)sched;
    for (uint32_t i = 0; i < group->count; i++)
        group->quads[i]->shaded = true;
    return true;
}

/* Critical path: an item leaves a ring after the group that finished last. If the item arrived
 * later (ends of draws without quads), it leaves after its arrival. */
static void
note_leaving(struct sched *sched, struct cp_stamp arrival, uint64_t now)
{
    const struct cp_stamp finished = {sched->finish_stage.cp_ref, sched->finished_cycle};
    module_resume(&sched->module, &sched->output_stage, path_later(arrival, finished).cp_ref, now);
}

/* Sends quads and ends of draws in ring order. */
static bool
quads_retire(struct sched *sched, uint64_t now, bool *blocked)
{
    bool worked = false;
    for (uint32_t r = 0; r < sched->rops; r++) {
        struct reorder *reorder = &sched->reorder[r];
        for (uint32_t i = 0; i < sched->quads_cycle && reorder->ring.count; i++) {
            const struct reordered *entry = &reorder->entries[reorder->ring.head];
            const struct quad_item *first = &entry->item;
            if (first->kind == ITEM_DATA && !first->quad->shaded)
                break;
            if (first->kind == ITEM_DATA && !first->quad->mask) {
                sched->stats.quads_killed++;
                quad_release(sched->pools, first->quad);
            } else {
                struct queue *out = first->draw->early_z ? sched->early_out[r] : sched->late_out[r];
                if (!queue_space(out, now)) {
                    *blocked = true;
                    break;
                }
                note_leaving(sched, entry->arrival, now);
                *(struct quad_item *)queue_push(out, now) = *first;
            }
            ring_pop(&reorder->ring);
            worked = true;
        }
    }
    return worked;
}

const struct thread_source thread_quads = {
    .kind = THREADS_quads,
    .stage = STAGE_FRAGMENT,
    .item_threads = 4,
    .cause = CAUSE_fragment_issue,
    .load = quads_load,
    .store = store,
    .take = thread_quads_take,
    .assign = assign,
    .is_busy = is_busy,
    .finish = quads_finish,
    .leave = quads_retire,
};
