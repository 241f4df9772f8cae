#include "trace/virgl/vtest/offscreen.h"

#include "base/mem.h"
#include "trace/virgl/packets.h"
#include "trace/virgl/submit.h"

#include <stdlib.h>

struct client {
    struct handle_map textures; /* handle to struct resource_desc */
    bool swapped;
    bool worked;          /* the client has done work since the last frame */
    struct message frame; /* MESSAGE_FRAME that will end the current frame */
    uint64_t read_pixels; /* pixels of the readback in `frame`; 0: no readback yet */
};

static void
free_client(void *data)
{
    struct client *client = data;
    handle_map_fini_with(&client->textures, free);
    free(client);
}

static void
follow_texture(struct client *client, const struct message *message)
{
    const uint32_t handle = message->resource.handle;
    free(handle_map_remove(&client->textures, handle));
    if (message->kind != MESSAGE_RESOURCE_CREATE || message->resource.target == TARGET_BUFFER)
        return;
    struct resource_desc *desc = mem_alloc(sizeof *desc);
    *desc = message->resource;
    handle_map_put(&client->textures, handle, desc);
}

static bool
is_work(const struct message *message)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    while (submit_walk_next(&walk))
        if (walk.command == CMD_DRAW_VBO || walk.command == CMD_CLEAR || walk.command == CMD_BLIT ||
            walk.command == CMD_RESOURCE_COPY_REGION)
            return true;
    return false;
}

/* Returns whether the current frame must end before this message, because the message would
 * overwrite or destroy the contents of the frame. */
static bool
ends_before(const struct client *client, const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_SUBMIT: return is_work(message);
    case MESSAGE_RESOURCE_UNREF: return message->resource.handle == client->frame.transfer.handle;
    case MESSAGE_PUT: return message->transfer.handle == client->frame.transfer.handle;
    case MESSAGE_CLIENT_END: return true;
    default: return false;
    }
}

static uint32_t
minify(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

static void
note_readback(struct client *client, const struct message *message)
{
    const struct resource_desc *desc = handle_map_get(&client->textures, message->transfer.handle);
    const struct box *box = &message->transfer.box;
    const struct format_info *format = desc ? format_get(desc->format) : NULL;
    const uint64_t pixels = (uint64_t)box->width * (uint64_t)box->height;
    if (client->swapped || !client->worked || !format || !format_is_shown(format) ||
        box->depth != 1 || pixels <= client->read_pixels)
        return;
    const uint32_t level = message->transfer.level;
    const uint32_t width = minify(desc->width, level), height = minify(desc->height, level);
    if (width < OFFSCREEN_MIN_PIXELS || height < OFFSCREEN_MIN_PIXELS)
        return;
    client->read_pixels = pixels;
    client->frame = *message;
    client->frame.kind = MESSAGE_FRAME;
    client->frame.transfer.box = (struct box){0, 0, box->z, (int32_t)width, (int32_t)height, 1};
}

static void
note(struct client *client, const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_RESOURCE_CREATE:
    case MESSAGE_RESOURCE_UNREF: follow_texture(client, message); break;
    case MESSAGE_SUBMIT:
        client->worked = client->worked || (!client->swapped && is_work(message));
        break;
    case MESSAGE_GET: note_readback(client, message); break;
    case MESSAGE_SWAP:
        client->swapped = true;
        client->read_pixels = 0;
        break;
    default: break;
    }
}

static bool
offscreen_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
               struct error *err)
{
    struct offscreen *offscreen = data;
    struct message_sink *inner = offscreen->inner;
    struct error closing;
    message_sink_share_listener(inner, &offscreen->sink);
    struct client *client = handle_map_make(&offscreen->clients, message->client, sizeof *client);
    bool ok = true;
    if (client->read_pixels && ends_before(client, message)) {
        ok = inner->take(inner->data, &client->frame, NULL, 0, err);
        client->read_pixels = 0;
        client->worked = false;
    }
    note(client, message);
    if (message->kind == MESSAGE_CLIENT_END)
        free_client(handle_map_remove(&offscreen->clients, message->client));
    /* The sink must get the end of a client even after an error. */
    return inner->take(inner->data, message, out, out_bytes, ok ? err : &closing) && ok;
}

void
offscreen_init(struct offscreen *offscreen, struct message_sink *inner)
{
    *offscreen =
        (struct offscreen){.sink = {.data = offscreen, .take = offscreen_take}, .inner = inner};
}

void
offscreen_fini(struct offscreen *offscreen)
{
    handle_map_fini_with(&offscreen->clients, free_client);
}
