/* Observes when each item in the machine's queues was pushed and popped, to follow work through the
 * units (report/timeline/perfetto.h, report/timeline/signals.h, sim/follow.h). Costs nothing unless
 * used, and changes neither values nor timing. */
#ifndef AETIUS_SIM_TRAFFIC_H
#define AETIUS_SIM_TRAFFIC_H

#include "sim/machine.h"

/* Type of a queue's items, as in machine.def. */
enum traffic_kind {
    TRAFFIC_DRAW,      /* struct draw_item */
    TRAFFIC_VERTEX,    /* struct vertex_item */
    TRAFFIC_PRIMITIVE, /* struct primitive_item */
    TRAFFIC_JOB,       /* struct geometry_item */
    TRAFFIC_TRIANGLE,  /* struct triangle_item */
    TRAFFIC_TILE,      /* struct tile_item */
    TRAFFIC_QUAD,      /* struct quad_item */
    TRAFFIC_GROUP,     /* struct group_item */
    TRAFFIC_TEXTURE,   /* struct texture_item */
    TRAFFIC_REQUEST,   /* struct memory_request, without a draw */
    TRAFFIC_REPLY,     /* struct memory_reply, without a draw */
    TRAFFIC_ORDER,     /* struct control_item, blit_item */
    TRAFFIC_DONE,      /* struct done_item: completion of an order */
    TRAFFIC_UPDATE,    /* triangle credits, depths of blocks, block states */
};

struct traffic_queue {
    const struct queue *queue;
    enum traffic_kind kind;
    uint64_t *tags;       /* tag of each item in the queue, indexed like the queue's ring */
    uint64_t sent, taken; /* items so far */
};

struct traffic_listener {
    void *data;
    /* An item was pushed in this cycle. The returned tag is passed to `taken`. 0: `taken` is not
     * called for the item. */
    uint64_t (*sent)(void *data, const struct traffic_queue *queue, const void *item, uint64_t now);
    void (*taken)(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now);
    void (*cycle)(void *data, uint64_t now); /* called last in each cycle; may be NULL */
};

struct traffic {
    struct clock *clock;
    struct traffic_listener listener;
    struct traffic_queue queues[CLOCK_MAX_QUEUES];
    uint32_t count;
    bool is_started; /* the first observed cycle has passed */
};

/* Observes cycles `first` to `last`. Items that are in a queue before the first observed cycle are
 * reported as sent in the cycle before it. `traffic` must not move in memory before traffic_end().
 */
void traffic_begin(struct traffic *traffic, struct machine *machine,
                   const struct traffic_listener *listener, uint64_t first, uint64_t last);
void traffic_end(struct traffic *traffic);

/* Draw that an item belongs to; NULL: the item names no draw. */
const struct draw *traffic_draw(enum traffic_kind kind, const void *item);

#endif
