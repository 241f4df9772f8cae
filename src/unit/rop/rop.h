/* What the z & stencil test and the color write share: quads on their way through a cache of
 * frame-buffer lines, orders, and statistics.
 *
 * A quad goes through four steps, in order, each with a queue behind it: fetch (its lines are
 * looked up, and asked for on a miss: FetchQueueSize), read (its bytes leave the lines through a
 * read port: ReadQueueSize), the operation (OpQueueSize: it starts every ...Rate cycles for each of
 * the StampsPerCycle, and takes ...Latency), write (WriteQueueSize: what it changed goes into the
 * lines through a write port, and it leaves). A quad that finds all of them free is in the
 * operation in the cycle in which it came. A quad is not read while an earlier one of the same
 * place is between its read and its write; one that writes whatever is there takes no read port,
 * and waits for nobody. Its values are computed in the line itself when the operation starts:
 * nobody else sees them before they are written.
 *
 * An order (clear, flush, resolve, show, invalidate) is executed when no quad is inside. Clears
 * that keep a part of each element, and compressed blocks that are to be raw, go through the same
 * steps line by line. */
#ifndef AETIUS_UNIT_ROP_H
#define AETIUS_UNIT_ROP_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/rop/rop_cache.h"
#include "unit/stats.h"

enum { ROP_MAX_LINES = 8, /* of a quad */ ROP_QUAD_BYTES = 16 /* of an ordinary one */ };

struct rop_entry { /* a quad for one surface, or a line of an order */
    struct quad_item item;
    uint32_t address, bytes; /* bytes 0: no memory involved */
    uint32_t cost;           /* cycles of the operation's rate */
    bool reads;              /* what it writes depends on what is there */
    bool changes;            /* it may write, and has not yet */
    bool is_line;            /* of an order */
    bool wrote;              /* and the bytes are not in the lines yet */
    uint32_t target;         /* color buffer */
    bool last_target;
    int32_t lines[ROP_MAX_LINES];
    uint64_t ready_cycle; /* read; then: done */
    struct cp_stamp way;  /* to where it is */
};

/* What a kind of ROP does. */
struct rop_work {
    const char *name;     /* of its modules */
    enum codec_kind kind; /* of its blocks: says which section of the parameters is its */
    struct module_ops module;
    /* Describes what the quad in front needs next: address, bytes, cost, reads, changes, target.
     * One that reads nothing writes all elements of its mask, whole. */
    void (*describe)(void *owner, struct rop_entry *entry);
    /* The operation, on the entry's bytes (NULL: none); returns whether they were written. */
    bool (*operate)(void *owner, struct rop_entry *entry, uint8_t *bytes);
    /* Hands the entry on; false: no room. */
    bool (*leave)(void *owner, struct rop_entry *entry, uint64_t now);
    /* Makes the line of a clear; false: it keeps a part of each element, modify() does it. */
    bool (*clear_line)(const struct control_item *order, uint8_t *line);
    void (*modify)(const struct control_item *order, uint8_t *line, uint32_t bytes);
    /* The order is executed, but for this; false: no room. NULL: nothing more. */
    bool (*finish)(void *owner, const struct control_item *order, uint64_t now);
};

/* The parameters of [ZSTENCILTEST] or [COLORWRITE]. */
struct rop_shape {
    uint32_t quads_cycle, samples_cycle, element_bytes, rate, latency;
    uint32_t fetch_limit, read_limit, op_limit, write_limit;
    uint32_t blocks_cleared_cycle;
    bool reads_first; /* lines are read whatever is done to them */
    struct rop_cache_shape cache;
};

/* Statistics that both kinds have, under the same names. */
#define ROP_STATS(STAT)                                                                            \
    STAT(cache_accesses, cache.accesses)                                                           \
    STAT(cache_hits, cache.hits)                                                                   \
    STAT(cache_misses, cache.misses)                                                               \
    STAT(lines_from_clear, cache.lines_from_clear)                                                 \
    STAT(lines_written_back, cache.writebacks)                                                     \
    STAT(blocks_cleared, blocks_cleared)                                                           \
    STAT(blocks_read_64, cache.blocks_read[0])                                                     \
    STAT(blocks_read_128, cache.blocks_read[1])                                                    \
    STAT(blocks_read_192, cache.blocks_read[2])                                                    \
    STAT(blocks_read_raw, cache.blocks_read[3])                                                    \
    STAT(blocks_written_64, cache.blocks_written[0])                                               \
    STAT(blocks_written_128, cache.blocks_written[1])                                              \
    STAT(blocks_written_192, cache.blocks_written[2])                                              \
    STAT(blocks_written_raw, cache.blocks_written[3])                                              \
    STAT(bytes_saved, cache.bytes_saved)                                                           \
    STAT(compressor_stalls, cache.pack_stalls)                                                     \
    STAT(decompressor_stalls, cache.unpack_stalls)                                                 \
    STAT(request_stalls, cache.request_stalls)                                                     \
    STAT(read_port_stalls, read_port.cycles)                                                       \
    STAT(write_port_stalls, write_port.cycles)                                                     \
    STAT(passes, passes)                                                                           \
    STAT(same_place_stalls, same_place.cycles)                                                     \
    STAT(fetch_queue_stalls, fetch_full.cycles)                                                    \
    STAT(read_queue_stalls, read_full.cycles)                                                      \
    STAT(op_queue_stalls, op_full.cycles)                                                          \
    STAT(write_queue_stalls, write_full.cycles)

/* Cycles that something has been going on, counted when it ends, and by rop_count_stalls(). */
struct rop_stall {
    uint64_t since, cycles; /* since: 1 + the first cycle; 0: not now */
};

struct rop_causes { /* what time goes by for */
    enum path_cause work, lines, hazard;
};

struct rop {
    struct module *module;
    void *owner;
    const struct rop_work *work;
    struct queue *early_in, *late_in; /* quads of early and of late z draws; never both */
    struct queue *control, *done;     /* orders, and done_items back */
    struct rop_shape shape;
    uint32_t index;        /* of the ROP: which blocks it owns */
    struct blocks *blocks; /* the states of all of its kind */
    struct rop_cache cache;

    struct rop_entry *entries; /* ring; entry n is at n & mask */
    uint32_t mask;
    uint32_t fetched, read, started, ended, left; /* entries so far past each step */
    struct rop_entry next;                        /* the one whose lines are being locked */
    uint32_t next_locked;
    bool has_next;
    uint64_t op_free; /* cycle x quads_cycle from which the next operation starts */

    /* the order in hand */
    bool executing;
    uint64_t order_since;
    struct control_item order;
    uint32_t step, walk;  /* of the order: phase; line or block number */
    uint64_t free_cycle;  /* a fast clear is done then */
    uint32_t fault_state; /* fault injection: the next clear forgets this block (0: none) */

    /* critical path: what was fetched last, and replies of memory, are the module's stage */
    struct rop_causes causes;
    struct cp_stage fetch_stage, operate_stage, output_stage;
    struct cp_stamp read_at, left_at;
    bool fetch_waited, read_waited; /* for a place in the next one's queue */
    bool lock_waited, start_waited;
    uint64_t
        slot_awaited; /* the next one to be read waits for an earlier one since (0: it does not) */

    /* statistics */
    uint64_t blocks_cleared;
    uint64_t passes;
    struct rop_stall read_port, write_port, same_place, fetch_full, read_full, op_full, write_full;
};

/* The block states that the ROPs of a kind share. */
void rop_blocks_init(struct blocks *blocks, const struct params *params, enum codec_kind kind);

/* Adds the owner's module to the clock too: number `index`. */
void rop_init(struct rop *rop, struct module *module, void *owner, const struct rop_work *work,
              const struct unit_env *env, struct blocks *blocks, uint32_t index);
/* Its queues are there: which stage sends into which. */
void rop_wire(struct rop *rop);
void rop_fini(struct rop *rop);
/* Forgets what is cached of a surface that is not bound: nothing is dirty. */
void rop_discard(struct rop *rop, const struct block_surface *surface);
/* A new frame: nothing cached. */
void rop_reset(struct rop *rop);

/* A cycle: quads, orders, memory. */
enum unit_state rop_clock(struct rop *rop, uint64_t now);
/* What the entry's place holds, to be looked at by the watch (rop_cache_look()). Of an entry whose
 * lines are here. */
void rop_look(const struct rop *rop, const struct rop_entry *entry, const struct memctl *memctl,
              uint8_t bytes[MAX_QUAD_BYTES]);
/* Counts what goes on up to `now`: intervals and batches of the tables end there. */
void rop_count_stalls(struct rop *rop, uint64_t now);

/* Turns of the operation that a quad takes: its samples, times the width of its elements. */
static inline uint32_t
rop_passes(const struct rop *rop, uint32_t samples, uint32_t element_bytes)
{
    const struct rop_shape *s = &rop->shape;
    uint32_t turns = samples == 1 ? 1 : (samples + s->samples_cycle - 1) / s->samples_cycle;
    return element_bytes <= s->element_bytes
               ? turns
               : turns * ((element_bytes + s->element_bytes - 1) / s->element_bytes);
}

/* The codec that [ZSTENCILTEST] or [COLORWRITE] name; NULL: none. Fails when it is not of the kind
 * or does not go with the line's size. */
bool rop_codec(const struct params *params, enum codec_kind kind, const struct codec **codec,
               struct error *err);

#endif
