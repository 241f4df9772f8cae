/* The device's clients, with their resources and sub-contexts, and the functions that free them.
 * Object handles belong to a sub-context, resource handles to a connection (docs/design/stream.md,
 * State). */
#include "state/context_internal.h"

#include "base/interrupt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool
keep_bytes(struct gpu_device *device, uint64_t bytes, struct error *err)
{
    return budget_set(&device->objects, device->objects.bytes + bytes, err);
}

void
drop_bytes(struct gpu_device *device, uint64_t bytes)
{
    budget_set(&device->objects, device->objects.bytes - bytes, NULL);
}

bool
gpu_device_init(struct gpu_device *device, uint32_t memory_bytes, struct error *err)
{
    memset(device, 0, sizeof *device);
    device->next_program_id = 1;
    device->objects.most_bytes = OBJECTS_MAX_BYTES;
    return gpu_memory_init(&device->memory, memory_bytes, err);
}

void
gpu_device_limit(struct gpu_device *device, struct budget *budget)
{
    budget_move(&device->objects, budget);
    if (device->pages)
        budget_move(&device->contents, budget);
    else
        gpu_memory_limit(&device->memory, budget);
}

static struct device_resource *
device_resource_of(struct resource *res)
{
    return (struct device_resource *)(void *)((char *)res - offsetof(struct device_resource, res));
}

static void
free_retired(struct gpu_device *device, struct gpu_object_head *head)
{
    if (!head->is_resource) {
        object_free(device, (struct object *)(void *)head);
        return;
    }
    drop_bytes(device, sizeof(struct device_resource));
    free((struct device_resource *)(void *)head);
}

static void
retire(struct gpu_device *device, struct gpu_object_head *head)
{
    if (device->holds == 0) {
        free_retired(device, head);
        return;
    }
    head->next_retired = device->retired;
    device->retired = head;
}

void
gpu_device_hold(struct gpu_device *device)
{
    device->holds++;
}

void
gpu_device_release(struct gpu_device *device)
{
    BUG_ON(device->holds == 0, "release of a device that is not in use");
    if (--device->holds > 0)
        return;
    while (device->retired) {
        struct gpu_object_head *head = device->retired;
        device->retired = head->next_retired;
        free_retired(device, head);
    }
}

void
resource_ref(struct resource *res)
{
    res->references++;
}

void
resource_unref(struct gpu_device *device, struct resource *res)
{
    if (!res || --res->references > 0)
        return;
    if (device->leaving)
        device->leaving(device->leaving_data, res);
    page_free(device, res);
    retire(device, &device_resource_of(res)->head);
}

void
object_unref(struct gpu_device *device, struct object *object)
{
    if (!object || --object->references > 0)
        return;
    resource_unref(device, object->res);
    object->res = NULL;
    retire(device, &object->head);
}

/* Host bytes of a sub-context with the maximum number of constants. */
#define STATE_BYTES (sizeof(struct gpu_state) + STAGE_COUNT * MAX_CONSTANTS * 16)

static void
state_destroy(struct gpu_device *device, struct gpu_state *state)
{
    unbind_all(device, state);
    for (size_t i = 0; i < state->objects.capacity; i++)
        if (state->objects.slots[i].value)
            object_unref(device, state->objects.slots[i].value);
    handle_map_fini(&state->objects);
    for (uint32_t stage = 0; stage < STAGE_COUNT; stage++)
        VEC_FREE(&state->constants[stage]);
    drop_bytes(device, STATE_BYTES);
    free(state);
}

static bool
state_create(struct gpu_device *device, struct gpu_client *client, uint32_t id, struct error *err)
{
    if (!keep_bytes(device, STATE_BYTES, err))
        return false;
    struct gpu_state *state = mem_alloc(sizeof *state);
    state->id = id;
    state->sample_mask = UINT32_MAX;
    state->next = client->states;
    client->states = state;
    return true;
}

/* Frees the resources of a client. Returns false if a signal arrives while it frees a large number
 * of resources, so that the process can exit at once. */
static bool
release_resources(struct gpu_device *device, struct gpu_client *client)
{
    enum { LEAST = 1 << 16 };
    const size_t count = client->resources.capacity;
    for (size_t i = 0; i < count; i++) {
        if (count >= LEAST && i % LEAST == 0 && interrupt_pending())
            return false;
        if (client->resources.slots[i].value)
            resource_unref(device, client->resources.slots[i].value);
    }
    handle_map_fini(&client->resources);
    return true;
}

static void
client_destroy(struct gpu_device *device, struct gpu_client *client)
{
    while (client->states) {
        struct gpu_state *state = client->states;
        client->states = state->next;
        state_destroy(device, state);
    }
    if (release_resources(device, client))
        free(client);
    else
        mem_leave(client);
}

void
gpu_device_fini(struct gpu_device *device)
{
    device->memory.ending = true; /* saves seconds of merging millions of free ranges */
    while (device->clients) {
        struct gpu_client *client = device->clients;
        device->clients = client->next;
        client_destroy(device, client);
    }
    while (device->holds > 0)
        gpu_device_release(device);
    page_free_spares(device);
    budget_move(&device->contents, NULL);
    budget_move(&device->objects, NULL);
    gpu_memory_fini(&device->memory);
}

struct gpu_client *
find_client(struct gpu_device *device, uint32_t id)
{
    for (struct gpu_client *client = device->clients; client; client = client->next)
        if (client->id == id)
            return client;
    return NULL;
}

static struct gpu_state *
find_sub_context(struct gpu_client *client, uint32_t id)
{
    for (struct gpu_state *state = client->states; state; state = state->next)
        if (state->id == id)
            return state;
    return NULL;
}

struct gpu_state *
find_state(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_client *client = find_client(device, cmd->client);
    if (!client) {
        fail(err, "client %u is not connected", cmd->client);
        return NULL;
    }
    struct gpu_state *state = find_sub_context(client, cmd->sub_context);
    if (!state)
        fail(err, "client %u has no sub-context %u", cmd->client, cmd->sub_context);
    return state;
}

struct resource *
gpu_resource(struct gpu_device *device, uint32_t client, uint32_t handle)
{
    struct gpu_client *owner = find_client(device, client);
    return owner ? handle_map_get(&owner->resources, handle) : NULL;
}

struct resource *
find_resource(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t handle,
              struct error *err)
{
    struct resource *res = gpu_resource(device, cmd->client, handle);
    if (!res)
        fail(err, "client %u has no resource %u", cmd->client, handle);
    return res;
}

struct resource *
find_buffer(struct gpu_device *device, const struct gpu_cmd *cmd, uint32_t handle,
            struct error *err)
{
    struct resource *res = find_resource(device, cmd, handle, err);
    if (res && res->desc.target != TARGET_BUFFER) {
        fail(err, "resource %u is a texture, but a buffer is required", handle);
        return NULL;
    }
    return res;
}

static bool
client_begin(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    if (find_client(device, cmd->client))
        return fail(err, "client %u is already connected", cmd->client);
    uint32_t count = 0;
    for (const struct gpu_client *other = device->clients; other; other = other->next)
        count++;
    if (count == GPU_MOST_CLIENTS)
        return fail(err, "client %u: the limit of %d connected clients is reached", cmd->client,
                    GPU_MOST_CLIENTS);
    struct gpu_client *client = mem_alloc(sizeof *client);
    client->id = cmd->client;
    if (!state_create(device, client, 0, err)) {
        free(client);
        return fail_prefix(err, "client %u", cmd->client);
    }
    client->next = device->clients;
    device->clients = client;
    return true;
}

static bool
client_end(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_client **link = &device->clients;
    while (*link && (*link)->id != cmd->client)
        link = &(*link)->next;
    struct gpu_client *client = *link;
    if (!client)
        return fail(err, "client %u is not connected", cmd->client);
    *link = client->next;
    client_destroy(device, client);
    return true;
}

/* Places the resource at the address of the preceding ADDRESS command, which applies once. Without
 * that command, allocates memory. */
static bool
place_resource(struct gpu_device *device, struct resource *res, struct error *err)
{
    const uint32_t address = device->next_address;
    device->next_address = 0;
    if (address == 0 || device->pages) /* with paging, resources have no permanent address */
        return page_alloc(device, res, err);
    res->address = address;
    res->held_bytes = res->size_bytes;
    return gpu_memory_alloc_at(&device->memory, address, res->size_bytes, err);
}

/* Maps a vertex or index buffer if there is room (state/memory.h). */
static void
map_buffer(struct gpu_device *device, const struct resource *res)
{
    const uint32_t bytes = res->held_bytes;
    if (res->desc.target != TARGET_BUFFER ||
        !(res->desc.bind & (BIND_VERTEX_BUFFER | BIND_INDEX_BUFFER)) || device->pages ||
        bytes > device->mapped_limit_bytes - device->mapped_bytes)
        return;
    gpu_memory_map(&device->memory, res->address, bytes, true);
    device->mapped_bytes += bytes;
}

/* Returns whether a resource keeps the texture layout until it is first drawn into. Drivers also
 * declare every texture with a drawable format as a render target, so that flag is ignored. */
static bool
is_texture(const struct resource *res)
{
    const uint32_t targets =
        BIND_DEPTH_STENCIL | BIND_DISPLAY_TARGET | BIND_SCANOUT | BIND_SHARED | BIND_STAGING;
    return res->desc.target != TARGET_BUFFER && res->samples == 1 &&
           res->desc.bind & BIND_SAMPLER_VIEW && !(res->desc.bind & targets);
}

static bool
resource_create(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    uint32_t handle = cmd->resource.handle;
    struct gpu_client *client = find_client(device, cmd->client);
    if (!client)
        return fail(err, "client %u is not connected", cmd->client);
    if (handle == 0)
        return fail(err, "a new resource has handle 0");
    if (handle_map_get(&client->resources, handle))
        return fail(err, "resource %u already exists", handle);
    if (!keep_bytes(device, sizeof(struct device_resource), err))
        return fail_prefix(err, "resource %u", handle);
    struct device_resource *resource = mem_alloc(sizeof *resource);
    struct resource *res = &resource->res;
    resource->head.is_resource = true;
    const uint32_t forced = device->forced_samples;
    if (forced)
        device->next_address = 0; /* the trace's addresses assume no forced samples */
    if (!(forced ? resource_init_forced(res, &cmd->resource, forced, err)
                 : resource_init(res, &cmd->resource, err)) ||
        !place_resource(device, res, err)) {
        drop_bytes(device, sizeof *resource);
        free(resource);
        return fail_prefix(err, "resource %u", handle);
    }
    map_buffer(device, res);
    if (device->squares && is_texture(res))
        resource_tile(res, device->square_log2);
    res->references = 1;
    cleared_init(res);
    res->created = device->commands;
    handle_map_put(&client->resources, handle, res);
    return true;
}

static bool
resource_drop(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_client *client = find_client(device, cmd->client);
    struct resource *res = client ? handle_map_remove(&client->resources, cmd->unref.handle) : NULL;
    if (!res)
        return fail(err, "client %u has no resource %u", cmd->client, cmd->unref.handle);
    resource_unref(device, res);
    return true;
}

static bool
sub_context_op(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_client *client = find_client(device, cmd->client);
    uint32_t id = cmd->sub_ctx.value;
    if (!client)
        return fail(err, "client %u is not connected", cmd->client);
    struct gpu_state *state = find_sub_context(client, id);
    if (cmd->op == GPU_CREATE_SUB_CTX) {
        if (state)
            return fail(err, "sub-context %u already exists", id);
        uint32_t count = 0;
        for (const struct gpu_state *other = client->states; other; other = other->next)
            count++;
        if (count == GPU_MOST_SUB_CONTEXTS)
            return fail(err, "sub-context %u: the limit of %d sub-contexts is reached", id,
                        GPU_MOST_SUB_CONTEXTS);
        return state_create(device, client, id, err) || fail_prefix(err, "sub-context %u", id);
    }
    if (!state)
        return fail(err, "client %u has no sub-context %u", cmd->client, id);
    if (cmd->op == GPU_SET_SUB_CTX)
        return true; /* the decoder sets the sub-context of each command */
    if (id == 0)
        return fail(err, "sub-context 0 cannot be destroyed");
    struct gpu_state **link = &client->states;
    while (*link != state)
        link = &(*link)->next;
    *link = state->next;
    state_destroy(device, state);
    return true;
}

static bool
restore_contents(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct resource *res = find_resource(device, cmd, cmd->contents.resource, err);
    const uint32_t level = cmd->contents.level;
    if (!res)
        return false;
    if (level > res->desc.last_level ||
        cmd->contents.size_bytes != resource_level_bytes(res, level))
        return fail(err, "resource %u: %u bytes are not valid contents of level %u",
                    res->desc.handle, cmd->contents.size_bytes, level);
    if (!page_in(device, res, err))
        return false;
    resource_write_level(res, &device->memory, level, cmd->contents.bytes);
    cleared_restore(res, level, cmd->contents.cleared, cmd->contents.bytes);
    if (level == 0)
        shown_restore(find_client(device, cmd->client), res, &cmd->contents.shown);
    return true;
}

static bool
restore_result(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_query *query = gpu_find_query(device, cmd, cmd->result.handle);
    struct gpu_stream *stream = gpu_find_stream(device, cmd, cmd->result.handle);
    if (query) {
        query->result = cmd->result.value;
        return true;
    }
    if (!stream)
        return fail(err, "query or stream output target %u does not exist", cmd->result.handle);
    stream->begun = true;
    stream->written = (uint32_t)cmd->result.value;
    stream->vertex_bytes = (uint32_t)(cmd->result.value >> 32);
    return stream->written <= stream->size ||
           fail(err, "stream output target %u has %u bytes, not %u", cmd->result.handle,
                stream->size, stream->written);
}

/* Restores the state at the start of a trimmed trace. */
static bool
apply_restore(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    switch (cmd->op) {
    case GPU_STATE: device->restoring = cmd->restore.begins; return true;
    case GPU_ADDRESS: device->next_address = cmd->placement.address; return true;
    case GPU_CONTENTS: return restore_contents(device, cmd, err);
    default: return restore_result(device, cmd, err);
    }
}

bool
gpu_op_is_work(enum gpu_op op)
{
    switch (op) {
    case GPU_PUT:
    case GPU_GET:
    case GPU_SWAP:
    case GPU_FRAME:
    case GPU_DRAW:
    case GPU_CLEAR:
    case GPU_BLIT:
    case GPU_COPY_REGION:
    case GPU_END_QUERY:
    case GPU_GET_QUERY_RESULT:
    case GPU_RESOURCE_UNREF: return true;
    default: return false;
    }
}

static bool
apply_state(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    struct gpu_state *state = find_state(device, cmd, err);
    if (!state)
        return false;
    switch (cmd->op) {
    case GPU_CREATE_OBJECT: return create_object(device, state, cmd, err);
    case GPU_DESTROY_OBJECT: return destroy_object(device, state, cmd, err);
    default: return apply_binding(device, state, cmd, err);
    }
}

bool
gpu_apply(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err)
{
    bool well;
    device->commands++;
    switch (cmd->op) {
    case GPU_CLIENT_BEGIN: well = client_begin(device, cmd, err); break;
    case GPU_CLIENT_END: well = client_end(device, cmd, err); break;
    case GPU_RESOURCE_CREATE: well = resource_create(device, cmd, err); break;
    case GPU_RESOURCE_UNREF: well = resource_drop(device, cmd, err); break;
    case GPU_SET_SUB_CTX:
    case GPU_CREATE_SUB_CTX:
    case GPU_DESTROY_SUB_CTX: well = sub_context_op(device, cmd, err); break;
    case GPU_STATE:
    case GPU_ADDRESS:
    case GPU_CONTENTS:
    case GPU_RESULT: well = apply_restore(device, cmd, err); break;
    case GPU_PUT:
    case GPU_GET:
    case GPU_SWAP:
    case GPU_FRAME:
    case GPU_DRAW:
    case GPU_CLEAR:
    case GPU_BLIT:
    case GPU_COPY_REGION:
    case GPU_GET_QUERY_RESULT: well = check_work(device, cmd, err); break;
    default: well = apply_state(device, cmd, err); break;
    }
    if (well && gpu_op_ends_frame(cmd->op)) {
        device->frame++;
        device->draw_in_frame = 0;
    }
    return well || fail_prefix(err, "%s at dword %u", gpu_op_name(cmd->op), cmd->offset);
}
