/* Packing of the offset codecs (codec/offset.h). */
#include "codec/offset.h"

/* Computes the stored bits of each word: its index and its low bits. Packing is a separate loop, so
 * that compilers can vectorize this one. */
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

static const struct codec_levels offset_levels[CODEC_BUSES] = OFFSET_LEVELS;

void
offset_compress(const struct offset_scheme *scheme, const uint32_t *block, enum codec_bus bus,
                int32_t level, uint8_t *out)
{
    const struct split split = scheme->split(scheme->low_bits[bus][level]);
    const uint32_t index_bits = scheme->references / 2, width = split.k + index_bits;
    struct bit_writer writer = bits_begin(out, offset_levels[bus].bytes[level]);
    uint32_t references[4], gathered[CODEC_WORDS];
    scheme->find(block, ~split_low_mask(&split), references);
    if (scheme->derive)
        scheme->derive(split.k, references);
    for (uint32_t i = 0; i < scheme->stored; i++)
        bits_put(&writer, split_high(&split, references[i]), 32 - split.k);
    if (index_bits == 1)
        gather_words(block, &split, references, 1, gathered);
    else
        gather_words(block, &split, references, 2, gathered);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        bits_put(&writer, gathered[i], width);
    bits_end(&writer);
}

void
offset_decompress(const struct offset_scheme *scheme, const uint8_t *in, enum codec_bus bus,
                  int32_t level, uint32_t *block)
{
    const struct split split = scheme->split(scheme->low_bits[bus][level]);
    struct bit_reader reader = bits_open(in, offset_levels[bus].bytes[level]);
    uint32_t references[4];
    for (uint32_t i = 0; i < scheme->stored; i++)
        references[i] = split_spread_high(&split, bits_get(&reader, 32 - split.k));
    if (scheme->derive)
        scheme->derive(split.k, references);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t index = bits_get(&reader, scheme->references / 2);
        block[i] = references[index] | split_spread_low(&split, bits_get(&reader, split.k));
    }
}
