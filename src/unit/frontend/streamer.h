/* Streamer: reads indices and attributes, has vertices shaded, hands them on in order. */
#ifndef AETIUS_UNIT_STREAMER_H
#define AETIUS_UNIT_STREAMER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/cache.h"
#include "unit/env.h"
#include "unit/lanes.h"
#include "unit/stall.h"
#include "unit/stats.h"

struct streamer_block { /* 64 bytes of the index buffer, on their way or here */
    uint32_t address;
    bool arrived;
    uint8_t data[TRANSACTION_BYTES];
};

struct commit_entry { /* in the order in which commit hands vertices on */
    struct vertex_item item;
    struct cp_stamp ready; /* for commit: fetch has put it there */
};

struct streamer_load { /* a vertex whose attributes are to be loaded */
    struct pooled_vertex *vertex;
    struct cp_stamp asked; /* by fetch */
    /* the cache lines that hold each attribute's bytes, locked; -1: no line */
    int32_t lines[MAX_ATTRIBUTES][2];
};

struct streamer_reuse { /* the vertex cache's tags, found by hash */
    uint32_t index;
    uint64_t sequence;
    struct pooled_vertex *vertex;
};

struct streamer {
    struct module module;
    struct streamer_stats stats;
    struct stall stall, rest; /* rest: fetch has no draw */
    struct pools *pools;
    /* ports */
    struct queue *draws, *control, *done; /* from and to the command processor */
    struct queue *fetched;                /* a draw whose vertices and indices are all read */
    struct queue *jobs, *shaded;          /* to and from the scheduler */
    struct queue *out;                    /* to primitive assembly */
    struct memory_port index_memory;      /* fetch */
    struct cache cache;                   /* loader: attributes */
    /* parameters */
    uint32_t indices_cycle, attributes_cycle, vertices_cycle;
    uint32_t port_bytes; /* of the attribute cache, a cycle */
    uint32_t fill_limit; /* its lines on their way */
    uint32_t sent_cycle; /* attributes over a bus to primitive assembly, a cycle */
    struct lanes ports;  /* of the attribute cache: one an attribute */
    struct lanes buses;  /* to primitive assembly: one a vertex */

    const struct draw *draw;     /* NULL: idle */
    uint32_t position, instance; /* of the next index */
    bool fetched_all;
    /* index blocks on their way or here, in order */
    struct streamer_block *blocks;
    struct ring block_ring;
    uint32_t next_block; /* address of the next to ask for */
    /* post-shading vertex cache: the vertices of sequence numbers `first_sequence` on, of which the
     * last `window_capacity` are kept */
    struct streamer_reuse *reuse;
    uint32_t reuse_mask;
    struct pooled_vertex **window; /* ring of the vertices that can be reused; a reference each */
    uint32_t window_capacity;
    uint64_t sequence, first_sequence;
    /* what goes to primitive assembly, in order */
    struct commit_entry *order;
    struct ring order_ring;
    /* vertices whose attributes are to be loaded, in order */
    struct streamer_load *loads;
    struct ring load_ring;
    uint32_t load_attribute;               /* of the first load: read next */
    uint32_t ahead_count, ahead_attribute; /* loads whose lines are all locked; of the next one */
    int32_t last_line;                     /* found last in the cache */

    /* critical path: fetch is the module's stage */
    struct cp_stage load_stage, commit_stage;
    enum streamer_wait {
        FETCH_GOES_ON,
        FETCH_WAITS_INDEX,
        FETCH_WAITS_ORDER,
        FETCH_WAITS_LOAD
    } fetch_wait;
    bool loader_waits; /* for lines */
};

void streamer_init(struct streamer *streamer, const struct unit_env *env, uint32_t index);

#endif
