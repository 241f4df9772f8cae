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

/* Stores the vertex shader outputs of a lane. Clamps colors if the state requires it. */
void vertex_store(const struct draw *draw, const struct exec *exec, uint32_t lane,
                  struct vertex *out);

struct primitive_out {
    uint8_t vertices;   /* 1 point, 2 line, 3 triangle */
    uint8_t provoking;  /* index in v[] of the vertex that supplies flat attributes */
    uint8_t edge_flags; /* bit i: the edge from v[i] to v[i + 1] is an outer edge */
    /* Equal for all primitives of a draw that share one run of the line stipple. */
    uint32_t run;
    uint32_t v[3]; /* the caller's vertex handles, in winding order */
};

/* Forms primitives from vertices. Both are in order. */
struct assembler {
    uint8_t mode;
    bool flatshade_first;
    uint32_t count; /* vertices since the start or the last restart */
    uint32_t run;   /* `run` of the next primitive */
    enum inner_edges inner_edges;
    uint32_t triangles; /* number of triangles of the draw, to find its inner edges */
    uint32_t held[4];
};

void assembler_begin(struct assembler *assembler, const struct draw *draw);
/* Takes one vertex and writes up to 2 primitives. Returns the number of primitives. */
uint32_t assembler_vertex(struct assembler *assembler, uint32_t handle,
                          struct primitive_out out[2]);
/* Ends a run of vertices, at a restart index or at the end of the draw. This closes a line loop. */
uint32_t assembler_end(struct assembler *assembler, struct primitive_out out[2]);
/* Returns the handles to which later vertices can still refer (strips, fans, loops). */
uint32_t assembler_held(const struct assembler *assembler, uint32_t handles[4]);

#endif
