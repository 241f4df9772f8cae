#include "trace/snapshot.h"

#include "trace/guest.h"

#include <stdlib.h>

struct snapshot {
    struct message_sink *renderer;
    struct trace_writer *writer;
    uint32_t lost;
};

static bool
write_message(void *data, const struct message *message, struct error *err)
{
    struct snapshot *snapshot = data;
    return trace_writer_add(snapshot->writer, message, err);
}

static bool
write_level(struct snapshot *snapshot, const struct live_resource *resource,
            const struct guest_layout *layout, uint32_t level, struct error *err)
{
    const struct guest_level *l = &layout->levels[level];
    struct message message = {.kind = MESSAGE_GET, .client = resource->client};
    struct guest_region region;
    message.transfer.handle = resource->desc.handle;
    message.transfer.level = level;
    message.transfer.box =
        (struct box){0, 0, 0, (int32_t)l->width, (int32_t)l->height, (int32_t)l->slices};
    if (!guest_region_init(&region, layout, level, &message.transfer.box, err))
        return false;
    uint8_t *bytes = mem_alloc(region.tight_bytes + 1);
    bool ok = snapshot->renderer->take(snapshot->renderer->data, &message, bytes,
                                       region.tight_bytes, err);
    message.kind = MESSAGE_PUT;
    message.bytes = bytes;
    message.size_bytes = region.tight_bytes;
    ok = ok && trace_writer_add(snapshot->writer, &message, err);
    free(bytes);
    return ok;
}

static bool
write_contents(void *data, const struct live_resource *resource, struct error *err)
{
    struct snapshot *snapshot = data;
    struct guest_layout layout;
    if (!guest_layout_init(&layout, &resource->desc, err))
        return false;
    if (layout.size_bytes == 0 || resource->dropped) {
        snapshot->lost++;
        return true;
    }
    for (uint32_t level = 0; level < layout.level_count; level++)
        if (!write_level(snapshot, resource, &layout, level, err))
            return fail_prefix(err, "reading resource %u", resource->desc.handle);
    return true;
}

static bool
write_result(void *data, const struct live_query *query, struct error *err)
{
    (void)data, (void)query, (void)err;
    return true;
}

bool
snapshot_write(struct live_state *state, struct message_sink *renderer, struct trace_writer *writer,
               uint32_t *lost, struct error *err)
{
    struct snapshot snapshot = {.renderer = renderer, .writer = writer};
    const struct live_writer out = {&snapshot, write_message, write_contents, write_result};
    struct message mark = {.kind = MESSAGE_STATE};
    mark.state.begins = 1;
    bool ok = trace_writer_add(writer, &mark, err) && live_state_write(state, &out, err);
    mark.state.begins = 0;
    *lost = snapshot.lost;
    return ok && trace_writer_add(writer, &mark, err);
}
