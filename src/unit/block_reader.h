/* Reads blocks of surfaces according to their states and keeps them in a fixed number of slots. A
 * cleared block is made from its clear value. A compressed block is fetched as its compressed
 * bytes, which pass a decompressor, one block at a time. Of a raw block only the requested
 * transactions are fetched. A block keeps its slot until another block needs it; the least recently
 * used is replaced.
 *
 * The owner clocks the reader and shares its memory port with it. */
#ifndef AETIUS_UNIT_BLOCK_READER_H
#define AETIUS_UNIT_BLOCK_READER_H

#include "base/ring.h"
#include "unit/rop/blocks.h"

enum { BLOCK_READER_TAG = 1 << 30 /* set in the reader's tags; the owner's are smaller */ };

struct block_slot {
    bool valid, queued;
    const struct blocks *blocks; /* its table, address and state when it was requested */
    uint32_t address, state;
    uint32_t wanted, sent, arrived; /* transactions, one bit each */
    uint32_t locks;
    uint64_t ready_cycle; /* cycle in which it is decompressed; CYCLE_NEVER: bytes are missing */
    uint64_t used;
    struct cp_stamp arrival; /* of the last transaction */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct block_reader {
    struct module *module;          /* the owner's */
    const struct memory_port *port; /* the owner's */
    const struct blocks *tables[2]; /* of color and depth */
    struct block_slot *slots;
    uint32_t count;
    uint32_t *queue; /* slots with transactions still to request */
    struct ring queue_ring;
    uint64_t unpack_free, uses;
    /* statistics: blocks found and not found here; of those not found, cleared and compressed ones;
     * bytes that these two did not move; cycles that blocks waited for the decompressor */
    uint64_t hits, misses, from_clear, unpacked, bytes_saved, unpack_stalls, transactions;
};

void block_reader_init(struct block_reader *reader, struct module *module,
                       const struct memory_port *port, const struct blocks *color,
                       const struct blocks *depth, uint32_t count);
void block_reader_fini(struct block_reader *reader);
void block_reader_reset(struct block_reader *reader); /* invalidates all; nothing may be in
                                                         flight */

/* The table in which the block of this address is cleared or compressed. NULL: memory holds its
 * bytes uncompressed. */
static inline const struct blocks *
block_reader_packed(const struct block_reader *reader, uint32_t address)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!blocks_is_raw(blocks_state(reader->tables[i], address)))
            return reader->tables[i];
    return NULL;
}

/* Locks the block at `address` and requests its transactions `parts` (one bit each). Returns its
 * slot, which stays valid until it is unlocked. Returns -1 if every slot is locked or being
 * filled. */
int32_t block_reader_lock(struct block_reader *reader, const struct blocks *blocks,
                          uint32_t address, uint32_t parts, uint64_t now);
void block_reader_unlock(struct block_reader *reader, uint32_t slot);
/* Whether these parts of the block are available. Wakes the module in the cycle in which the block
 * will be decompressed. */
bool block_reader_ready(const struct block_reader *reader, uint32_t slot, uint32_t parts,
                        uint64_t now);
static inline const uint8_t *
block_reader_data(const struct block_reader *reader, uint32_t slot)
{
    return reader->slots[slot].data;
}
/* Critical path: producer and cycle of the last arrival. */
static inline struct cp_stamp
block_reader_mark(const struct block_reader *reader, uint32_t slot)
{
    return reader->slots[slot].arrival;
}
/* No transaction is in flight or still to request. */
bool block_reader_is_quiet(const struct block_reader *reader);

/* Takes a reply with BLOCK_READER_TAG in its tag. */
void block_reader_take(struct block_reader *reader, const struct memory_reply *reply, uint64_t now);
/* Requests at most one transaction. Returns false if none is needed or the queue is full. */
bool block_reader_send(struct block_reader *reader, uint64_t now);

#endif
