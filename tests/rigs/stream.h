/* Command streams built by hand, for tests: dwords as the protocol lays them out. */
#ifndef AETIUS_TESTS_STREAM_H
#define AETIUS_TESTS_STREAM_H

#include "trace/decode/decode.h"

#include <assert.h>
#include <string.h>

struct stream {
    uint32_t dw[4096];
    uint32_t count;
};

static inline void
stream_dwords(struct stream *s, const void *dwords, uint32_t count)
{
    assert(s->count + count <= sizeof s->dw / 4);
    memcpy(s->dw + s->count, dwords, count * 4);
    s->count += count;
}

/* Header of a packet, then its dwords. */
static inline void
stream_packet(struct stream *s, uint32_t command, uint32_t object, const uint32_t *dw,
              uint32_t count)
{
    uint32_t header = command | object << 8 | count << 16;
    stream_dwords(s, &header, 1);
    stream_dwords(s, dw, count);
}

#define PACKET(s, command, object, ...)                                                            \
    stream_packet(s, command, object, (const uint32_t[]){__VA_ARGS__},                             \
                  sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static inline uint32_t
float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* CREATE_OBJECT of a shader in one packet, without stream-out. */
static inline void
stream_shader(struct stream *s, uint32_t handle, uint32_t stage, const char *text)
{
    uint32_t bytes = (uint32_t)strlen(text) + 1, dwords = (bytes + 3) / 4;
    uint32_t header = 1 | 4 << 8 | (5 + dwords) << 16, words[5] = {handle, stage, bytes, 300, 0};
    stream_dwords(s, &header, 1);
    stream_dwords(s, words, 5);
    assert(s->count + dwords <= sizeof s->dw / 4);
    memset(s->dw + s->count, 0, dwords * 4);
    memcpy(s->dw + s->count, text, bytes);
    s->count += dwords;
}

static inline struct message
stream_message(const struct stream *s, uint32_t client)
{
    return (struct message){.kind = MESSAGE_SUBMIT,
                            .client = client,
                            .bytes = (const uint8_t *)s->dw,
                            .size_bytes = s->count * 4};
}

#endif
