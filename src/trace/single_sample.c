#include "trace/single_sample.h"

#include "base/mem.h"
#include "state/context.h"
#include "base/handles.h"

#include <stdlib.h>

struct single_sample {
    struct message_sink sink, *renderer;
    struct handle_map clients; /* client to a struct handle_map of its multisampled resources */
};

static void
free_descriptions(void *data)
{
    struct handle_map *resources = data;
    if (!resources)
        return;
    handle_map_fini_with(resources, free);
    free(resources);
}

/* Checks the sample count, because the renderer never sees it. */
static bool
create_resource(struct single_sample *single, struct message *message, struct error *err)
{
    struct handle_map *resources = handle_map_get(&single->clients, message->client);
    if (!resource_check_samples(&message->resource, err))
        return false;
    if (resources && message->resource.samples > 1) {
        struct resource_desc *desc = mem_alloc(sizeof *desc);
        *desc = message->resource;
        free(handle_map_remove(resources, desc->handle));
        handle_map_put(resources, desc->handle, desc);
    }
    message->resource.samples = 0;
    return true;
}

/* Resolves the contents to one sample per pixel. The caller frees *bytes, which stays NULL if the
 * format cannot be resolved. */
static bool
resolve(const struct resource_desc *desc, struct message *message, uint8_t **bytes,
        struct error *err)
{
    const struct format_info *format = format_get(desc->format);
    if (!format || (!format->depth_bits && !format->stencil_bits && !format->pack))
        return true;
    const uint32_t element = format->block_bytes, pixel = element * desc->samples;
    const uint32_t pixels = message->size_bytes / pixel;
    if (message->size_bytes % pixel)
        return fail(err, "%u bytes are not whole pixels of resource %u: a pixel has %u",
                    message->size_bytes, desc->handle, pixel);
    *bytes = mem_array((size_t)pixels + 1, element);
    for (size_t i = 0; i < pixels; i++)
        resource_read_mean(format, desc->samples, message->bytes + i * pixel, *bytes + i * element);
    message->bytes = *bytes;
    message->size_bytes = pixels * element;
    message->contents.shown.twin = 0; /* a resource with one sample has none */
    return true;
}

static bool
single_sample_take(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                   struct error *err)
{
    struct single_sample *single = data;
    struct handle_map *resources = handle_map_get(&single->clients, message->client);
    const struct resource_desc *desc = NULL;
    struct message changed = *message;
    uint8_t *bytes = NULL;
    bool ok = true;
    switch (message->kind) {
    case MESSAGE_CLIENT_BEGIN:
        free_descriptions(handle_map_remove(&single->clients, message->client));
        handle_map_put(&single->clients, message->client, mem_alloc(sizeof *resources));
        break;
    case MESSAGE_CLIENT_END:
        free_descriptions(handle_map_remove(&single->clients, message->client));
        break;
    case MESSAGE_RESOURCE_CREATE: ok = create_resource(single, &changed, err); break;
    case MESSAGE_RESOURCE_UNREF:
        free(resources ? handle_map_remove(resources, message->resource.handle) : NULL);
        break;
    case MESSAGE_CONTENTS:
        desc = resources ? handle_map_get(resources, message->contents.handle) : NULL;
        ok = !desc || resolve(desc, &changed, &bytes, err);
        break;
    default: break;
    }
    message_sink_share_listener(single->renderer, &single->sink);
    ok = ok && single->renderer->take(single->renderer->data, &changed, out, out_bytes, err);
    free(bytes);
    return ok;
}

struct single_sample *
single_sample_create(struct message_sink *renderer)
{
    struct single_sample *single = mem_alloc(sizeof *single);
    single->sink.data = single;
    single->sink.take = single_sample_take;
    single->renderer = renderer;
    return single;
}

void
single_sample_destroy(struct single_sample *single)
{
    handle_map_fini_with(&single->clients, free_descriptions);
    free(single);
}

struct message_sink *
single_sample_sink(struct single_sample *single)
{
    return &single->sink;
}
