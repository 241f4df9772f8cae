/* Packing of the offset codecs (codec/offset.h). */
#include "codec/offset.h"

/* What is stored of each word: its index and its low bits. Two loops, so that this one is done on
 * several words at a time. */
static inline void
gather_words(const uint32_t *block, const struct split *from, const uint32_t *references,
             uint32_t index_bits, uint32_t gathered[CODEC_WORDS])
{
    const struct split split = *from;
    const uint32_t mask = ~split_low_mask(&split), a = references[0];
    const uint32_t b = references[index_bits == 2 ? 1 : 0], c = references[index_bits == 2 ? 2 : 0];
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t high = block[i] & mask;
        const uint32_t past_a = high != a, past_b = past_a & (uint32_t)(high != b);
        const uint32_t index =
            index_bits == 2 ? past_a + past_b + (past_b & (uint32_t)(high != c)) : past_a;
        gathered[i] = index | split_low(&split, block[i]) << index_bits;
    }
}

void
offset_put(const uint32_t *block, const struct split *split, const uint32_t *references,
           uint32_t stored, uint32_t index_bits, uint8_t *out, uint32_t bytes)
{
    struct bit_writer writer = bits_begin(out, bytes);
    uint32_t gathered[CODEC_WORDS];
    for (uint32_t i = 0; i < stored; i++)
        bits_put(&writer, split_high(split, references[i]), 32 - split->k);
    if (index_bits == 1)
        gather_words(block, split, references, 1, gathered);
    else
        gather_words(block, split, references, 2, gathered);
    const uint32_t width = split->k + index_bits;
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        bits_put(&writer, gathered[i], width);
    bits_end(&writer);
}

void
offset_get_references(struct bit_reader *reader, const struct split *split, uint32_t stored,
                      uint32_t *references)
{
    for (uint32_t i = 0; i < stored; i++)
        references[i] = split_spread_high(split, bits_get(reader, 32 - split->k));
}

void
offset_get_words(struct bit_reader *reader, const struct split *split, const uint32_t *references,
                 uint32_t index_bits, uint32_t *block)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t index = bits_get(reader, index_bits);
        block[i] = references[index] | split_spread_low(split, bits_get(reader, split->k));
    }
}
