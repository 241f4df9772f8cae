/* Source of primitives for the shader units, which run geometry programs. Primitives come from
 * Geometry Assembly and go to the unit with the fewest groups. They return in any order, through a
 * ring. Geometry Assembly has an entry for each of them, so it takes every result at once. */
#include "unit/shader/thread_source.h"

#include "base/mem.h"

#include <string.h>

static void
primitives_load(struct group *group)
{
    for (uint32_t p = 0; p < group->count; p++) {
        const struct geometry_job *job = group->primitives[p];
        const struct vertex *v[MAX_PRIMITIVE_VERTICES];
        for (uint32_t i = 0; i < primitive_input_count(&job->primitive); i++)
            v[i] = &job->v[i]->vertex;
        geometry_load(group->draw, v, &group->exec[p / EXEC_MAX_LANES], p % EXEC_MAX_LANES,
                      job->primitive.id);
    }
}

/* Copies the emitted vertices of a lane. The buffers of an entry are reused. */
static void
store_emitted(struct geometry_job *job, const struct exec *exec, uint32_t lane)
{
    const uint32_t count = exec->emitted_count[lane];
    if (count > job->capacity) {
        job->emitted = mem_realloc(job->emitted, count * sizeof *job->emitted);
        job->ends = mem_realloc(job->ends, count);
        job->capacity = count;
    }
    job->emitted_count = count;
    for (uint32_t n = 0; n < count; n++) {
        emitted_store(exec, lane, n, &job->emitted[n]);
        job->ends[n] = exec_ends_strip(exec, lane, n);
    }
}

static void
store(struct group *group, struct shader_stats *stats)
{
    (void)stats;
    for (uint32_t p = 0; p < group->count; p++)
        store_emitted(group->primitives[p], &group->exec[p / EXEC_MAX_LANES], p % EXEC_MAX_LANES);
}

/* Each emitted vertex takes the output port as long as the result of another thread. */
static uint32_t
outputs(const struct group *group)
{
    uint32_t vertices = 0;
    for (uint32_t p = 0; p < group->count; p++)
        vertices += group->primitives[p]->emitted_count;
    return vertices > group->count ? vertices : group->count;
}

static bool
thread_primitives_take(struct sched *sched, uint64_t now)
{
    bool worked = false;
    const uint32_t full = sched->full[THREADS_primitives];
    struct group **group = &sched->primitive_group;
    for (const struct geometry_item *item; (item = queue_front(sched->primitives_in, now));) {
        if (*group && ((*group)->count == full || (*group)->draw != item->draw) &&
            !sched_dispatch(sched, group, now))
            break;
        if (!*group)
            *group = sched_new_group(sched, &thread_primitives, item->draw,
                                     item->draw->program[STAGE_GEOMETRY]);
        (*group)->primitives[(*group)->count++] = item->job;
        sched->primitive_since = now;
        sched->stats.primitives++;
        queue_pop(sched->primitives_in, now);
        worked = true;
        if ((*group)->count == full)
            sched_dispatch(sched, group, now);
    }
    return sched_send_if_due(sched, group, sched->primitive_since, now) || worked;
}

static bool
primitives_finish(struct sched *sched, const struct group *group)
{
    if (sched->primitive_ring.count + group->count > sched->primitive_ring.capacity)
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        sched->finished_primitives[ring_push(&sched->primitive_ring)] = group->primitives[i];
    return true;
}

static bool
primitives_retire(struct sched *sched, uint64_t now, bool *blocked)
{
    (void)blocked;
    bool worked = false;
    while (sched->primitive_ring.count && queue_space(sched->primitives_out, now)) {
        *(struct geometry_item *)queue_push(sched->primitives_out, now) = (struct geometry_item){
            NULL, sched->finished_primitives[ring_pop(&sched->primitive_ring)]};
        worked = true;
    }
    return worked;
}

const struct thread_source thread_primitives = {
    .kind = THREADS_primitives,
    .stage = STAGE_GEOMETRY,
    .item_threads = 1,
    .cause = CAUSE_geometry_issue,
    .load = primitives_load,
    .store = store,
    .outputs = outputs,
    .take = thread_primitives_take,
    .assign = sched_least_loaded,
    .is_busy = sched_stage_is_busy,
    .finish = primitives_finish,
    .leave = primitives_retire,
};
