/* Scheduler of the shader units.
 *
 * Each source of threads (thread_sources.def) fills thread groups (ThreadGroup vertices or
 * triangles, or ThreadGroup / 4 quads), selects their unit, and takes their results. A full group
 * leaves as soon as its unit has room. A group that is not full leaves at the end of the draw. It
 * also leaves after GroupLinger cycles without an addition, if its unit has fewer than BusyGroups
 * others.
 *
 * VerticesCycle vertices, TrianglesCycle triangles, and ShadedStampsPerCycle quads (by default as
 * many as there are ROPs) move in and out per cycle. All of them may go to one unit, because a
 * unit's queue takes all that arrive. The latency is one cycle, modelled by the queues. Source:
 * docs/design/shader.md, Thread groups; ATTILA's fragment FIFO. Not modelled: a limit on the
 * bandwidth of shader inputs. */
#include "unit/shader/thread_source.h"

#include "base/mem.h"
#include "unit/shader/setup_program.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state sched_clock(void *self, uint64_t now);

static const struct thread_source *const sources[] = {
#define THREAD_SOURCE(name) &thread_##name,
#include "unit/shader/thread_sources.def"
};
enum { SOURCES = sizeof sources / sizeof sources[0] };
_Static_assert(THREADS_triangles == 0, "triangles are the first source");
_Static_assert(THREADS_primitives == SOURCES - 1, "primitives are the last source");

static void
sched_wire(void *self)
{
    struct sched *sched = self;
    sched->finish_stage.cause = sched->output_stage.cause = CAUSE_gather;
    sched->vertices_out->from = sched->primitives_out->from = &sched->finish_stage;
    if (sched->setup_program)
        sched->triangles_out->from = &sched->finish_stage;
    for (uint32_t s = 0; s < sched->shaders; s++)
        sched->from_shader[s]->to = &sched->finish_stage;
    for (uint32_t r = 0; r < sched->rops; r++)
        sched->early_out[r]->from = sched->late_out[r]->from = &sched->output_stage;
}

static void
sched_reset(void *self)
{
    struct sched *sched = self;
    const struct module *module = &sched->module;
    INVARIANT(module, !sched->vertex_group && !sched->finished_ring.count);
    INVARIANT(module, !sched->triangle_group && !sched->triangle_ring.count);
    INVARIANT(module, !sched->primitive_group && !sched->primitive_ring.count);
    for (uint32_t s = 0; s < sched->shaders; s++)
        INVARIANT(module, !sched->quad_group[s] && !sched->outstanding[s]);
    for (uint32_t r = 0; r < sched->rops; r++)
        INVARIANT(module, sched->reorder[r].ring.count == 0);
    sched->rr_unit = sched->rr_threads = 0;
}

static void
sched_fini(void *self)
{
    struct sched *sched = self;
    for (uint32_t r = 0; r < sched->rops; r++)
        free(sched->reorder[r].entries);
    free(sched->finished_vertices);
    free(sched->finished_triangles);
    free(sched->finished_primitives);
    program_destroy(sched->setup_program);
}

static const struct module_ops ops = {
    .clock = sched_clock,
    .wire = sched_wire,
    .reset = sched_reset,
    .fini = sched_fini,
};

static void
init_triangles(struct sched *sched, const struct params *params)
{
    const uint32_t threads = sched->full[THREADS_triangles];
    sched->first_source = THREADS_triangles;
    sched->setup_program = setup_program_create();
    sched->triangle_ring.capacity = params->RASTERIZER.TriangleOutputQueueSize + threads;
    sched->finished_triangles =
        mem_array(sched->triangle_ring.capacity, sizeof(struct pooled_triangle *));
    if (params->RASTERIZER.TriangleShaderQueueSize < threads) /* more triangles cannot arrive */
        sched->full[THREADS_triangles] = params->RASTERIZER.TriangleShaderQueueSize;
}

void
sched_init(struct sched *sched, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(sched, 0, sizeof *sched);
    clock_add_module(env->clock, &sched->module, "sched", -1, sched, &ops);
    sched->module.stage.cause = CAUSE_gather;
    sched->pools = env->pools;
    sched->shaders = env->shaders;
    sched->rops = env->rops;
    shader_roles(params, sched->roles);
    sched->vertices_cycle = params->STREAMER.VerticesCycle;
    sched->quads_cycle = params_or_rops(params, params->RASTERIZER.ShadedStampsPerCycle);
    sched->linger_cycles = params->RASTERIZER.GroupLinger;
    sched->busy_groups = params->RASTERIZER.BusyGroups;
    sched->tiled = params->RASTERIZER.TiledShaderDistribution;
    sched->batch_threads = params->RASTERIZER.ShaderInputBatchSize;
    for (uint32_t r = 0; r < env->rops; r++) {
        struct reorder *reorder = &sched->reorder[r];
        reorder->ring.capacity = params->RASTERIZER.ShadedStampQueueSize;
        reorder->entries = mem_array(reorder->ring.capacity, sizeof *reorder->entries);
    }
    for (uint32_t i = 0; i < SOURCES; i++)
        sched->full[sources[i]->kind] =
            sched->roles[sources[i]->stage].group_threads / sources[i]->item_threads;
    const uint32_t vertex_threads = sched->roles[STAGE_VERTEX].group_threads;
    const uint32_t fragment_threads = sched->roles[STAGE_FRAGMENT].group_threads;
    env->pools->group_threads =
        vertex_threads > fragment_threads ? vertex_threads : fragment_threads;
    sched->finished_ring.capacity = params->RASTERIZER.ShadedVertexQueueSize + vertex_threads;
    sched->finished_vertices =
        mem_array(sched->finished_ring.capacity, sizeof(struct pooled_vertex *));
    sched->primitive_ring.capacity = 2 * vertex_threads;
    sched->finished_primitives =
        mem_array(sched->primitive_ring.capacity, sizeof *sched->finished_primitives);
    sched->first_source = THREADS_triangles + 1;
    if (params->RASTERIZER.TriangleSetupOnShader)
        init_triangles(sched, params);
}

struct group *
sched_new_group(struct sched *sched, const struct thread_source *source, const struct draw *draw,
                const struct program *program)
{
    struct group *group = group_create(sched->pools);
    group->source = source;
    group->stage = source->stage;
    group->draw = draw;
    group->program = program;
    return group;
}

bool
sched_stage_is_busy(const struct sched *sched, const struct group *group)
{
    const struct shader_role *role = &sched->roles[group->stage];
    for (uint32_t s = role->first_unit; s < role->first_unit + role->unit_count; s++)
        if (sched->outstanding[s] < sched->busy_groups)
            return false;
    return true;
}

int32_t
sched_least_loaded(struct sched *sched, const struct group *group, uint64_t now)
{
    const struct shader_role *role = &sched->roles[group->stage];
    int32_t best = -1;
    for (uint32_t s = role->first_unit; s < role->first_unit + role->unit_count; s++) {
        if (best >= 0 && sched->outstanding[s] >= sched->outstanding[best])
            continue;
        if (queue_space(sched->to_shader[s], now))
            best = (int32_t)s;
    }
    return best;
}

void
sched_unblock(struct sched *sched, uint64_t now)
{
    if (sched->dispatch_blocked)
        module_resume(&sched->module, &sched->module.stage, sched->finish_stage.cp_ref, now);
    sched->dispatch_blocked = false;
}

bool
sched_dispatch(struct sched *sched, struct group **group, uint64_t now)
{
    const int32_t unit = (*group)->source->assign(sched, *group, now);
    if (unit < 0) {
        sched->dispatch_blocked = true;
        return false;
    }
    sched_unblock(sched, now);
    (*group)->unit = (uint32_t)unit;
    sched->outstanding[unit]++;
    sched->stats.groups++;
    sched->stats.lanes_used += group_lanes(*group);
    sched->stats.lanes += sched->roles[(*group)->stage].group_threads;
    *(struct group_item *)queue_push(sched->to_shader[unit], now) = (struct group_item){*group};
    *group = NULL;
    return true;
}

bool
sched_send_if_due(struct sched *sched, struct group **group, uint64_t since, uint64_t now)
{
    if (!*group)
        return false;
    if ((*group)->count < sched->full[(*group)->source->kind]) {
        if (now < since + sched->linger_cycles) {
            module_wake_at(&sched->module, since + sched->linger_cycles);
            return false;
        }
        if ((*group)->source->is_busy(sched, *group))
            return false;
    }
    return sched_dispatch(sched, group, now);
}

/* Takes the groups that the shader units have finished. */
static bool
take_finished(struct sched *sched, uint64_t now)
{
    bool worked = false;
    for (uint32_t s = 0; s < sched->shaders; s++) {
        for (const struct group_item *item; (item = queue_front(sched->from_shader[s], now));) {
            struct group *group = item->group;
            INVARIANT(&sched->module, group->unit == s && sched->outstanding[s] > 0);
            if (!group->source->finish(sched, group))
                break;
            sched->finished_cycle = now;
            sched->outstanding[s]--;
            group_release(sched->pools, group);
            queue_pop(sched->from_shader[s], now);
            worked = true;
        }
    }
    return worked;
}

/* Returns the end of the sources that may have items. Most draws have no geometry program. */
static uint32_t
source_end(const struct sched *sched)
{
    const bool has_primitives =
        sched->primitives_in->count || sched->primitive_group || sched->primitive_ring.count;
    return has_primitives ? SOURCES : THREADS_primitives;
}

static enum unit_state
sched_clock(void *self, uint64_t now)
{
    struct sched *sched = self;
    bool blocked = false;
    bool worked = false;
    for (uint32_t i = sched->first_source; i < source_end(sched); i++)
        worked |= sources[i]->leave(sched, now, &blocked);
    worked |= take_finished(sched, now);
    for (uint32_t i = sched->first_source; i < source_end(sched); i++)
        worked |= sources[i]->take(sched, now);
    if (worked)
        return UNIT_BUSY;
    if (blocked)
        return UNIT_BLOCKED;
    for (uint32_t s = 0; s < sched->shaders; s++)
        if (sched->outstanding[s])
            return UNIT_WAITING;
    return UNIT_STARVED;
}
