/* Bits in and out of a compressed block, least significant bit of each byte first. A writer's
 * buffer is zeroed by bits_begin(); a reader beyond the end gets zeros. */
#ifndef AETIUS_CODEC_BITS_H
#define AETIUS_CODEC_BITS_H

#include <stdint.h>
#include <string.h>

struct bit_writer {
    uint8_t *out;
    uint64_t held;
    uint32_t count; /* bits held, fewer than 8 between calls */
};

static inline struct bit_writer
bits_begin(uint8_t *out, uint32_t bytes)
{
    memset(out, 0, bytes);
    return (struct bit_writer){out, 0, 0};
}

/* `value` has no bits above `count` (0 to 32). */
static inline void
bits_put(struct bit_writer *writer, uint32_t value, uint32_t count)
{
    writer->held |= (uint64_t)value << writer->count;
    for (writer->count += count; writer->count >= 8; writer->count -= 8) {
        *writer->out++ = (uint8_t)writer->held;
        writer->held >>= 8;
    }
}

static inline void
bits_end(struct bit_writer *writer)
{
    if (writer->count)
        *writer->out = (uint8_t)writer->held;
}

struct bit_reader {
    const uint8_t *in;
    uint32_t bytes; /* left */
    uint64_t held;
    uint32_t count;
};

static inline uint32_t
bits_get(struct bit_reader *reader, uint32_t count)
{
    while (reader->count < count) {
        uint64_t byte = reader->bytes ? *reader->in : 0;
        if (reader->bytes) {
            reader->in++;
            reader->bytes--;
        }
        reader->held |= byte << reader->count;
        reader->count += 8;
    }
    uint32_t value = (uint32_t)(reader->held & (((uint64_t)1 << count) - 1));
    reader->held >>= count;
    reader->count -= count;
    return value;
}

#endif
