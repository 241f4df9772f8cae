/* CREATE_OBJECT, BIND_OBJECT, DESTROY_OBJECT: state objects out of their dwords. dw[0] is the
 * object's handle in all of them. */
#include "trace/decode/decode_internal.h"

static uint32_t
bits(uint32_t dword, uint32_t first, uint32_t count)
{
    return dword >> first & ((1u << count) - 1);
}

static bool
bit(uint32_t dword, uint32_t number)
{
    return dword >> number & 1;
}

const char *
virgl_object_name(uint32_t type)
{
    static const char *const names[VOBJ_COUNT] = {
        NULL,      "blend",           "rasterizer",        "depth/stencil/alpha",
        "shader",  "vertex elements", "sampler view",      "sampler state",
        "surface", "query",           "stream-out target", "multisampled surface",
    };
    return type > 0 && type < VOBJ_COUNT ? names[type] : "unknown";
}

/* Wire values: ONE .. SRC1_ALPHA, ZERO .. INV_SRC1_ALPHA without a hole at 0x16. */
static bool
factor_ok(uint32_t factor)
{
    return (factor >= FACTOR_ONE && factor <= FACTOR_SRC1_ALPHA) ||
           (factor >= FACTOR_ZERO && factor <= FACTOR_INV_SRC1_ALPHA && factor != 0x16);
}

static enum packet_result
decode_blend_target(struct packet *p, uint32_t number, struct blend_target *rt)
{
    uint32_t dword = p->dw[3 + number];
    rt->enable = bit(dword, 0);
    rt->rgb_func = (uint8_t)bits(dword, 1, 3);
    rt->rgb_src = (uint8_t)bits(dword, 4, 5);
    rt->rgb_dst = (uint8_t)bits(dword, 9, 5);
    rt->alpha_func = (uint8_t)bits(dword, 14, 3);
    rt->alpha_src = (uint8_t)bits(dword, 17, 5);
    rt->alpha_dst = (uint8_t)bits(dword, 22, 5);
    rt->colormask = (uint8_t)bits(dword, 27, 4);
    if (!rt->enable)
        return PACKET_COMMAND; /* functions and factors may be anything then */
    if (rt->rgb_func > BLEND_MAX || rt->alpha_func > BLEND_MAX)
        return packet_fail(p, "blend: target %u: function %u or %u is not one of 0 .. %u", number,
                           rt->rgb_func, rt->alpha_func, BLEND_MAX);
    const uint8_t factors[] = {rt->rgb_src, rt->rgb_dst, rt->alpha_src, rt->alpha_dst};
    for (uint32_t i = 0; i < 4; i++)
        if (!factor_ok(factors[i]))
            return packet_fail(p, "blend: target %u: factor 0x%x is not known", number, factors[i]);
    return PACKET_COMMAND;
}

static enum packet_result
create_blend(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_BLEND))
        return PACKET_ERROR;
    struct blend_state *blend = &cmd->create.blend;
    blend->independent = bit(p->dw[1], 0);
    blend->logicop_enable = bit(p->dw[1], 1);
    blend->dither = bit(p->dw[1], 2);
    blend->alpha_to_coverage = bit(p->dw[1], 3);
    blend->alpha_to_one = bit(p->dw[1], 4);
    blend->logicop = (uint8_t)bits(p->dw[2], 0, 4);
    for (uint32_t i = 0; i < MAX_COLOR_BUFFERS; i++) {
        if (i > 0 && !blend->independent)
            blend->rt[i] = blend->rt[0];
        else if (decode_blend_target(p, i, &blend->rt[i]) == PACKET_ERROR)
            return PACKET_ERROR;
    }
    return PACKET_COMMAND;
}

static enum packet_result
create_rasterizer(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_RASTERIZER))
        return PACKET_ERROR;
    struct rasterizer_state *r = &cmd->create.rasterizer;
    uint32_t s0 = p->dw[1], s3 = p->dw[4];
    bool *const flags[32] = {
        [0] = &r->flatshade,
        [1] = &r->depth_clip,
        [2] = &r->clip_halfz,
        [3] = &r->discard,
        [4] = &r->flatshade_first,
        [5] = &r->light_twoside,
        [7] = &r->point_quad,
        [14] = &r->scissor,
        [15] = &r->front_ccw,
        /* 16 and 17 ask to clamp colors, which is not offered: nobody does as they say (caps.c). */
        [18] = &r->offset_line,
        [19] = &r->offset_point,
        [20] = &r->offset_tri,
        [21] = &r->poly_smooth,
        [22] = &r->poly_stipple,
        [23] = &r->point_smooth,
        [24] = &r->point_size_per_vertex,
        [25] = &r->multisample,
        [26] = &r->line_smooth,
        [27] = &r->line_stipple,
        [28] = &r->line_last_pixel,
        [29] = &r->half_pixel_center,
        [30] = &r->bottom_edge_rule,
        [31] = &r->force_persample,
    };
    for (uint32_t i = 0; i < 32; i++)
        if (flags[i])
            *flags[i] = bit(s0, i);
    r->sprite_coord_upper_left = !bit(s0, 6);
    r->cull = (uint8_t)bits(s0, 8, 2);
    r->fill_front = (uint8_t)bits(s0, 10, 2);
    r->fill_back = (uint8_t)bits(s0, 12, 2);
    if (r->fill_front > FILL_POINT || r->fill_back > FILL_POINT)
        return packet_fail(p, "rasterizer: fill mode 3 is not one of 0 .. %u", FILL_POINT);
    r->point_size = packet_float(p, 2);
    r->sprite_coord_enable = p->dw[3];
    r->line_stipple_pattern = (uint16_t)bits(s3, 0, 16);
    r->line_stipple_factor = (uint16_t)(bits(s3, 16, 8) + 1);
    r->clip_plane_enable = (uint8_t)bits(s3, 24, 8);
    r->line_width = packet_float(p, 5);
    r->offset_units = packet_float(p, 6);
    r->offset_scale = packet_float(p, 7);
    r->offset_clamp = packet_float(p, 8);
    return PACKET_COMMAND;
}

static enum packet_result
create_dsa(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_DSA))
        return PACKET_ERROR;
    struct dsa_state *dsa = &cmd->create.dsa;
    dsa->depth_enable = bit(p->dw[1], 0);
    dsa->depth_write = bit(p->dw[1], 1);
    dsa->depth_func = (uint8_t)bits(p->dw[1], 2, 3);
    dsa->alpha_enable = bit(p->dw[1], 8);
    dsa->alpha_func = (uint8_t)bits(p->dw[1], 9, 3);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t dword = p->dw[2 + i];
        dsa->stencil[i] = (struct stencil_face){
            .enabled = bit(dword, 0),
            .func = (uint8_t)bits(dword, 1, 3),
            .fail_op = (uint8_t)bits(dword, 4, 3),
            .zpass_op = (uint8_t)bits(dword, 7, 3),
            .zfail_op = (uint8_t)bits(dword, 10, 3),
            .valuemask = (uint8_t)bits(dword, 13, 8),
            .writemask = (uint8_t)bits(dword, 21, 8),
        };
    }
    dsa->alpha_ref = packet_float(p, 4);
    return PACKET_COMMAND;
}

static enum packet_result
create_vertex_elements(struct packet *p, struct gpu_cmd *cmd)
{
    struct vertex_elements *elements = &cmd->create.elements;
    if (p->length % 4 != 1)
        return packet_fail(p, "vertex elements: length %u is not 1 + 4 n", p->length);
    elements->count = (p->length - 1) / 4;
    if (elements->count > MAX_ATTRIBUTES)
        return packet_fail(p, "vertex elements: %u elements are above %u", elements->count,
                           MAX_ATTRIBUTES);
    for (uint32_t i = 0; i < elements->count; i++) {
        const uint32_t *dw = p->dw + 1 + 4 * i;
        elements->items[i] = (struct vertex_element){
            .offset = dw[0], .divisor = dw[1], .buffer = dw[2], .format = dw[3]};
        if (dw[2] >= MAX_ATTRIBUTES)
            return packet_fail(p, "vertex elements: buffer %u of element %u is above %u", dw[2], i,
                               MAX_ATTRIBUTES - 1);
        if (!packet_format_ok(p, dw[3]))
            return PACKET_ERROR;
    }
    return PACKET_COMMAND;
}

static enum packet_result
create_sampler_view(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_SAMPLER_VIEW))
        return PACKET_ERROR;
    struct sampler_view *view = &cmd->create.view;
    view->resource = p->dw[1];
    view->format = bits(p->dw[2], 0, 24);
    view->target = bits(p->dw[2], 24, 8); /* 0: as the resource's */
    /* The same two dwords are elements for buffers, layers and levels for the others. */
    view->first_element = p->dw[3];
    view->last_element = p->dw[4];
    view->first_layer = bits(p->dw[3], 0, 16);
    view->last_layer = bits(p->dw[3], 16, 16);
    view->first_level = bits(p->dw[4], 0, 8);
    view->last_level = bits(p->dw[4], 8, 8);
    if (!packet_format_ok(p, view->format))
        return PACKET_ERROR;
    if (view->target >= VIRGL_TARGET_COUNT)
        return packet_fail(p, "sampler view: target %u is not one of 0 .. %u", view->target,
                           VIRGL_TARGET_COUNT - 1);
    for (uint32_t i = 0; i < 4; i++) {
        view->swizzle[i] = (uint8_t)bits(p->dw[5], 3 * i, 3);
        if (view->swizzle[i] > 5)
            return packet_fail(p, "sampler view: swizzle %u is not one of 0 .. 5",
                               view->swizzle[i]);
    }
    return PACKET_COMMAND;
}

static enum packet_result
create_sampler_state(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_SAMPLER_STATE))
        return PACKET_ERROR;
    struct sampler_state *s = &cmd->create.sampler;
    uint32_t s0 = p->dw[1];
    s->wrap_s = (uint8_t)bits(s0, 0, 3);
    s->wrap_t = (uint8_t)bits(s0, 3, 3);
    s->wrap_r = (uint8_t)bits(s0, 6, 3);
    s->min_filter = (uint8_t)bits(s0, 9, 2);
    s->mip_filter = (uint8_t)bits(s0, 11, 2);
    s->mag_filter = (uint8_t)bits(s0, 13, 2);
    s->compare = bit(s0, 15);
    s->compare_func = (uint8_t)bits(s0, 16, 3);
    s->seamless_cube = bit(s0, 19);
    s->max_anisotropy = (uint8_t)bits(s0, 20, 6);
    if (s->min_filter > FILTER_LINEAR || s->mag_filter > FILTER_LINEAR)
        return packet_fail(p, "sampler state: image filter %u or %u is not one of 0 .. %u",
                           s->min_filter, s->mag_filter, FILTER_LINEAR);
    if (s->mip_filter > MIP_NONE)
        return packet_fail(p, "sampler state: mipmap filter %u is not one of 0 .. %u",
                           s->mip_filter, MIP_NONE);
    if (s->max_anisotropy > 16)
        return packet_fail(p, "sampler state: anisotropy %u is above 16", s->max_anisotropy);
    s->lod_bias = packet_float(p, 2);
    s->min_lod = packet_float(p, 3);
    s->max_lod = packet_float(p, 4);
    for (uint32_t i = 0; i < 4; i++)
        s->border[i] = p->dw[5 + i];
    return PACKET_COMMAND;
}

static enum packet_result
create_surface(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_SURFACE))
        return PACKET_ERROR;
    cmd->create.surface = (struct surface){
        .resource = p->dw[1],
        .format = p->dw[2],
        .level = p->dw[3],
        .first_layer = bits(p->dw[4], 0, 16),
        .last_layer = bits(p->dw[4], 16, 16),
    };
    if (!packet_format_ok(p, p->dw[2]))
        return PACKET_ERROR;
    if (p->dw[3] >= RESOURCE_MAX_LEVELS)
        return packet_fail(p, "surface: level %u is above %u", p->dw[3], RESOURCE_MAX_LEVELS - 1);
    return PACKET_COMMAND;
}

static enum packet_result
create_query(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_QUERY))
        return PACKET_ERROR;
    cmd->create.query.type = bits(p->dw[1], 0, 16);
    cmd->create.query.index = bits(p->dw[1], 16, 16);
    cmd->create.query.offset = p->dw[2];
    cmd->create.query.resource = p->dw[3];
    if (cmd->create.query.type >= VIRGL_QUERY_TYPES)
        return packet_fail(p, "query: type %u is not one of 0 .. %u", cmd->create.query.type,
                           VIRGL_QUERY_TYPES - 1);
    return PACKET_COMMAND;
}

static enum packet_result
create_streamout_target(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_STREAMOUT_TARGET))
        return PACKET_ERROR;
    cmd->create.so_target =
        (struct so_target){.resource = p->dw[1], .offset = p->dw[2], .size = p->dw[3]};
    return PACKET_COMMAND;
}

static bool
object_type_ok(const struct packet *p)
{
    if (p->object >= VOBJ_BLEND && p->object <= VOBJ_STREAMOUT_TARGET)
        return true;
    packet_fail(p, "object type %u (%s) is not one of 1 .. %u", p->object,
                virgl_object_name(p->object), VOBJ_STREAMOUT_TARGET);
    return false;
}

enum packet_result
decode_create_object(struct packet *p, struct gpu_cmd *cmd)
{
    static packet_fn *const create[VOBJ_COUNT] = {
        [VOBJ_BLEND] = create_blend,
        [VOBJ_RASTERIZER] = create_rasterizer,
        [VOBJ_DSA] = create_dsa,
        [VOBJ_SHADER] = decode_create_shader,
        [VOBJ_VERTEX_ELEMENTS] = create_vertex_elements,
        [VOBJ_SAMPLER_VIEW] = create_sampler_view,
        [VOBJ_SAMPLER_STATE] = create_sampler_state,
        [VOBJ_SURFACE] = create_surface,
        [VOBJ_QUERY] = create_query,
        [VOBJ_STREAMOUT_TARGET] = create_streamout_target,
    };
    if (!object_type_ok(p))
        return PACKET_ERROR;
    if (p->length < 1)
        return packet_fail(p, "length 0 holds no handle");
    if (p->dw[0] == 0)
        return packet_fail(p, "handle 0 of a new %s object", virgl_object_name(p->object));
    cmd->op = GPU_CREATE_OBJECT;
    cmd->create.type = (enum gpu_object)p->object;
    cmd->create.handle = p->dw[0];
    return create[p->object](p, cmd);
}

static enum packet_result
decode_object_handle(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!object_type_ok(p) || !packet_has_length(p, 1))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->object.type = (enum gpu_object)p->object;
    cmd->object.handle = p->dw[0];
    return PACKET_COMMAND;
}

enum packet_result
decode_bind_object(struct packet *p, struct gpu_cmd *cmd)
{
    switch (p->object) {
    case VOBJ_BLEND:
    case VOBJ_RASTERIZER:
    case VOBJ_DSA:
    case VOBJ_VERTEX_ELEMENTS: return decode_object_handle(p, cmd, GPU_BIND_OBJECT);
    default:
        return packet_fail(p, "object type %u (%s) is not one that is bound so", p->object,
                           virgl_object_name(p->object));
    }
}

enum packet_result
decode_destroy_object(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_object_handle(p, cmd, GPU_DESTROY_OBJECT);
}
