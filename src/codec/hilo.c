/* hilo: offset codec with four references on the 32-bit word (docs/design/compression.md, Offset
 * codecs).
 *
 * References: min and max of the block, min + 2^k, max - 2^k (modulo 2^32). The index has 2 bits;
 * min and max are stored. Bits: 64 (k + 2) + 2 (32 - k) = 62 k + 192. */
#include "codec/offset.h"

static void
hilo_find(const uint32_t *block, uint32_t mask, uint32_t *references)
{
    offset_range(block, CODEC_WORDS, mask, &references[0], &references[1]);
}

static void
derive(uint32_t k, uint32_t *references)
{
    references[2] = references[0] + (1u << k);
    references[3] = references[1] - (1u << k);
}

static const struct offset_scheme scheme = {
    OFFSET_REFERENCES(4, 2), .split = split_word, .find = hilo_find,
    .finds_once = true,      .derive = derive,
};

OFFSET_FUNCTIONS

const struct codec codec_hilo = {
    CODEC_IS(hilo),
    .doc = "offsets from min, max, min + 2^k and max - 2^k of the word",
    .stages = {{"min and max of the block", 6, false},
               {"min + 2^k, max - 2^k", 1, true},
               {"comparison with the references", 1, true},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = OFFSET_LEVELS,
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
