/* Follows one triangle (or line, or point) through the machine: its vertices, the primitive, the
 * triangles that clipping makes, its tiles and its quads. Records the cycles in which each was
 * pushed into a queue and taken from it. The data comes from the traffic (sim/traffic.h) and the
 * watch (unit/watch.h), which only observe. Cycles count from the start of the frame. */
#ifndef AETIUS_SIM_FOLLOW_H
#define AETIUS_SIM_FOLLOW_H

#include "sim/simulation.h"
#include "sim/traffic.h"
#include "unit/watch.h"

struct follow_target {
    uint32_t frame, draw, triangle; /* triangle: index among the draw's primitives */
};

enum follow_kind {
    FOLLOW_DRAW,
    FOLLOW_READ, /* a memory read of a vertex's attributes */
    FOLLOW_VERTEX,
    FOLLOW_PRIMITIVE,
    FOLLOW_TRIANGLE, /* after setup; clipping may make several */
    FOLLOW_TILE,
    FOLLOW_QUAD,
    FOLLOW_REQUEST,   /* texture request of a quad, beside its path */
    FOLLOW_OTHER_USE, /* a vertex, for another primitive */
    FOLLOW_KINDS,
};

/* A stay in a queue. */
struct follow_hop {
    const struct queue *queue;
    enum follow_kind kind;
    uint32_t thing;       /* index within its kind; of a request: its quad's */
    uint64_t sent, taken; /* taken: CYCLE_NEVER while in the queue */
};

struct follow_vertex {
    const struct pooled_vertex *vertex; /* in the machine's pool; valid during its draw */
    uint32_t index, instance;
    bool is_shaded; /* and back in the Streamer, or on the path back */
};

struct follow_read { /* transaction that the Streamer requested */
    uint32_t address, tag;
    bool is_answered, is_of_corner;
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
    VEC(struct follow_hop) hops;        /* in the order of their pushes */
    VEC(struct follow_vertex) vertices; /* vertices of the draw, up to the primitive */
    VEC(struct follow_read) reads;      /* attribute reads of the draw, up to the primitive */
    VEC(const struct pooled_triangle *) triangles;
    VEC(struct follow_tile) tiles;
    bool frame_seen, draw_seen;
    uint32_t primitives; /* number assembled in the draw so far */
    /* Valid once `found`, when the primitive has been assembled. */
    bool found;
    uint32_t corner_count; /* 1: a point, 2: a line */
    uint32_t corners[3];   /* indices into `vertices` */
    enum clip_result clip;
    uint32_t made;        /* number of triangles that setup makes of it */
    enum setup_loss lost; /* reason for 0 triangles without rejection */
    bool front;
    int32_t min_x, min_y, max_x, max_y; /* bounds of these triangles in pixels, inclusive */
};

/* Parses "FRAME:DRAW:TRIANGLE". */
bool follow_parse(struct follow_target *target, const char *text, struct error *err);

/* Starts to record. `watch` belongs to the machine; it is set to follow the same triangle. */
void follow_begin(struct follow *follow, const struct follow_target *target, struct simulation *sim,
                  struct watch *watch);
void follow_end(struct follow *follow); /* stops recording; keeps the data */
void follow_fini(struct follow *follow);

/* Whether the triangle was found. The message states what was found instead. */
bool follow_check(const struct follow *follow, struct error *err);

#endif
