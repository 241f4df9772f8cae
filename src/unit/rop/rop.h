/* Code shared by the Z and Stencil Test and by Color Write. It implements the steps of a quad
 * through a cache of frame-buffer lines, the orders, and the statistics.
 *
 * A quad passes four steps in order. Each step has a queue at its output, whose parameter is given
 * in parentheses.
 *   Fetch (FetchQueueSize): looks up the quad's lines, and requests missing lines.
 *   Read (ReadQueueSize): reads the quad's bytes from the lines through a read port.
 *   Operation (OpQueueSize): starts StampsPerCycle quads every ...Rate cycles. A quad takes
 *       ...Latency cycles.
 *   Write (WriteQueueSize): writes changed bytes into the lines through a write port.
 * If all steps are free, a quad starts its operation in the cycle of its arrival. A quad is not
 * read while an earlier quad of the same pixels is between its read and its write. A quad that does
 * not depend on the old content takes no read port and waits for no other quad. The operation
 * computes the quad's values directly in the line. No other quad reads these values before they are
 * written.
 *
 * An order (clear, flush, resolve, show, invalidate) is executed when the ROP holds no quad. Two
 * kinds of orders pass through the same steps, line by line: clears that keep some bits of each
 * element, and resolves of compressed blocks. */
#ifndef AETIUS_UNIT_ROP_H
#define AETIUS_UNIT_ROP_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/rop/rop_cache.h"
#include "unit/stats.h"

enum { ROP_MAX_LINES = 8, /* per quad */ ROP_QUAD_BYTES = 16 /* 4-byte elements, one sample */ };

struct rop_entry { /* a quad for one surface, or a line of an order */
    struct quad_item item;
    uint32_t address, bytes; /* 0 bytes: no memory access */
    uint32_t cost;           /* passes of the operation; each takes `rate` cycles */
    bool reads;              /* the result depends on the old content */
    bool changes;            /* may still write its lines */
    bool is_line;            /* a line of an order */
    bool wrote;              /* the operation wrote; the write port has not taken the bytes yet */
    uint32_t target;         /* index of the color buffer */
    bool last_target;
    int32_t lines[ROP_MAX_LINES];
    uint64_t ready_cycle;     /* end of the read; after the start of the operation: its end */
    struct cp_stamp path_end; /* critical path up to the entry's current step */
};

/* Functions and properties that differ between the two kinds of ROP. */
struct rop_work {
    const char *name;     /* name of the modules */
    enum codec_kind kind; /* kind of the blocks; selects the parameter section */
    struct module_ops module;
    /* Fills in the next access of the quad at the head of the queue: address, bytes, cost, reads,
     * changes, target. If `reads` is false, the quad overwrites every element of its mask
     * completely. */
    void (*describe)(void *owner, struct rop_entry *entry);
    /* Performs the operation on the entry's bytes (NULL: no bytes). Returns whether it changed
     * them. */
    bool (*operate)(void *owner, struct rop_entry *entry, uint8_t *bytes);
    /* Passes the entry on. Returns false if there is no room. */
    bool (*leave)(void *owner, struct rop_entry *entry, uint64_t now);
    /* Produces the content of a cleared line. Returns false if the clear keeps some bits of each
     * element; modify() then performs it. */
    bool (*clear_line)(const struct control_item *order, uint8_t *line);
    void (*modify)(const struct control_item *order, uint8_t *line, uint32_t bytes);
    /* Completes an order. Returns false if there is no room. NULL: nothing to do. */
    bool (*finish)(void *owner, const struct control_item *order, uint64_t now);
};

/* Parameters of [ZSTENCILTEST] or [COLORWRITE]. */
struct rop_shape {
    uint32_t quads_cycle, samples_cycle, element_bytes, rate, latency;
    uint32_t fetch_limit, read_limit, op_limit, write_limit;
    uint32_t blocks_cleared_cycle;
    bool reads_first; /* lines are always read before they are written */
    struct rop_cache_shape cache;
};

/* Statistics that both kinds of ROP have under the same names. */
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

/* Number of cycles in which a condition held. The cycles are added when the condition ends, and by
 * rop_count_stalls(). */
struct rop_stall {
    uint64_t since, cycles; /* since: 1 + the first cycle; 0: not active */
};

struct rop_causes { /* causes to which the ROP's time is charged */
    enum path_cause work, lines, hazard;
};

struct rop {
    struct module *module;
    void *owner;
    const struct rop_work *work;
    struct queue *early_in, *late_in; /* quads of early and late z draws; never both at once */
    struct queue *control, *done;     /* orders, and the done_items that answer them */
    struct rop_shape shape;
    uint32_t index;        /* number of the ROP; determines which blocks it owns */
    struct blocks *blocks; /* block states, shared by all ROPs of this kind */
    struct rop_cache cache;

    struct rop_entry *entries; /* ring; entry n is at index n & mask */
    uint32_t mask;
    uint32_t fetched, read, started, ended, left; /* number of entries that have passed each step */
    struct rop_entry next;                        /* the entry whose lines are being locked */
    uint32_t next_locked;
    bool has_next;
    uint64_t op_free; /* start of the next operation, in cycles x quads_cycle */

    /* the current order */
    bool executing;
    uint64_t order_since;
    struct control_item order;
    uint32_t step, walk; /* phase of the order; line or block number */
    uint64_t free_cycle; /* cycle in which the fast clear is complete */
    /* fault injection: the next clear skips this block of the ROP (from 1); 0: none */
    uint32_t fault_state;

    /* Critical path. The module's stage follows the last fetch or the last memory reply. */
    struct rop_causes causes;
    struct cp_stage fetch_stage, operate_stage, output_stage;
    struct cp_stamp read_at, left_at;
    bool fetch_waited, read_waited; /* waited for room in the queue of the next step */
    bool lock_waited, start_waited;
    uint64_t slot_awaited; /* cycle since which the next read is blocked; 0: not blocked */

    /* statistics */
    uint64_t blocks_cleared;
    uint64_t passes;
    struct rop_stall read_port, write_port, same_place, fetch_full, read_full, op_full, write_full;
};

/* Creates the block states that all ROPs of a kind share. */
void rop_blocks_init(struct blocks *blocks, const struct params *params, enum codec_kind kind);

/* Initializes the ROP, and adds the owner's module to the clock with number `index`. */
void rop_init(struct rop *rop, struct module *module, void *owner, const struct rop_work *work,
              const struct unit_env *env, struct blocks *blocks, uint32_t index);
/* Sets the causes of the stages, and the stage that sends completions. The queues must be
 * connected. */
void rop_wire(struct rop *rop);
void rop_fini(struct rop *rop);
/* Drops all cached lines of a surface that is not bound. These lines must not be dirty. */
void rop_discard(struct rop *rop, const struct block_surface *surface);
/* Starts a frame: drops all cached lines. */
void rop_reset(struct rop *rop);

/* Runs one cycle: quads, orders, memory. */
enum unit_state rop_clock(struct rop *rop, uint64_t now);
/* Copies the content of the entry's pixels for the watch (rop_cache_peek()). The entry's lines must
 * be in the cache. */
void rop_peek(const struct rop *rop, const struct rop_entry *entry, const struct memctl *memctl,
              uint8_t bytes[MAX_QUAD_BYTES]);
/* Counts active stalls up to `now`, at the end of an interval or batch of the tables. */
void rop_count_stalls(struct rop *rop, uint64_t now);

/* Number of passes of the operation for a quad with this number of samples and this element
 * size. */
static inline uint32_t
rop_passes(const struct rop *rop, uint32_t samples, uint32_t element_bytes)
{
    const struct rop_shape *s = &rop->shape;
    uint32_t turns = samples == 1 ? 1 : (samples + s->samples_cycle - 1) / s->samples_cycle;
    return element_bytes <= s->element_bytes
               ? turns
               : turns * ((element_bytes + s->element_bytes - 1) / s->element_bytes);
}

/* Finds the codec that [ZSTENCILTEST] or [COLORWRITE] selects; *codec is NULL if there is none.
 * Fails if the codec is unknown, is for the other kind of block, or does not fit the line size. */
bool rop_codec(const struct params *params, enum codec_kind kind, const struct codec **codec,
               struct error *err);

#endif
