/* The cache of a ROP with its memory side (docs/design/memory.md, ROP caches). Block states
 * determine how many bytes of a line move. A compressor and a decompressor sit between the lines
 * and memory.
 *
 * A miss becomes a request. If the victim's line is dirty, it is read out of the cache through a
 * read port, compressed, and sent. The bytes of the new line are requested, decompressed, and
 * written into the cache through a write port. Requests are taken in order, into input buffers
 * (incoming lines) and output buffers (outgoing lines). Incoming lines are decompressed and written
 * in order, one at a time in each of the two steps. Raw lines are written transaction by
 * transaction. Outgoing lines are also handled in order. One transaction per cycle is sent.
 * Incoming lines have priority over outgoing lines, but no read of a block passes its own write.
 * Quads use the same ports.
 *
 * A line that is locked only to be written is not fetched if its block is raw in memory. It is then
 * a partial line: only the written bytes are known. A partial line goes to memory under a mask,
 * uncompressed. 64-byte pieces without a known byte are not sent. When the line is locked to be
 * read, its missing bytes are fetched and merged. When all its bytes have been written, it becomes
 * an ordinary line. */
#ifndef AETIUS_UNIT_ROP_CACHE_H
#define AETIUS_UNIT_ROP_CACHE_H

#include "base/ring.h"
#include "codec/blocks_file.h"
#include "unit/cache.h"
#include "unit/rop/blocks.h"

enum { ROP_CACHE_PORTS = 2, ROP_NO_LINE = UINT32_MAX };

struct memctl; /* unit/memory/memctl.h */

struct rop_cache_shape {
    uint32_t lines, ways, line_bytes;
    uint32_t policy;     /* enum replacement_policy */
    uint32_t port_bytes; /* per cycle */
    uint32_t read_ports, write_ports;
    uint32_t request_limit, input_limit, output_limit;
};

struct partial_line {                     /* the known bytes of a line */
    bool is_part;                         /* only some bytes are known */
    bool completing;                      /* the other bytes have been requested */
    uint64_t known[BLOCK_MAX_BYTES / 64]; /* one bit per byte */
};

struct rop_transfer { /* a line that moves between the cache and memory */
    uint32_t address, line;
    uint32_t state;         /* of the block in memory: determines the bytes that move */
    uint32_t bytes;         /* bytes that move */
    uint32_t sent, missing; /* bytes sent; transactions not arrived yet */
    uint32_t arrived_mask, written_count; /* in: arrived transactions; raw ones in the line */
    bool packs;                           /* out: passes the compressor */
    bool is_part; /* out: only the `known` bytes; in: no bytes, or the missing ones */
    uint64_t known[BLOCK_MAX_BYTES / 64];
    uint64_t packed_cycle;  /* out: may be sent from this cycle on; in: decompressed */
    uint64_t written_cycle; /* in: cycle in which it is in the line */
    cp_ref arrival;         /* in: of the last transaction */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct rop_request {
    bool has_in, has_out;
    struct rop_transfer in, out;
};

/* Destination of a capture of all lines that move between the cache and memory. */
struct rop_capture {
    struct blocks_writer *writer;
    const uint32_t *frame; /* number of the simulated frame */
    bool failed;
    struct error err;
};

struct rop_buffer { /* transfers, in order through two steps */
    struct rop_transfer *items;
    struct ring ring;
    uint32_t stepped[2]; /* number of items, from the head, that have begun step 1, step 2 */
};

struct rop_cache {
    struct module *module;
    struct rop_cache_shape shape;
    struct blocks *blocks;
    struct cache tags;          /* lines and their bytes; its memory side is not used */
    struct partial_line *parts; /* one per line */
    struct memory_port port;
    struct rop_request *requests;
    struct ring request_ring;
    struct rop_buffer in, out; /* steps: `in` is decompressed, then written; `out` is read */
    uint64_t pack_free, unpack_free;
    uint64_t read_ports[ROP_CACHE_PORTS],
        write_ports[ROP_CACHE_PORTS];         /* first free cycle of each */
    uint64_t line_read_free, line_write_free; /* first cycle in which no line uses a port */
    uint32_t writes_in_flight;
    uint64_t refused_since;          /* cycle since which a miss finds no room; 0: none */
    const struct block_surface *raw; /* its lines are written uncompressed; NULL: none */
    struct cp_stamp replied;         /* arrival of the last reply */
    /* called for each line that is written back, with its bytes; NULL: not called */
    void (*leaving)(void *owner, uint32_t address, const uint8_t *line, uint64_t now);
    void *owner;
    struct rop_capture *capture; /* NULL: none */
    uint64_t lose_writeback_at;  /* fault injection: this write-back is not sent; 0: none */
    /* statistics, since the cache was created */
    uint64_t accesses, hits, misses, lines_from_clear, writebacks, transactions;
    uint64_t lines_unread, lines_completed, parts_written, bytes_masked;
    uint64_t blocks_read[4], blocks_written[4]; /* by bytes moved: 64, 128, 192, whole */
    uint64_t bytes_saved, pack_stalls, unpack_stalls, request_stalls;
};

void rop_cache_init(struct rop_cache *cache, struct module *module, struct blocks *blocks,
                    const struct rop_cache_shape *shape);
void rop_cache_fini(struct rop_cache *cache);
void rop_cache_reset(struct rop_cache *cache); /* all lines invalid, without write-back */

/* Locks the line that holds `address`, allocating it on a miss. Returns -1 if there is no room now.
 * `reads`: the old content is needed. */
int32_t rop_cache_lock(struct rop_cache *cache, uint32_t address, bool reads, uint64_t now);
/* Marks bytes of a locked line as written: at most 64, which do not cross a multiple of 64. */
void rop_cache_mark_written(struct rop_cache *cache, int32_t line, uint32_t first, uint32_t bytes);
void rop_cache_unlock(struct rop_cache *cache, int32_t line, bool wrote);
static inline bool
rop_cache_ready(const struct rop_cache *cache, int32_t line)
{
    return cache_ready(&cache->tags, (uint32_t)line);
}
static inline uint8_t *
rop_cache_data(struct rop_cache *cache, int32_t line)
{
    return cache_data(&cache->tags, (uint32_t)line);
}

/* Copies the line's bytes as if all of it had been read. Bytes of a partial line that were not
 * written come from pending writes and from memory. `bytes` has the size of a line. Changes
 * nothing. */
void rop_cache_look(const struct rop_cache *cache, int32_t line, const struct memctl *memctl,
                    uint8_t *bytes);

/* Takes a port for the cycles that the bytes need, and returns these cycles. Returns 0 if all ports
 * are taken; then the module will be woken. */
uint32_t rop_cache_take_port(struct rop_cache *cache, bool write, uint32_t bytes, uint64_t now);

/* Queues the write-back of a dirty line, which stays valid and becomes clean. Returns false if
 * there is no room. */
bool rop_cache_write_back(struct rop_cache *cache, uint32_t line, uint64_t now);
/* Queues a raw write of a block that is in no line. Returns false if there is no room. */
bool rop_cache_write_block(struct rop_cache *cache, uint32_t address, const uint8_t *bytes);
bool rop_cache_is_quiet(const struct rop_cache *cache); /* no transfer is active or waits */

/* One cycle of the memory side in two parts: rop_cache_receive() runs before the quads,
 * rop_cache_send() after them. Both wake the module when they have more to do. */
void rop_cache_receive(struct rop_cache *cache, uint64_t now);
void rop_cache_send(struct rop_cache *cache, uint64_t now);

#endif
