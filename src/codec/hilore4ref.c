/* hilore4ref: hilore with two more references (docs/design/compression.md, Offset codecs).
 *
 * References: min and max of the reordered words as in hilore, the first word that differs from
 * min, and the last word that differs from max. If no word differs, min or max is repeated. Words
 * differ if their high parts do. The index has 2 bits; all references are stored. Bits: 64 (k + 2)
 * + 4 (32 - k) = 60 k + 256. */
#include "codec/offset.h"

static void
hilore4ref_find(const uint32_t *block, uint32_t mask, uint32_t *references)
{
    offset_range(block, CODEC_WORDS, mask, &references[0], &references[1]);
    uint32_t first = 0, last = CODEC_WORDS - 1;
    while (first < CODEC_WORDS - 1 && (block[first] & mask) == references[0])
        first++;
    while (last > 0 && (block[last] & mask) == references[1])
        last--;
    references[2] = block[first] & mask;
    references[3] = block[last] & mask;
}

static const struct offset_scheme scheme = {
    OFFSET_REFERENCES(4, 4),
    .split = split_components,
    .find = hilore4ref_find,
};

OFFSET_FUNCTIONS

const struct codec codec_hilore4ref = {
    CODEC_IS(hilore4ref),
    .doc = "hilore with the first that differs from min and the last that differs from max",
    .stages = {{"min and max of the reordered words", 6, true},
               {"comparison with min and max", 1, true},
               {"first and last different word", 1, true},
               {"selection of these words", 1, true},
               {"comparison with the references", 1, true},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = OFFSET_LEVELS,
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
