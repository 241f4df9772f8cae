/* Decodes SET_*, BIND_* and sub-context commands: bindings and small state. */
#include "trace/virgl/decode_internal.h"

#include <string.h>

/* Mesa unbinds slots of stages that this GPU lacks. That is ignored. Any other use of such a stage
 * is an error. */
static enum packet_result
absent_stage(const struct packet *p, const struct decode_stage *stage, bool unbinds,
             const char *what)
{
    return unbinds ? PACKET_SKIP : packet_refuse_stage(p, stage, what);
}

enum packet_result
decode_viewport(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_VIEWPORTS || (p->length - AT_VIEWPORTS) % LEN_VIEWPORT != 0)
        return packet_fail(p, "length %u is not %u plus a multiple of %u", p->length, AT_VIEWPORTS,
                           LEN_VIEWPORT);
    uint32_t first = p->dw[AT_VIEWPORTS_FIRST], count = (p->length - AT_VIEWPORTS) / LEN_VIEWPORT;
    if (first > VIRGL_MAX_VIEWPORTS || count > VIRGL_MAX_VIEWPORTS - first)
        return packet_fail(p, "viewports %u + %u exceed %u", first, count, VIRGL_MAX_VIEWPORTS);
    if (first > 0 || count == 0)
        return PACKET_SKIP; /* programs can use only the first viewport */
    cmd->op = GPU_SET_VIEWPORT;
    for (uint32_t i = 0; i < 3; i++) {
        cmd->viewport.scale[i] = packet_float(p, AT_VIEWPORTS + AT_VIEWPORT_SCALE + i);
        cmd->viewport.translate[i] = packet_float(p, AT_VIEWPORTS + AT_VIEWPORT_TRANSLATE + i);
    }
    return PACKET_COMMAND;
}

enum packet_result
decode_framebuffer(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_FRAMEBUFFER_COLORS)
        return packet_fail(p, "length %u is less than %u", p->length, AT_FRAMEBUFFER_COLORS);
    uint32_t count = p->dw[AT_FRAMEBUFFER_COUNT];
    if (count > MAX_COLOR_BUFFERS)
        return packet_fail(p, "%u color buffers exceed %u", count, MAX_COLOR_BUFFERS);
    if (!packet_has_length(p, AT_FRAMEBUFFER_COLORS + count))
        return PACKET_ERROR;
    cmd->op = GPU_SET_FRAMEBUFFER;
    cmd->framebuffer.color_count = count;
    cmd->framebuffer.depth = p->dw[AT_FRAMEBUFFER_DEPTH];
    memcpy(cmd->framebuffer.color, p->dw + AT_FRAMEBUFFER_COLORS, count * 4);
    return PACKET_COMMAND;
}

enum packet_result
decode_vertex_buffers(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length % LEN_VERTEX_BUFFER != 0)
        return packet_fail(p, "length %u is not a multiple of %u", p->length, LEN_VERTEX_BUFFER);
    uint32_t count = p->length / LEN_VERTEX_BUFFER;
    if (count > MAX_ATTRIBUTES)
        return packet_fail(p, "%u vertex buffers exceed %u", count, MAX_ATTRIBUTES);
    cmd->op = GPU_SET_VERTEX_BUFFERS;
    cmd->vertex_buffers.count = count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *dw = p->dw + i * LEN_VERTEX_BUFFER;
        cmd->vertex_buffers.items[i].stride = dw[AT_VERTEX_STRIDE];
        cmd->vertex_buffers.items[i].offset = dw[AT_VERTEX_OFFSET];
        cmd->vertex_buffers.items[i].resource = dw[AT_VERTEX_RESOURCE];
    }
    return PACKET_COMMAND;
}

static enum packet_result
decode_slots(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op, const char *what)
{
    if (p->length < AT_SAMPLERS_HANDLES)
        return packet_fail(p, "length %u is less than %u", p->length, AT_SAMPLERS_HANDLES);
    const struct decode_stage *stage = packet_stage(p, p->dw[AT_SAMPLERS_STAGE]);
    const uint32_t *handles = p->dw + AT_SAMPLERS_HANDLES;
    uint32_t start = p->dw[AT_SAMPLERS_FIRST], count = p->length - AT_SAMPLERS_HANDLES;
    if (!stage)
        return PACKET_ERROR;
    if (start > VIRGL_MAX_SLOTS || count > VIRGL_MAX_SLOTS - start)
        return packet_fail(p, "slots %u + %u exceed %u", start, count, VIRGL_MAX_SLOTS);
    uint32_t used = 0; /* number of slots up to the last one with an object */
    for (uint32_t i = 0; i < count; i++)
        if (handles[i] != 0)
            used = start + i + 1;
    if (!stage->is_executed)
        return absent_stage(p, stage, used == 0, what);
    if (used > MAX_SAMPLERS)
        return packet_fail(p, "slot %u exceeds %u", used - 1, MAX_SAMPLERS - 1);
    cmd->op = op;
    cmd->samplers.stage = stage->stage;
    cmd->samplers.start = start;
    cmd->samplers.count = count;
    memcpy(cmd->samplers.handles, handles, count * 4);
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
    if (p->length != LEN_INDEX_NONE && p->length != LEN_INDEX_BUFFER)
        return packet_fail(p, "length %u is neither %u nor %u", p->length, LEN_INDEX_NONE,
                           LEN_INDEX_BUFFER);
    const uint32_t resource = p->dw[AT_INDEX_RESOURCE];
    cmd->op = GPU_SET_INDEX_BUFFER;
    cmd->index_buffer.resource = resource;
    if (p->length == LEN_INDEX_NONE) {
        if (resource != 0)
            return packet_fail(p, "resource %u without index size and offset", resource);
        return PACKET_COMMAND;
    }
    uint32_t bytes = p->dw[AT_INDEX_BYTES];
    if (resource != 0 && bytes != 1 && bytes != 2 && bytes != 4)
        return packet_fail(p, "index size %u is not 1, 2 or 4", bytes);
    cmd->index_buffer.index_bytes = bytes;
    cmd->index_buffer.offset = p->dw[AT_INDEX_OFFSET];
    return PACKET_COMMAND;
}

enum packet_result
decode_constant_buffer(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_CONSTANTS_VALUES)
        return packet_fail(p, "length %u is less than %u", p->length, AT_CONSTANTS_VALUES);
    const struct decode_stage *stage = packet_stage(p, p->dw[AT_CONSTANTS_STAGE]);
    uint32_t index = p->dw[AT_CONSTANTS_INDEX], count = p->length - AT_CONSTANTS_VALUES;
    if (!stage)
        return PACKET_ERROR;
    if (index >= VIRGL_MAX_SLOTS)
        return packet_fail(p, "constant buffer %u exceeds %u", index, VIRGL_MAX_SLOTS - 1);
    if (!stage->is_executed)
        return absent_stage(p, stage, count == 0, "constants");
    if (index > 0 && count > 0)
        return packet_fail(p, "constants for buffer %u, but only buffer 0 takes them inline",
                           index);
    if (count > MAX_CONSTANTS * 4)
        return packet_fail(p, "%u constants exceed the limit of %u", count, MAX_CONSTANTS * 4);
    cmd->op = GPU_SET_CONSTANT_BUFFER;
    cmd->constants.stage = stage->stage;
    cmd->constants.index = index;
    cmd->constants.count = count;
    cmd->constants.values = p->dw + AT_CONSTANTS_VALUES;
    return PACKET_COMMAND;
}

enum packet_result
decode_uniform_buffer(struct packet *p, struct gpu_cmd *cmd)
{
    const struct decode_stage *stage;
    if (!packet_has_length(p, LEN_UNIFORM_BUFFER) ||
        !(stage = packet_stage(p, p->dw[AT_UNIFORM_STAGE])))
        return PACKET_ERROR;
    const uint32_t index = p->dw[AT_UNIFORM_INDEX], resource = p->dw[AT_UNIFORM_RESOURCE];
    if (index >= VIRGL_MAX_SLOTS)
        return packet_fail(p, "constant buffer %u exceeds %u", index, VIRGL_MAX_SLOTS - 1);
    if (!stage->is_executed)
        return absent_stage(p, stage, resource == 0, "constants");
    cmd->op = GPU_SET_UNIFORM_BUFFER;
    cmd->uniform_buffer.stage = stage->stage;
    cmd->uniform_buffer.index = index;
    cmd->uniform_buffer.offset = p->dw[AT_UNIFORM_OFFSET];
    cmd->uniform_buffer.length = p->dw[AT_UNIFORM_LENGTH];
    cmd->uniform_buffer.resource = resource;
    return PACKET_COMMAND;
}

enum packet_result
decode_stencil_ref(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_STENCIL_REF))
        return PACKET_ERROR;
    cmd->op = GPU_SET_STENCIL_REF;
    cmd->stencil_ref.ref[0] = (uint8_t)packet_field(p, BITS_STENCIL_REF_FRONT);
    cmd->stencil_ref.ref[1] = (uint8_t)packet_field(p, BITS_STENCIL_REF_BACK);
    return PACKET_COMMAND;
}

enum packet_result
decode_blend_color(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_BLEND_COLOR))
        return PACKET_ERROR;
    cmd->op = GPU_SET_BLEND_COLOR;
    for (uint32_t i = 0; i < 4; i++)
        cmd->blend_color.rgba[i] = packet_float(p, AT_BLEND_COLOR + i);
    return PACKET_COMMAND;
}

enum packet_result
decode_scissor(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_SCISSORS || (p->length - AT_SCISSORS) % LEN_SCISSOR != 0)
        return packet_fail(p, "length %u is not %u plus a multiple of %u", p->length, AT_SCISSORS,
                           LEN_SCISSOR);
    uint32_t first = p->dw[AT_SCISSORS_FIRST], count = (p->length - AT_SCISSORS) / LEN_SCISSOR;
    if (first > VIRGL_MAX_VIEWPORTS || count > VIRGL_MAX_VIEWPORTS - first)
        return packet_fail(p, "scissors %u + %u exceed %u", first, count, VIRGL_MAX_VIEWPORTS);
    if (first > 0 || count == 0)
        return PACKET_SKIP; /* programs can use only the first scissor */
    cmd->op = GPU_SET_SCISSOR;
    cmd->scissor = packet_scissor(p, AT_SCISSORS);
    return PACKET_COMMAND;
}

enum packet_result
decode_stipple(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_STIPPLE))
        return PACKET_ERROR;
    cmd->op = GPU_SET_POLYGON_STIPPLE;
    memcpy(cmd->stipple.rows, p->dw + AT_STIPPLE, sizeof cmd->stipple.rows);
    return PACKET_COMMAND;
}

enum packet_result
decode_clip(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_CLIP))
        return PACKET_ERROR;
    cmd->op = GPU_SET_CLIP;
    memcpy(cmd->clip.planes, p->dw + AT_CLIP, sizeof cmd->clip.planes);
    return PACKET_COMMAND;
}

enum packet_result
decode_sample_mask(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_SAMPLE_MASK))
        return PACKET_ERROR;
    cmd->op = GPU_SET_SAMPLE_MASK;
    cmd->sample_mask.value = p->dw[AT_SAMPLE_MASK];
    return PACKET_COMMAND;
}

enum packet_result
decode_min_samples(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_MIN_SAMPLES))
        return PACKET_ERROR;
    cmd->op = GPU_SET_MIN_SAMPLES;
    cmd->min_samples.value = p->dw[AT_MIN_SAMPLES];
    return PACKET_COMMAND;
}

enum packet_result
decode_streamout_targets(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_TARGETS_HANDLES)
        return packet_fail(p, "length %u is less than %u", p->length, AT_TARGETS_HANDLES);
    uint32_t count = p->length - AT_TARGETS_HANDLES;
    if (count > MAX_SO_BUFFERS)
        return packet_fail(p, "%u stream-out targets exceed %u", count, MAX_SO_BUFFERS);
    cmd->op = GPU_SET_STREAMOUT_TARGETS;
    cmd->streamout.append_mask = p->dw[AT_TARGETS_APPEND];
    cmd->streamout.count = count;
    memcpy(cmd->streamout.handles, p->dw + AT_TARGETS_HANDLES, count * 4);
    return PACKET_COMMAND;
}

enum packet_result
decode_render_condition(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_RENDER_CONDITION))
        return PACKET_ERROR;
    const uint32_t mode = p->dw[AT_CONDITION_MODE];
    if (mode > 3)
        return packet_fail(p, "mode %u is not one of 0 .. 3", mode);
    cmd->op = GPU_SET_RENDER_CONDITION;
    cmd->render_condition.query = p->dw[AT_CONDITION_QUERY];
    cmd->render_condition.condition = p->dw[AT_CONDITION_VALUE];
    cmd->render_condition.mode = mode;
    return PACKET_COMMAND;
}

enum packet_result
decode_string_marker(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < AT_MARKER_TEXT || p->dw[AT_MARKER_BYTES] > (p->length - AT_MARKER_TEXT) * 4)
        return packet_fail(p, "length %u is too short for its text", p->length);
    cmd->op = GPU_SET_LABEL;
    cmd->label.text = (const char *)&p->dw[AT_MARKER_TEXT];
    cmd->label.length = p->dw[AT_MARKER_BYTES];
    return PACKET_COMMAND;
}

static enum packet_result
decode_sub_ctx_op(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!packet_has_length(p, LEN_SUB_CTX))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->sub_ctx.value = p->dw[AT_SUB_CTX];
    return PACKET_COMMAND;
}

enum packet_result
decode_sub_ctx(struct packet *p, struct gpu_cmd *cmd)
{
    enum packet_result result = decode_sub_ctx_op(p, cmd, GPU_SET_SUB_CTX);
    if (result == PACKET_COMMAND)
        decode_set_sub_context(p->decoder, p->client, p->dw[AT_SUB_CTX]);
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
    decode_forget_shaders(p->decoder, p->client, &p->dw[AT_SUB_CTX]);
    if (p->sub_context == p->dw[AT_SUB_CTX])
        decode_set_sub_context(p->decoder, p->client, 0);
    return result;
}

enum packet_result
decode_bind_shader(struct packet *p, struct gpu_cmd *cmd)
{
    const struct decode_stage *stage;
    if (!packet_has_length(p, LEN_BIND_SHADER) ||
        !(stage = packet_stage(p, p->dw[AT_BIND_SHADER_STAGE])))
        return PACKET_ERROR;
    const uint32_t handle = p->dw[AT_BIND_SHADER_HANDLE];
    if (!stage->is_executed)
        return absent_stage(p, stage, handle == 0, "program");
    cmd->op = GPU_BIND_SHADER;
    cmd->object.type = OBJECT_SHADER;
    cmd->object.handle = handle;
    cmd->object.stage = stage->stage;
    return PACKET_COMMAND;
}
