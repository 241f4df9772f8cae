/* Measures the blocks per second of a codec (analysis/compression.h). */
#include "analysis/compression.h"

#include <time.h>

/* CPU time of this thread, so that other load on the core does not count. */
static double
cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct compression_speed
compression_measure(const struct codec *codec, struct codec_shape shape,
                    const uint32_t (*blocks)[CODEC_WORDS], size_t count)
{
    uint8_t packed[CODEC_BLOCK_BYTES];
    uint64_t sum = 0;
    const double began = cpu_seconds();
    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)codec->choose(blocks[i], shape);
    const double chosen = cpu_seconds();
    for (size_t i = 0; i < count; i++) {
        const int32_t level = codec->choose(blocks[i], shape);
        if (level != CODEC_RAW) {
            codec->compress(blocks[i], shape, level, packed);
            sum += packed[0];
        }
    }
    const double compressed = cpu_seconds();
    return (struct compression_speed){(double)count / (chosen - began),
                                      (double)count / (compressed - chosen), sum};
}
