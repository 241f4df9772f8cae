/* Reorders the triangles of a draw for reuse of shaded vertices, as if the program had done so
 * (`aetius whatif --index-order`). Equal vertices get one number, so that draws without indices
 * benefit too. The new indices are in memory before the draw, at no simulated time. The order is
 * that of Tipsify: P. Sander, D. Nehab and J. Barczak, Fast Triangle Reordering for Vertex Locality
 * and Reduced Overdraw, SIGGRAPH 2007, section 3. */
#include "base/mem.h"
#include "gfx/vertex.h"
#include "sim/machine_internal.h"
#include "state/vertex_order.h"

#include <stdlib.h>
#include <string.h>

struct mesh {
    const struct draw *draw;
    const uint8_t *memory;
    uint32_t triangles, vertices, cache; /* vertices: different ones; cache: its size */
    uint32_t *corners;                   /* 3 per triangle: numbers below `vertices` */
    uint32_t *numbers;                   /* number of each vertex in the program's arrays */
    /* Triangles of each vertex: members [first[v], first[v + 1]) of `around`. */
    uint32_t *first, *around;
    uint32_t *live;      /* triangles of the vertex that are not yet in the result */
    uint32_t *since;     /* time at which the vertex entered the cache */
    bool *done;          /* triangles in the result */
    uint32_t now, begin; /* time, and first vertex that may still be live */
    VEC(uint32_t) dead_ends, near, result; /* result: vertices, 3 per triangle */
};

/* Bytes of an attribute that differs between the vertices of an instance; NULL: none. */
static const uint8_t *
attribute_of(const struct mesh *mesh, uint32_t attribute, uint32_t vertex, uint32_t *bytes)
{
    const struct bound_attribute *a = &mesh->draw->attributes[attribute];
    const uint32_t address = a->divisor ? 0 : fetch_address(mesh->draw, attribute, vertex, 0);
    *bytes = address ? a->format->block_bytes : 0;
    return address ? mesh->memory + address : NULL;
}

static bool
equal_vertices(const struct mesh *mesh, uint32_t v, uint32_t w)
{
    for (uint32_t i = 0; i < mesh->draw->attribute_count; i++) {
        uint32_t bytes, other;
        const uint8_t *a = attribute_of(mesh, i, v, &bytes);
        const uint8_t *b = attribute_of(mesh, i, w, &other);
        if (bytes != other || (bytes && memcmp(a, b, bytes) != 0))
            return false;
    }
    return true;
}

static uint32_t
hash_vertex(const struct mesh *mesh, uint32_t vertex)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < mesh->draw->attribute_count; i++) {
        uint32_t bytes;
        const uint8_t *a = attribute_of(mesh, i, vertex, &bytes);
        for (uint32_t b = 0; b < bytes; b++)
            hash = (hash ^ a[b]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* Numbers the distinct vertices in the order of their first use. */
static void
number_vertices(struct mesh *mesh)
{
    uint32_t size = 16;
    while (size < 6 * mesh->triangles)
        size *= 2;
    uint32_t *table = mem_array(size, sizeof *table); /* number + 1; 0: free */
    for (uint32_t i = 0; i < 3 * mesh->triangles; i++) {
        uint32_t index, vertex;
        const struct gpu_memory memory = {.bytes = (uint8_t *)(uintptr_t)mesh->memory};
        fetch_vertex_number(mesh->draw, &memory, i, &index, &vertex);
        uint32_t at = hash_vertex(mesh, vertex) & (size - 1);
        while (table[at] && mesh->numbers[table[at] - 1] != vertex &&
               !equal_vertices(mesh, mesh->numbers[table[at] - 1], vertex))
            at = (at + 1) & (size - 1);
        if (!table[at]) {
            mesh->numbers[mesh->vertices] = vertex;
            table[at] = ++mesh->vertices;
        }
        mesh->corners[i] = table[at] - 1;
    }
    free(table);
}

static void
list_triangles(struct mesh *mesh)
{
    for (uint32_t i = 0; i < 3 * mesh->triangles; i++)
        mesh->live[mesh->corners[i]]++;
    for (uint32_t v = 0; v < mesh->vertices; v++)
        mesh->first[v + 1] = mesh->first[v] + mesh->live[v];
    uint32_t *next = mem_array(mesh->vertices, sizeof *next);
    memcpy(next, mesh->first, mesh->vertices * sizeof *next);
    for (uint32_t i = 0; i < 3 * mesh->triangles; i++)
        mesh->around[next[mesh->corners[i]]++] = i / 3;
    free(next);
}

static void
emit_vertex(struct mesh *mesh, uint32_t vertex)
{
    VEC_PUSH(&mesh->result, vertex);
    VEC_PUSH(&mesh->dead_ends, vertex);
    VEC_PUSH(&mesh->near, vertex);
    mesh->live[vertex]--;
    if (mesh->now - mesh->since[vertex] > mesh->cache)
        mesh->since[vertex] = mesh->now++;
}

/* A vertex that still has triangles after the neighbors of the last one lack any; UINT32_MAX:
 * none. */
static uint32_t
skip_dead_end(struct mesh *mesh)
{
    while (mesh->dead_ends.count) {
        const uint32_t vertex = mesh->dead_ends.items[--mesh->dead_ends.count];
        if (mesh->live[vertex])
            return vertex;
    }
    while (mesh->begin < mesh->vertices && !mesh->live[mesh->begin])
        mesh->begin++;
    return mesh->begin < mesh->vertices ? mesh->begin : UINT32_MAX;
}

/* The neighbor that has been in the cache longest and stays in it for its remaining triangles. */
static uint32_t
next_vertex(struct mesh *mesh)
{
    uint32_t best = UINT32_MAX, oldest = 0;
    for (size_t i = 0; i < mesh->near.count; i++) {
        const uint32_t v = mesh->near.items[i], age = mesh->now - mesh->since[v];
        if (!mesh->live[v])
            continue;
        const uint32_t rank = age + 2 * mesh->live[v] <= mesh->cache ? age + 1 : 1;
        if (rank > oldest) {
            oldest = rank;
            best = v;
        }
    }
    return best == UINT32_MAX ? skip_dead_end(mesh) : best;
}

static void
order_triangles(struct mesh *mesh)
{
    mesh->now = mesh->cache + 1;
    for (uint32_t v = 0; v != UINT32_MAX; v = next_vertex(mesh)) {
        mesh->near.count = 0;
        for (uint32_t i = mesh->first[v]; i < mesh->first[v + 1]; i++) {
            const uint32_t t = mesh->around[i];
            for (uint32_t c = 0; c < 3 && !mesh->done[t]; c++)
                emit_vertex(mesh, mesh->corners[3 * t + c]);
            mesh->done[t] = true;
        }
    }
}

/* Number of vertices shaded with a cache of the last `cache` vertices, first in, first out. */
static uint32_t
count_misses(struct mesh *mesh, const uint32_t *order)
{
    uint32_t misses = 0;
    memset(mesh->since, 0, mesh->vertices * sizeof *mesh->since);
    for (uint32_t i = 0; i < 3 * mesh->triangles; i++)
        if (!mesh->since[order[i]] || misses - mesh->since[order[i]] >= mesh->cache)
            mesh->since[order[i]] = ++misses;
    return misses;
}

/* Misses of the draw as it is: a draw without indices reuses nothing. */
static uint32_t
misses_before(struct mesh *mesh)
{
    return mesh->draw->params.indexed ? count_misses(mesh, mesh->corners) : 3 * mesh->triangles;
}

static void
mesh_init(struct mesh *mesh)
{
    const size_t corners = 3 * (size_t)mesh->triangles;
    mesh->corners = mem_array(corners, sizeof *mesh->corners);
    mesh->numbers = mem_array(corners, sizeof *mesh->numbers);
    number_vertices(mesh);
    mesh->first = mem_array(mesh->vertices + 1, sizeof *mesh->first);
    mesh->around = mem_array(corners, sizeof *mesh->around);
    mesh->live = mem_array(mesh->vertices, sizeof *mesh->live);
    mesh->since = mem_array(mesh->vertices, sizeof *mesh->since);
    mesh->done = mem_array(mesh->triangles, sizeof *mesh->done);
    list_triangles(mesh);
}

static void
mesh_fini(struct mesh *mesh)
{
    free(mesh->corners);
    free(mesh->numbers);
    free(mesh->first);
    free(mesh->around);
    free(mesh->live);
    free(mesh->since);
    free(mesh->done);
    VEC_FREE(&mesh->dead_ends);
    VEC_FREE(&mesh->near);
    VEC_FREE(&mesh->result);
}

bool
machine_order_indices(struct machine *m, struct draw *draw, struct error *err)
{
    struct mesh mesh = {.draw = draw,
                        .triangles = draw->params.count / 3,
                        .cache = m->params.STREAMER.OutputMemorySize};
    if (mesh.cache > VERTEX_ORDER_CACHE)
        mesh.cache = VERTEX_ORDER_CACHE;
    bool ok = true;
    if (!draw_reorders(draw))
        return true;
    if (!machine_await_uploads(m, draw, err))
        return false;
    mesh.memory = m->device->memory.bytes;
    mesh_init(&mesh);
    order_triangles(&mesh);
    if (count_misses(&mesh, mesh.result.items) < misses_before(&mesh)) {
        for (size_t i = 0; i < mesh.result.count; i++)
            mesh.result.items[i] = mesh.numbers[mesh.result.items[i]];
        ok = machine_set_indices(m, draw, mesh.result.items, (uint32_t)mesh.result.count, err);
    }
    mesh_fini(&mesh);
    return ok;
}
