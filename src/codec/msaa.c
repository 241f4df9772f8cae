/* msaa: few distinct words among neighbours, such as the samples of a pixel or the pixels inside a
 * triangle (docs/design/compression.md, Multisample codec).
 *
 * The block is divided into sub-blocks of n neighbouring words. One reference: all words of a
 * sub-block are equal; layout: the word of each sub-block. Two references: a sub-block has at most
 * two distinct words. Layout for each sub-block: the first word, the first word that differs from
 * it (or the first word again), then n bits that select one of the two for each word.
 *
 * Levels in the order in which they are tried (references, n, bits):
 * - 64-byte bus: (1, 4) 512, (2, 16) 320, (1, 2) 1024, (2, 8) 576, (2, 4) 1088
 * - 32-byte bus: (1, 8) 256, (2, 32) 192, (1, 4) 512, (2, 16) 320, (2, 8) 576, (1, 2) 1024, (2, 4)
 *   1088
 *
 * The block state distinguishes levels of equal size. */
#include "codec/bits.h"
#include "codec/codec.h"

#include <stdbool.h>

typedef uint32_t words4 __attribute__((vector_size(16)));

struct sub_blocks {
    uint8_t references, words;
};
static const struct sub_blocks sub_blocks[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {{1, 4}, {2, 16}, {1, 2}, {2, 8}, {2, 4}},
    [CODEC_BUS_32] = {{1, 8}, {2, 32}, {1, 4}, {2, 16}, {2, 8}, {1, 2}, {2, 4}},
};

/* Four groups of words, one per lane: the group's two distinct words. `misses` is all ones if the
 * group has more than two. */
struct pairs {
    words4 first, second, misses;
};

static words4
pick(words4 mask, words4 yes, words4 no)
{
    return (yes & mask) | (no & ~mask);
}

static words4
differ(words4 a, words4 b)
{
    return (words4)(a != b);
}

/* Groups of four words, one group per lane. */
static struct pairs
pairs_of_words(words4 a, words4 b, words4 c, words4 d)
{
    struct pairs pairs = {.first = a};
    pairs.second = pick(differ(b, a), b, pick(differ(c, a), c, d));
    pairs.misses =
        (differ(c, a) & differ(c, pairs.second)) | (differ(d, a) & differ(d, pairs.second));
    return pairs;
}

/* Joins two groups per lane. */
static struct pairs
pairs_join(const struct pairs *a, const struct pairs *b)
{
    struct pairs joint = pairs_of_words(a->first, a->second, b->first, b->second);
    joint.misses |= a->misses | b->misses;
    return joint;
}

static bool
is_any_set(words4 words)
{
    return words[0] | words[1] | words[2] | words[3];
}

/* Transposes the 4x4 words at `in`: lane i gets the words of the i-th group of four. */
static void
turn(const uint32_t *in, words4 out[4])
{
    words4 row[4];
    memcpy(row, in, sizeof row);
    const words4 a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const words4 b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const words4 c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const words4 d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* Joins neighbouring groups: 2 n lanes become n. */
static struct pairs
pairs_fold(const struct pairs *a, const struct pairs *b)
{
    struct pairs even = {__builtin_shufflevector(a->first, b->first, 0, 2, 4, 6),
                         __builtin_shufflevector(a->second, b->second, 0, 2, 4, 6),
                         __builtin_shufflevector(a->misses, b->misses, 0, 2, 4, 6)};
    struct pairs odd = {__builtin_shufflevector(a->first, b->first, 1, 3, 5, 7),
                        __builtin_shufflevector(a->second, b->second, 1, 3, 5, 7),
                        __builtin_shufflevector(a->misses, b->misses, 1, 3, 5, 7)};
    return pairs_join(&even, &odd);
}

/* Bit log2(n) is set if the block fits with sub-blocks of n words and one or two references. */
struct fit {
    uint32_t one, two;
};

static struct fit
find_fit(const uint32_t *block)
{
    struct fit fit = {0};
    struct pairs four[4];
    words4 halves = {0}, quads = {0}, octets = {0}, misses = {0};
    for (uint32_t g = 0; g < 4; g++) {
        words4 w[4];
        turn(block + 16 * g, w);
        halves |= (w[0] ^ w[1]) | (w[2] ^ w[3]);
        quads |= w[0] ^ w[2];
        octets |= __builtin_shufflevector(w[0], w[0], 0, 0, 2, 2) ^
                  __builtin_shufflevector(w[0], w[0], 1, 1, 3, 3);
        four[g] = pairs_of_words(w[0], w[1], w[2], w[3]);
        misses |= four[g].misses;
    }
    fit.one = (uint32_t)!is_any_set(halves) << 1 | (uint32_t)!is_any_set(halves | quads) << 2 |
              (uint32_t)!is_any_set(halves | quads | octets) << 3;
    if (is_any_set(misses))
        return fit;
    fit.two = 1 << 2;
    const struct pairs eight[2] = {pairs_fold(&four[0], &four[1]), pairs_fold(&four[2], &four[3])};
    if (is_any_set(eight[0].misses | eight[1].misses))
        return fit;
    fit.two |= 1 << 3;
    const struct pairs sixteen = pairs_fold(&eight[0], &eight[1]);
    if (is_any_set(sixteen.misses))
        return fit;
    fit.two |= 1 << 4;
    const struct pairs half = pairs_fold(&sixteen, &sixteen);
    fit.two |= (uint32_t)!is_any_set(half.misses) << 5;
    return fit;
}

static int32_t
msaa_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct fit fit = find_fit(block);
    for (int32_t level = 0; level < (int32_t)codec_msaa.levels[shape.bus].count; level++) {
        const struct sub_blocks *sub = &sub_blocks[shape.bus][level];
        if (((sub->references == 1 ? fit.one : fit.two) & sub->words))
            return level;
    }
    return CODEC_RAW;
}

static void
put_two(struct bit_writer *writer, const uint32_t *words, uint32_t count)
{
    uint32_t second = 0, which = 0;
    while (second < count - 1 && words[second] == words[0])
        second++;
    if (words[second] == words[0])
        second = 0;
    for (uint32_t i = 0; i < count; i++)
        which |= (uint32_t)(words[i] != words[0]) << i;
    bits_put(writer, words[0], 32);
    bits_put(writer, words[second], 32);
    bits_put(writer, which, count);
}

static void
msaa_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct sub_blocks *sub = &sub_blocks[shape.bus][level];
    struct bit_writer writer = bits_begin(out, codec_msaa.levels[shape.bus].bytes[level]);
    for (uint32_t i = 0; i < CODEC_WORDS; i += sub->words) {
        if (sub->references == 1)
            bits_put(&writer, block[i], 32);
        else
            put_two(&writer, block + i, sub->words);
    }
    bits_end(&writer);
}

static void
msaa_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct sub_blocks *sub = &sub_blocks[shape.bus][level];
    struct bit_reader reader = bits_open(in, codec_msaa.levels[shape.bus].bytes[level]);
    for (uint32_t i = 0; i < CODEC_WORDS; i += sub->words) {
        uint32_t references[2] = {bits_get(&reader, 32), 0}, which = 0;
        if (sub->references == 2) {
            references[1] = bits_get(&reader, 32);
            which = bits_get(&reader, sub->words);
        }
        for (uint32_t j = 0; j < sub->words; j++)
            block[i + j] = references[which >> j & 1];
    }
}

const struct codec codec_msaa = {
    CODEC_IS(msaa),
    .doc = "one or two different words in each sub-block",
    .stages = {{"comparison with the first word of each sub-block", 1, true},
               {"search for the second word (levels with two)", 1, true},
               {"comparison with the second word (levels with two)", 1, true},
               {"joining of the sub-blocks", 1, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{5, {64, 64, 128, 128, 192}}, {7, {32, 32, 64, 64, 96, 128, 160}}},
    .choose = msaa_choose,
    .compress = msaa_compress,
    .decompress = msaa_decompress,
};
