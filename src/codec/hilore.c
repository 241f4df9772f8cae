/* hilore: offset codec with two references on the reordered word (docs/design/compression.md,
 * Offset codecs).
 *
 * The high part is made of the high bits of each of R, G, B, A. References: min and max of the
 * reordered words, found for each level since the order differs; 1-bit index; both are stored.
 * Bits: 64 (k + 1) + 2 (32 - k) = 62 k + 128.
 * Latency 9: six comparator levels for min and max, the comparison, the choice of the level, the
 * packing. */
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
    .latency_cycles = 9,
    .levels = OFFSET_LEVELS,
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
