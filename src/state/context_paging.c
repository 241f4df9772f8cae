/* Paging of resources that do not fit into simulated memory. The least recently used ones move to
 * host memory until a command uses them again, as with a driver that evicts GPU memory. Paging is
 * needed because drivers let a program fill several gigabytes before they send the commands that
 * free them.
 *
 * Only an executor that finishes each command before the next one may enable paging
 * (device->pages). The address of a resource changes between commands, and is 0 while the resource
 * is paged out. Resources occupy whole host pages, which can be moved without a copy. A resource
 * gets memory at its first use. Its memory is not zeroed if the first PUT overwrites all of it.
 * Filling a resource with one value does not count as a use.
 *
 * Freed pages outside simulated memory are kept for the next resource, because page faults cost
 * more than overwriting.
 *
 * If there is a budget for the host memory of all resources (device->contents), freed simulated
 * memory is returned to the host. Otherwise it would stay allocated in addition to the memory in
 * use. */
#include "state/context_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PAGE_BYTES = 4096,
    MOVED_BYTES = 1 << 16, /* smaller ones are copied: a move splits the host's mappings */
};
#define SPARES_MAX_BYTES ((uint64_t)4 << 30)

struct page_spare { /* header stored in the spare bytes */
    struct page_spare *next;
    uint32_t bytes;
};

static uint32_t
whole_pages(uint32_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(uint32_t)(PAGE_BYTES - 1);
}

static uint32_t
outside_bytes(const struct resource *res)
{
    return whole_pages(res->size_bytes);
}

/* Updates the budget after a change, or before one that needs `more` bytes. Returns false if the
 * bytes do not fit. */
static bool
hold_bytes(struct gpu_device *device, uint32_t more, struct error *err)
{
    const uint64_t held = device->memory.used_bytes + device->outside_bytes + more;
    if (!budget_fits(&device->contents, held + device->spare_bytes))
        page_free_spares(device);
    return budget_set(&device->contents, held + device->spare_bytes, err);
}

/* Allocates bytes outside simulated memory. Returns NULL on failure. *zeroed: all bytes are 0. */
static uint8_t *
outside_take(struct gpu_device *device, uint32_t bytes, bool *zeroed, struct error *err)
{
    *zeroed = false;
    for (struct page_spare **link = &device->spares; *link; link = &(*link)->next) {
        struct page_spare *spare = *link;
        if (spare->bytes != bytes)
            continue;
        *link = spare->next;
        device->spare_bytes -= bytes;
        device->outside_bytes += bytes;
        return (uint8_t *)spare;
    }
    void *fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) {
        fail(err, "out of host memory: cannot allocate %u bytes for resources: %s", bytes,
             strerror(errno));
        return NULL;
    }
    *zeroed = true;
    device->outside_bytes += bytes;
    return fresh;
}

static void
outside_give(struct gpu_device *device, uint8_t *outside, uint32_t bytes)
{
    device->outside_bytes -= bytes;
    if (bytes < MOVED_BYTES || device->spare_bytes + bytes > SPARES_MAX_BYTES) {
        munmap(outside, bytes);
        return;
    }
    struct page_spare *spare = (struct page_spare *)(void *)outside;
    *spare = (struct page_spare){device->spares, bytes};
    device->spares = spare;
    device->spare_bytes += bytes;
}

void
page_free_spares(struct gpu_device *device)
{
    while (device->spares) {
        struct page_spare *spare = device->spares;
        device->spares = spare->next;
        munmap(spare, spare->bytes);
    }
    device->spare_bytes = 0;
}

static struct resource *
least_used(struct gpu_device *device)
{
    struct resource *oldest = NULL;
    for (struct gpu_client *client = device->clients; client; client = client->next)
        for (size_t i = 0; i < client->resources.capacity; i++) {
            struct resource *res = client->resources.slots[i].value;
            if (!res || res->address == 0 || res->used == device->commands)
                continue;
            if (!oldest || res->used < oldest->used ||
                (res->used == oldest->used && res->created < oldest->created))
                oldest = res;
        }
    return oldest;
}

static uint32_t
element_bytes(const struct resource *res)
{
    return res->format ? res->format->block_bytes : 1;
}

/* Returns whether all elements are equal. */
static bool
are_alike(const struct resource *res, const uint8_t *bytes, uint32_t count)
{
    const uint32_t element = element_bytes(res);
    return element <= sizeof res->fill && count >= element &&
           memcmp(bytes, bytes + element, count - element) == 0;
}

static bool
is_zero_filled(const struct resource *res)
{
    static const uint8_t zeroes[sizeof res->fill];
    return memcmp(res->fill, zeroes, sizeof zeroes) == 0;
}

/* Fills `bytes` with the resource's fill value. */
static void
write_fill(const struct resource *res, uint8_t *bytes)
{
    uint32_t done = element_bytes(res);
    memcpy(bytes, res->fill, done);
    for (uint32_t part; done < res->size_bytes; done += part) {
        part = done < res->size_bytes - done ? done : res->size_bytes - done;
        memcpy(bytes + done, bytes, part);
    }
}

/* Fills the resource with its fill value in simulated memory. */
static void
fill_inside(struct gpu_device *device, const struct resource *res)
{
    if (is_zero_filled(res))
        gpu_memory_zero(&device->memory, res->address, res->held_bytes);
    else
        write_fill(res, device->memory.bytes + res->address);
}

/* Frees the resource's simulated memory. */
static void
free_inside(struct gpu_device *device, struct resource *res)
{
    if (device->contents.budget)
        madvise(device->memory.bytes + res->address, res->held_bytes, MADV_DONTNEED);
    if (gpu_memory_is_mapped(&device->memory, res->address)) {
        gpu_memory_map(&device->memory, res->address, res->held_bytes, false);
        device->mapped_bytes -= res->held_bytes;
    }
    gpu_memory_free(&device->memory, res->address, res->held_bytes);
    res->address = 0;
}

/* Moves the resource out of simulated memory. Moves its host pages if possible, otherwise copies
 * its bytes. For a resource filled with one value, keeps only that value. */
static bool
page_out(struct gpu_device *device, struct resource *res, struct error *err)
{
    uint8_t *inside = device->memory.bytes + res->address;
    const bool is_filled = are_alike(res, inside, res->size_bytes);
    void *moved = is_filled ? NULL : MAP_FAILED;
    if (is_filled)
        memcpy(res->fill, inside, element_bytes(res));
    else if (res->held_bytes >= MOVED_BYTES && res->held_bytes == outside_bytes(res) &&
             res->address % PAGE_BYTES == 0)
        moved = mremap(inside, res->held_bytes, res->held_bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP);
    if (moved == MAP_FAILED) {
        bool zeroed;
        moved = outside_take(device, outside_bytes(res), &zeroed, err);
        if (!moved)
            return false;
        memcpy(moved, inside, res->size_bytes);
    } else if (moved) {
        device->outside_bytes += outside_bytes(res);
    }
    res->paged = moved;
    free_inside(device, res);
    return true;
}

static void
move_in(struct gpu_device *device, struct resource *res)
{
    const uint32_t bytes = res->held_bytes;
    uint8_t *inside = device->memory.bytes + res->address;
    if (bytes < MOVED_BYTES ||
        mremap(res->paged, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, inside) == MAP_FAILED) {
        memcpy(inside, res->paged, res->size_bytes);
        outside_give(device, res->paged, bytes);
    } else {
        device->outside_bytes -= bytes;
    }
    res->paged = NULL;
}

static bool
take_pages(struct gpu_device *device, struct resource *res)
{
    res->held_bytes = outside_bytes(res);
    return gpu_memory_take(&device->memory, res->held_bytes, PAGE_BYTES, &res->address);
}

bool
page_alloc(struct gpu_device *device, struct resource *res, struct error *err)
{
    res->used = device->commands;
    res->held_bytes = res->size_bytes;
    return device->pages || gpu_memory_alloc(&device->memory, res->size_bytes, &res->address, err);
}

void
page_free(struct gpu_device *device, struct resource *res)
{
    if (res->address)
        free_inside(device, res);
    if (res->paged)
        outside_give(device, res->paged, outside_bytes(res));
    if (device->pages)
        hold_bytes(device, 0, NULL);
}

/* Returns whether a resource without stored bytes needs none after the PUT, because all its
 * elements remain equal. */
static bool
only_fills(struct resource *res, const struct gpu_cmd *cmd, uint32_t box_bytes)
{
    const uint32_t element = element_bytes(res);
    const uint8_t *bytes = cmd->transfer.bytes;
    if (!are_alike(res, bytes, box_bytes) ||
        (box_bytes != res->size_bytes && memcmp(bytes, res->fill, element) != 0))
        return false;
    memcpy(res->fill, bytes, element);
    return true;
}

bool
page_in(struct gpu_device *device, struct resource *res, struct error *err)
{
    if (!res)
        return true;
    res->used = device->commands;
    if (res->address)
        return true;
    if (!res->paged && !hold_bytes(device, outside_bytes(res), err))
        return false;
    while (!take_pages(device, res)) {
        struct resource *oldest = least_used(device);
        if (!oldest)
            return gpu_memory_exhausted(&device->memory, res->size_bytes, err);
        if (!page_out(device, oldest, err))
            return false;
    }
    if (res->paged) {
        move_in(device, res);
        return true;
    }
    fill_inside(device, res);
    return true;
}

bool
page_for_put(struct gpu_device *device, struct resource *res, const struct gpu_cmd *cmd,
             struct error *err)
{
    const uint32_t box_bytes = resource_box_bytes(res, &cmd->transfer.box);
    const bool whole = box_bytes == res->size_bytes;
    bool zeroed = false;
    res->used = device->commands;
    if (res->address || res->paged || only_fills(res, cmd, box_bytes))
        return true;
    if (!hold_bytes(device, outside_bytes(res), err))
        return false;
    if (take_pages(device, res)) {
        if (!whole)
            fill_inside(device, res);
        return true;
    }
    res->paged = outside_take(device, outside_bytes(res), &zeroed, err);
    if (!res->paged)
        return false;
    if (!whole && !(zeroed && is_zero_filled(res)))
        write_fill(res, res->paged);
    return true;
}

void
gpu_put(struct gpu_device *device, const struct gpu_cmd *cmd)
{
    const struct resource *res = gpu_resource(device, cmd->client, cmd->transfer.resource);
    struct gpu_memory outside = {.bytes = res->paged};
    if (res->address == 0 && !res->paged) /* page_for_put() has already stored the fill value */
        return;
    resource_write_box(res, res->paged ? &outside : &device->memory, cmd->transfer.level,
                       &cmd->transfer.box, cmd->transfer.bytes);
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
    for (uint32_t i = 0; i < MAX_SO_BUFFERS && ok; i++)
        ok = page_in_object(device, state->streamout[i], err);
    for (uint32_t stage = 0; stage < STAGE_COUNT && ok; stage++) {
        for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS && ok; i++)
            ok = page_in(device, state->uniforms[stage][i].res, err);
        for (uint32_t i = 0; i < MAX_SAMPLERS && ok; i++)
            ok = page_in_object(device, state->views[stage][i], err);
    }
    return ok;
}
