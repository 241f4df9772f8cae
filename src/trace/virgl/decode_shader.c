/* Decodes CREATE_OBJECT of a shader. The text may span several packets. In the first packet, offlen
 * is the length of the whole text with its NUL. Later packets have SHADER_CONTINUES with the offset
 * of their piece of text, the same handle, and no stream-out header. Memory is allocated as the
 * text arrives, because offlen is untrusted. */
#include "trace/virgl/decode_internal.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
output_field(const struct packet *p, uint32_t output, struct bit_field field)
{
    return bit_field_get(p->dw[field.word + LEN_SHADER_OUTPUT * output], field);
}

static enum packet_result
decode_so_info(struct packet *p, struct so_info *so, uint32_t *header_dwords)
{
    uint32_t count = p->dw[AT_SHADER_OUTPUTS];
    memset(so, 0, sizeof *so);
    *header_dwords = LEN_SHADER_MIN;
    if (count == 0)
        return PACKET_COMMAND;
    if (count > MAX_SO_OUTPUTS)
        return packet_fail(p, "shader: %u stream-out registers exceed %u", count, MAX_SO_OUTPUTS);
    *header_dwords = AT_SHADER_OUTPUT + LEN_SHADER_OUTPUT * count;
    if (p->length < *header_dwords)
        return packet_fail(p, "shader: length %u is less than %u (%u stream-out registers)",
                           p->length, *header_dwords, count);
    so->count = count;
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++) {
        if (p->dw[AT_SHADER_STRIDES + i] > UINT16_MAX)
            return packet_fail(p, "shader: stream-out stride %u exceeds %u",
                               p->dw[AT_SHADER_STRIDES + i], UINT16_MAX);
        so->stride[i] = (uint16_t)p->dw[AT_SHADER_STRIDES + i];
    }
    for (uint32_t i = 0; i < count; i++) {
        so->outputs[i] = (struct so_output){
            .register_index = (uint8_t)output_field(p, i, BITS_SHADER_OUTPUT_REGISTER),
            .start_component = (uint8_t)output_field(p, i, BITS_SHADER_OUTPUT_START),
            .num_components = (uint8_t)output_field(p, i, BITS_SHADER_OUTPUT_COMPONENTS),
            .buffer = (uint8_t)output_field(p, i, BITS_SHADER_OUTPUT_BUFFER),
            .dst_offset = (uint16_t)output_field(p, i, BITS_SHADER_OUTPUT_OFFSET),
            .stream = (uint8_t)output_field(p, i, BITS_SHADER_OUTPUT_STREAM),
        };
        const struct so_output *out = &so->outputs[i];
        if (out->register_index >= MAX_VARYINGS || out->buffer >= MAX_SO_BUFFERS ||
            out->start_component + out->num_components > 4)
            return packet_fail(p,
                               "shader: stream-out register %u (components %u + %u, buffer %u) is "
                               "out of range",
                               out->register_index, out->start_component, out->num_components,
                               out->buffer);
    }
    return PACKET_COMMAND;
}

static struct pending_shader *
find_pending(struct packet *p, enum shader_stage stage)
{
    for (size_t i = 0; i < p->decoder->pending.count; i++) {
        struct pending_shader *shader = &p->decoder->pending.items[i];
        if (shader->client == p->client && shader->sub_context == p->sub_context &&
            shader->stage == stage)
            return shader;
    }
    return NULL;
}

static void
drop_pending(struct decoder *decoder, struct pending_shader *shader)
{
    decode_release_text(decoder, shader);
    *shader = decoder->pending.items[--decoder->pending.count];
}

static uint32_t
padded(uint32_t bytes)
{
    return (bytes + 3) & ~3u;
}

/* Returns the complete text as a command. */
static enum packet_result
finish_shader(struct packet *p, struct gpu_cmd *cmd, struct pending_shader *shader)
{
    p->decoder->text = shader->text;
    shader->text = NULL;
    decode_release_text(p->decoder, shader);
    cmd->create.shader.stage = shader->stage;
    cmd->create.shader.text = p->decoder->text;
    cmd->create.shader.so = shader->so;
    if (!memchr(p->decoder->text, 0, shader->total_bytes))
        return packet_fail(p, "shader: no NUL within the %u bytes of its text",
                           shader->total_bytes);
    return PACKET_COMMAND;
}

static bool
append(struct packet *p, struct pending_shader *shader, const uint32_t *dwords, uint32_t bytes)
{
    struct budget_share *share = &p->decoder->share;
    if (!budget_set(share, share->bytes + bytes, p->err))
        return fail_prefix(p->err, "SUBMIT at dword %u: %s: shader", p->offset, p->name);
    shader->text = mem_realloc(shader->text, shader->have_bytes + bytes);
    memcpy(shader->text + shader->have_bytes, dwords, bytes);
    shader->have_bytes += bytes;
    return true;
}

static enum packet_result
first_packet(struct packet *p, struct gpu_cmd *cmd, uint32_t header, struct pending_shader *shader)
{
    uint32_t bytes = (p->length - header) * 4;
    if (shader->total_bytes == 0 || shader->total_bytes > SHADER_TEXT_LIMIT)
        return packet_fail(p, "shader: text of %u bytes is not within 1 .. %u", shader->total_bytes,
                           SHADER_TEXT_LIMIT);
    if (bytes > padded(shader->total_bytes))
        return packet_fail(p, "shader: %u bytes of text exceed the announced %u", bytes,
                           shader->total_bytes);
    const bool is_whole = bytes == padded(shader->total_bytes);
    if (!is_whole && p->decoder->pending.count >= PENDING_SHADER_LIMIT)
        return packet_fail(p, "shader: %u incomplete shaders at once are too many",
                           PENDING_SHADER_LIMIT);
    if (!append(p, shader, p->dw + header, bytes))
        return PACKET_ERROR;
    if (is_whole)
        return finish_shader(p, cmd, shader);
    VEC_PUSH(&p->decoder->pending, *shader);
    return PACKET_SKIP;
}

static enum packet_result
next_part(struct packet *p, struct gpu_cmd *cmd, uint32_t header, struct pending_shader *shader)
{
    uint32_t bytes = (p->length - header) * 4, offset = p->dw[AT_SHADER_OFFLEN] & ~SHADER_CONTINUES;
    if (offset != shader->have_bytes)
        return packet_fail(p, "shader: part at byte %u, but %u bytes have arrived", offset,
                           shader->have_bytes);
    if (bytes > padded(shader->total_bytes) - shader->have_bytes)
        return packet_fail(p, "shader: part of %u bytes exceeds the announced %u", bytes,
                           shader->total_bytes);
    if (!append(p, shader, p->dw + header, bytes))
        return PACKET_ERROR;
    if (shader->have_bytes < padded(shader->total_bytes))
        return PACKET_SKIP;
    enum packet_result result = finish_shader(p, cmd, shader);
    drop_pending(p->decoder, shader);
    return result;
}

enum packet_result
decode_create_shader(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < LEN_SHADER_MIN)
        return packet_fail(p, "shader: length %u is less than %u", p->length, LEN_SHADER_MIN);
    uint32_t handle = p->dw[AT_OBJECT_HANDLE], offlen = p->dw[AT_SHADER_OFFLEN], header;
    const struct decode_stage *stage = packet_stage(p, p->dw[AT_SHADER_STAGE]);
    if (!stage)
        return PACKET_ERROR;
    if (!stage->is_executed)
        return packet_refuse_stage(p, stage, "program");
    struct so_info so;
    if (decode_so_info(p, &so, &header) == PACKET_ERROR)
        return PACKET_ERROR;
    struct pending_shader *pending = find_pending(p, stage->stage);
    if (!(offlen & SHADER_CONTINUES)) {
        if (pending)
            return packet_fail(p, "shader: %u begins while the text of %u is incomplete", handle,
                               pending->handle);
        return first_packet(p, cmd, header,
                            &(struct pending_shader){.client = p->client,
                                                     .sub_context = p->sub_context,
                                                     .stage = stage->stage,
                                                     .handle = handle,
                                                     .total_bytes = offlen,
                                                     .so = so});
    }
    if (!pending)
        return packet_fail(p, "shader: %u continues, but was not started", handle);
    if (pending->handle != handle)
        return packet_fail(p, "shader: %u continues, but %u was started", handle, pending->handle);
    return next_part(p, cmd, header, pending);
}
