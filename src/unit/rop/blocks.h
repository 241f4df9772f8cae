/* Block states: what memory has of each block of the surfaces that are drawn into, and what
 * compression does to a block (docs/design/memory.md, Block states).
 *
 * A block is what a line of the ROP's cache holds. Its state says what memory has of it: the bytes
 * as they are, nothing (it is cleared: the clear value is made on chip), or a compressed level. A
 * compressed block lies in the first bytes of its place.
 *
 * There is one table for the color and one for the depth of the machine: ROPs note the states of
 * the blocks that they own, and all who read memory (DAC, texture units, blitter) go by them. Each
 * ROP has as many states as BlockStateMemorySize says. They are given to surfaces, when these are
 * first used, and a surface keeps them, bound or not, until it is forgotten; blocks for which there
 * was none left are always raw.
 *
 * Codecs see words in the order of codec.h, made from elements of 4 bytes. Lines of other elements
 * (1, 2, 8 or 16 bytes) and lines shorter than a codec's block are never compressed. */
#ifndef AETIUS_UNIT_BLOCKS_H
#define AETIUS_UNIT_BLOCKS_H

#include "codec/codec.h"
#include "unit/items.h"

enum { BLOCKS_MAX_SURFACES = 32, BLOCK_MAX_BYTES = CODEC_BLOCK_BYTES };

enum block_state {
    BLOCK_RAW, /* as it is; by other means than a write-back of a ROP, or without a state */
    BLOCK_CLEARED,
    BLOCK_KEPT,  /* written back as it is: no level holds it, or there is no codec */
    BLOCK_LEVEL, /* + n: compressed to level n */
};

struct block_surface {          /* a slice of a resource's level */
    struct bound_surface bound; /* as it was first used */
    uint32_t first, end;        /* addresses */
    uint32_t tiles_x;
    uint32_t states;  /* that each ROP has for it: its n-th own block has one if n is below */
    uint64_t used;    /* when it was bound last: grows */
    bool has_words;   /* elements of 4 bytes in lines of a codec's block */
    bool in_memory;   /* of cleared blocks too, memory has the bytes */
    uint8_t shift[4]; /* of an element's byte i in a codec's word: its bit position */
    uint8_t clear_line[BLOCK_MAX_BYTES];
};

struct blocks {
    uint32_t rops;
    uint32_t block_bytes;
    const struct codec *codec;           /* NULL: no compression */
    uint32_t pack_cycles, unpack_cycles; /* latencies of a compressor and a decompressor */
    uint8_t *states;                     /* enum block_state of every block of the memory */
    uint32_t limit, given;               /* states that a ROP has, and that surfaces have */
    struct block_surface surfaces[BLOCKS_MAX_SURFACES];
    uint32_t surface_count;
    uint64_t uses;
    uint64_t levels_noted, fault_level_at; /* fault injection: this one gets another level */
};

void blocks_init(struct blocks *blocks, uint32_t rops, uint32_t block_bytes, uint32_t memory_bytes,
                 uint32_t limit, const struct codec *codec);
void blocks_fini(struct blocks *blocks);

/* Memory address of the quad at (x, y) of a surface (sample 0 of its first pixel). */
uint32_t blocks_quad_address(const struct bound_surface *surface, uint32_t x, uint32_t y);
/* The surface among those that have states, or NULL. */
struct block_surface *blocks_find(struct blocks *blocks, const struct bound_surface *surface);
/* Whether a place, and as many states as it has blocks, are left for a new surface. */
bool blocks_have_room(const struct blocks *blocks, const struct bound_surface *surface);
/* Adds it, all raw, with the states that are left. There must be a place. */
struct block_surface *blocks_add(struct blocks *blocks, const struct bound_surface *surface);
/* It has just been bound. */
void blocks_touch(struct blocks *blocks, struct block_surface *surface);
/* Its blocks are raw from now on, its states free. Moves other surfaces in the table. */
void blocks_forget(struct blocks *blocks, struct block_surface *surface);
/* The surface that the address lies in, or NULL. */
const struct block_surface *blocks_surface(const struct blocks *blocks, uint32_t address);
static inline uint32_t
blocks_of_surface(const struct blocks *blocks, const struct block_surface *surface)
{
    return (surface->end - surface->first) / blocks->block_bytes;
}
/* Which ROP owns the surface's block number n. */
uint32_t blocks_owner(const struct blocks *blocks, const struct block_surface *surface, uint32_t n);
/* Whether it has a state. */
static inline bool
blocks_reach(const struct blocks *blocks, const struct block_surface *surface, uint32_t n)
{
    return n / blocks->rops < surface->states;
}

static inline uint32_t
blocks_state(const struct blocks *blocks, uint32_t address)
{
    return blocks->states[address / blocks->block_bytes];
}
/* Whether the state is one in which memory has the bytes as they are. */
static inline bool
blocks_is_raw(uint32_t state)
{
    return state == BLOCK_RAW || state == BLOCK_KEPT;
}
static inline void
blocks_note(struct blocks *blocks, uint32_t address, uint32_t state)
{
    blocks->states[address / blocks->block_bytes] = (uint8_t)state;
}
/* Bytes of a block in this state that move between the GPU and memory. */
static inline uint32_t
blocks_bytes(const struct blocks *blocks, uint32_t state)
{
    if (state >= BLOCK_LEVEL)
        return blocks->codec->levels[CODEC_BUS_64].bytes[state - BLOCK_LEVEL];
    return state == BLOCK_CLEARED ? 0 : blocks->block_bytes;
}

/* A line on its way to memory: notes its new state and writes blocks_bytes() of it. `raw`: it is
 * not to be compressed. Returns the state. */
uint32_t blocks_pack(struct blocks *blocks, uint32_t address, const uint8_t *line, bool raw,
                     uint8_t *out);
/* And back: from what memory has of the block in this state. `line` may be `in`. */
void blocks_unpack(const struct blocks *blocks, uint32_t address, uint32_t state, const uint8_t *in,
                   uint8_t *line);
/* Whether lines of this address go through the compressor. */
bool blocks_compress(const struct blocks *blocks, uint32_t address);

/* The line as a codec sees it. Returns whether the codec's words are those of the format: else they
 * are the bytes as they lie. Lines of a codec's block only. */
bool blocks_words(const struct blocks *blocks, uint32_t address, const uint8_t *line,
                  uint32_t *words);

/* Makes every block of the surface raw in memory, outside time. */
void blocks_settle(struct blocks *blocks, const struct block_surface *surface,
                   struct gpu_memory *memory);

#endif
