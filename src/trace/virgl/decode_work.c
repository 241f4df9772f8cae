/* Decodes commands that do work: draws, clears, writes, blits, copies, queries. */
#include "trace/virgl/decode_internal.h"

#include <string.h>

static struct box
packet_box(const struct packet *p, uint32_t first)
{
    int32_t v[LEN_BOX];
    memcpy(v, p->dw + first, sizeof v);
    return (struct box){v[AT_BOX_X],     v[AT_BOX_Y],      v[AT_BOX_Z],
                        v[AT_BOX_WIDTH], v[AT_BOX_HEIGHT], v[AT_BOX_DEPTH]};
}

static bool
level_ok(const struct packet *p, uint32_t level)
{
    if (level < RESOURCE_MAX_LEVELS)
        return true;
    packet_fail(p, "level %u exceeds %u", level, RESOURCE_MAX_LEVELS - 1);
    return false;
}

enum packet_result
decode_clear(struct packet *p, struct gpu_cmd *cmd)
{
    const uint32_t all = bit_field_put(1, BITS_CLEAR_DEPTH) | bit_field_put(1, BITS_CLEAR_STENCIL) |
                         bit_field_put(0xff, BITS_CLEAR_COLORS);
    if (!packet_has_length(p, LEN_CLEAR))
        return PACKET_ERROR;
    const uint32_t buffers = p->dw[AT_CLEAR_BUFFERS];
    if (buffers & ~all)
        return packet_fail(p, "buffers 0x%x are not within 0x%x", buffers, all);
    cmd->op = GPU_CLEAR;
    cmd->clear.buffers = virgl_clear_buffers(buffers);
    for (uint32_t i = 0; i < 4; i++)
        cmd->clear.rgba[i] = packet_float(p, AT_CLEAR_COLOR + i);
    uint64_t depth = p->dw[AT_CLEAR_DEPTH] | (uint64_t)p->dw[AT_CLEAR_DEPTH + 1] << 32;
    memcpy(&cmd->clear.depth, &depth, sizeof depth);
    cmd->clear.stencil = p->dw[AT_CLEAR_STENCIL];
    return PACKET_COMMAND;
}

enum packet_result
decode_draw(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length == LEN_DRAW_INDIRECT)
        return packet_fail(p, "indirect draws are not supported");
    if (p->length != LEN_DRAW && p->length != LEN_DRAW_TESS)
        return packet_fail(p, "length %u is neither %u nor %u", p->length, LEN_DRAW, LEN_DRAW_TESS);
    if (p->dw[AT_DRAW_MODE] >= PRIM_COUNT)
        return packet_fail(p, "primitive %u is not one of 0 .. %u", p->dw[AT_DRAW_MODE],
                           PRIM_COUNT - 1);
    cmd->op = GPU_DRAW;
    struct draw_params *draw = &cmd->draw;
    draw->start = p->dw[AT_DRAW_START];
    draw->count = p->dw[AT_DRAW_COUNT];
    draw->mode = p->dw[AT_DRAW_MODE];
    draw->indexed = p->dw[AT_DRAW_INDEXED] != 0;
    draw->instance_count = p->dw[AT_DRAW_INSTANCES];
    memcpy(&draw->index_bias, &p->dw[AT_DRAW_INDEX_BIAS], 4);
    draw->start_instance = p->dw[AT_DRAW_START_INSTANCE];
    draw->primitive_restart = p->dw[AT_DRAW_RESTART] != 0;
    draw->restart_index = p->dw[AT_DRAW_RESTART_INDEX];
    draw->min_index = p->dw[AT_DRAW_MIN_INDEX];
    draw->max_index = p->dw[AT_DRAW_MAX_INDEX];
    draw->count_from_so = p->dw[AT_DRAW_COUNT_FROM_SO];
    return PACKET_COMMAND;
}

enum packet_result
decode_inline_write(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < LEN_INLINE_WRITE_HEADER)
        return packet_fail(p, "length %u is less than %u", p->length, LEN_INLINE_WRITE_HEADER);
    const uint32_t stride = p->dw[AT_WRITE_STRIDE], layer_stride = p->dw[AT_WRITE_LAYER_STRIDE];
    if (!level_ok(p, p->dw[AT_WRITE_LEVEL]))
        return PACKET_ERROR;
    if (stride != 0 || layer_stride != 0)
        return packet_fail(p, "strides %u and %u: only tightly packed rows (0) are supported",
                           stride, layer_stride);
    cmd->op = GPU_PUT;
    cmd->transfer.resource = p->dw[AT_WRITE_RESOURCE];
    cmd->transfer.level = p->dw[AT_WRITE_LEVEL];
    cmd->transfer.box = packet_box(p, AT_WRITE_BOX);
    cmd->transfer.bytes = (const uint8_t *)(p->dw + LEN_INLINE_WRITE_HEADER);
    cmd->transfer.size_bytes = (p->length - LEN_INLINE_WRITE_HEADER) * 4;
    return PACKET_COMMAND;
}

static bool
decode_blit_side(const struct packet *p, uint32_t first, struct blit_side *side)
{
    side->resource = p->dw[first + AT_SIDE_RESOURCE];
    side->level = p->dw[first + AT_SIDE_LEVEL];
    side->format = p->dw[first + AT_SIDE_FORMAT];
    side->box = packet_box(p, first + AT_SIDE_BOX);
    return level_ok(p, side->level) && packet_format_ok(p, side->format);
}

enum packet_result
decode_blit(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_BLIT))
        return PACKET_ERROR;
    cmd->op = GPU_BLIT;
    const uint32_t mask = packet_field(p, BITS_BLIT_MASK);
    cmd->blit.mask = virgl_blit_mask(p->dw[AT_BLIT_FLAGS]);
    cmd->blit.filter = packet_field(p, BITS_BLIT_FILTER);
    cmd->blit.scissor_enable = packet_field(p, BITS_BLIT_SCISSOR);
    cmd->blit.render_condition = packet_field(p, BITS_BLIT_CONDITION);
    cmd->blit.alpha_blend = packet_field(p, BITS_BLIT_BLEND);
    cmd->blit.scissor = packet_scissor(p, AT_BLIT_SCISSOR);
    if (mask & ~0x3fu)
        return packet_fail(p, "mask 0x%x is not within 0x3f", mask);
    if (cmd->blit.filter > FILTER_LINEAR)
        return packet_fail(p, "filter %u is not one of 0 .. %u", cmd->blit.filter, FILTER_LINEAR);
    if (!decode_blit_side(p, AT_BLIT_DST, &cmd->blit.dst) ||
        !decode_blit_side(p, AT_BLIT_SRC, &cmd->blit.src))
        return PACKET_ERROR;
    return PACKET_COMMAND;
}

enum packet_result
decode_copy_region(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_COPY_REGION) || !level_ok(p, p->dw[AT_COPY_DST_LEVEL]) ||
        !level_ok(p, p->dw[AT_COPY_SRC_LEVEL]))
        return PACKET_ERROR;
    cmd->op = GPU_COPY_REGION;
    cmd->copy.dst = p->dw[AT_COPY_DST];
    cmd->copy.dst_level = p->dw[AT_COPY_DST_LEVEL];
    cmd->copy.dst_x = p->dw[AT_COPY_DST_X];
    cmd->copy.dst_y = p->dw[AT_COPY_DST_Y];
    cmd->copy.dst_z = p->dw[AT_COPY_DST_Z];
    cmd->copy.src = p->dw[AT_COPY_SRC];
    cmd->copy.src_level = p->dw[AT_COPY_SRC_LEVEL];
    cmd->copy.src_box = packet_box(p, AT_COPY_SRC_BOX);
    return PACKET_COMMAND;
}

static enum packet_result
decode_query_op(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!packet_has_length(p, LEN_QUERY_OP))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->object.type = OBJECT_QUERY;
    cmd->object.handle = p->dw[AT_QUERY_HANDLE];
    return PACKET_COMMAND;
}

enum packet_result
decode_begin_query(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_query_op(p, cmd, GPU_BEGIN_QUERY);
}

enum packet_result
decode_end_query(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_query_op(p, cmd, GPU_END_QUERY);
}

enum packet_result
decode_query_result(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_QUERY_RESULT))
        return PACKET_ERROR;
    cmd->op = GPU_GET_QUERY_RESULT;
    cmd->query_result.handle = p->dw[AT_QUERY_HANDLE];
    cmd->query_result.wait = p->dw[AT_QUERY_WAIT];
    return PACKET_COMMAND;
}
