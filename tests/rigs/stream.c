/* Packets as the protocol lays them out. */
#include "rigs/stream.h"

void
stream_dwords(struct stream *s, const void *dwords, uint32_t count)
{
    assert(s->count + count <= sizeof s->dw / 4);
    memcpy(s->dw + s->count, dwords, count * 4);
    s->count += count;
}

void
stream_packet(struct stream *s, uint32_t command, uint32_t object, const uint32_t *dw,
              uint32_t count)
{
    uint32_t header = command | object << 8 | count << 16;
    stream_dwords(s, &header, 1);
    stream_dwords(s, dw, count);
}

void
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

struct message
stream_message(const struct stream *s, uint32_t client)
{
    return (struct message){.kind = MESSAGE_SUBMIT,
                            .client = client,
                            .bytes = (const uint8_t *)s->dw,
                            .size_bytes = s->count * 4};
}
