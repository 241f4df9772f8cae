/* Objects of a sub-context. An object exists as long as its handle or a binding references it. It
 * holds a reference to its resource. */
#include "state/context_internal.h"

#include <stdlib.h>

struct object *
find_object(struct gpu_state *state, enum gpu_object type, uint32_t handle, struct error *err)
{
    struct object *object = handle_map_get(&state->objects, handle);
    if (!object) {
        fail(err, "%s %u does not exist", gpu_object_name(type), handle);
        return NULL;
    }
    if (object->type != type) {
        fail(err, "object %u is a %s, not a %s", handle, gpu_object_name(object->type),
             gpu_object_name(type));
        return NULL;
    }
    return object;
}

static uint64_t
bytes_of(const struct object *object)
{
    const struct program *program = object->type == OBJECT_SHADER ? object->program : NULL;
    return sizeof *object + (program ? program_bytes(program) : 0);
}

void
object_free(struct gpu_device *device, struct object *object)
{
    drop_bytes(device, bytes_of(object));
    if (object->type == OBJECT_SHADER)
        program_destroy(object->program);
    free(object);
}

static bool
fill_shader(struct gpu_device *device, struct object *object, const struct gpu_cmd *cmd,
            struct error *err)
{
    const enum shader_stage stage = cmd->create.shader.stage;
    const uint32_t id = device->next_program_id++;
    struct program *program =
        program_create(stage, cmd->create.shader.text, &cmd->create.shader.so, err);
    if (!program)
        return fail_prefix(err, "%s program %u", shader_stage_name(stage), id);
    program->id = id;
    object->program = program;
    return true;
}

/* Checks that a view or surface may reinterpret the resource's bytes, which requires equal block
 * shapes. */
static bool
formats_agree(const struct resource *res, uint32_t number, struct error *err)
{
    const struct format_info *a = res->format, *b = format_get(number);
    if (!b)
        return fail(err, "this GPU does not support format %u", number);
    if (a->block_bytes != b->block_bytes || a->block_width != b->block_width ||
        a->block_height != b->block_height)
        return fail(err, "format %s does not fit a resource of format %s", b->name, a->name);
    return true;
}

/* Checks a view of a buffer texture, whose format does not depend on that of the resource. */
static bool
check_buffer_view(const struct sampler_view *view, uint32_t bytes, struct error *err)
{
    const struct format_info *format = format_get(view->format);
    if (!format || format->block_width != 1)
        return fail(err, "a buffer texture of format %u", view->format);
    if (view->first_element > view->last_element ||
        view->last_element >= bytes / format->block_bytes)
        return fail(err, "elements %u .. %u are outside of the buffer", view->first_element,
                    view->last_element);
    if (view_elements(view) > MAX_BUFFER_TEXELS)
        return fail(err, "a buffer texture of %u texels; at most %u are supported",
                    view_elements(view), MAX_BUFFER_TEXELS);
    return true;
}

static bool
fill_view(struct object *object, const struct gpu_cmd *cmd, struct error *err)
{
    struct sampler_view *view = &object->view;
    const struct resource_desc *desc = &object->res->desc;
    *view = cmd->create.view;
    if (view->target == 0)
        view->target = desc->target;
    if (view->target != desc->target)
        return fail(err, "view target %u differs from the resource's target %u", view->target,
                    desc->target);
    if (desc->target == TARGET_BUFFER) { /* in the stream, its elements are in place of these */
        view->first_layer = view->last_layer = view->first_level = view->last_level = 0;
        return check_buffer_view(view, desc->width, err);
    }
    if (!formats_agree(object->res, view->format, err))
        return false;
    if (view->first_level > view->last_level || view->last_level > desc->last_level)
        return fail(err, "levels %u .. %u are not within 0 .. %u", view->first_level,
                    view->last_level, desc->last_level);
    uint32_t slices = object->res->levels[0].slices;
    if (view->first_layer > view->last_layer || view->last_layer >= slices)
        return fail(err, "layers %u .. %u are not within 0 .. %u", view->first_layer,
                    view->last_layer, slices - 1);
    return true;
}

static bool
fill_surface(struct object *object, const struct gpu_cmd *cmd, struct error *err)
{
    const struct resource *res = object->res;
    struct surface *surface = &object->surface;
    *surface = cmd->create.surface;
    if (res->desc.target == TARGET_BUFFER)
        return fail(err, "a buffer cannot be a render target");
    if (!formats_agree(res, surface->format, err))
        return false;
    if (surface->level > res->desc.last_level)
        return fail(err, "level %u exceeds %u", surface->level, res->desc.last_level);
    uint32_t slices = res->levels[surface->level].slices;
    if (surface->first_layer > surface->last_layer || surface->last_layer >= slices)
        return fail(err, "layers %u .. %u are not within 0 .. %u", surface->first_layer,
                    surface->last_layer, slices - 1);
    surface->samples = res->samples;
    return true;
}

static bool
fill_query(struct object *object, const struct gpu_cmd *cmd, struct error *err)
{
    uint32_t offset = cmd->create.query.offset, width = object->res->desc.width;
    const uint32_t record = sizeof(struct gpu_query_record);
    if (offset > width || width - offset < record)
        return fail(err, "its %u bytes at %u are not in a buffer of %u", record, offset, width);
    object->query.type = cmd->create.query.type;
    object->query.resource = cmd->create.query.resource;
    object->query.offset = offset;
    object->query.res = object->res;
    return true;
}

static bool
fill_so_target(struct object *object, const struct gpu_cmd *cmd, struct error *err)
{
    const struct so_target *so = &cmd->create.so_target;
    uint32_t width = object->res->desc.width;
    if (so->offset > width || so->size > width - so->offset)
        return fail(err, "%u bytes at %u are not in a buffer of %u", so->size, so->offset, width);
    object->stream =
        (struct gpu_stream){.res = object->res, .offset = so->offset, .size = so->size};
    return true;
}

static bool
fill_object(struct gpu_device *device, struct object *object, const struct gpu_cmd *cmd,
            struct error *err)
{
    switch (object->type) {
    case OBJECT_BLEND: object->blend = cmd->create.blend; return true;
    case OBJECT_RASTERIZER: object->rasterizer = cmd->create.rasterizer; return true;
    case OBJECT_DSA: object->dsa = cmd->create.dsa; return true;
    case OBJECT_VERTEX_ELEMENTS: object->elements = cmd->create.elements; return true;
    case OBJECT_SAMPLER_STATE: object->sampler = cmd->create.sampler; return true;
    case OBJECT_SHADER: return fill_shader(device, object, cmd, err);
    case OBJECT_SAMPLER_VIEW: return fill_view(object, cmd, err);
    case OBJECT_SURFACE: return fill_surface(object, cmd, err);
    case OBJECT_QUERY: return fill_query(object, cmd, err);
    case OBJECT_STREAMOUT_TARGET: return fill_so_target(object, cmd, err);
    }
    return fail(err, "unknown object type %u", (unsigned)object->type);
}

/* Moves a texture to the ROPs' layout when it is first used as a target. */
static bool
make_drawable(struct gpu_device *device, struct resource *res, struct error *err)
{
    if (!res->sampled_only)
        return true;
    if (!page_in(device, res, err))
        return false;
    resource_make_drawable(res, &device->memory);
    return true;
}

/* Finds the resource of a new object. Sets *res to NULL for objects without a resource. */
static bool
find_target(struct gpu_device *device, const struct gpu_cmd *cmd, struct resource **res,
            struct error *err)
{
    *res = NULL;
    switch (cmd->create.type) {
    case OBJECT_SAMPLER_VIEW:
        return (*res = find_resource(device, cmd, cmd->create.view.resource, err)) != NULL;
    case OBJECT_SURFACE:
        *res = find_resource(device, cmd, cmd->create.surface.resource, err);
        return *res && make_drawable(device, *res, err);
    case OBJECT_QUERY:
        return (*res = find_buffer(device, cmd, cmd->create.query.resource, err)) != NULL;
    case OBJECT_STREAMOUT_TARGET:
        return (*res = find_buffer(device, cmd, cmd->create.so_target.resource, err)) != NULL;
    default: return true;
    }
}

bool
create_object(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
              struct error *err)
{
    const char *name = gpu_object_name(cmd->create.type);
    if (cmd->create.handle == 0)
        return fail(err, "a new %s has handle 0", name);
    if (handle_map_get(&state->objects, cmd->create.handle))
        return fail(err, "object %u already exists", cmd->create.handle);
    struct resource *res;
    if (!find_target(device, cmd, &res, err))
        return fail_prefix(err, "%s %u", name, cmd->create.handle);
    struct object *object = mem_alloc(sizeof *object);
    object->type = cmd->create.type;
    object->references = 1;
    object->res = res;
    if (!fill_object(device, object, cmd, err)) {
        free(object);
        return fail_prefix(err, "%s %u", name, cmd->create.handle);
    }
    if (!keep_bytes(device, bytes_of(object), err)) {
        if (object->type == OBJECT_SHADER)
            program_destroy(object->program);
        free(object);
        return fail_prefix(err, "%s %u", name, cmd->create.handle);
    }
    if (res)
        resource_ref(res);
    handle_map_put(&state->objects, cmd->create.handle, object);
    return true;
}

bool
destroy_object(struct gpu_device *device, struct gpu_state *state, const struct gpu_cmd *cmd,
               struct error *err)
{
    struct object *object = find_object(state, cmd->object.type, cmd->object.handle, err);
    if (!object)
        return false;
    handle_map_remove(&state->objects, cmd->object.handle);
    struct object **active = active_query(state, object);
    if (active && *active == object) { /* destroying an active query ends it */
        *active = NULL;
        object_unref(device, object);
    }
    object_unref(device, object);
    return true;
}

struct gpu_stream *
gpu_find_stream(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t handle)
{
    struct gpu_state *state = find_state(device, cmd, NULL);
    struct object *object =
        state ? find_object(state, OBJECT_STREAMOUT_TARGET, handle, NULL) : NULL;
    return object ? &object->stream : NULL;
}

struct gpu_query *
gpu_find_query(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t handle)
{
    struct gpu_state *state = find_state(device, cmd, NULL);
    struct object *object = state ? find_object(state, OBJECT_QUERY, handle, NULL) : NULL;
    return object ? &object->query : NULL;
}
