/* Pools of the objects that queue items point to. The pools grow in steps from an arena, which is
 * freed only with the machine. Clock functions therefore stop allocating after the first draws. */
#include "unit/watch.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_STEP = 64 };

#define POOL_GROW(pools, list, total, type)                                                        \
    do {                                                                                           \
        type *fresh = arena_alloc((pools)->memory, POOL_STEP * sizeof(type));                      \
        (pools)->total += POOL_STEP;                                                               \
        for (uint32_t pool_i = 0; pool_i < POOL_STEP; pool_i++) {                                  \
            fresh[pool_i].next_free = (pools)->list;                                               \
            (pools)->list = &fresh[pool_i];                                                        \
        }                                                                                          \
    } while (0)

#define POOL_TAKE(pools, list, total, type, out)                                                   \
    do {                                                                                           \
        if (!(pools)->list)                                                                        \
            POOL_GROW(pools, list, total, type);                                                   \
        (out) = (pools)->list;                                                                     \
        (pools)->list = (out)->next_free;                                                          \
    } while (0)

/* Checks that the free list contains as many objects as were created. */
#define POOL_IS_WHOLE(pools, list, total, type)                                                    \
    do {                                                                                           \
        uint32_t free_##list = 0;                                                                  \
        for (const type *item = (pools)->list; item && free_##list <= (pools)->total;              \
             item = item->next_free)                                                               \
            free_##list++;                                                                         \
        INVARIANT(pools, free_##list == (pools)->total);                                           \
    } while (0)

void
pools_init(struct pools *pools, const struct clock *clock)
{
    memset(pools, 0, sizeof *pools);
    pools->name = "pools";
    pools->clock = clock;
    pools->memory = mem_alloc(sizeof *pools->memory);
    arena_init(pools->memory);
}

void
pools_fini(struct pools *pools)
{
    /* The list includes groups in use, because a run may end in the middle of a draw. */
    for (struct group *g = pools->all_groups; g; g = g->next_of_all) {
        free(g->registers);
        free(g->constants.pending);
    }
    arena_fini(pools->memory);
    free(pools->memory);
    memset(pools, 0, sizeof *pools);
}

void
pools_reset(const struct pools *pools)
{
    if (!INVARIANTS)
        return;
    POOL_IS_WHOLE(pools, vertices, vertex_count, struct pooled_vertex);
    POOL_IS_WHOLE(pools, triangles, triangle_count, struct pooled_triangle);
    POOL_IS_WHOLE(pools, quads, quad_count, struct quad);
    POOL_IS_WHOLE(pools, groups, group_count, struct group);
}

struct pooled_vertex *
vertex_create(struct pools *pools)
{
    struct pooled_vertex *vertex;
    POOL_TAKE(pools, vertices, vertex_count, struct pooled_vertex, vertex);
    INVARIANT(pools, vertex->references == 0);
    vertex->references = 1;
    vertex->shaded = false;
    return vertex;
}

void
vertex_release(struct pools *pools, struct pooled_vertex *vertex)
{
    INVARIANT(pools, vertex->references > 0);
    if (--vertex->references)
        return;
    vertex->next_free = pools->vertices;
    pools->vertices = vertex;
}

struct pooled_triangle *
triangle_create(struct pools *pools)
{
    struct pooled_triangle *triangle;
    POOL_TAKE(pools, triangles, triangle_count, struct pooled_triangle, triangle);
    INVARIANT(pools, triangle->references == 0);
    triangle->references = 1;
    return triangle;
}

void
triangle_release(struct pools *pools, struct pooled_triangle *triangle)
{
    INVARIANT(pools, triangle->references > 0);
    if (--triangle->references)
        return;
    triangle->next_free = pools->triangles;
    pools->triangles = triangle;
}

struct quad *
quad_create(struct pools *pools, struct pooled_triangle *triangle)
{
    struct quad *quad;
    POOL_TAKE(pools, quads, quad_count, struct quad, quad);
    triangle_hold(pools, triangle);
    quad->triangle = triangle;
    quad->shaded = false;
    quad->watched = NULL;
    return quad;
}

void
quad_release(struct pools *pools, struct quad *quad)
{
    INVARIANT(pools, quad->triangle != NULL); /* no double release */
    WATCH_RETIRED(quad);
    triangle_release(pools, quad->triangle);
    if (INVARIANTS)
        quad->triangle = NULL;
    quad->next_free = pools->quads;
    pools->quads = quad;
}

/* Groups are large, so each step allocates fewer of them than of other objects. */
static void
grow_groups(struct pools *pools)
{
    const uint32_t threads = pools->group_threads;
    const uint32_t blocks = (threads + EXEC_MAX_LANES - 1) / EXEC_MAX_LANES;
    for (uint32_t i = 0; i < POOL_STEP / EXEC_MAX_BLOCKS; i++) {
        struct group *group = arena_alloc(pools->memory, sizeof *group);
        group->quads = arena_alloc(pools->memory, threads * sizeof *group->quads);
        group->exec = arena_alloc(pools->memory, blocks * sizeof *group->exec);
        group->texels = arena_alloc(pools->memory, blocks * sizeof *group->texels);
        group->next_of_all = pools->all_groups;
        pools->all_groups = group;
        group->next_free = pools->groups;
        pools->groups = group;
        pools->group_count++;
    }
}

struct group *
group_create(struct pools *pools)
{
    if (!pools->groups)
        grow_groups(pools);
    struct group *group = pools->groups;
    pools->groups = group->next_free;
    group->number = pools->group_number++;
    group->count = 0;
    group->texels_missing = 0;
    return group;
}

void
group_release(struct pools *pools, struct group *group)
{
    INVARIANT(pools, group->draw != NULL); /* no double release */
    if (INVARIANTS)
        group->draw = NULL;
    group->next_free = pools->groups;
    pools->groups = group;
}
