/* What travels through the machine's queues, told item by item: when each was sent, and when it was
 * taken. Whoever follows work through the units listens here (report/timeline/perfetto.h,
 * sim/follow.h); nobody does by default, and then it costs nothing. It only looks: neither
 * values nor time change.
 */
#ifndef AETIUS_SIM_TRAFFIC_H
#define AETIUS_SIM_TRAFFIC_H

#include "sim/machine.h"

/* What a queue carries: machine.def names the type of its items. */
enum traffic_kind {
    TRAFFIC_DRAW,      /* struct draw_item */
    TRAFFIC_VERTEX,    /* struct vertex_item */
    TRAFFIC_PRIMITIVE, /* struct primitive_item */
    TRAFFIC_TRIANGLE,  /* struct triangle_item */
    TRAFFIC_TILE,      /* struct tile_item */
    TRAFFIC_QUAD,      /* struct quad_item */
    TRAFFIC_GROUP,     /* struct group_item */
    TRAFFIC_TEXTURE,   /* struct texture_item */
    TRAFFIC_REQUEST,   /* struct memory_request, of no draw */
    TRAFFIC_REPLY,     /* struct memory_reply, of no draw */
    TRAFFIC_OTHER,     /* orders and their completion: they are not told */
};

struct traffic_queue {
    const struct queue *queue;
    enum traffic_kind kind;
    uint64_t *tags;       /* of the items in the queue, as its ring has them */
    uint64_t sent, taken; /* items so far */
};

struct traffic_listener {
    void *data;
    /* An item was sent in this cycle. The tag that is returned comes back when it is taken; 0: it
     * is of no interest. */
    uint64_t (*sent)(void *data, const struct traffic_queue *queue, const void *item, uint64_t now);
    void (*taken)(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now);
    void (*cycle)(void *data, uint64_t now); /* after all of these of a cycle, or NULL */
};

struct traffic {
    struct clock *clock;
    struct traffic_listener listener;
    struct traffic_queue queues[CLOCK_MAX_QUEUES];
    uint32_t count;
};

/* From now on; the machine is drained. Not to be moved before traffic_end(). */
void traffic_begin(struct traffic *traffic, struct machine *machine,
                   const struct traffic_listener *listener);
void traffic_end(struct traffic *traffic);

/* The draw that an item belongs to; NULL: it does not say. */
const struct draw *traffic_draw(enum traffic_kind kind, const void *item);

#endif
