/* hilorebi: hilore on two halves of the block (docs/design/compression.md, Offset codecs).
 *
 * References: min and max of words 0 to 31, min and max of words 32 to 63, of the reordered words
 * as in hilore. Any word may use any reference. The index has 2 bits; all references are stored.
 * Bits: 64 (k + 2) + 4 (32 - k) = 60 k + 256. */
#include "codec/offset.h"

static void
hilorebi_find(const uint32_t *block, uint32_t mask, uint32_t *references)
{
    const uint32_t half = CODEC_WORDS / 2;
    offset_range(block, half, mask, &references[0], &references[1]);
    offset_range(block + half, half, mask, &references[2], &references[3]);
}

static const struct offset_scheme scheme = {
    OFFSET_REFERENCES(4, 4),
    .split = split_components,
    .find = hilorebi_find,
};

OFFSET_FUNCTIONS

const struct codec codec_hilorebi = {
    CODEC_IS(hilorebi),
    .doc = "hilore with min and max of each half of the block",
    .stages = {{"min and max of each half, reordered", 5, true},
               {"comparison with the references", 1, true},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = OFFSET_LEVELS,
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
