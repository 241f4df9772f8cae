/* The cache of a ROP with its memory side: block states decide how much of a line moves, a
 * compressor and a decompressor stand between the lines and memory (docs/design/memory.md, ROP
 * caches).
 *
 * A miss becomes a request: the victim's line, when it is dirty, is read out of the cache through a
 * read port, compressed, and sent; the new line's bytes are asked for, decompressed, and written
 * into the cache through a write port. Requests are taken in order, as many as there are input
 * buffers (lines that come) and output buffers (lines that go). The lines that come are
 * decompressed and written in order, one at a time in each of the two steps, raw ones written
 * transaction by transaction; likewise those that go. One transaction a cycle leaves, lines that
 * are wanted before lines that go, but never a read of a block before its own write. Quads use the
 * same ports.
 *
 * A line that is locked without being read for, whose block lies in memory as it is, is not asked
 * for: it holds a part, the bytes that have been written. A part goes to memory under a mask (the
 * 64-byte pieces without a byte are not sent), never through the compressor; when it is locked to
 * be read, what it lacks is asked for and put beside it; when all of it has been written it is a
 * line like any other. */
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
    uint32_t port_bytes; /* a cycle */
    uint32_t read_ports, write_ports;
    uint32_t request_limit, input_limit, output_limit;
};

struct partial_line {                     /* what a line holds of its block */
    bool is_part;                         /* else all of it */
    bool completing;                      /* the rest has been asked for */
    uint64_t known[BLOCK_MAX_BYTES / 64]; /* a bit for each byte */
};

struct rop_transfer { /* a line between the cache and memory */
    uint32_t address, line;
    uint32_t state;         /* of the block in memory: what moves */
    uint32_t bytes;         /* that move */
    uint32_t sent, missing; /* bytes; transactions */
    uint32_t arrived_mask,
        written_count; /* in: those that have come (a bit each), and are in the line (raw) */
    bool packs;        /* out: goes through the compressor */
    bool is_part;      /* out: the bytes in `known` alone; in: nothing, or what a part lacks */
    uint64_t known[BLOCK_MAX_BYTES / 64];
    uint64_t packed_cycle;  /* out: may be sent from then; in: decompressed then */
    uint64_t written_cycle; /* in: in the line from then */
    cp_ref arrival;         /* in: of the last of them */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct rop_request {
    bool has_in, has_out;
    struct rop_transfer in, out;
};

/* Where lines that cross between the cache and memory are written to. */
struct rop_capture {
    struct blocks_writer *writer;
    const uint32_t *frame; /* the one that is simulated */
    bool failed;
    struct error err;
};

struct rop_buffer { /* transfers; the steps follow each other */
    struct rop_transfer *items;
    struct ring ring;
    uint32_t stepped[2]; /* of the items from the front on: how many have begun step 1, step 2 */
};

struct rop_cache {
    struct module *module;
    struct rop_cache_shape shape;
    struct blocks *blocks;
    struct cache tags;          /* lines and their bytes; its memory side is not used */
    struct partial_line *parts; /* of each line */
    struct memory_port port;
    struct rop_request *requests;
    struct ring request_ring;
    struct rop_buffer in, out; /* steps of in: decompressed, written; of out: read, - */
    uint64_t pack_free, unpack_free;
    uint64_t read_ports[ROP_CACHE_PORTS], write_ports[ROP_CACHE_PORTS]; /* free from */
    uint64_t line_read_free, line_write_free; /* no line uses one of them from then on */
    uint32_t writes_in_flight;
    uint64_t refused_since;          /* a miss finds no victim or no place for its request; 0: no */
    const struct block_surface *raw; /* whose lines go uncompressed; NULL: none's */
    struct cp_stamp replied;         /* the last reply came */
    /* told of each line that goes, with its bytes; NULL: nobody */
    void (*leaving)(void *owner, uint32_t address, const uint8_t *line, uint64_t now);
    void *owner;
    struct rop_capture *capture; /* NULL: none */
    uint64_t lose_writeback_at;  /* fault injection: this write-back is not sent; 0: none */
    /* statistics: since the cache was made */
    uint64_t accesses, hits, misses, lines_from_clear, writebacks, transactions;
    uint64_t lines_unread, lines_completed, parts_written, bytes_masked;
    uint64_t blocks_read[4], blocks_written[4]; /* by bytes moved: 64, 128, 192, whole */
    uint64_t bytes_saved, pack_stalls, unpack_stalls, request_stalls;
};

void rop_cache_init(struct rop_cache *cache, struct module *module, struct blocks *blocks,
                    const struct rop_cache_shape *shape);
void rop_cache_fini(struct rop_cache *cache);
void rop_cache_reset(struct rop_cache *cache); /* all lines invalid, without write-back */

/* The line that holds `address`, allocated and locked; -1 when there is no room now. `reads`: what
 * it held before is wanted. */
int32_t rop_cache_lock(struct rop_cache *cache, uint32_t address, bool reads, uint64_t now);
/* Bytes of a locked line have been written: at most 64, which do not cross a multiple of 64. */
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

/* The line's bytes as they would be if all of it had been read: of a part, what was not written
 * comes from the writes that are on their way, and from memory. `bytes`: a line's. Changes nothing.
 */
void rop_cache_look(const struct rop_cache *cache, int32_t line, const struct memctl *memctl,
                    uint8_t *bytes);

/* Takes a port for as many cycles as the bytes need, which it returns; 0: all are taken, the module
 * will be woken. */
uint32_t rop_cache_take_port(struct rop_cache *cache, bool write, uint32_t bytes, uint64_t now);

/* Queues the write-back of a dirty line, which stays valid and becomes clean; false: no room. */
bool rop_cache_write_back(struct rop_cache *cache, uint32_t line, uint64_t now);
/* Queues a raw write of a block that is in no line; false: no room. */
bool rop_cache_write_block(struct rop_cache *cache, uint32_t address, const uint8_t *bytes);
bool rop_cache_is_quiet(const struct rop_cache *cache); /* nothing moves or waits to */

/* One cycle of the memory side: before and after the quads'. They wake the module when they have to
 * go on. */
void rop_cache_receive(struct rop_cache *cache, uint64_t now);
void rop_cache_send(struct rop_cache *cache, uint64_t now);

#endif
