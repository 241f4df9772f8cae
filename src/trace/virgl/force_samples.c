#include "trace/virgl/force_samples.h"

#include "base/mem.h"
#include "state/state.h"
#include "base/handles.h"
#include "trace/virgl/packets.h"
#include "trace/virgl/submit.h"

#include <stdlib.h>
#include <string.h>

#define TWIN_HANDLE 0x40000000u /* added to the handle of a twin; programs have lower handles */

enum newer { NEITHER, SINGLE, MULTI };

struct pair { /* a resource and its twin */
    struct resource_desc desc;
    uint32_t blit_flags;
    enum newer newer; /* which of the two was written last */
};

struct far_surface {
    uint32_t handle;
    struct pair *pair; /* NULL after its resource was destroyed */
};

struct far_framebuffer { /* framebuffer of a sub-context */
    uint32_t count;
    struct pair *color[MAX_COLOR_BUFFERS], *depth; /* NULL: no twin */
    bool multisampled;                             /* the twins are bound */
};

struct far_client {
    struct handle_map pairs, surfaces, framebuffers;
    struct far_framebuffer *now;
    VEC(uint32_t) out; /* dwords of the next SUBMIT */
};

struct force_samples {
    struct message_sink sink, *renderer;
    uint32_t samples;
    struct handle_map clients;
};

static struct far_framebuffer *
framebuffer_of(struct far_client *client, uint32_t sub_context)
{
    return handle_map_make(&client->framebuffers, sub_context, sizeof(struct far_framebuffer));
}

static void
free_client(void *data)
{
    struct far_client *client = data;
    if (!client)
        return;
    handle_map_fini_with(&client->pairs, free);
    handle_map_fini_with(&client->surfaces, free);
    handle_map_fini_with(&client->framebuffers, free);
    VEC_FREE(&client->out);
    free(client);
}

static void
begin_client(struct force_samples *force, uint32_t number)
{
    struct far_client *client = mem_alloc(sizeof *client);
    client->now = framebuffer_of(client, 0);
    free_client(handle_map_remove(&force->clients, number));
    handle_map_put(&force->clients, number, client);
}

static void
emit(struct far_client *client, uint32_t header, const uint32_t *payload)
{
    VEC_PUSH(&client->out, header);
    for (uint32_t i = 0; i < header_length(header); i++)
        VEC_PUSH(&client->out, payload[i]);
}

static void
fill_side(uint32_t *side, const struct pair *pair, uint32_t handle)
{
    side[AT_SIDE_RESOURCE] = handle;
    side[AT_SIDE_FORMAT] = pair->desc.format;
    side[AT_SIDE_BOX + AT_BOX_WIDTH] = pair->desc.width;
    side[AT_SIDE_BOX + AT_BOX_HEIGHT] = pair->desc.height;
    side[AT_SIDE_BOX + AT_BOX_DEPTH] = 1;
}

/* Emits a blit of the whole picture, from one resource of the pair to the other. */
static void
emit_blit(struct far_client *client, const struct pair *pair, enum newer from)
{
    const uint32_t single = pair->desc.handle, multi = single | TWIN_HANDLE;
    uint32_t payload[LEN_BLIT] = {[AT_BLIT_FLAGS] = pair->blit_flags};
    fill_side(payload + AT_BLIT_DST, pair, from == MULTI ? single : multi);
    fill_side(payload + AT_BLIT_SRC, pair, from == MULTI ? multi : single);
    emit(client, packet_header(CMD_BLIT, 0, LEN_BLIT), payload);
}

/* Updates one resource of the pair from the other one if that one is newer. */
static void
bring(struct far_client *client, struct pair *pair, enum newer to)
{
    const enum newer from = to == MULTI ? SINGLE : MULTI;
    if (!pair || pair->newer != from)
        return;
    emit_blit(client, pair, from);
    pair->newer = NEITHER;
}

/* Updates the twin after a write to the resource. */
static void
spread(struct far_client *client, struct pair *pair)
{
    if (!pair)
        return;
    pair->newer = SINGLE;
    bring(client, pair, MULTI);
}

static bool
pass(struct force_samples *force, const struct message *message, uint8_t *out, uint32_t out_bytes,
     struct error *err)
{
    message_sink_share_listener(force->renderer, &force->sink);
    return force->renderer->take(force->renderer->data, message, out, out_bytes, err);
}

/* Sends the collected commands as a SUBMIT. */
static bool
flush_commands(struct force_samples *force, struct far_client *client, uint32_t number,
               struct error *err)
{
    const struct message message = {.kind = MESSAGE_SUBMIT,
                                    .client = number,
                                    .bytes = (const uint8_t *)client->out.items,
                                    .size_bytes = (uint32_t)client->out.count * 4};
    bool ok = !client->out.count || pass(force, &message, NULL, 0, err);
    client->out.count = 0;
    return ok;
}

static bool
create_resource(struct force_samples *force, struct far_client *client,
                const struct message *message, struct error *err)
{
    struct message twin = *message;
    const struct format_info *format = format_get(message->resource.format);
    if (!pass(force, message, NULL, 0, err))
        return false;
    if (!resource_may_be_forced(&message->resource))
        return true;
    struct pair *pair = mem_alloc(sizeof *pair);
    pair->desc = message->resource;
    pair->blit_flags = (format->depth_bits ? bit_field_put(1, BITS_BLIT_DEPTH) : 0) |
                       (format->stencil_bits ? bit_field_put(1, BITS_BLIT_STENCIL) : 0);
    const bool is_color = !pair->blit_flags;
    if (is_color)
        pair->blit_flags = bit_field_put(0xf, BITS_BLIT_COLOR);
    handle_map_put(&client->pairs, pair->desc.handle, pair);
    twin.resource.handle |= TWIN_HANDLE;
    twin.resource.samples = force->samples;
    twin.resource.bind = is_color ? BIND_RENDER_TARGET : BIND_DEPTH_STENCIL;
    return pass(force, &twin, NULL, 0, err);
}

/* Removes all references to the pair from framebuffers and surfaces. */
static void
forget_pair(struct far_client *client, const struct pair *pair)
{
    for (size_t i = 0; i < client->surfaces.capacity; i++) {
        struct far_surface *surface = client->surfaces.slots[i].value;
        if (surface && surface->pair == pair)
            surface->pair = NULL;
    }
    for (size_t i = 0; i < client->framebuffers.capacity; i++) {
        struct far_framebuffer *framebuffer = client->framebuffers.slots[i].value;
        if (!framebuffer)
            continue;
        for (uint32_t c = 0; c < framebuffer->count; c++)
            if (framebuffer->color[c] == pair)
                framebuffer->color[c] = NULL;
        if (framebuffer->depth == pair)
            framebuffer->depth = NULL;
    }
}

static bool
unref_resource(struct force_samples *force, struct far_client *client,
               const struct message *message, struct error *err)
{
    struct message twin = *message;
    struct pair *pair = handle_map_remove(&client->pairs, message->resource.handle);
    const bool ok = pass(force, message, NULL, 0, err);
    if (!pair)
        return ok;
    forget_pair(client, pair);
    free(pair);
    twin.resource.handle |= TWIN_HANDLE;
    return ok && pass(force, &twin, NULL, 0, err);
}

/* Forwards a PUT, GET, SWAP, FRAME or CONTENTS. These access the resource, not its twin. */
static bool
transfer(struct force_samples *force, struct far_client *client, const struct message *message,
         uint8_t *out, uint32_t out_bytes, struct error *err)
{
    struct pair *pair = handle_map_get(&client->pairs, message->transfer.handle);
    bring(client, pair, SINGLE);
    if (!flush_commands(force, client, message->client, err) ||
        !pass(force, message, out, out_bytes, err))
        return false;
    if (message->kind == MESSAGE_PUT || message->kind == MESSAGE_CONTENTS)
        spread(client, pair);
    return flush_commands(force, client, message->client, err);
}

static struct far_surface *
find_surface(struct far_client *client, uint32_t handle)
{
    struct far_surface *surface = handle ? handle_map_get(&client->surfaces, handle) : NULL;
    return surface && surface->pair ? surface : NULL;
}

static void
create_surface(struct far_client *client, uint32_t header, uint32_t *dw)
{
    const uint32_t handle = dw[AT_OBJECT_HANDLE];
    struct pair *pair = handle_map_get(&client->pairs, dw[AT_SURFACE_RESOURCE]);
    if (!pair)
        return;
    struct far_surface *surface = mem_alloc(sizeof *surface);
    surface->handle = handle;
    surface->pair = pair;
    free(handle_map_remove(&client->surfaces, handle));
    handle_map_put(&client->surfaces, handle, surface);
    dw[AT_OBJECT_HANDLE] |= TWIN_HANDLE;
    dw[AT_SURFACE_RESOURCE] |= TWIN_HANDLE;
    emit(client, header, dw);
}

static void
destroy_surface(struct far_client *client, uint32_t header, uint32_t *dw)
{
    struct far_surface *surface = handle_map_remove(&client->surfaces, dw[AT_OBJECT_HANDLE]);
    if (!surface)
        return;
    free(surface);
    dw[AT_OBJECT_HANDLE] |= TWIN_HANDLE;
    emit(client, header, dw);
}

/* Binds the twins if every bound surface has one and at least one is a color surface. Otherwise
 * binds the resources. */
static void
set_framebuffer(struct far_client *client, uint32_t header, uint32_t *dw)
{
    struct far_framebuffer *now = client->now;
    uint32_t *colors = dw + AT_FRAMEBUFFER_COLORS;
    struct far_surface *depth = find_surface(client, dw[AT_FRAMEBUFFER_DEPTH]);
    *now = (struct far_framebuffer){.count = header_length(header) - AT_FRAMEBUFFER_COLORS,
                                    .depth = depth ? depth->pair : NULL};
    for (uint32_t i = 0; i < now->count; i++) {
        struct far_surface *color = find_surface(client, colors[i]);
        now->color[i] = color ? color->pair : NULL;
        now->multisampled |= color != NULL;
    }
    for (uint32_t i = 0; i < now->count; i++)
        now->multisampled &= now->color[i] || !colors[i];
    now->multisampled &= depth || !dw[AT_FRAMEBUFFER_DEPTH];
    bring(client, now->depth, now->multisampled ? MULTI : SINGLE);
    for (uint32_t i = 0; i < now->count; i++) {
        bring(client, now->color[i], now->multisampled ? MULTI : SINGLE);
        if (now->multisampled && colors[i])
            colors[i] |= TWIN_HANDLE;
    }
    if (now->multisampled && dw[AT_FRAMEBUFFER_DEPTH])
        dw[AT_FRAMEBUFFER_DEPTH] |= TWIN_HANDLE;
    emit(client, header, dw);
}

/* Records that a draw or clear wrote to the bound resources. */
static void
mark_bound(struct far_framebuffer *bound)
{
    const enum newer newer = bound->multisampled ? MULTI : SINGLE;
    for (uint32_t i = 0; i < bound->count; i++)
        if (bound->color[i])
            bound->color[i]->newer = newer;
    if (bound->depth)
        bound->depth->newer = newer;
}

/* Forwards a command that writes to `dst` and reads `src` (0: reads no resource). */
static void
move(struct far_client *client, uint32_t header, const uint32_t *dw, uint32_t dst, uint32_t src)
{
    struct pair *to = handle_map_get(&client->pairs, dst);
    bring(client, to, SINGLE);
    bring(client, src ? handle_map_get(&client->pairs, src) : NULL, SINGLE);
    emit(client, header, dw);
    spread(client, to);
}

static void
change_object(struct far_client *client, uint32_t header, uint32_t *dw)
{
    const uint32_t command = header_command(header), object = header_object(header);
    const uint32_t length = header_length(header);
    if (command == CMD_CREATE_OBJECT && object == VOBJ_RASTERIZER && length == LEN_RASTERIZER)
        dw[AT_RASTERIZER_FLAGS] |= bit_field_put(1, BITS_RASTERIZER_MULTISAMPLE);
    emit(client, header, dw);
    if (object != VOBJ_SURFACE)
        return;
    if (command == CMD_CREATE_OBJECT && length == LEN_SURFACE)
        create_surface(client, header, dw);
    if (command == CMD_DESTROY_OBJECT && length == LEN_OBJECT)
        destroy_surface(client, header, dw);
}

/* Rewrites one command, possibly in its payload `dw`. */
static void
rewrite_command(struct far_client *client, uint32_t header, uint32_t *dw)
{
    const uint32_t length = header_length(header);
    switch (header_command(header)) {
    case CMD_CREATE_OBJECT:
    case CMD_DESTROY_OBJECT: change_object(client, header, dw); return;
    case CMD_SET_FRAMEBUFFER_STATE:
        if (length < AT_FRAMEBUFFER_COLORS || length > AT_FRAMEBUFFER_COLORS + MAX_COLOR_BUFFERS)
            break;
        set_framebuffer(client, header, dw);
        return;
    case CMD_DRAW_VBO:
    case CMD_CLEAR: mark_bound(client->now); break;
    case CMD_BLIT:
        if (length != LEN_BLIT)
            break;
        move(client, header, dw, dw[AT_BLIT_DST + AT_SIDE_RESOURCE],
             dw[AT_BLIT_SRC + AT_SIDE_RESOURCE]);
        return;
    case CMD_RESOURCE_COPY_REGION:
        if (length != LEN_COPY_REGION)
            break;
        move(client, header, dw, dw[AT_COPY_DST], dw[AT_COPY_SRC]);
        return;
    case CMD_RESOURCE_INLINE_WRITE:
        if (length < LEN_INLINE_WRITE_HEADER)
            break;
        move(client, header, dw, dw[AT_WRITE_RESOURCE], 0);
        return;
    case CMD_SET_SUB_CTX:
        if (length > AT_SUB_CTX)
            client->now = framebuffer_of(client, dw[AT_SUB_CTX]);
        break;
    default: break;
    }
    emit(client, header, dw);
}

static bool
submit(struct force_samples *force, struct far_client *client, const struct message *message,
       struct error *err)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    VEC(uint32_t) payload = {0};
    while (submit_walk_next(&walk)) {
        payload.count = 0;
        VEC_RESERVE(&payload, walk.length + 1);
        for (uint32_t i = 0; i < walk.length; i++)
            VEC_PUSH(&payload, submit_walk_dword(&walk, i));
        rewrite_command(client, packet_header(walk.command, walk.object, walk.length),
                        payload.items);
    }
    VEC_FREE(&payload);
    return flush_commands(force, client, message->client, err);
}

static bool
force_samples_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                   struct error *err)
{
    struct force_samples *force = data;
    if (message->kind == MESSAGE_CLIENT_BEGIN)
        begin_client(force, message->client);
    if (message->kind == MESSAGE_CLIENT_END)
        free_client(handle_map_remove(&force->clients, message->client));
    struct far_client *client = handle_map_get(&force->clients, message->client);
    if (!client)
        return pass(force, message, out, out_bytes, err);
    switch (message->kind) {
    case MESSAGE_RESOURCE_CREATE: return create_resource(force, client, message, err);
    case MESSAGE_RESOURCE_UNREF: return unref_resource(force, client, message, err);
    case MESSAGE_PUT:
    case MESSAGE_GET:
    case MESSAGE_SWAP:
    case MESSAGE_FRAME:
    case MESSAGE_CONTENTS: return transfer(force, client, message, out, out_bytes, err);
    case MESSAGE_SUBMIT: return submit(force, client, message, err);
    default: return pass(force, message, out, out_bytes, err);
    }
}

struct force_samples *
force_samples_create(struct message_sink *renderer, uint32_t samples)
{
    struct force_samples *force = mem_alloc(sizeof *force);
    force->sink.data = force;
    force->sink.take = force_samples_take;
    force->renderer = renderer;
    force->samples = samples;
    return force;
}

void
force_samples_destroy(struct force_samples *force)
{
    handle_map_fini_with(&force->clients, free_client);
    free(force);
}

struct message_sink *
force_samples_sink(struct force_samples *force)
{
    return &force->sink;
}
