/* What the offset codecs share (spec: compression.md, offset codecs): a word is split in a high
 * part, which must equal that of a reference, and k low bits, which are stored.
 *
 * A split says how many low bits each component has; high and low part are the components' bits in
 * the order R, G, B, A. Since bits keep their order, high parts compare like words under the mask
 * of high bits, and that is how they are compared here: gathered together they are only in storage.
 *
 * Layout: the stored references' high parts (32 - k bits each), then for each word the index of its
 * reference and its k low bits. */
#ifndef AETIUS_CODEC_OFFSET_H
#define AETIUS_CODEC_OFFSET_H

#include "codec/bits.h"
#include "codec/codec.h"

#include <stdbool.h>

struct split {
    uint32_t k;
    uint32_t low[4]; /* low bits of R, G, B, A: k in all */
};

/* The k low bits of the word. */
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

/* As many of each component; what does not go in four belongs to R, then G, then B. */
static inline struct split
split_components(uint32_t k)
{
    struct split split = {k, {0}};
    for (uint32_t c = 0; c < 4; c++)
        split.low[c] = k / 4 + (c < k % 4);
    return split;
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

/* The word, under the mask of high (low) bits, that has these bits gathered. */
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

/* Smallest and largest of `count` words under a mask. */
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

/* Whether every word, under the mask, is one of the references. */
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

/* A whole level. References are words under the mask of high bits, 2 to the power of `index_bits`
 * of them; the first `stored` are stored. The rest is for the codec to find again. */
void offset_put(const uint32_t *block, const struct split *split, const uint32_t *references,
                uint32_t stored, uint32_t index_bits, uint8_t *out, uint32_t bytes);
void offset_get_references(struct bit_reader *reader, const struct split *split, uint32_t stored,
                           uint32_t *references);
void offset_get_words(struct bit_reader *reader, const struct split *split,
                      const uint32_t *references, uint32_t index_bits, uint32_t *block);

#endif
