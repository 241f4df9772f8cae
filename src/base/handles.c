/* Open addressing with linear probing. A removal moves later entries up instead of leaving
 * tombstones, so lookups stay fast in a map that exists for a long time. */
#include "base/handles.h"

#include "base/mem.h"

#include <stdlib.h>

/* Uses the high bits of the product, which depend on all bits of the handle. */
static size_t
home_of(const struct handle_map *map, uint32_t handle)
{
    return (size_t)((uint64_t)(handle * 2654435761u) * map->capacity >> 32);
}

static struct handle_slot *
find_slot(const struct handle_map *map, uint32_t handle)
{
    if (!map->capacity)
        return NULL;
    size_t i = home_of(map, handle);
    while (map->slots[i].value && map->slots[i].handle != handle)
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

static void
grow(struct handle_map *map)
{
    struct handle_map wider = {.capacity = map->capacity ? map->capacity * 2 : 64};
    wider.slots = mem_array(wider.capacity, sizeof *wider.slots);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value)
            *find_slot(&wider, map->slots[i].handle) = map->slots[i];
    wider.count = map->count;
    free(map->slots);
    *map = wider;
}

void
handle_map_fini(struct handle_map *map)
{
    free(map->slots);
    *map = (struct handle_map){0};
}

void
handle_map_fini_with(struct handle_map *map, void (*free_value)(void *value))
{
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value)
            free_value(map->slots[i].value);
    handle_map_fini(map);
}

void *
handle_map_get(const struct handle_map *map, uint32_t handle)
{
    struct handle_slot *slot = find_slot(map, handle);
    return slot ? slot->value : NULL;
}

void
handle_map_put(struct handle_map *map, uint32_t handle, void *value)
{
    if (2 * (map->count + 1) > map->capacity)
        grow(map);
    struct handle_slot *slot = find_slot(map, handle);
    map->count += slot->value == NULL;
    *slot = (struct handle_slot){handle, value};
}

void *
handle_map_make(struct handle_map *map, uint32_t handle, size_t bytes)
{
    void *value = handle_map_get(map, handle);
    if (!value) {
        value = mem_alloc(bytes);
        handle_map_put(map, handle, value);
    }
    return value;
}

void *
handle_map_remove(struct handle_map *map, uint32_t handle)
{
    struct handle_slot *slot = find_slot(map, handle);
    void *value = slot ? slot->value : NULL;
    if (!value)
        return NULL;
    size_t mask = map->capacity - 1, hole = (size_t)(slot - map->slots);
    for (size_t i = (hole + 1) & mask; map->slots[i].value; i = (i + 1) & mask) {
        size_t home = home_of(map, map->slots[i].handle);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* its home slot is between the hole and here, so it must stay */
        map->slots[hole] = map->slots[i];
        hole = i;
    }
    map->slots[hole].value = NULL;
    map->count--;
    return value;
}
