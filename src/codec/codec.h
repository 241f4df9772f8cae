/* Lossless codecs for frame-buffer blocks (docs/design/compression.md, What a codec must
 * guarantee).
 *
 * A block is a ROP cache line: 64 words of 32 bits, pixels in Morton order, the samples of a pixel
 * consecutive. A color word is R << 24 | G << 16 | B << 8 | A for every surface format; a depth
 * word is Z << 8 | stencil. The caller converts to this bit order and back. Stencil is lossless
 * too. A block keeps its full size in memory: a codec only reduces the bytes that move.
 *
 * Hardware tries all levels of a codec in parallel. The first level in its list that fits the block
 * is used; sizes never decrease along the list. The block state stores the level, so two levels may
 * have the same size. */
#ifndef AETIUS_CODEC_CODEC_H
#define AETIUS_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODEC_WORDS = 64,
    CODEC_BLOCK_BYTES = 256,
    CODEC_MAX_LEVELS = 40,
    CODEC_MAX_STAGES = 8,
    CODEC_RAW = -1, /* no level fits the block: it moves uncompressed, 256 bytes */
};
/* level sizes are multiples of the bus width */
enum codec_bus { CODEC_BUS_64, CODEC_BUS_32, CODEC_BUSES };
enum codec_kind { CODEC_COLOR = 1, CODEC_DEPTH = 2 };

/* Properties of a block other than its words. */
struct codec_shape {
    enum codec_bus bus;
    uint32_t samples; /* per pixel: 1, 2, 4 or 8 */
};

struct codec_levels {
    uint32_t count;
    uint8_t bytes[CODEC_MAX_LEVELS]; /* multiples of the bus width, never decreasing */
};

/* A step of the hardware, in the order of the data. One level of comparators or adders takes one
 * cycle (compression 2008, section 4.7). */
struct codec_stage {
    const char *name;
    uint32_t cycles;
    bool per_level; /* each level has its own copy; the copies work in parallel */
};

struct codec {
    const char *name, *doc;
    uint32_t applies;                            /* bits of enum codec_kind */
    struct codec_stage stages[CODEC_MAX_STAGES]; /* ends with a stage without a name */
    struct codec_levels levels[CODEC_BUSES];
    /* Returns the level that fits the block, or CODEC_RAW. */
    int32_t (*choose)(const uint32_t *block, struct codec_shape shape);
    /* Writes levels[shape.bus].bytes[level] bytes. `level` must be choose()'s result for this
     * block. */
    void (*compress)(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out);
    /* Reads levels[shape.bus].bytes[level] bytes. Any input decodes to some block: damaged data
     * never causes an access out of bounds. */
    void (*decompress)(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block);
};

#define CODEC(symbol, name, blocks)                                                                \
    extern const struct codec codec_##symbol;                                                      \
    extern const char codec_name_##symbol[];
#include "codecs.def"

/* CODEC_ID_hilo, ..., and the number of codecs */
enum {
#define CODEC(symbol, name, blocks) CODEC_ID_##symbol,
#include "codecs.def"
    CODEC_COUNT
};

/* CODEC_KINDS_hilo, ...: bits of enum codec_kind */
enum {
    CODEC_BOTH = CODEC_COLOR | CODEC_DEPTH,
#define CODEC(symbol, name, blocks) CODEC_KINDS_##symbol = CODEC_##blocks,
#include "codecs.def"
};

/* The codec's values from codecs.def: the first members of its initializer. */
#define CODEC_IS(symbol) .name = codec_name_##symbol, .applies = CODEC_KINDS_##symbol

extern const struct codec *const codecs[]; /* in the order of codecs.def; ends with NULL */

/* Returns NULL if no codec has that name. */
const struct codec *codec_find(const char *name);

static inline uint32_t
codec_bus_bytes(enum codec_bus bus)
{
    return bus == CODEC_BUS_32 ? 32 : 64;
}

/* Latency in cycles: the sum over the codec's stages. */
uint32_t codec_latency(const struct codec *codec);

/* Bytes that a block of this level moves; 256 for CODEC_RAW. */
static inline uint32_t
codec_level_bytes(const struct codec *codec, enum codec_bus bus, int32_t level)
{
    return level < 0 ? CODEC_BLOCK_BYTES : codec->levels[bus].bytes[level];
}

#endif
