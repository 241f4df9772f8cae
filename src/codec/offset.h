/* Common parts of the offset codecs (docs/design/compression.md, Offset codecs). A word is split
 * into a high part, which must equal that of a reference, and k low bits, which are stored.
 *
 * A split defines the number of low bits of each component. The high and low parts consist of the
 * components' bits in the order R, G, B, A. The order of the bits is kept, so comparing high parts
 * equals comparing words under the mask of high bits. The code compares masked words; it gathers
 * the bits only for storage.
 *
 * Layout: the high parts of the stored references (32 - k bits each), then for each word the index
 * of its reference and its k low bits. */
#ifndef AETIUS_CODEC_OFFSET_H
#define AETIUS_CODEC_OFFSET_H

#include "codec/bits.h"
#include "codec/codec.h"

#include <stdbool.h>

struct split {
    uint32_t k;
    uint32_t low[4]; /* low bits of R, G, B, A; their sum is k */
};

/* Low bits are the k low bits of the word. */
static inline struct split
split_word(uint32_t k)
{
    struct split split = {k, {0}};
    for (uint32_t c = 4, left = k; c-- > 0;) {
        split.low[c] = left < 8 ? left : 8;
        left -= split.low[c];
    }
    return split;
}

/* Each component has k / 4 low bits. The high parts of R, G, B and A precede the low parts in the
 * reordered word, so the remaining k % 4 low bits are the lowest bits of A's high part. Range of k:
 * 0 to 26, so that A has at most 8 low bits. */
static inline struct split
split_components(uint32_t k)
{
    const uint32_t each = k / 4;
    return (struct split){k, {each, each, each, each + k % 4}};
}

static inline uint32_t
split_low_mask(const struct split *split)
{
    uint32_t mask = 0;
    for (uint32_t c = 0; c < 4; c++)
        mask = mask << 8 | ((1u << split->low[c]) - 1);
    return mask;
}

static inline uint32_t
split_low(const struct split *split, uint32_t word)
{
    const uint32_t *n = split->low;
    return (word >> 24 & ((1u << n[0]) - 1)) << (n[1] + n[2] + n[3]) |
           (word >> 16 & ((1u << n[1]) - 1)) << (n[2] + n[3]) |
           (word >> 8 & ((1u << n[2]) - 1)) << n[3] | (word & ((1u << n[3]) - 1));
}

/* The high part, 32 - k bits. */
static inline uint32_t
split_high(const struct split *split, uint32_t word)
{
    uint32_t high = 0;
    for (uint32_t c = 0; c < 4; c++)
        high = high << (8 - split->low[c]) | (word >> (24 - 8 * c) & 0xff) >> split->low[c];
    return high;
}

/* Inverse of split_high() or split_low(): puts the gathered bits back in their places. */
static inline uint32_t
split_spread_high(const struct split *split, uint32_t high)
{
    uint32_t word = 0;
    for (uint32_t c = 4, at = 0; c-- > 0; at += 8) {
        const uint32_t bits = 8 - split->low[c];
        word |= (high & ((1u << bits) - 1)) << split->low[c] << at;
        high >>= bits;
    }
    return word;
}

static inline uint32_t
split_spread_low(const struct split *split, uint32_t low)
{
    uint32_t word = 0;
    for (uint32_t c = 4, at = 0; c-- > 0; at += 8) {
        word |= (low & ((1u << split->low[c]) - 1)) << at;
        low >>= split->low[c];
    }
    return word;
}

/* Minimum and maximum of `count` masked words. */
static inline void
offset_range(const uint32_t *words, uint32_t count, uint32_t mask, uint32_t *min, uint32_t *max)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = words[i] & mask;
        low = word < low ? word : low;
        high = word > high ? word : high;
    }
    *min = low;
    *max = high;
}

/* Whether every masked word equals one of the references. */
static inline bool
offset_fits_two(const uint32_t *block, uint32_t mask, const uint32_t references[2])
{
    const uint32_t a = references[0], b = references[1];
    uint32_t misses = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t word = block[i] & mask;
        misses |= (uint32_t)(word != a) & (uint32_t)(word != b);
    }
    return !misses;
}

static inline bool
offset_fits_four(const uint32_t *block, uint32_t mask, const uint32_t references[4])
{
    const uint32_t a = references[0], b = references[1], c = references[2], d = references[3];
    uint32_t misses = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t word = block[i] & mask;
        misses |= (uint32_t)(word != a) & (uint32_t)(word != b) & (uint32_t)(word != c) &
                  (uint32_t)(word != d);
    }
    return !misses;
}

/* Parameters of an offset codec. References are words under the mask of high bits. */
struct offset_scheme {
    struct split (*split)(uint32_t k);
    uint8_t low_bits[CODEC_BUSES][7]; /* k of each level */
    uint32_t references;              /* 2 or 4, with an index of 1 or 2 bits */
    uint32_t stored;                  /* stored references; derive() computes the others */
    /* Finds the stored references of a block. */
    void (*find)(const uint32_t *block, uint32_t mask, uint32_t *references);
    bool finds_once; /* find() is valid for all levels: one call, masked per level */
    void (*derive)(uint32_t k, uint32_t *references); /* NULL: all are stored */
};

/* Level sizes of all offset codecs. */
#define OFFSET_LEVELS                                                                              \
    {                                                                                              \
        {3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}},                                \
    }

/* OFFSET_K: the largest k for which 64 (k + index bits) + stored (32 - k) bits fit in `bytes`.
 * OFFSET_REFERENCES: the members of a scheme that depend on its number of references. */
#define OFFSET_K(bytes, all, from_block)                                                           \
    ((8 * (bytes)-CODEC_WORDS * ((all) / 2) - 32 * (from_block)) / (CODEC_WORDS - (from_block)))
#define OFFSET_REFERENCES(all, from_block)                                                         \
    .references = (all), .stored = (from_block),                                                   \
    .low_bits = {{OFFSET_K(64, all, from_block), OFFSET_K(128, all, from_block),                   \
                  OFFSET_K(192, all, from_block)},                                                 \
                 {OFFSET_K(32, all, from_block), OFFSET_K(64, all, from_block),                    \
                  OFFSET_K(96, all, from_block), OFFSET_K(128, all, from_block),                   \
                  OFFSET_K(160, all, from_block), OFFSET_K(192, all, from_block),                  \
                  OFFSET_K(224, all, from_block)}}

/* Inlined into each codec, where the scheme is a constant, so that references stay in registers. */
static inline __attribute__((always_inline)) int32_t
offset_choose(const struct offset_scheme *scheme, const uint32_t *block, enum codec_bus bus)
{
    static const struct codec_levels levels[CODEC_BUSES] = OFFSET_LEVELS;
    uint32_t found[4], references[4];
    if (scheme->finds_once)
        scheme->find(block, UINT32_MAX, found);
    for (int32_t level = 0; level < (int32_t)levels[bus].count; level++) {
        const struct split split = scheme->split(scheme->low_bits[bus][level]);
        const uint32_t mask = ~split_low_mask(&split);
        if (!scheme->finds_once)
            scheme->find(block, mask, references);
        for (uint32_t i = 0; scheme->finds_once && i < scheme->stored; i++)
            references[i] = found[i] & mask;
        if (scheme->derive)
            scheme->derive(split.k, references);
        if (scheme->references == 2 ? offset_fits_two(block, mask, references)
                                    : offset_fits_four(block, mask, references))
            return level;
    }
    return CODEC_RAW;
}

void offset_compress(const struct offset_scheme *scheme, const uint32_t *block, enum codec_bus bus,
                     int32_t level, uint8_t *out);
void offset_decompress(const struct offset_scheme *scheme, const uint8_t *in, enum codec_bus bus,
                       int32_t level, uint32_t *block);

/* Functions of a codec; its scheme must be named `scheme`. */
#define OFFSET_FUNCTIONS                                                                           \
    static int32_t choose(const uint32_t *block, struct codec_shape shape)                         \
    {                                                                                              \
        return offset_choose(&scheme, block, shape.bus);                                           \
    }                                                                                              \
    static void compress(const uint32_t *block, struct codec_shape shape, int32_t level,           \
                         uint8_t *out)                                                             \
    {                                                                                              \
        offset_compress(&scheme, block, shape.bus, level, out);                                    \
    }                                                                                              \
    static void decompress(const uint8_t *in, struct codec_shape shape, int32_t level,             \
                           uint32_t *block)                                                        \
    {                                                                                              \
        offset_decompress(&scheme, in, shape.bus, level, block);                                   \
    }

#endif
