/* The cache of a ROP and its memory side (docs/design/memory.md, ROP caches). The state of a line's
 * block determines how many bytes move. A compressor and a decompressor are located between the
 * lines and memory.
 *
 * A miss becomes a request. If the victim line is dirty, it is read from the cache through a read
 * port, compressed, and sent. The bytes of the new line are requested, decompressed, and written
 * into the cache through a write port. Requests are taken in order, into input buffers (incoming
 * lines) and output buffers (outgoing lines). Incoming lines are decompressed and then written in
 * order. Each of these two steps handles one line at a time. Raw lines are written transaction by
 * transaction. Outgoing lines are also handled in order. At most one transaction per cycle is sent.
 * Incoming lines have priority over outgoing lines. A read of a block never overtakes a write of
 * the same block. Quads use the same ports.
 *
 * A line that is locked only for writing is not fetched if its block is raw in memory. Such a line
 * is a partial line: only its written bytes are known. A partial line is written back under a byte
 * mask, uncompressed. Its 64-byte pieces without a known byte are not sent. If the line is later
 * locked for reading, its missing bytes are fetched and merged. When all its bytes have been
 * written, it becomes an ordinary line. */
#ifndef AETIUS_UNIT_ROP_CACHE_H
#define AETIUS_UNIT_ROP_CACHE_H

#include "base/ring.h"
#include "codec/blocks_file.h"
#include "unit/cache.h"
#include "unit/rop/blocks.h"

enum { ROP_CACHE_PORTS = 63, ROP_NO_LINE = UINT32_MAX };

struct memctl; /* unit/memory/memctl.h */

struct rop_cache_shape {
    uint32_t lines, ways, line_bytes;
    uint32_t policy;     /* enum replacement_policy */
    uint32_t port_bytes; /* per cycle */
    uint32_t read_ports, write_ports;
    uint32_t request_limit, input_limit, output_limit;
};

struct partial_line {                     /* the known bytes of a line */
    bool is_part;                         /* the line is partial */
    bool completing;                      /* the other bytes have been requested */
    uint64_t known[BLOCK_MAX_BYTES / 64]; /* one bit per byte */
};

struct rop_transfer { /* a line that moves between the cache and memory */
    uint32_t address, line;
    uint32_t state;         /* state of the block in memory; determines which bytes move */
    uint32_t bytes;         /* number of bytes that move */
    uint32_t sent, missing; /* bytes sent; transactions that have not arrived */
    /* in: transactions arrived; transactions of a raw line written */
    uint32_t arrived_mask, written_count;
    bool packs;   /* out: the line passes the compressor */
    bool is_part; /* out: only the `known` bytes move; in: no byte, or only the missing ones */
    uint64_t known[BLOCK_MAX_BYTES / 64];
    /* in: cycle in which it is decompressed; out: first cycle in which it may be sent */
    uint64_t packed_cycle;
    uint64_t written_cycle; /* in: cycle in which the line is in the cache */
    cp_ref arrival;         /* in: arrival of the last transaction */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct rop_request {
    bool has_in, has_out;
    struct rop_transfer in, out;
};

/* Destination of a capture. The capture records every line that moves between the cache and
 * memory. */
struct rop_capture {
    struct blocks_writer *writer;
    const uint32_t *frame; /* number of the simulated frame */
    bool failed;
    struct error err;
};

struct rop_buffer { /* transfers that pass two steps in order */
    struct rop_transfer *items;
    struct ring ring;
    uint32_t stepped[2]; /* number of items, from the head, that have begun step 1 and step 2 */
};

struct rop_cache {
    struct module *module;
    struct rop_cache_shape shape;
    struct blocks *blocks;
    struct cache tags;          /* lines and their bytes; its memory side is unused */
    struct partial_line *parts; /* one per line */
    struct memory_port port;
    struct rop_request *requests;
    struct ring request_ring;
    struct rop_buffer in, out; /* steps: `in` is decompressed, then written; `out` is read */
    uint64_t pack_free, unpack_free;
    uint64_t read_ports[ROP_CACHE_PORTS],
        write_ports[ROP_CACHE_PORTS];         /* first free cycle of each port */
    uint64_t line_read_free, line_write_free; /* first cycle in which no line uses a port */
    uint32_t writes_in_flight;
    uint64_t refused_since;          /* cycle since which a miss finds no room; 0: none */
    const struct block_surface *raw; /* surface whose lines are written uncompressed; NULL: none */
    struct cp_stamp replied;         /* arrival of the last reply */
    /* Called with the bytes of each line that is written back. NULL: not called. */
    void (*leaving)(void *owner, uint32_t address, const uint8_t *line, uint64_t now);
    void *owner;
    struct rop_capture *capture; /* NULL: none */
    uint64_t lose_writeback_at; /* fault injection: the number of the write-back to lose; 0: none */
    /* statistics since the creation of the cache */
    uint64_t accesses, hits, misses, lines_from_clear, writebacks, transactions;
    uint64_t lines_unread, lines_completed, parts_written, bytes_masked;
    /* counted by bytes moved: 64, 128, 192, whole block */
    uint64_t blocks_read[4], blocks_written[4];
    uint64_t bytes_saved, pack_stalls, unpack_stalls, request_stalls;
};

void rop_cache_init(struct rop_cache *cache, struct module *module, struct blocks *blocks,
                    const struct rop_cache_shape *shape);
void rop_cache_fini(struct rop_cache *cache);
void rop_cache_reset(struct rop_cache *cache); /* Invalidates all lines. None may be dirty. */

/* Locks the line that holds `address`, and allocates it on a miss. Returns -1 if there is no room
 * now. `reads`: the caller needs the old content. */
int32_t rop_cache_lock(struct rop_cache *cache, uint32_t address, bool reads, uint64_t now);
/* Marks up to 64 bytes of a locked line as written. These bytes must not cross a multiple of 64. */
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

/* Copies the line's bytes as a complete read would return them. Unwritten bytes of a partial line
 * come from pending writes and from memory. `bytes` has the size of a line. The cache does not
 * change. */
void rop_cache_peek(const struct rop_cache *cache, int32_t line, const struct memctl *memctl,
                    uint8_t *bytes);

/* Occupies a port for as many cycles as the bytes need, and returns that number of cycles. If all
 * ports are busy, returns 0 and wakes the module when one becomes free. */
uint32_t rop_cache_take_port(struct rop_cache *cache, bool write, uint32_t bytes, uint64_t now);

/* Queues the write-back of a dirty line. The line stays valid and becomes clean. Returns false if
 * there is no room. */
bool rop_cache_write_back(struct rop_cache *cache, uint32_t line, uint64_t now);
/* Queues a raw write of a block that is not in the cache. Returns false if there is no room. */
bool rop_cache_write_block(struct rop_cache *cache, uint32_t address, const uint8_t *bytes);
bool rop_cache_is_quiet(const struct rop_cache *cache); /* no transfer is active or waits */

/* One cycle of the memory side, in two calls: rop_cache_receive() runs before the quads,
 * rop_cache_send() runs after them. Both wake the module if they have more work. */
void rop_cache_receive(struct rop_cache *cache, uint64_t now);
void rop_cache_send(struct rop_cache *cache, uint64_t now);

#endif
