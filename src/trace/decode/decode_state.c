/* SET_*, BIND_* and sub-contexts: bindings and small states. */
#include "trace/decode/decode_internal.h"

#include <string.h>

/* Mesa unbinds what it can of stages that this GPU lacks: harmless; anything else is not. */
static enum packet_result
absent_stage(const struct packet *p, const struct decode_stage *stage, bool unbinds,
             const char *what)
{
    return unbinds ? PACKET_SKIP : packet_refuse_stage(p, stage, what);
}

enum packet_result
decode_viewport(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < 1 || (p->length - 1) % 6 != 0)
        return packet_fail(p, "length %u is not 1 + 6 n", p->length);
    uint32_t first = p->dw[0], count = (p->length - 1) / 6;
    if (first > VIRGL_MAX_VIEWPORTS || count > VIRGL_MAX_VIEWPORTS - first)
        return packet_fail(p, "viewports %u + %u are above %u", first, count, VIRGL_MAX_VIEWPORTS);
    if (first > 0 || count == 0)
        return PACKET_SKIP; /* no program can choose another viewport than the first */
    cmd->op = GPU_SET_VIEWPORT;
    for (uint32_t i = 0; i < 3; i++) {
        cmd->viewport.scale[i] = packet_float(p, 1 + i);
        cmd->viewport.translate[i] = packet_float(p, 4 + i);
    }
    return PACKET_COMMAND;
}

enum packet_result
decode_framebuffer(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < 2)
        return packet_fail(p, "length %u is below 2", p->length);
    uint32_t count = p->dw[0];
    if (count > MAX_COLOR_BUFFERS)
        return packet_fail(p, "%u color buffers are above %u", count, MAX_COLOR_BUFFERS);
    if (!packet_has_length(p, 2 + count))
        return PACKET_ERROR;
    cmd->op = GPU_SET_FRAMEBUFFER;
    cmd->framebuffer.color_count = count;
    cmd->framebuffer.depth = p->dw[1];
    memcpy(cmd->framebuffer.color, p->dw + 2, count * 4);
    return PACKET_COMMAND;
}

enum packet_result
decode_vertex_buffers(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length % 3 != 0)
        return packet_fail(p, "length %u is not 3 n", p->length);
    uint32_t count = p->length / 3;
    if (count > MAX_ATTRIBUTES)
        return packet_fail(p, "%u vertex buffers are above %u", count, MAX_ATTRIBUTES);
    cmd->op = GPU_SET_VERTEX_BUFFERS;
    cmd->vertex_buffers.count = count;
    for (uint32_t i = 0; i < count; i++) {
        cmd->vertex_buffers.items[i].stride = p->dw[3 * i];
        cmd->vertex_buffers.items[i].offset = p->dw[3 * i + 1];
        cmd->vertex_buffers.items[i].resource = p->dw[3 * i + 2];
    }
    return PACKET_COMMAND;
}

static enum packet_result
decode_slots(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op, const char *what)
{
    if (p->length < 2)
        return packet_fail(p, "length %u is below 2", p->length);
    const struct decode_stage *stage = packet_stage(p, p->dw[0]);
    uint32_t start = p->dw[1], count = p->length - 2;
    if (!stage)
        return PACKET_ERROR;
    if (start > VIRGL_MAX_SLOTS || count > VIRGL_MAX_SLOTS - start)
        return packet_fail(p, "slots %u + %u are above %u", start, count, VIRGL_MAX_SLOTS);
    uint32_t used = 0; /* one behind the last slot that gets an object */
    for (uint32_t i = 0; i < count; i++)
        if (p->dw[2 + i] != 0)
            used = start + i + 1;
    if (!stage->is_executed)
        return absent_stage(p, stage, used == 0, what);
    if (used > MAX_SAMPLERS)
        return packet_fail(p, "slot %u is above %u", used - 1, MAX_SAMPLERS - 1);
    cmd->op = op;
    cmd->samplers.stage = stage->stage;
    cmd->samplers.start = start;
    cmd->samplers.count = count;
    memcpy(cmd->samplers.handles, p->dw + 2, count * 4);
    return PACKET_COMMAND;
}

enum packet_result
decode_sampler_views(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_slots(p, cmd, GPU_SET_SAMPLER_VIEWS, "sampler view");
}

enum packet_result
decode_sampler_states(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_slots(p, cmd, GPU_BIND_SAMPLER_STATES, "sampler state");
}

enum packet_result
decode_index_buffer(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length != 1 && p->length != 3)
        return packet_fail(p, "length %u is neither 1 nor 3", p->length);
    cmd->op = GPU_SET_INDEX_BUFFER;
    cmd->index_buffer.resource = p->dw[0];
    if (p->length == 1) {
        if (p->dw[0] != 0)
            return packet_fail(p, "resource %u without index size and offset", p->dw[0]);
        return PACKET_COMMAND;
    }
    uint32_t bytes = p->dw[1];
    if (p->dw[0] != 0 && bytes != 1 && bytes != 2 && bytes != 4)
        return packet_fail(p, "index size %u is not 1, 2 or 4", bytes);
    cmd->index_buffer.index_bytes = bytes;
    cmd->index_buffer.offset = p->dw[2];
    return PACKET_COMMAND;
}

enum packet_result
decode_constant_buffer(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < 2)
        return packet_fail(p, "length %u is below 2", p->length);
    const struct decode_stage *stage = packet_stage(p, p->dw[0]);
    uint32_t index = p->dw[1], count = p->length - 2;
    if (!stage)
        return PACKET_ERROR;
    if (index >= VIRGL_MAX_SLOTS)
        return packet_fail(p, "constant buffer %u is above %u", index, VIRGL_MAX_SLOTS - 1);
    if (!stage->is_executed)
        return absent_stage(p, stage, count == 0, "constants");
    if (index > 0 && count > 0)
        return packet_fail(p, "constants for buffer %u, but only buffer 0 takes them inline",
                           index);
    if (count > MAX_CONSTANTS * 4)
        return packet_fail(p, "%u constants are above %u", count, MAX_CONSTANTS * 4);
    cmd->op = GPU_SET_CONSTANT_BUFFER;
    cmd->constants.stage = stage->stage;
    cmd->constants.index = index;
    cmd->constants.count = count;
    cmd->constants.values = p->dw + 2;
    return PACKET_COMMAND;
}

enum packet_result
decode_uniform_buffer(struct packet *p, struct gpu_cmd *cmd)
{
    const struct decode_stage *stage;
    if (!packet_has_length(p, LEN_UNIFORM_BUFFER) || !(stage = packet_stage(p, p->dw[0])))
        return PACKET_ERROR;
    if (p->dw[1] >= VIRGL_MAX_SLOTS)
        return packet_fail(p, "constant buffer %u is above %u", p->dw[1], VIRGL_MAX_SLOTS - 1);
    if (!stage->is_executed)
        return absent_stage(p, stage, p->dw[4] == 0, "constants");
    cmd->op = GPU_SET_UNIFORM_BUFFER;
    cmd->uniform_buffer.stage = stage->stage;
    cmd->uniform_buffer.index = p->dw[1];
    cmd->uniform_buffer.offset = p->dw[2];
    cmd->uniform_buffer.length = p->dw[3];
    cmd->uniform_buffer.resource = p->dw[4];
    return PACKET_COMMAND;
}

enum packet_result
decode_stencil_ref(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = GPU_SET_STENCIL_REF;
    cmd->stencil_ref.ref[0] = (uint8_t)(p->dw[0] & 0xff);
    cmd->stencil_ref.ref[1] = (uint8_t)(p->dw[0] >> 8 & 0xff);
    return PACKET_COMMAND;
}

enum packet_result
decode_blend_color(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, 4))
        return PACKET_ERROR;
    cmd->op = GPU_SET_BLEND_COLOR;
    for (uint32_t i = 0; i < 4; i++)
        cmd->blend_color.rgba[i] = packet_float(p, i);
    return PACKET_COMMAND;
}

enum packet_result
decode_scissor(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < 1 || (p->length - 1) % 2 != 0)
        return packet_fail(p, "length %u is not 1 + 2 n", p->length);
    uint32_t first = p->dw[0], count = (p->length - 1) / 2;
    if (first > VIRGL_MAX_VIEWPORTS || count > VIRGL_MAX_VIEWPORTS - first)
        return packet_fail(p, "scissors %u + %u are above %u", first, count, VIRGL_MAX_VIEWPORTS);
    if (first > 0 || count == 0)
        return PACKET_SKIP; /* as viewports */
    cmd->op = GPU_SET_SCISSOR;
    cmd->scissor = (struct scissor_state){
        .min_x = (uint16_t)(p->dw[1] & 0xffff),
        .min_y = (uint16_t)(p->dw[1] >> 16),
        .max_x = (uint16_t)(p->dw[2] & 0xffff),
        .max_y = (uint16_t)(p->dw[2] >> 16),
    };
    return PACKET_COMMAND;
}

enum packet_result
decode_stipple(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_STIPPLE))
        return PACKET_ERROR;
    cmd->op = GPU_SET_POLYGON_STIPPLE;
    memcpy(cmd->stipple.rows, p->dw, sizeof cmd->stipple.rows);
    return PACKET_COMMAND;
}

enum packet_result
decode_clip(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_CLIP))
        return PACKET_ERROR;
    cmd->op = GPU_SET_CLIP;
    memcpy(cmd->clip.planes, p->dw, sizeof cmd->clip.planes);
    return PACKET_COMMAND;
}

enum packet_result
decode_sample_mask(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = GPU_SET_SAMPLE_MASK;
    cmd->sample_mask.value = p->dw[0];
    return PACKET_COMMAND;
}

enum packet_result
decode_min_samples(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = GPU_SET_MIN_SAMPLES;
    cmd->min_samples.value = p->dw[0];
    return PACKET_COMMAND;
}

enum packet_result
decode_streamout_targets(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < 1)
        return packet_fail(p, "length 0 is below 1");
    uint32_t count = p->length - 1;
    if (count > MAX_SO_BUFFERS)
        return packet_fail(p, "%u stream-out targets are above %u", count, MAX_SO_BUFFERS);
    cmd->op = GPU_SET_STREAMOUT_TARGETS;
    cmd->streamout.append_mask = p->dw[0];
    cmd->streamout.count = count;
    memcpy(cmd->streamout.handles, p->dw + 1, count * 4);
    return PACKET_COMMAND;
}

enum packet_result
decode_render_condition(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_RENDER_CONDITION))
        return PACKET_ERROR;
    if (p->dw[2] > 3)
        return packet_fail(p, "mode %u is not one of 0 .. 3", p->dw[2]);
    cmd->op = GPU_SET_RENDER_CONDITION;
    cmd->render_condition.query = p->dw[0];
    cmd->render_condition.condition = p->dw[1];
    cmd->render_condition.mode = p->dw[2];
    return PACKET_COMMAND;
}

/* Its length in bytes, and the text. */
enum packet_result
decode_string_marker(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length == 0 || p->dw[0] > (p->length - 1) * 4)
        return packet_fail(p, "length %u does not hold its text", p->length);
    cmd->op = GPU_SET_LABEL;
    cmd->label.text = (const char *)&p->dw[1];
    cmd->label.length = p->dw[0];
    return PACKET_COMMAND;
}

static enum packet_result
decode_sub_ctx_op(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->sub_ctx.value = p->dw[0];
    return PACKET_COMMAND;
}

enum packet_result
decode_sub_ctx(struct packet *p, struct gpu_cmd *cmd)
{
    enum packet_result result = decode_sub_ctx_op(p, cmd, GPU_SET_SUB_CTX);
    if (result == PACKET_COMMAND)
        decode_set_sub_context(p->decoder, p->client, p->dw[0]);
    return result;
}

enum packet_result
decode_create_sub_ctx(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_sub_ctx_op(p, cmd, GPU_CREATE_SUB_CTX);
}

enum packet_result
decode_destroy_sub_ctx(struct packet *p, struct gpu_cmd *cmd)
{
    enum packet_result result = decode_sub_ctx_op(p, cmd, GPU_DESTROY_SUB_CTX);
    if (result != PACKET_COMMAND)
        return result;
    decode_forget_shaders(p->decoder, p->client, &p->dw[0]);
    if (p->sub_context == p->dw[0])
        decode_set_sub_context(p->decoder, p->client, 0);
    return result;
}

enum packet_result
decode_bind_shader(struct packet *p, struct gpu_cmd *cmd)
{
    const struct decode_stage *stage;
    if (!packet_has_length(p, 2) || !(stage = packet_stage(p, p->dw[1])))
        return PACKET_ERROR;
    if (!stage->is_executed)
        return absent_stage(p, stage, p->dw[0] == 0, "program");
    cmd->op = GPU_BIND_SHADER;
    cmd->object.type = OBJECT_SHADER;
    cmd->object.handle = p->dw[0];
    cmd->object.stage = stage->stage;
    return PACKET_COMMAND;
}
