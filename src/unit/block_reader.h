/* Reads blocks of surfaces according to their states and keeps them in a fixed number of slots. A
 * cleared block is produced from its clear value. A compressed block is fetched in compressed form
 * and passes a decompressor, one block at a time. Only the requested transactions of a raw block
 * are fetched. A block keeps its slot until another block needs the slot. The least recently used
 * block is replaced.
 *
 * The owner clocks the reader, and both share the owner's memory port. */
#ifndef AETIUS_UNIT_BLOCK_READER_H
#define AETIUS_UNIT_BLOCK_READER_H

#include "base/ring.h"
#include "unit/rop/blocks.h"

enum { BLOCK_READER_TAG = 1 << 30 /* set only in the reader's tags */ };

struct block_slot {
    bool valid, queued;
    /* table, address and state of the block at the time of the request */
    const struct blocks *blocks;
    uint32_t address, state;
    uint32_t wanted, sent, arrived; /* transactions, one bit each */
    uint32_t locks;
    /* cycle in which the block is decompressed; CYCLE_NEVER: bytes are missing */
    uint64_t ready_cycle;
    uint64_t used;
    struct cp_stamp arrival; /* arrival of the last transaction */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct block_reader {
    struct module *module;          /* the owner's */
    const struct memory_port *port; /* the owner's */
    const struct blocks *tables[2]; /* block states of color and depth */
    struct block_slot *slots;
    uint32_t count;
    uint32_t *queue; /* slots that still have transactions to request */
    struct ring queue_ring;
    uint64_t unpack_free, uses;
    /* Statistics: `unpacked` counts compressed blocks that were read. `bytes_saved` counts the
     * bytes that cleared and compressed blocks did not move. `unpack_stalls` is the number of
     * cycles that blocks waited for the decompressor. */
    uint64_t hits, misses, from_clear, unpacked, bytes_saved, unpack_stalls, transactions;
};

void block_reader_init(struct block_reader *reader, struct module *module,
                       const struct memory_port *port, const struct blocks *color,
                       const struct blocks *depth, uint32_t count);
void block_reader_fini(struct block_reader *reader);
/* Invalidates all slots. No transaction may be in flight. */
void block_reader_reset(struct block_reader *reader);

/* Returns the table that lists the block at this address as cleared or compressed. NULL: memory
 * holds the block uncompressed. */
static inline const struct blocks *
block_reader_packed(const struct block_reader *reader, uint32_t address)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!blocks_is_raw(blocks_state(reader->tables[i], address)))
            return reader->tables[i];
    return NULL;
}

/* Locks the block at `address` and requests the transactions `parts` (one bit each). Returns the
 * block's slot, which stays valid until the block is unlocked. Returns -1 if every slot is locked
 * or being filled. */
int32_t block_reader_lock(struct block_reader *reader, const struct blocks *blocks,
                          uint32_t address, uint32_t parts, uint64_t now);
void block_reader_unlock(struct block_reader *reader, uint32_t slot);
/* Returns whether the transactions `parts` of the block are available. Wakes the module in the
 * cycle in which the block will be decompressed. */
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
/* Whether no transaction is in flight or waits to be requested. */
bool block_reader_is_quiet(const struct block_reader *reader);

/* Takes a reply that has BLOCK_READER_TAG in its tag. */
void block_reader_take(struct block_reader *reader, const struct memory_reply *reply, uint64_t now);
/* Requests at most one transaction. Returns false if none is needed or the queue is full. */
bool block_reader_send(struct block_reader *reader, uint64_t now);

#endif
