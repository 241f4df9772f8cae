/* Block states: the form in which memory holds each block of a surface (docs/design/memory.md,
 * Block states). This file also converts blocks between that form and cache lines.
 *
 * A block is the content of one ROP cache line. Memory holds a block raw, or compressed to a level.
 * Memory need not hold a cleared block, which is produced on chip from its clear value. A
 * compressed block occupies the first bytes of its location.
 *
 * The machine has one table for color and one for depth. Each ROP sets the states of the blocks
 * that it owns. All readers of memory (DAC, texture units, Blitter) use these states. Each ROP has
 * room for BlockStateMemorySize states. A surface gets its states at its first use. It keeps them,
 * bound or not, until it is forgotten. Blocks without a state are always raw.
 *
 * A codec processes 4-byte elements as words in the order of codec.h. Lines of other elements (1,
 * 2, 8 or 16 bytes) are never compressed. Lines shorter than a codec's block are not compressed
 * either. */
#ifndef AETIUS_UNIT_BLOCKS_H
#define AETIUS_UNIT_BLOCKS_H

#include "codec/codec.h"
#include "unit/items.h"

enum { BLOCKS_MAX_SURFACES = 32, BLOCK_MAX_BYTES = CODEC_BLOCK_BYTES };

enum block_state {
    BLOCK_RAW, /* uncompressed: no ROP has written it back, or it has no state */
    BLOCK_CLEARED,
    BLOCK_KEPT,  /* written back uncompressed: no level fits, or there is no codec */
    BLOCK_LEVEL, /* BLOCK_LEVEL + n: compressed to level n */
};

struct block_surface {          /* one level and layer of a resource */
    struct bound_surface bound; /* binding at the surface's first use */
    uint32_t first, end;        /* address range */
    uint32_t tiles_x;
    uint32_t states;  /* states per ROP; block n has a state if n / rops is smaller */
    uint64_t used;    /* sequence number of the surface's last bind */
    bool has_words;   /* 4-byte elements, and lines as long as a codec's block */
    bool in_memory;   /* memory also holds the bytes of cleared blocks */
    uint8_t shift[4]; /* bit position of byte i of an element in a codec's word */
    uint8_t clear_line[BLOCK_MAX_BYTES];
};

struct blocks {
    uint32_t rops;
    uint32_t block_bytes;
    const struct codec *codec;           /* NULL: no compression */
    uint32_t pack_cycles, unpack_cycles; /* latencies of the codec units, in cycles */
    uint8_t *states;                     /* enum block_state of every block of the memory */
    uint32_t limit, given;               /* states per ROP: total, and assigned to surfaces */
    struct block_surface surfaces[BLOCKS_MAX_SURFACES];
    uint32_t surface_count;
    uint64_t uses;
    /* fault injection: number of the compressed block that gets a wrong level */
    uint64_t levels_noted, fault_level_at;
};

void blocks_init(struct blocks *blocks, uint32_t rops, uint32_t block_bytes, uint32_t memory_bytes,
                 uint32_t limit, const struct codec *codec);
void blocks_fini(struct blocks *blocks);

/* Memory address of the quad at (x, y) of a surface, `layer` layers after the surface's first
 * layer. It is the address of sample 0 of the quad's first pixel. */
uint32_t blocks_quad_address(const struct bound_surface *surface, uint32_t layer, uint32_t x,
                             uint32_t y);
/* The surface's table entry, or NULL. */
struct block_surface *blocks_find(struct blocks *blocks, const struct bound_surface *surface);
/* Whether the table has a free entry, and enough free states for all blocks of the surface. */
bool blocks_have_room(const struct blocks *blocks, const struct bound_surface *surface);
/* Adds the surface with all blocks raw. If too few states are left, the last blocks of the surface
 * have no state. The table must have a free entry. */
struct block_surface *blocks_add(struct blocks *blocks, const struct bound_surface *surface);
/* Records a bind of the surface. */
void blocks_touch(struct blocks *blocks, struct block_surface *surface);
/* Makes the surface's blocks raw and frees its states. May move another surface within the
 * table. */
void blocks_remove(struct blocks *blocks, struct block_surface *surface);
/* The surface that contains the address, or NULL. */
const struct block_surface *blocks_surface(const struct blocks *blocks, uint32_t address);
static inline uint32_t
blocks_of_surface(const struct blocks *blocks, const struct block_surface *surface)
{
    return (surface->end - surface->first) / blocks->block_bytes;
}
/* The ROP that owns block n of the surface. */
uint32_t blocks_owner(const struct blocks *blocks, const struct block_surface *surface, uint32_t n);
/* Whether block n of the surface has a state. */
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
/* Whether memory holds a block in this state uncompressed. */
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
/* Number of bytes that move between the GPU and memory for a block in this state. */
static inline uint32_t
blocks_bytes(const struct blocks *blocks, uint32_t state)
{
    if (state >= BLOCK_LEVEL)
        return blocks->codec->levels[CODEC_BUS_64].bytes[state - BLOCK_LEVEL];
    return state == BLOCK_CLEARED ? 0 : blocks->block_bytes;
}

/* Converts a line to its form in memory. Sets the block's state, writes blocks_bytes() bytes to
 * `out`, and returns the state. `raw`: the line is not compressed. */
uint32_t blocks_pack(struct blocks *blocks, uint32_t address, const uint8_t *line, bool raw,
                     uint8_t *out);
/* Converts a block from its form in memory to a line. `state` is the block's state. `line` may be
 * the same buffer as `in`. */
void blocks_unpack(const struct blocks *blocks, uint32_t address, uint32_t state, const uint8_t *in,
                   uint8_t *line);
/* Whether a line at this address passes the compressor. */
bool blocks_compress(const struct blocks *blocks, uint32_t address);

/* Converts a line, which must be as long as a codec's block, to the codec's words. Returns false if
 * the surface has no such words. In this case the words contain the line's bytes in memory
 * order. */
bool blocks_words(const struct blocks *blocks, uint32_t address, const uint8_t *line,
                  uint32_t *words);

/* Makes every block of the surface raw in memory, without timing. */
void blocks_sync(struct blocks *blocks, const struct block_surface *surface,
                 struct gpu_memory *memory);

#endif
