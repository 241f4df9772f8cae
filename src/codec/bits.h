/* Bit streams of a compressed block, least significant bit of each byte first. A writer's buffer
 * must hold a multiple of 4 bytes; bits_begin() zeroes it. A read beyond the end returns zeros. */
#ifndef AETIUS_CODEC_BITS_H
#define AETIUS_CODEC_BITS_H

#include <stdint.h>
#include <string.h>

struct bit_writer {
    uint8_t *out;
    uint64_t held;
    uint32_t count; /* bits held, fewer than 32 between calls */
};

static inline struct bit_writer
bits_begin(uint8_t *out, uint32_t bytes)
{
    memset(out, 0, bytes);
    return (struct bit_writer){out, 0, 0};
}

/* `value` must have no bits above `count` (0 to 32). */
static inline void
bits_put(struct bit_writer *writer, uint32_t value, uint32_t count)
{
    writer->held |= (uint64_t)value << writer->count;
    writer->count += count;
    if (writer->count >= 32) {
        const uint32_t word = (uint32_t)writer->held;
        memcpy(writer->out, &word, sizeof word);
        writer->out += sizeof word;
        writer->held >>= 32;
        writer->count -= 32;
    }
}

static inline void
bits_end(struct bit_writer *writer)
{
    if (writer->count)
        memcpy(writer->out, &writer->held, (writer->count + 7) / 8);
}

struct bit_reader {
    const uint8_t *in;
    uint32_t bytes; /* remaining, a multiple of 4 */
    uint32_t count;
    uint64_t held;
};

static inline struct bit_reader
bits_open(const uint8_t *in, uint32_t bytes)
{
    return (struct bit_reader){in, bytes, 0, 0};
}

/* Returns the next `count` bits (0 to 32). */
static inline uint32_t
bits_get(struct bit_reader *reader, uint32_t count)
{
    if (reader->count < count) {
        uint32_t word = 0;
        if (reader->bytes) {
            memcpy(&word, reader->in, sizeof word);
            reader->in += sizeof word;
            reader->bytes -= (uint32_t)sizeof word;
        }
        reader->held |= (uint64_t)word << reader->count;
        reader->count += 32;
    }
    const uint32_t value = (uint32_t)(reader->held & (((uint64_t)1 << count) - 1));
    reader->held >>= count;
    reader->count -= count;
    return value;
}

#endif
