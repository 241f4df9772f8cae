/* Scheduler of the shader units.
 *
 * Fills thread groups (ThreadGroup vertices, or ThreadGroup / 4 quads). Vertices go to the unit
 * that has the fewest groups. Quads go to a unit by their tile, in Morton order of tiles
 * (TiledShaderDistribution), or ShaderInputBatchSize fragments to each unit in turn. A group that
 * is not full leaves after 8 cycles without an addition when its unit has fewer than two others, or
 * at the end of the draw. Shaded vertices go back to the streamer in any order. Quads wait in a
 * ring a ROP and leave in the order in which they came, to color write or to the late z test: this
 * is the reorder point that keeps API order a pixel; the end of a draw stands in every ring. Quads
 * without a fragment left are dropped here.
 *
 * VerticesCycle vertices and as many quads as there are ROPs in and out a cycle. Latency 1, on the
 * queues. Source: machine.md (order); ATTILA's fragment FIFO. Not modelled: a limit on the
 * bandwidth of shader inputs. */
#include "unit/sched.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BUSY_GROUPS = 2 }; /* of a unit that need not have one that is not full */

static enum unit_state sched_clock(void *self, uint64_t now);

void
sched_init(struct sched *sched, struct clock *clock, const struct params *params,
           struct pools *pools, uint32_t shaders, uint32_t rops)
{
    memset(sched, 0, sizeof *sched);
    clock_add_module(clock, &sched->module, "sched", -1, sched, sched_clock);
    sched->pools = pools;
    sched->shaders = shaders;
    sched->rops = rops;
    shader_roles(params, sched->roles);
    sched->vertices_cycle = params->STREAMER.VerticesCycle;
    sched->quads_cycle = rops;
    sched->linger_cycles = 8;
    sched->tiled = params->RASTERIZER.TiledShaderDistribution;
    sched->batch_threads = params->RASTERIZER.ShaderInputBatchSize;
    sched->reorder_limit = params->RASTERIZER.ShadedStampQueueSize;
    for (uint32_t r = 0; r < rops; r++)
        sched->reorder[r].items = mem_alloc(sched->reorder_limit * sizeof(struct quad_item));
    const uint32_t vertex_threads = sched->roles[STAGE_VERTEX].group_threads;
    const uint32_t fragment_threads = sched->roles[STAGE_FRAGMENT].group_threads;
    pools->group_threads = vertex_threads > fragment_threads ? vertex_threads : fragment_threads;
    sched->finished_limit = params->RASTERIZER.ShadedVertexQueueSize + vertex_threads;
    sched->finished_vertices = mem_alloc(sched->finished_limit * sizeof(struct pooled_vertex *));
}

void
sched_fini(struct sched *sched)
{
    for (uint32_t r = 0; r < sched->rops; r++)
        free(sched->reorder[r].items);
    free(sched->finished_vertices);
}

/* The unit with the fewest groups, or -1 when all are full. */
static int32_t
choose_unit(struct sched *sched, const struct shader_role *role, uint64_t now)
{
    int32_t best = -1;
    for (uint32_t s = role->first_unit; s < role->first_unit + role->unit_count; s++) {
        if (best >= 0 && sched->outstanding[s] >= sched->outstanding[best])
            continue;
        if (queue_space(sched->to_shader[s], now))
            best = (int32_t)s;
    }
    return best;
}

/* The unit that the group was filled for; -1 when it is full. */
static int32_t
own_unit(struct sched *sched, const struct shader_role *role, uint32_t unit, uint64_t now)
{
    return sched->outstanding[unit] < role->group_limit && queue_space(sched->to_shader[unit], now)
               ? (int32_t)unit
               : -1;
}

static bool
dispatch(struct sched *sched, struct group **group, uint64_t now)
{
    const struct shader_role *role = &sched->roles[(*group)->stage];
    const bool quads = (*group)->stage == STAGE_FRAGMENT;
    int32_t unit =
        quads ? own_unit(sched, role, (*group)->unit, now) : choose_unit(sched, role, now);
    if (unit < 0)
        return false;
    (*group)->unit = (uint32_t)unit;
    if (quads && !sched->tiled) {
        sched->turn_threads += role->group_threads;
        if (sched->turn_threads >= sched->batch_threads) {
            sched->turn = (sched->turn + 1) % role->unit_count;
            sched->turn_threads = 0;
        }
    }
    sched->outstanding[unit]++;
    sched->stats.groups++;
    sched->stats.lanes_used += (*group)->count * ((*group)->stage == STAGE_FRAGMENT ? 4 : 1);
    sched->stats.lanes += role->group_threads;
    *(struct group_item *)queue_push(sched->to_shader[unit], now) = (struct group_item){*group};
    *group = NULL;
    return true;
}

/* Whether the units that the group may go to have enough to do: then it may go on filling. */
static bool
is_busy(const struct sched *sched, const struct group *group)
{
    const struct shader_role *role = &sched->roles[group->stage];
    if (group->stage == STAGE_FRAGMENT)
        return sched->outstanding[group->unit] >= BUSY_GROUPS;
    for (uint32_t s = role->first_unit; s < role->first_unit + role->unit_count; s++)
        if (sched->outstanding[s] < BUSY_GROUPS)
            return false;
    return true;
}

/* Sends the group being filled when it is full or has lingered; false when it has to stay. */
static bool
send_if_due(struct sched *sched, struct group **group, uint32_t full, uint64_t since, uint64_t now)
{
    if (!*group)
        return false;
    if ((*group)->count < full && now < since + sched->linger_cycles) {
        module_wake_at(&sched->module, since + sched->linger_cycles);
        return false;
    }
    if ((*group)->count < full && is_busy(sched, *group))
        return false;
    return dispatch(sched, group, now);
}

static bool
take_vertices(struct sched *sched, uint64_t now)
{
    bool worked = false;
    const uint32_t full = sched->roles[STAGE_VERTEX].group_threads;
    for (uint32_t i = 0; i < sched->vertices_cycle; i++) {
        const struct vertex_item *item = queue_front(sched->vertices_in, now);
        if (!item || (sched->vertex_group && sched->vertex_group->count == full))
            break;
        if (sched->vertex_group && sched->vertex_group->draw != item->draw &&
            !dispatch(sched, &sched->vertex_group, now))
            break;
        if (!sched->vertex_group) {
            sched->vertex_group = group_create(sched->pools);
            sched->vertex_group->stage = STAGE_VERTEX;
            sched->vertex_group->draw = item->draw;
        }
        sched->vertex_group->vertices[sched->vertex_group->count++] = item->vertex;
        sched->vertex_since = now;
        sched->stats.vertices++;
        queue_pop(sched->vertices_in, now);
        worked = true;
        if (sched->vertex_group->count == full)
            dispatch(sched, &sched->vertex_group, now);
    }
    return send_if_due(sched, &sched->vertex_group, full, sched->vertex_since, now) || worked;
}

static void
add_to_ring(struct sched *sched, struct reorder *reorder, const struct quad_item *item)
{
    reorder->items[(reorder->head + reorder->count++) % sched->reorder_limit] = *item;
}

/* The end of a draw into every ring; what the z tests let through is told once. */
static bool
take_end(struct sched *sched, struct quad_item end)
{
    for (uint32_t r = 0; r < sched->rops; r++)
        if (sched->reorder[r].count == sched->reorder_limit)
            return false;
    for (uint32_t r = 0; r < sched->rops; r++) {
        add_to_ring(sched, &sched->reorder[r], &end);
        end.samples_passed = 0;
    }
    return true;
}

/* The unit that a quad is for. */
static uint32_t
unit_of(const struct sched *sched, const struct shader_role *role, const struct quad *quad)
{
    const uint32_t x = quad->x / TILE_SIZE, y = quad->y / TILE_SIZE;
    if (!sched->tiled)
        return role->first_unit + sched->turn;
    return role->first_unit + (morton8(x, y) + 64 * morton8(x / 8, y / 8)) % role->unit_count;
}

static bool
take_quad(struct sched *sched, const struct quad_item *item, uint64_t now)
{
    const struct quad *quad = item->quad;
    const struct shader_role *role = &sched->roles[STAGE_FRAGMENT];
    const uint32_t unit = unit_of(sched, role, quad), full = role->group_threads / 4;
    struct group **group = &sched->quad_group[unit];
    struct reorder *reorder =
        &sched->reorder[rop_of_tile(quad->x / TILE_SIZE, quad->y / TILE_SIZE, sched->rops)];
    if (reorder->count == sched->reorder_limit || (*group && (*group)->count == full))
        return false;
    if (!*group) {
        *group = group_create(sched->pools);
        (*group)->stage = STAGE_FRAGMENT;
        (*group)->draw = item->draw;
        (*group)->unit = unit;
    }
    add_to_ring(sched, reorder, item);
    (*group)->quads[(*group)->count++] = item->quad;
    sched->quad_since[unit] = now;
    sched->stats.quads++;
    if ((*group)->count == full)
        dispatch(sched, group, now);
    return true;
}

/* Sends all groups of quads that are being filled, since a group is of one draw; false when one
 * has to stay. */
static bool
send_quad_groups(struct sched *sched, uint64_t now)
{
    bool all = true;
    for (uint32_t s = 0; s < sched->shaders; s++)
        if (sched->quad_group[s])
            all &= dispatch(sched, &sched->quad_group[s], now);
    return all;
}

static bool
take_quads(struct sched *sched, uint64_t now)
{
    bool worked = false;
    const uint32_t full = sched->roles[STAGE_FRAGMENT].group_threads / 4;
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
            worked |= send_if_due(sched, &sched->quad_group[s], full, sched->quad_since[s], now);
    return worked;
}

/* Groups that the shader units have finished: vertices go to the ring, quads are marked. */
static bool
take_finished(struct sched *sched, uint64_t now)
{
    bool worked = false;
    for (uint32_t s = 0; s < sched->shaders; s++) {
        for (const struct group_item *item; (item = queue_front(sched->from_shader[s], now));) {
            struct group *group = item->group;
            if (group->stage == STAGE_VERTEX &&
                sched->finished_count + group->count > sched->finished_limit)
                break;
            for (uint32_t i = 0; i < group->count; i++) {
                if (group->stage == STAGE_FRAGMENT) {
                    group->quads[i]->shaded = true;
                    continue;
                }
                uint32_t at =
                    (sched->finished_head + sched->finished_count++) % sched->finished_limit;
                sched->finished_vertices[at] = group->vertices[i];
            }
            sched->outstanding[s]--;
            group_release(sched->pools, group);
            queue_pop(sched->from_shader[s], now);
            worked = true;
        }
    }
    return worked;
}

static bool
return_vertices(struct sched *sched, uint64_t now)
{
    bool worked = false;
    while (sched->finished_count && queue_space(sched->vertices_out, now)) {
        *(struct vertex_item *)queue_push(sched->vertices_out, now) =
            (struct vertex_item){ITEM_DATA, NULL, sched->finished_vertices[sched->finished_head]};
        sched->finished_head = (sched->finished_head + 1) % sched->finished_limit;
        sched->finished_count--;
        worked = true;
    }
    return worked;
}

/* Quads and ends leave their ring in order; *blocked when one could but its queue is full. */
static bool
commit(struct sched *sched, uint64_t now, bool *blocked)
{
    bool worked = false;
    for (uint32_t r = 0; r < sched->rops; r++) {
        struct reorder *reorder = &sched->reorder[r];
        for (uint32_t i = 0; i < sched->quads_cycle && reorder->count; i++) {
            const struct quad_item *first = &reorder->items[reorder->head];
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
                *(struct quad_item *)queue_push(out, now) = *first;
            }
            reorder->head = (reorder->head + 1) % sched->reorder_limit;
            reorder->count--;
            worked = true;
        }
    }
    return worked;
}

static enum unit_state
sched_clock(void *self, uint64_t now)
{
    struct sched *sched = self;
    bool blocked = false;
    bool worked = commit(sched, now, &blocked);
    worked |= return_vertices(sched, now);
    worked |= take_finished(sched, now);
    worked |= take_vertices(sched, now);
    worked |= take_quads(sched, now);
    if (worked)
        return UNIT_BUSY;
    if (blocked)
        return UNIT_BLOCKED;
    for (uint32_t s = 0; s < sched->shaders; s++)
        if (sched->outstanding[s])
            return UNIT_WAITING;
    return UNIT_STARVED;
}
