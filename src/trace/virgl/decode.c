/* Decodes messages into commands: messages that are a single command, and packets of a SUBMIT.
 * Contains the table of all protocol commands (docs/design/stream.md, Decoder). */
#include "trace/virgl/decode_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    packet_fn *decode;
    bool is_ignored; /* no effect on this GPU, so it is skipped */
} commands[CMD_COUNT] = {
    [CMD_NOP] = {"NOP", NULL, true},
    [CMD_CREATE_OBJECT] = {"CREATE_OBJECT", decode_create_object, false},
    [CMD_BIND_OBJECT] = {"BIND_OBJECT", decode_bind_object, false},
    [CMD_DESTROY_OBJECT] = {"DESTROY_OBJECT", decode_destroy_object, false},
    [CMD_SET_VIEWPORT_STATE] = {"SET_VIEWPORT_STATE", decode_viewport, false},
    [CMD_SET_FRAMEBUFFER_STATE] = {"SET_FRAMEBUFFER_STATE", decode_framebuffer, false},
    [CMD_SET_VERTEX_BUFFERS] = {"SET_VERTEX_BUFFERS", decode_vertex_buffers, false},
    [CMD_CLEAR] = {"CLEAR", decode_clear, false},
    [CMD_DRAW_VBO] = {"DRAW_VBO", decode_draw, false},
    [CMD_RESOURCE_INLINE_WRITE] = {"RESOURCE_INLINE_WRITE", decode_inline_write, false},
    [CMD_SET_SAMPLER_VIEWS] = {"SET_SAMPLER_VIEWS", decode_sampler_views, false},
    [CMD_SET_INDEX_BUFFER] = {"SET_INDEX_BUFFER", decode_index_buffer, false},
    [CMD_SET_CONSTANT_BUFFER] = {"SET_CONSTANT_BUFFER", decode_constant_buffer, false},
    [CMD_SET_STENCIL_REF] = {"SET_STENCIL_REF", decode_stencil_ref, false},
    [CMD_SET_BLEND_COLOR] = {"SET_BLEND_COLOR", decode_blend_color, false},
    [CMD_SET_SCISSOR_STATE] = {"SET_SCISSOR_STATE", decode_scissor, false},
    [CMD_BLIT] = {"BLIT", decode_blit, false},
    [CMD_RESOURCE_COPY_REGION] = {"RESOURCE_COPY_REGION", decode_copy_region, false},
    [CMD_BIND_SAMPLER_STATES] = {"BIND_SAMPLER_STATES", decode_sampler_states, false},
    [CMD_BEGIN_QUERY] = {"BEGIN_QUERY", decode_begin_query, false},
    [CMD_END_QUERY] = {"END_QUERY", decode_end_query, false},
    [CMD_GET_QUERY_RESULT] = {"GET_QUERY_RESULT", decode_query_result, false},
    [CMD_SET_POLYGON_STIPPLE] = {"SET_POLYGON_STIPPLE", decode_stipple, false},
    [CMD_SET_CLIP_STATE] = {"SET_CLIP_STATE", decode_clip, false},
    [CMD_SET_SAMPLE_MASK] = {"SET_SAMPLE_MASK", decode_sample_mask, false},
    [CMD_SET_STREAMOUT_TARGETS] = {"SET_STREAMOUT_TARGETS", decode_streamout_targets, false},
    [CMD_SET_RENDER_CONDITION] = {"SET_RENDER_CONDITION", decode_render_condition, false},
    [CMD_SET_UNIFORM_BUFFER] = {"SET_UNIFORM_BUFFER", decode_uniform_buffer, false},
    [CMD_SET_SUB_CTX] = {"SET_SUB_CTX", decode_sub_ctx, false},
    [CMD_CREATE_SUB_CTX] = {"CREATE_SUB_CTX", decode_create_sub_ctx, false},
    [CMD_DESTROY_SUB_CTX] = {"DESTROY_SUB_CTX", decode_destroy_sub_ctx, false},
    [CMD_BIND_SHADER] = {"BIND_SHADER", decode_bind_shader, false},
    /* Sets default tessellation levels, but this GPU has no tessellation. */
    [CMD_SET_TESS_STATE] = {"SET_TESS_STATE", NULL, true},
    [CMD_SET_MIN_SAMPLES] = {"SET_MIN_SAMPLES", decode_min_samples, false},
    [CMD_SET_SHADER_BUFFERS] = {"SET_SHADER_BUFFERS", NULL, false},
    [CMD_SET_SHADER_IMAGES] = {"SET_SHADER_IMAGES", NULL, false},
    /* Barriers are unnecessary, because every command sees the results of earlier ones. */
    [CMD_MEMORY_BARRIER] = {"MEMORY_BARRIER", NULL, true},
    [CMD_LAUNCH_GRID] = {"LAUNCH_GRID", NULL, false},
    [CMD_SET_FRAMEBUFFER_STATE_NO_ATTACH] = {"SET_FRAMEBUFFER_STATE_NO_ATTACH", NULL, false},
    [CMD_TEXTURE_BARRIER] = {"TEXTURE_BARRIER", NULL, true},
    [CMD_SET_ATOMIC_BUFFERS] = {"SET_ATOMIC_BUFFERS", NULL, false},
    [CMD_SET_DEBUG_FLAGS] = {"SET_DEBUG_FLAGS", NULL, true},
    [CMD_GET_QUERY_RESULT_QBO] = {"GET_QUERY_RESULT_QBO", NULL, false},
    [CMD_TRANSFER3D] = {"TRANSFER3D", NULL, false},
    /* The payload is unused space that Mesa reserves in a SUBMIT for TRANSFER3D. */
    [CMD_END_TRANSFERS] = {"END_TRANSFERS", NULL, true},
    [CMD_COPY_TRANSFER3D] = {"COPY_TRANSFER3D", NULL, false},
    [CMD_SET_TWEAKS] = {"SET_TWEAKS", NULL, true},
    [CMD_CLEAR_TEXTURE] = {"CLEAR_TEXTURE", NULL, false},
    [CMD_PIPE_RESOURCE_CREATE] = {"PIPE_RESOURCE_CREATE", NULL, false},
    [CMD_PIPE_RESOURCE_SET_TYPE] = {"PIPE_RESOURCE_SET_TYPE", NULL, false},
    [CMD_GET_MEMORY_INFO] = {"GET_MEMORY_INFO", NULL, false},
    [CMD_SEND_STRING_MARKER] = {"SEND_STRING_MARKER", decode_string_marker, false},
    /* A hint to compile early. The draws determine which programs run together. */
    [CMD_LINK_SHADER] = {"LINK_SHADER", NULL, true},
    [CMD_CREATE_VIDEO_CODEC] = {"CREATE_VIDEO_CODEC", NULL, false},
    [CMD_DESTROY_VIDEO_CODEC] = {"DESTROY_VIDEO_CODEC", NULL, false},
    [CMD_CREATE_VIDEO_BUFFER] = {"CREATE_VIDEO_BUFFER", NULL, false},
    [CMD_DESTROY_VIDEO_BUFFER] = {"DESTROY_VIDEO_BUFFER", NULL, false},
    [CMD_BEGIN_FRAME] = {"BEGIN_FRAME", NULL, false},
    [CMD_DECODE_MACROBLOCK] = {"DECODE_MACROBLOCK", NULL, false},
    [CMD_DECODE_BITSTREAM] = {"DECODE_BITSTREAM", NULL, false},
    [CMD_ENCODE_BITSTREAM] = {"ENCODE_BITSTREAM", NULL, false},
    [CMD_END_FRAME] = {"END_FRAME", NULL, false},
};

enum packet_result
packet_fail(const struct packet *p, const char *fmt, ...)
{
    char what[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    fail(p->err, "SUBMIT at dword %u: %s: %s", p->offset, p->name, what);
    return PACKET_ERROR;
}

bool
packet_has_length(const struct packet *p, uint32_t length)
{
    if (p->length == length)
        return true;
    packet_fail(p, "length %u is not %u", p->length, length);
    return false;
}

bool
packet_format_ok(const struct packet *p, uint32_t format)
{
    if (format != 0 && format < VIRGL_FORMAT_LIMIT)
        return true;
    packet_fail(p, "format %u is not one of 1 .. %u", format, VIRGL_FORMAT_LIMIT - 1);
    return false;
}

static const struct decode_stage stages[VSTAGE_COUNT] = {
    [VSTAGE_VERTEX] = {"vertex", true, STAGE_VERTEX},
    [VSTAGE_FRAGMENT] = {"fragment", true, STAGE_FRAGMENT},
    [VSTAGE_GEOMETRY] = {"geometry", true, STAGE_GEOMETRY},
    [VSTAGE_TESS_CONTROL] = {.name = "tessellation control"},
    [VSTAGE_TESS_EVALUATION] = {.name = "tessellation evaluation"},
    [VSTAGE_COMPUTE] = {.name = "compute"},
};

bool
decode_stage_is_executed(uint32_t number)
{
    return number < VSTAGE_COUNT && stages[number].is_executed;
}

const struct decode_stage *
packet_stage(const struct packet *p, uint32_t number)
{
    if (number < VSTAGE_COUNT)
        return &stages[number];
    packet_fail(p, "shader stage %u is not one of 0 .. %u", number, VSTAGE_COUNT - 1);
    return NULL;
}

enum packet_result
packet_refuse_stage(const struct packet *p, const struct decode_stage *stage, const char *what)
{
    return packet_fail(p, "%s of the %s shader stage: this GPU has no such stage", what,
                       stage->name);
}

float
packet_float(const struct packet *p, uint32_t i)
{
    float value;
    memcpy(&value, &p->dw[i], sizeof value);
    return value;
}

struct scissor_state
packet_scissor(const struct packet *p, uint32_t first)
{
    const uint32_t min = p->dw[first + AT_SCISSOR_MIN], max = p->dw[first + AT_SCISSOR_MAX];
    return (struct scissor_state){
        .min_x = (uint16_t)bit_field_get(min, BITS_SCISSOR_X),
        .min_y = (uint16_t)bit_field_get(min, BITS_SCISSOR_Y),
        .max_x = (uint16_t)bit_field_get(max, BITS_SCISSOR_X),
        .max_y = (uint16_t)bit_field_get(max, BITS_SCISSOR_Y),
    };
}

struct decoder *
decoder_create(void)
{
    struct decoder *decoder = mem_alloc(sizeof *decoder);
    decoder->share.most_bytes = PENDING_BYTES_LIMIT;
    return decoder;
}

void
decoder_limit(struct decoder *decoder, struct budget *budget)
{
    if (decoder->share.budget != budget)
        budget_move(&decoder->share, budget);
}

void
decode_release_text(struct decoder *decoder, struct pending_shader *shader)
{
    budget_set(&decoder->share, decoder->share.bytes - shader->have_bytes, NULL);
    free(shader->text);
    shader->text = NULL;
    shader->have_bytes = 0;
}

void
decode_forget_shaders(struct decoder *decoder, uint32_t client, const uint32_t *sub_context)
{
    size_t kept = 0;
    for (size_t i = 0; i < decoder->pending.count; i++) {
        struct pending_shader *shader = &decoder->pending.items[i];
        if (shader->client == client && (!sub_context || shader->sub_context == *sub_context))
            decode_release_text(decoder, shader);
        else
            decoder->pending.items[kept++] = *shader;
    }
    decoder->pending.count = kept;
}

void
decoder_destroy(struct decoder *decoder)
{
    if (!decoder)
        return;
    for (size_t i = 0; i < decoder->pending.count; i++)
        free(decoder->pending.items[i].text);
    VEC_FREE(&decoder->pending);
    budget_move(&decoder->share, NULL);
    handle_map_fini_with(&decoder->sub_contexts, free);
    VEC_FREE(&decoder->aligned);
    free(decoder->text);
    free(decoder);
}

void
decoder_begin(struct decoder *decoder, const struct message *message)
{
    decoder->message = *message;
    decoder->message_done = false;
    decoder->at = 0;
    decoder->dword_count = message->kind == MESSAGE_SUBMIT ? message->size_bytes / 4 : 0;
    decoder->dwords = (const uint32_t *)(const void *)message->bytes;
    if (decoder->dword_count && (uintptr_t)message->bytes % sizeof(uint32_t)) {
        VEC_RESERVE(&decoder->aligned, decoder->dword_count);
        memcpy(decoder->aligned.items, message->bytes, decoder->dword_count * 4);
        decoder->dwords = decoder->aligned.items;
    }
}

static uint32_t
sub_context_of(const struct decoder *decoder, uint32_t client)
{
    const uint32_t *sub_context = handle_map_get(&decoder->sub_contexts, client);
    return sub_context ? *sub_context : 0;
}

void
decode_set_sub_context(struct decoder *decoder, uint32_t client, uint32_t sub_context)
{
    uint32_t *value = handle_map_remove(&decoder->sub_contexts, client);
    if (sub_context) {
        value = value ? value : mem_alloc(sizeof *value);
        *value = sub_context;
        handle_map_put(&decoder->sub_contexts, client, value);
    } else {
        free(value);
    }
}

static void
client_end(struct decoder *decoder, uint32_t client)
{
    decode_forget_shaders(decoder, client, NULL);
    decode_set_sub_context(decoder, client, 0);
}

static void
transfer_of_message(const struct message *message, struct gpu_cmd *cmd)
{
    cmd->transfer.resource = message->transfer.handle;
    cmd->transfer.level = message->transfer.level;
    cmd->transfer.box = message->transfer.box;
    if (cmd->op == GPU_PUT) {
        cmd->transfer.bytes = message->bytes;
        cmd->transfer.size_bytes = message->size_bytes;
    }
}

/* Decodes a message that is a single command. */
static enum decode_result
decode_message(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err)
{
    const struct message *message = &decoder->message;
    switch (message->kind) {
    case MESSAGE_CLIENT_BEGIN: {
        cmd->op = GPU_CLIENT_BEGIN;
        size_t n = message->size_bytes, limit = sizeof cmd->client_begin.program - 1;
        if (n > 0)
            memcpy(cmd->client_begin.program, message->bytes, n < limit ? n : limit);
        break;
    }
    case MESSAGE_CLIENT_END:
        cmd->op = GPU_CLIENT_END;
        client_end(decoder, message->client);
        break;
    case MESSAGE_RESOURCE_CREATE:
        cmd->op = GPU_RESOURCE_CREATE;
        cmd->resource = message->resource;
        break;
    case MESSAGE_RESOURCE_UNREF:
        cmd->op = GPU_RESOURCE_UNREF;
        cmd->unref.handle = message->resource.handle;
        break;
    case MESSAGE_PUT:
    case MESSAGE_GET:
    case MESSAGE_SWAP:
    case MESSAGE_FRAME:
        cmd->op = message->kind == MESSAGE_PUT    ? GPU_PUT
                  : message->kind == MESSAGE_GET  ? GPU_GET
                  : message->kind == MESSAGE_SWAP ? GPU_SWAP
                                                  : GPU_FRAME;
        transfer_of_message(message, cmd);
        break;
    case MESSAGE_STATE:
        cmd->op = GPU_STATE;
        cmd->restore.begins = message->state.begins != 0;
        break;
    case MESSAGE_ADDRESS:
        cmd->op = GPU_ADDRESS;
        cmd->placement.address = message->placement.address;
        break;
    case MESSAGE_CONTENTS:
        cmd->op = GPU_CONTENTS;
        cmd->contents.resource = message->contents.handle;
        cmd->contents.level = message->contents.level;
        cmd->contents.cleared = message->contents.cleared;
        cmd->contents.shown = message->contents.shown;
        cmd->contents.bytes = message->bytes;
        cmd->contents.size_bytes = message->size_bytes;
        break;
    case MESSAGE_RESULT:
        cmd->op = GPU_RESULT;
        cmd->sub_context = message->result.sub_context;
        cmd->result.handle = message->result.handle;
        cmd->result.value = message->result.low | (uint64_t)message->result.high << 32;
        break;
    default: fail(err, "unknown message kind %u", (unsigned)message->kind); return DECODE_ERROR;
    }
    return DECODE_COMMAND;
}

static enum packet_result
decode_packet(struct packet *p, uint32_t command, struct gpu_cmd *cmd)
{
    if (commands[command].is_ignored)
        return PACKET_SKIP;
    if (command == CMD_TRANSFER3D || command == CMD_COPY_TRANSFER3D)
        return packet_fail(
            p, "its bytes are in memory shared with the client, which a SUBMIT does not contain");
    if (!commands[command].decode)
        return packet_fail(p, "this GPU does not execute it");
    return commands[command].decode(p, cmd);
}

/* Decodes the packet at decoder->at. */
static enum packet_result
next_packet(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err)
{
    uint32_t header = decoder->dwords[decoder->at], command = header_command(header);
    struct packet p = {
        .decoder = decoder,
        .client = decoder->message.client,
        .sub_context = sub_context_of(decoder, decoder->message.client),
        .name = command < CMD_COUNT ? commands[command].name : "?",
        .offset = decoder->at,
        .length = header_length(header),
        .object = header_object(header),
        .dw = decoder->dwords + decoder->at + 1,
        .err = err,
    };
    if (command >= CMD_COUNT) {
        fail(err, "SUBMIT at dword %u: unknown command %u", p.offset, command);
        return PACKET_ERROR;
    }
    uint32_t left = (uint32_t)decoder->dword_count - decoder->at - 1;
    if (p.length > left)
        return packet_fail(&p, "length %u exceeds the remaining %u dwords", p.length, left);
    decoder->at += 1 + p.length;
    cmd->offset = p.offset;
    cmd->sub_context = p.sub_context;
    return decode_packet(&p, command, cmd);
}

enum decode_result
decoder_next(struct decoder *decoder, struct gpu_cmd *cmd, struct error *err)
{
    free(decoder->text);
    decoder->text = NULL;
    memset(cmd, 0, sizeof *cmd);
    cmd->client = decoder->message.client;
    if (decoder->message.kind != MESSAGE_SUBMIT) {
        if (decoder->message_done)
            return DECODE_DONE;
        decoder->message_done = true;
        cmd->trace_bytes = decoder->message.size_bytes;
        return decode_message(decoder, cmd, err);
    }
    if (decoder->message.size_bytes % 4 != 0) {
        fail(err, "SUBMIT: size %u is not a multiple of 4 bytes", decoder->message.size_bytes);
        return DECODE_ERROR;
    }
    const uint32_t start = decoder->at;
    while (decoder->at < decoder->dword_count) {
        switch (next_packet(decoder, cmd, err)) {
        case PACKET_ERROR: return DECODE_ERROR;
        case PACKET_COMMAND: cmd->trace_bytes = 4 * (decoder->at - start); return DECODE_COMMAND;
        case PACKET_SKIP: break;
        }
    }
    return DECODE_DONE;
}
