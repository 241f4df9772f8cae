/* Lossless codecs of frame-buffer blocks (docs/design/compression.md, What a codec must guarantee).
 *
 * A block is a ROP cache line: 64 words of 32 bits in Morton order of pixels, the samples of a
 * pixel one after another. Color is R << 24 | G << 16 | B << 8 | A whatever the surface's format,
 * depth is Z << 8 | stencil: the caller orders the bits and orders them back (lossless means
 * stencil too). A block keeps its room in memory; a codec says how many bytes of it move.
 *
 * A codec tries all its levels at once; the first in its list that holds the block wins (smallest
 * size first). The block state remembers the level, so two levels may have one size. */
#ifndef AETIUS_CODEC_CODEC_H
#define AETIUS_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CODEC_WORDS = 64,
    CODEC_BLOCK_BYTES = 256,
    CODEC_MAX_LEVELS = 40,
    CODEC_RAW = -1, /* no level holds the block: it moves as it is, 256 bytes */
};
enum codec_bus { CODEC_BUS_64, CODEC_BUS_32, CODEC_BUSES }; /* sizes are multiples of its bytes */
enum codec_kind { CODEC_COLOR = 1, CODEC_DEPTH = 2 };

/* What block and compressor know of each other besides the words. */
struct codec_shape {
    enum codec_bus bus;
    uint32_t samples; /* of a pixel: 1, 2, 4 or 8 */
};

struct codec_levels {
    uint32_t count;
    uint8_t bytes[CODEC_MAX_LEVELS]; /* multiples of the bus, not falling */
};

struct codec {
    const char *name, *doc;
    uint32_t applies; /* enum codec_kind, or'ed */
    uint32_t latency_cycles;
    bool
        for_samples; /* made for several samples a pixel; works on one, but is not judged by that */
    struct codec_levels levels[CODEC_BUSES];
    /* The level that holds the block, or CODEC_RAW. */
    int32_t (*choose)(const uint32_t *block, struct codec_shape shape);
    /* Writes levels[shape.bus].bytes[level] bytes; `level` is what choose() said of this block. */
    void (*compress)(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out);
    /* Reads levels[shape.bus].bytes[level] bytes. Any bytes give some block: damage is never an
     * access out of bounds. */
    void (*decompress)(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block);
};

#define CODEC(symbol, name, blocks)                                                                \
    extern const struct codec codec_##symbol;                                                      \
    extern const char codec_name_##symbol[];
#include "codecs.def"

enum { /* CODEC_ID_hilo, ..., and how many there are */
#define CODEC(symbol, name, blocks) CODEC_ID_##symbol,
#include "codecs.def"
       CODEC_COUNT
};

enum { /* CODEC_KINDS_hilo, ...: enum codec_kind, or'ed */
       CODEC_BOTH = CODEC_COLOR | CODEC_DEPTH,
#define CODEC(symbol, name, blocks) CODEC_KINDS_##symbol = CODEC_##blocks,
#include "codecs.def"
};

/* What codecs.def says of the codec: opens its initializer. */
#define CODEC_IS(symbol) .name = codec_name_##symbol, .applies = CODEC_KINDS_##symbol

extern const struct codec *const codecs[]; /* in the order of codecs.def; NULL ends them */

/* NULL: no codec has that name. */
const struct codec *codec_find(const char *name);

/* Bytes that a block of this level moves; 256 for CODEC_RAW. */
static inline uint32_t
codec_level_bytes(const struct codec *codec, enum codec_bus bus, int32_t level)
{
    return level < 0 ? CODEC_BLOCK_BYTES : codec->levels[bus].bytes[level];
}

#endif
