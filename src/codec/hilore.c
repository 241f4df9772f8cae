/* hilore: offset codec with two references on the reordered word (docs/design/compression.md,
 * Offset codecs).
 *
 * The high part consists of the high bits of R, G, B and A. References: min and max of the
 * reordered words, found separately for each level because the order differs. The index has 1 bit;
 * both references are stored. Bits: 64 (k + 1) + 2 (32 - k) = 62 k + 128. */
#include "codec/offset.h"

static void
hilore_find(const uint32_t *block, uint32_t mask, uint32_t *references)
{
    offset_range(block, CODEC_WORDS, mask, &references[0], &references[1]);
}

static const struct offset_scheme scheme = {
    OFFSET_REFERENCES(2, 2),
    .split = split_components,
    .find = hilore_find,
};

OFFSET_FUNCTIONS

const struct codec codec_hilore = {
    CODEC_IS(hilore),
    .doc = "offsets from min and max, with the high bits of each component in front",
    .stages = {{"min and max of the reordered words", 6, true},
               {"comparison with the references", 1, true},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = OFFSET_LEVELS,
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
