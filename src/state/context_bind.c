/* Bindings of a sub-context. A binding holds a reference, so the program may destroy a bound
 * object. */
#include "state/context_internal.h"

#include <string.h>

static void
bind(struct gpu_device *device, struct object **slot, struct object *object)
{
    if (object)
        object->references++;
    object_unref(device, *slot);
    *slot = object;
}

static void
bind_buffer(struct gpu_device *device, struct buffer_binding *slot, struct buffer_binding binding)
{
    if (binding.res)
        resource_ref(binding.res);
    resource_unref(device, slot->res);
    *slot = binding;
}

/* Looks up a handle and binds its object; handle 0 unbinds. */
static bool
bind_handle(struct gpu_device *device, struct gpu_state *state, struct object **slot,
            enum gpu_object type, uint32_t handle, struct error *err)
{
    struct object *object = NULL;
    if (handle != 0 && !(object = find_object(state, type, handle, err)))
        return false;
    bind(device, slot, object);
    return true;
}

static bool
bind_object(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
            struct error *err)
{
    struct object **slot;
    switch (cmd->object.type) {
    case OBJECT_BLEND: slot = &state->blend; break;
    case OBJECT_RASTERIZER: slot = &state->rasterizer; break;
    case OBJECT_DSA: slot = &state->dsa; break;
    case OBJECT_VERTEX_ELEMENTS: slot = &state->elements; break;
    default:
        return fail(err, "objects of type %u cannot be bound by this command",
                    (unsigned)cmd->object.type);
    }
    return bind_handle(device, state, slot, cmd->object.type, cmd->object.handle, err);
}

static bool
bind_shader(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
            struct error *err)
{
    const enum shader_stage stage = cmd->object.stage;
    const uint32_t handle = cmd->object.handle;
    struct object *object = NULL;
    if (handle != 0 && !(object = find_object(state, OBJECT_SHADER, handle, err)))
        return false;
    if (object && object->program->stage != stage)
        return fail(err, "shader %u belongs to another stage", handle);
    bind(device, &state->shaders[stage], object);
    return true;
}

enum { SURFACES = MAX_COLOR_BUFFERS + 1 }; /* of a framebuffer: the colors, then the depth */

/* Returns the number of samples that the surfaces with forced samples need, because all surfaces
 * have the same number. 0: no change, since no color surface is bound. */
static uint32_t
wanted_samples(const struct gpu_device *device, struct object *const surfaces[SURFACES])
{
    bool has_color = false;
    uint32_t samples = device->forced_samples;
    for (uint32_t i = 0; i < SURFACES; i++) {
        if (surfaces[i] && !surfaces[i]->res->forced_samples)
            samples = 1;
        has_color |= i < MAX_COLOR_BUFFERS && surfaces[i];
    }
    return has_color ? samples : 0;
}

static bool
needs_samples(const struct object *surface, uint32_t samples)
{
    return surface && samples && surface->res->forced_samples && surface->res->samples != samples;
}

bool
gpu_changes_samples(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    struct gpu_state *state = device->forced_samples ? find_state(device, cmd, NULL) : NULL;
    struct object *surfaces[SURFACES] = {0};
    bool changes = false;
    if (!state)
        return false;
    for (uint32_t i = 0; i < cmd->framebuffer.color_count; i++)
        surfaces[i] = find_object(state, OBJECT_SURFACE, cmd->framebuffer.color[i], NULL);
    surfaces[MAX_COLOR_BUFFERS] = find_object(state, OBJECT_SURFACE, cmd->framebuffer.depth, NULL);
    const uint32_t samples = wanted_samples(device, surfaces);
    for (uint32_t i = 0; i < SURFACES; i++)
        changes |= needs_samples(surfaces[i], samples);
    return changes;
}

static bool
lay_bound_samples(struct gpu_device *device, const struct gpu_state *state, struct error *err)
{
    struct object *surfaces[SURFACES];
    memcpy(surfaces, state->color, sizeof state->color);
    surfaces[MAX_COLOR_BUFFERS] = state->depth;
    const uint32_t samples = wanted_samples(device, surfaces);
    for (uint32_t i = 0; i < SURFACES; i++) {
        if (!needs_samples(surfaces[i], samples))
            continue;
        if (!page_in(device, surfaces[i]->res, err))
            return false;
        resource_lay_samples(surfaces[i]->res, samples, &device->memory);
        cleared_note_write(surfaces[i]->res, false);
    }
    return true;
}

static bool
set_framebuffer(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                struct error *err)
{
    for (uint32_t i = 0; i < MAX_COLOR_BUFFERS; i++) {
        uint32_t handle = i < cmd->framebuffer.color_count ? cmd->framebuffer.color[i] : 0;
        if (!bind_handle(device, state, &state->color[i], OBJECT_SURFACE, handle, err))
            return false;
    }
    state->color_count = cmd->framebuffer.color_count;
    return bind_handle(device, state, &state->depth, OBJECT_SURFACE, cmd->framebuffer.depth, err) &&
           lay_bound_samples(device, state, err);
}

static bool
set_vertex_buffers(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                   struct error *err)
{
    for (uint32_t i = 0; i < MAX_ATTRIBUTES; i++) {
        struct buffer_binding binding = {0};
        if (i < cmd->vertex_buffers.count && cmd->vertex_buffers.items[i].resource != 0) {
            binding.res = find_buffer(device, cmd, cmd->vertex_buffers.items[i].resource, err);
            binding.stride = cmd->vertex_buffers.items[i].stride;
            binding.offset = cmd->vertex_buffers.items[i].offset;
            if (!binding.res)
                return fail_prefix(err, "vertex buffer %u", i);
        }
        bind_buffer(device, &state->vertex_buffers[i], binding);
    }
    return true;
}

static bool
set_index_buffer(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                 struct error *err)
{
    struct buffer_binding binding = {.offset = cmd->index_buffer.offset};
    if (cmd->index_buffer.resource != 0) {
        binding.res = find_buffer(device, cmd, cmd->index_buffer.resource, err);
        if (!binding.res)
            return false;
        if (binding.offset > binding.res->desc.width)
            return fail(err, "offset %u is beyond the buffer's %u bytes", binding.offset,
                        binding.res->desc.width);
    }
    bind_buffer(device, &state->index_buffer, binding);
    state->index_bytes = cmd->index_buffer.index_bytes;
    return true;
}

static bool
set_constants(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
              struct error *err)
{
    const enum shader_stage stage = cmd->constants.stage;
    const uint32_t count = cmd->constants.count;
    if (count > MAX_CONSTANTS * 4)
        return fail(err, "%u constants exceed the limit of %u", count, MAX_CONSTANTS * 4);
    if (cmd->constants.index >= MAX_CONSTANT_BUFFERS)
        return true; /* the decoder permits values for buffer 0 only, so this unbinds */
    bind_buffer(device, &state->uniforms[stage][cmd->constants.index], (struct buffer_binding){0});
    if (cmd->constants.index != 0)
        return true;
    VEC_RESERVE(&state->constants[stage], count);
    if (count > 0)
        memcpy(state->constants[stage].items, cmd->constants.values, count * 4);
    state->constants[stage].count = count;
    return true;
}

static bool
set_uniform_buffer(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                   struct error *err)
{
    const enum shader_stage stage = cmd->uniform_buffer.stage;
    struct buffer_binding binding = {.offset = cmd->uniform_buffer.offset,
                                     .length = cmd->uniform_buffer.length};
    if (cmd->uniform_buffer.resource != 0) {
        binding.res = find_buffer(device, cmd, cmd->uniform_buffer.resource, err);
        if (!binding.res)
            return false;
        uint32_t width = binding.res->desc.width;
        if (cmd->uniform_buffer.index && binding.offset % 16)
            return fail(err, "a uniform block at offset %u, which is not a multiple of 16",
                        binding.offset);
        if (binding.offset > width || binding.length > width - binding.offset)
            return fail(err, "%u bytes at %u are not in a buffer of %u", binding.length,
                        binding.offset, width);
    }
    if (cmd->uniform_buffer.index >= MAX_CONSTANT_BUFFERS)
        return !binding.res || fail(err, "constant buffer %u exceeds %u", cmd->uniform_buffer.index,
                                    MAX_CONSTANT_BUFFERS - 1);
    if (cmd->uniform_buffer.index == 0)
        state->constants[stage].count = 0;
    bind_buffer(device, &state->uniforms[stage][cmd->uniform_buffer.index], binding);
    return true;
}

static bool
set_slots(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
          struct object *slots[STAGE_COUNT][MAX_SAMPLERS], enum gpu_object type, struct error *err)
{
    const enum shader_stage stage = cmd->samplers.stage;
    for (uint32_t i = 0; i < cmd->samplers.count; i++) {
        uint32_t slot = cmd->samplers.start + i;
        if (slot >= MAX_SAMPLERS)
            break; /* all later slots have handle 0 */
        if (!bind_handle(device, state, &slots[stage][slot], type, cmd->samplers.handles[i], err))
            return false;
    }
    return true;
}

/* Mesa 22.3 never sets the bits of targets that continue. When output begins, at least the target
 * in slot 0 is new. When paused output continues, all targets are those from before the pause. */
static bool
set_streamout(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
              struct error *err)
{
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++) {
        uint32_t handle = i < cmd->streamout.count ? cmd->streamout.handles[i] : 0;
        if (!bind_handle(device, state, &state->streamout[i], OBJECT_STREAMOUT_TARGET, handle, err))
            return false;
    }
    struct object *first = state->streamout[0];
    for (uint32_t i = 0; first && !first->stream.begun && i < MAX_SO_BUFFERS; i++)
        if (state->streamout[i] && !(cmd->streamout.append_mask >> i & 1))
            state->streamout[i]->stream.written = 0;
    if (first) {
        first->stream.begun = true;
        bind(device, &state->last_stream, first);
    }
    return true;
}

struct object **
active_query(struct gpu_state *state, const struct object *object)
{
    if (object->type != OBJECT_QUERY)
        return NULL;
    switch (object->query.type) {
    case QUERY_OCCLUSION_COUNTER:
    case QUERY_OCCLUSION_PREDICATE:
    case QUERY_OCCLUSION_PREDICATE_CONSERVATIVE: return &state->occlusion;
    case QUERY_PRIMITIVES_GENERATED: return &state->primitives_generated;
    case QUERY_PRIMITIVES_EMITTED: return &state->primitives_written;
    default: return NULL;
    }
}

static bool
begin_query(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
            struct error *err)
{
    struct object *object = find_object(state, OBJECT_QUERY, cmd->object.handle, err);
    if (!object)
        return false;
    if (object->query.active)
        return fail(err, "query %u is already active", cmd->object.handle);
    struct object **active = active_query(state, object);
    if (active && *active)
        return fail(err, "query %u: another %s query is active", cmd->object.handle,
                    active == &state->occlusion ? "occlusion" : "primitive");
    if (active)
        bind(device, active, object);
    object->query.active = true;
    object->query.result = 0;
    return true;
}

static bool
end_query(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
          struct error *err)
{
    struct object *object = find_object(state, OBJECT_QUERY, cmd->object.handle, err);
    if (!object)
        return false;
    object->query.active = false;
    struct object **active = active_query(state, object);
    if (active && *active == object)
        bind(device, active, NULL);
    return true;
}

static bool
set_render_condition(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
                     struct error *err)
{
    state->condition_value = cmd->render_condition.condition != 0;
    return bind_handle(device, state, &state->condition, OBJECT_QUERY, cmd->render_condition.query,
                       err);
}

/* Replaces invalid UTF-8 with question marks, because names are written to JSON, CSV and XML. */
static void
make_utf8(char *text)
{
    while (*text) {
        const uint32_t length = mem_utf8_bytes(text);
        if (!length)
            *text = '?';
        text += length ? length : 1;
    }
}

/* Copies the text after the prefix `what` of a line to `name`. Returns false if the line does not
 * begin with `what`. */
static bool
take_name(char *name, size_t most, const char *line, size_t length, const char *what)
{
    const size_t skip = strlen(what);
    if (length < skip || memcmp(line, what, skip) != 0)
        return false;
    size_t n = length - skip < most ? length - skip : most;
    while (n && n < length - skip && (line[skip + n] & 0xc0) == 0x80)
        n--; /* do not split a UTF-8 character */
    memcpy(name, line + skip, n);
    name[n] = '\0';
    make_utf8(name);
    return true;
}

/* Parses the label: the first line contains groups and marker. The lines "program NAME" and "target
 * NAME" follow. */
static void
set_label(struct gpu_state *state, const struct gpu_cmd *cmd)
{
    struct draw_names *names = &state->names;
    const char *at = cmd->label.text, *const end = at + strnlen(at, cmd->label.length);
    memset(names, 0, sizeof *names);
    for (bool first = true; first || at < end; first = false) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((newline ? newline : end) - at);
        if (first)
            take_name(names->label, MAX_LABEL, at, length, "");
        else if (!take_name(names->program, MAX_NAME, at, length, "program "))
            take_name(names->target, MAX_NAME, at, length, "target ");
        at = newline ? newline + 1 : end;
    }
    state->is_named = names->label[0] || names->program[0] || names->target[0];
}

bool
apply_binding(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
              struct error *err)
{
    switch (cmd->op) {
    case GPU_BIND_OBJECT: return bind_object(device, state, cmd, err);
    case GPU_BIND_SHADER: return bind_shader(device, state, cmd, err);
    case GPU_SET_FRAMEBUFFER: return set_framebuffer(device, state, cmd, err);
    case GPU_SET_VERTEX_BUFFERS: return set_vertex_buffers(device, state, cmd, err);
    case GPU_SET_INDEX_BUFFER: return set_index_buffer(device, state, cmd, err);
    case GPU_SET_CONSTANT_BUFFER: return set_constants(device, state, cmd, err);
    case GPU_SET_UNIFORM_BUFFER: return set_uniform_buffer(device, state, cmd, err);
    case GPU_SET_SAMPLER_VIEWS:
        return set_slots(device, state, cmd, state->views, OBJECT_SAMPLER_VIEW, err);
    case GPU_BIND_SAMPLER_STATES:
        return set_slots(device, state, cmd, state->samplers, OBJECT_SAMPLER_STATE, err);
    case GPU_SET_STREAMOUT_TARGETS: return set_streamout(device, state, cmd, err);
    case GPU_SET_RENDER_CONDITION: return set_render_condition(device, state, cmd, err);
    case GPU_BEGIN_QUERY: return begin_query(device, state, cmd, err);
    case GPU_END_QUERY: return end_query(device, state, cmd, err);
    case GPU_SET_VIEWPORT: state->viewport = cmd->viewport; return true;
    case GPU_SET_SCISSOR: state->scissor = cmd->scissor; return true;
    case GPU_SET_STENCIL_REF: memcpy(state->stencil_ref, cmd->stencil_ref.ref, 2); return true;
    case GPU_SET_BLEND_COLOR:
        memcpy(state->blend_color, cmd->blend_color.rgba, sizeof state->blend_color);
        return true;
    case GPU_SET_POLYGON_STIPPLE:
        memcpy(state->stipple, cmd->stipple.rows, sizeof state->stipple);
        return true;
    case GPU_SET_CLIP:
        memcpy(state->clip_planes, cmd->clip.planes, sizeof state->clip_planes);
        return true;
    case GPU_SET_SAMPLE_MASK: state->sample_mask = cmd->sample_mask.value; return true;
    case GPU_SET_LABEL: set_label(state, cmd); return true;
    case GPU_SET_MIN_SAMPLES: state->min_samples = cmd->min_samples.value; return true;
    default: return fail(err, "unknown command %u", (unsigned)cmd->op);
    }
}

void
unbind_all(struct gpu_device *device, struct gpu_state *state)
{
    bind(device, &state->blend, NULL);
    bind(device, &state->rasterizer, NULL);
    bind(device, &state->dsa, NULL);
    bind(device, &state->elements, NULL);
    bind(device, &state->depth, NULL);
    bind(device, &state->occlusion, NULL);
    bind(device, &state->primitives_generated, NULL);
    bind(device, &state->primitives_written, NULL);
    bind(device, &state->condition, NULL);
    for (uint32_t i = 0; i < MAX_COLOR_BUFFERS; i++)
        bind(device, &state->color[i], NULL);
    bind(device, &state->last_stream, NULL);
    for (uint32_t i = 0; i < MAX_SO_BUFFERS; i++)
        bind(device, &state->streamout[i], NULL);
    for (uint32_t i = 0; i < MAX_ATTRIBUTES; i++)
        bind_buffer(device, &state->vertex_buffers[i], (struct buffer_binding){0});
    bind_buffer(device, &state->index_buffer, (struct buffer_binding){0});
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++) {
        bind(device, &state->shaders[stage], NULL);
        for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS; i++)
            bind_buffer(device, &state->uniforms[stage][i], (struct buffer_binding){0});
        for (uint32_t i = 0; i < MAX_SAMPLERS; i++) {
            bind(device, &state->views[stage][i], NULL);
            bind(device, &state->samplers[stage][i], NULL);
        }
    }
}
