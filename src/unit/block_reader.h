/* Reads blocks of surfaces as their states say: slots for so many blocks, whole. A cleared block
 * comes from its clear value, a compressed one as its compressed bytes, which go through a
 * decompressor, one block at a time; of a raw one only those transactions come that are asked for.
 * A block stays until its slot is wanted for another: the least recently used gives way.
 *
 * The owner clocks it, and shares its memory port with it. */
#ifndef AETIUS_UNIT_BLOCK_READER_H
#define AETIUS_UNIT_BLOCK_READER_H

#include "base/ring.h"
#include "unit/rop/blocks.h"

enum { BLOCK_READER_TAG = 1 << 30 /* in the tags of its transactions; owners' are below */ };

struct block_slot {
    bool valid, queued;
    const struct blocks *blocks; /* whose block; its address and its state when it was asked for */
    uint32_t address, state;
    uint32_t wanted, sent, arrived; /* transactions, a bit each */
    uint32_t locks;
    uint64_t ready_cycle; /* decompressed then; CYCLE_NEVER: bytes are missing */
    uint64_t used;
    struct cp_stamp arrival; /* the last of it */
    uint8_t data[BLOCK_MAX_BYTES];
};

struct block_reader {
    struct module *module;          /* the owner's */
    const struct memory_port *port; /* likewise */
    const struct blocks *tables[2]; /* of color and depth */
    struct block_slot *slots;
    uint32_t count;
    uint32_t *queue; /* slots that have transactions to ask for */
    struct ring queue_ring;
    uint64_t unpack_free, uses;
    /* statistics: blocks found here or not; those not found that were cleared or compressed; and
     * what these did not move; cycles that they waited for the decompressor */
    uint64_t hits, misses, from_clear, unpacked, bytes_saved, unpack_stalls, transactions;
};

void block_reader_init(struct block_reader *reader, struct module *module,
                       const struct memory_port *port, const struct blocks *color,
                       const struct blocks *depth, uint32_t count);
void block_reader_fini(struct block_reader *reader);
void block_reader_reset(struct block_reader *reader); /* no block here; nothing may be on its way */

/* The blocks that the address is cleared or compressed in, or NULL: memory has its bytes. */
static inline const struct blocks *
block_reader_packed(const struct block_reader *reader, uint32_t address)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!blocks_is_raw(blocks_state(reader->tables[i], address)))
            return reader->tables[i];
    return NULL;
}

/* The slot of the block at `address`, of which the transactions `parts` (a bit each) are wanted;
 * it stays until it is unlocked. -1: every slot is locked. */
int32_t block_reader_lock(struct block_reader *reader, const struct blocks *blocks,
                          uint32_t address, uint32_t parts, uint64_t now);
void block_reader_unlock(struct block_reader *reader, uint32_t slot);
/* Whether these parts of it are here; wakes the module when a decompressor will be through. */
bool block_reader_ready(const struct block_reader *reader, uint32_t slot, uint32_t parts,
                        uint64_t now);
static inline const uint8_t *
block_reader_data(const struct block_reader *reader, uint32_t slot)
{
    return reader->slots[slot].data;
}
/* How it came here, and when. */
static inline struct cp_stamp
block_reader_mark(const struct block_reader *reader, uint32_t slot)
{
    return reader->slots[slot].arrival;
}
/* It is being asked for, or decompressed. */
bool block_reader_is_quiet(const struct block_reader *reader);

/* A reply with BLOCK_READER_TAG in its tag. */
void block_reader_take(struct block_reader *reader, const struct memory_reply *reply, uint64_t now);
/* Asks for at most one transaction; false: there is none, or no room. */
bool block_reader_send(struct block_reader *reader, uint64_t now);

#endif
