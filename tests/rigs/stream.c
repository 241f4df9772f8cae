/* Builds packets in the layout of the protocol. */
#include "rigs/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void
stream_dwords(struct stream *s, const void *dwords, uint32_t count)
{
    assert(s->count + count <= sizeof s->dw / 4);
    memcpy(s->dw + s->count, dwords, count * 4);
    s->count += count;
}

void
stream_packet(struct stream *s, enum virgl_command command, uint32_t object, const uint32_t *dw,
              uint32_t count)
{
    uint32_t header = command | object << 8 | count << 16;
    stream_dwords(s, &header, 1);
    stream_dwords(s, dw, count);
}

void
stream_bind(struct stream *s, enum virgl_object_type object, uint32_t handle)
{
    stream_packet(s, CMD_BIND_OBJECT, object, &handle, 1);
}

void
stream_destroy(struct stream *s, enum virgl_object_type object, uint32_t handle)
{
    stream_packet(s, CMD_DESTROY_OBJECT, object, &handle, 1);
}

void
stream_bind_shader(struct stream *s, uint32_t handle, enum virgl_stage stage)
{
    PACKET(s, CMD_BIND_SHADER, handle, stage);
}

void
stream_shader(struct stream *s, uint32_t handle, enum virgl_stage stage, const char *text)
{
    uint32_t words[4096] = {handle, stage, (uint32_t)strlen(text) + 1, 300, 0};
    const uint32_t dwords = (words[2] + 3) / 4;
    assert(5 + dwords <= sizeof words / 4);
    memcpy(words + 5, text, words[2]);
    stream_packet(s, CMD_CREATE_OBJECT, VOBJ_SHADER, words, 5 + dwords);
}

void
stream_storing_shader(struct stream *s, uint32_t handle, enum virgl_stage stage, const char *text,
                      const uint32_t strides[4], const uint32_t *outputs, uint32_t count)
{
    uint32_t words[1024] = {handle, stage, (uint32_t)strlen(text) + 1, 300, count};
    const uint32_t dwords = (words[2] + 3) / 4, at = 9 + 2 * count;
    assert(at + dwords <= sizeof words / 4);
    memcpy(words + 5, strides, 16);
    memcpy(words + 9, outputs, (size_t)count * 8);
    memcpy(words + at, text, words[2]);
    stream_packet(s, CMD_CREATE_OBJECT, VOBJ_SHADER, words, at + dwords);
}

void
stream_blend(struct stream *s, uint32_t handle, uint32_t word)
{
    CREATE(s, VOBJ_BLEND, handle, 0, 0, word, 0, 0, 0, 0, 0, 0, 0);
}

void
stream_depth(struct stream *s, uint32_t handle, enum compare_func func)
{
    CREATE(s, VOBJ_DSA, handle, DSA_DEPTH_TEST | DSA_DEPTH_WRITE | func * DSA_DEPTH_FUNC, 0, 0, 0);
}

void
stream_view(struct stream *s, uint32_t handle, uint32_t resource, uint32_t format,
            uint32_t last_level)
{
    const uint32_t rgba = 0 | 1 << 3 | 2 << 6 | 3 << 9;
    CREATE(s, VOBJ_SAMPLER_VIEW, handle, resource, format, 0, last_level << 8, rgba);
}

void
stream_sampler(struct stream *s, uint32_t handle, enum img_filter filter)
{
    const uint32_t min_filter = 1 << 9, mag_filter = 1 << 13;
    CREATE(s, VOBJ_SAMPLER_STATE, handle, filter * (min_filter | mag_filter), 0, 0, float_bits(9),
           0, 0, 0, 0);
}

void
stream_surface(struct stream *s, uint32_t handle, uint32_t resource, uint32_t format)
{
    CREATE(s, VOBJ_SURFACE, handle, resource, format, 0, 0);
}

void
stream_clear(struct stream *s, uint32_t buffers, const float rgba[4], double depth,
             uint32_t stencil)
{
    uint32_t words[8] = {[0] = buffers, [7] = stencil};
    if (rgba)
        memcpy(words + 1, rgba, 4 * sizeof *rgba);
    memcpy(words + 5, &depth, sizeof depth);
    stream_packet(s, CMD_CLEAR, 0, words, 8);
}

void
stream_draw(struct stream *s, enum primitive mode, uint32_t start, uint32_t count)
{
    PACKET(s, CMD_DRAW_VBO, start, count, mode, false, 1, 0, 0, 0, 0, 0, ~0u, 0);
}

void
stream_blit(struct stream *s, uint32_t flags, struct blit_side dst, struct blit_side src)
{
    uint32_t words[21] = {flags};
    static_assert(sizeof dst == 9 * 4, "the sides are laid out as in the packet");
    memcpy(words + 3, &dst, sizeof dst);
    memcpy(words + 12, &src, sizeof src);
    stream_packet(s, CMD_BLIT, 0, words, 21);
}

struct message
stream_message(const struct stream *s, uint32_t client)
{
    return (struct message){.kind = MESSAGE_SUBMIT,
                            .client = client,
                            .bytes = (const uint8_t *)s->dw,
                            .size_bytes = s->count * 4};
}

void
write_message(struct trace_writer *writer, uint32_t client, struct message message)
{
    struct error err = {""};
    message.client = client;
    if (!trace_writer_add(writer, &message, &err))
        fail_msg("%s", err.text);
}
