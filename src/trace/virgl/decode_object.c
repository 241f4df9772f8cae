/* Decodes CREATE_OBJECT, BIND_OBJECT and DESTROY_OBJECT. */
#include "trace/virgl/decode_internal.h"

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

/* Valid wire values are ONE to SRC1_ALPHA, and ZERO to INV_SRC1_ALPHA except for 0x16. */
static bool
factor_ok(uint32_t factor)
{
    return (factor >= FACTOR_ONE && factor <= FACTOR_SRC1_ALPHA) ||
           (factor >= FACTOR_ZERO && factor <= FACTOR_INV_SRC1_ALPHA && factor != 0x16);
}

static enum packet_result
decode_blend_target(struct packet *p, uint32_t number, struct blend_target *rt)
{
    uint32_t dword = p->dw[AT_BLEND_TARGETS + number];
    rt->enable = bit_field_get(dword, BITS_BLEND_TARGET_ENABLE);
    rt->rgb_func = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_RGB_FUNC);
    rt->rgb_src = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_RGB_SRC);
    rt->rgb_dst = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_RGB_DST);
    rt->alpha_func = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_ALPHA_FUNC);
    rt->alpha_src = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_ALPHA_SRC);
    rt->alpha_dst = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_ALPHA_DST);
    rt->colormask = (uint8_t)bit_field_get(dword, BITS_BLEND_TARGET_COLORMASK);
    if (!rt->enable)
        return PACKET_COMMAND; /* ignore functions and factors of a disabled target */
    if (rt->rgb_func > BLEND_MAX || rt->alpha_func > BLEND_MAX)
        return packet_fail(p, "blend: target %u: function %u or %u is not one of 0 .. %u", number,
                           rt->rgb_func, rt->alpha_func, BLEND_MAX);
    const uint8_t factors[] = {rt->rgb_src, rt->rgb_dst, rt->alpha_src, rt->alpha_dst};
    for (uint32_t i = 0; i < 4; i++)
        if (!factor_ok(factors[i]))
            return packet_fail(p, "blend: target %u: unknown factor 0x%x", number, factors[i]);
    return PACKET_COMMAND;
}

static enum packet_result
create_blend(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_BLEND))
        return PACKET_ERROR;
    struct blend_state *blend = &cmd->create.blend;
    blend->independent = packet_field(p, BITS_BLEND_INDEPENDENT);
    blend->logicop_enable = packet_field(p, BITS_BLEND_LOGICOP_ENABLE);
    blend->dither = packet_field(p, BITS_BLEND_DITHER);
    blend->alpha_to_coverage = packet_field(p, BITS_BLEND_ALPHA_TO_COVERAGE);
    blend->alpha_to_one = packet_field(p, BITS_BLEND_ALPHA_TO_ONE);
    blend->logicop = (uint8_t)packet_field(p, BITS_BLEND_LOGICOP);
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
    const struct {
        struct bit_field field;
        bool *to;
    } flags[] = {
        {BITS_RASTERIZER_FLATSHADE, &r->flatshade},
        {BITS_RASTERIZER_DEPTH_CLIP, &r->depth_clip},
        {BITS_RASTERIZER_CLIP_HALFZ, &r->clip_halfz},
        {BITS_RASTERIZER_DISCARD, &r->discard},
        {BITS_RASTERIZER_FLATSHADE_FIRST, &r->flatshade_first},
        {BITS_RASTERIZER_LIGHT_TWOSIDE, &r->light_twoside},
        {BITS_RASTERIZER_POINT_QUAD, &r->point_quad},
        {BITS_RASTERIZER_SCISSOR, &r->scissor},
        {BITS_RASTERIZER_FRONT_CCW, &r->front_ccw},
        {BITS_RASTERIZER_OFFSET_LINE, &r->offset_line},
        {BITS_RASTERIZER_OFFSET_POINT, &r->offset_point},
        {BITS_RASTERIZER_OFFSET_TRI, &r->offset_tri},
        {BITS_RASTERIZER_POLY_SMOOTH, &r->poly_smooth},
        {BITS_RASTERIZER_POLY_STIPPLE, &r->poly_stipple},
        {BITS_RASTERIZER_POINT_SMOOTH, &r->point_smooth},
        {BITS_RASTERIZER_POINT_SIZE_PER_VERTEX, &r->point_size_per_vertex},
        {BITS_RASTERIZER_MULTISAMPLE, &r->multisample},
        {BITS_RASTERIZER_LINE_SMOOTH, &r->line_smooth},
        {BITS_RASTERIZER_LINE_STIPPLE, &r->line_stipple},
        {BITS_RASTERIZER_LINE_LAST_PIXEL, &r->line_last_pixel},
        {BITS_RASTERIZER_HALF_PIXEL_CENTER, &r->half_pixel_center},
        {BITS_RASTERIZER_BOTTOM_EDGE_RULE, &r->bottom_edge_rule},
        {BITS_RASTERIZER_FORCE_PERSAMPLE, &r->force_persample},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i].to = packet_field(p, flags[i].field);
    r->sprite_coord_upper_left = !packet_field(p, BITS_RASTERIZER_SPRITE_LOWER_LEFT);
    r->cull = (uint8_t)packet_field(p, BITS_RASTERIZER_CULL);
    r->fill_front = (uint8_t)packet_field(p, BITS_RASTERIZER_FILL_FRONT);
    r->fill_back = (uint8_t)packet_field(p, BITS_RASTERIZER_FILL_BACK);
    if (r->fill_front > FILL_POINT || r->fill_back > FILL_POINT)
        return packet_fail(p, "rasterizer: fill mode 3 is not one of 0 .. %u", FILL_POINT);
    r->point_size = packet_float(p, AT_RASTERIZER_POINT_SIZE);
    r->sprite_coord_enable = p->dw[AT_RASTERIZER_SPRITE_COORDS];
    r->line_stipple_pattern = (uint16_t)packet_field(p, BITS_RASTERIZER_STIPPLE_PATTERN);
    r->line_stipple_factor = (uint16_t)(packet_field(p, BITS_RASTERIZER_STIPPLE_FACTOR) + 1);
    r->clip_plane_enable = (uint8_t)packet_field(p, BITS_RASTERIZER_CLIP_PLANES);
    r->line_width = packet_float(p, AT_RASTERIZER_LINE_WIDTH);
    r->offset_units = packet_float(p, AT_RASTERIZER_OFFSET_UNITS);
    r->offset_scale = packet_float(p, AT_RASTERIZER_OFFSET_SCALE);
    r->offset_clamp = packet_float(p, AT_RASTERIZER_OFFSET_CLAMP);
    return PACKET_COMMAND;
}

static enum packet_result
create_dsa(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_DSA))
        return PACKET_ERROR;
    struct dsa_state *dsa = &cmd->create.dsa;
    dsa->depth_enable = packet_field(p, BITS_DSA_DEPTH_ENABLE);
    dsa->depth_write = packet_field(p, BITS_DSA_DEPTH_WRITE);
    dsa->depth_func = (uint8_t)packet_field(p, BITS_DSA_DEPTH_FUNC);
    dsa->alpha_enable = packet_field(p, BITS_DSA_ALPHA_ENABLE);
    dsa->alpha_func = (uint8_t)packet_field(p, BITS_DSA_ALPHA_FUNC);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t dword = p->dw[AT_DSA_STENCIL + i];
        dsa->stencil[i] = (struct stencil_face){
            .enabled = bit_field_get(dword, BITS_DSA_STENCIL_ENABLE),
            .func = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_FUNC),
            .fail_op = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_FAIL_OP),
            .zpass_op = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_ZPASS_OP),
            .zfail_op = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_ZFAIL_OP),
            .valuemask = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_VALUEMASK),
            .writemask = (uint8_t)bit_field_get(dword, BITS_DSA_STENCIL_WRITEMASK),
        };
    }
    dsa->alpha_ref = packet_float(p, AT_DSA_ALPHA_REF);
    return PACKET_COMMAND;
}

static enum packet_result
create_vertex_elements(struct packet *p, struct gpu_cmd *cmd)
{
    struct vertex_elements *elements = &cmd->create.elements;
    if (p->length < AT_ELEMENTS || (p->length - AT_ELEMENTS) % LEN_ELEMENT)
        return packet_fail(p, "vertex elements: length %u is not %u plus a multiple of %u",
                           p->length, AT_ELEMENTS, LEN_ELEMENT);
    elements->count = (p->length - AT_ELEMENTS) / LEN_ELEMENT;
    if (elements->count > MAX_ATTRIBUTES)
        return packet_fail(p, "vertex elements: %u elements exceed %u", elements->count,
                           MAX_ATTRIBUTES);
    for (uint32_t i = 0; i < elements->count; i++) {
        const uint32_t *dw = p->dw + AT_ELEMENTS + i * LEN_ELEMENT;
        struct vertex_element *element = &elements->items[i];
        *element = (struct vertex_element){.offset = dw[AT_ELEMENT_OFFSET],
                                           .divisor = dw[AT_ELEMENT_DIVISOR],
                                           .buffer = dw[AT_ELEMENT_BUFFER],
                                           .format = dw[AT_ELEMENT_FORMAT]};
        if (element->buffer >= MAX_ATTRIBUTES)
            return packet_fail(p, "vertex elements: buffer %u of element %u exceeds %u",
                               element->buffer, i, MAX_ATTRIBUTES - 1);
        if (!packet_format_ok(p, element->format))
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
    view->resource = p->dw[AT_VIEW_RESOURCE];
    view->format = packet_field(p, BITS_VIEW_FORMAT);
    view->target = packet_field(p, BITS_VIEW_TARGET);
    view->first_element = p->dw[AT_VIEW_LAYERS];
    view->last_element = p->dw[AT_VIEW_LEVELS];
    view->first_layer = packet_field(p, BITS_VIEW_FIRST_LAYER);
    view->last_layer = packet_field(p, BITS_VIEW_LAST_LAYER);
    view->first_level = packet_field(p, BITS_VIEW_FIRST_LEVEL);
    view->last_level = packet_field(p, BITS_VIEW_LAST_LEVEL);
    if (!packet_format_ok(p, view->format))
        return PACKET_ERROR;
    if (view->target >= VIRGL_TARGET_COUNT)
        return packet_fail(p, "sampler view: target %u is not one of 0 .. %u", view->target,
                           VIRGL_TARGET_COUNT - 1);
    const struct bit_field swizzle[] = {BITS_VIEW_SWIZZLE_R, BITS_VIEW_SWIZZLE_G,
                                        BITS_VIEW_SWIZZLE_B, BITS_VIEW_SWIZZLE_A};
    for (uint32_t i = 0; i < 4; i++) {
        view->swizzle[i] = (uint8_t)packet_field(p, swizzle[i]);
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
    s->wrap_s = (uint8_t)packet_field(p, BITS_SAMPLER_WRAP_S);
    s->wrap_t = (uint8_t)packet_field(p, BITS_SAMPLER_WRAP_T);
    s->wrap_r = (uint8_t)packet_field(p, BITS_SAMPLER_WRAP_R);
    s->min_filter = (uint8_t)packet_field(p, BITS_SAMPLER_MIN_FILTER);
    s->mip_filter = (uint8_t)packet_field(p, BITS_SAMPLER_MIP_FILTER);
    s->mag_filter = (uint8_t)packet_field(p, BITS_SAMPLER_MAG_FILTER);
    s->compare = packet_field(p, BITS_SAMPLER_COMPARE);
    s->compare_func = (uint8_t)packet_field(p, BITS_SAMPLER_COMPARE_FUNC);
    s->seamless_cube = packet_field(p, BITS_SAMPLER_SEAMLESS_CUBE);
    s->max_anisotropy = (uint8_t)packet_field(p, BITS_SAMPLER_MAX_ANISOTROPY);
    if (s->min_filter > FILTER_LINEAR || s->mag_filter > FILTER_LINEAR)
        return packet_fail(p, "sampler state: image filter %u or %u is not one of 0 .. %u",
                           s->min_filter, s->mag_filter, FILTER_LINEAR);
    if (s->mip_filter > MIP_NONE)
        return packet_fail(p, "sampler state: mipmap filter %u is not one of 0 .. %u",
                           s->mip_filter, MIP_NONE);
    if (s->max_anisotropy > 16)
        return packet_fail(p, "sampler state: anisotropy %u exceeds 16", s->max_anisotropy);
    s->lod_bias = packet_float(p, AT_SAMPLER_LOD_BIAS);
    s->min_lod = packet_float(p, AT_SAMPLER_MIN_LOD);
    s->max_lod = packet_float(p, AT_SAMPLER_MAX_LOD);
    for (uint32_t i = 0; i < 4; i++)
        s->border[i] = p->dw[AT_SAMPLER_BORDER + i];
    return PACKET_COMMAND;
}

static enum packet_result
create_surface(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_SURFACE))
        return PACKET_ERROR;
    struct surface *surface = &cmd->create.surface;
    *surface = (struct surface){
        .resource = p->dw[AT_SURFACE_RESOURCE],
        .format = p->dw[AT_SURFACE_FORMAT],
        .level = p->dw[AT_SURFACE_LEVEL],
        .first_layer = packet_field(p, BITS_SURFACE_FIRST_LAYER),
        .last_layer = packet_field(p, BITS_SURFACE_LAST_LAYER),
    };
    if (!packet_format_ok(p, surface->format))
        return PACKET_ERROR;
    if (surface->level >= RESOURCE_MAX_LEVELS)
        return packet_fail(p, "surface: level %u exceeds %u", surface->level,
                           RESOURCE_MAX_LEVELS - 1);
    return PACKET_COMMAND;
}

static enum packet_result
create_query(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_QUERY))
        return PACKET_ERROR;
    const uint32_t type = packet_field(p, BITS_QUERY_TYPE);
    if (type >= VIRGL_QUERY_TYPES)
        return packet_fail(p, "query: type %u is not one of 0 .. %u", type, VIRGL_QUERY_TYPES - 1);
    cmd->create.query.type = virgl_query_type(type);
    cmd->create.query.index = packet_field(p, BITS_QUERY_INDEX);
    cmd->create.query.offset = p->dw[AT_QUERY_OFFSET];
    cmd->create.query.resource = p->dw[AT_QUERY_RESOURCE];
    return PACKET_COMMAND;
}

static enum packet_result
create_streamout_target(struct packet *p, struct gpu_cmd *cmd)
{
    if (!packet_has_length(p, LEN_STREAMOUT_TARGET))
        return PACKET_ERROR;
    cmd->create.so_target = (struct so_target){.resource = p->dw[AT_STREAMOUT_RESOURCE],
                                               .offset = p->dw[AT_STREAMOUT_OFFSET],
                                               .size = p->dw[AT_STREAMOUT_SIZE]};
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
    if (p->length < LEN_OBJECT)
        return packet_fail(p, "length 0 contains no handle");
    if (p->dw[AT_OBJECT_HANDLE] == 0)
        return packet_fail(p, "a new %s object has handle 0", virgl_object_name(p->object));
    cmd->op = GPU_CREATE_OBJECT;
    cmd->create.type = virgl_object(p->object);
    cmd->create.handle = p->dw[AT_OBJECT_HANDLE];
    return create[p->object](p, cmd);
}

static enum packet_result
decode_object_handle(struct packet *p, struct gpu_cmd *cmd, enum gpu_op op)
{
    if (!object_type_ok(p) || !packet_has_length(p, LEN_OBJECT))
        return PACKET_ERROR;
    cmd->op = op;
    cmd->object.type = virgl_object(p->object);
    cmd->object.handle = p->dw[AT_OBJECT_HANDLE];
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
        return packet_fail(p, "object type %u (%s) cannot be bound by this command", p->object,
                           virgl_object_name(p->object));
    }
}

enum packet_result
decode_destroy_object(struct packet *p, struct gpu_cmd *cmd)
{
    return decode_object_handle(p, cmd, GPU_DESTROY_OBJECT);
}
