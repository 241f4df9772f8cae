/* Vertices and primitives: fetch (from bytes to attributes), and assembly (from vertices to points,
 * lines and triangles). */
#ifndef AETIUS_GFX_VERTEX_H
#define AETIUS_GFX_VERTEX_H

#include "isa/exec.h"
#include "state/draw.h"

struct vertex { /* shaded vertex: the outputs of the vertex shader */
    float out[MAX_VARYINGS][4];
};

/* Returns the memory address of one vertex attribute, or 0 if it is outside the buffer. In that
 * case the attribute is 0, 0, 0, 1. `vertex` includes the index bias. */
uint32_t fetch_address(const struct draw *draw, uint32_t attribute, uint32_t vertex,
                       uint32_t instance);
void fetch_attribute(const struct format_info *format, const uint8_t *bytes, float out[4]);
/* Reads and decodes an attribute from memory, without timing. */
void fetch_from_memory(const struct draw *draw, const struct gpu_memory *memory, uint32_t attribute,
                       uint32_t vertex, uint32_t instance, float out[4]);

/* Finds vertex number `i` of an instance. `index` is the value in the index buffer, or 0 outside
 * the buffer. `vertex` includes the index bias. Without an index buffer, both are equal. Returns
 * false if the index restarts the primitive. */
bool fetch_vertex_number(const struct draw *draw, const struct gpu_memory *memory, uint32_t i,
                         uint32_t *index, uint32_t *vertex);

/* Stores the outputs of the vertex program in a lane. */
void vertex_store(const struct draw *draw, const struct exec *exec, uint32_t lane,
                  struct vertex *out);

/* Stores vertex `n` that a lane of the geometry program has emitted. */
void emitted_store(const struct exec *exec, uint32_t lane, uint32_t n, struct vertex *out);
/* Stores the inputs of the geometry program in a lane. v[]: primitive_input_count() vertices. */
void geometry_load(const struct draw *draw, const struct vertex *const v[], struct exec *exec,
                   uint32_t lane, uint32_t id);

struct primitive_out {
    uint8_t vertices;   /* 1 point, 2 line, 3 triangle */
    uint8_t provoking;  /* index in v[] of the vertex that supplies flat attributes */
    uint8_t edge_flags; /* bit i: the edge from v[i] to v[i + 1] is an outer edge */
    /* Equal for all primitives of a draw that share one run of the line stipple. */
    uint32_t run;
    uint32_t id;   /* gl_PrimitiveID: number of the API's primitive within the instance */
    uint32_t v[3]; /* the caller's vertex handles, in winding order */
    /* Vertices that only geometry programs see. Lines have 2: before v[0] and after v[1]. Triangles
     * have 3: adjacent[i] is opposite the edge from v[i] to v[i + 1]. */
    uint8_t adjacents;
    uint32_t adjacent[3];
};

enum { ASSEMBLER_HELD = 9 }; /* handles to which later vertices can refer, at most */

/* Forms primitives from vertices. Both are in order. */
struct assembler {
    uint8_t mode;
    bool flatshade_first;
    uint32_t count; /* vertices since the start or the last restart */
    uint32_t run;   /* `run` of the next primitive */
    enum inner_edges inner_edges;
    uint32_t triangles; /* number of triangles of the draw, to find its inner edges */
    uint32_t id;        /* `id` of the next primitive */
    /* The last vertices. Triangle strips with adjacency: held[0] has the number `first_held`. */
    uint32_t held[ASSEMBLER_HELD + 1], first_held;
};

/* Returns the vertex that a geometry program sees as vertex `i` of the primitive: the number of one
 * of v[], or 3 plus that of one of adjacent[]. */
uint32_t primitive_input(const struct primitive_out *primitive, uint32_t i);
static inline uint32_t
primitive_input_count(const struct primitive_out *primitive)
{
    return primitive->vertices + primitive->adjacents;
}

/* Returns the layer of a layered framebuffer to which a primitive is rendered. */
uint32_t primitive_layer(const struct draw *draw, const struct vertex *provoking);

/* Assembles the primitives of the draw, or those that its geometry program emits. */
void assembler_begin_emitted(struct assembler *assembler, const struct draw *draw);
/* Starts an instance, whose primitives are numbered from 0. */
void assembler_begin_instance(struct assembler *assembler);
void assembler_begin(struct assembler *assembler, const struct draw *draw);
/* Takes one vertex and writes up to 2 primitives. Returns the number of primitives. */
uint32_t assembler_vertex(struct assembler *assembler, uint32_t handle,
                          struct primitive_out out[2]);
/* Ends a run of vertices, at a restart index or at the end of the draw. This closes a line loop. */
uint32_t assembler_end(struct assembler *assembler, struct primitive_out out[2]);
/* Returns the handles to which later vertices can still refer (strips, fans, loops). */
uint32_t assembler_held(const struct assembler *assembler, uint32_t handles[ASSEMBLER_HELD]);

#endif
