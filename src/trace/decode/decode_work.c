/* Commands that do work: draws, clears, writes, blits, copies, queries. */
#include "trace/decode/decode_internal.h"

#include <string.h>

static struct box
packet_box(const struct packet *p, uint32_t first)
{
    int32_t v[6];
    memcpy(v, p->dw + first, sizeof v);
    return (struct box){v[0], v[1], v[2], v[3], v[4], v[5]};
}

static bool
level_ok(const struct packet *p, uint32_t level)
{
    if (level < RESOURCE_MAX_LEVELS)
        return true;
    packet_fail(p, "level %u is above %u", level, RESOURCE_MAX_LEVELS - 1);
    return false;
}

enum packet_result
decode_clear(struct packet *p, struct gpu_cmd *cmd)
{
    const uint32_t all = MASK_DEPTH | MASK_STENCIL | (uint32_t)MASK_COLOR0 * 0xff;
    if (!packet_has_length(p, LEN_CLEAR))
        return PACKET_ERROR;
    if (p->dw[0] & ~all)
        return packet_fail(p, "buffers 0x%x are not within 0x%x", p->dw[0], all);
    cmd->op = GPU_CLEAR;
    cmd->clear.buffers = p->dw[0];
    for (uint32_t i = 0; i < 4; i++)
        cmd->clear.rgba[i] = packet_float(p, 1 + i);
    uint64_t depth = p->dw[5] | (uint64_t)p->dw[6] << 32;
    memcpy(&cmd->clear.depth, &depth, sizeof depth);
    cmd->clear.stencil = p->dw[7];
    return PACKET_COMMAND;
}

enum packet_result
decode_draw(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length == LEN_DRAW_INDIRECT)
        return packet_fail(p, "indirect draws are not executed");
    if (p->length != LEN_DRAW && p->length != LEN_DRAW_TESS)
        return packet_fail(p, "length %u is neither %u nor %u", p->length, LEN_DRAW, LEN_DRAW_TESS);
    if (p->dw[2] >= PRIM_COUNT)
        return packet_fail(p, "primitive %u is not one of 0 .. %u", p->dw[2], PRIM_COUNT - 1);
    cmd->op = GPU_DRAW;
    struct draw_params *draw = &cmd->draw;
    draw->start = p->dw[0];
    draw->count = p->dw[1];
    draw->mode = p->dw[2];
    draw->indexed = p->dw[3] != 0;
    draw->instance_count = p->dw[4];
    memcpy(&draw->index_bias, &p->dw[5], 4);
    draw->start_instance = p->dw[6];
    draw->primitive_restart = p->dw[7] != 0;
    draw->restart_index = p->dw[8];
    draw->min_index = p->dw[9];
    draw->max_index = p->dw[10];
    draw->count_from_so = p->dw[11];
    return PACKET_COMMAND;
}

enum packet_result
decode_inline_write(struct packet *p, struct gpu_cmd *cmd)
{
    if (p->length < LEN_INLINE_WRITE_HEADER)
        return packet_fail(p, "length %u is below %u", p->length, LEN_INLINE_WRITE_HEADER);
    if (!level_ok(p, p->dw[1]))
        return PACKET_ERROR;
    if (p->dw[3] != 0 || p->dw[4] != 0)
        return packet_fail(p, "strides %u and %u: only tight rows (0) are taken", p->dw[3],
                           p->dw[4]);
    cmd->op = GPU_PUT;
    cmd->transfer.resource = p->dw[0];
    cmd->transfer.level = p->dw[1];
    cmd->transfer.box = packet_box(p, 5);
    cmd->transfer.bytes = (const uint8_t *)(p->dw + LEN_INLINE_WRITE_HEADER);
    cmd->transfer.size_bytes = (p->length - LEN_INLINE_WRITE_HEADER) * 4;
    return PACKET_COMMAND;
}

static bool
decode_blit_side(const struct packet *p, uint32_t first, struct blit_side *side)
{
    side->resource = p->dw[first];
    side->level = p->dw[first + 1];
    side->format = p->dw[first + 2];
    side->box = packet_box(p, first + 3);
    return level_ok(p, side->level) && packet_format_ok(p, side->format);
}

enum packet_result
decode_blit(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_BLIT))
        return PACKET_ERROR;
    uint32_t s0 = p->dw[0];
    cmd->op = GPU_BLIT;
    cmd->blit.mask = s0 & 0xff;
    cmd->blit.filter = s0 >> 8 & 3;
    cmd->blit.scissor_enable = s0 >> 10 & 1;
    cmd->blit.render_condition = s0 >> 11 & 1;
    cmd->blit.alpha_blend = s0 >> 12 & 1;
    cmd->blit.scissor = (struct scissor_state){
        .min_x = (uint16_t)(p->dw[1] & 0xffff),
        .min_y = (uint16_t)(p->dw[1] >> 16),
        .max_x = (uint16_t)(p->dw[2] & 0xffff),
        .max_y = (uint16_t)(p->dw[2] >> 16),
    };
    if (cmd->blit.mask & ~0x3fu)
        return packet_fail(p, "mask 0x%x is not within 0x3f", cmd->blit.mask);
    if (cmd->blit.filter > FILTER_LINEAR)
        return packet_fail(p, "filter %u is not one of 0 .. %u", cmd->blit.filter, FILTER_LINEAR);
    if (!decode_blit_side(p, 3, &cmd->blit.dst) || !decode_blit_side(p, 12, &cmd->blit.src))
        return PACKET_ERROR;
    return PACKET_COMMAND;
}

enum packet_result
decode_copy_region(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_COPY_REGION) || !level_ok(p, p->dw[1]) || !level_ok(p, p->dw[6]))
        return PACKET_ERROR;
    cmd->op = GPU_COPY_REGION;
    cmd->copy.dst = p->dw[0];
    cmd->copy.dst_level = p->dw[1];
    cmd->copy.dst_x = p->dw[2];
    cmd->copy.dst_y = p->dw[3];
    cmd->copy.dst_z = p->dw[4];
    cmd->copy.src = p->dw[5];
    cmd->copy.src_level = p->dw[6];
    cmd->copy.src_box = packet_box(p, 7);
    return PACKET_COMMAND;
}

static enum packet_result
decode_query_op(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->object.type = OBJECT_QUERY;
    cmd->object.handle = p->dw[0];
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
    if (!packet_has_length(p, 2))
        return PACKET_ERROR;
    cmd->op = GPU_GET_QUERY_RESULT;
    cmd->query_result.handle = p->dw[0];
    cmd->query_result.wait = p->dw[1];
    return PACKET_COMMAND;
}
