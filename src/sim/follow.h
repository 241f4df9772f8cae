/* One triangle (or line, or point) on its way through the machine: its vertices, itself, what
 * clipping made of it, its tiles and its quads, with the cycles in which each was sent into a queue
 * and taken from it. Collected from the traffic (sim/traffic.h) and the watch (unit/watch.h), which
 * only look. Cycles count from the start of the frame. */
#ifndef AETIUS_SIM_FOLLOW_H
#define AETIUS_SIM_FOLLOW_H

#include "sim/simulation.h"
#include "sim/traffic.h"
#include "unit/watch.h"

struct follow_target {
    uint32_t frame, draw, triangle; /* triangle: of the primitives that the draw assembles */
};

enum follow_kind {
    FOLLOW_DRAW,
    FOLLOW_READ, /* of a vertex's attributes, from memory */
    FOLLOW_VERTEX,
    FOLLOW_PRIMITIVE,
    FOLLOW_TRIANGLE, /* behind setup: clipping may make several */
    FOLLOW_TILE,
    FOLLOW_QUAD,
    FOLLOW_REQUEST,   /* of a quad for texels: beside its way */
    FOLLOW_OTHER_USE, /* of a vertex, by another primitive */
    FOLLOW_KINDS,
};

/* Something was in a queue. */
struct follow_hop {
    const struct queue *queue;
    enum follow_kind kind;
    uint32_t thing;       /* number of that kind; of a request its quad's */
    uint64_t sent, taken; /* taken: CYCLE_NEVER when it was not yet */
};

struct follow_vertex {
    const struct pooled_vertex *vertex; /* in the machine: for the time of its draw */
    uint32_t index, instance;
    bool is_shaded; /* and back in the streamer, or on its way there */
};

struct follow_read { /* a transaction that the streamer asked for */
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
    VEC(struct follow_hop) hops;        /* in the order in which they were sent */
    VEC(struct follow_vertex) vertices; /* those of the draw, up to the primitive */
    VEC(struct follow_read) reads; /* of attributes, since the draw began, up to the primitive */
    VEC(const struct pooled_triangle *) triangles;
    VEC(struct follow_tile) tiles;
    bool frame_seen, draw_seen;
    uint32_t primitives; /* of the draw, so far */
    /* of the primitive, when `found`: it was assembled */
    bool found;
    uint32_t corner_count; /* 1: a point, 2: a line */
    uint32_t corners[3];   /* of `vertices` */
    enum clip_result clip;
    uint32_t made;        /* triangles that setup makes of it */
    enum setup_loss lost; /* when there are none, and it was not rejected */
    bool front;
    int32_t min_x, min_y, max_x, max_y; /* of all of these: pixels, inclusive */
};

/* "F:D:T". */
bool follow_parse(struct follow_target *target, const char *text, struct error *err);

/* From now on. `watch` is the machine's; it is set to follow too. */
void follow_begin(struct follow *follow, const struct follow_target *target, struct simulation *sim,
                  struct watch *watch);
void follow_end(struct follow *follow); /* listens no longer; what was seen stays */
void follow_fini(struct follow *follow);

/* Whether the triangle was met; the message says what there was instead. */
bool follow_check(const struct follow *follow, struct error *err);

#endif
