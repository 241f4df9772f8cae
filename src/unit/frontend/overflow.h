/* Emitted vertices that go to memory and back (docs/design/machine.md, Output in memory).
 *
 * Rate: one request of 64 bytes per cycle; reads precede writes, because they free entries.
 * Latency: that of memory. A primitive reserves its largest output in a ring of memory. When its
 * thread has ended, its vertices are packed, 16 bytes per output, and written. They are read back
 * in the order of the primitives, as far as the output buffer has room. Only whole transactions
 * move. The vertices reach the unit only through memory. Ends of strips stay on chip, one bit per
 * vertex.
 *
 * Source: AMD R600 and later GPUs pass the output of geometry shaders through a ring in memory (the
 * registers SQ_GSVS_RING_BASE and SQ_GSVS_RING_SIZE in Linux, drivers/gpu/drm/radeon/r600_cs.c).
 * The order of reads and writes is an assumption. */
#ifndef AETIUS_UNIT_OVERFLOW_H
#define AETIUS_UNIT_OVERFLOW_H

#include "unit/items.h"

struct overflow {
    struct memory_port port;
    uint32_t address, size;  /* the ring in memory, for the draw in flight */
    uint32_t used, tail;     /* bytes reserved, and the offset after them */
    uint32_t staged, places; /* transactions requested and not yet collected; most of them */
    struct geometry_job *writing;
    uint32_t writes; /* writes without a reply */
};

/* Whole transactions for `bytes`. */
static inline uint32_t
overflow_bytes(uint32_t bytes)
{
    return (bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES * TRANSACTION_BYTES;
}
/* Reserves `bytes` in the ring for the primitive. Returns false if the ring has no room. */
bool overflow_reserve(struct overflow *overflow, struct geometry_job *job, uint32_t bytes);
/* Starts to write the vertices that the primitive has emitted. Nothing else may be written. */
void overflow_write(struct overflow *overflow, struct geometry_job *job);
/* Sends the next transaction of overflow->writing. Returns whether it sent one. */
bool overflow_send(struct overflow *overflow, uint64_t now);
static inline bool
overflow_is_written(const struct geometry_job *job)
{
    return job->shaded && job->range.sent == job->range.count;
}
/* Requests the next transaction of the primitive; `entry` identifies it in the reply. Returns
 * whether it sent the request. */
bool overflow_request(struct overflow *overflow, struct geometry_job *job, uint32_t entry,
                      uint64_t now);
/* Takes the replies. entries[]: the primitives by number. Returns whether there was one. */
bool overflow_take_replies(struct overflow *overflow, struct geometry_job *entries, uint64_t now);
/* Whether emitted vertex `n` has come back. */
bool overflow_has_vertex(const struct geometry_job *job, uint32_t n);
/* Frees the room of the vertices before vertex `n` in the output buffer. */
void overflow_free(struct overflow *overflow, struct geometry_job *job, uint32_t n);
/* Frees the primitive's part of the ring. It must be the oldest one. */
void overflow_end(struct overflow *overflow, struct geometry_job *job);

#endif
