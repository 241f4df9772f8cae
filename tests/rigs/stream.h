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

void stream_dwords(struct stream *s, const void *dwords, uint32_t count);

/* Header of a packet, then its dwords. */
void stream_packet(struct stream *s, uint32_t command, uint32_t object, const uint32_t *dw,
                   uint32_t count);

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
void stream_shader(struct stream *s, uint32_t handle, uint32_t stage, const char *text);

struct message stream_message(const struct stream *s, uint32_t client);

#endif
