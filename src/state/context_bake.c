/* Bakes a draw: copies the bound state into a struct that later state changes do not affect. All
 * its addresses are inside their resources (docs/design/stream.md, Baked draws). */
#include "state/context_internal.h"

#include <string.h>

enum {
    MAX_DRAW_VERTICES = 1 << 24
}; /* maximum number of vertices per draw, over all instances; real programs use fewer */

static bool
bake_surface(const struct object *object, enum format_use use, struct bound_surface *out,
             struct error *err)
{
    memset(out, 0, sizeof *out);
    if (!object)
        return true;
    const struct surface *surface = &object->surface;
    object->res->drawn = true;
    const struct resource_level *level = &object->res->levels[surface->level];
    *out = (struct bound_surface){
        .res = object->res,
        .format = format_get(surface->format),
        .level = surface->level,
        .layer = surface->first_layer,
        .layers = surface->last_layer - surface->first_layer + 1,
        .width = level->width,
        .height = level->height,
        .samples = object->res->samples,
        .cleared = cleared_is(object->res, surface->level, surface->first_layer),
    };
    if (!out->format || !(out->format->uses & use))
        return fail(err, "format %s (%u) cannot be a %s buffer",
                    out->format ? out->format->name : "?", surface->format,
                    use == FORMAT_DEPTH ? "depth" : "color");
    return true;
}

static bool
bake_surfaces(const struct gpu_state *state, struct bound_surface color[MAX_COLOR_BUFFERS],
              uint32_t *color_count, struct bound_surface *depth, struct error *err)
{
    for (uint32_t i = 0; i < MAX_COLOR_BUFFERS; i++)
        if (!bake_surface(state->color[i], FORMAT_COLOR, &color[i], err))
            return false;
    *color_count = state->color_count;
    return bake_surface(state->depth, FORMAT_DEPTH, depth, err);
}

bool
gpu_bake_framebuffer(struct gpu_device *device, const struct gpu_cmd *cmd,
                     struct bound_surface color[MAX_COLOR_BUFFERS], uint32_t *color_count,
                     struct bound_surface *depth, struct error *err)
{
    struct gpu_state *state = find_state(device, cmd, err);
    return state && page_in_surfaces(device, state, err) &&
           bake_surfaces(state, color, color_count, depth, err);
}

static void
note_surface_clear(const struct object *object, uint32_t buffers, uint32_t stencil)
{
    const struct surface *surface = &object->surface;
    const struct bound_surface cleared = {.format = format_get(surface->format),
                                          .level = surface->level,
                                          .layer = surface->first_layer};
    cleared_note_clear(&cleared, object->res, buffers, stencil);
    if (surface->last_layer > surface->first_layer) /* the tracking has one slice only */
        cleared_note_write(object->res, true);
}

void
gpu_note_clear(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    const struct gpu_state *state = find_state(device, cmd, NULL);
    const uint32_t buffers = cmd->clear.buffers, depth = buffers & (MASK_DEPTH | MASK_STENCIL);
    for (uint32_t i = 0; i < state->color_count; i++)
        if (state->color[i] && buffers & (uint32_t)MASK_COLOR0 << i)
            note_surface_clear(state->color[i], 0, 0);
    if (state->depth && depth)
        note_surface_clear(state->depth, depth, cmd->clear.stencil);
}

bool
gpu_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    const struct gpu_state *state = find_state(device, cmd, NULL);
    if (!state || !state->condition)
        return true;
    return (state->condition->query.result != 0) != state->condition_value;
}

bool
gpu_has_render_condition(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    const struct gpu_state *state = find_state(device, cmd, NULL);
    return state && state->condition;
}

/* Uses the smallest extent of the surfaces. All surfaces must have the same number of samples. */
static bool
bake_framebuffer(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    if (!bake_surfaces(state, draw->color, &draw->color_count, &draw->depth, err))
        return false;
    bool forced = false;
    draw->width = draw->height = draw->layers = UINT32_MAX;
    for (uint32_t i = 0; i <= draw->color_count; i++) {
        const struct bound_surface *s = i < draw->color_count ? &draw->color[i] : &draw->depth;
        if (!s->res)
            continue;
        if (draw->samples != 0 && draw->samples != s->samples)
            return fail(err, "surfaces with %u and %u samples are combined", draw->samples,
                        s->samples);
        draw->samples = s->samples;
        forced |= s->res->forced_samples != 0;
        draw->width = s->width < draw->width ? s->width : draw->width;
        draw->height = s->height < draw->height ? s->height : draw->height;
        draw->layers = s->layers < draw->layers ? s->layers : draw->layers;
    }
    if (draw->samples == 0) { /* no surface */
        draw->width = draw->height = 0;
        draw->samples = draw->layers = 1;
    }
    draw->multisample = draw->samples > 1 && (draw->rasterizer.multisample || forced);
    return true;
}

static uint16_t
smaller(uint32_t a, uint32_t b)
{
    uint32_t m = a < b ? a : b;
    return (uint16_t)(m < UINT16_MAX ? m : UINT16_MAX);
}

static void
bake_bounds(struct draw *draw, const struct gpu_state *state)
{
    struct scissor_state cut = {0, 0, UINT16_MAX, UINT16_MAX};
    if (draw->rasterizer.scissor)
        cut = state->scissor;
    draw->bounds.max_x = smaller(cut.max_x, draw->width);
    draw->bounds.max_y = smaller(cut.max_y, draw->height);
    draw->bounds.min_x = smaller(cut.min_x, draw->bounds.max_x);
    draw->bounds.min_y = smaller(cut.min_y, draw->bounds.max_y);
}

static bool
bake_attribute(struct bound_attribute *out, const struct gpu_state *state,
               const struct vertex_element *element, uint32_t number, struct error *err)
{
    const struct buffer_binding *buffer = &state->vertex_buffers[element->buffer];
    out->buffer = element->buffer;
    out->offset = element->offset;
    out->divisor = element->divisor;
    if (!buffer->res)
        return true; /* without a format the attribute reads as 0, 0, 0, 1 */
    out->format = format_get(element->format);
    if (!out->format || !(out->format->uses & FORMAT_VERTEX))
        return fail(err, "attribute %u: format %s (%u) cannot be fetched", number,
                    out->format ? out->format->name : "?", element->format);
    uint64_t offset = (uint64_t)buffer->offset + element->offset;
    uint32_t width = buffer->res->desc.width;
    out->end = buffer->res->address + width;
    out->address = offset < width ? buffer->res->address + (uint32_t)offset : out->end;
    out->stride = buffer->stride;
    return true;
}

static bool
bake_attributes(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    const struct program *program = draw->program[STAGE_VERTEX];
    if (program->input_count > MAX_ATTRIBUTES)
        return fail(err, "vertex program %u reads %u attributes, more than %u", program->id,
                    program->input_count, MAX_ATTRIBUTES);
    draw->attribute_count = program->input_count;
    for (uint32_t i = 0; i < draw->attribute_count; i++) {
        if (!state->elements || i >= state->elements->elements.count)
            continue;
        if (!bake_attribute(&draw->attributes[i], state, &state->elements->elements.items[i], i,
                            err))
            return false;
    }
    return true;
}

/* Returns the stream output target that a draw names by its size, the only name in the protocol:
 * the one that was bound last or, if its size differs, the only other one of this size that was
 * used. NULL: none, or several. */
static const struct gpu_stream *
find_counted(const struct gpu_state *state, uint32_t size)
{
    const struct gpu_stream *found = NULL;
    if (state->last_stream && state->last_stream->stream.size == size)
        return &state->last_stream->stream;
    for (size_t i = 0; i < state->objects.capacity; i++) {
        const struct object *object = state->objects.slots[i].value;
        if (!object || object->type != OBJECT_STREAMOUT_TARGET || !object->stream.begun ||
            object->stream.size != size)
            continue;
        if (found)
            return NULL;
        found = &object->stream;
    }
    return found;
}

/* Takes the number of vertices from a stream output target. */
static bool
bake_count(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    const uint32_t size = draw->params.count_from_so;
    if (!size)
        return true;
    const struct gpu_stream *stream = find_counted(state, size);
    if (!stream)
        return fail(err,
                    "this GPU does not execute draws whose count comes from an earlier stream "
                    "output target, unless only one target has %u bytes",
                    size);
    draw->params.count = stream->vertex_bytes ? stream->written / stream->vertex_bytes : 0;
    return true;
}

static bool
bake_indices(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    const struct draw_params *params = &draw->params;
    uint64_t vertices = (uint64_t)params->count * params->instance_count;
    if (vertices > MAX_DRAW_VERTICES)
        return fail(err, "%u vertices in %u instances exceed %u", params->count,
                    params->instance_count, MAX_DRAW_VERTICES);
    if (!params->indexed) {
        if (params->count > UINT32_MAX - params->start)
            return fail(err, "vertices %u + %u are out of range", params->start, params->count);
        return true;
    }
    const struct buffer_binding *buffer = &state->index_buffer;
    if (!buffer->res || state->index_bytes == 0)
        return fail(err, "an indexed draw has no index buffer");
    /* The offset of the buffer already includes the start of the draw. */
    draw->index_bytes = state->index_bytes;
    draw->index_address = buffer->res->address + buffer->offset;
    draw->index_end = buffer->res->address + buffer->res->desc.width;
    draw->params.start = 0;
    return true;
}

/* Copies the constants of one buffer. Constants that were never set are 0. */
static void
copy_constants(const struct gpu_state *state, const struct gpu_device *device,
               enum shader_stage stage, uint32_t buffer, size_t wanted, void *to)
{
    const struct buffer_binding *uniform = &state->uniforms[stage][buffer];
    const void *from = buffer ? NULL : state->constants[stage].items;
    size_t bytes = buffer ? 0 : state->constants[stage].count * 4;
    if (uniform->res) {
        from = device->memory.bytes + uniform->res->address + uniform->offset;
        bytes = uniform->length;
    }
    if (bytes > 0 && wanted > 0)
        memcpy(to, from, bytes < wanted ? bytes : wanted);
}

/* Copies the constants that the program declares, buffer after buffer. */
static void
bake_constants(struct draw *draw, const struct gpu_state *state, const struct gpu_device *device,
               enum shader_stage stage, struct arena *arena)
{
    const struct program *program = draw->program[stage];
    const uint32_t count = program ? program->constant_count : 0;
    if (count == 0)
        return;
    uint8_t *copy = arena_alloc(arena, (size_t)count * 16);
    for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS; i++) {
        const struct constant_range *range = &program->constant_buffers[i];
        copy_constants(state, device, stage, i, (size_t)range->count * 16,
                       copy + (size_t)range->first * 16);
    }
    draw->constants[stage] = (float(*)[4])(void *)copy;
    draw->constant_count[stage] = count;
}

/* Returns the resource target that a texture instruction requires. */
static uint32_t
target_wanted(uint8_t target)
{
    switch ((enum texture_target)target) {
    case TEX_BUFFER: return TARGET_BUFFER;
    case TEX_1D:
    case TEX_SHADOW1D: return TARGET_1D;
    case TEX_2D:
    case TEX_SHADOW2D:
    case TEX_2D_MSAA: return TARGET_2D;
    case TEX_RECT:
    case TEX_SHADOWRECT: return TARGET_RECT;
    case TEX_3D: return TARGET_3D;
    case TEX_CUBE:
    case TEX_SHADOWCUBE: return TARGET_CUBE;
    case TEX_1D_ARRAY:
    case TEX_SHADOW1D_ARRAY: return TARGET_1D_ARRAY;
    case TEX_2D_ARRAY:
    case TEX_SHADOW2D_ARRAY:
    case TEX_2D_ARRAY_MSAA: return TARGET_2D_ARRAY;
    }
    return TARGET_BUFFER;
}

static bool
bake_view(struct bound_view *out, const struct object *view, const struct object *sampler,
          uint32_t wanted, struct error *err)
{
    out->sampler.mip_filter = MIP_NONE;
    if (sampler)
        out->sampler = sampler->sampler;
    if (!view)
        return true;
    out->res = view->res;
    out->view = view->view;
    out->format = format_get(view->view.format);
    if (!out->format || !(out->format->uses & FORMAT_TEXTURE))
        return fail(err, "format %s (%u) cannot be sampled", out->format ? out->format->name : "?",
                    view->view.format);
    if (out->format->is_integer) { /* has no weighted sums */
        out->sampler.min_filter = out->sampler.mag_filter = FILTER_NEAREST;
        out->sampler.max_anisotropy = 0;
        if (out->sampler.mip_filter == MIP_LINEAR)
            out->sampler.mip_filter = MIP_NEAREST;
    }
    uint32_t target = view->view.target;
    bool flat = target == TARGET_2D || target == TARGET_RECT;
    bool wants_flat = wanted == TARGET_2D || wanted == TARGET_RECT;
    if (wanted != target && !(flat && wants_flat))
        return fail(err, "a texture of target %u, but the program expects %u", target, wanted);
    return true;
}

static bool
bake_views(struct draw *draw, const struct gpu_state *state, enum shader_stage stage,
           struct error *err)
{
    const struct program *program = draw->program[stage];
    for (uint32_t i = 0; i < MAX_SAMPLERS && program; i++) {
        if (!(program->samplers_used >> i & 1))
            continue;
        if (!bake_view(&draw->views[stage][i], state->views[stage][i], state->samplers[stage][i],
                       target_wanted(program->sampler_targets[i]), err))
            return fail_prefix(err, "sampler %u of the %s program", i, shader_stage_name(stage));
    }
    return true;
}

static bool
bake_all_views(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        if (!bake_views(draw, state, stage, err))
            return false;
    return true;
}

static bool
bake_programs(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        const struct object *shader = state->shaders[stage];
        if (!shader && stage != STAGE_GEOMETRY)
            return fail(err, "no %s program is bound", shader_stage_name(stage));
        draw->program[stage] = shader ? shader->program : NULL;
    }
    return true;
}

static bool
stencil_face_writes(const struct stencil_face *face)
{
    return face->enabled && face->writemask != 0 &&
           (face->fail_op != STENCIL_KEEP || face->zpass_op != STENCIL_KEEP ||
            face->zfail_op != STENCIL_KEEP);
}

static bool
writes_stencil(const struct format_info *format, const struct dsa_state *dsa)
{
    return format->stencil_bits > 0 && dsa->stencil[0].enabled &&
           (stencil_face_writes(&dsa->stencil[0]) || stencil_face_writes(&dsa->stencil[1]));
}

static bool
is_opaque(const struct draw *draw)
{
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color[i].res && draw_reads_color(draw, i))
            return false;
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++)
        if (draw->streams[i])
            return false;
    return draw->depth_write && draw->color_write && !draw->stencil_test && !draw->occlusion &&
           (draw->dsa.depth_func == FUNC_LESS || draw->dsa.depth_func == FUNC_LEQUAL);
}

/* Computes flags that depend on several kinds of state, once for all units. */
static void
decide(struct draw *draw)
{
    const struct dsa_state *dsa = &draw->dsa;
    const struct format_info *depth = draw->depth.res ? draw->depth.format : NULL;
    draw->depth_test = depth && depth->depth_bits > 0 && dsa->depth_enable;
    draw->depth_write = draw->depth_test && dsa->depth_write;
    draw->stencil_test = depth && depth->stencil_bits > 0 && dsa->stencil[0].enabled;
    draw->stencil_write = depth && writes_stencil(depth, dsa);
    for (uint32_t i = 0; i < draw->color_count; i++)
        if (draw->color_output[i] != 0xff && draw->blend.rt[i].colormask != 0)
            draw->color_write = true;
    draw->opaque = is_opaque(draw);
    bool alpha_test = dsa->alpha_enable && dsa->alpha_func != FUNC_ALWAYS;
    const struct program *program = draw->program[STAGE_FRAGMENT];
    draw->early_z = !program->uses_kill && !alpha_test && !draw->blend.alpha_to_coverage &&
                    draw->depth_output < 0 && draw->stencil_output < 0 && !program->writes_depth &&
                    !program->writes_stencil;
}

/* Marks the surfaces that a draw with this state may write as no longer cleared. */
static void
note_writes(const struct gpu_state *state)
{
    for (uint32_t i = 0; i < state->color_count; i++)
        if (state->color[i] && state->blend && state->blend->blend.rt[i].colormask != 0)
            cleared_note_write(state->color[i]->res, false);
    if (!state->depth || !state->dsa)
        return;
    const struct format_info *format = format_get(state->depth->surface.format);
    const struct dsa_state *dsa = &state->dsa->dsa;
    if (!format)
        return;
    const bool depth = format->depth_bits > 0 && dsa->depth_enable && dsa->depth_write;
    const bool stencil = writes_stencil(format, dsa);
    if (depth || stencil)
        cleared_note_write(state->depth->res, stencil || format != state->depth->res->format);
}

static void
bake_fixed_state(struct draw *draw, const struct gpu_state *state)
{
    if (state->rasterizer)
        draw->rasterizer = state->rasterizer->rasterizer;
    if (state->dsa)
        draw->dsa = state->dsa->dsa;
    if (state->blend)
        draw->blend = state->blend->blend;
    draw->viewport = state->viewport;
    memcpy(draw->blend_color, state->blend_color, sizeof draw->blend_color);
    memcpy(draw->stencil_ref, state->stencil_ref, sizeof draw->stencil_ref);
    memcpy(draw->clip_planes, state->clip_planes, sizeof draw->clip_planes);
    memcpy(draw->stipple, state->stipple, sizeof draw->stipple);
    draw->sample_mask = state->sample_mask;
    memcpy(draw->vertex_buffers, state->vertex_buffers, sizeof draw->vertex_buffers);
    memcpy(draw->uniforms, state->uniforms, sizeof draw->uniforms);
    draw->index_buffer = state->index_buffer;
    draw->index_buffer.stride = state->index_bytes;
    if (state->occlusion) {
        draw->occlusion = true;
        draw->query = &state->occlusion->query;
    }
}

static bool
bake_stream_out(struct draw *draw, const struct gpu_state *state, struct error *err)
{
    const struct program *last = draw_last_program(draw);
    if (state->primitives_generated)
        draw->primitives_generated = &state->primitives_generated->query;
    if (state->primitives_written)
        draw->primitives_written = &state->primitives_written->query;
    draw->streams_out = draw->primitives_generated != NULL;
    for (uint32_t i = 0; i < last->so.count; i++) {
        const struct so_output *o = &last->so.outputs[i];
        struct object *target = state->streamout[o->buffer];
        if (o->register_index >= last->output_count)
            return fail(err, "%s program %u has no output %u for stream output",
                        shader_stage_name(last->stage), last->id, o->register_index);
        draw->streams[o->buffer] = target ? &target->stream : NULL;
        draw->streams_out |= target != NULL;
    }
    return true;
}

static bool
bake(struct draw *draw, struct gpu_device *device, const struct gpu_state *state,
     struct arena *arena, struct error *err)
{
    bake_fixed_state(draw, state);
    if (!page_in_bound(device, state, err) || !bake_framebuffer(draw, state, err) ||
        !bake_count(draw, state, err) || !bake_programs(draw, state, err) ||
        !bake_attributes(draw, state, err) || !bake_indices(draw, state, err) ||
        !bake_all_views(draw, state, err) || !link_programs(draw, err) ||
        !bake_stream_out(draw, state, err) || !gpu_check_executable(draw, err))
        return false;
    bake_inner_edges(draw, &device->memory);
    bake_bounds(draw, state);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        bake_constants(draw, state, device, stage, arena);
    return true;
}

static const struct draw_names *
bake_names(const struct gpu_state *state, struct arena *arena)
{
    static const struct draw_names none;
    if (!state->is_named)
        return &none;
    struct draw_names *names = arena_alloc(arena, sizeof *names);
    *names = state->names;
    return names;
}

static bool
draws_nothing(const struct gpu_state *state, const struct draw_params *params)
{
    if ((params->count == 0 && params->count_from_so == 0) || params->instance_count == 0)
        return true;
    bool streams = state->primitives_generated != NULL, surfaces = state->depth != NULL;
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++)
        streams |= state->streamout[i] != NULL;
    for (uint32_t i = 0; i < state->color_count; i++)
        surfaces |= state->color[i] != NULL;
    bool discards = state->rasterizer && state->rasterizer->rasterizer.discard;
    return !streams && (discards || !surfaces);
}

bool
gpu_bake_draw(struct gpu_device *device, const struct gpu_cmd *cmd, struct arena *arena,
              struct draw **draw, struct error *err)
{
    *draw = NULL;
    struct gpu_state *state = find_state(device, cmd, err);
    if (!state)
        return false;
    if (draws_nothing(state, &cmd->draw) || !gpu_render_condition(device, cmd))
        return true;
    struct draw *baked = arena_alloc(arena, sizeof *baked);
    baked->client = cmd->client;
    baked->params = cmd->draw;
    baked->names = bake_names(state, arena);
    if (!bake(baked, device, state, arena, err))
        return fail_prefix(err, "DRAW at dword %u", cmd->offset);
    baked->number = device->draw_in_frame++;
    if (device->alter && !device->alter(device->alter_data, baked))
        return true;
    note_writes(state);
    decide(baked);
    *draw = baked;
    return true;
}

uint32_t
gpu_bake_reads(struct gpu_device *device, const struct gpu_cmd *cmd,
               const struct resource *buffers[GPU_BAKE_READS_MOST])
{
    const struct gpu_state *state = find_state(device, cmd, NULL);
    uint32_t count = 0;
    if (!state)
        return 0;
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS; i++)
            if (state->uniforms[stage][i].res)
                buffers[count++] = state->uniforms[stage][i].res;
    const struct rasterizer_state *r = state->rasterizer ? &state->rasterizer->rasterizer : NULL;
    const bool unfilled = r && (r->fill_front != FILL_FILL || r->fill_back != FILL_FILL);
    if (cmd->draw.indexed && unfilled && state->index_buffer.res)
        buffers[count++] = state->index_buffer.res;
    return count;
}

const struct program *
gpu_skip_draw(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    const struct gpu_state *state = find_state(device, cmd, NULL);
    if (!state || draws_nothing(state, &cmd->draw) || !gpu_render_condition(device, cmd))
        return NULL;
    for (uint32_t i = 0; i < state->color_count; i++)
        if (state->color[i])
            state->color[i]->res->drawn = true;
    note_writes(state);
    const struct object *geometry = state->shaders[STAGE_GEOMETRY];
    return geometry ? geometry->program : NULL;
}
