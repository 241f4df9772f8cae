/* Multisampled resources are not read, because a transfer has only one sample per pixel. With
 * virgl_test_server, two more kinds are not read. Formats that it rounds are one
 * (passthrough_keeps()). Front surfaces are the other, because it does not support them. sim/trim.c
 * obtains the contents of all these resources by executing the commands. */
#include "trace/virgl/read_back.h"

#include "base/mem.h"
#include "trace/file.h"
#include "trace/virgl/vtest/guest.h"
#include "base/handles.h"
#include "trace/virgl/vtest/passthrough.h"
#include "trace/virgl/submit.h"

#include <stdlib.h>

struct far_resource {
    struct resource_desc desc;
    bool written;
};

struct far_client {
    uint32_t number;
    struct handle_map resources;
};

struct read_back {
    struct message_sink sink;
    struct message_sink *renderer;
    struct trace_writer *writer;
    const struct frame_set *frames;
    bool ours;
    uint32_t frame, range; /* range: the next range to read */
    struct handle_map clients;
    VEC(uint8_t) bytes;
};

static void
free_client(void *data)
{
    struct far_client *client = data;
    handle_map_fini_with(&client->resources, free);
    free(client);
}

static struct far_client *
client_of(struct read_back *read_back, uint32_t number)
{
    struct far_client *client = handle_map_make(&read_back->clients, number, sizeof *client);
    client->number = number;
    return client;
}

static void
follow_submit(struct far_client *client, const struct message *message)
{
    struct submit_walk walk = submit_walk(message->bytes, message->size_bytes);
    while (submit_walk_next(&walk)) {
        struct far_resource *target = handle_map_get(&client->resources, submit_walk_target(&walk));
        if (target)
            target->written = true;
    }
}

static void
follow(struct read_back *read_back, const struct message *message)
{
    struct far_client *client = client_of(read_back, message->client);
    struct far_resource *resource;
    switch (message->kind) {
    case MESSAGE_CLIENT_END:
        free_client(handle_map_remove(&read_back->clients, message->client));
        break;
    case MESSAGE_RESOURCE_CREATE:
        resource = mem_alloc(sizeof *resource);
        resource->desc = message->resource;
        free(handle_map_remove(&client->resources, message->resource.handle));
        handle_map_put(&client->resources, message->resource.handle, resource);
        break;
    case MESSAGE_RESOURCE_UNREF:
        free(handle_map_remove(&client->resources, message->resource.handle));
        break;
    case MESSAGE_SUBMIT: follow_submit(client, message); break;
    default: break;
    }
}

/* Returns whether the resource may be the front surface of a window whose back surface is an older
 * display target. */
static bool
may_be_front(const struct far_client *client, const struct resource_desc *desc)
{
    for (size_t i = 0; i < client->resources.capacity; i++) {
        const struct far_resource *other = client->resources.slots[i].value;
        if (other && resource_may_be_front(desc, &other->desc))
            return true;
    }
    return false;
}

static bool
can_read(const struct read_back *read_back, const struct far_client *client,
         const struct resource_desc *desc)
{
    if (desc->samples > 1)
        return false;
    return read_back->ours || (passthrough_keeps(desc->format) && !may_be_front(client, desc));
}

static bool
read_slice(struct read_back *read_back, struct message *message, const struct guest_layout *layout,
           struct error *err)
{
    struct guest_region region;
    struct message_sink *renderer = read_back->renderer;
    if (!guest_region_init(&region, layout, message->transfer.level, &message->transfer.box, err))
        return false;
    VEC_RESERVE(&read_back->bytes, region.tight_bytes);
    message->kind = MESSAGE_GET;
    message->bytes = NULL;
    message->size_bytes = 0;
    if (!renderer->take(renderer->data, message, read_back->bytes.items, region.tight_bytes, err))
        return fail_prefix(err, "reading level %u of resource %u", message->transfer.level,
                           message->transfer.handle);
    message->kind = MESSAGE_PUT;
    message->bytes = read_back->bytes.items;
    message->size_bytes = region.tight_bytes;
    return trace_writer_add(read_back->writer, message, err);
}

static bool
read_resource(struct read_back *read_back, const struct far_client *client,
              const struct resource_desc *desc, struct error *err)
{
    struct guest_layout layout;
    struct message message = {.client = client->number};
    message.transfer.handle = desc->handle;
    if (!guest_layout_init(&layout, desc, err))
        return false;
    for (uint32_t i = 0; i < layout.level_count; i++)
        for (uint32_t z = 0; z < layout.levels[i].slices; z++) {
            message.transfer.level = i;
            message.transfer.box = (struct box){.z = (int32_t)z,
                                                .width = (int32_t)layout.levels[i].width,
                                                .height = (int32_t)layout.levels[i].height,
                                                .depth = 1};
            if (!read_slice(read_back, &message, &layout, err))
                return false;
        }
    return true;
}

static bool
read_client(struct read_back *read_back, const struct far_client *client, struct error *err)
{
    for (size_t i = 0; i < client->resources.capacity; i++) {
        const struct far_resource *resource = client->resources.slots[i].value;
        if (resource && resource->written && can_read(read_back, client, &resource->desc) &&
            !read_resource(read_back, client, &resource->desc, err))
            return false;
    }
    return true;
}

/* Reads the resources if the next range begins with the current frame. */
static bool
read_range(struct read_back *read_back, struct error *err)
{
    const struct message mark = {.kind = MESSAGE_SWAP};
    if (read_back_done(read_back) ||
        read_back->frames->ranges[read_back->range].first != read_back->frame)
        return true;
    read_back->range++;
    for (size_t i = 0; i < read_back->clients.capacity; i++)
        if (read_back->clients.slots[i].value &&
            !read_client(read_back, read_back->clients.slots[i].value, err))
            return false;
    return trace_writer_add(read_back->writer, &mark, err);
}

static bool
read_back_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
               struct error *err)
{
    struct read_back *read_back = data;
    message_sink_share_listener(read_back->renderer, &read_back->sink);
    if (!read_back->renderer->take(read_back->renderer->data, message, out, out_bytes, err))
        return false;
    if (read_back_done(read_back))
        return true;
    follow(read_back, message);
    if (!message_ends_frame(message))
        return true;
    read_back->frame++;
    return read_range(read_back, err);
}

static void
destroy(struct read_back *read_back)
{
    handle_map_fini_with(&read_back->clients, free_client);
    VEC_FREE(&read_back->bytes);
    free(read_back);
}

bool
read_back_create(struct read_back **out, const char *path, const struct frame_set *frames,
                 struct message_sink *renderer, bool ours, struct error *err)
{
    struct read_back *read_back = mem_alloc(sizeof *read_back);
    read_back->sink.data = read_back;
    read_back->sink.take = read_back_take;
    read_back->renderer = renderer;
    read_back->frames = frames;
    read_back->ours = ours;
    if (!trace_writer_create(&read_back->writer, path, "contents", err)) {
        free(read_back);
        return false;
    }
    *out = read_back;
    if (read_range(read_back, err))
        return true;
    trace_writer_discard(read_back->writer);
    destroy(read_back);
    *out = NULL;
    return false;
}

struct message_sink *
read_back_sink(struct read_back *read_back)
{
    return &read_back->sink;
}

bool
read_back_done(const struct read_back *read_back)
{
    return read_back->range == read_back->frames->count;
}

bool
read_back_close(struct read_back *read_back, struct error *err)
{
    const bool ok = trace_writer_close(read_back->writer, err);
    destroy(read_back);
    return ok;
}
