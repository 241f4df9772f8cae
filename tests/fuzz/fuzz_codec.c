/* Fuzz target: codecs. The input is decompressed as a compressed block, and also used directly as a
 * raw block. Each resulting block must survive compression and decompression. The first byte
 * selects the codec. The second byte selects the bus, the samples and the level. */
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const struct codec *codec = codecs[data[0] % CODEC_COUNT];
    const struct codec_shape shape = {data[1] & 1, 1u << (data[1] >> 1 & 3)};
    const uint32_t level = (data[1] >> 3) % codec->levels[shape.bus].count;
    const uint32_t bytes = codec->levels[shape.bus].bytes[level];
    uint8_t *packed = calloc(1, bytes); /* exact size, so that a sanitizer finds reads beyond it */
    uint32_t block[CODEC_WORDS] = {0};
    data += 2;
    size -= 2;
    memcpy(packed, data, size < bytes ? size : bytes);
    codec->decompress(packed, shape, (int32_t)level, block);
    free(packed);
    round_trip(codec, shape, block);
    memset(block, 0, sizeof block);
    memcpy(block, data, size < sizeof block ? size : sizeof block);
    round_trip(codec, shape, block);
    return 0;
}
