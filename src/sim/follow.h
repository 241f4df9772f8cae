/* Follows one triangle, line or point through the machine: its vertices, the primitive, the
 * triangles that clipping produces, its tiles and its quads. Records the cycles in which each item
 * was pushed into a queue and popped from it. Data comes from the traffic observer (sim/traffic.h)
 * and the watch (unit/watch.h), which do not change the simulation. Cycles count from the start of
 * the frame. */
#ifndef AETIUS_SIM_FOLLOW_H
#define AETIUS_SIM_FOLLOW_H

#include "sim/simulation.h"
#include "sim/traffic.h"
#include "unit/watch.h"

struct follow_target {
    uint32_t frame, draw, triangle; /* triangle: index of the primitive in the draw */
};

enum follow_kind {
    FOLLOW_DRAW,
    FOLLOW_READ, /* memory read of a vertex's attributes */
    FOLLOW_VERTEX,
    FOLLOW_INPUT,     /* primitive for which a geometry program runs */
    FOLLOW_STORE,     /* memory write of vertices that it emits, and its confirmation */
    FOLLOW_LOAD,      /* memory read of these vertices */
    FOLLOW_PRIMITIVE, /* with a geometry program: an emitted primitive */
    FOLLOW_TRIANGLE,  /* after setup; clipping may produce several */
    FOLLOW_TILE,
    FOLLOW_QUAD,
    FOLLOW_REQUEST,   /* texture request of a quad; not on the quad's own path */
    FOLLOW_OTHER_USE, /* use of a vertex by another primitive */
    FOLLOW_KINDS,
};

/* One item's time in a queue. */
struct follow_hop {
    const struct queue *queue;
    enum follow_kind kind;
    uint32_t thing;       /* index within its kind; for a texture request, the index of its quad */
    uint64_t sent, taken; /* taken: CYCLE_NEVER while the item is in the queue */
};

struct follow_vertex {
    const struct pooled_vertex *vertex; /* in the machine's pool; valid during its draw */
    uint32_t index, instance;
    bool is_shaded; /* shaded, and back in the Streamer or on the return path */
};

struct follow_read { /* transaction requested by the Streamer */
    uint32_t address, tag;
    bool is_answered, is_of_corner;
};

struct follow_input {
    const struct geometry_job *job; /* of Geometry Assembly; NULL: not accepted yet */
    uint32_t corner_count, corners[MAX_PRIMITIVE_VERTICES];
    uint64_t assembled;              /* cycle */
    uint32_t ring_start, ring_bytes; /* its part of the ring in memory; 0 bytes: none */
    uint32_t made;                   /* primitives, once the program has run */
};

struct follow_emission { /* transaction of emitted vertices */
    uint32_t address, input;
    bool write, is_answered;
};

struct follow_tile {
    uint16_t x, y;
    uint32_t triangle, fragments;
};

struct follow {
    struct follow_target target;
    const struct simulation *sim;
    struct traffic traffic;
    struct watch *watch;                /* its courses are the quads */
    VEC(struct follow_hop) hops;        /* in push order */
    VEC(struct follow_vertex) vertices; /* vertices of the draw, up to the primitive */
    VEC(struct follow_read) reads;      /* attribute reads of the draw, up to the primitive */
    VEC(struct follow_input) inputs;    /* of a draw with a geometry program */
    uint32_t jobs;                      /* inputs that Geometry Assembly has accepted */
    VEC(struct follow_emission) emissions;
    VEC(const struct pooled_triangle *) triangles;
    VEC(struct follow_tile) tiles;
    bool frame_seen, draw_seen, emission_over;
    uint32_t primitives; /* primitives of the draw assembled so far */
    /* The members below are valid if `found` is true, after assembly of the primitive. */
    bool found;
    uint32_t corner_count; /* 1: point, 2: line */
    uint32_t source;       /* index into `inputs` of the primitive that emitted it */
    uint32_t vertex_count; /* of the primitive, or of its source */
    uint32_t corners[MAX_PRIMITIVE_VERTICES]; /* indices into `vertices` */
    enum clip_result clip;
    uint32_t made;        /* number of triangles after setup */
    enum setup_loss lost; /* reason if setup made no triangle without rejecting it */
    bool front;
    int32_t min_x, min_y, max_x, max_y; /* bounds of these triangles in pixels, inclusive */
};

/* Parses "FRAME:DRAW:TRIANGLE". */
bool follow_parse(struct follow_target *target, const char *text, struct error *err);

/* Starts recording. `watch` belongs to the machine and is set to follow the same triangle. */
void follow_begin(struct follow *follow, const struct follow_target *target, struct simulation *sim,
                  struct watch *watch);
void follow_end(struct follow *follow); /* stops recording; keeps the data */
void follow_fini(struct follow *follow);

/* Returns whether the triangle was found. If not, the message states what was found instead. */
bool follow_check(const struct follow *follow, struct error *err);

#endif
