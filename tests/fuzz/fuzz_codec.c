/* Fuzz target: compressed blocks from memory, for every codec, bus, number of samples and level;
 * what comes out is packed again and must come back. The input is bytes of a compressed block, and
 * of a raw one. */
#include "base/error.h"
#include "codec/codec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
round_trip(const struct codec *codec, struct codec_shape shape, const uint32_t *block)
{
    uint8_t packed[CODEC_BLOCK_BYTES];
    uint32_t unpacked[CODEC_WORDS];
    const int32_t level = codec->choose(block, shape);
    if (level == CODEC_RAW)
        return;
    codec->compress(block, shape, level, packed);
    codec->decompress(packed, shape, level, unpacked);
    BUG_ON(memcmp(block, unpacked, sizeof unpacked), "%s gives back other words", codec->name);
}

static void
unpack_all(const struct codec *codec, struct codec_shape shape, const uint8_t *data, size_t size)
{
    for (uint32_t l = 0; l < codec->levels[shape.bus].count; l++) {
        const uint32_t bytes = codec->levels[shape.bus].bytes[l];
        uint8_t *packed = calloc(1, bytes); /* of just its size: a sanitizer sees what is beyond */
        uint32_t block[CODEC_WORDS];
        memcpy(packed, data, size < bytes ? size : bytes);
        codec->decompress(packed, shape, (int32_t)l, block);
        free(packed);
        round_trip(codec, shape, block);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t block[CODEC_WORDS] = {0};
    memcpy(block, data, size < sizeof block ? size : sizeof block);
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        for (uint32_t samples = 1; samples <= 8; samples *= 2)
            for (enum codec_bus bus = 0; bus < CODEC_BUSES; bus++) {
                const struct codec_shape shape = {bus, samples};
                unpack_all(codecs[c], shape, data, size);
                round_trip(codecs[c], shape, block);
            }
    return 0;
}
