/* Streamer: reads indices and attributes, sends vertices to be shaded, and passes shaded vertices
 * on in index order. */
#ifndef AETIUS_UNIT_STREAMER_H
#define AETIUS_UNIT_STREAMER_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/cache.h"
#include "unit/env.h"
#include "unit/frontend/repeats.h"
#include "unit/lanes.h"
#include "unit/stall.h"
#include "unit/stats.h"

struct streamer_block { /* 64 bytes of the index buffer, in flight or arrived */
    uint32_t address;
    bool arrived;
    uint8_t data[TRANSACTION_BYTES];
};

struct commit_entry { /* an entry of the commit queue, in index order */
    struct vertex_item item;
    struct cp_stamp ready; /* critical path: when fetch added the entry */
};

struct streamer_load { /* a vertex whose attributes must be loaded */
    struct pooled_vertex *vertex;
    struct cp_stamp asked; /* critical path: when fetch requested the vertex */
    /* Locked cache lines that hold each attribute's bytes. -1: no line. */
    int32_t lines[MAX_ATTRIBUTES][2];
};

struct streamer_reuse { /* a tag of the vertex cache, found by hash */
    uint32_t index;
    uint64_t sequence;
    struct pooled_vertex *vertex;
};

struct streamer {
    struct module module;
    struct streamer_stats stats;
    struct stall stall, rest; /* rest: cycles in which fetch has no draw */
    struct pools *pools;
    /* ports */
    struct queue *draws, *control, *done; /* from and to the Command Processor */
    struct queue *fetched;       /* reports each draw whose vertices and indices have been read */
    struct queue *jobs, *shaded; /* to and from the Scheduler */
    struct queue *out;           /* to Primitive Assembly */
    struct memory_port index_memory; /* index reads of fetch */
    struct cache cache;              /* attribute cache of the loader */
    /* parameters */
    uint32_t indices_cycle, attributes_cycle, vertices_cycle;
    uint32_t port_bytes; /* width of an attribute cache port, in bytes per cycle */
    uint32_t fill_limit; /* maximum number of attribute cache lines in flight */
    uint32_t sent_cycle; /* attributes per cycle on a bus to Primitive Assembly */
    struct lanes ports;  /* ports of the attribute cache; each reads one attribute */
    struct lanes buses;  /* buses to Primitive Assembly; each carries one vertex */

    const struct draw *draw;     /* NULL: idle */
    uint32_t position, instance; /* position and instance of the next index */
    bool fetched_all;
    uint64_t fetch_end; /* cycle in which fetch could take the next draw */
    /* index blocks in flight or arrived, in order */
    struct streamer_block *blocks;
    struct ring block_ring;
    uint32_t next_block; /* address of the next block to request */
    /* Post-shading vertex cache. It holds the last `window_capacity` vertices with sequence numbers
     * from `first_sequence` on. */
    struct streamer_reuse *reuse;
    uint32_t reuse_mask;
    struct pooled_vertex **window; /* ring of the reusable vertices; owns one reference each */
    uint32_t window_capacity;
    uint64_t sequence, first_sequence;
    /* items for Primitive Assembly, in order */
    struct commit_entry *order;
    struct ring order_ring;
    /* vertices whose attributes must be loaded, in order */
    struct streamer_load *loads;
    struct ring load_ring;
    uint32_t load_attribute; /* next attribute of the first load */
    /* number of loads whose lines are all locked; next attribute to look up */
    uint32_t ahead_count, ahead_attribute;
    int32_t last_line; /* cache line that was found last */

    struct repeats repeats; /* vertices of the draw that were shaded */
    bool counts_repeats;    /* the order of the draw's triangles may change */

    /* Critical path. Fetch uses the module's stage. */
    struct cp_stage load_stage, commit_stage;
    enum streamer_wait {
        FETCH_GOES_ON,
        FETCH_WAITS_INDEX,
        FETCH_WAITS_ORDER,
        FETCH_WAITS_LOAD
    } fetch_wait;
    bool loader_waits; /* the loader waits for cache lines */
};

void streamer_init(struct streamer *streamer, const struct unit_env *env, uint32_t index);

#endif
