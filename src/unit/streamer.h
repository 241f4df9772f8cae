/* Streamer: reads indices and attributes, has vertices shaded, hands them on in order. */
#ifndef AETIUS_UNIT_STREAMER_H
#define AETIUS_UNIT_STREAMER_H

#include "kernel/params.h"
#include "unit/cache.h"
#include "unit/stats.h"

enum { STREAMER_INDEX_BLOCKS = 32, STREAMER_HASH = 4096 };

struct streamer {
    struct module module;
    struct streamer_stats stats;
    struct pools *pools;
    /* ports */
    struct queue *draws, *control, *done; /* from and to the command processor */
    struct queue *jobs, *shaded;          /* to and from the scheduler */
    struct queue *out;                    /* to primitive assembly */
    struct memory_port index_memory;      /* fetch */
    struct cache cache;                   /* loader: attributes */
    /* parameters */
    uint32_t indices_cycle, attributes_cycle, vertices_cycle, reuse_window;

    const struct draw *draw;     /* NULL: idle */
    uint32_t position, instance; /* of the next index */
    bool fetched_all;
    /* index blocks on their way or here, in order */
    struct {
        uint32_t address;
        bool here;
        uint8_t data[TRANSACTION_BYTES];
    } blocks[STREAMER_INDEX_BLOCKS];
    uint32_t block_head, block_count;
    uint32_t next_block; /* address of the next to ask for */
    /* post-shading vertex cache: the last `reuse_window` vertices, found by hash */
    struct {
        uint32_t index;
        uint64_t sequence;
        struct pooled_vertex *vertex;
    } reuse[STREAMER_HASH];
    struct pooled_vertex **window; /* ring of the vertices that can be reused; a reference each */
    uint32_t window_capacity;
    uint64_t sequence;
    /* what goes to primitive assembly, in order */
    struct vertex_item *order;
    uint32_t order_head, order_count, order_capacity;
    /* vertices whose attributes are to be loaded, in order */
    struct pooled_vertex **loads;
    uint32_t load_head, load_count, load_capacity;
    uint32_t load_attribute; /* of the first load */
    uint8_t value[64]; /* of that attribute, as far as it was read */
    uint32_t value_bytes;
};

void streamer_init(struct streamer *streamer, struct clock *clock, const struct params *params,
                   struct pools *pools);
void streamer_fini(struct streamer *streamer);

#endif
