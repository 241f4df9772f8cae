#include "trace/frames.h"

#include "base/file.h"
#include "base/mem.h"
#include "gfx/transfer.h"
#include "trace/virgl/vtest/guest.h"

#include <stdlib.h>
#include <string.h>

struct target {
    struct guest_layout layout;
    bool is_display;
};

static struct handle_map *
targets_of(struct frames *frames, uint32_t client)
{
    return handle_map_make(&frames->clients, client, sizeof(struct handle_map));
}

static void
free_targets(void *data)
{
    struct handle_map *targets = data;
    handle_map_fini_with(targets, free);
    free(targets);
}

static bool
make_target(struct handle_map *targets, const struct resource_desc *desc, struct error *err)
{
    struct target *target = mem_alloc(sizeof *target);
    handle_map_put(targets, desc->handle, target);
    target->is_display = resource_is_display(desc);
    return guest_layout_init(&target->layout, desc, err);
}

/* Records the formats and sizes of resources that a frame may show. A reused handle refers to the
 * latest resource. */
static bool
follow(struct frames *frames, const struct message *message, struct error *err)
{
    const struct resource_desc *desc = &message->resource;
    struct handle_map *targets;
    switch (message->kind) {
    case MESSAGE_RESOURCE_CREATE:
        targets = targets_of(frames, message->client);
        free(handle_map_remove(targets, desc->handle));
        return desc->target == TARGET_BUFFER || make_target(targets, desc, err);
    case MESSAGE_RESOURCE_UNREF:
        free(handle_map_remove(targets_of(frames, message->client), desc->handle));
        return true;
    case MESSAGE_CLIENT_BEGIN:
    case MESSAGE_CLIENT_END:
        targets = handle_map_remove(&frames->clients, message->client);
        if (targets)
            free_targets(targets);
        return true;
    default: return true;
    }
}

/* Writes the picture as RGB without the target's alpha, because a window shows no transparency. */
static bool
write_frame(struct frames *frames, const struct target *target, const uint8_t *rows,
            struct error *err)
{
    const struct format_info *format = target->layout.format;
    if (!format_is_shown(format))
        return fail(err, "frame %u is shown from a buffer of format %s", frames->count,
                    format->name);
    struct picture picture = {0};
    picture_of_rows(&picture, format, frames->width, frames->height, rows);
    if (!target->is_display)
        picture_flip(&picture);
    picture.has_alpha = false;
    bool ok = picture_write_frame(&picture, frames->dir, frames->count, err);
    frames->written += ok;
    picture_fini(&picture);
    return ok;
}

static bool
take_frame(struct frames *frames, const struct message *message, uint8_t *out, uint32_t out_bytes,
           struct error *err)
{
    uint32_t handle = message->transfer.handle;
    struct target *target = handle_map_get(targets_of(frames, message->client), handle);
    struct guest_region region;
    if (!target || (message->kind == MESSAGE_SWAP && !target->is_display))
        return fail(err, "a swap shows resource %u, which is not a display target", handle);
    if (!guest_region_init(&region, &target->layout, message->transfer.level,
                           &message->transfer.box, err))
        return false;
    if (!out) {
        if (region.tight_bytes > frames->rows_capacity) {
            free(frames->rows);
            frames->rows = mem_alloc(region.tight_bytes);
            frames->rows_capacity = region.tight_bytes;
        }
        out = frames->rows;
        out_bytes = region.tight_bytes;
    }
    bool ok = frames->renderer->take(frames->renderer->data, message, out, out_bytes, err);
    frames->width = (uint32_t)message->transfer.box.width;
    frames->height = (uint32_t)message->transfer.box.height;
    if (ok && frames->dir && frame_set_has(frames->wanted, frames->count))
        ok = write_frame(frames, target, out, err);
    frames->count++;
    return ok;
}

static bool
frames_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
            struct error *err)
{
    struct frames *frames = data;
    message_sink_share_listener(frames->renderer, &frames->sink);
    if (!follow(frames, message, err))
        return false;
    if (message_ends_frame(message))
        return take_frame(frames, message, out, out_bytes, err);
    return frames->renderer->take(frames->renderer->data, message, out, out_bytes, err);
}

void
frames_init(struct frames *frames, struct message_sink *renderer, const char *dir,
            const struct frame_set *wanted)
{
    *frames = (struct frames){.sink = {.data = frames, .take = frames_take},
                              .renderer = renderer,
                              .dir = dir,
                              .wanted = wanted};
}

void
frames_fini(struct frames *frames)
{
    handle_map_fini_with(&frames->clients, free_targets);
    free(frames->rows);
}
