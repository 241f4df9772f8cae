/* Pools of what queue items point to. Memory comes from an arena in steps and is never given back
 * before the machine ends, so that clock functions do not allocate once a machine is warm. */
#include "unit/watch.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_STEP = 64 };

#define POOL_GROW(pools, list, type)                                                               \
    do {                                                                                           \
        type *fresh = arena_alloc((pools)->memory, POOL_STEP * sizeof(type));                      \
        for (uint32_t pool_i = 0; pool_i < POOL_STEP; pool_i++) {                                  \
            fresh[pool_i].next_free = (pools)->list;                                               \
            (pools)->list = &fresh[pool_i];                                                        \
        }                                                                                          \
    } while (0)

#define POOL_TAKE(pools, list, type, out)                                                          \
    do {                                                                                           \
        if (!(pools)->list)                                                                        \
            POOL_GROW(pools, list, type);                                                          \
        (out) = (pools)->list;                                                                     \
        (pools)->list = (out)->next_free;                                                          \
    } while (0)

void
pools_init(struct pools *pools)
{
    memset(pools, 0, sizeof *pools);
    pools->memory = mem_alloc(sizeof *pools->memory);
    arena_init(pools->memory);
}

void
pools_fini(struct pools *pools)
{
    /* those too that are at work: a run may be left in the middle of a draw */
    for (struct group *g = pools->all_groups; g; g = g->next_of_all)
        free(g->registers);
    arena_fini(pools->memory);
    free(pools->memory);
    memset(pools, 0, sizeof *pools);
}

struct pooled_vertex *
vertex_create(struct pools *pools)
{
    struct pooled_vertex *vertex;
    POOL_TAKE(pools, vertices, struct pooled_vertex, vertex);
    vertex->references = 1;
    vertex->shaded = false;
    return vertex;
}

void
vertex_release(struct pools *pools, struct pooled_vertex *vertex)
{
    if (--vertex->references)
        return;
    vertex->next_free = pools->vertices;
    pools->vertices = vertex;
}

struct pooled_triangle *
triangle_create(struct pools *pools)
{
    struct pooled_triangle *triangle;
    POOL_TAKE(pools, triangles, struct pooled_triangle, triangle);
    triangle->references = 1;
    return triangle;
}

void
triangle_release(struct pools *pools, struct pooled_triangle *triangle)
{
    if (--triangle->references)
        return;
    triangle->next_free = pools->triangles;
    pools->triangles = triangle;
}

struct quad *
quad_create(struct pools *pools, struct pooled_triangle *triangle)
{
    struct quad *quad;
    POOL_TAKE(pools, quads, struct quad, quad);
    triangle->references++;
    quad->triangle = triangle;
    quad->shaded = false;
    quad->watched = NULL;
    return quad;
}

void
quad_release(struct pools *pools, struct quad *quad)
{
    WATCH_RETIRED(quad);
    triangle_release(pools, quad->triangle);
    quad->next_free = pools->quads;
    pools->quads = quad;
}

/* Groups are as large as the machine's: fewer at a time. */
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
    }
}

struct group *
group_create(struct pools *pools)
{
    if (!pools->groups)
        grow_groups(pools);
    struct group *group = pools->groups;
    pools->groups = group->next_free;
    group->count = 0;
    group->texels_missing = 0;
    return group;
}

void
group_release(struct pools *pools, struct group *group)
{
    group->next_free = pools->groups;
    pools->groups = group;
}
