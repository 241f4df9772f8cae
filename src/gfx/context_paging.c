/* Resources that do not fit: those that were used longest ago are kept in the host's memory until a
 * command uses them again, as a driver does with a GPU's. Drivers let a program fill several
 * gigabytes before they send the commands that free them.
 *
 * Only an executor that finishes each command before the next may turn it on (device->pages): a
 * resource's address then changes between commands. */
#include "gfx/context_internal.h"

#include <stdlib.h>
#include <string.h>

static struct resource *
least_used(struct gpu_device *device)
{
    struct resource *oldest = NULL;
    for (struct gpu_client *client = device->clients; client; client = client->next)
        for (uint32_t i = 0; i < client->resources.capacity; i++) {
            struct resource *res = client->resources.entries[i].value;
            if (client->resources.entries[i].handle == 0 || res->paged ||
                res->used == device->commands)
                continue;
            if (!oldest || res->used < oldest->used)
                oldest = res;
        }
    return oldest;
}

bool
page_alloc(struct gpu_device *device, struct resource *res, struct error *err)
{
    struct error full;
    while (!gpu_memory_alloc(&device->memory, res->size_bytes, &res->address, &full)) {
        struct resource *oldest = device->pages ? least_used(device) : NULL;
        if (!oldest)
            return fail(err, "%s", full.text);
        oldest->paged = mem_alloc(oldest->size_bytes);
        memcpy(oldest->paged, device->memory.bytes + oldest->address, oldest->size_bytes);
        gpu_memory_free(&device->memory, oldest->address, oldest->size_bytes);
        oldest->address = 0;
    }
    res->used = device->commands;
    return true;
}

void
page_free(struct gpu_device *device, struct resource *res)
{
    if (!res->paged)
        gpu_memory_free(&device->memory, res->address, res->size_bytes);
    free(res->paged);
}

bool
page_in(struct gpu_device *device, struct resource *res, struct error *err)
{
    if (!res)
        return true;
    res->used = device->commands;
    if (!res->paged)
        return true;
    if (!page_alloc(device, res, err))
        return false;
    memcpy(device->memory.bytes + res->address, res->paged, res->size_bytes);
    free(res->paged);
    res->paged = NULL;
    return true;
}

static bool
page_in_object(struct gpu_device *device, const struct object *object, struct error *err)
{
    return !object || page_in(device, object->res, err);
}

bool
page_in_surfaces(struct gpu_device *device, const struct gpu_state *state, struct error *err)
{
    for (uint32_t i = 0; i < state->color_count; i++)
        if (!page_in_object(device, state->color[i], err))
            return false;
    return page_in_object(device, state->depth, err);
}

bool
page_in_bound(struct gpu_device *device, const struct gpu_state *state, struct error *err)
{
    bool ok = page_in_surfaces(device, state, err) && page_in(device, state->index_buffer.res, err);
    for (uint32_t i = 0; i < MAX_ATTRIBUTES && ok; i++)
        ok = page_in(device, state->vertex_buffers[i].res, err);
    for (uint32_t stage = 0; stage < STAGE_COUNT && ok; stage++) {
        ok = page_in(device, state->uniforms[stage].res, err);
        for (uint32_t i = 0; i < MAX_SAMPLERS && ok; i++)
            ok = page_in_object(device, state->views[stage][i], err);
    }
    return ok;
}
