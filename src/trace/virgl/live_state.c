/* Tracks the live state through the stream (docs/design/stream.md, Reading without execution).
 * Destroyed objects and resources remain as ghosts while a binding or an object uses them. Each
 * swap frees the ghosts that are no longer in use. */
#include "trace/virgl/live_state_internal.h"

#include "base/interrupt.h"
#include "state/context.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_LIMIT = 256 };
#define KEPT_MAX_BYTES ((uint64_t)512 << 20) /* limit without a budget */
/* Estimated host memory of one object, resource or binding in its map and list, half of which may
 * be unused. */
#define SLOT_BYTES (2 * (sizeof(struct handle_slot) + sizeof(void *)))
/* Estimated host memory of a map that is not empty. */
#define MAP_BYTES ((uint64_t)64 * sizeof(struct handle_slot))

struct live_state *
live_state_create(struct budget *budget)
{
    struct live_state *state = mem_alloc(sizeof *state);
    state->share = (struct budget_share){.budget = budget, .most_bytes = KEPT_MAX_BYTES};
    return state;
}

static uint64_t
object_bytes(const struct live_object *object)
{
    return sizeof *object + SLOT_BYTES + object->dwords.capacity * sizeof *object->dwords.items;
}

static uint64_t
binding_bytes(const struct live_binding *binding)
{
    return sizeof *binding + SLOT_BYTES + binding->dwords.capacity * sizeof *binding->dwords.items +
           binding->objects.capacity * sizeof *binding->objects.items +
           binding->resources.capacity * sizeof *binding->resources.items;
}

static uint64_t
sub_context_bytes(void)
{
    return sizeof(struct live_sub_context) + 2 * sizeof(void *) + 2 * MAP_BYTES;
}

static uint64_t
client_bytes(uint32_t program_bytes)
{
    return sizeof(struct live_client) + 2 * sizeof(void *) + MAP_BYTES + program_bytes;
}

static void
free_resource(struct live_state *state, struct live_resource *resource)
{
    state->kept_bytes -= sizeof *resource + SLOT_BYTES;
    free(resource);
}

static void
free_object(struct live_state *state, struct live_object *object)
{
    state->kept_bytes -= object_bytes(object);
    VEC_FREE(&object->dwords);
    free(object);
}

static void
free_binding(struct live_state *state, struct live_binding *binding)
{
    state->kept_bytes -= binding->kept_bytes;
    VEC_FREE(&binding->dwords);
    VEC_FREE(&binding->objects);
    VEC_FREE(&binding->resources);
    free(binding);
}

static void
free_sub_context(struct live_state *state, struct live_sub_context *sub)
{
    for (size_t i = 0; i < sub->objects.capacity; i++)
        if (sub->objects.slots[i].value)
            free_object(state, sub->objects.slots[i].value);
    for (size_t i = 0; i < sub->bindings.capacity; i++)
        if (sub->bindings.slots[i].value)
            free_binding(state, sub->bindings.slots[i].value);
    for (size_t i = 0; i < sub->ghosts.count; i++)
        free_object(state, sub->ghosts.items[i]);
    state->kept_bytes -= sub_context_bytes();
    handle_map_fini(&sub->objects);
    handle_map_fini(&sub->bindings);
    VEC_FREE(&sub->ghosts);
    VEC_FREE(&sub->begun);
    free(sub);
}

static void
free_client(struct live_state *state, struct live_client *client)
{
    for (size_t i = 0; i < client->sub_contexts.count; i++)
        free_sub_context(state, client->sub_contexts.items[i]);
    for (size_t i = 0; i < client->resources.capacity; i++)
        if (client->resources.slots[i].value)
            free_resource(state, client->resources.slots[i].value);
    for (size_t i = 0; i < client->ghosts.count; i++)
        free_resource(state, client->ghosts.items[i]);
    state->kept_bytes -= client_bytes(client->program_bytes);
    handle_map_fini(&client->resources);
    VEC_FREE(&client->ghosts);
    VEC_FREE(&client->sub_contexts);
    free(client->program);
    free(client);
}

void
live_state_destroy(struct live_state *state)
{
    if (!state)
        return;
    for (size_t i = 0; i < state->clients.count; i++)
        free_client(state, state->clients.items[i]);
    VEC_FREE(&state->clients);
    budget_move(&state->share, NULL);
    free(state);
}

struct live_client *
live_state_client(struct live_state *state, uint32_t number)
{
    for (size_t i = 0; i < state->clients.count; i++)
        if (state->clients.items[i]->number == number)
            return state->clients.items[i];
    return NULL;
}

static struct live_sub_context *
find_sub_context(struct live_client *client, uint32_t id)
{
    for (size_t i = 0; i < client->sub_contexts.count; i++)
        if (client->sub_contexts.items[i]->id == id)
            return client->sub_contexts.items[i];
    return NULL;
}

static struct live_sub_context *
make_sub_context(struct live_state *state, struct live_client *client, uint32_t id)
{
    struct live_sub_context *sub = mem_alloc(sizeof *sub);
    sub->id = id;
    sub->made = state->now;
    state->kept_bytes += sub_context_bytes();
    VEC_PUSH(&client->sub_contexts, sub);
    return sub;
}

/* Ignores clients above the GPU's limit, because the GPU rejects them. */
static bool
begin_client(struct live_state *state, const struct message *message, struct error *err)
{
    const uint64_t bytes = client_bytes(message->size_bytes);
    if (state->clients.count == GPU_MOST_CLIENTS)
        return true;
    if (!budget_set(&state->share, state->kept_bytes + bytes + sub_context_bytes(), err))
        return false;
    struct live_client *client = mem_alloc(sizeof *client);
    client->number = message->client;
    client->program_bytes = message->size_bytes;
    client->program = mem_alloc(message->size_bytes + (size_t)1);
    if (message->size_bytes)
        memcpy(client->program, message->bytes, message->size_bytes);
    VEC_PUSH(&state->clients, client);
    state->kept_bytes += bytes;
    client->current = make_sub_context(state, client, 0);
    return true;
}

static void
end_client(struct live_state *state, uint32_t number)
{
    for (size_t i = 0; i < state->clients.count; i++) {
        if (state->clients.items[i]->number != number)
            continue;
        free_client(state, state->clients.items[i]);
        for (size_t j = i + 1; j < state->clients.count; j++)
            state->clients.items[j - 1] = state->clients.items[j];
        state->clients.count--;
        return;
    }
}

void
live_used_add(struct live_used *used, uint32_t number)
{
    while (used->count <= number)
        VEC_PUSH(used, false);
    used->items[number] = true;
}

static void
use(struct live_state *state, const struct live_resource *resource)
{
    if (state->used && resource)
        live_used_add(state->used, resource->number);
}

static void
use_handle(struct live_state *state, struct live_client *client, uint32_t handle)
{
    use(state, handle_map_get(&client->resources, handle));
}

static void
drop_resource(struct live_state *state, struct live_client *client, uint32_t handle)
{
    struct live_resource *resource = handle_map_remove(&client->resources, handle);
    if (!resource)
        return;
    resource->dropped = state->now;
    VEC_PUSH(&client->ghosts, resource);
}

static void
make_resource(struct live_state *state, struct live_client *client, const struct message *message)
{
    struct live_resource *resource = mem_alloc(sizeof *resource);
    drop_resource(state, client, message->resource.handle);
    resource->desc = message->resource;
    resource->client = client->number;
    resource->number = state->number_count++;
    resource->made = state->now;
    state->kept_bytes += sizeof *resource + SLOT_BYTES;
    handle_map_put(&client->resources, message->resource.handle, resource);
    state->newest = resource;
}

struct live_resource *
live_state_new_resource(struct live_state *state)
{
    return state->newest;
}

/* A packet of a SUBMIT, and the state to which it applies. */
struct packet_ctx {
    struct live_state *state;
    struct live_client *client;
    struct live_sub_context *sub;
    const struct submit_walk *walk;
};

static uint32_t
dword(const struct packet_ctx *ctx, uint32_t i)
{
    return i < ctx->walk->length ? submit_walk_dword(ctx->walk, i) : 0;
}

static void
append_packet(struct live_state *state, struct live_object *object, const struct submit_walk *walk)
{
    size_t count = walk->length + 1u;
    state->kept_bytes -= object_bytes(object);
    VEC_RESERVE(&object->dwords, object->dwords.count + count);
    memcpy(object->dwords.items + object->dwords.count,
           walk->bytes + 4 * ((size_t)walk->at - count), 4 * count);
    object->dwords.count += count;
    state->kept_bytes += object_bytes(object);
}

/* Makes a query active or inactive. */
static void
set_begun(const struct packet_ctx *ctx, struct live_object *query, bool begins)
{
    struct live_sub_context *sub = ctx->sub;
    if (begins && !query->begun) {
        query->begun_index = sub->begun.count;
        VEC_PUSH(&sub->begun, query);
    } else if (!begins && query->begun) {
        struct live_object *last = sub->begun.items[--sub->begun.count];
        sub->begun.items[query->begun_index] = last;
        last->begun_index = query->begun_index;
    }
    query->begun = begins ? ctx->state->now : 0;
}

static void
destroy_object(const struct packet_ctx *ctx, uint32_t handle)
{
    struct live_object *object = handle_map_remove(&ctx->sub->objects, handle);
    if (!object)
        return;
    object->destroyed = ctx->state->now;
    set_begun(ctx, object, false);
    VEC_PUSH(&ctx->sub->ghosts, object);
}

/* Returns whether objects of this type have their resource at AT_OBJECT_RESOURCE. Queries have it
 * at another offset. */
static bool
has_resource_first(uint32_t type)
{
    return type == VOBJ_SAMPLER_VIEW || type == VOBJ_SURFACE || type == VOBJ_STREAMOUT_TARGET ||
           type == VOBJ_MSAA_SURFACE;
}

static void
create_object(const struct packet_ctx *ctx)
{
    const uint32_t type = ctx->walk->object, handle = dword(ctx, AT_OBJECT_HANDLE);
    struct live_object *object = handle_map_get(&ctx->sub->objects, handle);
    if (type == VOBJ_SHADER && dword(ctx, AT_SHADER_OFFLEN) & SHADER_CONTINUES) {
        if (object && object->type == type)
            append_packet(ctx->state, object, ctx->walk);
        return;
    }
    destroy_object(ctx, handle);
    object = mem_alloc(sizeof *object);
    object->handle = handle;
    object->type = type;
    object->made = ctx->state->now;
    ctx->state->kept_bytes += object_bytes(object);
    append_packet(ctx->state, object, ctx->walk);
    if (has_resource_first(type))
        object->resource = handle_map_get(&ctx->client->resources, dword(ctx, AT_OBJECT_RESOURCE));
    else if (type == VOBJ_QUERY) {
        object->resource = handle_map_get(&ctx->client->resources, dword(ctx, AT_QUERY_RESOURCE));
        object->number = ctx->state->number_count++;
    }
    if (object->resource && type == VOBJ_STREAMOUT_TARGET)
        object->resource->streamed = true;
    use(ctx->state, object->resource);
    handle_map_put(&ctx->sub->objects, handle, object);
}

static uint32_t
binding_key(uint32_t command, uint32_t stage, uint32_t slot)
{
    return command | stage << 8 | slot << 16;
}

const struct live_binding *
live_binding_of(const struct live_sub_context *sub, uint32_t command, uint32_t stage, uint32_t slot)
{
    return handle_map_get(&sub->bindings, binding_key(command, stage, slot));
}

/* Returns the binding of a command for a stage (or object type) and a slot, with empty lists.
 * Creates it if it does not exist. */
static struct live_binding *
rebind(const struct packet_ctx *ctx, uint32_t command, uint32_t stage, uint32_t slot)
{
    uint32_t key = binding_key(command, stage, slot);
    struct live_binding *binding = handle_map_make(&ctx->sub->bindings, key, sizeof *binding);
    binding->made = ctx->state->now;
    binding->dwords.count = binding->objects.count = binding->resources.count = 0;
    return binding;
}

/* Updates kept_bytes after the binding has grown. */
static void
keep_binding(const struct packet_ctx *ctx, struct live_binding *binding)
{
    ctx->state->kept_bytes += binding_bytes(binding) - binding->kept_bytes;
    binding->kept_bytes = binding_bytes(binding);
}

static void
hold_object(const struct packet_ctx *ctx, struct live_binding *binding, uint32_t handle)
{
    struct live_object *object = handle_map_get(&ctx->sub->objects, handle);
    if (!object)
        return;
    VEC_PUSH(&binding->objects, object);
    keep_binding(ctx, binding);
    use(ctx->state, object->resource);
}

static void
hold_resource(const struct packet_ctx *ctx, struct live_binding *binding, uint32_t handle)
{
    struct live_resource *resource = handle_map_get(&ctx->client->resources, handle);
    if (!resource)
        return;
    VEC_PUSH(&binding->resources, resource);
    keep_binding(ctx, binding);
    use(ctx->state, resource);
}

/* Stores the whole packet as one binding. */
static struct live_binding *
bind_packet(const struct packet_ctx *ctx, uint32_t command, uint32_t stage, uint32_t slot)
{
    const struct submit_walk *walk = ctx->walk;
    struct live_binding *binding = rebind(ctx, command, stage, slot);
    VEC_PUSH(&binding->dwords, packet_header(walk->command, walk->object, walk->length));
    for (uint32_t i = 0; i < walk->length; i++)
        VEC_PUSH(&binding->dwords, dword(ctx, i));
    keep_binding(ctx, binding);
    return binding;
}

struct live_slots
live_slots_of(uint32_t command)
{
    switch (command) {
    case CMD_SET_SAMPLER_VIEWS:
    case CMD_BIND_SAMPLER_STATES:
        return (struct live_slots){true, AT_SAMPLERS_FIRST, AT_SAMPLERS_HANDLES, 1};
    case CMD_SET_VIEWPORT_STATE:
        return (struct live_slots){false, AT_VIEWPORTS_FIRST, AT_VIEWPORTS, LEN_VIEWPORT};
    case CMD_SET_SCISSOR_STATE:
        return (struct live_slots){false, AT_SCISSORS_FIRST, AT_SCISSORS, LEN_SCISSOR};
    default: return (struct live_slots){0};
    }
}

/* Stores one binding for each slot of the packet. */
static void
bind_slots(const struct packet_ctx *ctx)
{
    const struct submit_walk *walk = ctx->walk;
    const struct live_slots slots = live_slots_of(walk->command);
    uint32_t stage = slots.are_objects ? dword(ctx, AT_SAMPLERS_STAGE) : 0;
    uint32_t first = dword(ctx, slots.first);
    if (stage >= KEY_LIMIT || walk->length < slots.begin)
        return;
    for (uint32_t i = 0; i < (walk->length - slots.begin) / slots.each && first + i < KEY_LIMIT;
         i++) {
        const uint32_t from = slots.begin + i * slots.each;
        struct live_binding *binding = rebind(ctx, walk->command, stage, first + i);
        VEC_PUSH(&binding->dwords, packet_header(walk->command, 0, slots.begin + slots.each));
        if (slots.are_objects)
            VEC_PUSH(&binding->dwords, stage);
        VEC_PUSH(&binding->dwords, first + i);
        for (uint32_t k = 0; k < slots.each; k++)
            VEC_PUSH(&binding->dwords, dword(ctx, from + k));
        keep_binding(ctx, binding);
        if (slots.are_objects)
            hold_object(ctx, binding, dword(ctx, from));
    }
}

/* A constant buffer is either inline or in a resource. Both kinds share a binding, so that the
 * later packet replaces the earlier one. */
static void
bind_constants(const struct packet_ctx *ctx)
{
    uint32_t stage = dword(ctx, AT_CONSTANTS_STAGE), index = dword(ctx, AT_CONSTANTS_INDEX);
    if (stage >= KEY_LIMIT || index >= KEY_LIMIT)
        return;
    struct live_binding *binding = bind_packet(ctx, CMD_SET_CONSTANT_BUFFER, stage, index);
    if (ctx->walk->command == CMD_SET_UNIFORM_BUFFER)
        hold_resource(ctx, binding, dword(ctx, AT_UNIFORM_RESOURCE));
}

static void
set_sub_context(const struct packet_ctx *ctx)
{
    struct live_client *client = ctx->client;
    struct live_sub_context *sub = find_sub_context(client, dword(ctx, AT_SUB_CTX));
    /* Without room, the GPU rejects the packet. */
    const bool has_room = client->sub_contexts.count < GPU_MOST_SUB_CONTEXTS;
    if (ctx->walk->command == CMD_CREATE_SUB_CTX && !sub && has_room)
        make_sub_context(ctx->state, client, dword(ctx, AT_SUB_CTX));
    else if (ctx->walk->command == CMD_SET_SUB_CTX && sub)
        client->current = sub;
    else if (ctx->walk->command == CMD_DESTROY_SUB_CTX && sub && sub->id) {
        size_t at = 0;
        while (client->sub_contexts.items[at] != sub)
            at++;
        client->sub_contexts.items[at] = client->sub_contexts.items[--client->sub_contexts.count];
        if (client->current == sub)
            client->current = find_sub_context(client, 0);
        free_sub_context(ctx->state, sub);
    }
}

static void
take_query(const struct packet_ctx *ctx)
{
    struct live_object *object = handle_map_get(&ctx->sub->objects, dword(ctx, AT_QUERY_HANDLE));
    if (!object || object->type != VOBJ_QUERY)
        return;
    if (ctx->walk->command != CMD_GET_QUERY_RESULT)
        set_begun(ctx, object, ctx->walk->command == CMD_BEGIN_QUERY);
    use(ctx->state, object->resource);
}

/* Returns the maximum payload of a binding with several objects. The decoder rejects longer
 * packets. */
static uint32_t
most_dwords(uint32_t command)
{
    switch (command) {
    case CMD_SET_FRAMEBUFFER_STATE: return AT_FRAMEBUFFER_COLORS + MAX_COLOR_BUFFERS;
    case CMD_SET_STREAMOUT_TARGETS: return AT_TARGETS_HANDLES + MAX_SO_BUFFERS;
    case CMD_SET_VERTEX_BUFFERS: return LEN_VERTEX_BUFFER * MAX_ATTRIBUTES;
    default: return UINT32_MAX;
    }
}

/* Stores a binding that a packet sets as a whole, with references to its objects and resources. */
static void
take_binding(const struct packet_ctx *ctx)
{
    const struct submit_walk *walk = ctx->walk;
    struct live_binding *binding = NULL;
    uint32_t stage;
    if (walk->length > most_dwords(walk->command))
        return;
    switch (walk->command) {
    case CMD_BIND_OBJECT:
        hold_object(ctx, bind_packet(ctx, CMD_BIND_OBJECT, walk->object, 0),
                    dword(ctx, AT_OBJECT_HANDLE));
        break;
    case CMD_BIND_SHADER:
        stage = dword(ctx, AT_BIND_SHADER_STAGE);
        if (stage < KEY_LIMIT)
            hold_object(ctx, bind_packet(ctx, CMD_BIND_SHADER, stage, 0),
                        dword(ctx, AT_BIND_SHADER_HANDLE));
        break;
    case CMD_SET_FRAMEBUFFER_STATE:
        binding = bind_packet(ctx, walk->command, 0, 0);
        for (uint32_t i = AT_FRAMEBUFFER_DEPTH; i < walk->length; i++)
            hold_object(ctx, binding, dword(ctx, i));
        break;
    case CMD_SET_STREAMOUT_TARGETS:
        binding = bind_packet(ctx, walk->command, 0, 0);
        for (uint32_t i = AT_TARGETS_HANDLES; i < walk->length; i++)
            hold_object(ctx, binding, dword(ctx, i));
        break;
    case CMD_SET_RENDER_CONDITION:
        hold_object(ctx, bind_packet(ctx, walk->command, 0, 0), dword(ctx, AT_CONDITION_QUERY));
        break;
    case CMD_SET_VERTEX_BUFFERS:
        binding = bind_packet(ctx, walk->command, 0, 0);
        for (uint32_t i = AT_VERTEX_RESOURCE; i < walk->length; i += LEN_VERTEX_BUFFER)
            hold_resource(ctx, binding, dword(ctx, i));
        break;
    case CMD_SET_INDEX_BUFFER:
        hold_resource(ctx, bind_packet(ctx, walk->command, 0, 0), dword(ctx, AT_INDEX_RESOURCE));
        break;
    case CMD_SET_STENCIL_REF:
    case CMD_SET_BLEND_COLOR:
    case CMD_SET_POLYGON_STIPPLE:
    case CMD_SET_CLIP_STATE:
    case CMD_SET_SAMPLE_MASK:
    case CMD_SET_TESS_STATE:
    case CMD_SEND_STRING_MARKER:
    case CMD_SET_MIN_SAMPLES: bind_packet(ctx, walk->command, 0, 0); break;
    default: break;
    }
}

static void
take_packet(const struct packet_ctx *ctx)
{
    struct live_resource *target =
        handle_map_get(&ctx->client->resources, submit_walk_target(ctx->walk));
    if (target)
        target->written = true;
    switch (ctx->walk->command) {
    case CMD_CREATE_OBJECT: create_object(ctx); break;
    case CMD_DESTROY_OBJECT: destroy_object(ctx, dword(ctx, AT_OBJECT_HANDLE)); break;
    case CMD_SET_SAMPLER_VIEWS:
    case CMD_BIND_SAMPLER_STATES:
    case CMD_SET_VIEWPORT_STATE:
    case CMD_SET_SCISSOR_STATE: bind_slots(ctx); break;
    case CMD_SET_CONSTANT_BUFFER:
    case CMD_SET_UNIFORM_BUFFER: bind_constants(ctx); break;
    case CMD_SET_SUB_CTX:
    case CMD_CREATE_SUB_CTX:
    case CMD_DESTROY_SUB_CTX: set_sub_context(ctx); break;
    case CMD_BEGIN_QUERY:
    case CMD_END_QUERY:
    case CMD_GET_QUERY_RESULT: take_query(ctx); break;
    case CMD_BLIT:
        use_handle(ctx->state, ctx->client, dword(ctx, AT_BLIT_DST + AT_SIDE_RESOURCE));
        use_handle(ctx->state, ctx->client, dword(ctx, AT_BLIT_SRC + AT_SIDE_RESOURCE));
        break;
    case CMD_RESOURCE_COPY_REGION:
        use_handle(ctx->state, ctx->client, dword(ctx, AT_COPY_DST));
        use_handle(ctx->state, ctx->client, dword(ctx, AT_COPY_SRC));
        break;
    default: take_binding(ctx); break;
    }
}

static void
hold(uint64_t mark, struct live_object *object)
{
    object->mark = mark;
    if (object->resource)
        object->resource->mark = mark;
}

static void
mark_sub_context(struct live_state *state, struct live_sub_context *sub)
{
    const uint64_t mark = state->mark;
    for (size_t i = 0; i < sub->objects.capacity; i++)
        if (sub->objects.slots[i].value)
            hold(mark, sub->objects.slots[i].value);
    for (size_t i = 0; i < sub->bindings.capacity; i++) {
        struct live_binding *binding = sub->bindings.slots[i].value;
        for (size_t k = 0; binding && k < binding->objects.count; k++)
            hold(mark, binding->objects.items[k]);
        for (size_t k = 0; binding && k < binding->resources.count; k++)
            binding->resources.items[k]->mark = mark;
    }
    size_t kept = 0;
    for (size_t i = 0; i < sub->ghosts.count; i++) {
        if (sub->ghosts.items[i]->mark == mark)
            sub->ghosts.items[kept++] = sub->ghosts.items[i];
        else
            free_object(state, sub->ghosts.items[i]);
    }
    sub->ghosts.count = kept;
}

void
live_state_sweep(struct live_state *state)
{
    state->newest = NULL;
    state->mark++;
    for (size_t c = 0; c < state->clients.count; c++) {
        struct live_client *client = state->clients.items[c];
        for (size_t i = 0; i < client->sub_contexts.count; i++)
            mark_sub_context(state, client->sub_contexts.items[i]);
        size_t kept = 0;
        for (size_t i = 0; i < client->ghosts.count; i++) {
            if (client->ghosts.items[i]->mark == state->mark)
                client->ghosts.items[kept++] = client->ghosts.items[i];
            else
                free_resource(state, client->ghosts.items[i]);
        }
        client->ghosts.count = kept;
    }
}

static void
take_submit(struct live_state *state, struct live_client *client, const struct message *message)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    while (budget_fits(&state->share, state->kept_bytes) && !interrupt_pending() &&
           submit_walk_next(&walk)) {
        state->now++;
        if (state->work)
            state->work(state->work_data, &(struct live_work){client, client->current, &walk});
        take_packet(&(struct packet_ctx){state, client, client->current, &walk});
    }
}

bool
live_state_take(struct live_state *state, const struct message *message, struct error *err)
{
    struct live_client *client = live_state_client(state, message->client);
    state->now++;
    state->newest = NULL;
    if (!client)
        return message->kind != MESSAGE_CLIENT_BEGIN || begin_client(state, message, err);
    switch (message->kind) {
    case MESSAGE_CLIENT_END: end_client(state, message->client); break;
    case MESSAGE_RESOURCE_CREATE: make_resource(state, client, message); break;
    case MESSAGE_RESOURCE_UNREF: drop_resource(state, client, message->resource.handle); break;
    case MESSAGE_SUBMIT: take_submit(state, client, message); break;
    case MESSAGE_SWAP:
    case MESSAGE_FRAME: live_state_sweep(state); /* fall through */
    case MESSAGE_GET: use_handle(state, client, message->transfer.handle); break;
    default: break;
    }
    return interrupt_check(err) && budget_set(&state->share, state->kept_bytes, err);
}

static void
use_sub_context(struct live_state *state, struct live_sub_context *sub)
{
    for (size_t i = 0; i < sub->bindings.capacity; i++) {
        struct live_binding *binding = sub->bindings.slots[i].value;
        for (size_t k = 0; binding && k < binding->objects.count; k++)
            use(state, binding->objects.items[k]->resource);
        for (size_t k = 0; binding && k < binding->resources.count; k++)
            use(state, binding->resources.items[k]);
    }
}

void
live_state_watch(struct live_state *state, struct live_used *used)
{
    state->used = used;
    for (size_t c = 0; c < state->clients.count; c++)
        for (size_t i = 0; i < state->clients.items[c]->sub_contexts.count; i++)
            use_sub_context(state, state->clients.items[c]->sub_contexts.items[i]);
}

const struct live_resource *
live_state_resource(struct live_state *state, uint32_t client, uint32_t handle)
{
    const struct live_client *owner = live_state_client(state, client);
    return owner ? handle_map_get(&owner->resources, handle) : NULL;
}

bool
live_state_holds_client(const struct live_state *state)
{
    return state->clients.count > 0;
}

bool
live_used_has(const struct live_used *used, uint32_t number)
{
    return number < used->count && used->items[number];
}
