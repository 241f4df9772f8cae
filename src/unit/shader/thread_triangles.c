/* Source of triangles for the shader units, with TriangleSetupOnShader. Triangles come from
 * Triangle Setup and go to the unit with the fewest groups. They return in any order, through a
 * ring.
 *
 * Triangles have priority over vertices and quads: they are the first source in
 * thread_sources.def, and a group that is not full leaves after GroupLinger cycles although its
 * unit is busy. A deadlock is impossible. Triangle Setup has reserved an entry for each of its
 * triangles, so it takes every result at once, and groups of triangles always leave the shader
 * units.
 *
 * The edges and planes that the pipeline uses are those of gfx/setup.c, computed by Triangle Setup.
 * The program's results are not used. It has no branches, so its time does not depend on its
 * inputs, which are 0. */
#include "unit/shader/thread_source.h"

#include <string.h>

static void
triangles_load(struct group *group)
{
    for (uint32_t b = 0; b < group->exec->blocks; b++)
        memset(group->exec[b].inputs, 0,
               (size_t)group->program->input_count * 4 * group->exec[b].lanes * sizeof(float));
}

static void
store(struct group *group, struct shader_stats *stats)
{
    (void)group;
    (void)stats;
}

/* Takes a triangle, or the end of a draw. Returns false if it must wait for a group to leave. */
static bool
take_item(struct sched *sched, const struct triangle_item *item, uint64_t now)
{
    struct group **group = &sched->triangle_group;
    const uint32_t full = sched->full[THREADS_triangles];
    if (item->kind == ITEM_END)
        return !*group || sched_dispatch(sched, group, now);
    if (*group && (*group)->count == full)
        return false;
    if (!*group)
        *group = sched_new_group(sched, &thread_triangles, item->draw, sched->setup_program);
    (*group)->triangles[(*group)->count++] = item->triangle;
    sched->triangle_since = now;
    sched->stats.triangles++;
    if ((*group)->count == full)
        sched_dispatch(sched, group, now);
    return true;
}

static bool
thread_triangles_take(struct sched *sched, uint64_t now)
{
    bool worked = false;
    for (const struct triangle_item *item; (item = queue_front(sched->triangles_in, now));) {
        if (!take_item(sched, item, now))
            break;
        queue_pop(sched->triangles_in, now);
        worked = true;
    }
    return sched_send_if_due(sched, &sched->triangle_group, sched->triangle_since, now) || worked;
}

static bool
is_busy(const struct sched *sched, const struct group *group)
{
    (void)sched;
    (void)group;
    return false;
}

static bool
triangles_finish(struct sched *sched, const struct group *group)
{
    if (sched->triangle_ring.count + group->count > sched->triangle_ring.capacity)
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        sched->finished_triangles[ring_push(&sched->triangle_ring)] = group->triangles[i];
    return true;
}

static bool
triangles_retire(struct sched *sched, uint64_t now, bool *blocked)
{
    (void)blocked;
    bool worked = false;
    while (sched->triangle_ring.count && queue_space(sched->triangles_out, now)) {
        struct pooled_triangle *triangle =
            sched->finished_triangles[ring_pop(&sched->triangle_ring)];
        *(struct triangle_item *)queue_push(sched->triangles_out, now) =
            (struct triangle_item){ITEM_DATA, triangle->triangle.draw, triangle};
        worked = true;
    }
    return worked;
}

const struct thread_source thread_triangles = {
    .kind = THREADS_triangles,
    .stage = STAGE_VERTEX,
    .item_threads = 1,
    .cause = CAUSE_triangle_issue,
    .load = triangles_load,
    .store = store,
    .take = thread_triangles_take,
    .assign = sched_least_loaded,
    .is_busy = is_busy,
    .finish = triangles_finish,
    .leave = triangles_retire,
};
