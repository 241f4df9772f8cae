/* Vertices that an assembler may still use, found by handle (gfx/vertex.h). The owner holds one
 * reference each. */
#ifndef AETIUS_UNIT_HELD_VERTICES_H
#define AETIUS_UNIT_HELD_VERTICES_H

#include "unit/items.h"

struct held_vertices {
    struct pooled_vertex *vertices[ASSEMBLER_HELD + 1];
    uint32_t handles[ASSEMBLER_HELD + 1], count;
    uint32_t next_handle;
};

/* Takes over a reference to the vertex. Returns its handle. */
static inline uint32_t
held_add(struct held_vertices *held, struct pooled_vertex *vertex)
{
    held->vertices[held->count] = vertex;
    held->handles[held->count++] = held->next_handle;
    return held->next_handle++;
}

static inline struct pooled_vertex *
held_find(const struct held_vertices *held, uint32_t handle)
{
    for (uint32_t i = 0; i < held->count; i++)
        if (held->handles[i] == handle)
            return held->vertices[i];
    BUG("vertex %u is not stored", handle);
}

/* Releases the vertices that the assembler no longer needs. */
static inline void
held_keep(struct held_vertices *held, const struct assembler *assembler, struct pools *pools)
{
    uint32_t needed[ASSEMBLER_HELD], kept = 0;
    const uint32_t count = assembler_held(assembler, needed);
    for (uint32_t i = 0; i < held->count; i++) {
        bool keep = false;
        for (uint32_t n = 0; n < count; n++)
            keep |= needed[n] == held->handles[i];
        if (!keep) {
            vertex_release(pools, held->vertices[i]);
            continue;
        }
        held->vertices[kept] = held->vertices[i];
        held->handles[kept++] = held->handles[i];
    }
    held->count = kept;
}

#endif
