/* Source of vertices for the shader units. Vertices come from the Streamer and go to the unit with
 * the fewest groups. They return in any order, through a ring. */
#include "unit/shader/thread_source.h"

#include <string.h>

static void
vertices_load(struct group *group)
{
    const struct program *program = group->program;
    for (uint32_t v = 0; v < group->count; v++) {
        const struct pooled_vertex *vertex = group->vertices[v];
        const struct exec *exec = &group->exec[v / EXEC_MAX_LANES];
        const uint32_t lane = v % EXEC_MAX_LANES;
        for (uint32_t c = 0; c < program->input_count * 4; c++)
            exec->inputs[(size_t)c * exec->lanes + lane] =
                c / 4 < group->draw->attribute_count ? vertex->inputs[c / 4][c % 4] : c % 4 == 3;
        for (uint32_t s = 0; s < program->system_count; s++) {
            uint32_t value = vertex->instance;
            if (program->systems[s].semantic == SEMANTIC_VERTEXID)
                value = vertex->index;
            else if (program->systems[s].semantic == SEMANTIC_BASEVERTEX)
                value = (uint32_t)group->draw->params.index_bias;
            memcpy(&exec->systems[(size_t)s * 4 * exec->lanes + lane], &value, sizeof value);
        }
    }
}

static void
store(struct group *group, struct shader_stats *stats)
{
    (void)stats;
    for (uint32_t v = 0; v < group->count; v++)
        vertex_store(group->draw, &group->exec[v / EXEC_MAX_LANES], v % EXEC_MAX_LANES,
                     &group->vertices[v]->vertex);
}

static bool
thread_vertices_take(struct sched *sched, uint64_t now)
{
    bool worked = false;
    const uint32_t full = sched->full[THREADS_vertices];
    for (uint32_t i = 0; i < sched->vertices_cycle; i++) {
        const struct vertex_item *item = queue_front(sched->vertices_in, now);
        if (!item || (sched->vertex_group && sched->vertex_group->count == full))
            break;
        if (sched->vertex_group && sched->vertex_group->draw != item->draw &&
            !sched_dispatch(sched, &sched->vertex_group, now))
            break;
        if (!sched->vertex_group)
            sched->vertex_group = sched_new_group(sched, &thread_vertices, item->draw,
                                                  item->draw->program[STAGE_VERTEX]);
        sched->vertex_group->vertices[sched->vertex_group->count++] = item->vertex;
        sched->vertex_since = now;
        sched->stats.vertices++;
        queue_pop(sched->vertices_in, now);
        worked = true;
        if (sched->vertex_group->count == full)
            sched_dispatch(sched, &sched->vertex_group, now);
    }
    return sched_send_if_due(sched, &sched->vertex_group, sched->vertex_since, now) || worked;
}

static bool
vertices_finish(struct sched *sched, const struct group *group)
{
    if (sched->finished_ring.count + group->count > sched->finished_ring.capacity)
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        sched->finished_vertices[ring_push(&sched->finished_ring)] = group->vertices[i];
    return true;
}

static bool
vertices_retire(struct sched *sched, uint64_t now, bool *blocked)
{
    (void)blocked;
    bool worked = false;
    while (sched->finished_ring.count && queue_space(sched->vertices_out, now)) {
        *(struct vertex_item *)queue_push(sched->vertices_out, now) = (struct vertex_item){
            ITEM_DATA, NULL, sched->finished_vertices[ring_pop(&sched->finished_ring)]};
        worked = true;
    }
    return worked;
}

const struct thread_source thread_vertices = {
    .kind = THREADS_vertices,
    .stage = STAGE_VERTEX,
    .item_threads = 1,
    .cause = CAUSE_vertex_issue,
    .load = vertices_load,
    .store = store,
    .take = thread_vertices_take,
    .assign = sched_least_loaded,
    .is_busy = sched_stage_is_busy,
    .finish = vertices_finish,
    .leave = vertices_retire,
};
