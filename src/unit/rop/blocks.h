/* The block-state memory of a ROP, and what compression does to a block (spec: compression.md;
 * machine.md, ROP caches).
 *
 * A block is what a line of the ROP's cache holds. Its state says what memory has of it: the bytes
 * as they are, nothing (it is cleared: the clear value is made on chip), or a compressed level. A
 * compressed block lies in the first bytes of its own place. States are kept for the surfaces that
 * the ROP works on, in the order in which they came, until the memory of states is full: blocks
 * beyond it are always raw.
 *
 * Codecs see words in the order of codec.h, made from elements of 4 bytes. Lines of other elements
 * (1, 2, 8 or 16 bytes) and lines shorter than a codec's block are never compressed. */
#ifndef AETIUS_UNIT_BLOCKS_H
#define AETIUS_UNIT_BLOCKS_H

#include "codec/codec.h"
#include "unit/items.h"

enum { BLOCKS_MAX_SURFACES = 9, BLOCK_MAX_BYTES = CODEC_BLOCK_BYTES };

enum block_state {
    BLOCK_RAW, /* as it is; by other means than a write-back of this ROP, or without a state */
    BLOCK_CLEARED,
    BLOCK_KEPT,  /* written back as it is: no level holds it, or there is no codec */
    BLOCK_LEVEL, /* + n: compressed to level n */
};

struct block_surface { /* a slice of a resource's level */
    const struct resource *res;
    const struct format_info *format;
    uint32_t first, end; /* addresses */
    uint32_t tiles_x;
    uint32_t first_state; /* of its own blocks, in the memory of states */
    bool has_words;       /* elements of 4 bytes in lines of a codec's block */
    bool in_memory;       /* of cleared blocks too, memory has the bytes */
    uint8_t place[4];     /* of an element's byte i in a codec's word: its bit position */
    uint8_t clear_line[BLOCK_MAX_BYTES];
};

struct blocks {
    uint32_t rop, rops; /* whose: this ROP, of how many */
    uint32_t block_bytes;
    const struct codec *codec; /* NULL: no compression */
    uint8_t *states;           /* enum block_state of every block of the memory */
    uint32_t limit, used;      /* states that the hardware has; given to surfaces */
    struct block_surface surfaces[BLOCKS_MAX_SURFACES];
    uint32_t surface_count;
    uint64_t levels_noted, fault_level_at; /* fault injection: this one gets another level */
};

void blocks_init(struct blocks *blocks, uint32_t rop, uint32_t rops, uint32_t block_bytes,
                 uint32_t memory_bytes, uint32_t limit, const struct codec *codec);
void blocks_fini(struct blocks *blocks);
/* Forgets surfaces and states: memory holds every block raw. */
void blocks_reset(struct blocks *blocks);

/* Memory address of the quad at (x, y) of a surface (sample 0 of its first pixel). */
uint32_t blocks_quad_address(const struct bound_surface *surface, uint32_t x, uint32_t y);
/* The surface among those that have states, added when it is new. */
struct block_surface *blocks_use(struct blocks *blocks, const struct bound_surface *surface);
/* The surface that the address lies in, or NULL. */
const struct block_surface *blocks_surface(const struct blocks *blocks, uint32_t address);
static inline uint32_t
blocks_of_surface(const struct blocks *blocks, const struct block_surface *surface)
{
    return (surface->end - surface->first) / blocks->block_bytes;
}
/* Whether this ROP owns the surface's block number n. */
bool blocks_own(const struct blocks *blocks, const struct block_surface *surface, uint32_t n);
/* Whether the memory of states reaches it. */
bool blocks_reach(const struct blocks *blocks, const struct block_surface *surface, uint32_t n);

static inline uint32_t
blocks_state(const struct blocks *blocks, uint32_t address)
{
    return blocks->states[address / blocks->block_bytes];
}
static inline void
blocks_note(struct blocks *blocks, uint32_t address, uint32_t state)
{
    blocks->states[address / blocks->block_bytes] = (uint8_t)state;
}
/* Bytes of a block in this state that move between the ROP and memory. */
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

/* Makes every block of the surfaces raw in memory, outside time. */
void blocks_settle(struct blocks *blocks, struct gpu_memory *memory);

#endif
